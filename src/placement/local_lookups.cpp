// What a rank reads at places that numbers say, of an axis that lies in parts: it asks those who
// have them, or each rank reads its own ones and they are added up.
#include <algorithm>

#include <ricci/ir/extrema.hpp>

#include "src/base/texts.hpp"
#include "src/placement/local_equation.hpp"
#include "src/placement/read_places.hpp"

namespace ricci::mpi {

// A tensor of whole numbers, given or of places that are computed, at plain letters, of which one
// may be cut.
std::optional<local_equation::said_places> local_equation::read_numbers(ir::ref n) {
    const ir::node x = p_.nodes[n];
    if (x.kind != ir::op::tensor || x.children.count > 0 || bench_.has_inner(x.name))
        return std::nullopt;
    if (bench_.whole_numbers.count(x.name) == 0 && !ir::is_of_places(p_, x.name))
        return std::nullopt;
    std::int32_t cut = -1;
    for (std::int32_t k = 0; k < x.positions.count; ++k) {
        const ir::position q = p_.positions[x.positions.first + k];
        if (q.kind == ir::position_kind::fixed) continue;
        if (q.kind != ir::position_kind::index) return std::nullopt;
        if (!is_split(q.index)) continue;
        if (cut >= 0) return std::nullopt;
        cut = k;
    }
    said_places said{n, ir::none, cut >= 0};
    said.form = cut >= 0 ? where_.need_part(bench_, x.name, cut, number_)
                         : where_.need_whole(bench_, x.name, number_);
    return said;
}

// The same numbers, counted anew.
ir::ref local_equation::renumbered(const said_places& said, ir::ref name) {
    ir::node x = p_.nodes[said.node];
    x.name = name;
    return p_.nodes.push(x);
}

// [v = x_i], where v is cut: numbers are counted as its places are.
std::optional<local_equation::value> local_equation::own_place(const ir::node& x) {
    const std::optional<picked_place> picked = picked_in(p_, x);
    if (!picked || !is_split(picked->letter)) return std::nullopt;
    const std::optional<said_places> said = read_numbers(picked->place);
    if (!said) return std::nullopt;
    const ir::ref made = where_.need_own_places(bench_, said->form, all_, number_);
    return value{copy(x, {p_.position_of(picked->letter, {}), renumbered(*said, made)}),
                 place::own};
}

// E^{x_i a}, of which each rank has some rows.
std::optional<local_equation::value> local_equation::look_up(const ir::node& x) {
    if (elsewhere_ == elsewhere::gathered || has_split(x.positions)) return std::nullopt;
    for (std::int32_t axis = 0; axis < x.positions.count; ++axis) {
        const ir::position q = p_.positions[x.positions.first + axis];
        if (q.kind != ir::position_kind::gathered || !lies_in_parts(x.name, axis)) continue;
        const std::optional<said_places> said = read_numbers(p_.links[x.children.first + q.offset]);
        if (!said) continue;
        used_ = true;
        return look_up(x, axis, *said);
    }
    return std::nullopt;
}

local_equation::value local_equation::look_up(const ir::node& x, std::int32_t axis,
                                              const said_places& said) {
    const std::int64_t extent = bench_.extent_of(x.name, axis);
    const std::int32_t child = p_.positions[x.positions.first + axis].offset;
    ir::node read = x;
    ir::ref numbers = ir::none;
    if (elsewhere_ == elsewhere::asked) {
        const exchange asked = where_.need_asked_places(bench_, said.form, extent, number_);
        read.name = where_.need_rows(bench_, x.name, axis, asked, number_);
        numbers = renumbered(said, asked.to);
    } else {
        read.name = where_.of(x.name).part(axis);
        numbers = renumbered(said, where_.need_own_places(bench_, said.form, extent, number_));
    }
    std::vector<ir::ref> children;
    bool own = said.own;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        if (k == child) {
            children.push_back(numbers);
            continue;
        }
        const value v = whole(walk(p_.links[x.children.first + k]));
        own = own || v.at == place::own;
        children.push_back(v.node);
    }
    const ir::ref row = copy(read, children);
    if (elsewhere_ == elsewhere::asked) return {row, own ? place::own : place::whole};
    // who has its own places of one letter has no sum over the ranks that have rows
    if (own) possible_ = false;
    const ir::ref sides[] = {numbers, p_.number(-1)};
    const ir::ref mine =
        p_.make(ir::op::compare, static_cast<std::uint8_t>(ir::comparison::not_equal), sides, 2);
    const ir::ref found = p_.make(ir::op::multiply, mine, row);
    if (!may_leave_condition(found)) return {found, place::partial};
    // a tensor of its own, which is found where the rows are made, and not behind what it waits for
    const extracted one = own_tensor(found, named_form::of_fold(fold::sum), nullptr);
    return {p_.tensor(one.name, one.at), place::partial};
}

// Whether each rank has a part of a tensor along an axis, and none has all of it.
bool local_equation::lies_in_parts(ir::ref tensor, std::int32_t axis) const {
    const forms& there = where_.of(tensor);
    return there.whole == ir::none && there.part(axis) != ir::none &&
           !bench_.is_inner(tensor, axis);
}

