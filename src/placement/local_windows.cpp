// What a rank reads at shifted places of an axis that lies in parts: its own places and some of its
// neighbours'.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "src/base/texts.hpp"
#include "src/placement/local_equation.hpp"
#include "src/placement/read_places.hpp"

namespace ricci::mpi {
window local_equation::own_window(ir::ref tensor, std::int32_t axis, const place_reach& reach,
                                  beyond ends) const {
    const std::int64_t extent =
        bench_.text.shapes[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(axis)];
    return reach.of(before_, own_, extent, ends);
}

ir::ref local_equation::need_neighbours(ir::ref tensor, std::int32_t axis, const place_reach& reach,
                                        beyond ends) {
    if (bench_.is_inner(tensor, axis) || split_.empty()) return ir::none;
    const std::int64_t extent =
        bench_.text.shapes[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(axis)];
    const std::vector<window> windows = windows_of(reach, extent, ends);
    if (windows.empty()) return ir::none;
    return where_.need_neighbours(bench_, tensor, axis, windows, number_);
}

// Of a subtracted place without a number all of the axis is to be read, x^{i-j}, which the engine
// checks: of what every rank has, this rank's window.
ir::ref local_equation::need_window(ir::ref tensor, std::int32_t axis, const place_reach& reach) {
    if (bench_.is_inner(tensor, axis)) return ir::none;
    const window mine = own_window(tensor, axis, reach, beyond::nothing);
    excerpt places;
    places.axis = axis;
    places.before = mine.first;
    return where_.need_window(bench_, tensor, places, mine.count, number_);
}

// By rank; none where some goes more than once around the ring.
std::vector<window> local_equation::windows_of(const place_reach& reach, std::int64_t extent,
                                               beyond ends) {
    std::vector<window> windows;
    if (extent == 0) return windows;
    std::int64_t before = 0;
    for (const std::int64_t own : bench_.sharing.of(all_).counts) {
        windows.push_back(reach.of(before, own, extent, ends));
        if (windows.back().count > extent) return {};
        before += own;
    }
    return windows;
}

// Of what a written place reads for this rank's places of the letter.
std::optional<place_reach> local_equation::reach_of(const ir::written_place& at) const {
    place_reach reach{0, at.offset, at.offset};
    for (const ir::affine_term& t : at.terms) {
        if (is_split(t.index)) {
            if (reach.coefficient != 0) return std::nullopt;
            reach.coefficient = t.coefficient;
            continue;
        }
        const std::int64_t far = t.coefficient * (extent_of(t.index) - 1);
        reach.least += std::min<std::int64_t>(0, far);
        reach.most += std::max<std::int64_t>(0, far);
    }
    if (reach.coefficient == 0) return std::nullopt;
    return reach;
}

// The places of an axis of `extent` that an expression says, for each rank's places of the letter.
std::optional<local_equation::shifted_window> local_equation::window_of(ir::ref there,
                                                                        std::int64_t extent) {
    const read_place at = place_in(p_, there);
    if (!at.place.known) return std::nullopt;
    const std::optional<place_reach> reach = reach_of(at.place);
    if (!reach) return std::nullopt;
    shifted_window found{at.place, at.ends, *reach, windows_of(*reach, extent, at.ends)};
    if (found.windows.empty()) return std::nullopt;
    return found;
}
ir::ref local_equation::place_in_window(const shifted_window& w) {
    const window mine = w.windows[static_cast<std::size_t>(bench_.sharing.rank)];
    return place_from(w.place, w.place.offset + w.reach.coefficient * before_ - mine.first, w.ends,
                      mine);
}

// x^{2i+k}: all that is read lies inside, or conditions say where it does not count.
bool local_equation::read_neighbours(ir::node& read, std::int32_t axis) {
    ir::position q = p_.positions[read.positions.first + axis];
    if (q.kind != ir::position_kind::affine) return false;
    place_reach reach{0, q.offset, q.offset};
    for (std::int32_t t = 0; t < q.terms.count; ++t) {
        const ir::affine_term term = p_.affine_terms[q.terms.first + t];
        if (term.coefficient <= 0) return false;  // a table of differences
        if (is_split(term.index)) reach.coefficient += term.coefficient;
        else reach.most += term.coefficient * (extent_of(term.index) - 1);
    }
    const ir::ref tensor = read.name;
    const ir::ref there = need_neighbours(tensor, axis, reach, beyond::nothing);
    if (there == ir::none) return false;
    std::vector<ir::position> list(
        p_.positions.begin() + read.positions.first,
        p_.positions.begin() + read.positions.first + read.positions.count);
    q.offset = static_cast<std::int32_t>(q.offset + reach.coefficient * before_ -
                                         own_window(tensor, axis, reach, beyond::nothing).first);
    list[static_cast<std::size_t>(axis)] = q;
    read.name = there;
    read.positions = {p_.positions.size(), read.positions.count};
    p_.positions.append(list.data(), static_cast<std::int32_t>(list.size()));
    return true;
}

// b^{i-j}: of the table of all differences those of this rank's places of the letter, which are a
// window, of which others may have a part.
ir::ref local_equation::need_differences(ir::ref tensor, std::int32_t axis, const ir::position& at,
                                         std::int64_t extent) {
    std::vector<window> windows;
    std::int64_t before = 0;
    for (const std::int64_t own : bench_.sharing.of(all_).counts) {
        window w{0, extent};
        for (std::int32_t t = 0; t < at.terms.count; ++t) {
            const ir::affine_term term = p_.affine_terms[at.terms.first + t];
            if (!is_split(term.index)) continue;
            const std::int64_t size = std::abs(term.coefficient);
            // of a subtracted letter the last place of all is where the least difference is
            w.first += size * (term.coefficient > 0 ? before : all_ - own - before);
            w.count = std::max<std::int64_t>(0, w.count - size * (all_ - own));
        }
        windows.push_back(w);
        before += own;
    }
    const ir::ref there = where_.need_neighbours(bench_, tensor, axis, windows, number_);
    if (there != ir::none) return there;
    const window mine = windows[static_cast<std::size_t>(bench_.sharing.rank)];
    excerpt places;
    places.axis = axis;
    places.before = mine.first;
    return where_.need_window(bench_, tensor, places, mine.count, number_);
}

// Of \sum_p [p = place] x^p the factors that have p, where it stands nowhere else.
local_equation::shifted_read local_equation::find_shifted(const ir::node& product,
                                                          ir::ref p) const {
    shifted_read found;
    const auto is_p = [&](const ir::position& q) {
        return q.kind == ir::position_kind::index && q.index == p;
    };
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const ir::node& f = p_.nodes[p_.links[product.children.first + k]];
        if (f.kind == ir::op::compare &&
            f.detail == static_cast<std::uint8_t>(ir::comparison::equal)) {
            const ir::node& left = p_.nodes[p_.links[f.children.first]];
            if (left.kind == ir::op::position && is_p(p_.positions[left.positions.first]))
                found.condition = k;
        }
        if (f.kind != ir::op::tensor || f.children.count > 0) continue;
        for (std::int32_t axis = 0; axis < f.positions.count; ++axis)
            if (is_p(p_.positions[f.positions.first + axis])) found.tensor = k, found.axis = axis;
    }
    return found;
}

