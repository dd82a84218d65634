// Commands that are left out, alone or with their arguments.
#include "papers/paper_cleaning.hpp"

#include <iterator>
#include <string_view>
#include <utility>

#include "papers/paper_signs.hpp"
#include "papers/paper_words.hpp"

namespace ricci::papers {
namespace {

constexpr std::string_view transparent[] = {
    "split",  "aligned", "gathered", "alignedat", "subequations", "align",   "align*",
    "gather", "gather*", "equation", "equation*", "multlined",    "alignat", "alignat*"};

}  // namespace

tokens cleaned(const tokens& list) {
    static constexpr std::string_view with_argument[] = {
        "\\label",    "\\tag",   "\\hspace", "\\vspace",    "\\phantom",        "\\hphantom",
        "\\vphantom", "\\color", "\\mspace", "\\eqno",      "\\tag*",           "\\cite",
        "\\footnote", "\\ref",   "\\eqref",  "\\intertext", "\\shortintertext", "\\noalign",
        "\\hskip"};
    static constexpr std::string_view alone[] = {
        "\\nonumber",    "\\notag",        "\\displaystyle",  "\\textstyle",
        "\\scriptstyle", "\\limits",       "\\nolimits",      "\\left",
        "\\right",       "\\middle",       "\\big",           "\\Big",
        "\\bigg",        "\\Bigg",         "\\bigl",          "\\bigr",
        "\\Bigl",        "\\Bigr",         "\\biggl",         "\\biggr",
        "\\Biggl",       "\\Biggr",        "\\bigm",          "\\mathstrut",
        "\\strut",       "\\allowbreak",   "\\centering",     "\\noindent",
        "\\par",         "\\hline",        "\\null",          "\\ensuremath",
        "\\negmedspace", "\\negthinspace", "\\negthickspace", "\\medspace",
        "\\thickspace",  "\\mathopen",     "\\mathclose",     "\\mathinner",
        "\\Bigm",        "\\biggm",        "\\mathpunct",     "\\scriptscriptstyle",
        "\\normalfont",  "\\rmfamily",     "\\boldmath",      "\\thinspace",
        "\\mathord",     "\\mathop",       "\\mathbin",       "\\mathrel",
        "\\smash",       "\\small",        "\\footnotesize",  "\\relax",
        "\\protect",     "\\linebreak",    "\\newline",       "\\pagebreak",
        "\\nobreak",     "\\enspace"};
    tokens out;
    for (auto t = list.begin(); t != list.end();) {
        if (is_among(t->text, with_argument)) {
            const bool breaks = t->is("\\intertext") || t->is("\\shortintertext");
            if (breaks) out.push_back({token_kind::row, "\\\\", t->at, false});
            ++t;
            if (t != list.end() && t->is("*")) ++t;
            if (t != list.end() && t->kind == token_kind::open) t = behind_argument(t, list.end());
            continue;
        }
        if (is_among(t->text, alone)) {
            const bool bracket = t->is("\\left") || t->is("\\right");
            const bool left = t->is("\\left");
            if (++t == list.end() || !bracket) continue;
            if (t->is(".")) ++t;
            else if (t->is("|") || t->is("\\vert")) {
                out.push_back(
                    {token_kind::command, left ? "\\lvert" : "\\rvert", t->at, t->spaced});
                ++t;
            } else if (t->is("\\|") || t->is("\\Vert")) {
                out.push_back(
                    {token_kind::command, left ? "\\lVert" : "\\rVert", t->at, t->spaced});
                ++t;
            }
            continue;
        }
        if (t->is("\\textcolor")) {  // the colour, then what has it
            t = behind_argument(std::next(t), list.end());
            continue;
        }
        if (t->is("\\stackrel") || t->is("\\overset") || t->is("\\underset")) {
            const auto second = behind_argument(std::next(t), list.end());
            const tokens below = argument_at(second, list.end());
            if (below.size() <= 2 && !below.empty() &&
                (relation_of(below.back()) || below.front().is(":"))) {
                token sign = below.back();
                sign.at = t->at;
                out.push_back(std::move(sign));
                t = behind_argument(second, list.end());
                continue;
            }
        }
        if (t->is(":") && std::next(t) != list.end() && std::next(t)->is("=")) ++t;
        if ((t->is("\\begin") || t->is("\\end")) && std::next(t) != list.end() &&
            is_among(spelled(argument_at(std::next(t), list.end())), transparent)) {
            const bool counted =
                spelled(argument_at(std::next(t), list.end())).find("alignat") == 0 ||
                spelled(argument_at(std::next(t), list.end())) == "alignedat";
            const bool begins = t->is("\\begin");
            t = behind_argument(std::next(t), list.end());
            if (begins && counted) t = behind_argument(t, list.end());
            if (begins && t != list.end() && t->is("[")) {
                while (t != list.end() && !t->is("]")) ++t;
                if (t != list.end()) ++t;
            }
            continue;
        }
        if (t->kind == token_kind::row && std::next(t) != list.end() && std::next(t)->is("[")) {
            // \\[2pt], but not a bracket that begins a row
            auto k = std::next(t);
            bool length = false;
            while (k != list.end() && !k->is("]") && k - t < 12) {
                if (k->is("p") || k->is("m") || k->is("x")) length = true;
                ++k;
            }
            if (length && k != list.end() && k->is("]") && std::next(t)->spaced == false) {
                out.push_back(*t);
                t = std::next(k);
                continue;
            }
        }
        out.push_back(*t++);
    }
    return out;
}

}  // namespace ricci::papers
