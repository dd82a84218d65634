// Random fused programs with their derivatives, and with operands.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/property/fused_generator.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// The program with its derivatives by everything that has one.
inline ir::program with_gradients(const fused_program& p) {
    return program_of(gradient_of(bound_program::parsed(p.text), "O", p.wrt, true));
}

/// What makes an element of a number in [0, 1), by the kind of contents that a tensor has.
using content_maker = double (*)(double uniform, double columns);
inline content_maker maker_of(const std::string& kind) {
    if (kind == "mask") return [](double u, double) -> double { return u < 0.3 ? -INFINITY : 0; };
    if (kind == "truth") return [](double u, double) -> double { return u < 0.5 ? 1 : 0; };
    if (kind == "lengths") return [](double u, double n) { return std::floor(u * (n + 1)); };
    if (kind == "columns") return [](double u, double n) { return std::floor(u * n); };
    if (kind == "numbers")
        return [](double u, double) { return std::floor(u * static_cast<double>(table_extent)); };
    if (kind == "documents") return [](double u, double) { return std::floor(4 * u); };
    if (kind == "positive") return [](double u, double) { return 1 + u; };
    return [](double u, double) { return 2 * u - 1; };
}

/// The number as elements of a type hold it.
inline double rounded_to(element type, double x) {
    switch (type) {
        case element::f32:
            return static_cast<double>(static_cast<float>(x));
        case element::bf16:
            return static_cast<double>(static_cast<float>(bf16(x)));
        case element::f16:
            return static_cast<double>(static_cast<float>(f16(x)));
        default:
            return x;
    }
}

/// Binds every input: the same values, as `numbers` holds them, whatever the layout.
inline void bind_fused(bound_program& p, const fused_choices& c, const fused_program& what,
                       element type, element numbers, layout l) {
    const auto view = p.view();
    std::vector<bool> done(static_cast<std::size_t>(view.names.size()));
    for (const auto& node : view.nodes) {
        if (node.kind != ir::op::tensor || done[static_cast<std::size_t>(node.name)] ||
            view.definition(node.name) != ir::none)
            continue;
        done[static_cast<std::size_t>(node.name)] = true;
        const auto text = view.name(node.name);
        const std::string name(text.begin(), text.end());
        shape extents;
        for (std::int32_t k = 0; k < node.positions.count; ++k) {
            const auto& at = view.at(node.positions, k);
            extents.push_back(at.kind == ir::position_kind::index
                                  ? c.extent(*view.index(at.index).begin())
                              : at.kind == ir::position_kind::gathered
                                  ? table_extent
                                  : std::max<std::int64_t>(c.extent('i'), 1) +
                                        std::max<std::int64_t>(c.extent('j'), 1) - 1);
        }
        const auto known = what.contents.find(name);
        const bool is_number = known != what.contents.end() &&
                               (known->second == "numbers" || known->second == "columns");
        // The scores of wide operands are about as large as those of narrow ones.
        const bool is_wide = c.extents.at('a') > 40 && std::string("QKPR").find(name[0]) < 4;
        auto& memory = p.allocate(extents, l, is_number ? element::i32 : type);
        std::mt19937 random(
            c.seed +
            77 * static_cast<unsigned>(name.size() + 31 * static_cast<unsigned char>(name.back())));
        const content_maker made = maker_of(known == what.contents.end() ? "" : known->second);
        const auto columns = static_cast<double>(c.extent('j'));
        memory.each([&](std::int64_t at) {
            const double uniform = static_cast<double>(random()) / 4294967296.0;
            memory.set(at, rounded_to(numbers, made(uniform, columns) / (is_wide ? 4 : 1)));
        });
        p.input(name, memory);
        p.inputs.back().is_positions = is_number;
    }
}

}  // namespace ricci::testing
