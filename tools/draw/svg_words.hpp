// Words and formulas in SVG.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "draw/label.hpp"
#include "draw/layout.hpp"

namespace ricci::draw {

/// A text as XML has it.
std::string in_xml(const std::string& text);
/// A number of pixels, to a tenth.
std::string number(double x);

/// Writes words; what is drawn around them derives from it.
class word_writer {
public:
    std::string out;
    double width = 0;  // of what was written from the left margin, at most

    /// Words in the middle of a place.
    void text(const char* what, point at, const label& words);
    /// Lines of words from a place on, their letters and they themselves of so many pixels; gives
    /// their height.
    double lines(const char* what, point at, const label& words, double size, double most);
    /// A formula: as MathML, and as words where that is not known. Gives its height.
    double formula(point at, const std::string& latex, double most);

protected:
    template <class... Values>
    void add(fmt::format_string<Values...> words, Values&&... values) {
        out += fmt::format(words, std::forward<Values>(values)...);
    }

private:
    void line_of_words(const char* what, point at, const label& words);
};

}  // namespace ricci::draw
