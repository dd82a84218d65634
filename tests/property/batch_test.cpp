// Random programs, batched by a random part of their inputs: what they compute, forward and
// backward, is what the program computes of each part of the batch.
#include <map>
#include <string>
#include <vector>

#include <ricci/derive/batch.hpp>

#include "src/base/texts.hpp"
#include "tests/catch.hpp"
#include "tests/property/derived.hpp"
#include "tests/property/random_programs.hpp"
#include "tests/property/settings.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr std::size_t parts = 3;  // of the batch
constexpr const char* letter = "\\beta";

using detail::view_of;
using results = std::map<std::string, dense>;

/// The inputs that the program reads and that get the index: some of them, at least one.
std::vector<std::size_t> chosen_inputs(const random_program& p, const ir::program& program) {
    std::vector<std::size_t> all, some;
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        const ir::ref n = find_name(program.view(), p.tensors[t].name);
        if (!p.tensors[t].defined && n != ir::none && program.definition(n) == ir::none)
            all.push_back(t);
    }
    for (std::size_t k = 0; k < all.size(); ++k)
        if ((p.seed * 7919u + k * 104729u) % 5 < 2) some.push_back(all[k]);
    if (some.empty() && !all.empty()) some.push_back(all[p.seed % all.size()]);
    return some;
}

/// A program, its batch, and what both are run on.
struct batched_case {
    const random_program& p;
    ir::program one, many;
    std::vector<std::map<std::size_t, dense>> of_part;  // the batched inputs of each part
    std::map<std::size_t, dense> of_all;
    std::string wrong;

    batched_case(const random_program& drawn, const ir::program& program, element type)
        : p(drawn), one(program) {
        const auto chosen = chosen_inputs(p, one);
        if (chosen.empty()) return;
        std::vector<detail::text_view> names;
        for (const std::size_t t : chosen) names.push_back(view_of(p.tensors[t].name));
        const auto made = derive::batch(one.view(), names.data(),
                                        static_cast<std::int32_t>(names.size()), view_of(letter));
        if (made.mistake) {
            wrong = "not batched: " + spelled(made.mistake.words);
            return;
        }
        many = made.program;
        for (std::size_t k = 0; k < parts; ++k) {
            auto& mine = of_part.emplace_back();
            random_program other = p;  // other values, of the same shapes
            other.seed = p.seed + 1000u * static_cast<unsigned>(k);
            for (const std::size_t t : chosen) mine[t] = input_values(other).of(t, type);
        }
        for (const std::size_t t : chosen) {
            std::vector<dense> all;
            for (const auto& mine : of_part) all.push_back(mine.at(t));
            of_all[t] = stacked(all);
        }
    }

    static dense stacked(const std::vector<dense>& all) {
        dense out = all.front();
        out.extents.insert(out.extents.begin(), static_cast<std::int64_t>(all.size()));
        for (std::size_t k = 1; k < all.size(); ++k)
            out.values.insert(out.values.end(), all[k].values.begin(), all[k].values.end());
        return out;
    }
    /// What should come out, stacked where the batch has an axis more.
    static results expected(const std::vector<results>& each, const results& whole) {
        results out;
        for (const auto& [name, mine] : each.front()) {
            const auto found = whole.find(name);
            if (found == whole.end()) continue;
            std::vector<dense> all;
            for (const results& one_part : each) all.push_back(one_part.at(name));
            out[name] =
                found->second.extents.size() > mine.extents.size() ? stacked(all) : all.front();
        }
        return out;
    }
};

/// As run_derived does, in any element type.
results run_in(element type, const random_program& p, const ir::program& program,
               const std::map<std::size_t, dense>& changed) {
    if (!is_integer(type)) return run_derived(p, program, {}, changed);
    engine_run engine(p, program, type, {}, changed);
    engine.give_all_extents(p);
    return engine.run();
}

bool are_finite(const results& all) {
    for (const auto& [name, t] : all)
        for (const auto x : t.values)
            if (!std::isfinite(x)) return false;
    return true;
}

