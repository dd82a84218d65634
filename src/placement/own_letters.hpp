// A program of which every equation, and every sign that binds letters, has letters of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>

namespace ricci::mpi {

/// Names have the numbers that they have in the program it is made of; they are plain ones, as what
/// a rank has of a tensor need not be as large as what it has of its derivative. Equations are
/// those that compute something. Every letter has one extent, so that a rank's part of it is one.
class lettered_program {
public:
    lettered_program() = default;
    /// Of a program that is such a one already.
    lettered_program(const ir::program_view& p, std::vector<std::int64_t> extents,
                     std::vector<std::vector<std::int64_t>> shapes);

    ir::program program;
    std::vector<std::int64_t> extents;              // by index: of all ranks together
    std::vector<std::vector<std::int64_t>> shapes;  // by name, the same
    std::vector<ir::ref> origin;                    // by index: the letter of the text

    ir::ref add_index(const std::string& letter, std::int64_t extent, std::int32_t mark = 0);
    ir::ref add_name(const std::string& name, std::vector<std::int64_t> shape);

private:
    std::map<std::string, int> letters_, names_;  // how many begin so: no two are spelt alike
};

/// `table` has the shapes of all tensors and the extents of all indices.
lettered_program with_own_letters(const ir::program_view& p, const ir::shape_table& table);

}  // namespace ricci::mpi
