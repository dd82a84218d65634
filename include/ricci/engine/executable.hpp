// The door to the compiled library: a program, the memory of its operands, and an executable.
#pragma once

#include <cstdint>
#include <string>

#include <ricci/detail/export.hpp>
#include <ricci/element.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/engine/number.hpp>

namespace ricci::detail {
class memory_watch;
class program_body;
}  // namespace ricci::detail

namespace ricci::engine {

/// A tensor or a number that the caller binds to a name of the program.
struct operand {
    ir::ref name = ir::none;
    std::int32_t rank = 0;
    void* data = nullptr;                   // nullptr: a number, `value`
    const std::int64_t* extents = nullptr;  // rank of them; copied, need not outlive the call
    const std::int64_t* strides = nullptr;  // in elements; 0 and negative too
    engine::number value;
    /// Whole numbers of the type `positions`, boolean among them, beside tensors of another: they
    /// say places of axes, or stand in conditions.
    bool is_positions = false;
    element positions = element::i32;
    bool shape_only = false;  // it has no memory, and the program is planned, not run
    /// Of the tensor that owns `data`, where one does: an executable takes part in it.
    detail::memory_watch** watch = nullptr;
};

/// `"h"_i = 8`: the extent of an index, where the shapes do not give it.
struct index_extent {
    ir::ref index = ir::none;
    std::int64_t extent = 0;
};

/// That the program of a request is carried out several times, each on what the time before gives.
/// The request's own program then says what is bound and given for all of them together: what there
/// is one of for each layer has a first axis for them.
struct layering {
    enum class result_kind : std::uint8_t { values, gradient, tangent };

    ir::program_view layer;                       // the equations of one, of which others follow
    detail::program_body* layer_owner = nullptr;  // of a program made at run time
    ir::ref from = ir::none;                      // in `layer`: what a layer gives the next,
    ir::ref to = ir::none;                        // and what this takes it as
    const ir::ref* shared = nullptr;              // in `layer`: the same for all
    std::int32_t shared_count = 0;
    detail::text_view index;  // of the layers, in the request's program
    std::int64_t count = 1;
    result_kind computes = result_kind::values;
    bool recompute = false;  // a gradient makes again what it could have stored for each layer
};

/// Everything an executable is made from. The program's arrays and the operands' memory have to
/// outlive the executable.
struct request {
    ir::program_view program;
    /// Says which program it is when its arrays stay where they are as long as the process lives;
    /// 0: they need not.
    std::uint64_t program_key = 0;
    /// Of a program made at run time: what keeps its arrays, where a plan is remembered, too.
    detail::program_body* program_owner = nullptr;
    const layering* layers = nullptr;  // copied, but for what it refers to
    element type = element::f32;       // of every tensor
    const operand* inputs = nullptr;
    std::int32_t input_count = 0;
    const operand* outputs = nullptr;  // outputs that are written to the caller's memory
    std::int32_t output_count = 0;
    const index_extent* index_extents = nullptr;
    std::int32_t index_extent_count = 0;
    engine::number alpha = 1;  // output = alpha * (the equations' value) + beta * output
    engine::number beta = 0;   // not 0 only where every output is bound
    bool fuse = true;  // false: every intermediate is stored, for tests that compare the two
    /// false: conditions between places stay conditions, and all places are gone through; for tests
    /// that compare the two.
    bool solve_places = true;
    /// Squared distances are sums of squared differences; false: wide ones may be expanded into
    /// products, but for pairs that this would cost their digits.
    bool exact_distances = false;
    /// Called once for each output that is not bound, when its shape is known and all checks have
    /// passed: returns memory for it, row-major and contiguous.
    void* (*allocate)(void* context, ir::ref name, std::int32_t rank,
                      const std::int64_t* extents) = nullptr;
    void* context = nullptr;
};

/// A program checked, planned and allocated for certain operands.
class RICCI_EXPORT executable {
public:
    /// Throws ricci::error before anything is written or allocated for outputs.
    explicit executable(const request&);
    executable(executable&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
    executable& operator=(executable&& other) noexcept {
        auto* mine = state_;
        state_ = other.state_;
        other.state_ = mine;
        return *this;
    }
    ~executable();

    /// Throws ricci::error where this has been moved from.
    void check() const;

    /// Reads the operands' current contents, writes the outputs; allocates nothing, unless there
    /// are more threads than before or other calls run meanwhile. Throws std::bad_alloc then,
    /// before anything is written, and ricci::error where a tensor that was bound has been
    /// destroyed or given other memory since.
    void run();

    /// Takes the operands and extents of indices that `changes` has in the place of those of these
    /// names; nothing else of it counts but `allocate`, for outputs that get other extents. Plans
    /// anew only where extents, strides, numbers or types differ. What throws leaves everything as
    /// it was.
    void bind(const request& changes);

    /// The steps in words: contraction path, index groups, kernels, FLOPs, bytes, workspace.
    std::string explain() const;

    struct state;

private:
    void bind_changes(const request& changes);

    state* state_;
};

/// Makes an executable and runs it once. Each thread remembers the last few plans that were made
/// for programs with a key: a call with the same program, shapes, strides and numbers, and operands
/// in other places, plans nothing and allocates its outputs alone. Throws what executable() does.
RICCI_EXPORT void run(const request&);

/// What executable(r).explain() says, with the memory of the plan alone: neither workspace nor
/// outputs are allocated, and operands may be shapes. Throws what executable() does.
RICCI_EXPORT std::string explain(const request& r);

/// The plan after every pass of the planner, as notation. Of layers, that of one.
RICCI_EXPORT std::string explain_passes(const request& r);

/// What a plan takes in bytes beside the memory of its operands, those outputs that are not bound
/// among them.
struct memory_sizes {
    std::size_t outputs = 0;    // that are not bound
    std::size_t workspace = 0;  // beside them
};
/// The same without allocating it. Throws what executable() does.
RICCI_EXPORT memory_sizes memory_of(const request& r);

/// Sets how many threads run; 0 means as many as the machine, or the enclosing oneTBB arena, has.
RICCI_EXPORT void set_threads(int count);

}  // namespace ricci::engine
