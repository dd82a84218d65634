// Puts the parts of a page together. They are written by hand in page.html, style.css and the
// scripts; embed.py makes template_parts.inc of them.
#include "show/template.hpp"

#include <fmt/core.h>

#include "template_parts.inc"

namespace ricci::show {
namespace {

template <class Lines>
void append(std::string& out, const Lines& lines) {
    for (const std::string_view line : lines) out += line;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const char c = text[k];
        if (const auto lead = static_cast<unsigned char>(c); lead >= 0x80) {
            // a character of several bytes, as its number; what is none is a question mark
            const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
            unsigned number = more == 0 ? '?' : lead & (0x3fu >> more);
            for (int n = 0; n < more && k + 1 < text.size() && (text[k + 1] & 0xc0) == 0x80; ++n)
                number = number << 6 | (static_cast<unsigned char>(text[++k]) & 0x3fu);
            out += fmt::format("&#{};", number);
            continue;
        }
        if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else out += c;
    }
    return out;
}

std::string page_around(std::string_view title, std::string_view data, std::string_view json) {
    std::string out;
    out.reserve(data.size() + json.size() + characters_of_parts);
    for (const std::string_view line : html_lines) {
        if (line == "@TITLE@\n") out += fmt::format("<title>{}</title>\n", escaped(title));
        else if (line == "@STYLE@\n") append(out, style_lines);
        else if (line == "@DATA@\n") out += data;
        else if (line == "@PAGE@\n") out += json;
        else if (line == "@CODE@\n") append(out, code_lines);
        else out += line;
    }
    return out;
}

}  // namespace ricci::show
