// A plan as notation.
#include "src/plan/words/notation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "src/plan/words/opcode_words.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

/// How tightly an expression holds together, from a sum of terms to what stands alone.
enum level : int { as_sum, as_product, alone };

class printer {
public:
    printer(const ir::program_view& program, const program_plan& plan)
        : program_(program), plan_(plan), values_(plan.values) {
        int count = 0;
        for (const auto& s : plan.slots) temporaries_.push_back(s.name == ir::none ? ++count : 0);
    }

    std::string line(const step& s) const {
        if (const assign* a = s.as_assign())
            return fmt::format("{:<58}  {}\n", text(*a), way_of(*a));
        if (const fused* f = s.as_fused())
            return fmt::format("fused{}\n{}", loops(*f), members(*f, " "));
        const auto& chain = std::get<chained>(s.what);
        std::string kept, between;
        for (const auto& k : chain.kept)
            kept += fmt::format("{} {}", kept.empty() ? "   kept:" : ",", tensor(k.first));
        for (const auto& a : chain.between)
            between += fmt::format("     {:<58}  between\n", text(a));
        return fmt::format("fused{}   by blocks of rows{}\n{}{}{}", loops(chain.first), kept,
                           members(chain.first, "0"), between, members(chain.second, "1"));
    }

private:
    std::string loop_name(loop l) const {
        const ir::ref letter = values_.loops().letter(l);
        if (letter == ir::none) return fmt::format("l{}", l.number());
        std::string name = words_of_index(program_, letter);
        for (std::size_t k = 0; k < l.index(); ++k)
            if (const loop other(k);
                values_.loops().letter(other) == letter && values_.extent(other) >= 0)
                name += "'";
        return name;
    }
    std::string names(const loop_list& list) const {
        return joined(list, ",", [&](loop l) { return loop_name(l); });
    }
    std::string tensor(slot_number slot) const {
        const auto k = plan_.whole(slot).index();
        return temporaries_[k] > 0 ? fmt::format("t{}", temporaries_[k])
                                   : words_of_name(program_, plan_.slots[k].name);
    }
    std::string text(const place& p) const {
        if (p.edge != edge::none) {
            place plain = p;
            plain.edge = edge::none;
            const char* const word = p.edge == edge::clamp  ? "clamp"
                                     : p.edge == edge::wrap ? "wrap"
                                                            : "pad";
            return fmt::format("{}({}, {} to {})", word, text(plain), p.low, p.high);
        }
        std::string all;
        for (const auto& t : p.terms) {
            const auto size = std::abs(t.factor);
            all += fmt::format("{}{}{}",
                               t.factor < 0  ? "-"
                               : all.empty() ? ""
                                             : "+",
                               size != 1 ? fmt::format("{}", size) : "", loop_name(t.over));
        }
        if (p.offset != 0 || all.empty())
            all += fmt::format("{}{}", all.empty() || p.offset < 0 ? "" : "+", p.offset);
        return all;
    }
    std::string text(const access& a, const std::vector<std::string>& lookups = {}) const {
        std::string all;
        for (std::size_t axis = 0; axis < a.at.size(); ++axis)
            all += fmt::format("{}{}", axis > 0 ? "," : "",
                               axis < lookups.size() && !lookups[axis].empty()
                                   ? lookups[axis]
                                   : text(a.at[axis]) + further_on(a.slot, axis));
        return all.empty() ? tensor(a.slot) : fmt::format("{}[{}]", tensor(a.slot), all);
    }
    /// Of a window, where it begins.
    std::string further_on(slot_number number, std::size_t axis) const {
        const slot& s = plan_.slots[number.index()];
        if (s.kind != storage::window) return "";
        std::string words;
        if (const auto first = s.window.first[axis]; first != 0) words += fmt::format("+{}", first);
        if (const auto by = s.window.advance[axis]; by != 0) words += fmt::format("+{} pass", by);
        return words;
    }
    static std::string number(double value) { return fmt::format("{:.6g}", value); }

    static std::string held(std::string words, level has, level wanted) {
        return has < wanted ? fmt::format("({})", words) : words;
    }

