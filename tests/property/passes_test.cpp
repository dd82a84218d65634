// Random programs: every pass of the planner leaves their values as they were, by plain loops after
// each of them. A program that fails is made simpler first. RICCI_SEED and RICCI_PROGRAMS say which
// and how many.
#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/catch.hpp"
#include "tests/property/bound_outputs.hpp"
#include "tests/property/fused_operands.hpp"
#include "tests/property/generator.hpp"
#include "tests/property/place_generator.hpp"
#include "tests/property/place_operands.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/run.hpp"
#include "tests/property/settings.hpp"
#include "tests/property/square_programs.hpp"
#include "tests/unit/plan/interpreted/passes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

plan_contents& seen() {
    static plan_contents all;
    return all;
}

/// The inputs as tensors of the type hold them.
std::map<std::size_t, dense> inputs_of(const random_program& p, element type) {
    std::map<std::size_t, dense> all;
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].defined) continue;
        dense x = input_values(p).of(t, type);
        for (auto& value : x.values)
            if (type == element::bf16) value = engine::number(bf16(static_cast<float>(value))).real;
        all[t] = std::move(x);
    }
    return all;
}

/// What is wrong with one program among tensors of one type, its outputs bound or not.
std::string check(const random_program& p, const ir::program& program, element type) {
    const auto inputs = inputs_of(p, type);
    const auto expected = interpret(p, type, inputs);
    if (is_integer(type) && !within_int32(expected)) return {};
    if (holds_extremes_of_nothing(p, expected)) return {};
    engine_run run(p, ir::program(program.view()), type, {}, inputs);
    engine::request request = run.request();
    std::optional<bound_outputs> outputs;
    if (p.seed % 2 == 0) outputs.emplace(request, p.seed);
    return check_passes(request, seen(), expected);
}

std::string check_program(const random_program& p) {
    auto parsed = read_equations(text_of(p));
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    if (p.keep_all)
        for (const auto& e : p.equations)
            parsed.program.names[find_name(parsed.program, p.tensors[e.tensor].name)].kept = true;
    const element real[] = {element::f64, element::f32, element::bf16};
    for (const element type : {real[p.seed % 3], element::c128, element::i64}) {
        if (!can_compute(parsed.program, type)) continue;
        try {
            const std::string wrong = check(p, parsed.program, type);
            if (!wrong.empty()) return wrong + name_of(type);
        } catch (const error& e) {
            return std::string("refused: ") + e.what();
        }
    }
    return {};
}

/// Extents that plain loops are quick with.
fused_choices with_small_extents(fused_choices c) {
    std::mt19937 random(c.seed * 7919 + 1);
    static constexpr std::int64_t few[] = {1, 2, 2, 3}, many[] = {1, 4, 5, 6, 7, 9, 11, 0};
    for (auto& [index, extent] : c.extents)
        extent = index == 'i' || index == 'j' ? many[random() % 8] : few[random() % 4];
    // A quotient of two sums of nothing is no number, and as a softmax zero.
    if (c.normal == normaliser::by_exps) c.extents['j'] = std::max<std::int64_t>(c.extents['j'], 1);
    return c;
}

