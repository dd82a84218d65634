// A document and what it includes, as one text whose places are still known.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace ricci::papers {

struct place {
    std::string file;
    int line = 1;  // both from 1
    int column = 1;
};

/// What could not be done, and where.
struct remark {
    place where;
    std::string words;
};

/// A mistake in what was given: the command ends with one sentence.
struct mistake_in_input {
    std::string words;
};

class document {
public:
    /// Reads a file, `-` for `standard_input`, and the files that it includes. Throws
    /// mistake_in_input where the file itself cannot be read.
    static document read(const std::string& name, std::istream& standard_input);
    /// A text of the caller's, by the name of a file.
    static document of_text(std::string name, std::string text);

    std::string_view text() const { return text_; }
    place at(std::size_t offset) const;
    bool is_markdown() const { return markdown_; }
    /// The packages and classes that lie beside the document, one behind another: what defines its
    /// macros.
    std::string_view packages() const { return packages_; }
    /// What was left out: files that are not there, or not to be read.
    const std::vector<remark>& remarks() const { return remarks_; }

    static constexpr std::size_t longest = std::size_t{1} << 24;  // of all files together

private:
    friend class document_reader;
    struct piece {
        std::size_t begin = 0;  // in text_
        std::size_t file = 0;
        std::size_t offset = 0;  // in the file
    };
    struct file {
        std::string name;
        std::vector<std::size_t> lines;  // where each begins
    };

    void look_at_kind();

    std::string text_;
    std::string packages_;
    std::vector<piece> pieces_;
    std::vector<file> files_;
    std::vector<remark> remarks_;
    bool markdown_ = false;
};

}  // namespace ricci::papers
