// Symmetrised, normalised by exact division, orthogonal by Cayley's transform: in residues and in
// doubles at once, as all numbers are in which claims are tried.
#include <cstddef>

#include "judge/assumptions.hpp"

namespace ricci::judge {
namespace {

using derive::number;
using values_of = detail::buffer<number>;

/// A tensor's elements along one or two of its axes.
struct slices {
    slices(ir::ref name, const ir::shape_table& t, std::int32_t a, std::int32_t b) {
        std::int32_t stride = 1;
        for (std::int32_t axis = t.rank(name); axis-- > 0;) {
            const auto extent = static_cast<std::int32_t>(t.extent(name, axis));
            if (axis == a) rows = extent, row = stride;
            else if (axis == b) columns = extent, column = stride;
            else {
                const std::int32_t before = starts.size();
                for (std::int32_t k = 1; k < extent; ++k)
                    for (std::int32_t s = 0; s < before; ++s) starts.push(starts[s] + k * stride);
            }
            stride *= extent;
        }
    }
    std::int32_t at(std::int32_t start, std::int32_t i, std::int32_t j = 0) const {
        return start + i * row + j * column;
    }
    std::int32_t rows = 1, columns = 1, row = 0, column = 0;
    detail::buffer<std::int32_t> starts = one_zero();
    static detail::buffer<std::int32_t> one_zero() {
        detail::buffer<std::int32_t> out;
        out.push(0);
        return out;
    }
};

number real_part(const number& x) {
    number out = x;
    out.im = 0;
    out.exact.im = 0;
    return out;
}
number positive(const number& x) {
    const number out = real_part(x);
    const int sign = derive::sign_of(out);
    return sign < 0 ? -out : sign == 0 ? number::whole(1) : out;
}

/// x = (I - A)^{-1} (I + A) for an antisymmetric A, by elimination; as it was where that stops.
void make_orthogonal(const slices& s, std::int32_t start, bool reflected, values_of& v) {
    const std::int32_t n = s.rows;
    const auto at = [n](std::int32_t i, std::int32_t j) { return i * 2 * n + j; };
    values_of m;  // I - A beside I + A
    m.resize(2 * n * n, number::whole(0));
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = 0; j < n; ++j) {
            const number a = i == j  ? number::whole(0)
                             : i < j ? real_part(v[s.at(start, i, j)])
                                     : -real_part(v[s.at(start, j, i)]);
            const number one = number::whole(i == j ? 1 : 0);
            m[at(i, j)] = one - a;
            m[at(i, n + j)] = one + a;
        }
    for (std::int32_t k = 0; k < n; ++k) {  // the pivots of I - A are never 0
        const number pivot = derive::inverse(m[at(k, k)]);
        for (std::int32_t j = 0; j < 2 * n; ++j) m[at(k, j)] = m[at(k, j)] * pivot;
        for (std::int32_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const number f = m[at(i, k)];
            for (std::int32_t j = 0; j < 2 * n; ++j) m[at(i, j)] = m[at(i, j)] - f * m[at(k, j)];
        }
    }
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = 0; j < n; ++j) {
            const number q = m[at(i, n + j)];
            v[s.at(start, i, j)] = reflected && i == 0 ? -q : q;
        }
}

void make_one_hot(const slices& s, std::int32_t start, std::int32_t at, values_of& v) {
    for (std::int32_t k = 0; k < s.rows; ++k)
        v[s.at(start, k)] = number::whole(k == at % s.rows ? 1 : 0);
}

/// The first row divided by the determinant, which elimination finds; nothing where that is 0.
void make_volume_one(const slices& s, std::int32_t start, values_of& v) {
    const std::int32_t n = s.rows;
    values_of m;
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = 0; j < n; ++j) {
            v[s.at(start, i, j)] = real_part(v[s.at(start, i, j)]);
            m.push(v[s.at(start, i, j)] + number::whole(i == j ? 5 : 0));
        }
    number determinant = number::whole(1);
    for (std::int32_t k = 0; k < n; ++k) {
        const number pivot = m[k * n + k];
        if (derive::sign_of(pivot) == 0) return;
        determinant = determinant * pivot;
        for (std::int32_t i = k + 1; i < n; ++i) {
            const number f = m[i * n + k] / pivot;
            for (std::int32_t j = k; j < n; ++j) m[i * n + j] = m[i * n + j] - f * m[k * n + j];
        }
    }
    for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t j = 0; j < n; ++j) {
            const number x = v[s.at(start, i, j)] + number::whole(i == j ? 5 : 0);
            v[s.at(start, i, j)] = i == 0 ? x / determinant : x;
        }
}

/// A point of the sphere from numbers that are none: the stereographic one.
void make_unit(const slices& s, std::int32_t start, values_of& v) {
    number squares = number::whole(0);
    for (std::int32_t k = 0; k + 1 < s.rows; ++k) {
        number& x = v[s.at(start, k)];
        x = real_part(x);
        squares = squares + x * x;
    }
    const number below = derive::inverse(squares + number::whole(1));
    for (std::int32_t k = 0; k + 1 < s.rows; ++k)
        v[s.at(start, k)] = number::whole(2) * v[s.at(start, k)] * below;
    v[s.at(start, s.rows - 1)] = (squares - number::whole(1)) * below;
}

void make_sum_one(const slices& s, std::int32_t start, bool all_positive, values_of& v) {
    number sum = number::whole(0);
    for (std::int32_t k = 0; k < s.rows; ++k) {
        if (all_positive) v[s.at(start, k)] = positive(v[s.at(start, k)]);
        sum = sum + v[s.at(start, k)];
    }
    if (derive::sign_of(sum) == 0 || sum.size() < 1e-3) {
        v[s.at(start, 0)] = v[s.at(start, 0)] + number::whole(3);
        sum = sum + number::whole(3);
    }
    const number below = derive::inverse(sum);
    for (std::int32_t k = 0; k < s.rows; ++k) v[s.at(start, k)] = v[s.at(start, k)] * below;
}

