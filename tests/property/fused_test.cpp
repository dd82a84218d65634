// Random programs of the shape that is fused, forward and with all gradients: what the fused plan
// computes is what the plan computes that stores every intermediate, and the same bits on any
// number of threads. A program that fails is made simpler first. RICCI_SEED and RICCI_PROGRAMS say
// which and how many.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/property/fused_operands.hpp"
#include "tests/property/settings.hpp"

namespace {

using ricci::element;
using ricci::testing::bound_program;
using ricci::testing::fused_choices;
using ricci::testing::fused_program;
using ricci::testing::layout;

struct outcome {
    std::string words;  // what is wrong
    bool fused = false;
};

bool same_bits(const ricci::testing::dense& a, const ricci::testing::dense& b) {
    return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                      [](auto x, auto y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// By how much values of `plane` at the places found and at those wanted differ: rounding may choose
/// between values that are nearly equal.
double difference_at(const ricci::testing::drawn_places& where, const ricci::testing::dense& plane,
                     const ricci::testing::dense& got, const ricci::testing::dense& want) {
    double most = 0;
    for (std::size_t x = 0; x < want.values.size(); ++x) {
        if (got.values[x] == want.values[x]) continue;
        const auto value_at = [&](long double place) {
            std::map<char, std::int64_t> at{{where.over, static_cast<std::int64_t>(place)}};
            auto rest = static_cast<std::int64_t>(x);
            for (std::size_t k = where.indices.size(); k-- > 0; rest /= want.extents[k])
                at[where.indices[k]] = rest % want.extents[k];
            std::int64_t element = 0;
            for (std::size_t k = 0; k < where.plane_indices.size(); ++k)
                element = element * plane.extents[k] + at.at(where.plane_indices[k]);
            return plane.values.at(static_cast<std::size_t>(element));
        };
        const auto found = value_at(got.values[x]), wanted = value_at(want.values[x]);
        if (found == wanted) return INFINITY;  // one of equals, and not the first
        most = std::max(most, static_cast<double>(std::abs(found - wanted)));
    }
    return most;
}

bool is_narrow(element type) { return type == element::bf16 || type == element::f16; }

// Of 16 bits, results are rounded, and so is what is stored on the way.
double tolerance_of(element type) {
    if (type == element::bf16) return 16 * 0x1p-8;
    if (type == element::f16) return 16 * 0x1p-11;
    return type == element::f32 ? 1e-4 : 1e-12;
}
// Larger results of 16 bits are mostly what is left of sums of rounded numbers that are larger yet.
constexpr double most_compared = 256;

/// Scores less a slope times |i - j| are as large as indices, and so is what rounding them in 16 bits
/// does to weights, where they are stored.
double growth_of(const fused_choices& c) {
    const bool grows = std::ranges::find(c.chain, ricci::testing::link::slope) != c.chain.end();
    std::int64_t largest = 16;
    for (const auto& [index, extent] : c.extents)
        if (index == 'i' || index == 'j') largest = std::max(largest, extent);
    return grows ? static_cast<double>(largest) / 16 : 1;
}

/// One program against the same with every intermediate stored, in double.
outcome check(const ricci::ir::program& program, const fused_choices& c, const fused_program& what,
              element type) {
    outcome result;
    const double growth = is_narrow(type) ? growth_of(c) : 1;
    const layout l = c.seed % 3 == 0 ? layout::shuffled : layout::row_major;
    bound_program exact(ricci::ir::program(program.view()), element::f64, c.seed);
    const element numbers = type == element::f64 ? element::f32 : type;
    bind_fused(exact, c, what, element::f64, numbers, layout::row_major);
    for (const auto& p : what.places)
        if (exact.name(p.plane) != ricci::ir::none) exact.keep(p.plane);
    exact.fuse = false;
    exact.prepare().run();
    std::vector<ricci::testing::dense> first;
    for (const int threads : {1, 2, 3}) {
        ricci::runtime::set_worker_count(threads);
        bound_program p(ricci::ir::program(program.view()), type, c.seed);
        bind_fused(p, c, what, type, numbers, l);
        auto step = p.prepare();
        result.fused = step.explain().find("not stored: ") != std::string::npos;
        step.run();
        std::size_t k = 0;
        for (const auto output : p.output_names()) {
            const auto spelled = p.view().name(output);
            const std::string name(spelled.begin(), spelled.end());
            const auto got = p.result(output).values();
            if (threads > 1) {
                if (!same_bits(got, first[k++]))
                    result.words +=
                        "other bits of " + name + " on " + std::to_string(threads) + " threads; ";
                continue;
            }
            first.push_back(got);
            const auto want = exact.result(output).values();
            double error = 0, size = 0;
            const auto places = std::ranges::find_if(
                what.places, [&](const auto& known) { return known.name == name; });
            if (places != what.places.end())
                error = difference_at(*places, exact.result(exact.name(places->plane)).values(),
                                      got, want);
            for (std::size_t x = 0; x < want.values.size(); ++x) {
                if (places != what.places.end()) break;
                // Without columns, a quotient is 0 / 0 however it is computed.
                if (std::isnan(got.values[x]) && std::isnan(want.values[x])) continue;
                if (got.values[x] == want.values[x]) continue;  // infinite, where nothing is seen
                const auto difference =
                    static_cast<double>(std::abs(got.values[x] - want.values[x]));
                error = std::isfinite(difference) ? std::max(error, difference) : INFINITY;
                if (std::isfinite(want.values[x]))
                    size = std::max(size, static_cast<double>(std::abs(want.values[x])));
            }
            // Sums may cancel: what is left of them is as wrong as what went in, which is about 1.
            const double tolerance = tolerance_of(type) * growth;
            if (is_narrow(type) && size > most_compared) continue;
            if (!(error <= tolerance * (1 + size))) {
                std::ostringstream words;
                words << "the largest error of " << name << " is " << error << " beside " << size
                      << "; ";
                result.words += words.str();
            }
        }
    }
    ricci::runtime::set_worker_count(0);
    return result;
}

/// What is wrong with the program of these choices, forward or with gradients.
std::string failure(const fused_choices& c, element type, bool gradients, bool* fused) {
    const auto what = ricci::testing::fused_writer(c).write();
    try {
        const auto program = gradients ? with_gradients(what) : bound_program::parsed(what.text);
        const auto result = check(program, c, what, type);
        if (fused != nullptr) *fused = result.fused;
        return result.words;
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// The simplest program near this one that still fails, in words.
std::string simplest(fused_choices c, element type, bool gradients) {
    bool changed = true;
    for (int rounds = 0; changed && rounds < 100; ++rounds) {
        changed = false;
        for (auto& less : ricci::testing::simpler(c)) {
            if (failure(less, type, gradients, nullptr).empty()) continue;
            c = std::move(less);
            changed = true;
            break;
        }
    }
    std::ostringstream words;
    words << ricci::testing::fused_writer(c).write().text;
    for (const auto& [index, extent] : c.extents) words << index << " " << extent << "  ";
    words << "\n" << failure(c, type, gradients, nullptr);
    return words.str();
}

/// Whether a program's results are near in the type, too: of 16 bits, values that are stored are
/// rounded, and another one is the largest then.
bool fits(const fused_choices& c, element type, bool gradients) {
    return !is_narrow(type) || !gradients ||
           std::ranges::none_of(c.folds, &ricci::testing::drawn_fold::added);
}

// Most forward programs are fused; of those with gradients, which have more to ask for, many; of 16
// bits fewer, as planes have to be larger than what is converted for them.
void check_all(bool gradients, unsigned usual, unsigned least_fused_percent) {
    const unsigned count = ricci::testing::program_count(usual);
    unsigned tried[2] = {}, fused[2] = {};  // of real numbers, of 16 bits
    for (unsigned seed = ricci::testing::first_seed(), n = 0; n < count; ++n, ++seed) {
        const auto choices = ricci::testing::draw_fused(seed);
        for (const element type : {element::f32, element::f64, element::bf16, element::f16}) {
            if (!fits(choices, type, gradients)) continue;
            bool is_fused = false;
            const auto words = failure(choices, type, gradients, &is_fused);
            ++tried[is_narrow(type)];
            fused[is_narrow(type)] += is_fused ? 1 : 0;
            if (words.empty()) continue;
            FAIL_CHECK("seed " << seed << ", " << ricci::name_of(type) << ": " << words
                               << "\nas simple as it gets:\n"
                               << simplest(choices, type, gradients));
        }
    }
    INFO("fused: " << fused[0] << " of " << tried[0] << ", of 16 bits " << fused[1] << " of "
                   << tried[1]);
    CHECK(fused[0] * 100 >= tried[0] * least_fused_percent);
    CHECK(fused[1] * 100 >= tried[1] * least_fused_percent / 5);
}

}  // namespace

TEST_CASE("random fused programs compute what stored ones do") { check_all(false, 150, 50); }

TEST_CASE("random fused gradients compute what stored ones do") { check_all(true, 100, 30); }
