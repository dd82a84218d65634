// Formulas in one line of letters, for what shows no MathML.
#include "draw/title.hpp"

#include <string>

#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>

#include "formula/formula.hpp"
#include "formula/symbols.hpp"
#include "src/base/texts.hpp"

namespace ricci::draw {
namespace {

using formula::kind;
using formula::tree;

class typesetter {
public:
    label out;

    void row(const std::vector<tree>& parts, int level) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
            if (parts[k].kind != kind::blank) {
                one(parts[k], level);
                continue;
            }
            const bool around_sign = (k > 0 && parts[k - 1].kind == kind::sign) ||
                                     (k + 1 < parts.size() && parts[k + 1].kind == kind::sign);
            const bool after_not = k > 0 && parts[k - 1].text == "¬";
            if (!after_not && (level == 0 || around_sign)) say(" ", level);
        }
    }

private:
    void say(std::string_view what, int level, bool roman = false) {
        if (what.empty()) return;
        if (!out.empty() && out.back().level == level && out.back().roman == roman)
            out.back().text += what;
        else out.push_back({std::string(what), level, roman});
    }
    // Scripts of scripts are on levels of their own.
    static int level_within(int outer, int inner) {
        if (outer == 0) return inner;
        return (outer > 0) == (inner > 0) ? (outer > 0 ? 2 : -2) : (outer > 0 ? 3 : -3);
    }
    void inside(const tree& p, int level) {
        if (p.kind == kind::row) row(p.parts, level);
        else one(p, level);
    }
    // A part of a fraction needs brackets where it holds a sum, or below, a product.
    void part_of_fraction(const tree& p, bool below, int level) {
        bool brackets = false;
        for (std::size_t k = 1; k < p.parts.size(); ++k) {
            const bool sum = p.parts[k].text == "+" || p.parts[k].text == "−";
            const bool product = p.parts[k].kind == kind::blank && p.parts[0].text != "∂";
            brackets = brackets || sum || (below && product);
        }
        if (brackets) say("(", level);
        inside(p, level);
        if (brackets) say(")", level);
    }
    void brackets(const tree& p, int level) {
        const std::size_t half = p.text.size() / 2;
        say(std::string_view(p.text).substr(0, half), level);
        inside(p.parts[0], level);
        say(std::string_view(p.text).substr(half), level);
    }
    void cases(const tree& p, int level) {
        say("{", level);
        for (std::size_t k = 0; k < p.parts.size(); ++k) {
            if (k > 0) say("; ", level);
            const auto& cells = p.parts[k].parts;
            for (std::size_t c = 0; c < cells.size(); ++c) {
                if (c > 0) say(" ", level);
                inside(cells[c], level);
            }
        }
    }
    void script(const tree& p, int level) {
        const tree& above = p.parts[2];
        inside(p.parts[0], level);
        // primes stand as high as the letter, before what is below
        std::size_t primes = 0;
        for (; primes < above.parts.size() && above.parts[primes].text == "′"; ++primes)
            say("'", level);
        row(p.parts[1].parts, level_within(level, -1));
        const tree rest{
            kind::row,
            "",
            {above.parts.begin() + static_cast<std::ptrdiff_t>(primes), above.parts.end()}};
        row(rest.parts, level_within(level, 1));
    }
    void one(const tree& p, int level) {
        switch (p.kind) {
            case kind::row:
                return row(p.parts, level);
            case kind::blank:
                return say(" ", level);
            case kind::letter:
            case kind::number:
                return say(p.text, level);
            case kind::sign:
                return say(p.text, level, p.text == "mod");
            case kind::upright:
            case kind::word:
            case kind::function:
                return say(p.text, level, true);
            case kind::script:
                return script(p, level);
            case kind::fraction:
                part_of_fraction(p.parts[0], false, level);
                say("/", level);
                return part_of_fraction(p.parts[1], true, level);
            case kind::root: {
                const bool several = p.parts[0].parts.size() > 1;
                say(several ? "√(" : "√", level);
                inside(p.parts[0], level);
                if (several) say(")", level);
                return;
            }
            case kind::accent:
                inside(p.parts[0], level);
                if (const auto* over = formula::accent_of(p.text)) say(over->mark, level);
                return;
            case kind::brackets:
                return brackets(p, level);
            case kind::cases:
                return cases(p, level);
        }
    }
};

}  // namespace

label typeset(std::string_view latex) {
    typesetter t;
    t.row(formula::read_latex(latex).parts, 0);
    return t.out;
}

std::string latex_of(const ir::program_view& p, const ir::equation& e) {
    detail::text_builder text;
    ir::to_latex(p, e, text);
    return string_of(text.view());
}

std::string title_of(const ir::program_view& p, const ir::equation& e) {
    detail::text_builder text;
    ir::plain_printer(p, text).equation_line(e);
    return formula::with_greek(string_of(text.view()));
}

}  // namespace ricci::draw