// \sum_p [p = place of i] x^p, which is how clamp, wrap and pad are written: the same over the
// places of this rank's window, counted from its first one. Nothing is beyond the ends of a ring's
// window.
std::optional<local_equation::value> local_equation::sum_of_neighbours(const ir::node& x) {
    if (split_.empty() || static_cast<ir::reduction>(x.detail) != ir::reduction::sum ||
        x.indices.count != 1)
        return std::nullopt;
    const ir::ref p = p_.links[x.indices.first], body = p_.links[x.children.first];
    const ir::node product = p_.nodes[body];
    if (product.kind != ir::op::multiply || is_split(p) || count_letter(p_, body, p) != 2)
        return std::nullopt;
    shifted_read s = find_shifted(product, p);
    if (s.condition < 0 || s.tensor < 0) return std::nullopt;
    const ir::node read = p_.nodes[p_.links[product.children.first + s.tensor]];
    if (has_split(read.positions)) return std::nullopt;
    const ir::node equal = p_.nodes[p_.links[product.children.first + s.condition]];
    const read_place at = place_in(p_, p_.links[equal.children.first + 1]);
    if (!at.place.known) return std::nullopt;
    const std::optional<place_reach> reach = reach_of(at.place);
    if (!reach) return std::nullopt;
    s.made = need_neighbours(read.name, s.axis, *reach, at.ends);
    if (s.made == ir::none && at.place.offset == 0 && p_.indices[p].extent == ir::kept_inside)
        s.made = need_window(read.name, s.axis, *reach);
    if (s.made == ir::none) return std::nullopt;
    s.places = own_window(read.name, s.axis, *reach, at.ends);
    const std::int64_t first = reach->coefficient * before_ - s.places.first;
    return sum_over_window(x, s, place_from(at.place, at.place.offset + first, at.ends, s.places));
}

