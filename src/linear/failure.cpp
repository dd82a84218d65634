// Where a matrix of a batch could not be factored, in words.
#include "src/linear/failure.hpp"

#include <fmt/core.h>

namespace ricci::linear {

std::string failure::words(std::span<const std::int64_t> batch) const {
    std::string why;
    switch (reason) {
        case failure_reason::singular:
            why = fmt::format("is singular: its pivot in column {} is 0", column);
            break;
        case failure_reason::not_positive_definite:
            why = fmt::format("is not positive definite: its pivot in column {} is not positive",
                              column);
            break;
        case failure_reason::not_finite:
            why = fmt::format("has no finite factors: its pivot in column {} is no finite number",
                              column);
            break;
    }
    std::string place;
    std::int64_t rest = matrix;
    for (auto extent = batch.rbegin(); extent != batch.rend(); ++extent) {
        place = fmt::format("{}{}{}", rest % *extent, place.empty() ? "" : ", ", place);
        rest /= *extent;
    }
    return place.empty() ? why : fmt::format("{}, at place ({}) of its batch", why, place);
}

}  // namespace ricci::linear
