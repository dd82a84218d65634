// Operations on one matrix: how they are run, and equal products that are prepared once.
#include "src/linear/blocked_program.hpp"

#include <complex>
#include <utility>

#include <ricci/element.hpp>

#include "src/contract/sharing.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

// Columns whose rows one task exchanges.
constexpr std::int64_t columns_per_task = 64;

}  // namespace

template <class T>
std::size_t blocked_program<T>::columns_of(const contractions::loop_list& loops) {
    std::vector<std::int64_t> key;
    for (const auto& loop : loops) key.insert(key.end(), {loop.extent, loop.c});
    const auto [at, is_new] = columns_by_loops_.emplace(std::move(key), columns_.size());
    if (is_new) columns_.push_back(contractions::flatten(loops, &steps::contraction_loop::c));
    return at->second;
}

template <class T>
void blocked_program<T>::add_panel(action what, std::int64_t first, std::int64_t width) {
    operations_.push_back({what, panels_.size()});
    panels_.push_back({first, width});
}

template <class T>
void blocked_program<T>::add_exchange(const exchanged& what) {
    operations_.push_back({action::exchange, exchanges_.size()});
    exchanges_.push_back(what);
}

template <class T>
void blocked_program<T>::add_product(const part_at& a, std::int64_t m, std::int64_t depth,
                                     const side_rows& b, const side_rows& c,
                                     const contractions::loop_list& n, bool conjugate_a,
                                     bool conjugate_b) {
    std::vector<std::int64_t> key{m,     depth, a.row,       a.column,
                                  b.row, c.row, conjugate_a, conjugate_b};
    for (const auto& loop : n) key.insert(key.end(), {loop.extent, loop.b, loop.c});
    const auto [at, is_new] = kernels_by_loops_.emplace(std::move(key), kernels_.size());
    if (is_new) {
        const steps::contraction_loop rows{m, a.row, 0, c.row}, inner{depth, a.column, b.row, 0};
        steps::contraction what;
        what.type = element_v<T>;
        what.m = {&rows, 1};
        what.n = n;
        what.k = {&inner, 1};
        what.conjugate_a = conjugate_a;
        what.conjugate_b = conjugate_b;
        kernels_.push_back(std::make_unique<const contractions::prepared_contraction>(
            what, contractions::kernel_choice::best, contractions::layout_choice::as_given));
    }
    operations_.push_back({action::multiply, products_.size()});
    products_.push_back({a.offset, b.offset, c.offset, at->second});
}

template <class T>
void blocked_program<T>::list_loans(runtime::loan_book& to, std::int64_t tasks) const {
    for (const auto& product : kernels_) {
        runtime::loan_list loans = product->how().loans();
        for (runtime::loan& one : loans) one.tasks *= tasks;
        to.add_step(loans);
    }
}

template <class T>
void blocked_program<T>::exchange(const program_memory<T>& memory, const exchanged& what) const {
    auto columns = [&](std::int64_t number, int) {
        const std::int64_t first = what.first_column + number * columns_per_task;
        const std::int64_t last = std::min(what.last_column, first + columns_per_task);
        for (std::int64_t j = first; j < last; ++j) {
            T* const x = memory.matrix + j * leading_;
            for (std::int64_t k = what.first; k < what.last; ++k)
                std::swap(x[k], x[memory.pivots[k]]);
        }
    };
    const std::int64_t count = what.last_column - what.first_column;
    const bool little = count * (what.last - what.first) < 16384;
    contractions::distribute(ceil_divide(count, columns_per_task), little, columns);
}

template <class T>
panel_result blocked_program<T>::run(const program_memory<T>& memory) const {
    panel_result failed;
    for (const operation& one : operations_) {
        switch (one.what) {
            case action::lu_panel:
            case action::cholesky_panel: {
                const auto& [first, width] = panels_[one.index];
                const panel<T> which{memory.matrix, leading_, size_, first, width};
                const panel_result made = one.what == action::lu_panel
                                              ? factor_lu_panel(*table_, which, memory.pivots)
                                              : factor_cholesky_panel(*table_, which);
                if (made.column >= 0 && failed.column < 0) failed = made;
                // A singular matrix has factors, too.
                if (made.column >= 0 && !(one.what == action::lu_panel && made.finite)) return made;
                break;
            }
            case action::exchange:
                exchange(memory, exchanges_[one.index]);
                break;
            case action::substitute: {
                const substituted& what = substitutions_[one.index];
                substitute(*table_, what.which, memory.matrix, what.rows, columns_[what.columns],
                           memory.sides);
                break;
            }
            case action::multiply: {
                const multiplied& what = products_[one.index];
                kernels_[what.kernels]->run(memory.matrix + what.a, memory.sides + what.b,
                                            memory.sides + what.c, -1, 1);
                break;
            }
        }
    }
    return failed;
}

#define RICCI_INSTANTIATE(T) template class blocked_program<T>
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
