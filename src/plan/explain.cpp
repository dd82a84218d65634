// A plan in words: a table with a line for each step under its equation.
#include "src/plan/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "src/plan/opcode_words.hpp"
#include "src/plan/words.hpp"

namespace ricci::plan {
namespace {

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// 1.25 G
std::string with_prefix(double value) {
    static constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t k = 0;
    for (; value >= 1000 && k + 1 < sizeof prefixes / sizeof *prefixes; ++k) value /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, k == 0 ? "%.0f %s" : "%.2f %s", value, prefixes[k]);
    return text;
}

class writer {
public:
    writer(const ir::program_view& p, const program_plan& plan) : p_(p), plan_(plan) {
        for (std::size_t k = 0; k < plan.slots.size(); ++k) {
            const auto& s = plan.slots[k];
            temporaries_.push_back(
                s.name == ir::none && (s.kind == storage::workspace || s.kind == storage::unused)
                    ? ++count_
                    : 0);
        }
    }

    std::string name(std::int32_t slot) const {
        const auto k = static_cast<std::size_t>(slot);
        return temporaries_[k] > 0 ? "t" + std::to_string(temporaries_[k])
                                   : words_of_name(p_, plan_.slots[k].name);
    }
    std::string use(const tensor_use& u) const {
        std::string indices;
        const auto& axes = plan_.slots[static_cast<std::size_t>(u.slot)].axes;
        if (u.positions.count > 0) indices = words_of_positions(p_, u.positions);
        if (u.positions.count < 0)
            for (ir::ref i : axes) indices += (indices.empty() ? "" : ",") + words_of_index(p_, i);
        return indices.empty() ? name(u.slot) : name(u.slot) + "[" + indices + "]";
    }
    std::string group(const char* title, const std::vector<named_loop>& loops) const {
        std::string names, extents;
        for (const auto& l : loops) {
            names += (names.empty() ? "" : ",") + words_of_index(p_, l.index);
            extents += (extents.empty() ? "" : "x") + std::to_string(l.extent);
        }
        return std::string(title) + " " + (loops.empty() ? "-" : names + "=" + extents);
    }

    static std::string conjugated(bool is, const std::string& operand) {
        return is ? "conj(" + operand + ")" : operand;
    }

    std::string contraction(const contraction_step& c) const {
        std::string line = "contract  " + use(c.c) + (c.beta == 1 ? " += " : " = ");
        if (!c.alpha.instructions.empty()) {
            line += "f(";
            bool first = true;
            for (const auto& o : c.alpha.operands) {
                line += (first ? "" : ", ") + name(o.slot);
                first = false;
            }
            line += ") ";
        } else if (c.alpha.value != 1) {
            line += short_number(c.alpha.value) + " ";
        }
        line += conjugated(c.conjugate_a, use(c.a)) + " " + conjugated(c.conjugate_b, use(c.b));
        if (c.beta != 0 && c.beta != 1) line += " + " + short_number(c.beta) + " " + use(c.c);
        return line + "   " + group("batch", c.batch_names) + "  " + group("M", c.m_names) + "  " +
               group("N", c.n_names) + "  " + group("K", c.k_names);
    }

    std::string operations(const std::vector<instruction>& program) const {
        std::string words;
        for (const auto& i : program)
            if (i.code > opcode::position)
                words += std::string(words.empty() ? "" : " ") + word_of(i.code);
        return words;
    }

    /// Whether a result of a streamed group is a sum of tiles, or of parts of them.
    static bool sums(const fused_step& g, const fused_step::sink& s) {
        if (s.summed != loop_role::batch || s.added) return true;
        const auto& strides = g.operands[static_cast<std::size_t>(s.output)].strides;
        for (std::size_t l = 0; l < g.loops.size(); ++l)
            if (g.loops[l].axis == loop_role::batch && g.loops[l].extent != 1 && strides[l] == 0)
                return true;
        return false;
    }

    std::string stream(const fused_step& g) const {
        std::string line = "stream  ";
        bool first = true;
        const auto operand = [&](std::int32_t k) {
            return use(g.operands[static_cast<std::size_t>(k)].use);
        };
        for (const auto& s : g.sinks) {
            line += (first ? "" : "; ") + operand(s.output) + (sums(g, s) ? " = sum of " : " = ") +
                    use(s.of);
            if (s.b >= 0) line += " " + operand(s.b);
            first = false;
        }
        for (const auto axis : {loop_role::batch, loop_role::row, loop_role::column}) {
            std::vector<named_loop> loops;
            for (std::size_t l = 0; l < g.loops.size(); ++l)
                if (g.loops[l].axis == axis) loops.push_back({g.loop_names[l], g.loops[l].extent});
            line += (axis == loop_role::batch ? "   " : "  ") +
                    group(axis == loop_role::batch ? "batch"
                          : axis == loop_role::row ? "rows"
                                                   : "columns",
                          loops);
        }
        return line;
    }

