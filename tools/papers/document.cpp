// Reads a document, puts what it includes into its place, and leaves its comments out.
#include "papers/document.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/core.h>

namespace ricci::papers {

namespace {

namespace fs = std::filesystem;

constexpr int deepest_inclusion = 16;  // files that include files
constexpr int most_files = 500;        // of one document

std::string too_long(const std::string& name) {
    return fmt::format("{} is longer than {} MiB; check its parts", name, document::longest >> 20);
}

/// All of a stream, if that is not too much.
std::optional<std::string> all_of(std::istream& in) {
    std::string out;
    char block[1 << 14];
    while (in.read(block, sizeof block) || in.gcount() > 0) {
        out.append(block, static_cast<std::size_t>(in.gcount()));
        if (out.size() > document::longest) return std::nullopt;
    }
    return out;
}

bool ends_with(std::string_view text, std::string_view tail) {
    return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

/// The offset behind a comment's line, or `at` where none begins.
bool begins_comment(std::string_view text, std::size_t at) {
    if (text[at] != '%') return false;
    std::size_t slashes = 0;
    while (slashes < at && text[at - slashes - 1] == '\\') ++slashes;
    return slashes % 2 == 0;
}

}  // namespace

/// Flattens \input and \include, depth first.
class document_reader {
public:
    explicit document_reader(document& out) : out_(out) {}

    void add_file(std::string name, std::string text, const fs::path& real) {
        const std::size_t number = out_.files_.size();
        document::file f;
        f.name = std::move(name);
        f.lines.push_back(0);
        for (std::size_t k = 0; k < text.size(); ++k)
            if (text[k] == '\n') f.lines.push_back(k + 1);
        out_.files_.push_back(std::move(f));
        if (number == 0) {
            std::error_code ignored;
            root_ = fs::weakly_canonical(real, ignored).parent_path();
        }
        open_.push_back(real);
        scan(number, text);
        open_.pop_back();
    }

private:
    void scan(std::size_t file, std::string_view text) {
        const bool tex = !ends_with(out_.files_[file].name, ".md");
        std::size_t done = 0;
        for (std::size_t k = 0; tex && k < text.size(); ++k) {
            if (begins_comment(text, k)) {
                while (k < text.size() && text[k] != '\n') ++k;
                continue;
            }
            if (text[k] != '\\') continue;
            add_packages(text, k);
            std::size_t end = k;
            const std::string name = included(text, k, end);
            if (name.empty()) continue;
            copy(file, text, done, k);
            done = end;
            include(file, k, name);
            k = end - 1;
        }
        copy(file, text, done, text.size());
    }
    /// What \usepackage at `at` names, and lies beside the document: its definitions are wanted.
    void add_packages(std::string_view text, std::size_t at) {
        static constexpr std::pair<std::string_view, const char*> words[] = {
            {"\\usepackage", ".sty"}, {"\\RequirePackage", ".sty"}, {"\\documentclass", ".cls"}};
        for (const auto& [word, ending] : words) {
            if (text.substr(at, word.size()) != word) continue;
            std::size_t open = at + word.size();
            if (open < text.size() && text[open] == '[') open = text.find(']', open);
            open = text.find_first_not_of("] \t\r\n", std::min(open, text.size()));
            if (open >= text.size() || text[open] != '{') return;
            const std::size_t close = text.substr(0, open + 400).find('}', open);
            if (close == std::string_view::npos) return;
            std::string name;
            for (std::size_t k = open + 1; k <= close; ++k) {
                if (text[k] != ',' && k < close) {
                    if (text[k] != ' ' && text[k] != '\n') name += text[k];
                    continue;
                }
                add_package(name + ending);
                name.clear();
            }
        }
    }
    void add_package(const std::string& name) {
        std::error_code wrong;
        const fs::path real = fs::weakly_canonical(root_ / name, wrong);
        const fs::path inside = real.lexically_relative(root_);
        if (inside.empty() || *inside.begin() == ".." || !fs::is_regular_file(real, wrong) ||
            packages_.size() >= most_files || !packages_.insert(real.string()).second)
            return;
        std::ifstream in(real, std::ios::binary);
        const auto text = all_of(in);
        if (!text || out_.packages_.size() + text->size() > document::longest) return;
        // what it rests on comes before it
        for (std::size_t k = text->find('\\'); k != std::string::npos; k = text->find('\\', k + 1))
            add_packages(*text, k);
        out_.packages_ += *text + "\n";
    }
    /// The argument of an \input that begins at `at`, and where it ends.
    static std::string included(std::string_view text, std::size_t at, std::size_t& end) {
        for (const std::string_view word : {"\\input", "\\include", "\\subfile"}) {
            if (text.substr(at, word.size()) != word) continue;
            std::size_t k = at + word.size();
            const std::size_t open = k;
            while (k < text.size() && (text[k] == ' ' || text[k] == '\t')) ++k;
            const bool braces = k < text.size() && text[k] == '{';
            if (!braces && (k == open || word != "\\input")) continue;
            if (braces) ++k;
            const std::size_t first = k;
            while (k < text.size() && text[k] != '\n' && text[k] != '}' &&
                   (braces || text[k] != ' '))
                ++k;
            if (k == first || (braces && (k == text.size() || text[k] != '}'))) continue;
            end = braces ? k + 1 : k;
            std::string name(text.substr(first, k - first));
            name.erase(0, name.find_first_not_of(" \t"));
            name.erase(name.find_last_not_of(" \t\r") + 1);
            // of a macro's definition, where the name comes later
            return name.find_first_of("#\\{}") == std::string::npos ? name : std::string();
        }
        return {};
    }
    void copy(std::size_t file, std::string_view text, std::size_t from, std::size_t to) {
        if (from >= to) return;
        if (out_.text_.size() + (to - from) > document::longest)
            throw mistake_in_input{too_long(out_.files_[0].name + " with all that it includes")};
        out_.pieces_.push_back({out_.text_.size(), file, from});
        out_.text_.append(text.substr(from, to - from));
    }
    void include(std::size_t file, std::size_t at, const std::string& name) {
        const auto say = [&](const std::string& words) {
            const document::file& f = out_.files_[file];
            const auto line =
                std::upper_bound(f.lines.begin(), f.lines.end(), at) - f.lines.begin();
            out_.remarks_.push_back(
                {{f.name, static_cast<int>(line),
                  static_cast<int>(at - f.lines[static_cast<std::size_t>(line) - 1]) + 1},
                 "left out: " + words});
        };
        if (out_.files_.size() >= most_files) return say("the document includes too many files");
        if (open_.size() >= deepest_inclusion) return say("files include files too deeply here");
        fs::path path = root_ / name;
        std::error_code wrong;
        if (!fs::exists(path, wrong)) path += ".tex";
        const fs::path real = fs::weakly_canonical(path, wrong);
        const fs::path inside = real.lexically_relative(root_);
        if (inside.empty() || *inside.begin() == "..")
            return say(fmt::format("{} lies outside the folder of the document", name));
        if (!fs::exists(real, wrong))
            return say(fmt::format("there is no {} beside the document", name));
        if (!fs::is_regular_file(real, wrong)) return say(name + " is no file");
        if (std::find(open_.begin(), open_.end(), real) != open_.end())
            return say(name + " includes itself");
        std::ifstream in(real, std::ios::binary);
        auto text = all_of(in);
        if (!text) return say(too_long(name));
        add_file((fs::path(out_.files_[0].name).parent_path() / inside).generic_string(),
                 std::move(*text), real);
    }

