// Reads LaTeX by recursive descent; brackets that belong together are one part.
#include <algorithm>
#include <utility>

#include <ricci/detail/letters.hpp>

#include "formula/formula.hpp"
#include "formula/symbols.hpp"

namespace ricci::formula {
namespace {

constexpr std::string_view wrappers_of_letters[] = {"mathrm", "mathbf", "mathcal", "boldsymbol"};

class reader {
public:
    explicit reader(std::string_view text) : text_(text) {}

    tree all() {
        tree line = row();
        while (at_ < text_.size()) {  // a bracket that nothing opened
            append(line, {kind::sign, std::string(1, text_[at_++])});
            for (tree& more : row().parts) append(line, std::move(more));
        }
        return line;
    }

private:
    bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    bool take(std::string_view what) {
        if (!at(what)) return false;
        at_ += what.size();
        return true;
    }
    std::string_view command_at(std::size_t from) const {
        std::size_t end = from;
        while (end < text_.size() && detail::is_ascii_letter(text_[end])) ++end;
        return text_.substr(from, end - from);
    }

    // Up to what ends it: } ) ] > & \\ \end, as far as they are not opened inside.
    tree row() {
        tree line;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '}' || c == ')' || c == ']' || c == '&') break;
            if ((c == '>' || c == '|') && closing_ == c) break;
            if (at("\\\\") || at("\\end{") || at("\\rfloor")) break;
            if (c == '^' || c == '_' || c == '\'') script(line);
            else item(line);
        }
        while (!line.parts.empty() && line.parts.back().kind == kind::blank) line.parts.pop_back();
        return line;
    }
    static void append(tree& line, tree more) {
        const bool blank = more.kind == kind::blank;
        if (blank && (line.parts.empty() || line.parts.back().kind == kind::blank)) return;
        line.parts.push_back(std::move(more));
    }

