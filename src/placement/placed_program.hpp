// A program, and the stages that it has where the next of its shared-out indices is shared out:
// what is known without MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <ricci/array.hpp>

#include "src/placement/distribution.hpp"
#include "src/placement/own_letters.hpp"
#include "src/placement/placement.hpp"
#include "src/placement/search.hpp"
#include "src/placement/stages.hpp"

namespace ricci::mpi {

/// A shared-out index, among the ranks that differ in its places alone.
struct shared_letter {
    std::string letter;
    mpi::sharing sharing;
    bool whole_apart = false;  // ranks are blocks: what is whole is computed once for all of them
};

/// A program of which some letters are yet to be shared out. Of these its extents are all places;
/// of those that have been, this rank's.
struct sharing_request {
    lettered_program text;
    std::vector<shared_letter>* shared = nullptr;
    std::size_t next = 0;                       // the first one that is yet to be shared out
    std::vector<shared_axes> axes;              // by shared letter, in the text
    std::vector<std::vector<ir::ref>> letters;  // by shared letter: what `origin` says of it
    std::vector<ir::ref> inputs, outputs;
    std::set<ir::ref> may_wait = {};   // outputs whose sums over ranks the caller folds later
    std::map<ir::ref, element> types;  // of inputs
    element type = element::f64;
    bool exact_distances = false;
    bool overlap = true;
    ir::program_view program;      // the caller's, for words,
    std::vector<ir::ref> defined;  // and by name: which tensor of it this is for
};

/// The next letter shared out: stages with exchanges between them, each of which is again such a
/// program.
class placed_program {
public:
    explicit placed_program(sharing_request request);
    placed_program(const placed_program&) = delete;
    placed_program& operator=(const placed_program&) = delete;

    const std::vector<stage>& stages() const { return all_.stages; }
    /// What is computed while an exchange is under way: nothing, or "Q, K".
    std::string words_of_meanwhile(const exchange_place& e) const;
    /// Multiplications, of all letters that have been shared out the rank with most places.
    double work() const { return work_; }
    const std::vector<ir::ref>& stored() const { return all_.stored; }
    const sharing_request& request() const { return request_; }
    /// Where the request's outputs are in the end.
    const std::vector<ir::ref>& outputs() const { return outputs_; }
    /// Whether an output is left as this rank's terms of a sum.
    bool waits(std::size_t k) const { return form_of(outputs_[k]).partial; }
    /// What a name is a view of, or none.
    const excerpt* view_of(ir::ref name) const;
    const named_form& form_of(ir::ref name) const {
        return bench_.names[static_cast<std::size_t>(name)];
    }
    element type_of(ir::ref name) const;
    /// This rank's part in all letters.
    std::vector<std::size_t> extents_of(ir::ref name) const;
    /// Of all ranks together, but for letters that have been shared out before.
    std::int64_t whole_extent(ir::ref name, std::int32_t axis) const {
        return bench_.text.shapes[static_cast<std::size_t>(name)][static_cast<std::size_t>(axis)];
    }
    /// How the places lie that a collective gathers or scatters.
    const distribution& parts_of(const exchange& e) const;

    /// Whether letters are left that a stage's program has to share out.
    bool is_last() const { return request_.next + 1 == request_.shared->size(); }
    sharing_request request_of(const stage& s) const;

    const shared_letter& letter() const { return (*request_.shared)[request_.next]; }
    /// That this rank hands to MPI; where numbers decide, at most.
    std::int64_t bytes_of(const exchange& e) const;
    /// That some rank gets of others, or sends them, at most.
    double most_bytes_of(const exchange& e) const;
    /// What the engine says of a number that is no place, of the whole axis.
    std::string in_words_of_the_whole(const std::string& words) const;
    /// "Q, K": what a stage computes.
    std::string words_of(const stage& s) const;
    /// "all-reduce (sum) over h of ..., for ...", without what it takes.
    std::string words_of(const operation& o) const;

private:
    void place();
    void find_inner_axes();
    bool is_shared(std::size_t k, ir::ref letter) const;
    ir::ref tensor_of(ir::ref name) const { return form_of(name).tensor; }
    std::int64_t bytes_at_a_place(const exchange& e) const;
    std::int64_t places_sent(const exchange& e) const;
    ir::ref defined_of(ir::ref tensor) const;
    bool may_wait(ir::ref name) const;

    sharing_request request_;
    workbench bench_;
    std::vector<ir::ref> outputs_;
    double work_ = 0;
    staged_program all_;
    std::vector<shared_axes> inner_axes_;  // as in the request, of all tensors of the workbench
};

}  // namespace ricci::mpi
