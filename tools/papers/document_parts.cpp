// Finds headings, displays and formulas in LaTeX and in Markdown.
#include "papers/document_parts.hpp"

#include <algorithm>
#include <string_view>

#include "papers/macros.hpp"
#include "papers/text_words.hpp"

namespace ricci::papers {

namespace {

constexpr std::size_t longest_display = 20000;  // characters
constexpr std::size_t longest_inline = 2000;

constexpr std::string_view display_environments[] = {
    "equation",     "align",           "gather",  "multline",      "eqnarray",
    "displaymath",  "flalign",         "alignat", "xalignat",      "dmath",
    "IEEEeqnarray", "IEEEeqnarraybox", "dgroup",  "equationarray", "empheq"};
constexpr std::string_view quoting_environments[] = {
    "verbatim", "lstlisting",   "minted",          "comment",    "tikzpicture", "Verbatim",
    "code",     "filecontents", "thebibliography", "pgfpicture", "tikzcd",      "alltt"};
constexpr std::string_view aside_environments[] = {"tabular",     "table",      "algorithm",
                                                   "algorithmic", "figure",     "tabularx",
                                                   "longtable",   "algorithm2e"};
constexpr std::string_view heading_environments[] = {"example", "exercise", "problem", "question"};

std::string without_star(std::string_view name) {
    if (!name.empty() && name.back() == '*') name.remove_suffix(1);
    return std::string(name);
}

class scanner {
public:
    explicit scanner(const document& d)
        : text_(d.text()), markdown_(d.is_markdown()), prose_(d.text()) {
        macros_.read_definitions(d.packages());
    }

    document_parts run() {
        if (markdown_) skip_front_matter();
        while (now_ < text_.size()) step();
        return {std::move(parts_), std::move(prose_)};
    }

private:
    bool starts(std::string_view word, std::size_t at) const {
        return text_.substr(at, word.size()) == word;
    }
    bool at_line_start() const {
        std::size_t k = now_;
        while (k > 0 && (text_[k - 1] == ' ' || text_[k - 1] == '\t')) --k;
        return k == 0 || text_[k - 1] == '\n';
    }
    /// Where `what` stands next, if that is near: no text makes the search slow.
    std::size_t find(std::string_view what, std::size_t from,
                     std::size_t within = 2 * longest_display) const {
        if (from >= text_.size()) return std::string_view::npos;
        const std::size_t found = text_.substr(from, within).find(what);
        return found == std::string_view::npos ? found : from + found;
    }
    std::size_t line_end(std::size_t at) const {
        return std::min(text_.find('\n', at), text_.size());
    }

    void step() {
        const char c = text_[now_];
        if (c == '\\') return command();
        if (c == '$') return dollar();
        if (!markdown_ && c == '%') return quote(line_end(now_));
        if (markdown_) {
            if (c == '\n')
                in_table_ =
                    starts("|", text_.find_first_not_of(" \t", now_ + 1) == std::string_view::npos
                                    ? now_
                                    : text_.find_first_not_of(" \t", now_ + 1));
            if ((c == '`' || c == '~') && (starts("```", now_) || starts("~~~", now_)) &&
                at_line_start())
                return fence();
            if (c == '`') return code();
            if (c == '#' && at_line_start()) return markdown_heading();
            if (c == '<' && starts("<!--", now_)) return skip_to("-->");
            if ((c == '=' || c == '-') && at_line_start()) return underline();
        }
        ++now_;
    }

    // Text that is not mathematics ----------------------------------------------------------------

