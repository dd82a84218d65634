// What a program prints is read as a program of the same inputs and outputs, in their order, and of
// the same values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <ricci/detail/bind/parse_and_define.hpp>
#include <ricci/error.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/roles.hpp>

#include "tests/property/corpus_shapes.hpp"
#include "tests/property/run.hpp"

namespace ricci::testing {

/// The equations as the front end of this test prints them.
inline std::string printed_of(const ir::program_view& p) {
    detail::text_builder text;
    ir::to_latex(p, text);
    return spelled(text.view());
}

/// The inputs and outputs with their ranks, in their order, or the inputs by name.
inline std::string face_of(const ir::program_view& p, bool by_name = false) {
    std::string words = "takes";
    const auto of = [&](ir::ref n) {
        return ' ' + spelled(p.name(n)) + ' ' + std::to_string(ir::rank_of(p, n));
    };
    const auto add = [&](ir::ref n) { words += of(n); };
    std::vector<std::string> inputs;
    for (ir::ref n = 0; n < p.names.size(); ++n)
        if (ir::is_input(p, n)) inputs.push_back(of(n));
    if (by_name) std::sort(inputs.begin(), inputs.end());
    for (const std::string& input : inputs) words += input;
    words += ", gives";
    for (const ir::equation& e : p.equations)
        if (!e.claim && ir::is_output(p, e.name)) add(e.name);
    return words;
}

/// Numbers for the inputs of a program of which only the equations are known.
class numbers_for {
public:
    explicit numbers_for(const ir::program& p) : p_(p), shapes_(p_.view(), 11, {3, 4, 5}, true) {
        const ir::program_view view = p_.view();
        std::mt19937 random(3);
        std::uniform_real_distribution<double> uniform(0.2, 0.9);  // where logarithms and roots are
        for (ir::ref n = 0; n < view.names.size(); ++n) {
            if (!ir::is_input(view, n)) continue;
            dense values = dense::zeros(shapes_.shape(n));
            const std::int64_t places = shapes_.places(n);
            for (auto& x : values.values)
                x = places > 0 ? static_cast<double>(random() % static_cast<unsigned>(places))
                               : uniform(random);
            given_[spelled(view.name(n))] = values;
        }
    }
    /// The outputs of the program, or of one that takes the same. `extents`: of letters, which are
    /// given where the shapes do not say them.
    std::map<std::string, dense> run(const ir::program& program, bool extents) const {
        bound_program engine(program, element::f64, 3);
        for (const auto& [name, values] : given_) {
            memory& m = engine.allocate(values.extents);
            std::size_t k = 0;
            m.each([&](std::int64_t at) { m.set(at, static_cast<double>(values.values[k++])); });
            engine.input(name, m);
        }
        std::set<std::string> done;
        const ir::program_view own = p_.view();
        for (ir::ref i = 0; extents && i < own.indices.size(); ++i) {
            const std::string letter = spelled(own.index(i));
            const bool known = program.find_index(own.index(i)) != ir::none;
            if (known && done.insert(letter).second) engine.extent(letter, shapes_.extent(i));
        }
        engine.prepare().run();
        std::map<std::string, dense> out;
        for (const ir::ref n : engine.output_names())
            out[spelled(engine.view().name(n))] = engine.result(n).values();
        return out;
    }

private:
    ir::program p_;
    corpus_shapes shapes_;
    std::map<std::string, dense> given_;
};

/// How many programs were run, of those that were read.
struct counts {
    int read = 0;
    int run = 0;
};

/// Whether a program runs on shapes alone, so that what is derived from it has to do so as well.
inline bool runs_on_shapes(const ir::program& p) {
    try {
        numbers_for(p).run(p, false);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// What is wrong with what a program prints, or nothing. `by_name`: its inputs may come in another
/// order, as solutions are printed with their right-hand sides inside. `shapes`: they say all
/// extents, or may do so.
inline std::string read_back(const ir::program& first, counts* seen = nullptr, bool by_name = false,
                             bool shapes = true) {
    const std::string printed = printed_of(first.view());
    const auto second =
        detail::parse_and_define({printed.data(), static_cast<std::int32_t>(printed.size())});
    const auto wrong = [&](const std::string& words) { return words + "\nprinted " + printed; };
    if (second.mistake) return wrong("not read back: " + spelled(second.mistake.words));
    const std::string face = face_of(first.view(), by_name),
                      other = face_of(second.program.view(), by_name);
    if (face != other) return wrong("the program " + face + "; what is read " + other);
    if (seen != nullptr) ++seen->read;
    bool ran = false;
    for (const bool extents : {!shapes, true}) try {
            const numbers_for numbers(first);
            const auto expected = numbers.run(first, extents);
            ran = true;
            const std::string differs =
                difference(numbers.run(second.program, extents), expected, 1e-9);
            if (seen != nullptr) ++seen->run;
            return differs.empty() ? differs : wrong(differs);
        } catch (const std::exception& e) {
            // of the first program: shapes that do not fit together, which this cannot know
            if (ran) return wrong(std::string("refused: ") + e.what());
        }
    return {};
}

}  // namespace ricci::testing
