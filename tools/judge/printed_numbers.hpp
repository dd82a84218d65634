// Numbers as pages print them: exact quotients, each good to half a unit of its last place, and
// what sides that are made of them come to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/measured.hpp"
#include "judge/printed_tokens.hpp"

namespace ricci::judge {

struct known_names;

/// How a page writes its numbers.
struct number_style {
    bool decimal_comma = false;  // 3,5 is three and a half
};

/// One number of a side.
struct printed_entry {
    measured number;
    rational unit;  // of its last place, where it stands alone; 0 where it was computed
};
/// A number, or a matrix of numbers; a vector has one column.
struct printed_value {
    int rows = 1;
    int columns = 1;
    std::vector<printed_entry> entries;  // row by row
    std::vector<printed_value> others;  // what the side may mean as well: 2\frac{1}{2} is 1, or 5/2
    std::vector<printed_value> loose =
        {};  // and to a page that is not strict: 3 for 3\%, as a unit
    bool is_number() const { return rows == 1 && columns == 1; }
    /// Whether it is written as it is: nothing was computed.
    bool is_literal() const;
};

/// f(x) = x^2 + 1, as a page says it.
struct printed_function {
    std::vector<std::string> parameters;  // as they are looked up
    std::vector<printed_token> body;
};

/// Names with the numbers that a page gave them.
class number_book {
public:
    explicit number_book(number_style style = {});
    /// What a side comes to, LaTeX of numbers, names that have one, + - \cdot / powers, roots and
    /// functions; nullopt for all else: units, degrees, modulo, a logarithm without a base.
    std::optional<printed_value> value_of(std::string_view side) const;
    /// Gives a name, as it is spelled in sides, a number. Spaces do not matter.
    void set(std::string_view name, printed_value value);
    bool has(std::string_view name) const;
    /// Says what a function of some names is.
    void set_function(std::string_view name, const std::vector<std::string>& parameters,
                      std::string_view body);

private:
    number_style style_;
    std::shared_ptr<known_names> known_;
};

enum class agreement : std::uint8_t {
    agree,
    differ,
    near,  // a whole number that was rounded otherwise than to the nearest; an approximate sign,
           // which promises no digits beside numbers without decimals; or off by no more than one
           // in the last digit, by what the numbers of the other side were rounded
    rounded,  // further off, and no further than these may have been
    shapes,   // a number and a matrix, or matrices of other sizes
};
struct compared {
    judge::agreement agreement = agreement::agree;
    std::string words;  // "computed, it is 4 and not 5"; nothing where they agree
};
/// Whether two sides may be the same number. `approximate`: they are joined by \approx.
compared compare(const printed_value& left, const printed_value& right, bool approximate);

/// To about six digits.
std::string shown(const printed_value& value);

/// Whether a digit stands in a side.
bool says_digits(std::string_view side);

}  // namespace ricci::judge
