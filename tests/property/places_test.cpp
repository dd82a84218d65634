// Random programs of places, and their gradients by all inputs at once, beside plain loops over
// what was drawn and central differences of these. A program that fails is made simpler first.
// RICCI_SEED and RICCI_PROGRAMS say which and how many.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/front.hpp"
#include "tests/property/place_generator.hpp"
#include "tests/property/place_operands.hpp"
#include "tests/property/settings.hpp"
#include "tests/unit/slopes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

bool is_finite(const tensor_values& all) {
    return std::all_of(all.begin(), all.end(), [](const auto& entry) {
        const auto& x = entry.second.values;
        return std::all_of(x.begin(), x.end(), [](auto v) { return std::abs(v) < 1e6L; });
    });
}

bool same_bits(const dense& a, const dense& b) {
    return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                      [](auto x, auto y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// The largest size of what was computed on the way: sums may cancel.
long double size_of(const tensor_values& all) {
    long double size = 1;
    for (const auto& [name, x] : all)
        for (const auto v : x.values)
            if (std::isfinite(v)) size = std::max(size, std::abs(v));
    return size;
}

std::string difference(const tensor_values& got, const tensor_values& wanted, double tolerance) {
    std::ostringstream words;
    const long double size = size_of(wanted);
    for (const auto& [name, x] : got) {
        const dense& want = wanted.at(name);
        if (x.extents != want.extents) return "the shape of " + name + " differs";
        for (std::size_t k = 0; k < x.values.size(); ++k) {
            const auto a = x.values[k], b = want.values[k];
            if (a == b || (std::isnan(a) && std::isnan(b)) ||
                std::abs(a - b) <= static_cast<long double>(tolerance) * size)
                continue;
            words << "element " << k << " of " << name << " is " << static_cast<double>(a)
                  << " instead of " << static_cast<double>(b);
            return words.str();
        }
    }
    return {};
}

void give_extents(const place_program& p, bound_program& to, bool all) {
    for (const auto& [letter, n] : p.extents)
        if (p.asks_for(letter) || (all && p.mentions(letter))) to.extent(std::string(1, letter), n);
}

/// The same program where conditions between places stay conditions.
std::string check_dense_form(const place_program& p, const ir::program& program,
                             const tensor_values& inputs, bool all_extents,
                             const tensor_values& solved) {
    bound_places bound(p, ir::program(program.view()), element::f64, inputs);
    bound.program().solve_places = false;
    give_extents(p, bound.program(), all_extents);
    tensor_values wanted;
    try {
        wanted = bound.run();
    } catch (const std::bad_alloc&) {
        return {};  // masks over all places may be larger than any memory
    }
    const auto words = difference(solved, wanted, 1e-10);
    return words.empty() ? words : "dense form differs: " + words + "\n" + bound.explanation();
}

std::string check_values(const place_program& p, const ir::program& program,
                         const tensor_values& inputs, const tensor_values& wanted) {
    for (const element type : {element::f64, element::f32}) {
        // Beyond the range of a type there is nothing to compare.
        if (type == element::f32 && size_of(wanted) > std::numeric_limits<float>::max()) continue;
        tensor_values first;
        for (const int threads : {1, 3}) {
            if (threads > 1 && p.seed % 4 != 0) continue;
            runtime::set_worker_count(threads);
            bound_places bound(p, ir::program(program.view()), type, inputs);
            give_extents(p, bound.program(), p.seed % 2 == 0);
            const auto got = bound.run();
            runtime::set_worker_count(0);
            if (threads == 1) first = got;
            for (const auto& [name, x] : got)
                if (!same_bits(x, first.at(name))) return "other bits of " + name + " on 3 threads";
            const auto words = difference(got, wanted, type == element::f64 ? 1e-11 : 1e-4);
            if (!words.empty())
                return std::string("value differs: ") + name_of(type) + ", " + words + "\n" +
                       bound.explanation();
        }
        if (type != element::f64) continue;
        const auto words = check_dense_form(p, program, inputs, p.seed % 2 == 0, first);
        if (!words.empty()) return words;
    }
    return {};
}

/// In 16 bits each tensor of the text is rounded once, when it is written: each line is compared by
/// itself, of the tensors as they were stored before it.
std::string check_in_16_bits(const place_program& p, const ir::program& program,
                             tensor_values inputs) {
    const element type = p.seed % 2 == 0 ? element::bf16 : element::f16;
    for (auto& [name, x] : inputs)
        if (!p.tensors.at(name).holds_numbers())
            for (auto& v : x.values) {
                const auto single = static_cast<float>(v);
                v = type == element::bf16 ? static_cast<float>(bf16(single))
                                          : static_cast<float>(f16(single));
            }
    bound_places bound(p, ir::program(program.view()), type, inputs);
    for (const auto& line : p.lines) bound.program().keep(line.left);
    give_extents(p, bound.program(), p.seed % 2 == 0);
    const auto got = bound.run();
    const auto wanted = values_of_places(p, inputs, got);
    if (size_of(wanted) > 3e4L) return {};  // near the end of an f16
    const auto words = difference(got, wanted, 1e-2);
    return words.empty() ? words
                         : std::string("value differs: ") + name_of(type) + ", " + words + "\n" +
                               bound.explanation();
}

/// Inputs that the last line depends on, and that have a gradient.
std::vector<std::string> variables_of(const place_program& p) {
    std::set<std::string> needed{p.lines.back().left};
    for (auto line = p.lines.rbegin(); line != p.lines.rend(); ++line)
        if (needed.count(line->left) > 0)
            place_program::each_read(*line, [&](const place_read& r) { needed.insert(r.tensor); });
    std::vector<std::string> all;
    for (const auto& name : needed)
        if (!p.tensors.at(name).defined && !p.tensors.at(name).holds_numbers()) all.push_back(name);
    return all;
}

dense random_like(dense x, unsigned seed) {
    std::mt19937 random(seed);
    for (auto& v : x.values) v = std::uniform_real_distribution<double>(-1, 1)(random);
    return x;
}

std::string check_gradients(const place_program& p, const ir::program& program,
                            const tensor_values& inputs, const tensor_values& wanted) {
    const std::string of = p.lines.back().left;
    const auto variables = variables_of(p);
    if (variables.empty()) return {};
    auto derived = gradient_of(program.view(), of, variables);
    if (derived.mistake) return {};  // what cancels depends on nothing
    const dense weights = random_like(wanted.at(of), p.seed + 17);
    tensor_values operands = inputs;
    operands["dL/d" + of] = weights;
    bound_places bound(p, ir::program(derived.program.view()), element::f64, operands);
    give_extents(p, bound.program(), true);
    tensor_values got;
    try {
        got = bound.run();
    } catch (const std::exception& e) {
        // What says the extent of an index in a derived equation may be another axis, and a place
        // that a condition excludes may stand beside it there.
        const std::string words = e.what();
        for (const char* said : {" has extent ", "no condition on positions excludes it"})
            if (words.find(said) != std::string::npos) return {};
        throw;
    }
    if (const auto words = check_dense_form(p, derived.program, operands, true, got);
        !words.empty())
        return words;
    tensor_values places;  // of extrema, which derivatives take as they are
    for (const auto& line : p.lines)
        if (!line.extremum.empty()) places[line.left] = wanted.at(line.left);
    for (const auto& name : variables) {
        if (got.count("dL/d" + name) == 0) continue;
        const dense& gradient = got.at("dL/d" + name);
        if (gradient.extents != inputs.at(name).extents)
            return "gradient of another shape: " + name;
        const dense along = random_like(inputs.at(name), p.seed + 3);
        long double sum = 0, size = size_of(wanted);
        for (std::size_t k = 0; k < along.values.size(); ++k) {
            const long double product = along.values[k] * gradient.values[k];
            sum += product, size += std::abs(product);
        }
        const auto slope = slope_of([&](long double by) {
            auto moved = inputs;
            auto& x = moved.at(name).values;
            for (std::size_t k = 0; k < x.size(); ++k) x[k] += by * along.values[k];
            const dense y = values_of_places(p, moved, places).at(of);
            long double total = 0;
            for (std::size_t k = 0; k < y.values.size(); ++k)
                total += y.values[k] * weights.values[k];
            return total;
        });
        if (!slope || std::abs(sum - *slope) <= 1e-7L * size) continue;
        std::ostringstream words;
        words << "gradient differs: by " << name << " it is " << static_cast<double>(sum)
              << " along a direction instead of " << static_cast<double>(*slope) << "\n"
              << bound.explanation();
        return words.str();
    }
    return {};
}

/// The meaning; nothing where a place is outside, as where conditions have been left out.
std::optional<tensor_values> values_of(const place_program& p, const tensor_values& inputs) {
    try {
        return values_of_places(p, inputs);
    } catch (const std::out_of_range&) {
        return std::nullopt;
    }
}

/// What kind of failure the words say: all before the first tensor or number in them.
std::string kind(const std::string& words) {
    return words.substr(0, words.find_first_of("=[0123456789\n"));
}

/// Whether a tensor has more elements than plain loops are to go over, as one with several merged
/// axes may.
bool is_too_large(const place_program& p) {
    return std::any_of(p.tensors.begin(), p.tensors.end(), [](const auto& entry) {
        double elements = 1;
        for (const auto n : entry.second.extents) elements *= static_cast<double>(n);
        return elements > 1e7;
    });
}

/// What is wrong with a program.
std::string check(const place_program& p) {
    if (is_too_large(p)) return {};
    try {
        const auto inputs = inputs_of(p);
        const auto wanted = values_of(p, inputs);
        if (!wanted) return {};
        auto read = read_equations(p.text());
        if (read.mistake) {
            const auto words = read.mistake.words.view();
            const std::string all(words.begin(), words.end());
            return "not read: " + all.substr(std::min(all.size(), all.find("<<< : "))) + all;
        }
        for (std::size_t l = 0; l + 1 < p.lines.size(); ++l)
            if (!is_finite({{"", wanted->at(p.lines[l].left)}})) return {};
        std::string wrong = check_values(p, read.program, inputs, *wanted);
        if (wrong.empty()) wrong = check_in_16_bits(p, read.program, inputs);
        if (!wrong.empty() || !is_finite(*wanted)) return wrong;
        return check_gradients(p, read.program, inputs, *wanted);
    } catch (const std::exception& e) {
        // Parts of axes that nothing reads are refused, and letters that may end early.
        const std::string words = e.what();
        for (const char* said : {"would never be read", "would end earlier"})
            if (words.find(said) != std::string::npos) return {};
        return "refused: " + words;
    }
}

}  // namespace

TEST_CASE("programs of places mean what they say, and so do their gradients") {
    const unsigned first = first_seed(), count = program_count(1000);
    const unsigned most = from_environment("RICCI_FAILURES", 5);  // are shown
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < most; ++seed) {
        const place_program p = place_generator(seed).run();
        const std::string wrong = check(p);
        if (wrong.empty()) continue;
        ++failures;
        place_program least = p;
        for (bool progress = true; progress;) {
            progress = false;
            for (auto& less : simpler(least)) {
                if (kind(check(less)) != kind(wrong)) continue;
                least = std::move(less);
                progress = true;
                break;
            }
        }
        const std::string words = check(least);
        FAIL_CHECK("seed " << seed << "\n"
                           << least.text() << least.shapes()
                           << (words.empty() ? "not always: " + wrong : words));
    }
}