    /// What a streamed group does with a tile, and what it leaves out.
    std::string inside(const fused_step& g, const std::string& tiles) const {
        const auto operand = [&](std::int32_t k) {
            return use(g.operands[static_cast<std::size_t>(k)].use);
        };
        std::string line = "    tile: ";
        for (std::size_t p = 0; p < g.products.size(); ++p)
            line += (p > 0 ? ", " : "") + operand(g.products[p].a) + " " + operand(g.products[p].b);
        for (const auto& s : g.stages) {
            const auto words = operations(s.program);
            if (!words.empty()) line += "  {" + words + "}";
            if (s.kind == operation_kind::weights) line += "  softmax";
            if (s.kind == operation_kind::recomputed) line += "  softmax again";
        }
        if (!tiles.empty()) line += "; " + tiles;
        line += "\n    not stored: ";
        bool first = true;
        for (const auto& u : g.unstored) {
            line += (first ? "" : ", ") + use(u);
            first = false;
        }
        return line + "; " + with_prefix(g.saved_bytes) + "B saved\n";
    }

    std::string gather(const gather_step& g) const {
        std::string line = g.scatter ? "scatter  " : g.lookups.empty() ? "convert  " : "gather  ";
        line += use(g.out.use) + (g.scatter ? " += " : " = ") + use(g.in.use);
        for (const auto& l : g.lookups) line += ", places " + use(l.numbers.use);
        if (g.wanted.slot >= 0) line += " where " + use(g.wanted.use);
        line += "  ";
        for (std::size_t k = 0; k < g.indices.size(); ++k)
            line += (k > 0 ? "," : " ") + words_of_index(p_, g.indices[k]) + "=" +
                    std::to_string(g.extents[k]);
        return line;
    }

    std::string map(const map_step& m) const {
        std::string line = word_of(m.folding);
        std::string over, free;
        for (std::size_t k = 0; k < m.indices.size(); ++k) {
            auto& list = k + static_cast<std::size_t>(m.folded) >= m.indices.size() ? over : free;
            const auto index = words_of_index(p_, m.indices[k]);
            list += (list.empty() ? "" : ",") + index + "=" + std::to_string(m.extents[k]);
        }
        if (!over.empty()) line += " over " + over;
        line += "  " + use(m.operands[0].use) + " = ";
        bool first = true;
        for (std::size_t k = 1; k < m.operands.size(); ++k) {
            if (m.operands[k].slot < 0) continue;
            line += (first ? "" : ", ") + use(m.operands[k].use);
            first = false;
        }
        const auto words = operations(m.program);
        if (!words.empty()) line += (first ? "{" : "  {") + words + "}";
        if (words.empty() && first)
            line += m.program.back().code == opcode::position
                        ? "position"
                        : short_number(m.program.back().value);
        return line + (free.empty() ? "" : "   " + free);
    }

private:
    const ir::program_view& p_;
    const program_plan& plan_;
    std::vector<int> temporaries_;
    int count_ = 0;
};

}  // namespace

std::string explain(const ir::program_view& p, const program_plan& plan,
                    const std::function<std::string(std::size_t)>& details,
                    const std::string& kernels) {
    const writer words(p, plan);
    std::string text;
    double flops = 0, bytes = 0;
    std::size_t contractions = 0;
    ir::ref equation = ir::none;
    std::vector<std::string> lines;
    std::size_t width = 0;
    for (std::size_t k = 0; k < plan.compiled.size(); ++k) {
        const auto& s = plan.compiled[k];
        lines.push_back(s.is_stream        ? words.stream(s.stream)
                        : s.is_gather      ? words.gather(s.gather)
                        : s.is_contraction ? words.contraction(s.contraction)
                                           : words.map(s.map));
        if (lines.back().size() < 120) width = std::max(width, lines.back().size());
    }
    for (std::size_t k = 0; k < plan.compiled.size(); ++k) {
        const auto& s = plan.compiled[k];
        if (s.is_stream) {
            for (const auto e : s.stream.equations) text += words_of_equation(p, e) + "\n";
            equation = ir::none;
        } else if (s.equation != equation) {
            equation = s.equation;
            text += words_of_equation(p, equation) + "\n";
            const auto mine = std::count_if(
                plan.compiled.begin(), plan.compiled.end(), [&](const compiled_step& other) {
                    return other.equation == equation && other.is_contraction;
                });
            if (mine > 1) text += "  path: " + std::to_string(mine) + " contractions\n";
        }
        auto line = lines[k];
        if (line.size() < width) line.resize(width, ' ');
        text +=
            "  " + line + "   " + with_prefix(s.flops) + "FLOP  " + with_prefix(s.bytes) + "B\n";
        const std::string detail = details(k);
        if (s.is_stream) text += words.inside(s.stream, detail);
        else if (!detail.empty()) text += "    " + detail + "\n";
        flops += s.flops, bytes += s.bytes;
        contractions += s.is_map() || s.is_gather ? 0 : 1;
    }
    for (const auto& note : plan.notes) text += "not fused: " + note + "\n";
    text += "total: " + std::to_string(plan.compiled.size()) + " steps, " + with_prefix(flops) +
            "FLOP, " + with_prefix(bytes) + "B read and written, workspace " +
            with_prefix(static_cast<double>(plan.workspace_bytes)) + "B\n";
    if (contractions > 0 && !kernels.empty()) text += "kernels: " + kernels + "\n";
    return text;
}

}  // namespace ricci::plan