    std::string text(expr e, level wanted = as_sum) const {
        const auto& n = values_[e];
        switch (n.kind) {
            case kind::constant:
                return held(number(n.value), n.value < 0 ? as_sum : alone, wanted);
            case kind::load:
                return text(n.source);
            case kind::position:
                return held(text(n.at), n.at.terms.size() > 1 || n.at.offset != 0 ? as_sum : alone,
                            wanted);
            case kind::gather: {
                std::vector<std::string> lookups(n.source.at.size());
                for (std::size_t k = 0; k < n.lookups.size(); ++k)
                    lookups[static_cast<std::size_t>(n.lookups[k].axis)] = text(n.arguments[k]);
                if (!n.has_condition()) return text(n.source, lookups);
                return fmt::format("{} where {}", text(n.source, lookups),
                                   text(n.arguments.back()));
            }
            case kind::sum:
                return held(
                    fmt::format("sum({}) {}", names(n.over), text(n.arguments[0], as_product)),
                    as_product, wanted);
            case kind::fold:
                return fmt::format("{}({})({})", word_of(n.folding), names(n.over),
                                   text(n.arguments[0]));
            case kind::operation:
                return operation(n, wanted);
        }
        return "";
    }

    std::string operation(const expression& n, level wanted) const {
        if (n.code == opcode::add) {
            std::string all;
            for (const expr a : n.arguments) {
                const auto& t = values_[a];
                const bool minus =
                    t.code == opcode::multiply && values_.is_constant(t.arguments[0], -1);
                all +=
                    fmt::format("{}{}", all.empty() ? (minus ? "-" : "") : (minus ? " - " : " + "),
                                minus ? product(t, 1) : text(a, as_sum));
            }
            return held(all, as_sum, wanted);
        }
        if (n.code == opcode::subtract)
            return held(
                fmt::format("{} - {}", text(n.arguments[0]), text(n.arguments[1], as_product)),
                as_sum, wanted);
        if (n.code == opcode::multiply) return held(product(n, 0), as_product, wanted);
        if (n.code == opcode::reciprocal)
            return held(fmt::format("1 / {}", text(n.arguments[0], alone)), as_product, wanted);
        if (n.code == opcode::square) return fmt::format("{}^2", text(n.arguments[0], alone));
        if (n.code == opcode::power)
            return fmt::format("{}^{}", text(n.arguments[0], alone), text(n.arguments[1], alone));
        if (n.code >= opcode::divide && n.code <= opcode::logical_or)
            return fmt::format("[{} {} {}]", text(n.arguments[0]), word_of(n.code),
                               text(n.arguments[1]));
        if (n.code == opcode::select)
            return fmt::format("({} if {}, else {})", text(n.arguments[1]), text(n.arguments[0]),
                               text(n.arguments[2]));
        return fmt::format("{}({})", word_of(n.code),
                           joined(n.arguments, ", ", [&](expr a) { return text(a); }));
    }
    std::string product(const expression& n, std::size_t first) const {
        std::string all;
        for (std::size_t k = first; k < n.arguments.size(); ++k) {
            const auto& f = values_[n.arguments[k]];
            const bool below = f.code == opcode::reciprocal;
            if (below && all.empty()) all = "1";
            all += below ? fmt::format(" / {}", text(f.arguments[0], alone))
                         : fmt::format("{}{}", all.empty() ? "" : " ",
                                       text(n.arguments[k], as_product));
        }
        return all;
    }