    /// Goes to `end`: what stands before it are no words of the document.
    void quote(std::size_t end) {
        for (; now_ < end; ++now_)
            if (prose_[now_] != '\n') prose_[now_] = ' ';
    }
    void skip_to(std::string_view closer) {
        const std::size_t found = text_.find(closer, now_ + 1);
        quote(found == std::string_view::npos ? text_.size() : found + closer.size());
    }
    void skip_front_matter() {
        for (const std::string_view fence : {"+++\n", "---\n"})
            if (starts(fence, 0)) {
                const std::size_t found = text_.find("\n" + std::string(fence), 3);
                if (found != std::string_view::npos) quote(found + 1 + fence.size());
            }
    }
    void fence() {
        const char sign = text_[now_];
        std::size_t count = 0;
        while (now_ + count < text_.size() && text_[now_ + count] == sign) ++count;
        const std::size_t begin = now_, info = now_ + count,
                          body = std::min(line_end(info) + 1, text_.size());
        std::string_view language = text_.substr(info, line_end(info) - info);
        while (!language.empty() && (language.front() == ' ' || language.front() == '{'))
            language.remove_prefix(1);
        std::size_t line = body;
        while (line < text_.size()) {
            std::size_t k = line;
            while (k < text_.size() && (text_[k] == ' ' || text_[k] == '\t' || text_[k] == '>'))
                ++k;
            std::size_t signs = 0;
            while (k + signs < text_.size() && text_[k + signs] == sign) ++signs;
            if (signs >= count) break;
            line = line_end(line) + 1;
        }
        line = std::min(line, text_.size());
        quote(std::min(line_end(line), text_.size()));
        if (language.substr(0, 4) == "math") display(begin, body, line, now_, "");
    }
    void code() {
        std::size_t count = 0;
        while (now_ + count < text_.size() && text_[now_ + count] == '`') ++count;
        const std::string closer(count, '`');
        const std::size_t found = find(closer, now_ + count, longest_inline);
        const std::size_t blank = find("\n\n", now_, longest_inline);
        if (found == std::string_view::npos || found > blank) now_ += count;
        else quote(found + count);
    }
    void heading(std::size_t begin, std::size_t end, int level) {
        part p;
        p.kind = part_kind::heading;
        p.begin = begin;
        p.end = end;
        p.level = level;
        parts_.push_back(std::move(p));
    }
    void markdown_heading() {
        int level = 0;
        const std::size_t begin = now_;
        while (now_ < text_.size() && text_[now_] == '#') ++now_, ++level;
        if (now_ < text_.size() && text_[now_] == ' ' && level <= 6)
            heading(begin, line_end(begin), level);
    }
    /// A line of = or - below a title.
    void underline() {
        const std::size_t end = line_end(now_);
        std::string_view line = text_.substr(now_, end - now_);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
        const bool uniform = line.find_first_not_of(line[0]) == std::string_view::npos;
        const bool below_text = now_ >= 2 && text_[now_ - 1] == '\n' && text_[now_ - 2] != '\n';
        if (uniform && line.size() >= 3 && below_text) heading(now_, end, line[0] == '=' ? 1 : 2);
        now_ = uniform ? end : now_ + 1;
    }

    // Commands in the text ------------------------------------------------------------------------

