// Random networks in random orders, found and given, by all ways to run them, beside loops over all
// indices. RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/property/network_generator.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// A result, and beside each element the sum of the absolute values that it is a sum of.
struct exact_result {
    std::vector<wide_number> values;
    std::vector<long double> sizes;
};

exact_result result_over(const drawn_network& n, const index_numbers& result, std::size_t without) {
    exact_result made;
    made.values.resize(n.size_over(result));
    made.sizes.resize(made.values.size());
    n.each_term(result, [&](const std::vector<wide_number>& terms, std::size_t place) {
        wide_number product = 1;
        for (std::size_t t = 0; t < terms.size(); ++t)
            if (t != without) product *= terms[t];
        made.values[place] += product;
        made.sizes[place] += std::abs(product);
    });
    return made;
}
exact_result result_of(const drawn_network& n) { return result_over(n, n.open, n.tensors.size()); }

long double digits_of(element type) {
    switch (type) {
        case element::f32:
        case element::c64:
            return std::numeric_limits<float>::epsilon();
        case element::bf16:
            return 0x1p-7L;
        case element::f16:
            return 0x1p-10L;
        default:
            return 0;  // what is drawn is exact in them
    }
}

/// As results of a type are: whole numbers wrap around, and large ones are infinite in f16.
wide_number as_type(element type, wide_number x) {
    const auto whole = static_cast<std::int64_t>(x.real());
    if (type == element::i32) return static_cast<long double>(static_cast<std::int32_t>(whole));
    return x;
}

std::string difference(element type, const array& got, const exact_result& wanted,
                       long double power = 0, long double digits = -1) {
    if (got.size() != wanted.values.size()) return "the size differs";
    if (digits < 0) digits = digits_of(type);
    constexpr long double roundings = 80, most_in_f16 = 65000;
    // A mantissa loses what is far below its largest element; in f16 that is near.
    long double lost = 0;
    for (const long double size : wanted.sizes)
        if (got.type() == element::f16) lost = std::max(lost, 0x1p-23L * size);
    for (std::size_t k = 0; k < wanted.values.size(); ++k) {
        const wide_number x = element_at(got, static_cast<std::int64_t>(k)) *
                              std::pow(10.0L, power),
                          y = as_type(got.type(), wanted.values[k]);
        if (got.type() == element::f16 && std::abs(y) > most_in_f16) continue;
        if (!(std::abs(x - y) <= roundings * digits * wanted.sizes[k] + lost))
            return fmt::format("element {} is {} + {}i instead of {} + {}i", k,
                               static_cast<double>(x.real()), static_cast<double>(x.imag()),
                               static_cast<double>(y.real()), static_cast<double>(y.imag()));
    }
    return {};
}

bool same_bits(const array& a, const array& b) {
    return a.size() == b.size() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * size_of(a.type())) == 0);
}

/// One that is given, or found in any way there is, perhaps within little memory, and perhaps read
/// back from one of the forms that orders are written in.
contraction_order order_for(drawn_network& d, const network& n, bool may_use_values) {
    if (d.in(35)) return contraction_order::from_ssa(n, d.pairs(), d.slices());
    order_options how;
    how.trials = 1;
    how.seed = d.below(1000);
    how.objective = static_cast<objective>(d.below(5));
    how.simplify = d.in(50) ? simplify::shapes : simplify::none;
    if (may_use_values && d.in(50)) how.simplify = simplify::values;
    if (d.in(20)) how.choices = 1 + static_cast<std::int64_t>(d.below(9));
    if (d.in(40)) {
        double elements = static_cast<double>(d.below(4000));
        for (const drawn_tensor& t : d.tensors) elements += static_cast<double>(t.values.size());
        how.memory = 64 + elements * static_cast<double>(size_of(d.type));
    }
    const auto found = [&] {
        try {
            return find_order(n, how);
        } catch (const error& e) {
            REQUIRE_THAT(e.what(), Contains("memory"));
            how.memory = 0;
            return find_order(n, how);
        }
    }();
    if (d.in(40)) return contraction_order::from_json(n, found.json());
    const bool has_zeros = found.json().find("\"zeros\"") != std::string::npos;
    if (!has_zeros && d.in(40))
        return contraction_order::from_path(n, found.path(), found.sliced());
    return found;
}

/// What is refused has to be refused for its memory.
template <class Run>
void within_memory(const Run& run) {
    try {
        run();
    } catch (const error& e) {
        CHECK_THAT(e.what(), Contains("memory"));
    }
}

array on_threads(int threads, const network& n, const contraction_order& order,
                 const contract_options& options) {
    runtime::set_worker_count(threads);
    const array result = contract(n, order, options);
    runtime::set_worker_count(0);
    return result;
}

/// Other values for some tensors, in other memory, with zeros where there were some.
void bind_others(drawn_network& d, prepared_network& prepared) {
    for (std::size_t changes = d.below(3); changes > 0; --changes) {
        const std::size_t t = d.below(d.tensors.size());
        const array other = d.with_more_zeros(d.tensors[t].values);
        prepared.bind(t, other);
        d.tensors[t].values = other;
    }
}

template <class Check>
void for_all_networks(unsigned usual, const Check& check) {
    const unsigned first = first_seed(), count = program_count(usual);
    for (unsigned seed = first; seed < first + count; ++seed) {
        drawn_network d(seed);
        INFO("RICCI_SEED=" << seed << ": " << d.words());
        check(d);
    }
}

