// A contraction, prepared once and run many times: the kernels of its element type.
#include "src/contract/contraction.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/contract/candidates.hpp"
#include "src/contract/edged.hpp"
#include "src/contract/empty_sum.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/listed.hpp"
#include "src/contract/relaid.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/kernels/gemm/gemm_narrow.hpp"

namespace ricci::contractions {
namespace {

// Calls go(groups, kernels) with those of the type.
template <class T, class Go>
auto with_kernels(const steps::contraction& what, kernel_choice chosen, Go go) {
    const kernels::kernel_table<T>& table = chosen == kernel_choice::best
                                                ? kernels::gemm_kernels<T>()
                                                : kernels::scalar_gemm_kernels<T>();
    return go(make_index_groups(what, table.lanes), table);
}

template <class S, class Go>
auto with_narrow_kernels(const steps::contraction& what, kernel_choice chosen, Go go) {
    const kernels::kernel_table<float, S>& table = chosen == kernel_choice::best
                                                       ? kernels::narrow_gemm_kernels<S>()
                                                       : kernels::scalar_narrow_gemm_kernels<S>();
    return go(make_index_groups(what, table.lanes), table);
}

template <class T, class Go>
auto with_complex_kernels(const steps::contraction& what, kernel_choice chosen, Go go) {
    const auto table = [&](bool a, bool b) -> const kernels::kernel_table<T>& {
        return chosen == kernel_choice::best ? kernels::complex_gemm_kernels<T>(a, b)
                                             : kernels::scalar_complex_gemm_kernels<T>(a, b);
    };
    index_groups groups = make_index_groups(what, table(false, false).lanes);
    const auto& kernels = table(groups.conjugate_a, groups.conjugate_b);
    return go(std::move(groups), kernels);
}

template <class Go>
auto for_type(const steps::contraction& what, kernel_choice kernels, Go go)
    -> decltype(with_kernels<float>(what, kernels, go)) {
    switch (what.type) {
        case element::f32:
            return with_kernels<float>(what, kernels, go);
        case element::f64:
            return with_kernels<double>(what, kernels, go);
        // Sums and products wrap, which is the same for signed and unsigned numbers.
        case element::i32:
            return with_kernels<std::uint32_t>(what, kernels, go);
        case element::i64:
            return with_kernels<std::uint64_t>(what, kernels, go);
        case element::bf16:
            return with_narrow_kernels<bf16>(what, kernels, go);
        case element::f16:
            return with_narrow_kernels<f16>(what, kernels, go);
        case element::c64:
            return with_complex_kernels<std::complex<float>>(what, kernels, go);
        case element::c128:
            return with_complex_kernels<std::complex<double>>(what, kernels, go);
        case element::boolean:
            break;
    }
    return {};
}

choice choose_as_given(const steps::contraction& what, kernel_choice kernels) {
    return for_type(what, kernels, [](index_groups groups, const auto& table) {
        return choose_strategy(std::move(groups), table);
    });
}

// Each operand is copied once at most.
constexpr int most_copies = 3;

choice choose_for_type(const steps::contraction& what, kernel_choice kernels, layout_choice layouts,
                       int copies = 0) {
    choice given = choose_as_given(what, kernels);
    if (layouts == layout_choice::as_given || copies == most_copies || !can_be_relaid(what))
        return given;
    const auto better =
        find_better_layout(what, given.estimate, [&](const steps::contraction& other) {
            return for_type(other, kernels, [](const index_groups& groups, const auto& table) {
                return least_cost(groups, table);
            });
        });
    if (!better) return given;
    choice made;
    choice inner = choose_for_type(laid_out(what, better->how).made, kernels, layouts, copies + 1);
    made.name = inner.name;
    made.estimate = better->copy + inner.estimate;
    made.runner_up = given.name;
    made.runner_up_estimate = given.estimate;
    made.how = std::make_unique<const relaid>(what, better->how, std::move(inner));
    return made;
}

choice choose_with_edges(const steps::contraction& what, kernel_choice kernels,
                         layout_choice layouts) {
    if (!has_edges(what)) return choose_for_type(what, kernels, layouts);
    auto how = std::make_unique<const edged>(what, [&](const steps::contraction& inside) {
        return choose_for_type(inside, kernels, layouts);
    });
    choice made;
    made.name = how->whole().name;
    made.estimate = how->whole().estimate;
    made.runner_up = how->whole().runner_up;
    made.runner_up_estimate = how->whole().runner_up_estimate;
    made.how = std::move(how);
    return made;
}

// Operands that a list says are packed through it, whatever way would be the cheapest without.
choice choose_with_lists(const steps::contraction& what, kernel_choice kernels) {
    const listed through(what);
    const steps::contraction& places = through.loops.made;
    const regrouped beside(what, all_loops(what));
    index_groups plain;
    for_type(beside.made, kernels, [&](index_groups groups, const auto&) {
        plain = std::move(groups);
        return choice{};
    });
    if (is_empty(plain)) return choose_as_given(beside.made, kernels);
    return for_type(places, kernels, [&](index_groups groups, const auto& table) {
        return choose_listed(std::move(groups), plain, through.lists, table);
    });
}

}  // namespace

prepared_contraction::prepared_contraction(const steps::contraction& what, kernel_choice kernels,
                                           layout_choice layouts)
    : choice_(has_lists(what) ? choose_with_lists(what, kernels)
                              : choose_with_edges(what, kernels, layouts)) {}

}  // namespace ricci::contractions
