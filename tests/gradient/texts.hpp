// Derivatives of a text at run time, in every way that there is: gradient and tangent against
// differences, and what both print against what is read back.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <ricci/error.hpp>
#include <ricci/ir/needed.hpp>
#include <ricci/ir/order.hpp>
#include <ricci/parse.hpp>

#include "src/base/texts.hpp"
#include "tests/front.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// An input: its shape, and what its values are between; whole numbers from 0 where it says places.
struct given_tensor {
    std::string name;
    shape extents;
    double low = -1, high = 1;
    bool places = false;
};
inline given_tensor places_of(std::string name, shape extents, int below) {
    return {std::move(name), std::move(extents), 0, static_cast<double>(below), true};
}
inline given_tensor positive(std::string name, shape extents) {
    return {std::move(name), std::move(extents), 0.5, 1.5};
}

class text_check {
public:
    using tensors = std::map<std::string, dense>;

    text_check(std::string text, std::vector<given_tensor> inputs,
               std::map<std::string, std::int64_t> extents = {})
        : text_(std::move(text)), inputs_(std::move(inputs)), extents_(std::move(extents)) {
        unsigned seed = 1;
        for (const auto& in : inputs_) {
            std::mt19937 random(seed++);
            dense values = dense::zeros(in.extents);
            std::uniform_real_distribution<double> uniform(in.low, in.high);
            for (auto& x : values.values)
                x = in.places ? std::floor(uniform(random)) : uniform(random);
            values_[in.name] = values;
        }
    }
    /// What is wrong with the derivatives of `of`, or nothing.
    std::string run(const std::string& of, bool second = false) {
        second_ = second;
        const auto read = read_program(text_);
        if (read.mistake) return words_of(read.mistake);
        program_ = read.program;
        of_ = of;
        try {
            const dense here = run(program_, values_).at(of);
            weights_ = random_like(here, 77);
            for (const auto& in : inputs_)
                if (!in.places && wrong_.empty()) check(in);
        } catch (const std::exception& e) {
            if (wrong_.empty()) wrong_ = std::string("refused: ") + e.what();
        }
        return wrong_.empty() ? wrong_ : wrong_ + "\n" + text_ + "\n" + printed_;
    }

private:
    static std::string words_of(const ir::mistake& m) {
        const auto words = m.words.view();
        return {words.begin(), words.end()};
    }
    static dense random_like(const dense& other, unsigned seed) {
        std::mt19937 random(seed);
        dense out = dense::zeros(other.extents);
        for (auto& x : out.values) x = static_cast<double>(random() % 2001) / 1000 - 1;
        return out;
    }
    static long double dot(const dense& a, const dense& b) {
        long double total = 0;
        for (std::size_t k = 0; k < a.values.size(); ++k) total += a.values[k] * b.values[k];
        return total;
    }
    /// Without what no equation reads, and with it where its shape is asked for: shapes may not
    /// depend on what happens to be bound.
    tensors run(const ir::program& program, const tensors& values) const {
        tensors read;
        for (const auto& [name, x] : values) {
            const ir::ref n = program.find(detail::view_of(name));
            if (n != ir::none && ir::is_read(program, n)) read.emplace(name, x);
        }
        try {
            return run_with(program, read);
        } catch (const error&) {
            return run_with(program, values);
        }
    }
    tensors run_with(ir::program program, const tensors& values) const {
        std::vector<engine::index_extent> extents;
        for (const auto& [letter, n] : extents_) {
            const ir::ref i = program.intern_index(detail::view_of(letter));
            // one that a place is written out on stands in no text
            if (program.indices[i].extent >= 0) extents.push_back({i, n});
        }
        std::deque<memory> owned;
        std::map<ir::ref, memory*> results;
        std::mt19937 random(1);
        std::vector<engine::operand> operands;
        for (const auto& [name, x] : values) {
            const ir::ref n = program.find(detail::view_of(name));
            if (n == ir::none || program.definition(n) != ir::none) continue;
            const auto in =
                std::find_if(inputs_.begin(), inputs_.end(),
                             [&, &mine = name](const auto& i) { return i.name == mine; });
            const bool places = in != inputs_.end() && in->places;
            memory& m = owned.emplace_back(places ? element::i32 : element::f64, x.extents,
                                           layout::shuffled, random);
            std::size_t k = 0;
            m.each([&](std::int64_t at) { m.set(at, static_cast<double>(x.values[k++])); });
            operands.push_back({n, static_cast<std::int32_t>(m.extents.size()), m.data(),
                                m.extents.data(), m.strides.data(), 0});
            operands.back().is_positions = places;
        }
        struct context {
            std::deque<memory>& owned;
            std::map<ir::ref, memory*>& results;
            std::mt19937& random;
        } mine{owned, results, random};
        engine::request r;
        r.program = program.view();
        r.type = element::f64;
        r.inputs = operands.data();
        r.input_count = static_cast<std::int32_t>(operands.size());
        r.index_extents = extents.data();
        r.index_extent_count = static_cast<std::int32_t>(extents.size());
        r.context = &mine;
        r.allocate = [](void* self, ir::ref n, std::int32_t rank,
                        const std::int64_t* sizes) -> void* {
            auto& c = *static_cast<context*>(self);
            memory& m = c.owned.emplace_back(element::f64, shape(sizes, sizes + rank),
                                             layout::row_major, c.random);
            c.results[n] = &m;
            return m.data();
        };
        engine::executable(r).run();
        tensors out;
        for (const auto& [n, m] : results) {
            const auto text = program.name(n);
            out[{text.begin(), text.end()}] = m->values();
        }
        return out;
    }
    long double loss(const std::string& moving, const dense& along, double by) const {
        tensors values = values_;
        dense& x = values.at(moving);
        for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] += by * along.values[k];
        return dot(run(program_, values).at(of_), weights_);
    }
    void check(const given_tensor& in) {
        const dense v = random_like(values_.at(in.name), 5);
        const auto slope = [&](double h) {
            return (loss(in.name, v, h) - loss(in.name, v, -h)) / (2 * h);
        };
        const long double wanted = (4 * slope(1e-3) - slope(2e-3)) / 3;
        const auto close = [&](const char* what, long double got) {
            if (std::abs(got - wanted) <= 1e-7L * (1 + std::abs(wanted))) return;
            fail(std::string(what) + " by " + in.name + " is " +
                 std::to_string(static_cast<double>(got)) + " instead of " +
                 std::to_string(static_cast<double>(wanted)));
        };
        const std::string name = "dL/d" + in.name;
        derive_and_run("gradient", gradient_of(program_, of_, {in.name}),
                       {{"dL/d" + of_, weights_}}, [&](const tensors& got) {
                           if (got.at(name).extents != v.extents) return fail("another shape");
                           close("gradient", dot(got.at(name), v));
                       });
        derive_and_run(
            "tangent", tangent_of(program_, in.name), {{"d/dt " + in.name, v}},
            [&](const tensors& got) { close("tangent", dot(got.at("d/dt " + of_), weights_)); });
        const dense here = values_.at(in.name);
        derive_and_run("jacobian", jacobian_of(program_, of_, in.name), {},
                       [&](const tensors& got) {
                           const dense& all = got.at("d" + of_ + "/d" + in.name);
                           long double total = 0;
                           for (std::size_t r = 0; r < weights_.values.size(); ++r)
                               for (std::size_t c = 0; c < v.values.size(); ++c)
                                   total += all.values.at(r * v.values.size() + c) *
                                            weights_.values[r] * v.values[c];
                           close("jacobian", total);
                       });
        if (second_) check_second(in, v);
    }
    /// The gradient's own derivative along `v`, against differences of the gradient.
    void check_second(const given_tensor& in, const dense& v) {
        const outcome first = gradient_of(program_, of_, {in.name});
        if (!wrong_.empty() || first.mistake) return;
        const outcome second = tangent_of(first.program, in.name);
        if (second.mistake) return;
        const std::string name = "dL/d" + in.name;
        const auto at = [&](double h) {
            tensors values = values_;
            values["dL/d" + of_] = weights_;
            dense& x = values.at(in.name);
            for (std::size_t k = 0; k < x.values.size(); ++k) x.values[k] += h * v.values[k];
            return run(first.program, values).at(name);
        };
        const dense plus = at(1e-4), minus = at(-1e-4);
        derive_and_run(
            "second derivative", second, {{"dL/d" + of_, weights_}, {"d/dt " + in.name, v}},
            [&](const tensors& got) {
                const dense& moved = got.at("d/dt " + name);
                for (std::size_t k = 0; k < moved.values.size(); ++k) {
                    const long double wanted = (plus.values[k] - minus.values[k]) / 2e-4L;
                    if (!(std::abs(moved.values[k] - wanted) <= 1e-5L * (1 + std::abs(wanted))))
                        return fail("the gradient by " + in.name + " changes otherwise");
                }
            });
    }
    template <class F>
    void derive_and_run(const char* what, const outcome& derived, const tensors& more, F compare) {
        if (!wrong_.empty() || derived.mistake) return;
        printed_ = to_latex(derived.program.view());
        tensors values = values_;
        values.insert(more.begin(), more.end());
        compare(run(derived.program, values));
        auto again = read_equations(printed_);
        if (again.mistake)
            return fail(std::string(what) + " is not read back: " + words_of(again.mistake));
        ir::program& read = again.program;
        for (ir::equation& e : read.equations) e.claim = false;
        ir::order_equations(read, {});
        for (const ir::name_symbol& s : derived.program.names) {
            const ir::ref n = read.find(derived.program.text(s.text));
            if (n != ir::none) read.names[n].kept = s.kept, read.names[n].shape_only = s.shape_only;
        }
        if (wrong_.empty()) compare(run(read, values));
    }
    void fail(const std::string& words) {
        if (wrong_.empty()) wrong_ = words;
    }

    std::string text_, of_, wrong_, printed_;
    std::vector<given_tensor> inputs_;
    std::map<std::string, std::int64_t> extents_;
    tensors values_;
    dense weights_;
    ir::program program_;
    bool second_ = false;
};

inline std::string derivatives(const std::string& text, const std::string& of,
                               std::vector<given_tensor> inputs,
                               std::map<std::string, std::int64_t> extents = {}) {
    return text_check(text, std::move(inputs), std::move(extents)).run(of);
}

/// First and second derivatives, and what they print.
inline std::string all_of(const std::string& text, const std::string& of,
                          std::vector<given_tensor> inputs,
                          std::map<std::string, std::int64_t> extents = {}) {
    return text_check(text, std::move(inputs), std::move(extents)).run(of, true);
}

/// Whether what a check says is of the text itself, before anything was derived from it.
inline bool is_of_text(const std::string& wrong, const std::string& text) {
    const std::string end = "\n" + text + "\n";
    return wrong.size() > end.size() &&
           wrong.compare(wrong.size() - end.size(), end.size(), end) == 0;
}

}  // namespace ricci::testing
