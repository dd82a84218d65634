// Programs of places with operands for the engine.
#pragma once

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "tests/property/place_values.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// A program, of these places or derived from one of them, whose operands are bound.
class bound_places {
public:
    bound_places(const place_program& p, ir::program program, element type,
                 const tensor_values& values)
        : bound_(std::move(program), type, p.seed), random_(p.seed * 5u + 3) {
        for (const auto& [name, x] : values) {
            const ir::ref n = bound_.name(name);
            if (n == ir::none || bound_.view().definition(n) != ir::none) continue;
            const auto known = p.tensors.find(name);
            if (known != p.tensors.end() && known->second.holds_numbers()) bind_numbers(n, x);
            else fill(bound_.input(name, x.extents).operand(n), x);
        }
    }
    bound_program& program() { return bound_; }
    /// Every output by name.
    tensor_values run() {
        auto step = bound_.prepare();
        words_ = step.explain();
        step.run();
        tensor_values all;
        for (const ir::ref n : bound_.output_names()) {
            const auto text = bound_.view().name(n);
            all[std::string(text.begin(), text.end())] = bound_.result(n).values();
        }
        return all;
    }
    const std::string& explanation() const { return words_; }

private:
    static void fill(memory& m, const dense& x) {
        std::size_t k = 0;
        m.each([&](std::int64_t at) { m.set(at, static_cast<double>(x.values[k++])); });
    }
    void bind_numbers(ir::ref n, const dense& x) {
        const element type = random_() % 2 == 0 ? element::i32 : element::i64;
        memory& m = numbers_.emplace_back(type, x.extents, layout::shuffled, random_);
        fill(m, x);
        engine::operand o{n,
                          static_cast<std::int32_t>(m.extents.size()),
                          m.data(),
                          m.extents.data(),
                          m.strides.data(),
                          0};
        o.is_positions = true;
        o.positions = type;
        bound_.inputs.push_back(o);
    }

    bound_program bound_;
    std::mt19937 random_;
    std::deque<memory> numbers_;
    std::string words_;
};

}  // namespace ricci::testing
