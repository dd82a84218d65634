// The parts of every page: its HTML, its style and its code, from the files beside this one.
#pragma once

#include <string>
#include <string_view>

namespace ricci::show {

/// A page with a title, with the tensors as elements of HTML, and with what is said of them as
/// JSON, in which no `<` may be.
std::string page_around(std::string_view title, std::string_view data, std::string_view json);

/// UTF-8 as it stands in HTML, in ASCII alone.
std::string escaped(std::string_view text);

}  // namespace ricci::show