std::string check_forward(const random_program& p, const ir::program& program, element type) {
    if (!can_compute(program, type)) return {};
    const batched_case c(p, program, type);
    if (!c.wrong.empty() || c.of_part.empty()) return c.wrong;
    std::vector<results> each;
    for (const auto& mine : c.of_part) each.push_back(run_in(type, p, c.one, mine));
    for (const results& r : each)
        if (!are_finite(r)) return {};  // infinities meet in another order
    const std::string printed = to_latex(c.many.view());
    const auto again = read_equations(printed);
    if (again.mistake) return "not read back: " + spelled(again.mistake.words) + "\n" + printed;
    // whole numbers are equal in every order of sums
    const double tolerance = is_integer(type) ? 0 : 1e-9;
    for (const ir::program* q : std::vector<const ir::program*>{&c.many, &again.program}) {
        const results whole = run_in(type, p, *q, c.of_all);
        if (whole.size() != each.front().size()) return "other outputs: \n" + printed;
        const std::string wrong = difference(whole, c.expected(each, whole), tolerance);
        if (!wrong.empty())
            return std::string(q == &c.many ? "batch" : "text of the batch") +
                   " differs: " + wrong + "\n" + printed;
    }
    return {};
}

std::string check_batch(const random_program& p) {
    const auto parsed = read_equations(text_of(p));
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    try {
        for (const element type : {element::f64, element::i64}) {
            const std::string wrong = check_forward(p, parsed.program, type);
            if (!wrong.empty()) return wrong;
        }
    } catch (const error& e) {
        return std::string("refused: ") + e.what();
    }
    return {};
}

/// The gradient of the batch by what all share is the sum over its parts; by what each has of its
/// own, theirs.
std::string check_backward(const random_program& p, const ir::program& program, std::size_t input) {
    const batched_case c(p, program, element::f64);
    if (!c.wrong.empty() || c.of_part.empty()) return c.wrong;
    const std::string of = result_of(p).name, by = p.tensors[input].name;
    const std::string seed = "dL/d" + of, wanted = "dL/d" + by;
    const auto one = gradient_of(c.one, of, {by}), many = gradient_of(c.many, of, {by});
    if (many.mistake)
        return one.mistake ? "" : "no gradient of the batch: " + spelled(many.mistake.words);
    const results whole_value = run_derived(p, c.many, {}, c.of_all);
    const bool is_batched = whole_value.at(of).extents.size() > result_of(p).extents.size();
    dense weights = weights_of(p), all_weights = weights;
    std::vector<results> each;
    for (std::size_t k = 0; k < parts; ++k) {
        // what cancels in the equations has no gradient there, and perhaps one of zeros here
        each.push_back(one.mistake ? results{{wanted, dense::zeros(p.tensors[input].extents)}}
                                   : run_derived(p, one.program, {{seed, weights}}, c.of_part[k]));
        if (!are_finite(each.back())) return {};
    }
    if (is_batched) all_weights = c.stacked(std::vector<dense>(parts, weights));
    const results whole = run_derived(p, many.program, {{seed, all_weights}}, c.of_all);
    if (!whole.contains(wanted)) return "gradient missing: of " + by;
    results expected;
    dense& mine = expected[wanted] = each.front().at(wanted);
    if (c.of_all.contains(input)) {
        std::vector<dense> all;
        for (const results& r : each) all.push_back(r.at(wanted));
        mine = c.stacked(all);
    } else if (is_batched) {
        for (std::size_t k = 1; k < parts; ++k)
            for (std::size_t e = 0; e < mine.values.size(); ++e)
                mine.values[e] += each[k].at(wanted).values[e];
    }
    const std::string wrong = difference({{wanted, whole.at(wanted)}}, expected, 1e-9);
    if (wrong.empty()) return {};
    return "gradient differs: " + wrong + "\n" + to_latex(many.program.view());
}

std::string check_gradients(const random_program& p) {
    const auto parsed = read_equations(text_of(p));
    if (parsed.mistake) return "not read: " + spelled(parsed.mistake.words);
    if (holds_extremes_of_nothing(p, interpret(p, element::f64))) return {};
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
        if (p.tensors[t].defined || p.tensors[t].places > 0 || !reaches(p, t)) continue;
        try {
            const std::string wrong = check_backward(p, parsed.program, t);
            if (!wrong.empty()) return wrong;
        } catch (const error& e) {
            return std::string("gradient refused: ") + e.what();
        }
    }
    return {};
}

}  // namespace

TEST_CASE("batches of random programs are what their parts are") {
    constructs all;
    all.twins = false;  // a letter's extent is bound once for the whole program
    on_random_programs(program_count(400), all, check_batch);
}

TEST_CASE("gradients of batches of random programs are those of their parts") {
    on_random_programs(program_count(150), smooth, check_gradients);
}