    std::string decay_of(const assign& a) const {
        return a.logarithms ? fmt::format(", times exp({})", text(a.decay))
                            : fmt::format(", times {}", text(a.decay));
    }
    std::string text(const assign& a) const {
        std::string scale, place, over, before;
        if (a.scale && !values_.is_constant(a.scale, 1))
            scale = fmt::format("{} ", text(a.scale, as_product));
        if (a.scattered && a.numbers)
            place = fmt::format("[{} = {}] ", loop_name(a.scattered), text(a.numbers));
        if (a.kind == assignment_kind::scan)
            over = fmt::format("{}({} on{}) ", word_of(a.folding), loop_name(a.along),
                               a.decay ? decay_of(a) : "");
        else if (a.kind == assignment_kind::extremum)
            over = fmt::format("arg{}({}) ", word_of(a.folding), names(a.over));
        else if (a.kind == assignment_kind::matrix && a.matrix.task == matrix_task::solve)
            over = fmt::format("solve({}) {} with ", names(a.over), text(a.right, as_product));
        else if (a.kind == assignment_kind::matrix)
            over = fmt::format("{} of ", word_of(a.matrix.task));
        else if (a.folding != fold::none)
            over = fmt::format("{}({}) ", word_of(a.folding), names(a.over));
        if (a.beta != 0 && a.beta != 1)
            before = fmt::format(" + {} {}", number(a.beta), text(a.target));
        return fmt::format("{} {} {}{}{}{}{}", text(a.target), a.beta == 1 ? "+=" : "=", scale,
                           place, over, text(a.body, a.folding == fold::none ? as_sum : as_product),
                           before);
    }

    static const char* way_of(const assign& a) {
        static constexpr const char* words[] = {"contract", "map",    "gather", "lookups",
                                                "scatter",  "matrix", "place",  "scan"};
        if (a.kind == assignment_kind::matrix) return word_of(a.matrix.task);
        if (a.kind == assignment_kind::map && a.folding != fold::none) return "fold";
        return a.backwards ? "scan backwards" : word_in<assignment_kind::scan>(words, a.kind);
    }
    static const char* part_of(const member& m) {
        static constexpr const char* words[] = {"tile, a product",
                                                "tile, distances",
                                                "tile, rescaled while the maximum rises",
                                                "rows",
                                                "rows",
                                                "rows",
                                                "rows",
                                                "tile, recomputed",
                                                "tile",
                                                "rows",
                                                "columns",
                                                "with it",
                                                "with it",
                                                "pairs",
                                                "added"};
        return m.weights ? "rows, rescaled" : word_in<member_kind::added>(words, m.kind);
    }

    std::string members(const fused& f, const char* phase) const {
        std::string all;
        for (const auto& m : f.members)
            all += fmt::format("  {}  {:<58}  {}\n", phase, text(m.what), part_of(m));
        return all;
    }
    std::string loops(const fused& f) const {
        std::string all;
        for (const auto role : {loop_role::batch, loop_role::row, loop_role::column}) {
            const loop_list mine = loops_of(f.loops, role);
            if (mine.empty()) continue;
            all += fmt::format("  {} {}", word_of(role), names(mine));
        }
        if (!f.unstored.empty())
            all += fmt::format("   not stored: {}", joined(f.unstored, ", ", [&](const access& a) {
                                   return tensor(a.slot);
                               }));
        return all;
    }

    const ir::program_view& program_;
    const program_plan& plan_;
    const graph& values_;
    std::vector<int> temporaries_;
};

}  // namespace

std::string notation_of(const ir::program_view& program, const program_plan& plan,
                        std::size_t step) {
    return printer(program, plan).line(plan.steps[step]);
}

std::string notation_of(const ir::program_view& program, const program_plan* plan) {
    std::string text;
    if (plan == nullptr) {
        for (ir::ref e = 0; e < program.equations.size(); ++e)
            if (ir::computes(program, program.equations[e]))
                text += fmt::format("     {}\n", words_of_equation(program, e));
        return text;
    }
    const printer print(program, *plan);
    for (std::size_t k = 0; k < plan->steps.size(); ++k) {
        for (const step_passes& p : plan->passes)
            if (p.first == k)
                text += fmt::format("     {} to {}: {} passes\n", k + 1, p.end, p.count);
        text += fmt::format("{:<5}{}", k + 1, print.line(plan->steps[k]));
    }
    return text;
}

std::string notation_after(const char* pass, const ir::program_view& program,
                           const program_plan* plan) {
    return fmt::format("after {}\n{}", pass, notation_of(program, plan));
}

}  // namespace ricci::plan