    document& out_;
    fs::path root_;
    std::vector<fs::path> open_;
    std::set<std::string> packages_;
};

document document::read(const std::string& name, std::istream& standard_input) {
    document out;
    document_reader reader(out);
    if (name == "-") {
        auto text = all_of(standard_input);
        if (!text) throw mistake_in_input{too_long("standard input")};
        reader.add_file("-", std::move(*text), fs::current_path() / "-");
    } else {
        std::error_code wrong;
        if (!fs::exists(name, wrong)) throw mistake_in_input{"there is no file " + name};
        if (!fs::is_regular_file(name, wrong)) throw mistake_in_input{name + " is no file"};
        if (fs::file_size(name, wrong) > longest) throw mistake_in_input{too_long(name)};
        std::ifstream in(name, std::ios::binary);
        if (!in) throw mistake_in_input{name + " cannot be opened"};
        auto text = all_of(in);
        if (!text) throw mistake_in_input{too_long(name)};
        reader.add_file(name, std::move(*text), fs::weakly_canonical(name, wrong));
    }
    out.look_at_kind();
    return out;
}

document document::of_text(std::string name, std::string text) {
    document out;
    document_reader(out).add_file(std::move(name), std::move(text), fs::current_path() / "-");
    out.look_at_kind();
    return out;
}

void document::look_at_kind() {
    const std::string& name = files_[0].name;
    if (ends_with(name, ".tex") || ends_with(name, ".ltx")) return;
    markdown_ = ends_with(name, ".md") || ends_with(name, ".markdown");
    if (markdown_) return;
    for (const char* sign : {"\\documentclass", "\\begin{", "\\section", "\\["})
        if (text_.find(sign) != std::string::npos) return;
    markdown_ = true;
}

place document::at(std::size_t offset) const {
    if (pieces_.empty()) return {files_.empty() ? "-" : files_[0].name, 1, 1};
    auto found = std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                                  [](std::size_t o, const auto& p) { return o < p.begin; });
    if (found != pieces_.begin()) --found;
    const file& f = files_[found->file];
    const std::size_t in_file = found->offset + (offset - found->begin);
    const auto line = std::upper_bound(f.lines.begin(), f.lines.end(), in_file) - f.lines.begin();
    return {f.name, static_cast<int>(line),
            static_cast<int>(in_file - f.lines[static_cast<std::size_t>(line) - 1]) + 1};
}

}  // namespace ricci::papers
