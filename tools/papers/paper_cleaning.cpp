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

constexpr std::string_view with_argument[] = {
    "\\label",    "\\tag",   "\\hspace", "\\vspace",    "\\phantom",        "\\hphantom",
    "\\vphantom", "\\color", "\\mspace", "\\eqno",      "\\tag*",           "\\cite",
    "\\footnote", "\\ref",   "\\eqref",  "\\intertext", "\\shortintertext", "\\noalign",
    "\\hskip"};

constexpr std::string_view alone[] = {
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

// A walk over a list: each of its steps reads what stands at `now_`, or leaves it there and returns
// false.
class cleaner {
public:
    explicit cleaner(const tokens& list) : now_(list.begin()), last_(list.end()) {}

    tokens run() {
        while (now_ != last_) {
            if (drop_with_argument() || drop_alone() || drop_colour() || take_stacked_relation())
                continue;
            if (now_->is(":") && std::next(now_) != last_ && std::next(now_)->is("=")) ++now_;
            if (drop_environment() || take_row_with_distance()) continue;
            out_.push_back(*now_++);
        }
        return std::move(out_);
    }

private:
    bool drop_with_argument() {
        if (!is_among(now_->text, with_argument)) return false;
        const bool breaks = now_->is("\\intertext") || now_->is("\\shortintertext");
        if (breaks) out_.push_back({token_kind::row, "\\\\", now_->at, false});
        ++now_;
        if (now_ != last_ && now_->is("*")) ++now_;
        if (now_ != last_ && now_->kind == token_kind::open) now_ = behind_argument(now_, last_);
        return true;
    }
    // \left and \right say of bars which side they are; a point behind them is no sign.
    bool drop_alone() {
        if (!is_among(now_->text, alone)) return false;
        const bool left = now_->is("\\left"), bracket = left || now_->is("\\right");
        if (++now_ == last_ || !bracket) return true;
        const auto take = [&](const char* sign) {
            out_.push_back({token_kind::command, sign, now_->at, now_->spaced});
            ++now_;
        };
        if (now_->is(".")) ++now_;
        else if (now_->is("|") || now_->is("\\vert")) take(left ? "\\lvert" : "\\rvert");
        else if (now_->is("\\|") || now_->is("\\Vert")) take(left ? "\\lVert" : "\\rVert");
        return true;
    }
    // The colour; what has it stays.
    bool drop_colour() {
        if (!now_->is("\\textcolor")) return false;
        now_ = behind_argument(std::next(now_), last_);
        return true;
    }
    // A relation with words above or below it.
    bool take_stacked_relation() {
        if (!now_->is("\\stackrel") && !now_->is("\\overset") && !now_->is("\\underset"))
            return false;
        const auto second = behind_argument(std::next(now_), last_);
        const tokens below = argument_at(second, last_);
        const bool relation = below.size() <= 2 && !below.empty() &&
                              (relation_of(below.back()) || below.front().is(":"));
        if (!relation) return false;
        out_.push_back(below.back());
        out_.back().at = now_->at;
        now_ = behind_argument(second, last_);
        return true;
    }
    // \begin and \end of what only lays out, with what says how.
    bool drop_environment() {
        const bool begins = now_->is("\\begin");
        if ((!begins && !now_->is("\\end")) || std::next(now_) == last_) return false;
        const std::string name = spelled(argument_at(std::next(now_), last_));
        if (!is_among(name, transparent)) return false;
        const bool counted = name.find("alignat") == 0 || name == "alignedat";
        now_ = behind_argument(std::next(now_), last_);
        if (begins && counted) now_ = behind_argument(now_, last_);
        if (begins && now_ != last_ && now_->is("[")) {
            while (now_ != last_ && !now_->is("]")) ++now_;
            if (now_ != last_) ++now_;
        }
        return true;
    }
    // \\[2pt], but not a bracket that begins a row.
    bool take_row_with_distance() {
        if (now_->kind != token_kind::row || std::next(now_) == last_ || !std::next(now_)->is("["))
            return false;
        auto k = std::next(now_);
        bool length = false;
        while (k != last_ && !k->is("]") && k - now_ < 12) {
            if (k->is("p") || k->is("m") || k->is("x")) length = true;
            ++k;
        }
        if (!length || k == last_ || !k->is("]") || std::next(now_)->spaced) return false;
        out_.push_back(*now_);
        now_ = std::next(k);
        return true;
    }

    token_at now_, last_;
    tokens out_;
};

}  // namespace

tokens cleaned(const tokens& list) { return cleaner(list).run(); }

}  // namespace ricci::papers
