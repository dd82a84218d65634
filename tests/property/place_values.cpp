// Values of texts of places, line by line.
#include "tests/property/place_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ricci::testing {

tensor_values inputs_of(const place_program& p) {
    tensor_values all;
    for (const auto& [name, t] : p.tensors) {
        if (t.defined || !p.is_read(name)) continue;
        std::mt19937 random(p.seed * 31u + static_cast<unsigned char>(name[0]));
        dense x = dense::zeros(t.extents);
        for (auto& value : x.values)
            if (t.holds_numbers())
                value = static_cast<long double>(
                    t.least +
                    static_cast<std::int64_t>(random() % static_cast<unsigned>(t.below - t.least)));
            else if (p.coarse) value = static_cast<long double>(random() % 5) / 4 - 0.5L;
            else value = static_cast<float>(std::uniform_real_distribution<double>(-1, 1)(random));
        all[name] = std::move(x);
    }
    return all;
}

namespace {

class place_values {
public:
    place_values(const place_program& p, const tensor_values& inputs, const tensor_values& stored)
        : p_(p), tensors_(inputs), results_(inputs) {
        for (const auto& line : p_.lines) {
            dense x = dense::zeros(p_.tensors.at(line.left).extents);
            std::size_t k = 0;
            over(line.letters, 0, [&] {
                x.values[k++] = line.extremum.empty() ? apply(line.function, sum(line))
                                                      : place_of_extremum(line);
            });
            const auto later = stored.find(line.left);
            tensors_[line.left] = later == stored.end() ? x : later->second;
            results_[line.left] = std::move(x);
        }
    }
    tensor_values& tensors() { return results_; }

private:
    static std::size_t index_of(char letter) { return static_cast<unsigned char>(letter) % 128; }
    std::int64_t at(char letter) const { return at_[index_of(letter)]; }
    template <class F>
    void over(const std::string& list, std::size_t k, const F& f) {
        if (k == list.size()) return f();
        const auto n = p_.extents.at(list[k]);
        for (std::int64_t x = 0; x < n; ++x) {
            at_[index_of(list[k])] = x;
            over(list, k + 1, f);
        }
    }
    long double sum(const place_line& line) {
        long double total = 0;
        for (const auto& term : line.terms) total += term.times * value(term, 0);
        return total;
    }
    /// The first of equal ones.
    long double place_of_extremum(const place_line& line) {
        long double best = 0;
        std::int64_t place = -1;
        over(std::string(1, line.along), 0, [&] {
            const long double x = sum(line);
            if (place >= 0 && !(line.extremum == "argmax" ? x > best : x < best)) return;
            best = x;
            place = at(line.along);
        });
        return static_cast<long double>(place);
    }
    std::int64_t value(const letter_sum& s) const {
        std::int64_t total = s.offset;
        for (const auto& [letter, times] : s.terms) total += times * at(letter);
        return total;
    }
    std::int64_t number(const std::string& name, const std::string& list) const {
        const dense& t = tensors_.at(name);
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < list.size(); ++k)
            offset = t.offset_beyond(offset, k, at(list[k]));
        return static_cast<std::int64_t>(t.values[static_cast<std::size_t>(offset)]);
    }
    bool holds(const place_condition& c) const {
        const auto a = value(c.left),
                   b = c.numbers.empty() ? value(c.right) : number(c.numbers, c.letters);
        return c.comparison == "<"      ? a < b
               : c.comparison == "\\le" ? a <= b
               : c.comparison == ">"    ? a > b
               : c.comparison == "\\ge" ? a >= b
               : c.comparison == "\\ne" ? a != b
                                        : a == b;
    }
    bool hold(const std::vector<place_condition>& all) const {
        return std::all_of(all.begin(), all.end(), [&](const auto& c) { return holds(c); });
    }
    /// Where a place of an axis is; nothing where a pad reads 0.
    std::optional<std::int64_t> where(const place& p, std::int64_t length) const {
        switch (p.kind) {
            case place_kind::clamp:
                return std::max<std::int64_t>(0, std::min(value(p.sum), length - 1));
            case place_kind::wrap:
                return (value(p.sum) % length + length) % length;
            case place_kind::pad: {
                const auto x = value(p.sum);
                if (x < 0 || x >= length) return std::nullopt;
                return x;
            }
            case place_kind::merged: {
                std::int64_t x = 0;
                for (const auto& term : p.sum.terms)
                    x = x * p_.extents.at(term.first) + at(term.first);
                return x;
            }
            case place_kind::numbers:
                return number(p.numbers, p.letters);
            case place_kind::table: {  // its middle is where the letters are alike
                std::int64_t x = value(p.sum);
                for (const auto& [letter, times] : p.sum.terms)
                    if (times < 0) x -= times * (p_.extents.at(letter) - 1);
                return x;
            }
            default:
                return value(p.sum);
        }
    }
    long double value(const place_read& r) const {
        const dense& t = tensors_.at(r.tensor);
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < r.places.size(); ++k) {
            const auto x = where(r.places[k], t.extents[k]);
            if (!x) return 0;
            offset = t.offset_beyond(offset, k, *x);
        }
        return t.values[static_cast<std::size_t>(offset)];
    }
    static long double apply(const std::string& function, long double x) {
        return function == "\\tanh"  ? std::tanh(x)
               : function == "\\sin" ? std::sin(x)
               : function == "\\exp" ? std::exp(x)
               : function == "^2"    ? x * x
                                     : x;
    }
    long double value(const place_term& t, std::size_t sign) {
        if (sign < t.signs.size()) return value(t, t.signs[sign], sign);
        if (!hold(t.brackets)) return 0;
        long double product = 1;
        for (const auto& f : t.factors) {
            long double x = f.inner.empty() ? value(f.reads[0]) : value(f.inner[0], 0);
            if (f.reads.size() > 1) x -= value(f.reads[1]);
            product *= apply(f.function, x);
        }
        return product;
    }
    long double value(const place_term& t, const place_sign& s, std::size_t sign) {
        std::vector<long double> all;
        over(s.over, 0, [&] {
            if (hold(s.below)) all.push_back(value(t, sign + 1));
        });
        long double total = 0, most = -INFINITY, least = INFINITY, weights = 0;
        for (const auto x : all) total += x, most = std::max(most, x), least = std::min(least, x);
        if (s.name == "max") return most;
        if (s.name == "min") return least;
        if (s.name == "sum") return total;
        if (s.name == "prod")
            return std::accumulate(all.begin(), all.end(), 1.0L, std::multiplies<>());
        for (const auto x : all) weights += std::exp(x == most ? 0 : x - most);
        return most == -INFINITY ? most : most + std::log(weights);
    }

    const place_program& p_;
    tensor_values tensors_, results_;
    std::array<std::int64_t, 128> at_{};  // by letter: its current value
};

}  // namespace

tensor_values values_of_places(const place_program& p, const tensor_values& inputs,
                               const tensor_values& stored) {
    return std::move(place_values(p, inputs, stored).tensors());
}

}  // namespace ricci::testing
