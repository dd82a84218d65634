// The place of an extremum over a letter of which each rank has its places.
#include <ricci/ir/extrema.hpp>

#include "src/placement/local_equation.hpp"

namespace ricci::mpi {

// argmax_i(x^{ik}): each rank finds the largest of its own values and the place of that; of these
// pairs the best one is that of all ranks. What has no place here never wins: see first_places.
bool local_equation::find_first_place(const ir::equation& e) {
    const ir::node root = p_.nodes[e.body];
    for (std::int32_t k = 0; k < e.positions.count; ++k)
        if (p_.positions[e.positions.first + k].kind != ir::position_kind::index) return false;
    const value child = whole(walk(p_.links[root.children.first]));
    if (!possible_ || !cuts_one_letter(root, child.node) || clamps_nothing(root)) return false;
    const bool largest = static_cast<ir::reduction>(root.detail) == ir::reduction::argmax;
    ir::node extremum = root;
    extremum.value = 0;
    const ir::ref found_at = copy(extremum, {child.node});
    extremum.detail =
        static_cast<std::uint8_t>(largest ? ir::reduction::maximum : ir::reduction::minimum);
    exchange pairs;
    pairs.how = largest ? fold::maximum : fold::minimum;
    pairs.extent = all_;
    named_form found;
    found.own = true;
    pairs.places = add_own("own places for", found, e, found_at);
    pairs.from =
        add_own("extrema for", named_form::of_fold(pairs.how), e, copy(extremum, {child.node}));
    // these are values, whatever the equation gives
    const auto values = static_cast<std::size_t>(pairs.from);
    bench_.text.shapes[values] = bench_.text.shapes[static_cast<std::size_t>(e.name)];
    bench_.names[values].tensor = pairs.from;
    where_.need_first_place(bench_, e.name, pairs, number_);
    work_ += 2 * places(child.node);
    where_.price += price_of_multiplication * work_;
    where_.work += work_;
    return true;
}

// A tensor with the axes of what an equation defines.
ir::ref local_equation::add_own(const char* words, const named_form& form, const ir::equation& e,
                                ir::ref body) {
    const ir::ref made = bench_.add(e.name, words, form);
    add(made, e.positions, body, split_);
    std::vector<ir::ref> letters;
    for (std::int32_t k = 0; k < e.positions.count; ++k)
        letters.push_back(p_.positions[e.positions.first + k].index);
    bench_.extracts[made] = {letters, e.name};
    return made;
}

}  // namespace ricci::mpi