    // The inside of { }, or one item.
    tree argument() {
        while (at(" ")) ++at_;
        if (take("{")) {
            const char outer = std::exchange(closing_, '\0');
            tree inside = row();
            closing_ = outer;
            take("}");
            return inside;
        }
        tree one;
        if (at_ < text_.size()) item(one);
        return one;
    }
    std::string_view text_argument() {
        if (!take("{")) return {};
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '}') ++at_;
        const std::string_view inside = text_.substr(begin, at_ - begin);
        take("}");
        return inside;
    }

    void script(tree& line) {
        if (line.parts.empty()) line.parts.push_back({});
        tree base = std::move(line.parts.back());
        line.parts.pop_back();
        tree below, above;
        bool indices = false;  // primes may stand before them, and nothing else
        while (at_ < text_.size()) {
            if (take("'")) {
                above.parts.push_back({kind::sign, "′"});
            } else if (at("_") && below.is_empty()) {
                ++at_;
                below = argument();
            } else if (at("^") && !indices) {
                ++at_;
                indices = true;
                tree more = at("<") ? angles() : argument();
                for (tree& p : more.parts) above.parts.push_back(std::move(p));
            } else {
                break;
            }
        }
        if (below.is_empty() && above.is_empty()) return append(line, std::move(base));
        line.parts.push_back(
            {kind::script, "", {std::move(base), std::move(below), std::move(above)}});
    }
    // ^<0,1>: places of a name in words.
    tree angles() {
        take("<");
        tree inside = closed_by('>');
        tree one;
        one.parts.push_back({kind::brackets, "<>", {std::move(inside)}});
        return one;
    }
    tree closed_by(char end) {
        const char outer = std::exchange(closing_, end);
        tree inside = row();
        closing_ = outer;
        if (at_ < text_.size() && text_[at_] == end) ++at_;
        return inside;
    }

    void item(tree& line) {
        const char c = text_[at_];
        if (c == '\\') return command(line);
        if (c == '{') {
            tree inside = argument();
            for (tree& p : inside.parts) append(line, std::move(p));
            return;
        }
        if (c == ' ' || c == '\n') {
            ++at_;
            return append(line, {kind::blank});
        }
        if (c == '(' || c == '[' || (c == '|' && closing_ != '|')) {
            ++at_;
            const char end = c == '(' ? ')' : c == '[' ? ']' : '|';
            tree inside = closed_by(end);
            return append(line, {kind::brackets, {c, end}, {std::move(inside)}});
        }
        if (detail::is_digit(c)) return number(line);
        if (detail::is_ascii_letter(c)) {
            ++at_;
            return append(line, {kind::letter, std::string(1, c)});
        }
        if (static_cast<unsigned char>(c) >= 0x80) {
            const std::size_t begin = at_++;
            while (at_ < text_.size() && (text_[at_] & 0xc0) == 0x80) ++at_;
            return append(line, {kind::letter, std::string(text_.substr(begin, at_ - begin))});
        }
        if (take(":=")) return append(line, {kind::sign, ":="});
        ++at_;
        append(line, {kind::sign, c == '-' ? "−" : std::string(1, c)});
    }
    void number(tree& line) {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (detail::is_digit(text_[at_]) ||
                (text_[at_] == '.' && at_ + 1 < text_.size() && detail::is_digit(text_[at_ + 1]))))
            ++at_;
        append(line, {kind::number, std::string(text_.substr(begin, at_ - begin))});
    }

    void command(tree& line) {
        ++at_;
        const std::string_view word = command_at(at_);
        if (word.empty()) {
            const char c = at_ < text_.size() ? text_[at_++] : ' ';
            if (c == '{' || c == '}') append(line, {kind::sign, std::string(1, c)});
            else append(line, {kind::blank});
            return;
        }
        at_ += word.size();
        if (word == "left" || word == "right") return;
        if (word == "quad") return append(line, {kind::blank});
        if (word == "frac") {
            tree above = argument(), below = argument();
            return append(line, {kind::fraction, "", {std::move(above), std::move(below)}});
        }
        if (word == "sqrt") return append(line, {kind::root, "", {argument()}});
        if (word == "lfloor") {
            tree inside = row();
            take("\\rfloor");
            return append(line, {kind::brackets, "⌊⌋", {std::move(inside)}});
        }
        if (word == "begin") return cases(line);
        if (word == "text") return append(line, {kind::word, std::string(text_argument())});
        if (word == "operatorname")
            return append(line, {kind::function, std::string(text_argument())});
        for (const std::string_view w : wrappers_of_letters)
            if (w == word) return append(line, {kind::upright, std::string(text_argument())});
        if (accent_of(word) != nullptr)
            return append(line, {kind::accent, std::string(word), {argument()}});
        // the blank that ends a command is none of the formula, but between factors
        if (is_function(word)) return append(line, {kind::function, std::string(word)});
        if (const std::string_view sign = sign_of(word); !sign.empty())
            return append(line, {kind::sign, std::string(sign)});
        const std::string_view letter = letter_of(word);
        append(line, {kind::letter, std::string(letter.empty() ? word : letter)});
        if (word == "partial") take(" ");
    }
    void cases(tree& line) {
        text_argument();
        tree all{kind::cases};
        while (at_ < text_.size() && !at("\\end{")) {
            tree one{kind::row};
            for (bool more = true; more;) {
                while (at(" ")) ++at_;
                one.parts.push_back(row());
                more = take("&");
                if (!more && !at("\\\\") && !at("\\end{")) at_ = std::min(at_ + 1, text_.size());
            }
            take("\\\\");
            while (at(" ")) ++at_;
            all.parts.push_back(std::move(one));
        }
        take("\\end");
        text_argument();
        append(line, std::move(all));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    char closing_ = '\0';  // of brackets that only close where they were opened
};

}  // namespace

tree read_latex(std::string_view latex) { return reader(latex).all(); }

bool are_multiplied(const tree& left, const tree& right) {
    const auto base_of = [](const tree& p) -> const tree& {
        return p.kind == kind::script ? p.parts[0] : p;
    };
    const tree &before = base_of(left), &behind = base_of(right);
    // words of a sentence end in a blank
    const bool ends = before.kind != kind::sign && before.kind != kind::function &&
                      before.text != "∂" && !before.text.ends_with(' ');
    return ends && behind.kind != kind::sign && behind.text != "otherwise";
}

}  // namespace ricci::formula
