// Plans as text, for records that are compared: all that reads plan::program_plan for them.
#include "tests/unit/plan/recorded/record.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "src/plan/words/opcode_words.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::testing {
namespace {

using namespace plan;

std::string number_words(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string word_of(opcode code) {
    static constexpr const char* words[] = {
        "constant", "load", "position", "negate", "square", "reciprocal",
#define RICCI_FUNCTION(NAME, WORD, ...) WORD,
#include <ricci/detail/functions.inc>
        "+",        "-",    "*",        "/",      "power",  "<",
        "<=",       "==",   "!=",       "and",    "or",     "select"};
    static_assert(sizeof words / sizeof *words == static_cast<std::size_t>(opcode::select) + 1);
    return words[static_cast<std::size_t>(code)];
}

std::string word_of(fold f) {
    static constexpr const char* words[] = {"map",     "sum",       "mean",    "maximum", "minimum",
                                            "product", "logsumexp", "softmax", "excess"};
    static_assert(sizeof words / sizeof *words == static_cast<std::size_t>(fold::excess) + 1);
    return words[static_cast<std::size_t>(f)];
}

std::string word_of(operation_kind kind) {
    static constexpr const char* words[] = {"values", "weights", "recomputed"};
    return words[static_cast<std::size_t>(kind)];
}

std::string word_of(storage kind) {
    static constexpr const char* words[] = {"input", "output", "workspace", "number",
                                            "tile",  "window", "unused"};
    static_assert(sizeof words / sizeof *words == static_cast<std::size_t>(storage::unused) + 1);
    return words[static_cast<std::size_t>(kind)];
}

void append(std::string& list, std::string_view separator, const std::string& item) {
    if (!list.empty()) list += separator;
    list += item;
}

class recorder {
public:
    recorder(const ir::program_view& program, const program_plan& plan) : p_(program), plan_(plan) {
        for (const auto& s : plan.compiled)
            for_each_slot(s, [&](slot_number number, bool) {
                number = plan.whole(number);
                if (of(number).name == ir::none && of(number).kind == storage::workspace)
                    temporaries_.try_emplace(number, static_cast<int>(temporaries_.size()) + 1);
            });
    }

    std::string record() const {
        std::string text;
        for (std::size_t k = 0; k < plan_.compiled.size(); ++k) {
            for (const step_passes& p : plan_.compiled_passes)
                if (p.first == k)
                    text += std::to_string(p.end - p.first) + " steps, " + std::to_string(p.count) +
                            " passes:\n";
            std::visit([&](const auto& what) { text += words_of_step(what); }, plan_.compiled[k]);
        }
        text += stored() + "workspace " + std::to_string(plan_.workspace_bytes) + "\n";
        for (const auto& rule : plan_.rules)
            text += "rule " + name(rule.slot) +
                    (rule.is_condition ? " 0 or 1" : " <= " + std::to_string(rule.most)) + "\n";
        for (const auto& note : plan_.notes) text += "not fused: " + note + "\n";
        if (plan_.instead)
            text += "instead: " + std::to_string(parts_of(*plan_.instead)) + " steps, workspace " +
                    std::to_string(plan_.instead->workspace_bytes) + "\n";
        return text;
    }

private:
    const slot& of(slot_number number) const { return plan_.slots[number.index()]; }
    /// The tensor's name; of numbers that the plan owns, what they are.
    std::string name(slot_number number) const {
        if (!number) return "position";
        number = plan_.whole(number);
        if (of(number).name != ir::none) return words_of_name(p_, of(number).name);
        const auto found = temporaries_.find(number);
        return found != temporaries_.end() ? "t" + std::to_string(found->second)
                                           : "an " + word_of(of(number).kind);
    }
    std::string index(ir::ref i) const { return words_of_index(p_, i); }

    /// i=32,j=48
    std::string loops(const std::vector<named_loop>& list) const {
        std::string words;
        for (const auto& l : list)
            append(words, ",", index(l.index) + "=" + std::to_string(l.extent));
        return words.empty() ? "-" : words;
    }
    static std::string inner(const std::vector<inner_loop>& list) {
        std::string words;
        for (const auto& l : list) append(words, "x", std::to_string(l.extent));
        return words.empty() ? "1" : words;
    }
    std::string scaled(const scalar& by) const {
        if (by.instructions.empty()) return by.value == 1 ? "" : number_words(by.value) + " ";
        std::string words;
        for (const auto& o : by.operands) append(words, ", ", name(o.slot));
        return "f(" + words + ")" + operations(by.instructions) + " ";
    }
    /// What an element-wise program computes; loads are not in it, numbers are.
    static std::string operations(const std::vector<instruction>& program) {
        std::string words;
        for (const auto& i : program)
            if (i.code == opcode::constant) append(words, " ", number_words(i.value));
            else if (i.code > opcode::position) append(words, " ", word_of(i.code));
        return "{" + words + "}";
    }

    static std::size_t parts_of(const program_plan& plan) {
        std::size_t count = 0;
        for (const auto& s : plan.compiled) for_each_part(s, [&](const auto&) { ++count; });
        return count;
    }

    std::string words_of_step(const contraction_step& c) const {
        return "contract " + contraction_words(c) + "\n";
    }
    std::string words_of_step(const joined_step& s) const {
        std::string text;
        for (const auto& part : s.parts)
            text += (text.empty() ? "contract " : "& contract ") + contraction_words(part.what) +
                    (part.common == shared_operand::a ? "  shares A\n" : "  shares B\n");
        return text;
    }
    std::string contraction_words(const contraction_step& c) const {
        std::string line = name(c.c.slot) + (c.beta == 1 ? " += " : " = ") + scaled(c.alpha);
        line += (c.a.conjugated ? "conj " : "") + name(c.a.slot) + " " +
                (c.b.conjugated ? "conj " : "") + name(c.b.slot);
        if (c.beta != 0 && c.beta != 1) line += " + " + number_words(c.beta) + " of it";
        line += "  batch " + loops(c.batch_names) + "  M " + loops(c.m_names) + "  N " +
                loops(c.n_names) + "  K " + loops(c.k_names);
        return line;
    }

    std::string words_of_step(const algebra_step& s) const {
        static constexpr const char* words[] = {"max", "min", "logsumexp"};
        return std::string(words[static_cast<std::size_t>(s.algebra)]) + " " + name(s.c.slot) +
               " = " + name(s.a.slot) + " + " + name(s.b.slot) + "  batch " + loops(s.batch_names) +
               "  M " + loops(s.m_names) + "  N " + loops(s.n_names) + "  K " + loops(s.k_names) +
               "\n";
    }

    std::string words_of_step(const tie_step& s) const {
        const bool kept = s.test == tie_test::kept_is_sum;
        const std::string weight = s.weight.use.slot ? " " + name(s.weight.use.slot) : "";
        const std::string number = s.number == 1 ? "" : " " + number_words(s.number);
        return "ties " + name(s.out.use.slot) + " =" + number + weight + " [" +
               name((kept ? s.kept : s.row).use.slot) + " = " +
               name((kept ? s.row : s.kept).use.slot) + " + " + name(s.column.use.slot) +
               "]  batch " + loops(s.batch) + "  M " + loops(s.m) + "  N " + loops(s.n) + "  K " +
               loops(s.k) + "\n";
    }

    std::string words_of_step(const map_step& m) const { return map_words(m) + "\n"; }
    std::string map_words(const map_step& m) const {
        std::vector<named_loop> free, over;
        for (std::size_t k = 0; k < m.extents.size(); ++k) {
            const bool folded = k + static_cast<std::size_t>(m.folded) >= m.extents.size();
            (folded ? over : free).push_back({m.indices[k], m.extents[k]});
        }
        std::string read;
        for (std::size_t k = 1; k < m.uses.size(); ++k) append(read, " ", name(m.uses[k].slot));
        std::string line = word_of(m.folding) + " " + name(m.uses[0].slot) + " = " +
                           operations(m.program) + " of " + (read.empty() ? "nothing" : read) +
                           "  free " + loops(free);
        if (!over.empty()) line += "  over " + loops(over);
        return line;
    }

    std::string words_of_step(const gather_step& g) const {
        std::string line = g.scatter ? "scatter " : g.lookups.empty() ? "convert " : "gather ";
        line += name(g.out.use.slot) + (g.scatter ? " += " : " = ") + name(g.in.use.slot);
        for (const auto& l : g.lookups)
            line += " at " + name(l.numbers.use.slot) + " of " + std::to_string(l.extent);
        if (g.wanted.use.slot) line += " where " + name(g.wanted.use.slot);
        std::vector<named_loop> over;
        for (std::size_t k = 0; k < g.extents.size(); ++k)
            over.push_back({g.indices[k], g.extents[k]});
        return line + "  " + loops(over) + "\n";
    }

    std::string words_of_step(const lookup_sum_step& s) const {
        const bool sums = s.by == steps::monoid::sum;
        std::string line = "lookups " + name(s.out.use.slot) + (s.adds ? " += " : " = ") +
                           (sums ? std::string() : steps::entry_of(s.by).word + std::string(" ")) +
                           "of";
        const auto at = [&](const std::vector<planned_lookup>& lookups, const char* word) {
            for (const auto& l : lookups)
                line += word + name(l.numbers.use.slot) + " of " + std::to_string(l.extent);
        };
        for (const auto& f : s.factors) {
            append(line, " ", name(f.from.use.slot));
            at(f.lookups, " at ");
        }
        at(s.scattered, " to ");
        std::vector<named_loop> free, over;
        for (std::size_t k = 0; k < s.extents.size(); ++k)
            (k < s.free ? free : over).push_back({s.indices[k], s.extents[k]});
        return line + "  free " + loops(free) + "  over " + loops(over) + "\n";
    }

    std::string words_of_step(const extremum_step& s) const {
        std::vector<named_loop> free, over;
        for (std::size_t k = 0; k < s.extents.size(); ++k)
            (k + 1 < s.extents.size() ? free : over).push_back({s.indices[k], s.extents[k]});
        return std::string(s.largest ? "argmax " : "argmin ") + name(s.out.use.slot) + " = " +
               name(s.in.use.slot) + "  free " + loops(free) + "  over " + loops(over) + "\n";
    }

    std::string words_of_step(const scan_step& s) const {
        std::vector<named_loop> over;
        for (std::size_t k = 0; k < s.extents.size(); ++k)
            over.push_back({s.indices[k], s.extents[k]});
        return std::string("scan ") + (s.backwards ? "backwards " : "") + word_of(s.folding) + " " +
               name(s.to.slot) + " = " + name(s.from.slot) +
               (s.decays() ? (s.logarithms ? " decay exp " : " decay ") + name(s.decayed_by.slot)
                           : "") +
               "  " + loops(over) + "\n";
    }

    std::string words_of_step(const matrix_step& s) const {
        const bool makes_factors = s.what.task == matrix_task::factor;
        std::string text = std::string(plan::word_of(s.what.task)) + " " +
                           name(makes_factors ? s.factors.slot : s.to.use.slot) + " = ";
        if (s.from.use.slot) text += name(s.from.use.slot);
        if (!makes_factors) text += " with " + name(s.factors.slot);
        text += "  " + std::to_string(s.what.size);
        for (const auto* const extents : {&s.batch, &s.columns})
            for (const auto extent : *extents) text += " " + std::to_string(extent);
        return text + "\n";
    }

    std::string words_of_step(const chained_step& s) const {
        std::string text = fused_words(s.first);
        for (const auto& sum : s.between)
            text +=
                "chained " + map_words(sum.alone) + "  sums " + inner(sum.of_rows.summed) + "\n";
        text += "chained " + fused_words(s.second);
        for (const auto& k : s.kept)
            text += "    kept: product " + std::to_string(k.first) + " of the first as " +
                    std::to_string(k.second) + "\n";
        return text;
    }
    std::string words_of_step(const fused_step& s) const { return fused_words(s); }
    std::string fused_words(const fused_step& s) const {
        const fused_group& g = s.group;
        const auto operand = [&](std::int32_t k) {
            return name(s.uses[static_cast<std::size_t>(k)].slot);
        };
        const auto in = [&](loop_role role) {
            std::vector<named_loop> list;
            for (std::size_t l = 0; l < g.loops.size(); ++l)
                if (g.loops[l].axis == role) list.push_back({s.loop_names[l], g.loops[l].extent});
            return loops(list);
        };
        std::string text = "fused  batch " + in(loop_role::batch) + "  rows " + in(loop_role::row) +
                           "  columns " + in(loop_role::column) + "\n";
        std::size_t tile = 0;
        for (const auto& p : g.products) {
            text += "    tile " + std::to_string(tile) +
                    (p.is_distance ? " distance " : " product ") + scaled(s.numbers[tile]) +
                    operand(p.a) + " " + operand(p.b) +
                    (p.weights < 0 ? "" : " weights " + operand(p.weights)) + " over " +
                    inner(p.contracted) + "\n";
            ++tile;
        }
        for (const auto& stage : g.operations) {
            text += "    tile " + std::to_string(tile++) + " " + word_of(stage.kind) + " " +
                    operations(stage.program) + " of " + loaded(s, stage.program);
            const bool again = stage.kind == operation_kind::recomputed;
            for (const auto of_rows :
                 {stage.log_sum_exp, stage.maximum, stage.excess, stage.largest})
                if (of_rows >= 0) text += (again ? " with " : " giving ") + operand(of_rows);
            text += "\n";
        }
        for (std::size_t k = 0; k < g.consumers.size(); ++k)
            text += "    " + consumer_words(s, k, operand) + "\n";
        std::string names;
        for (const auto& u : s.unstored) append(names, ", ", unstored_name(u));
        return text + "    not stored: " + names + "\n";
    }
    std::string unstored_name(const tensor_use& u) const {
        const ir::ref n = of(u.slot).name;
        if (n != ir::none) return words_of_name(p_, n);
        std::string axes;
        for (const ir::ref i : of(u.slot).axes) append(axes, ",", index(i));
        return "[" + axes + "]";
    }
    std::string loaded(const fused_step& s, const std::vector<instruction>& program) const {
        std::string words;
        for (const auto& i : program) {
            if (i.code != opcode::load && i.code != opcode::position) continue;
            append(words, " ",
                   i.operand < -1 ? "tile " + std::to_string(-2 - i.operand)
                                  : name(s.uses[static_cast<std::size_t>(i.operand)].slot));
        }
        return words.empty() ? "nothing" : words;
    }
    template <class Operand>
    std::string consumer_words(const fused_step& s, std::size_t number,
                               const Operand& operand) const {
        const fused_group& g = s.group;
        const tile_consumer& x = g.consumers[number];
        std::string line;
        switch (x.summed) {
            case loop_role::column:
                line = std::string(entry_of(x.by).word) + " of columns ";
                break;
            case loop_role::row:
                line = std::string(entry_of(x.by).word) + " of rows ";
                break;
            case loop_role::batch:
                line = x.added ? "added " : "written ";
                break;
        }
        const auto& strides = g.operands[static_cast<std::size_t>(x.output)].strides;
        std::string summed;
        for (std::size_t l = 0; l < g.loops.size(); ++l)
            if (g.loops[l].axis == loop_role::batch && g.loops[l].extent != 1 && strides[l] == 0)
                append(summed, ",", index(s.loop_names[l]));
        line += operand(x.output) + " = " + scaled(s.numbers[g.products.size() + number]) +
                "tile " + std::to_string(x.tile);
        if (x.count >= 0) line += " giving ties " + operand(x.count);
        if (x.place >= 0) line += " giving places " + operand(x.place);
        if (x.b >= 0) line += " " + operand(x.b) + " values " + inner(x.values);
        if (x.weights >= 0) line += " / weights " + std::to_string(x.weights);
        if (x.beta != 0) line += " + " + number_words(x.beta) + " of it";
        if (!summed.empty()) line += " over " + summed;
        return line;
    }

    /// What lies in the workspace; how, where the last axis is not the fastest.
    std::string stored() const {
        std::vector<slot_number> order;
        for (const auto& s : plan_.compiled)
            for_each_slot(s, [&](slot_number number, bool) {
                number = plan_.whole(number);
                if (of(number).kind == storage::workspace &&
                    std::find(order.begin(), order.end(), number) == order.end())
                    order.push_back(number);
            });
        std::string text;
        for (const auto number : order) {
            const slot& s = of(number);
            text += "stored " + name(number) + " " + words_of_extents(s.extents);
            std::vector<std::size_t> axes(s.extents.size());
            std::iota(axes.begin(), axes.end(), std::size_t{0});
            std::sort(axes.begin(), axes.end(), [&](std::size_t x, std::size_t y) {
                return s.strides[x] != s.strides[y] ? s.strides[x] > s.strides[y] : x < y;
            });
            if (!std::is_sorted(axes.begin(), axes.end())) {
                text += " axes in memory";
                for (const auto axis : axes) text += " " + std::to_string(axis);
            }
            if (s.is_foreign) text += std::string(" of ") + name_of(s.own_type);
            text += "\n";
        }
        return text;
    }

    const ir::program_view& p_;
    const program_plan& plan_;
    std::map<slot_number, int> temporaries_;
};

}  // namespace

std::string record_of(const ir::program_view& program, const plan::program_plan& plan) {
    return recorder(program, plan).record();
}

}  // namespace ricci::testing
