// What slices and reshapes do to extents and strides; compiled, so that no words are made in
// headers.
#pragma once

#include <cstddef>

#include <ricci/detail/export.hpp>

namespace ricci::detail {

/// The axes of a view that is looked at.
struct axes {
    const std::size_t* extents;
    const std::ptrdiff_t* strides;
    std::size_t rank;
};
/// The axes of one that is made of it.
struct new_axes {
    std::size_t* extents;
    std::ptrdiff_t* strides;
    std::size_t rank;
};

// Where an offset is returned, it leads from the first element of the old view to that of the new.
// All throw ricci::error, and say what was asked for and what there is.

/// Every `step`-th position from `first` to before `last`, of one axis of `a`, in place.
RICCI_EXPORT std::ptrdiff_t slice_axis(new_axes a, int axis, std::ptrdiff_t first,
                                       std::ptrdiff_t last, std::ptrdiff_t step);
RICCI_EXPORT std::ptrdiff_t reverse_axis(new_axes a, int axis);
/// `to` has an axis less.
RICCI_EXPORT std::ptrdiff_t fix_axis(axes from, int axis, std::ptrdiff_t position, new_axes to);
RICCI_EXPORT void permute_axes(axes from, const int* order, new_axes to);
/// `to.extents` are what is wanted; one of them may be -1, and is found.
RICCI_EXPORT void reshape_axes(axes from, new_axes to);
/// `to.extents` are what is wanted.
RICCI_EXPORT void broadcast_axes(axes from, new_axes to);
/// `to` has an axis more, of stride 0.
RICCI_EXPORT void expand_axes(axes from, int axis, std::ptrdiff_t extent, new_axes to);

}  // namespace ricci::detail
