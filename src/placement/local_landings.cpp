// Sums that land at places of other ranks, \sum_i [v = x_i] w^i and \sum_i [p = i + k] w^i with a
// w that lies in parts: each rank adds up what it has, and sends the sums to who has the places.
#include <algorithm>
#include <memory>

#include "src/base/texts.hpp"
#include "src/placement/local_equation.hpp"
#include "src/placement/read_places.hpp"

namespace ricci::mpi {

// Whether some tensor of an expression has a letter in an axis that lies in parts.
bool local_equation::has_parts_along(ir::ref body, ir::ref letter) const {
    bool found = false;
    ir::for_each_node(p_, body, [&](ir::ref n) {
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
            const ir::position& q = p_.positions[x.positions.first + k];
            found = found || (q.kind == ir::position_kind::index && q.index == letter &&
                              lies_in_parts(x.name, k));
        }
    });
    return found;
}

// Whether an expression may be computed where conditions around it, which it leaves, are false.
bool local_equation::may_leave_conditions_around(ir::ref body) const {
    std::size_t all = 0, inside = 0;
    bool places = false;
    const auto is_condition = [&](const ir::node& x) {
        return x.kind == ir::op::compare || x.kind == ir::op::choose || x.kind == ir::op::delta;
    };
    ir::for_each_node(p_, p_.equations[number_].body,
                      [&](ir::ref n) { all += is_condition(p_.nodes[n]) ? 1 : 0; });
    ir::for_each_node(p_, body, [&](ir::ref n) {
        const ir::node& x = p_.nodes[n];
        inside += is_condition(x) ? 1 : 0;
        places = places || ir::is_of_matrix(x);
        for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
            const ir::position_kind at = p_.positions[x.positions.first + k].kind;
            places = places || at == ir::position_kind::affine || at == ir::position_kind::gathered;
        }
    });
    return all == inside || !places;
}

// The condition of a product that says where its sum lands, and the letter whose own places each
// rank adds up.
local_equation::landing local_equation::find_landing(const ir::node& sum) const {
    landing found;
    const ir::ref body = p_.links[sum.children.first];
    const ir::node product = p_.nodes[body];
    if (product.kind != ir::op::multiply || count_letter(p_, body, split_[0]) != 1) return found;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const auto picked = picked_in(p_, p_.nodes[p_.links[product.children.first + k]]);
        if (!picked || picked->letter != split_[0]) continue;
        found.condition = k;
        found.place = picked->place;
        ir::free_indices(p_, picked->place).for_each([&](ir::ref i) {
            if (found.summed == ir::none && binds(sum, i) && has_parts_along(body, i))
                found.summed = i;
        });
    }
    return found;
}

std::optional<local_equation::value> local_equation::sum_at_others(const ir::node& x) {
    if (elsewhere_ != elsewhere::asked || split_.size() != 1 || binds_split(x) ||
        static_cast<ir::reduction>(x.detail) != ir::reduction::sum)
        return std::nullopt;
    const landing found = find_landing(x);
    if (found.summed == ir::none || !may_leave_conditions_around(p_.links[x.children.first]))
        return std::nullopt;
    local_equation inside(bench_, where_, number_, {found.summed}, {true, elsewhere_});
    exchange e;
    ir::ref there = ir::none;
    if (const std::optional<said_places> said = inside.read_numbers(found.place)) {
        e = where_.need_asked_places(bench_, said->form, all_, number_);
        e.kind = exchange_kind::row_sums;
        e.places = e.to;
        there = inside.renumbered(*said, e.to);
    } else {
        const std::optional<shifted_window> shifted = inside.window_of(found.place, all_);
        if (!shifted) return std::nullopt;
        e.kind = exchange_kind::neighbour_sums;
        e.windows = std::make_shared<const std::vector<window>>(shifted->windows);
        there = inside.place_in_window(*shifted);
    }
    used_ = true;
    const ir::ref sums = inside.sum_for_others(x, found, there, e, split_[0]);
    work_ += inside.work_;
    possible_ = possible_ && inside.possible_;
    return value{sums, place::own};
}

// What this rank adds up: \sum_i [q = place] w^i, where q counts the places of its window, or those
// that it asks for. Gives what it has of the sums of all ranks.
ir::ref local_equation::sum_for_others(const ir::node& x, const landing& found, ir::ref there,
                                       exchange& e, ir::ref letter) {
    const auto me = static_cast<std::size_t>(bench_.sharing.rank);
    named_form form;
    form.window = 0;
    form.count = e.windows != nullptr ? (*e.windows)[me].count : e.most[me];
    const ir::ref q = bench_.text.add_index(detail::string_of(p_.index(letter)), form.count);
    const ir::node product = p_.nodes[p_.links[x.children.first]];
    std::vector<ir::ref> factors;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const ir::ref child = p_.links[product.children.first + k];
        factors.push_back(k == found.condition
                              ? copy(p_.nodes[child], {p_.position_of(q, {}), there})
                              : whole(walk(child)).node);
    }
    const ir::ref body = copy(product, factors);
    ir::node sum = x;
    sum.value = 0;
    const ir::ref mine = copy(sum, {body});
    work_ += places(body);
    std::vector<ir::ref> letters = free_letters(mine);
    std::erase(letters, q);
    letters.insert(letters.begin(), q);
    e.from = name_of_sums("sums for", letters, form, extent_of(letter));
    add(e.from, positions_of(letters), mine, split_);
    letters[0] = letter;
    form = {};
    form.part = 0;
    e.to = name_of_sums("sums at places of", letters, form, extent_of(letter));
    e.axis = 0;
    where_.send_sums(bench_, e, number_);
    return p_.tensor(e.to, positions_of(letters));
}

ir::range local_equation::positions_of(const std::vector<ir::ref>& letters) {
    const ir::range at{p_.positions.size(), static_cast<std::int32_t>(letters.size())};
    for (const ir::ref i : letters) p_.positions.push(ir::index_position(i));
    return at;
}

// A tensor for the equation, whose first axis has all places of what is shared out.
ir::ref local_equation::name_of_sums(const char* words, const std::vector<ir::ref>& letters,
                                     const named_form& form, std::int64_t first) {
    const ir::ref defined = p_.equations[number_].name;
    const ir::ref made = bench_.add(defined, words, form);
    std::vector<std::int64_t> shape{first};
    for (std::size_t k = 1; k < letters.size(); ++k) shape.push_back(extent_of(letters[k]));
    bench_.text.shapes[static_cast<std::size_t>(made)] = shape;
    bench_.names[static_cast<std::size_t>(made)].tensor = made;
    bench_.extracts[made] = {letters, defined};
    return made;
}

}  // namespace ricci::mpi
