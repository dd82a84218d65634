// The operands of a program with shorter axes, so that what many ranks compute can be tried on one
// machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ricci/program.hpp>

namespace ricci::command {

class smaller_shapes {
public:
    smaller_shapes(const program& p, const std::vector<named>& shapes,
                   const std::vector<std::string>& letters, const std::vector<int>& grid);

    /// Takes away ranks first, down to two of each letter, with their places, so that a rank's part
    /// stays as it is; then halves the axis that is longest on a rank. False where nothing is left
    /// to take away.
    bool shrink();

    const std::vector<int>& grid() const { return grid_; }
    std::vector<named> shapes() const;

private:
    /// Axes that have one extent, as letters say.
    struct axis_class {
        std::vector<std::pair<std::size_t, std::size_t>> axes;  // operand, axis
        std::vector<std::string> letters;
        std::size_t extent = 0;
    };
    void find_classes(const program& p);
    std::size_t ranks_of(const axis_class& c) const;

    std::vector<named> shapes_;
    std::vector<std::string> letters_;
    std::vector<int> grid_;
    std::vector<axis_class> classes_;
    bool fewer_ranks_ = false;
};

}  // namespace ricci::command
