// Splits LaTeX into tokens, and finds groups and arguments among them.
#include "papers/paper_tokens.hpp"

#include <ricci/detail/letters.hpp>

namespace ricci::papers {

namespace {

/// The bytes of the character that begins with `c`, as UTF-8 counts them.
std::size_t length_of(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// Signs that stand for a command, as people type them into Markdown.
const char* command_of(std::string_view sign) {
    static constexpr struct {
        std::string_view sign;
        const char* command;
    } table[] = {
        {"−", "-"},         {"≤", "\\le"},      {"≥", "\\ge"},         {"≠", "\\ne"},
        {"≈", "\\approx"},  {"→", "\\to"},      {"←", "\\gets"},       {"∑", "\\sum"},
        {"∏", "\\prod"},    {"·", "\\cdot"},    {"×", "\\times"},      {"∞", "\\infty"},
        {"∂", "\\partial"}, {"√", "\\sqrt"},    {"∈", "\\in"},         {"α", "\\alpha"},
        {"β", "\\beta"},    {"γ", "\\gamma"},   {"δ", "\\delta"},      {"ε", "\\epsilon"},
        {"θ", "\\theta"},   {"λ", "\\lambda"},  {"μ", "\\mu"},         {"ν", "\\nu"},
        {"π", "\\pi"},      {"ρ", "\\rho"},     {"σ", "\\sigma"},      {"τ", "\\tau"},
        {"φ", "\\phi"},     {"ψ", "\\psi"},     {"ω", "\\omega"},      {"η", "\\eta"},
        {"ξ", "\\xi"},      {"Δ", "\\Delta"},   {"Σ", "\\Sigma"},      {"Ω", "\\Omega"},
        {"∇", "\\nabla"},   {"∫", "\\int"},     {"ℓ", "\\ell"},        {"⟨", "\\langle"},
        {"⟩", "\\rangle"},  {"∆", "\\Delta"},   {"⊗", "\\otimes"},     {"∪", "\\cup"},
        {"∩", "\\cap"},     {"ϵ", "\\epsilon"}, {"ϕ", "\\phi"},        {"χ", "\\chi"},
        {"κ", "\\kappa"},   {"ζ", "\\zeta"},    {"Γ", "\\Gamma"},      {"Λ", "\\Lambda"},
        {"Π", "\\Pi"},      {"Φ", "\\Phi"},     {"Ψ", "\\Psi"},        {"Θ", "\\Theta"},
        {"⋅", "\\cdot"},    {"…", "\\ldots"},   {"†", "\\dagger"},     {"∝", "\\propto"},
        {"∼", "\\sim"},     {"≡", "\\equiv"},   {"⇒", "\\Rightarrow"}, {"⇔", "\\Leftrightarrow"},
        {"∀", "\\forall"},  {"∃", "\\exists"},  {"±", "\\pm"},         {"∘", "\\circ"},
        {"∥", "\\|"},       {"∗", "*"},         {"⊙", "\\odot"},       {"∧", "\\wedge"},
        {"∨", "\\vee"},     {"≪", "\\ll"},      {"≫", "\\gg"},         {"′", "'"},
    };
    for (const auto& entry : table)
        if (entry.sign == sign) return entry.command;
    return nullptr;
}

/// The letters that Unicode has for mathematics: italic, bold and so on.
std::string mathematical_letter(std::string_view sign) {
    if (sign.size() != 4 || sign.substr(0, 2) != "\xf0\x9d") return {};
    const unsigned code = (static_cast<unsigned char>(sign[2]) & 0x3fu) << 6 |
                          (static_cast<unsigned char>(sign[3]) & 0x3fu);
    const unsigned offset = code - 0x400u;  // from U+1D400
    if (code < 0x400u) return {};
    if (offset < 52 * 13) {
        const unsigned letter = offset % 52;
        return std::string(1, static_cast<char>(letter < 26 ? 'A' + letter : 'a' + (letter - 26)));
    }
    static constexpr const char* greek[] = {
        "\\alpha", "\\beta",    "\\gamma",   "\\delta", "\\epsilon", "\\zeta", "\\eta", "\\theta",
        "\\iota",  "\\kappa",   "\\lambda",  "\\mu",    "\\nu",      "\\xi",   "o",     "\\pi",
        "\\rho",   "\\sigma",   "\\sigma",   "\\tau",   "\\upsilon", "\\phi",  "\\chi", "\\psi",
        "\\omega", "\\partial", "\\epsilon", "\\theta", "\\kappa",   "\\phi",  "\\rho", "\\pi"};
    if (code < 0x6a8u) return {};
    const unsigned place = (code - 0x6a8u) % 58;
    return place >= 26 && place < 58 ? greek[place - 26] : std::string();
}

class reader {
public:
    reader(std::string_view text, std::size_t at, bool comments)
        : text_(text), at_(at), comments_(comments) {}

    tokens run() {
        while (now_ < text_.size()) step();
        return std::move(out_);
    }

private:
    void add(token_kind kind, std::string_view words, std::size_t begin) {
        out_.push_back({kind, std::string(words), at_ + begin, spaced_});
        spaced_ = false;
    }
    void step() {
        const std::size_t begin = now_;
        const char c = text_[now_];
        if (detail::is_blank(c) || c == '~') {
            ++now_;
            spaced_ = true;
        } else if (c == '%' && comments_) {
            while (now_ < text_.size() && text_[now_] != '\n') ++now_;
        } else if (c == '\\') {
            command(begin);
        } else if (detail::is_digit(c) ||
                   (c == '.' && now_ + 1 < text_.size() && detail::is_digit(text_[now_ + 1]) &&
                    (out_.empty() || spaced_ || out_.back().kind != token_kind::letter))) {
            number(begin);
        } else if (detail::is_ascii_letter(c)) {
            ++now_;
            add(token_kind::letter, text_.substr(begin, 1), begin);
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            other(begin);
        } else {
            ++now_;
            const token_kind kind = c == '{'   ? token_kind::open
                                    : c == '}' ? token_kind::close
                                    : c == '^' ? token_kind::up
                                    : c == '_' ? token_kind::down
                                    : c == '&' ? token_kind::align
                                               : token_kind::symbol;
            if (static_cast<unsigned char>(c) >= ' ') add(kind, text_.substr(begin, 1), begin);
        }
    }
    void command(std::size_t begin) {
        ++now_;
        if (now_ == text_.size()) return;
        if (detail::is_ascii_letter(text_[now_])) {
            while (now_ < text_.size() &&
                   (detail::is_ascii_letter(text_[now_]) || text_[now_] == '@'))
                ++now_;
            if (now_ < text_.size() && text_[now_] == '*' &&
                text_.substr(begin, now_ - begin) == "\\operatorname")
                ++now_;
            return add(token_kind::command, text_.substr(begin, now_ - begin), begin);
        }
        const char c = text_[now_];
        now_ += length_of(c);
        if (now_ > text_.size()) now_ = text_.size();
        if (c == '\\') {
            // Markdown doubles backslashes once more
            while (text_.substr(now_, 2) == "\\\\") now_ += 2;
            return add(token_kind::row, "\\\\", begin);
        }
        if (detail::is_blank(c) || c == ',' || c == ';' || c == ':' || c == '!' || c == '>' ||
            c == '/') {
            spaced_ = true;
            return;
        }
        if (c == '_') return add(token_kind::down, "_", begin);  // escaped in Markdown
        if (c == '*') return add(token_kind::symbol, "*", begin);
        add(token_kind::command, text_.substr(begin, now_ - begin), begin);
    }
    /// \\frac12 is a half, and x^10 is x^1 0: without braces an argument is one digit.
    bool takes_one_digit() const {
        const auto fraction = [](const token& t) {
            return t.is("\\frac") || t.is("\\dfrac") || t.is("\\tfrac") || t.is("\\binom");
        };
        if (out_.empty()) return false;
        const token& last = out_.back();
        if (last.kind == token_kind::up || last.kind == token_kind::down || fraction(last) ||
            last.is("\\sqrt"))
            return true;
        return out_.size() > 1 && fraction(out_[out_.size() - 2]) && last.kind != token_kind::open;
    }
    void number(std::size_t begin) {
        bool point = false;
        if (takes_one_digit()) {
            ++now_;
            return add(token_kind::number, text_.substr(begin, 1), begin);
        }
        while (now_ < text_.size()) {
            const char c = text_[now_];
            const bool fraction =
                c == '.' && !point && now_ + 1 < text_.size() && detail::is_digit(text_[now_ + 1]);
            if (!detail::is_digit(c) && !fraction) break;
            point = point || fraction;
            ++now_;
        }
        add(token_kind::number, text_.substr(begin, now_ - begin), begin);
    }
    void other(std::size_t begin) {
        now_ = std::min(text_.size(), now_ + length_of(text_[now_]));
        const std::string_view sign = text_.substr(begin, now_ - begin);
        if (sign == "\xc2\xa0" || sign == "\xe3\x80\x80" || sign == "\xef\xbb\xbf" ||
            sign.substr(0, 2) == "\xe2\x80") {  // spaces of every kind
            spaced_ = true;
            return;
        }
        const char* known = command_of(sign);
        if (const std::string letter = mathematical_letter(sign); !letter.empty())
            return add(letter[0] == '\\' ? token_kind::command : token_kind::letter, letter, begin);
        if (!known) return add(token_kind::letter, sign, begin);
        add(known[0] == '\\' ? token_kind::command : token_kind::symbol, known, begin);
    }

    std::string_view text_;
    std::size_t at_;
    bool comments_;
    std::size_t now_ = 0;
    bool spaced_ = false;
    tokens out_;
};

}  // namespace

tokens tokenise(std::string_view text, std::size_t at, bool comments) {
    return reader(text, at, comments).run();
}

std::string spelled(token_at first, token_at last) {
    std::string out;
    bool word = false;  // what was added last is a command of letters
    for (; first != last; ++first) {
        const bool letter = !first->text.empty() && detail::is_ascii_letter(first->text[0]);
        const bool apart =
            first->spaced && !out.empty() && out.back() != '{' && first->kind != token_kind::close;
        if (apart || (word && letter)) out += ' ';
        out += first->text;
        word = first->is_command() && first->text.size() > 1 &&
               detail::is_ascii_letter(first->text[1]);
    }
    return out;
}
std::string spelled(const tokens& list) { return spelled(list.begin(), list.end()); }

bool opens(const token& t) {
    return t.kind == token_kind::open || t.is("(") || t.is("[") || t.is("\\{") || t.is("\\begin") ||
           t.is("\\langle") || t.is("\\lvert") || t.is("\\lVert") || t.is("\\lfloor") ||
           t.is("\\lceil");
}
bool closes(const token& t) {
    return t.kind == token_kind::close || t.is(")") || t.is("]") || t.is("\\}") || t.is("\\end") ||
           t.is("\\rangle") || t.is("\\rvert") || t.is("\\rVert") || t.is("\\rfloor") ||
           t.is("\\rceil");
}

token_at behind_group(token_at first, token_at last) {
    int depth = 0;
    for (; first != last; ++first) {
        if (opens(*first)) ++depth;
        if (closes(*first) && --depth <= 0) {
            if (first->is("\\end")) return behind_argument(std::next(first), last);
            return std::next(first);
        }
    }
    return last;
}

token_at behind_argument(token_at first, token_at last) {
    if (first == last) return last;
    if (first->kind != token_kind::open) return std::next(first);
    int depth = 0;
    for (; first != last; ++first) {
        if (first->kind == token_kind::open) ++depth;
        if (first->kind == token_kind::close && --depth == 0) return std::next(first);
    }
    return last;
}

tokens argument_at(token_at first, token_at last) {
    const token_at end = behind_argument(first, last);
    if (first != end && first->kind == token_kind::open) {
        ++first;
        const bool closed = end != first && std::prev(end)->kind == token_kind::close;
        return {first, closed ? std::prev(end) : end};
    }
    return {first, end};
}

}  // namespace ricci::papers
