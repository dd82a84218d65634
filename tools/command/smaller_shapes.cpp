// Operands with shorter axes.
#include "command/smaller_shapes.hpp"

#include <algorithm>
#include <span>

#include <ricci/error.hpp>

#include "src/base/texts.hpp"
#include "src/placement/search.hpp"

namespace ricci::command {

smaller_shapes::smaller_shapes(const program& p, const std::vector<named>& shapes,
                               const std::vector<std::string>& letters,
                               const std::vector<int>& grid)
    : shapes_(shapes), letters_(letters), grid_(grid) {
    find_classes(p);
}

// A letter of several operands, and letters of one axis, have one extent.
void smaller_shapes::find_classes(const program& p) {
    const ir::program_view view = p.view();
    for (ir::ref i = 0; i < view.indices.size(); ++i) {
        const std::string letter = ricci::detail::string_of(view.index(i));
        axis_class mine;
        try {
            const mpi::shared_axes axes = mpi::axes_with(view, letter);
            for (std::size_t k = 0; k < shapes_.size(); ++k) {
                if (shapes_[k].value.kind() != ricci::detail::operand_kind::tensor) continue;
                const ir::ref n =
                    view.find(ricci::detail::view_of(canonical_name(shapes_[k].name)));
                const std::int32_t axis = n == ir::none ? -1 : axes[static_cast<std::size_t>(n)];
                if (axis < 0) continue;
                mine.axes.emplace_back(k, static_cast<std::size_t>(axis));
                mine.extent = shapes_[k].value.value().extent(static_cast<std::size_t>(axis));
            }
        } catch (const error&) {
            continue;  // it stands in two axes of one tensor
        }
        if (mine.axes.empty()) continue;
        mine.letters.push_back(letter);
        const auto touches = [&](const axis_class& c) {
            return std::any_of(c.axes.begin(), c.axes.end(), [&](const auto& a) {
                return std::find(mine.axes.begin(), mine.axes.end(), a) != mine.axes.end();
            });
        };
        for (std::size_t k = classes_.size(); k-- > 0;) {
            if (!touches(classes_[k])) continue;
            mine.axes.insert(mine.axes.end(), classes_[k].axes.begin(), classes_[k].axes.end());
            mine.letters.insert(mine.letters.end(), classes_[k].letters.begin(),
                                classes_[k].letters.end());
            classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(k));
        }
        classes_.push_back(std::move(mine));
    }
}

std::size_t smaller_shapes::ranks_of(const axis_class& c) const {
    std::size_t ranks = 1;
    for (std::size_t k = 0; k < letters_.size(); ++k)
        if (std::find(c.letters.begin(), c.letters.end(), letters_[k]) != c.letters.end())
            ranks *= static_cast<std::size_t>(grid_[k]);
    return ranks;
}

bool smaller_shapes::shrink() {
    if (!fewer_ranks_) {
        fewer_ranks_ = true;
        for (axis_class& c : classes_) {
            const std::size_t many = ranks_of(c);
            std::size_t few = 1;
            for (std::size_t k = 0; k < letters_.size(); ++k)
                if (std::find(c.letters.begin(), c.letters.end(), letters_[k]) != c.letters.end())
                    few *= static_cast<std::size_t>(std::min(grid_[k], 2));
            c.extent = std::max<std::size_t>(1, c.extent * few / many);
        }
        for (int& extent : grid_) extent = std::min(extent, 2);
        return true;
    }
    axis_class* longest = nullptr;
    for (axis_class& c : classes_)
        if (longest == nullptr || c.extent / ranks_of(c) > longest->extent / ranks_of(*longest))
            longest = &c;
    if (longest == nullptr || longest->extent / ranks_of(*longest) < 16) return false;
    longest->extent /= 2;
    return true;
}

std::vector<named> smaller_shapes::shapes() const {
    std::vector<std::vector<std::size_t>> extents(shapes_.size());
    for (std::size_t k = 0; k < shapes_.size(); ++k)
        if (shapes_[k].value.kind() == ricci::detail::operand_kind::tensor)
            extents[k].assign(shapes_[k].value.value().extents().begin(),
                              shapes_[k].value.value().extents().end());
    for (const axis_class& c : classes_)
        for (const auto& [operand, axis] : c.axes) extents[operand][axis] = c.extent;
    std::vector<named> smaller;
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
        const named& o = shapes_[k];
        if (o.value.kind() != ricci::detail::operand_kind::tensor) smaller.push_back(o);
        else
            smaller.push_back({o.name, bindable(shape(o.value.value().type(),
                                                      std::span<const std::size_t>(extents[k])))});
    }
    return smaller;
}

}  // namespace ricci::command
