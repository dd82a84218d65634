// Arrays and programs as text.
#include <ostream>

#include <ricci/array.hpp>
#include <ricci/parse.hpp>
#include <ricci/print.hpp>

namespace ricci {

std::string to_text(const array& a) {
    if (a.is_shape()) {
        std::string words = std::string(name_of(a.type())) + ",";
        for (std::size_t axis = 0; axis < a.rank(); ++axis)
            words += (axis == 0 ? " " : " x ") + std::to_string(a.extent(axis));
        return words + (a.rank() == 0 ? " a number" : "") + " (a shape)";
    }
    const std::vector<std::ptrdiff_t> strides(a.strides().begin(), a.strides().end());
    return detail::text_of({a.type(), a.data(), a.rank(), a.extents().data(), strides.data()});
}

std::ostream& operator<<(std::ostream& out, const array& a) { return out << to_text(a); }
std::ostream& operator<<(std::ostream& out, const program& p) { return out << to_text(p); }

}  // namespace ricci
