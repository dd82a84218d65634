// A set of few keys: a sorted list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "src/base/short_list.hpp"

namespace ricci {

/// What std::set can under the same name, in one piece of memory: of up to `Few` keys in the object
/// itself. A key that is greater than those before it is put in at once, another one moves those
/// behind it.
template <class Key, std::size_t Few>
class small_set {
public:
    small_set() = default;
    small_set(std::initializer_list<Key> keys) { insert(keys.begin(), keys.end()); }

    std::size_t size() const { return keys_.size(); }
    bool empty() const { return keys_.empty(); }
    const Key* begin() const { return keys_.begin(); }
    const Key* end() const { return keys_.end(); }
    auto rbegin() const { return keys_.rbegin(); }
    bool contains(const Key& key) const {
        const Key* const at = place_of(key);
        return at != end() && *at == key;
    }

    /// Whether the key is new.
    bool insert(const Key& key) {
        const Key* const at = place_of(key);
        if (at != end() && *at == key) return false;
        keys_.insert(keys_.begin() + (at - begin()), key);
        return true;
    }
    template <class It>
    void insert(It first, It last) {
        for (; first != last; ++first) insert(*first);
    }
    void merge(const small_set& other) { insert(other.begin(), other.end()); }
    void pop_front() { keys_.erase(keys_.begin()); }

private:
    const Key* place_of(const Key& key) const {
        if (empty() || keys_.back() < key) return end();
        return std::lower_bound(begin(), end(), key);
    }

    short_list<Key, Few> keys_;
};

}  // namespace ricci
