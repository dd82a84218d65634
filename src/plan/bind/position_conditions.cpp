// Positions and conditions on them, read from a program.
#include "src/plan/bind/position_conditions.hpp"

#include <cmath>
#include <cstddef>

namespace ricci::plan {
namespace {

using alternatives_list = std::vector<conjunction>;

// Conditions that fall into more cases than these are decided place by place.
constexpr std::size_t most_alternatives = 64;
constexpr double largest_place = 1e15;  // whole numbers that a double counts, with room for sums

bool is_whole_place(double x) { return std::floor(x) == x && std::abs(x) <= largest_place; }

alternatives_list where_both(const alternatives_list& a, const alternatives_list& b) {
    alternatives_list result;
    for (const auto& x : a)
        for (const auto& y : b) {
            result.push_back(x);
            auto& last = result.back();
            last.affine.insert(last.affine.end(), y.affine.begin(), y.affine.end());
            last.others.insert(last.others.end(), y.others.begin(), y.others.end());
        }
    return result;
}
alternatives_list where_either(alternatives_list a, const alternatives_list& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
const alternatives_list holds_always{conjunction{}};

bool is_function(const ir::node& x, ir::function f) {
    return x.kind == ir::op::apply && static_cast<ir::function>(x.detail) == f;
}

}  // namespace

std::optional<place> position_reader::form_of(const ir::position& q) const {
    if (q.kind == ir::position_kind::merged || q.kind == ir::position_kind::gathered) return {};
    return place_at(
        p_, q, [](ir::ref index) { return loop(index); }, extent_);
}

// \sum_{j} 1, the extent of j.
std::optional<double> position_reader::count_of(const ir::node& sum) const {
    if (sum.kind != ir::op::reduce || sum.detail != static_cast<std::uint8_t>(ir::reduction::sum))
        return std::nullopt;
    const ir::node& body = p_.nodes[p_.child(sum, 0)];
    if (body.kind != ir::op::number) return std::nullopt;
    double count = body.value;
    for (std::int32_t k = 0; k < sum.indices.count; ++k)
        count *= static_cast<double>(extent_(p_.reduced(sum, k)));
    return count;
}

std::optional<position_reader::real_form> position_reader::real_form_of(ir::ref n) const {
    const ir::node& x = p_.nodes[n];
    real_form form;
    switch (x.kind) {
        case ir::op::number:
            form.offset = x.value;
            return form;
        case ir::op::position:
            form.sum.add(loop(p_.at(x.positions, 0).index), 1);
            return form;
        case ir::op::reduce:
            if (const auto count = count_of(x)) {
                form.offset = *count;
                return form;
            }
            return std::nullopt;
        case ir::op::add:
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                const auto part = real_form_of(p_.child(x, k));
                if (!part) return std::nullopt;
                form.sum.add(part->sum, 1);
                form.offset += part->offset;
            }
            return form;
        case ir::op::multiply: {
            double factor = 1;
            std::optional<real_form> varying;
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                auto part = real_form_of(p_.child(x, k));
                if (!part || (!part->sum.terms.empty() && varying)) return std::nullopt;
                if (part->sum.terms.empty()) factor *= part->offset;
                else varying = std::move(part);
            }
            if (!varying) {
                form.offset = factor;
                return form;
            }
            if (!is_whole_place(factor)) return std::nullopt;
            form.sum.add(varying->sum, static_cast<std::int64_t>(factor));
            form.offset = factor * varying->offset;
            return form;
        }
        default:
            return std::nullopt;
    }
}

std::optional<place> position_reader::form_of(ir::ref n) const {
    auto form = real_form_of(n);
    if (!form || !is_whole_place(form->offset)) return std::nullopt;
    form->sum.offset = static_cast<std::int64_t>(form->offset);
    return std::move(form->sum);
}

// What is no inequality of sums: as a number where it is known, or else taken to hold.
alternatives_list position_reader::other(ir::ref n, bool holds) const {
    if (!is_known(n)) return holds_always;
    conjunction c;
    c.others.push_back({n, holds});
    return {c};
}

