// A plan as notation.
#include "src/plan/notation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "src/plan/opcode_words.hpp"
#include "src/plan/words.hpp"

namespace ricci::plan {
namespace {

/// How tightly an expression holds together, from a sum of terms to what stands alone.
enum level : int { terms, factors, alone };

class printer {
public:
    printer(const ir::program_view& program, const program_plan& plan)
        : program_(program), plan_(plan), values_(plan.values) {
        int count = 0;
        for (const auto& s : plan.slots) temporaries_.push_back(s.name == ir::none ? ++count : 0);
    }

    std::string line(const step& s) const {
        if (const assign* a = s.as_assign())
            return fmt::format("{}  {}\n", fmt::format("{:<58}", text(*a)), way_of(*a));
        if (const fused* f = s.as_fused()) return "fused" + loops(*f) + "\n" + members(*f, -1);
        const auto& chain = std::get<chained>(s.what);
        std::string all = "fused" + loops(chain.first) + "   by blocks of rows";
        all += chain.kept.empty() ? "\n" : "   kept:";
        for (std::size_t k = 0; k < chain.kept.size(); ++k)
            all += (k > 0 ? ", " : " ") + tensor(chain.kept[k].first);
        if (!chain.kept.empty()) all += "\n";
        all += members(chain.first, 0);
        for (const auto& a : chain.between) all += fmt::format("     {:<58}  between\n", text(a));
        return all + members(chain.second, 1);
    }

private:
    std::string loop_name(loop l) const {
        const ir::ref letter = values_.loops().letter(l);
        if (letter == ir::none) return fmt::format("l{}", l);
        std::string name = words_of_index(program_, letter);
        for (loop other = 0; other < l; ++other)
            if (values_.loops().letter(other) == letter && values_.extent(other) >= 0) name += "'";
        return name;
    }
    std::string names(const loop_list& list) const {
        std::string all;
        for (const loop l : list) all += (all.empty() ? "" : ",") + loop_name(l);
        return all;
    }
    std::string tensor(std::int32_t slot) const {
        const auto k = static_cast<std::size_t>(slot);
        return temporaries_[k] > 0 ? fmt::format("t{}", temporaries_[k])
                                   : words_of_name(program_, plan_.slots[k].name);
    }
    std::string text(const place& p) const {
        std::string all;
        for (const auto& t : p.terms) {
            if (t.factor < 0) all += "-";
            else if (!all.empty()) all += "+";
            if (std::abs(t.factor) != 1) all += fmt::format("{}", std::abs(t.factor));
            all += loop_name(t.over);
        }
        if (p.offset != 0 || all.empty())
            all += fmt::format("{}{}", all.empty() || p.offset < 0 ? "" : "+", p.offset);
        return all;
    }
    std::string text(const access& a, const std::vector<std::string>& lookups = {}) const {
        std::string all;
        for (std::size_t axis = 0; axis < a.at.size(); ++axis) {
            if (axis > 0) all += ",";
            all +=
                axis < lookups.size() && !lookups[axis].empty() ? lookups[axis] : text(a.at[axis]);
        }
        return tensor(a.slot) + (all.empty() ? "" : "[" + all + "]");
    }
    static std::string number(double value) { return fmt::format("{:.6g}", value); }

    static std::string held(std::string words, level has, level wanted) {
        return has < wanted ? "(" + words + ")" : words;
    }

