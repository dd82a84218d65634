// Products that divide stay where they are, as powers below 0; sums are collected.
#include "judge/numerators.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <ricci/ir/normal.hpp>

namespace ricci::judge {
namespace {

using ir::normal_sum;
using ir::op;
using ir::ref;

constexpr std::int64_t steps_of_all = 200000;
constexpr std::int32_t terms_of_one = 120;
constexpr std::int64_t most_power = 8;

class over_one_line {
public:
    explicit over_one_line(ir::program& p) : p_(p), normal_(p, steps_of_all) {}

    ref run(ref n) {
        const ref above = of(n).above;
        return fits_ ? above : ir::none;
    }

private:
    struct divisor {
        ref sum;
        std::int64_t power;
    };
    struct quotient {
        ref above;
        std::vector<divisor> below;
    };

    quotient of(ref n) {
        const ir::node x = p_.nodes[n];
        if (!fits_) return {n, {}};
        switch (x.kind) {
            case op::add:
            case op::multiply: {
                quotient out = of(p_.links[x.children.first]);
                for (std::int32_t k = 1; k < x.children.count; ++k) {
                    const quotient next = of(p_.links[x.children.first + k]);
                    out = x.kind == op::add ? sum(out, next) : product(out, next);
                }
                return out;
            }
            case op::divide:
                return product(of(p_.links[x.children.first]),
                               inverse(of(p_.links[x.children.first + 1])));
            case op::power: {
                const ir::node& e = p_.nodes[p_.links[x.children.first + 1]];
                const auto whole = static_cast<std::int64_t>(e.value);
                const bool small = e.kind == op::number && e.value >= -most_power &&
                                   e.value <= most_power && e.value == static_cast<double>(whole);
                if (!small) return {n, {}};
                quotient base = of(p_.links[x.children.first]), out{p_.number(1), {}};
                if (whole < 0) base = inverse(base);
                for (std::int64_t k = whole < 0 ? -whole : whole; k > 0; --k)
                    out = product(out, base);
                return out;
            }
            default:
                return {n, {}};
        }
    }

    /// In normal form, unless that is too long.
    ref settled(ref n) {
        const normal_sum sum = normal_.normalise(n);
        fits_ = fits_ && !normal_.gave_up() && sum.size() <= terms_of_one;
        return fits_ ? normal_.to_node(sum) : n;
    }
    ref power(ref n, std::int64_t e) {
        return e == 1 ? n : p_.make(op::power, n, p_.number(static_cast<double>(e)));
    }
    ref times(ref n, const std::vector<divisor>& all) {
        for (const divisor& d : all)
            if (d.power > 0) n = p_.make(op::multiply, n, power(d.sum, d.power));
        return n;
    }
    /// Where `d` stands among divisors; `turned` where it stands there with the other sign.
    std::vector<divisor>::iterator find(std::vector<divisor>& all, ref d, bool& turned) {
        const ref other = p_.make(op::multiply, p_.number(-1), d);
        return std::find_if(all.begin(), all.end(), [&](const divisor& known) {
            turned = normal_.equal(known.sum, other);
            return turned || normal_.equal(known.sum, d);
        });
    }
    quotient product(const quotient& a, const quotient& b) {
        quotient out{p_.make(op::multiply, a.above, b.above), a.below};
        for (const divisor& d : b.below) {
            bool turned = false;
            const auto at = find(out.below, d.sum, turned);
            if (at == out.below.end()) {
                out.below.push_back(d);
                continue;
            }
            at->power += d.power;
            if (turned && d.power % 2 != 0)
                out.above = p_.make(op::multiply, p_.number(-1), out.above);
        }
        out.above = settled(out.above);
        return out;
    }
    quotient sum(const quotient& a, const quotient& b) {
        quotient out{ir::none, a.below};
        std::vector<divisor> lacking_a, lacking_b = a.below;
        ref sign = p_.number(1);
        for (const divisor& d : b.below) {
            bool turned = false;
            const auto at = find(out.below, d.sum, turned);
            if (at == out.below.end()) {
                out.below.push_back(d);
                lacking_a.push_back(d);
                continue;
            }
            if (turned && d.power % 2 != 0) sign = p_.make(op::multiply, p_.number(-1), sign);
            const auto index = static_cast<std::size_t>(at - out.below.begin());
            if (index < lacking_b.size()) lacking_b[index].power -= d.power;
            if (d.power <= at->power) continue;
            lacking_a.push_back({at->sum, d.power - at->power});
            at->power = d.power;
        }
        const ref left = times(a.above, lacking_a),
                  right = times(p_.make(op::multiply, sign, b.above), lacking_b);
        out.above = settled(p_.make(op::add, left, right));
        return out;
    }
    quotient inverse(const quotient& a) {
        const normal_sum above = normal_.normalise(a.above);
        fits_ = fits_ && above.size() > 0;
        const ref all = times(p_.number(1), a.below);
        if (above.size() == 1 && above[0].bound.empty())
            return {settled(p_.make(op::divide, all, normal_.to_node(above))), {}};
        return {settled(all), {{normal_.to_node(above), 1}}};
    }

    ir::program& p_;
    ir::normaliser normal_;
    bool fits_ = true;
};

}  // namespace

ref numerator_of(ir::program& p, ref n) { return over_one_line(p).run(n); }

}  // namespace ricci::judge
