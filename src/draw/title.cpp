// A small typesetter for the LaTeX that our printer writes, which is less than all of LaTeX.
#include "draw/title.hpp"

#include <array>
#include <string>
#include <utility>

#include <ricci/detail/letters.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>

#include "src/base/texts.hpp"

namespace ricci::draw {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 19> signs{{
    {"sum", "∑"},
    {"prod", "∏"},
    {"le", "≤"},
    {"ne", "≠"},
    {"cdot", "·"},
    {"infty", "∞"},
    {"land", "∧"},
    {"lor", "∨"},
    {"lnot", "¬"},
    {"partial", "∂"},
    {"Leftrightarrow", "⇔"},
    {"bmod", " mod "},
    {"lfloor", "⌊"},
    {"rfloor", "⌋"},
    {"left", ""},
    {"right", ""},
    {"quad", " "},
    {"dots", "…"},
    {"exp", "exp"},
}};
constexpr std::array<std::string_view, 12> functions{
    {"exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min", "arg", "det"}};
constexpr std::array<std::string_view, 5> upright{
    {"text", "mathrm", "operatorname", "mathbf", "mathcal"}};

template <class List, class Value>
bool holds(const List& list, const Value& value) {
    for (const auto& one : list)
        if (one == value) return true;
    return false;
}

class typesetter {
public:
    explicit typesetter(std::string_view text, bool script = false)
        : text_(text), script_(script) {}

    label line() {
        while (at_ < text_.size()) item(0);
        return std::move(out_);
    }

private:
    void say(std::string_view what, int level, bool roman = false) {
        if (what.empty()) return;
        if (!out_.empty() && out_.back().level == level && out_.back().roman == roman)
            out_.back().text += what;
        else out_.push_back({std::string(what), level, roman});
    }
    bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    // Scripts of scripts are on levels of their own.
    static int level_within(int outer, int inner) {
        if (inner == 0 || outer == 0) return outer + inner;
        return (outer > 0) == (inner > 0) ? (outer > 0 ? 2 : -2) : (outer > 0 ? 3 : -3);
    }

    // The inside of { }, or one character or command.
    std::string_view argument() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        const std::size_t begin = at_;
        if (at_ >= text_.size()) return {};
        if (text_[at_] == '\\') {
            ++at_;
            while (at_ < text_.size() && detail::is_ascii_letter(text_[at_])) ++at_;
            return text_.substr(begin, at_ - begin);
        }
        if (text_[at_] != '{') {
            ++at_;
            return text_.substr(begin, 1);
        }
        int depth = 0;
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == '{') ++depth;
            if (text_[at_] == '}' && --depth == 0) break;
        }
        const std::size_t end = at_;
        if (at_ < text_.size()) ++at_;
        return text_.substr(begin + 1, end - begin - 1);
    }
    void inside(std::string_view part, int level) {
        for (const run& r : typesetter(part, script_ || level != 0).line())
            say(r.text, level_within(level, r.level), r.roman);
    }
    // A part of a fraction needs brackets where it holds a sum, or below, a product.
    void part_of_fraction(std::string_view part, bool below, int level) {
        int depth = 0;
        bool brackets = false;
        for (std::size_t k = 0; k < part.size(); ++k) {
            if (part[k] == '{' || part[k] == '(') ++depth;
            if (part[k] == '}' || part[k] == ')') --depth;
            if (depth > 0 || k == 0) continue;
            brackets = brackets || part.substr(k).starts_with(" + ") ||
                       part.substr(k).starts_with(" - ") ||
                       (below && part[k] == ' ' && !part.starts_with("\\partial"));
        }
        if (brackets) say("(", level);
        inside(part, level);
        if (brackets) say(")", level);
    }

    void item(int level) {
        const char c = text_[at_];
        if (c == '\\') return command(level);
        ++at_;
        if (c == '^' || c == '_') return inside(argument(), c == '^' ? level + 1 : level - 1);
        if (c == '{' || c == '}' || c == '&') return;
        if (c == '-') return say("−", level);
        if (c == ' ' && !out_.empty() && out_.back().level == level &&
            out_.back().text.ends_with(' '))
            return;
        say(text_.substr(at_ - 1, 1), level);
    }
    void command(int level) {
        ++at_;
        if (at_ < text_.size() && !detail::is_ascii_letter(text_[at_])) {
            const char c = text_[at_++];
            if (c == '\\') say("; ", level);  // the next case
            else if (c == '{' || c == '}') say(std::string(1, c), level);
            else say(" ", level);
            return;
        }
        const std::size_t begin = at_;
        while (at_ < text_.size() && detail::is_ascii_letter(text_[at_])) ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (word == "frac") {
            const std::string_view above = argument(), below = argument();
            part_of_fraction(above, false, level);
            say("/", level);
            return part_of_fraction(below, true, level);
        }
        if (word == "sqrt") {
            const std::string_view below = argument();
            const bool brackets = below.find(' ') != std::string_view::npos;
            say(brackets ? "√(" : "√", level);
            inside(below, level);
            if (brackets) say(")", level);
            return;
        }
        if (word == "begin" || word == "end") {
            argument();
            if (word == "begin") say("{", level);
            while (at_ < text_.size() && text_[at_] == ' ') ++at_;
            return;
        }
        if (holds(upright, word)) return say(with_greek(argument()), level, true);
        if (const std::string_view mark = accent_of(word); !mark.empty()) {
            inside(argument(), level);
            return say(mark, level);
        }
        if (holds(functions, word)) return say(word, level, true);
        for (const auto& [name, sign] : signs) {
            if (name != word) continue;
            say(sign, level, word == "bmod");
            // a letter behind it follows closely
            if ((word == "partial" || word == "lnot") && at(" ")) ++at_;
            return;
        }
        say(with_greek("\\" + std::string(word)), level);
        // the blank that ends a command is none of the line
        if (at(" ") && script_) ++at_;
    }

    std::string_view text_;
    bool script_;  // it stands above or below the line
    std::size_t at_ = 0;
    label out_;
};

}  // namespace

label typeset(std::string_view latex) { return typesetter(latex).line(); }

label heading_of(const ir::program_view& p, const ir::equation& e) {
    detail::text_builder text;
    ir::latex_printer(p, text).equation_line(e);
    return typeset(string_of(text.view()));
}

std::string title_of(const ir::program_view& p, const ir::equation& e) {
    detail::text_builder text;
    ir::plain_printer(p, text).equation_line(e);
    return with_greek(string_of(text.view()));
}

}  // namespace ricci::draw
