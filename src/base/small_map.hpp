// A map of few keys: a sorted list of pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/short_list.hpp"

namespace ricci {

/// What std::map can under the same name, in one piece of memory: of up to `Few` keys in the object
/// itself. A key that is greater than those before it is put in at once, another one moves those
/// behind it.
template <class Key, class Value, std::size_t Few>
class small_map {
public:
    using entry = std::pair<Key, Value>;

    std::size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }
    const entry* begin() const { return entries_.begin(); }
    const entry* end() const { return entries_.end(); }

    /// The entry of a key; end() where there is none.
    const entry* find(const Key& key) const {
        const entry* const at = place_of(key);
        return at != end() && at->first == key ? at : end();
    }
    bool contains(const Key& key) const { return find(key) != end(); }
    /// The value of a key that is there.
    const Value& at(const Key& key) const { return find(key)->second; }

    /// The value of a key, a new one where there is none; it holds until another is put in.
    Value& operator[](const Key& key) {
        auto at = entries_.begin() + (place_of(key) - begin());
        if (at == entries_.end() || !(at->first == key)) at = entries_.insert(at, {key, Value()});
        return at->second;
    }
    template <class Predicate>
    void erase_if(Predicate is_gone) {
        ricci::erase_if(entries_, is_gone);
    }

private:
    const entry* place_of(const Key& key) const {
        if (empty() || entries_.back().first < key) return end();
        return std::lower_bound(begin(), end(), key,
                                [](const entry& e, const Key& k) { return e.first < k; });
    }

    short_list<entry, Few> entries_;
};

}  // namespace ricci