// The place, whose offset is now `offset`, in a window.
ir::ref local_equation::place_from(const ir::written_place& written, std::int64_t offset,
                                   beyond ends, const window& in) {
    std::vector<ir::ref> sum;
    for (const ir::affine_term& t : written.terms) {
        const ir::ref here = p_.position_of(t.index, {});
        sum.push_back(
            t.coefficient == 1 ? here : p_.make(ir::op::multiply, p_.number(t.coefficient), here));
    }
    if (offset != 0) sum.push_back(p_.number(static_cast<double>(offset)));
    const ir::ref at = sum.size() == 1 ? sum[0]
                                       : p_.make(ir::op::add, 0, sum.data(),
                                                 static_cast<std::int32_t>(sum.size()));
    if (ends != beyond::nearest) return at;
    const auto apply = [&](ir::function f, ir::ref a, ir::ref b) {
        const ir::ref both[] = {a, b};
        return p_.make(ir::op::apply, static_cast<std::uint8_t>(f), both, 2);
    };
    return apply(ir::function::maximum, p_.number(0),
                 apply(ir::function::minimum, p_.number(static_cast<double>(in.count - 1)), at));
}

local_equation::value local_equation::sum_over_window(const ir::node& x, const shifted_read& s,
                                                      ir::ref shifted_place) {
    const ir::ref p = p_.links[x.indices.first];
    const std::int32_t mark = p_.indices[p].extent;
    const ir::ref q =
        bench_.text.add_index(detail::string_of(p_.index(p)), s.places.count, mark < 0 ? mark : 0);
    const ir::node product = p_.nodes[p_.links[x.children.first]];
    std::vector<ir::ref> children;
    for (std::int32_t k = 0; k < product.children.count; ++k) {
        const ir::ref child = p_.links[product.children.first + k];
        if (k == s.condition) {
            const ir::ref sides[] = {p_.position_of(q, {}), shifted_place};
            children.push_back(p_.make(ir::op::compare,
                                       static_cast<std::uint8_t>(ir::comparison::equal), sides, 2));
        } else if (k == s.tensor) {
            ir::node read = p_.nodes[child];
            std::vector<ir::position> list(
                p_.positions.begin() + read.positions.first,
                p_.positions.begin() + read.positions.first + read.positions.count);
            list[static_cast<std::size_t>(s.axis)].index = q;
            read.name = s.made;
            read.positions = {p_.positions.size(), read.positions.count};
            p_.positions.append(list.data(), read.positions.count);
            children.push_back(p_.nodes.push(read));
        } else {
            children.push_back(whole(walk(child)).node);
        }
    }
    const ir::ref of_product = copy(product, children);
    ir::node sum = x;
    sum.value = 0;
    sum.indices = p_.add_links(&q, 1);
    const ir::ref made = copy(sum, {of_product});
    work_ += places(made);  // there is one such place
    return value{made, place::own};
}

}  // namespace ricci::mpi
