// Contractions that have their rows in common.
#include "src/contract/joined_rows.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/contract/element_types.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

// Packed rows of more bytes than this would come from memory again for every contraction.
constexpr std::size_t most_joined_bytes = std::size_t{4} << 20;

// A contraction that packs its rows, from the operand in common.
template <class T, class Stored>
const blocked<T, Stored>* suited(const joinable& one) {
    const auto* const it = dynamic_cast<const blocked<T, Stored>*>(one.which);
    if (it == nullptr || it->is_swapped() != one.shares_b || !it->packs_rows()) return nullptr;
    return it->rows().size() * sizeof(T) <= most_joined_bytes ? it : nullptr;
}

}  // namespace

template <class T, class Stored>
std::unique_ptr<const joined_strategy> joined_rows<T, Stored>::make(std::span<const joinable> all) {
    std::vector<const part*> parts;
    for (const joinable& one : all) {
        const part* const suits = suited<T, Stored>(one);
        if (suits == nullptr || (!parts.empty() && !parts[0]->rows().same(suits->rows())))
            return nullptr;
        parts.push_back(suits);
    }
    if (parts.size() < 2) return nullptr;
    return std::unique_ptr<const joined_strategy>(new joined_rows(std::move(parts)));
}

template <class T, class Stored>
joined_rows<T, Stored>::joined_rows(std::vector<const part*> parts)
    : parts_(std::move(parts)), rows_(parts_[0]->rows()) {
    for (const part* p : parts_) borrowed_ = std::max(borrowed_, rows_.size() + p->borrowed());
}

template <class T, class Stored>
void joined_rows<T, Stored>::run(std::span<const bound_contraction> operands) const {
    const runtime::lent_memory memory(borrowed_ * sizeof(T));
    T* const packed = reinterpret_cast<T*>(memory.data());
    rows_.pack(parts_[0]->bound(operands[0]).a, packed);
    for (std::size_t p = 0; p < parts_.size(); ++p)
        parts_[p]->run_with_rows(parts_[p]->bound(operands[p]), {&rows_, packed},
                                 packed + rows_.size());
}

template <class T, class Stored>
std::unique_ptr<const joined_strategy> blocked<T, Stored>::join(
    std::span<const joinable> all) const {
    return joined_rows<T, Stored>::make(all);
}

#define RICCI_INSTANTIATE(...)                                                  \
    template std::unique_ptr<const joined_strategy> blocked<__VA_ARGS__>::join( \
        std::span<const joinable>) const
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