alternatives_list position_reader::comparison(ir::ref n, bool holds) const {
    const ir::node& x = p_.nodes[n];
    const auto kind = static_cast<ir::comparison>(x.detail);
    // f <= 0 or f < 0, for the sum of left and right with these signs
    const auto below = [&](ir::ref left, double sign_left, ir::ref right, double sign_right,
                           bool strictly) -> std::optional<alternatives_list> {
        const auto a = real_form_of(left), b = real_form_of(right);
        if (!a || !b) return std::nullopt;
        const double most = -(sign_left * a->offset + sign_right * b->offset);
        if (std::isnan(most)) return std::nullopt;
        if (most > largest_place) return holds_always;
        if (most < -largest_place) return alternatives_list{};
        conjunction c;
        place f;
        f.add(a->sum, -static_cast<std::int64_t>(sign_left));
        f.add(b->sum, -static_cast<std::int64_t>(sign_right));
        f.offset = static_cast<std::int64_t>(strictly ? std::ceil(most) - 1 : std::floor(most));
        c.affine.push_back(std::move(f));
        return alternatives_list{std::move(c)};
    };
    // a < b or a <= b; |f| < b asks two things, a < |f| one of two
    const auto ordered = [&](ir::ref a, ir::ref b,
                             bool strictly) -> std::optional<alternatives_list> {
        const ir::node &left = p_.nodes[a], &right = p_.nodes[b];
        if (is_function(left, ir::function::absolute)) {
            const ir::ref inside = p_.child(left, 0);
            const auto plus = below(inside, 1, b, -1, strictly);
            const auto minus = below(inside, -1, b, -1, strictly);
            if (!plus || !minus) return std::nullopt;
            return where_both(*plus, *minus);
        }
        if (is_function(right, ir::function::absolute)) {
            const ir::ref inside = p_.child(right, 0);
            const auto plus = below(a, 1, inside, -1, strictly);
            const auto minus = below(a, 1, inside, 1, strictly);
            if (!plus || !minus) return std::nullopt;
            return where_either(*plus, *minus);
        }
        return below(a, 1, b, -1, strictly);
    };
    const ir::ref a = p_.child(x, 0), b = p_.child(x, 1);
    std::optional<alternatives_list> result;
    if (kind == ir::comparison::less) {
        result = holds ? ordered(a, b, true) : ordered(b, a, false);
    } else if (kind == ir::comparison::less_equal) {
        result = holds ? ordered(a, b, false) : ordered(b, a, true);
    } else if ((kind == ir::comparison::equal) == holds) {
        const auto low = below(a, 1, b, -1, false), high = below(b, 1, a, -1, false);
        if (low && high) result = where_both(*low, *high);
    } else {
        const auto low = below(a, 1, b, -1, true), high = below(b, 1, a, -1, true);
        if (low && high) result = where_either(*low, *high);
    }
    return result ? *result : other(n, holds);
}

alternatives_list position_reader::alternatives(ir::ref n, bool holds) const {
    const ir::node& x = p_.nodes[n];
    if (is_function(x, ir::function::logical_not)) return alternatives(p_.child(x, 0), !holds);
    if (x.kind == ir::op::number)
        return (x.value != 0) == holds ? holds_always : alternatives_list{};
    const bool product = x.kind == ir::op::multiply;
    const auto kind = static_cast<ir::comparison>(x.detail);
    const bool compares = x.kind == ir::op::compare;
    const bool logical =
        compares && (kind == ir::comparison::logical_and || kind == ir::comparison::logical_or);
    if (compares && !logical) return comparison(n, holds);
    if (x.kind == ir::op::delta) {
        const auto a = form_of(p_.at(x.positions, 0)), b = form_of(p_.at(x.positions, 1));
        if (!a || !b) return holds_always;
        place up = a->plus(*b, -1), down = b->plus(*a, -1);
        if (holds) return {{{up, down}, {}}};
        up.offset -= 1;
        down.offset -= 1;
        return {{{up}, {}}, {{down}, {}}};
    }
    if (!logical && !product) return other(n, holds);
    // all of them, or one of them: what is not both is one that is not
    const bool all = (product || kind == ir::comparison::logical_and) == holds;
    alternatives_list result = all ? holds_always : alternatives_list{};
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const auto part = alternatives(p_.child(x, k), holds);
        if (all && result.size() * part.size() > most_alternatives) return other(n, holds);
        result = all ? where_both(result, part) : where_either(std::move(result), part);
    }
    return result;
}