    std::string text(expr e, level wanted = terms) const {
        const auto& n = values_[e];
        switch (n.kind) {
            case kind::constant:
                return held(number(n.value), n.value < 0 ? terms : alone, wanted);
            case kind::load:
                return text(n.source);
            case kind::position:
                return held(text(n.at), n.at.terms.size() > 1 || n.at.offset != 0 ? terms : alone,
                            wanted);
            case kind::gather: {
                std::vector<std::string> lookups(n.source.at.size());
                for (std::size_t k = 0; k < n.lookups.size(); ++k)
                    lookups[static_cast<std::size_t>(n.lookups[k].axis)] = text(n.arguments[k]);
                return text(n.source, lookups) + (n.arguments.size() > n.lookups.size()
                                                      ? " where " + text(n.arguments.back())
                                                      : "");
            }
            case kind::sum:
                return held(fmt::format("sum({}) {}", names(n.over), text(n.arguments[0], factors)),
                            factors, wanted);
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
                const bool minus = t.kind == kind::operation && t.code == opcode::multiply &&
                                   values_.is_constant(t.arguments[0], -1);
                all += all.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
                all += minus ? product(t, 1) : text(a, terms);
            }
            return held(all, terms, wanted);
        }
        if (n.code == opcode::subtract)
            return held(text(n.arguments[0]) + " - " + text(n.arguments[1], factors), terms,
                        wanted);
        if (n.code == opcode::multiply) return held(product(n, 0), factors, wanted);
        if (n.code == opcode::reciprocal)
            return held("1 / " + text(n.arguments[0], alone), factors, wanted);
        if (n.code == opcode::square) return text(n.arguments[0], alone) + "^2";
        if (n.code == opcode::power)
            return text(n.arguments[0], alone) + "^" + text(n.arguments[1], alone);
        if (n.code >= opcode::divide && n.code <= opcode::logical_or)
            return fmt::format("[{} {} {}]", text(n.arguments[0]), word_of(n.code),
                               text(n.arguments[1]));
        if (n.code == opcode::select)
            return fmt::format("({} if {}, else {})", text(n.arguments[1]), text(n.arguments[0]),
                               text(n.arguments[2]));
        std::string all;
        for (const expr a : n.arguments) all += (all.empty() ? "" : ", ") + text(a);
        return fmt::format("{}({})", word_of(n.code), all);
    }
    std::string product(const expression& n, std::size_t first) const {
        std::string all;
        for (std::size_t k = first; k < n.arguments.size(); ++k) {
            const auto& f = values_[n.arguments[k]];
            const bool below = f.kind == kind::operation && f.code == opcode::reciprocal;
            if (below && all.empty()) all = "1";
            all += below ? " / " + text(f.arguments[0], alone)
                         : (all.empty() ? "" : " ") + text(n.arguments[k], factors);
        }
        return all;
    }

    std::string text(const assign& a) const {
        std::string all = text(a.target);
        all += a.beta == 1 ? " += " : " = ";
        if (a.scale >= 0 && !values_.is_constant(a.scale, 1)) all += text(a.scale, factors) + " ";
        if (a.scattered >= 0)
            all += fmt::format("[{} = {}] ", loop_name(a.scattered), text(a.numbers));
        if (a.folding != fold::none)
            all += fmt::format("{}({}) ", word_of(a.folding), names(a.over));
        all += text(a.body, a.folding == fold::none ? terms : factors);
        if (a.beta != 0 && a.beta != 1) all += " + " + number(a.beta) + " " + text(a.target);
        return all;
    }

    static const char* way_of(const assign& a) {
        switch (a.how) {
            case way::contract:
                return "contract";
            case way::map:
                return a.folding == fold::none ? "map" : "fold";
            case way::gather:
                return "gather";
            case way::scatter:
                return "scatter";
        }
        return "";
    }
    static const char* part_of(const member& m) {
        switch (m.as) {
            case part::product:
                return "tile, a product";
            case part::weights:
                return "tile, rescaled while the maximum rises";
            case part::log_sum:
                return "rows";
            case part::recomputed:
                return "tile, recomputed";
            case part::tile:
                return "tile";
            case part::rows:
                return m.weights >= 0 ? "rows, rescaled" : "rows";
            case part::columns:
                return "columns";
            case part::pairs:
                return "pairs";
            case part::added:
                return "added";
        }
        return "";
    }
    std::string members(const fused& f, int phase) const {
        std::string all;
        for (const auto& m : f.members)
            all += fmt::format("  {}  {:<58}  {}\n", phase < 0 ? " " : std::to_string(phase),
                               text(m.what), part_of(m));
        return all;
    }
    std::string loops(const fused& f) const {
        std::string all;
        for (const auto role : {loop_role::batch, loop_role::row, loop_role::column}) {
            loop_list mine;
            for (const auto& l : f.loops)
                if (l.role == role) mine.push_back(l.what);
            if (mine.empty()) continue;
            all += role == loop_role::batch ? "  batch "
                   : role == loop_role::row ? "  rows "
                                            : "  columns ";
            all += names(mine);
        }
        std::string unstored;
        for (const auto& a : f.unstored)
            unstored += (unstored.empty() ? "" : ", ") + tensor(a.slot);
        return all + (unstored.empty() ? "" : "   not stored: " + unstored);
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
                text += "     " + words_of_equation(program, e) + "\n";
        return text;
    }
    const printer print(program, *plan);
    for (std::size_t k = 0; k < plan->steps.size(); ++k)
        text += fmt::format("{:<5}{}", k + 1, print.line(plan->steps[k]));
    return text;
}

std::string notation_after(const char* pass, const ir::program_view& program,
                           const program_plan* plan) {
    return fmt::format("after {}\n", pass) + notation_of(program, plan);
}

}  // namespace ricci::plan
