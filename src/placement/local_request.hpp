// What the engine is asked for, of what a rank computes between two exchanges.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/engine/executable.hpp>

#include "src/placement/placed_program.hpp"
#include "src/placement/stages.hpp"

namespace ricci::mpi {

/// What a rank has of the names of a program. On paper arrays are shapes.
struct rank_memory {
    std::map<ir::ref, array> arrays;  // of inputs, and of outputs where it is there
    std::map<ir::ref, engine::number> numbers;
    std::map<ir::ref, detail::memory_watch**> watches;
    std::set<ir::ref> moving = {};  // inputs that get other memory between two runs
};

/// The same of the names of a stage's program. `given`: that of the program that it is a stage of;
/// `memory_of` has the arrays of all else.
template <class MemoryOf>
rank_memory memory_of_stage(const stage& s, const rank_memory& given, const MemoryOf& memory_of) {
    rank_memory m;
    for (const stage::tensor& t : s.reads) {
        const auto x = given.numbers.find(t.of);
        if (x != given.numbers.end()) m.numbers[t.name] = x->second;
        else m.arrays[t.name] = memory_of(t.of);
        if (const auto w = given.watches.find(t.of); w != given.watches.end())
            m.watches[t.name] = w->second;
    }
    for (const stage::tensor& t : s.writes) m.arrays[t.name] = memory_of(t.of);
    return m;
}

/// Of a stage of the last letter that is shared out; refers to the stage and to the memory. On
/// paper inputs are shapes, and outputs are bound to nothing.
class local_request {
public:
    local_request(const sharing_request& from, const rank_memory& memory, const stage& s);
    /// Of the inputs that are in `moved`, for engine::executable::bind.
    local_request(element type, const rank_memory& moved, const stage& s);
    local_request(const local_request&) = delete;
    local_request& operator=(const local_request&) = delete;

    engine::request view() const;

private:
    engine::operand operand_of(const rank_memory& from, ir::ref name);

    const stage& stage_;
    element type_;
    bool exact_distances_ = false;
    std::vector<std::vector<std::int64_t>> extents_, strides_;
    std::vector<engine::operand> in_, out_;
};

}  // namespace ricci::mpi