    void command() {
        const std::size_t begin = now_;
        std::size_t end = begin + 1;
        while (end < text_.size() && detail::is_ascii_letter(text_[end])) ++end;
        const std::string_view word = text_.substr(begin, end - begin);
        if (word.size() == 1) return control(begin);
        if (word == "\\begin") return environment(begin, end);
        if (word == "\\end") {
            const std::string name = without_star(braced(end));
            if (is_among(name, aside_environments) && asides_ > 0) --asides_;
        }
        if (word == "\\verb" && end < text_.size()) {
            const std::size_t close = text_.substr(0, line_end(end)).find(text_[end], end + 1);
            return quote(close == std::string_view::npos ? end : close + 1);
        }
        if (word == "\\iffalse") return skip_to("\\fi");
        if (word == "\\appendix") return heading(begin, now_ = end, 1);
        if (macro_table::is_definition(word)) {
            const std::size_t behind = macros_.read_definition(text_, begin);
            now_ = behind == begin ? end : behind;
            return;
        }
        static constexpr std::string_view headings[] = {
            "\\part", "\\chapter", "\\section", "\\subsection", "\\subsubsection", "\\paragraph"};
        for (std::size_t k = 0; k < std::size(headings); ++k)
            if (word == headings[k]) {
                std::size_t close = std::min(find("}", end, 400), line_end(end));
                heading(begin, std::min(close, text_.size()), static_cast<int>(k) + 1);
                now_ = end;
                return;
            }
        if (const std::string env = macros_.begins(word);
            is_among(without_star(env), display_environments))
            return macro_display(begin, end, env);
        now_ = end;
    }
    void control(std::size_t begin) {
        // Markdown writes \\[ for \[
        const std::size_t open = markdown_ && starts("\\\\[", begin)   ? 3
                                 : markdown_ && starts("\\\\(", begin) ? 3
                                                                       : 2;
        const char c = begin + open - 1 < text_.size() ? text_[begin + open - 1] : '\0';
        if (c == '[' || c == '(') {
            const std::string closer =
                std::string(open == 3 ? "\\\\" : "\\") + (c == '[' ? "]" : ")");
            const std::size_t close = find(closer, begin + open);
            const std::size_t longest = c == '[' ? longest_display : longest_inline;
            if (close != std::string_view::npos && close - begin < longest) {
                now_ = close + closer.size();
                if (c == '[') display(begin, begin + open, close, now_, "");
                else inline_math(begin, begin + open, close, now_);
                return;
            }
        }
        now_ = std::min(begin + 2, text_.size());
    }
    std::string braced(std::size_t at) const {
        while (at < text_.size() && text_[at] == ' ') ++at;
        if (at >= text_.size() || text_[at] != '{') return {};
        const std::size_t close = text_.substr(0, std::min(text_.size(), at + 60)).find('}', at);
        return close == std::string_view::npos ? std::string()
                                               : std::string(text_.substr(at + 1, close - at - 1));
    }
    void environment(std::size_t begin, std::size_t end) {
        const std::string full = braced(end), name = without_star(full);
        now_ = end;
        if (full.empty()) return;
        const std::size_t body = std::min(find("}", end, 100), text_.size() - 1) + 1;
        const std::string closer = "\\end{" + full + "}";
        if (is_among(name, quoting_environments)) return skip_to(closer);
        if (is_among(name, aside_environments)) ++asides_;
        if (is_among(name, heading_environments)) heading(begin, body, 6);
        if (name == "math" || !is_among(name, display_environments)) return;
        std::size_t close = find(closer, body);
        if (close == std::string_view::npos) {
            unreadable(begin, body, "nothing ends this " + full);
            now_ = body;
            return;
        }
        now_ = close + closer.size();
        std::size_t first = body;
        if (name == "alignat" || name == "xalignat" || name.substr(0, 4) == "IEEE") {
            const std::size_t argument = find("}", body, 100);
            if (argument < close) first = argument + 1;
        }
        display(begin, first, close, now_, name);
    }
    /// \be ... \ee, by macros of the document.
    void macro_display(std::size_t begin, std::size_t body, const std::string& env) {
        for (std::size_t k = body; k < text_.size() && k - body < longest_display; ++k) {
            if (text_[k] != '\\') continue;
            std::size_t end = k + 1;
            while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])))
                ++end;
            const std::string_view word = text_.substr(k, end - k);
            if (macros_.ends(word) == env || starts("\\end{" + env + "}", k)) {
                now_ = word == "\\end" ? end + env.size() + 2 : end;
                return display(begin, body, k, now_, without_star(env));
            }
        }
        now_ = body;
    }

    // Mathematics ---------------------------------------------------------------------------------

    /// Where the empty line stands at which TeX gives up a display that is not closed before it:
    /// one with text behind it, or with a display that begins there. Otherwise `close`.
    std::size_t blank_line_in(std::size_t first, std::size_t close) const {
        const std::size_t end = std::min(close, text_.size());
        std::size_t blank = first;
        do {
            blank = text_.find('\n', blank);
            if (blank == std::string_view::npos || blank >= end) return close;
            const std::size_t next = text_.find_first_not_of(" \t\r", blank + 1);
            if (next != std::string_view::npos && next < text_.size() && text_[next] == '\n') break;
            blank = std::min(next, text_.size());
        } while (true);
        const bool empty = text_.substr(first, blank - first).find_first_not_of(" \t\r\n") ==
                           std::string_view::npos;
        if (empty) return close;
        const std::string_view behind = text_.substr(blank, end - blank);
        if (has_sentence(behind)) return blank;
        // $$ a = b $$ behind it is a display of its own
        const bool opens = behind.find_first_not_of(" \t\r\n") == std::string_view::npos;
        const std::string_view rest =
            text_.substr(end, line_end(std::min(end, text_.size())) - end);
        return opens && rest.find("$$", 2) != std::string_view::npos ? blank : close;
    }
    /// Whether words stand side by side, that are no names of commands.
    static bool has_sentence(std::string_view text) {
        int words = 0;
        for (std::size_t k = 0; k < text.size();) {
            const std::size_t begin = k;
            while (k < text.size() && detail::is_ascii_letter(text[k])) ++k;
            if (k - begin >= 2 && (begin == 0 || text[begin - 1] != '\\')) ++words;
            else if (k == begin || text[begin - 1] == '\\') words = 0;
            if (words >= 3) return true;
            while (k < text.size() && (text[k] == ' ' || text[k] == ',' || text[k] == '\n')) ++k;
            if (k == begin) ++k;
        }
        return false;
    }
    void unclosed(std::size_t begin, std::size_t first, std::size_t end) {
        end = std::min({end, text_.size(), first + longest_display});
        const bool empty = text_.substr(first, end - first).find_first_not_of(" \t\r\n$") ==
                           std::string_view::npos;
        if (!empty)
            unreadable(begin, end,
                       "$$ is opened here and not closed before the empty line, where "
                       "TeX stops");
        now_ = empty ? first : end;
    }
    void dollar() {
        const std::size_t begin = now_;
        if (starts("$$", begin)) {
            const std::size_t close = find("$$", begin + 2);
            if (const std::size_t end = blank_line_in(begin + 2, close);
                end < close || close == std::string_view::npos)
                return unclosed(begin, begin + 2, end);
            if (close - begin > longest_display) {
                now_ = begin + 2;
                return;
            }
            now_ = close + 2;
            return display(begin, begin + 2, close, now_, "");
        }
        std::size_t close = begin + 1;
        const bool ticked = markdown_ && starts("$`", begin);  // $`x`$, as GitHub has it
        for (; close < text_.size() && close - begin < longest_inline; ++close) {
            if (text_[close] == '\\') ++close;
            else if (text_[close] == '$') break;
            else if (text_[close] == '\n' && close + 1 < text_.size() && text_[close + 1] == '\n')
                break;
        }
        now_ = begin + 1;
        if (close >= text_.size() || text_[close] != '$' || close == begin + 1) return;
        if (markdown_ && !ticked) {
            const char first = text_[begin + 1], last = text_[close - 1];
            const char behind = close + 1 < text_.size() ? text_[close + 1] : ' ';
            const bool digit = behind >= '0' && behind <= '9';  // prices
            if (first == ' ' || first == '\n' || last == ' ' || last == '\n' || digit) return;
        }
        now_ = close + 1;
        inline_math(begin, begin + (ticked ? 2 : 1), ticked ? close - 1 : close, now_);
    }
    tokens read(std::size_t first, std::size_t last, std::string& problem) {
        if (last < first) last = first;
        std::string words(text_.substr(first, last - first));
        if (markdown_) {
            // entities, in as many characters, so that places stay what they are
            static constexpr std::pair<std::string_view, std::string_view> entities[] = {
                {"&#95;", "_    "},
                {"&lt;", "<   "},
                {"&gt;", ">   "},
                {"&amp;", "&    "},
                {"&#42;", "*    "}};
            for (const auto& [entity, sign] : entities)
                for (std::size_t k = words.find(entity); k != std::string::npos;
                     k = words.find(entity, k))
                    words.replace(k, entity.size(), sign);
            for (std::size_t k = words.find("\n>"); k != std::string::npos;
                 k = words.find("\n>", k + 1))
                words[k + 1] = ' ';
        }
        // macros that are defined within mathematics, as Markdown has no other place for them
        for (std::size_t k = words.find('\\'); k != std::string::npos;
             k = words.find('\\', k + 1)) {
            std::size_t end = k + 1;
            while (end < words.size() && detail::is_ascii_letter(words[end])) ++end;
            if (!macro_table::is_definition(words.substr(k, end - k))) continue;
            const std::size_t behind = macros_.read_definition(words, k);
            std::fill(words.begin() + static_cast<std::ptrdiff_t>(k),
                      words.begin() + static_cast<std::ptrdiff_t>(behind), ' ');
        }
        tokens list = tokenise(words, first);
        if (!macros_.expand(list))
            problem = "its macros expand without an end, or to more than can be read";
        return list;
    }
    void display(std::size_t begin, std::size_t first, std::size_t last, std::size_t end,
                 std::string env) {
        if (last - std::min(first, last) > longest_display)
            return unreadable(begin, end, "this display is too long to be read");
        part p;
        p.kind = part_kind::display;
        p.begin = begin;
        p.end = end;
        p.environment = std::move(env);
        p.content = read(first, last, p.problem);
        p.aside = asides_ > 0;
        parts_.push_back(std::move(p));
    }
    void inline_math(std::size_t begin, std::size_t first, std::size_t last, std::size_t end) {
        part p;
        p.begin = begin;
        p.end = end;
        p.content = read(first, last, p.problem);
        p.aside = asides_ > 0 || in_table_;
        parts_.push_back(std::move(p));
    }
    void unreadable(std::size_t begin, std::size_t end, std::string why) {
        part p;
        p.kind = part_kind::display;
        p.begin = begin;
        p.end = end;
        p.problem = std::move(why);
        parts_.push_back(std::move(p));
    }

    std::string_view text_;
    bool markdown_;
    std::size_t now_ = 0;
    int asides_ = 0;
    bool in_table_ = false;
    macro_table macros_;
    std::vector<part> parts_;
    std::string prose_;
};

}  // namespace

document_parts parts_of(const document& text) { return scanner(text).run(); }

}  // namespace ricci::papers