// \sum_n [n = x_m] w^n, of a w that lies in parts: the same as w^{x_m}, where a number that is no
// place adds nothing.
std::optional<local_equation::value> local_equation::sum_of_rows(const ir::node& x) {
    if (elsewhere_ != elsewhere::asked || binds_split(x) ||
        static_cast<ir::reduction>(x.detail) != ir::reduction::sum)
        return std::nullopt;
    const ir::ref body = p_.links[x.children.first];
    const ir::node product = p_.nodes[body];
    if (product.kind != ir::op::multiply) return std::nullopt;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const auto picked = picked_in(p_, p_.nodes[p_.links[product.children.first + k]]);
        if (!picked || is_split(picked->letter) || !binds(x, picked->letter)) continue;
        const std::vector<std::int32_t> axes = axes_of_rows(product, picked->letter);
        if (axes.empty()) continue;
        // beside the condition the letter stands in these alone
        const auto places = static_cast<std::size_t>(
            std::count_if(axes.begin(), axes.end(), [](std::int32_t a) { return a >= 0; }));
        if (places == 0 || count_letter(p_, body, picked->letter) != places + 1) continue;
        const std::optional<said_places> said = read_numbers(picked->place);
        if (!said) continue;
        used_ = true;
        return sum_of_rows(x, k, *said, axes);
    }
    return std::nullopt;
}

bool local_equation::binds(const ir::node& x, ir::ref letter) const {
    const ir::ref* const first = p_.links.begin() + x.indices.first;
    return std::find(first, first + x.indices.count, letter) != first + x.indices.count;
}

// By factor, the axis that has a letter, where each rank has a part of that, or -1; none where some
// factor has the letter in another way.
std::vector<std::int32_t> local_equation::axes_of_rows(const ir::node& product,
                                                       ir::ref letter) const {
    std::vector<std::int32_t> axes;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const ir::node& f = p_.nodes[p_.links[product.children.first + k]];
        axes.push_back(-1);
        if (f.kind != ir::op::tensor || f.children.count > 0) continue;
        for (std::int32_t axis = 0; axis < f.positions.count; ++axis) {
            const ir::position& q = p_.positions[f.positions.first + axis];
            if (q.kind != ir::position_kind::index || q.index != letter) continue;
            if (!lies_in_parts(f.name, axis)) return {};
            axes.back() = axis;
        }
    }
    return axes;
}

local_equation::value local_equation::sum_of_rows(const ir::node& x, std::int32_t condition,
                                                  const said_places& said,
                                                  const std::vector<std::int32_t>& axes) {
    const ir::node product = p_.nodes[p_.links[x.children.first]];
    const ir::node equal = p_.nodes[p_.links[product.children.first + condition]];
    const ir::ref letter = picked_in(p_, equal)->letter;
    const exchange asked = where_.need_asked_places(bench_, said.form, extent_of(letter), number_);
    const std::int64_t count = asked.most[static_cast<std::size_t>(bench_.sharing.rank)];
    const ir::ref row = bench_.text.add_index(detail::string_of(p_.index(letter)), count);
    std::vector<ir::ref> children;
    bool own = said.own;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const ir::ref child = p_.links[product.children.first + k];
        const std::int32_t axis = axes[static_cast<std::size_t>(k)];
        if (k == condition) {
            children.push_back(copy(equal, {p_.position_of(row, {}), renumbered(said, asked.to)}));
        } else if (axis >= 0) {
            const value v = read_rows(child, axis, row, asked);
            own = own || v.at == place::own;
            children.push_back(v.node);
        } else {
            const value v = whole(walk(child));
            own = own || v.at == place::own;
            children.push_back(v.node);
        }
    }
    ir::node sum = x;
    sum.value = 0;
    std::vector<ir::ref> over;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        const ir::ref i = p_.links[x.indices.first + k];
        over.push_back(i == letter ? row : i);
    }
    sum.indices = p_.add_links(over.data(), x.indices.count);
    const ir::ref made = copy(sum, {copy(product, children)});
    work_ += places(made);  // there is one such place
    return {made, own ? place::own : place::whole};
}

// A factor w^{n ..} at the rows that have been asked for.
local_equation::value local_equation::read_rows(ir::ref factor, std::int32_t axis, ir::ref row,
                                                const exchange& asked) {
    ir::node read = p_.nodes[factor];
    std::vector<ir::position> list(
        p_.positions.begin() + read.positions.first,
        p_.positions.begin() + read.positions.first + read.positions.count);
    // its other axes are whole in the parts that it has
    if (has_split(read.positions)) possible_ = false;
    list[static_cast<std::size_t>(axis)].index = row;
    read.name = where_.need_rows(bench_, read.name, axis, asked, number_);
    read.positions = {p_.positions.size(), read.positions.count};
    p_.positions.append(list.data(), read.positions.count);
    return {p_.nodes.push(read), place::whole};
}

}  // namespace ricci::mpi