/// 1 for even permutations of 0, 1 and 2, -1 for odd ones.
void make_permutation(ir::ref name, const ir::shape_table& t, values_of& v) {
    for (std::int32_t axis = 0; axis < permuted; ++axis)
        if (t.rank(name) != permuted || t.extent(name, axis) != permuted) return;
    for (std::int32_t k = 0; k < v.size(); ++k) {
        const std::int32_t i = k / 9, j = k / 3 % 3, l = k % 3;
        v[k] = number::whole((i - j) * (j - l) * (l - i) / 2);
    }
}

void apply(const bound_assumption& a, const slices& s, std::int32_t start, std::int32_t attempt,
           bool tied, values_of& v) {
    const bool square = s.rows == s.columns;
    switch (a.property) {
        case property::volume:
            if (square) make_volume_one(s, start, v);
            return;
        case property::symmetric:
        case property::antisymmetric:
            for (std::int32_t i = 0; square && i < s.rows; ++i)
                for (std::int32_t j = i; j < s.rows; ++j) {
                    number &x = v[s.at(start, i, j)], &y = v[s.at(start, j, i)];
                    const number sum = a.property == property::symmetric ? x + y : x - y;
                    x = sum;
                    y = a.property == property::symmetric ? sum : -sum;
                }
            return;
        case property::orthogonal:
            if (square) make_orthogonal(s, start, attempt % 2 == 1, v);
            return;
        case property::diagonal:
            for (std::int32_t i = 0; i < s.rows; ++i)
                for (std::int32_t j = 0; j < s.columns; ++j)
                    if (i != j) v[s.at(start, i, j)] = number::whole(0);
            return;
        case property::unit_length:
            return tied ? make_one_hot(s, start, attempt + start, v) : make_unit(s, start, v);
        case property::sums_to_one:
        case property::distribution:
            if (tied) return make_one_hot(s, start, attempt + start, v);
            return make_sum_one(s, start, a.property == property::distribution, v);
        case property::one_hot:
            return make_one_hot(s, start, attempt + start, v);
        default:
            return;
    }
}

/// Of two numbers one is negative, by turns, in half of the attempts; roots of their products are
/// numbers in the others.
bool is_negative(ir::ref name, std::int32_t attempt) {
    return attempt % 4 < 2 ? (attempt + name) % 2 == 1 : attempt % 4 == 3;
}

/// A number between -4 and 4, so that those of several names come in any order.
number in_any_order(ir::ref name, std::int32_t attempt) {
    auto bits = (static_cast<std::uint32_t>(name) << 16) + static_cast<std::uint32_t>(attempt);
    bits = (bits ^ (bits >> 16)) * 2246822507U;
    bits = (bits ^ (bits >> 13)) * 3266489909U;
    bits ^= bits >> 16;
    return number::whole(static_cast<std::int64_t>(bits % 17) - 8) / number::whole(2);
}

}  // namespace

void transformation::operator()(ir::ref name, std::int32_t attempt, const ir::shape_table& shapes,
                                values_of& values) const {
    if (moved_ != ir::none && name != moved_) {
        attempt = 0;
        for (std::int32_t k = 0; k < values.size(); ++k)
            values[k] = number::whole((name * 5 + k * 3) % 7 + 1) / number::whole(4);
    }
    const draw_kind kind = jumps_ ? kind_of_draw(attempt) : draw_kind::usual;
    const bool given = p_.names[name].kind != ir::name_kind::plain || moved_ != ir::none;
    const bool scalar = shapes.rank(name) == 0 && !values.empty();
    if (jumps_ && scalar && !given) values[0] = in_any_order(name, attempt);
    if (kind == draw_kind::tied)
        for (std::int32_t k = 0; k < values.size(); ++k)
            values[k] = number::whole((k * 7 + name * 5 + attempt * attempt) % 11 % 4 - 1);
    if (kind == draw_kind::apart)  // halves and thirds, moved by what is neither
        for (std::int32_t k = 0; k < values.size(); ++k)
            values[k] =
                values[k] + number::whole(2 * (name * 64 + k % 64) + 1) / number::whole(1 << 15);
    bool assumed = p_.names[name].kind != ir::name_kind::plain;
    for (const bound_assumption& a : all_) assumed = assumed || a.name == name;
    if (!assumed && !jumps_ && shapes.rank(name) == 0 && is_negative(name, attempt))
        values[0] = -values[0];
    for (const bound_assumption& a : all_) {
        if (a.name != name || values.empty()) continue;
        if (a.property == property::positive) {
            for (number& x : values) x = positive(x);
        } else if (a.property == property::whole) {
            for (std::int32_t k = 0; k < values.size(); ++k)
                values[k] = number::whole((k * 5 + attempt * 3 + 1) % 4);
        } else if (a.property == property::permutation) {
            make_permutation(name, shapes, values);
        } else if (a.property == property::counts) {
            for (ir::ref e = 0; e < p_.equations.size(); ++e)
                if (shapes.index_extent(e, a.index) > 0)
                    values[0] = number::whole(shapes.index_extent(e, a.index));
        } else {
            const slices s(name, shapes, a.first, a.second);
            for (const std::int32_t start : s.starts)
                apply(a, s, start, attempt, kind == draw_kind::tied, values);
        }
    }
    if (name == scaled_)
        for (number& x : values) x = x * scale_;
}

}  // namespace ricci::judge
