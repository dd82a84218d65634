// Advances of letters in hundredths of their size: of each the widest of DejaVu Serif, DejaVu Math
// TeX Gyre and Latin Modern Math; STIX Two and Cambria Math are narrower.
#include "formula/widths.hpp"

#include <cstddef>
#include <cstdint>

namespace ricci::formula {
namespace {

struct alphabet {
    std::uint8_t capitals[26];
    std::uint8_t small[26];
    std::uint8_t greek_capital, greek_small;  // the widest
};
constexpr alphabet upright{{75, 73, 77, 80, 73, 69, 80, 87, 40, 51,  78, 66, 102,
                            88, 82, 68, 82, 75, 69, 72, 84, 75, 103, 75, 75, 69},
                           {60, 64, 56, 64, 59, 37, 64, 64, 32, 31, 61, 32, 95,
                            64, 60, 64, 64, 48, 51, 40, 64, 56, 86, 56, 56, 53},
                           103,
                           83};
constexpr alphabet variables{{91,  85, 86, 93, 89, 90, 87, 106, 59, 78,  97, 78, 122,
                              108, 89, 85, 89, 89, 77, 84, 92,  92, 119, 97, 85, 90},
                             {66, 69, 66, 74, 67, 74, 72, 66, 38, 56, 67, 40, 97,
                              66, 68, 73, 66, 62, 63, 51, 67, 68, 94, 71, 77, 70},
                             122,
                             90};

// One character, and how many bytes it has.
struct character {
    char32_t code;
    std::size_t bytes;
};
character first_of(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t code = bytes == 1 ? lead : lead & (0x7fu >> bytes);
    std::size_t k = 1;
    for (; k < bytes && k < text.size() && (text[k] & 0xc0) == 0x80; ++k)
        code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3fu);
    return {code, k};
}

int hundredths(char32_t c, const alphabet& a) {
    if (c >= U'A' && c <= U'Z') return a.capitals[c - U'A'];
    if (c >= U'a' && c <= U'z') return a.small[c - U'a'];
    if (c >= 0x300 && c < 0x370) return 0;  // an accent stands over what is before it
    if (c >= 0x391 && c <= 0x3a9) return a.greek_capital;
    if (c >= 0x3b1 && c <= 0x3f5) return a.greek_small;
    if (c >= U'0' && c <= U'9') return 64;
    constexpr std::u32string_view thin = U" !',.:;i|·′", narrow = U"()[]/\\-⌊⌋⌈⌉‖\"*";
    if (thin.find(c) != thin.npos) return 40;
    if (narrow.find(c) != narrow.npos) return 50;
    return c < 0x2010 ? 85 : 105;
}

}  // namespace

double width_of_text(std::string_view text, bool slanted) {
    int width = 0;
    while (!text.empty()) {
        const character c = first_of(text);
        width += hundredths(c.code, slanted ? variables : upright);
        text.remove_prefix(c.bytes);
    }
    return width / 100.0;
}

}  // namespace ricci::formula
