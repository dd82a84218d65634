// A recorded program with its derivatives, shapes and, where it is to be run, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/program.hpp>

#include "tests/unit/plan/recorded/programs.hpp"

namespace ricci::testing {

class bound_case {
public:
    /// Throws std::logic_error where the text of the program or its operands is wrong.
    /// `seed`: of the numbers in the inputs.
    explicit bound_case(const recorded_program& which, unsigned seed = 1);

    ir::program_view view() const { return program_.view(); }
    /// For planning: operands are shapes, but where outputs are bound to memory.
    engine::request request(bool fuse = true);
    /// For running: inputs hold numbers that depend on their names and the seed alone, and memory
    /// for outputs is allocated.
    engine::request request_with_memory();
    /// The elements of all outputs, by name, after a run.
    std::map<std::string, std::vector<std::byte>> results() const;

private:
    using shape = std::vector<std::int64_t>;
    struct tensor {
        shape extents, strides;
        element type;
        bool whole = false;      // whole numbers beside elements of another type
        std::int64_t below = 0;  // them; 0: any
        std::vector<std::byte> memory = {};
    };

    void read(const recorded_program& which);
    void derive(const std::string& how);
    void find_shapes();
    void add_shapes_of_plan();
    bool shape_of_use(const ir::node& use, shape& extents) const;
    void allocate(tensor& x, const std::string& name);
    std::map<std::string, std::string> bound_outputs() const;
    engine::request made(bool fuse, bool with_memory);
    engine::operand operand_of(ir::ref n, const tensor& x, bool with_memory) const;
    std::string name(ir::ref n) const;
    ir::ref find(const std::string& name) const;

    recorded_program which_;
    unsigned seed_ = 1;
    ir::program program_;
    std::map<std::string, std::int64_t> letters_;
    std::map<std::string, tensor> tensors_;
    std::map<std::string, double> numbers_;
    std::map<std::string, shape> known_;  // of what earlier programs define
    std::vector<engine::operand> inputs_, outputs_;
    std::vector<engine::index_extent> given_;
    std::map<std::string, std::vector<std::byte>> made_;  // outputs that are not bound
};

}  // namespace ricci::testing