alternatives_list position_reader::alternatives(std::span<const position_condition> all) const {
    alternatives_list result = holds_always;
    for (const auto& [n, holds] : all) {
        auto part = alternatives(n, holds);
        if (result.size() * part.size() > most_alternatives) part = other(n, holds);
        result = where_both(result, part);
    }
    return result;
}

bool position_reader::is_known(ir::ref n) const {
    const ir::node& x = p_.nodes[n];
    switch (x.kind) {
        case ir::op::number:
        case ir::op::position:
            return true;
        case ir::op::delta:
            return form_of(p_.at(x.positions, 0)) && form_of(p_.at(x.positions, 1));
        case ir::op::reduce:
            return count_of(x).has_value();
        case ir::op::apply:
            switch (static_cast<ir::function>(x.detail)) {
                case ir::function::logical_not:
                case ir::function::absolute:
                case ir::function::modulo:
                case ir::function::maximum:
                case ir::function::minimum:
                    break;
                default:
                    return false;
            }
            break;
        case ir::op::add:
        case ir::op::multiply:
        case ir::op::compare:
        case ir::op::choose:
            break;
        default:
            return false;
    }
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (!is_known(p_.child(x, k))) return false;
    return true;
}

namespace {

double applied(ir::function f, double a, double b) {
    switch (f) {
        case ir::function::logical_not:
            return a == 0;
        case ir::function::absolute:
            return std::abs(a);
        case ir::function::modulo:
            return b == 0 ? a : a - b * std::floor(a / b);
        case ir::function::maximum:
            return std::fmax(a, b);
        default:
            return std::fmin(a, b);
    }
}

double compared(ir::comparison c, double a, double b) {
    switch (c) {
        case ir::comparison::less:
            return a < b;
        case ir::comparison::less_equal:
            return a <= b;
        case ir::comparison::equal:
            return a == b;
        case ir::comparison::not_equal:
            return a != b;
        case ir::comparison::logical_and:
            return a != 0 && b != 0;
        case ir::comparison::logical_or:
            return a != 0 || b != 0;
    }
    return 0;
}

}  // namespace

double position_reader::value(ir::ref n, const place_of& at) const {
    const ir::node& x = p_.nodes[n];
    const auto child = [&](std::int32_t k) { return value(p_.child(x, k), at); };
    const auto place_at = [&](const ir::position& q) {
        const auto form = form_of(q);
        double sum = static_cast<double>(form->offset);
        for (const auto& t : form->terms)
            sum += static_cast<double>(t.factor) * static_cast<double>(at(t.over.number()));
        return sum;
    };
    double result = x.kind == ir::op::multiply ? 1 : 0;
    switch (x.kind) {
        case ir::op::number:
            return x.value;
        case ir::op::position:
            return static_cast<double>(at(p_.at(x.positions, 0).index));
        case ir::op::delta:
            return place_at(p_.at(x.positions, 0)) == place_at(p_.at(x.positions, 1));
        case ir::op::reduce:
            return *count_of(x);
        case ir::op::add:
            for (std::int32_t k = 0; k < x.children.count; ++k) result += child(k);
            return result;
        case ir::op::multiply:
            for (std::int32_t k = 0; k < x.children.count; ++k) result *= child(k);
            return result;
        case ir::op::choose:
            for (std::int32_t k = 0; k + 1 < x.children.count; k += 2)
                if (child(k + 1) != 0) return child(k);
            return child(x.children.count - 1);
        case ir::op::apply:
            return applied(static_cast<ir::function>(x.detail), child(0),
                           x.children.count > 1 ? child(1) : 0);
        default:
            return compared(static_cast<ir::comparison>(x.detail), child(0), child(1));
    }
}

}  // namespace ricci::plan
