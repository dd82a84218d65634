// Arrays and programs as text.
#include <ostream>

#include <fmt/format.h>

#include <ricci/array.hpp>
#include <ricci/parse.hpp>
#include <ricci/print.hpp>

namespace ricci {

std::string to_text(const array& a) {
    if (a.is_shape()) {
        if (a.rank() == 0) return fmt::format("{}, a number (a shape)", name_of(a.type()));
        return fmt::format("{}, {} (a shape)", name_of(a.type()), fmt::join(a.extents(), " x "));
    }
    const std::vector<std::ptrdiff_t> strides(a.strides().begin(), a.strides().end());
    return detail::text_of({a.type(), a.data(), a.rank(), a.extents().data(), strides.data()});
}

std::ostream& operator<<(std::ostream& out, const array& a) { return out << to_text(a); }
std::ostream& operator<<(std::ostream& out, const program& p) { return out << to_text(p); }

}  // namespace ricci
