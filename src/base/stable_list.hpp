// A list whose elements stay where they are while it grows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ricci {

/// Elements lie in blocks of `Block` that never move: a reference to one holds until the list is
/// assigned to or ends.
template <class T, std::size_t Block>
class stable_list {
public:
    stable_list() = default;
    stable_list(const stable_list& other) {
        for (const auto& block : other.blocks_)
            for (const T& x : block) push_back(x);
    }
    stable_list(stable_list&&) noexcept = default;
    stable_list& operator=(stable_list other) noexcept {
        blocks_.swap(other.blocks_);
        return *this;
    }
    ~stable_list() = default;

    std::size_t size() const {
        return blocks_.empty() ? 0 : (blocks_.size() - 1) * Block + blocks_.back().size();
    }
    T& operator[](std::size_t k) { return blocks_[k / Block][k % Block]; }
    const T& operator[](std::size_t k) const { return blocks_[k / Block][k % Block]; }

    T& push_back(T x) {
        if (blocks_.empty() || blocks_.back().size() == Block)
            blocks_.emplace_back().reserve(Block);
        return blocks_.back().emplace_back(std::move(x));
    }

private:
    std::vector<std::vector<T>> blocks_;  // each full but the last
};

}  // namespace ricci
