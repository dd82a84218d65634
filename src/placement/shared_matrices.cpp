// Functions of a matrix whose rows or columns would lie in parts are refused: gathering them would
// be right, and each rank would factor all of the matrix, in the memory of one.
#include "src/placement/shared_matrices.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"
#include "src/placement/words.hpp"

namespace ricci::mpi {
namespace {

/// A tensor of a matrix, the axis of which is shared out.
struct shared_tensor {
    ir::ref name = ir::none;
    bool is_row = false;
};

shared_tensor find_shared(const ir::program_view& p, const ir::node& function,
                          const shared_axes& axes) {
    shared_tensor found;
    ir::for_each_node(p, p.child(function, 0), [&](ir::ref n) {
        const ir::node& x = p.nodes[n];
        if (x.kind != ir::op::tensor || found.name != ir::none) return;
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::position& q = p.at(x.positions, k);
            if (q.kind != ir::position_kind::index || axes[static_cast<std::size_t>(x.name)] != k)
                continue;
            for (std::int32_t i = 0; i < function.indices.count; ++i)
                if (p.index(q.index) == p.index(p.reduced(function, i))) found = {x.name, i == 0};
        }
    });
    return found;
}

// What else an equation could be shared out by.
std::string other_letters(const ir::program_view& p, const ir::equation& e,
                          const ir::node& function) {
    std::vector<std::string> letters;
    ir::index_set all;
    ir::add_indices(p, e.positions, all);
    all.for_each([&](ir::ref i) {
        const std::string mine = detail::string_of(p.index(i));
        for (std::int32_t k = 0; k < function.indices.count; ++k)
            if (detail::string_of(p.index(p.reduced(function, k))) == mine) return;
        if (std::find(letters.begin(), letters.end(), mine) == letters.end())
            letters.push_back(mine);
    });
    return fmt::format("{}", fmt::join(letters, " or "));
}

}  // namespace

void refuse_shared_matrices(const ir::program_view& p, const shared_axes& axes,
                            const std::string& letter) {
    for (const ir::equation& e : p.equations) {
        if (!ir::computes(p, e)) continue;
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& function = p.nodes[n];
            if (!ir::is_of_matrix(function)) return;
            const shared_tensor shared = find_shared(p, function, axes);
            if (shared.name == ir::none) return;
            const std::string others = other_letters(p, e, function);
            throw error(fmt::format(
                "ricci: in {} the {} of {} are shared out, by the index {}, and one rank factors a "
                "matrix: {}give every rank all of {}, with letters that are not shared out.",
                words_of_equation(p, e.name), shared.is_row ? "rows" : "columns",
                detail::string_of(p.name(shared.name)), letter,
                others.empty() ? "" : fmt::format("share out {} instead, or ", others),
                detail::string_of(p.name(shared.name))));
        });
    }
}

}  // namespace ricci::mpi
