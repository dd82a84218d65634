// Tensors that are made of parts of equations, known by what they are of: what stands in several
// equations, or twice in one, is computed and exchanged once.
#include <algorithm>

#include <fmt/core.h>

#include <ricci/ir/rewrite.hpp>

#include "src/placement/local_equation.hpp"
#include "src/placement/spelling.hpp"

namespace ricci::mpi {

// Letters are alike that are as long, are cut or not, and are marked alike. All ranks find the same
// to be alike: what a rank counts from its first place it does so wherever the letter stands.
local_equation::spelling local_equation::spelt(ir::ref body, const named_form& form) {
    canonical_form made = spelled(p_, body, [&](ir::ref i) {
        const std::int64_t mark = std::min(p_.indices[i].extent, 0);
        return 8 * extent_of(i) - 2 * mark + (is_split(i) ? 1 : 0);
    });
    // ranks without places leave out what is cut, whatever stands in it
    made.spelling +=
        fmt::format(" {}.{}.{}.{}", form.partial, static_cast<int>(form.how), form.part >= 0, all_);
    const auto number = bench_.spellings.try_emplace(made.spelling, bench_.spellings.size());
    return {number.first->second, std::move(made.free)};
}

std::optional<local_equation::extracted> local_equation::known(const spelling& s) {
    const auto found = where_.known.find(s.number);
    if (found == where_.known.end()) return std::nullopt;
    std::vector<ir::ref> letters;
    for (const std::size_t k : found->second.axes) letters.push_back(s.free[k]);
    return extracted{found->second.name, found->second.tensor, positions_of(letters)};
}

// The same where all ranks have it already, so that nothing has to wait.
std::optional<local_equation::value> local_equation::known_whole(const spelling& s) {
    const std::optional<extracted> made = known(s);
    if (!made || where_.of(made->tensor).whole == ir::none) return std::nullopt;
    return value{read_whole(*made), place::whole};
}

// But for what has an axis that is no letter, or one twice, as the left side of an equation may.
void local_equation::keep_known(const spelling& s, const extracted& made) {
    known_tensor k{made.name, made.tensor, {}};
    for (std::int32_t axis = 0; axis < made.at.count; ++axis) {
        const ir::position& q = p_.positions[made.at.first + axis];
        if (q.kind != ir::position_kind::index) return;
        const auto at = std::find(s.free.begin(), s.free.end(), q.index);
        const auto number = static_cast<std::size_t>(at - s.free.begin());
        if (number == s.free.size() ||
            std::find(k.axes.begin(), k.axes.end(), number) != k.axes.end())
            return;
        k.axes.push_back(number);
    }
    if (k.axes.size() == s.free.size()) where_.known.try_emplace(s.number, std::move(k));
}

// A sum that has the letter, of which each rank has its places: what is computed of it in stages
// that follow each other reads what the first one has made. Element-wise expressions stay where
// they are, as the planner leaves them too.
ir::ref local_equation::with_sums_apart(ir::ref n) {
    const ir::node x = p_.nodes[n];
    if (x.kind == ir::op::tensor) return n;
    if (x.kind != ir::op::reduce)
        return ir::rebuild_children(p_, n, [&](ir::ref child) { return with_sums_apart(child); });
    const auto r = static_cast<ir::reduction>(x.detail);
    const std::vector<ir::ref> letters = free_letters(n);
    const auto cut =
        std::find_if(letters.begin(), letters.end(), [&](ir::ref i) { return is_split(i); });
    if (r != ir::reduction::sum || cut == letters.end() || !may_leave_condition(n) ||
        std::any_of(cut + 1, letters.end(), [&](ir::ref i) { return is_split(i); }))
        return n;
    named_form form;
    form.part = static_cast<std::int32_t>(cut - letters.begin());
    const spelling s = spelt(n, form);
    if (const std::optional<extracted> there = known(s)) return p_.tensor(there->name, there->at);
    const ir::ref defined = p_.equations[number_].name;
    const ir::ref made = bench_.add(defined, "terms for", form);
    std::vector<std::int64_t> shape;
    for (const ir::ref i : letters) shape.push_back(extent_of(i));
    bench_.text.shapes[static_cast<std::size_t>(made)] = shape;
    bench_.names[static_cast<std::size_t>(made)].tensor = made;
    bench_.extracts[made] = {letters, defined};
    where_.of(made).set_part(form.part, made);
    const extracted one{made, made, positions_of(letters)};
    add(made, one.at, n, split_);
    keep_known(s, one);
    return p_.tensor(made, one.at);
}

}  // namespace ricci::mpi