/// The largest of sums of all tensors' elements, the smallest, or the logarithm of the sum of their
/// exponentials.
std::vector<long double> result_in(const drawn_network& d, algebra a) {
    const bool least = a == algebra::min_sum;
    std::vector<long double> made(d.size_over(d.open), least ? HUGE_VALL : -HUGE_VALL);
    d.each_term(d.open, [&](const std::vector<wide_number>& terms, std::size_t place) {
        long double sum = 0;
        for (const wide_number& term : terms) sum += term.real();
        long double& x = made[place];
        if (least) x = std::min(x, sum);
        else if (a == algebra::max_sum) x = std::max(x, sum);
        else if (std::isfinite(sum))
            x = std::max(x, sum) + std::log1p(std::exp(-std::abs(x - sum)));
    });
    return made;
}

}  // namespace

TEST_CASE("random networks are what loops over all their indices say", "[networks]") {
    for_all_networks(800, [](drawn_network& d) {
        const network n = d.made();
        const exact_result wanted = result_of(d);
        for (int round = 0; round < 3; ++round) {
            const contraction_order order = order_for(d, n, true);
            INFO(order.json());
            within_memory([&] {
                const array alone = on_threads(1, n, order, {});
                CHECK(difference(d.type, alone, wanted) == "");
                CHECK(same_bits(alone, on_threads(3, n, order, {})));
            });
            within_memory([&] {
                const scaled beyond = contract_scaled(n, order);
                const long double digits = std::max(digits_of(d.type), 0x1p-52L);
                CHECK(difference(d.type, beyond.mantissa, wanted,
                                 static_cast<long double>(beyond.exponent10), digits) == "");
            });
        }
    });
}

TEST_CASE("random networks are prepared, and take other values", "[networks]") {
    for_all_networks(600, [](drawn_network& d) {
        const network n = d.made();
        const contraction_order order = order_for(d, n, true);
        INFO(order.json());
        within_memory([&] {
            prepared_network prepared = prepare(n, order);
            for (int run = 0; run < 4; ++run) {
                prepared();
                CHECK(difference(d.type, prepared.result(), result_of(d)) == "");
                bind_others(d, prepared);
            }
        });
    });
}

TEST_CASE("derivatives of random networks", "[networks]") {
    for_all_networks(600, [](drawn_network& d) {
        d.open.clear();
        const network n = d.made();
        const contraction_order order = order_for(d, n, false);
        INFO(order.json());
        std::vector<std::size_t> by{d.below(d.tensors.size())};
        for (std::size_t t = 0; t < d.tensors.size(); ++t)
            if (d.in(50)) by.push_back(t);
        within_memory([&] {
            const std::vector<array> slopes = gradient(n, order, by);
            REQUIRE(slopes.size() == by.size());
            for (std::size_t k = 0; k < by.size(); ++k)
                CHECK(difference(d.type, slopes[k], result_over(d, d.tensors[by[k]].axes, by[k])) ==
                      "");
        });
    });
}

TEST_CASE("random networks in other algebras, and their places", "[networks]") {
    for_all_networks(800, [](drawn_network& d) {
        if (is_complex(d.type) || is_integer(d.type)) return;
        for (drawn_tensor& t : d.tensors)
            if (d.in(20) && t.values.size() > 0) set_element(t.values, 0, -HUGE_VALL);
        const network n = d.made();
        const contraction_order order = order_for(d, n, false);
        INFO(order.json());
        for (const algebra a : {algebra::max_sum, algebra::min_sum, algebra::logsumexp_sum})
            within_memory([&] {
                const array alone = on_threads(1, n, order, {.algebra = a});
                CHECK(same_bits(alone, on_threads(3, n, order, {.algebra = a})));
                const auto wanted = result_in(d, a);
                const long double digits = std::max(digits_of(d.type), 0x1p-52L) * 40;
                for (std::size_t k = 0; k < wanted.size(); ++k) {
                    const long double x = element_at(alone, static_cast<std::int64_t>(k)).real();
                    INFO("element " << k << " is " << x << " instead of " << wanted[k]);
                    CHECK((x == wanted[k] ||
                           std::abs(x - wanted[k]) <= digits * (1 + std::abs(wanted[k]))));
                }
            });
        if (!d.open.empty()) return;
        within_memory([&] {
            const most_likely best = argmax(n, order);
            long double sum = 0;
            for (const drawn_tensor& t : d.tensors)
                sum += drawn_network::term(t, best.places).real();
            CHECK(sum == result_in(d, algebra::max_sum)[0]);
        });
    });
}

TEST_CASE("amplitudes of random networks", "[networks]") {
    for_all_networks(600, [](drawn_network& d) {
        if (d.open.empty()) return;
        const network n = d.made();
        const contraction_order order = order_for(d, n, false);
        INFO(order.json());
        index_numbers chosen, left;
        for (const std::int64_t i : d.open) (d.in(60) ? chosen : left).push_back(i);
        array rows(element::i64, {d.below(9), chosen.size()});
        auto* const places = static_cast<std::int64_t*>(rows.data());
        for (std::size_t k = 0; k < rows.size(); ++k)
            places[k] = static_cast<std::int64_t>(d.below(d.extents.at(chosen[k % chosen.size()])));
        within_memory([&] {
            const auto found = amplitudes(n, order, chosen, rows);
            REQUIRE(found.size() == rows.extent(0));
            for (std::size_t r = 0; r < found.size(); ++r) {
                // one more tensor for each place that is chosen, which has a one there
                drawn_network part = d;
                part.open = left;
                for (std::size_t c = 0; c < chosen.size(); ++c) {
                    array one(d.type, {d.extents.at(chosen[c])});
                    set_element(one, places[r * chosen.size() + c], 1);
                    part.tensors.push_back({{chosen[c]}, one, false});
                }
                CHECK(difference(d.type, found[r], result_of(part)) == "");
            }
        });
    });
}