std::string check_fused(const fused_choices& c, bool gradients) {
    const auto what = fused_writer(c).write();
    const element type = c.seed % 2 == 0 ? element::f32 : element::f64;
    try {
        bound_program p(gradients ? with_gradients(what) : bound_program::parsed(what.text), type,
                        c.seed);
        bind_fused(p, c, what, type, element::f32, layout::shuffled);
        engine::request request = p.request();
        std::optional<bound_outputs> outputs;
        // Places are no numbers that are scaled.
        if (c.seed % 3 == 0 && what.places.empty()) outputs.emplace(request, c.seed);
        return check_passes(request, seen());
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// The simplest program that fails, too.
fused_choices simplest(fused_choices c, bool gradients) {
    for (bool progress = true; progress;) {
        progress = false;
        for (const auto& less : simpler(c)) {
            if (check_fused(less, gradients).empty()) continue;
            c = less;
            progress = true;
            break;
        }
    }
    return c;
}

void check_all_fused(bool gradients, unsigned usual, unsigned least_fused_percent) {
    const unsigned first = first_seed(), count = program_count(usual);
    const int before = seen()["fused"];
    for (unsigned seed = first; seed < first + count; ++seed) {
        const auto choices = with_small_extents(draw_fused(seed));
        if (check_fused(choices, gradients).empty()) continue;
        const auto least = simplest(choices, gradients);
        std::string extents;
        for (const auto& [index, n] : least.extents)
            extents += index + (" " + std::to_string(n) + "  ");
        FAIL_CHECK("seed " << seed << "\n"
                           << fused_writer(least).write().text << extents << "\n"
                           << check_fused(least, gradients));
    }
    const auto fused = static_cast<unsigned>(seen()["fused"] - before);
    INFO("fused: " << fused << " of " << count);
    CHECK(fused * 100 >= count * least_fused_percent);
}

/// Plain loops over the gradient of a few products have eight indices or more: 7^8 terms take
/// minutes, and 4^8 are as different.
square_program with_small_extents(square_program p, unsigned seed) {
    p.extents['i'] = 3 + seed % 2;
    return p;
}

/// The value and the gradients by all inputs.
std::string check_square(const square_program& p, unsigned seed) {
    try {
        std::vector<std::string> wrt;
        const auto needed = p.needed();
        for (std::size_t t = 0; t < p.tensors.size(); ++t)
            if (!p.tensors[t].defined && needed[t]) wrt.push_back(p.tensors[t].name);
        const ir::program program = program_of(read_equations(p.text()));
        auto derived = gradient_of(program.view(), p.result().name, wrt, true);
        if (derived.mistake) return {};
        bound_program bound(std::move(derived.program), element::f64, seed);
        const auto bind = [&](const std::string& name, const square_tensor& like) {
            if (bound.name(name) != ir::none) bound.input(name, p.shape_of(like));
        };
        for (const auto& input : p.inputs()) bind(input.name, input);
        bind("dL/d" + p.result().name, p.result());
        return check_passes(bound.request(), seen());
    } catch (const std::exception& e) {
        return e.what();
    }
}

void check_all_square(unsigned count) {
    const unsigned first = first_seed();
    for (unsigned seed = first; seed < first + count; ++seed) {
        square_program p = with_small_extents(square_generator(seed).run(), seed);
        if (check_square(p, seed).empty()) continue;
        for (bool progress = true; progress;) {
            progress = false;
            for (const auto& less : simpler(p)) {
                if (check_square(less, seed).empty()) continue;
                p = less;
                progress = true;
                break;
            }
        }
        FAIL_CHECK("seed " << seed << "\n" << p.text() << check_square(p, seed));
    }
}

/// Parts of axes that nothing reads are refused, and letters that may end early.
std::string may_be_refused(const std::string& words) {
    for (const char* said : {"would never be read", "would end earlier"})
        if (words.find(said) != std::string::npos) return {};
    return words;
}

/// What is wrong with a program of places among doubles.
std::string check_places(const place_program& p) {
    try {
        const auto inputs = inputs_of(p);
        const auto expected = values_of_places(p, inputs);
        for (const auto& [name, x] : expected)
            for (const auto value : x.values)
                if (!(std::abs(value) < 1e6L)) return {};
        bound_places bound(p, bound_program::parsed(p.text()), element::f64, inputs);
        for (const auto& [letter, n] : p.extents)
            if (p.mentions(letter)) bound.program().extent(std::string(1, letter), n);
        return may_be_refused(check_passes(bound.program().request(), seen(), expected));
    } catch (const std::out_of_range&) {
        return {};  // conditions that hid a place have been left out
    } catch (const std::exception& e) {
        return may_be_refused(e.what());
    }
}

void check_all_places(unsigned count) {
    const unsigned first = first_seed();
    unsigned failures = 0;
    for (unsigned seed = first; seed < first + count && failures < 5; ++seed) {
        place_program p = place_generator(seed).run();
        if (check_places(p).empty()) continue;
        ++failures;
        for (bool progress = true; progress;) {
            progress = false;
            for (const auto& less : simpler(p)) {
                const std::string wrong = check_places(less);
                if (wrong.empty() || wrong.find("column") != std::string::npos) continue;
                p = less;
                progress = true;
                break;
            }
        }
        FAIL_CHECK("seed " << seed << "\n" << p.text() << p.shapes() << check_places(p));
    }
}

}  // namespace

TEST_CASE("every pass leaves the values of random programs of places as they were") {
    check_all_places(program_count(500));
}

TEST_CASE("every pass leaves the values of random programs as they were") {
    on_random_programs(program_count(1500), {}, check_program);
}

TEST_CASE("every pass leaves the values of random fused programs as they were") {
    check_all_fused(false, 300, 45);
}

TEST_CASE("every pass leaves the values of random fused gradients as they were") {
    check_all_fused(true, 200, 30);
    CHECK(seen()["chained"] > 0);
}

TEST_CASE("every pass leaves the values of gradients of square tensors as they were") {
    check_all_square(program_count(100));
}
