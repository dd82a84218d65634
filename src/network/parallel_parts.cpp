#include "src/network/parallel_parts.hpp"

namespace ricci::networks {

runtime::loan_book lent_together(runtime::loan_book& by_one, std::size_t count) {
    runtime::loan_list at_once;
    for (const auto& piece : by_one.pieces(1))
        for (std::int64_t k = 0; k < piece.count; ++k)
            at_once.push_back({piece.bytes, static_cast<std::int64_t>(count)});
    runtime::loan_book together;
    together.add_step(at_once);
    return together;
}

}  // namespace ricci::networks
