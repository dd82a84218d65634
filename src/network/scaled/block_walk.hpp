// Going over the elements of a tensor, or of two that share their indices, block by block: a block
// is what lies at one place of some of the indices.
#pragma once

#include <cstdint>
#include <vector>

namespace ricci::networks {

/// An index of one or two tensors: its extent, and the strides of both in elements.
struct walk_loop {
    std::int64_t extent = 1;
    std::int64_t first = 0;
    std::int64_t second = 0;
};

/// Numbers next to each other at constant steps, in a block: offsets and steps of both tensors, in
/// real numbers.
struct walk_line {
    std::int64_t block = 0;
    std::int64_t first = 0, second = 0;
    std::int64_t count = 1;
    std::int64_t first_step = 1, second_step = 1;
};

/// Who visits lines; does not own what it calls.
class line_visitor {
public:
    template <class F>
    line_visitor(F& body)  // NOLINT
        : object_(&body),
          call_([](void* object, const walk_line& line) { (*static_cast<F*>(object))(line); }) {}
    void operator()(const walk_line& line) const { call_(object_, line); }

private:
    void* object_;
    void (*call_)(void*, const walk_line&);
};

class block_walk {
public:
    block_walk() = default;
    /// Blocks are numbered in the order of their loops, the last one fastest. `complex`: elements
    /// are two real numbers. Loops along which neither tensor moves are left out of blocks.
    block_walk(std::vector<walk_loop> blocks, std::vector<walk_loop> within, bool complex);

    /// Visits all lines, on one thread. Allocates nothing.
    void run(line_visitor visit) const;
    /// The same on several threads where there is enough to do; lines of one block may be visited
    /// at the same time.
    void run_shared(line_visitor visit) const;

    std::int64_t blocks() const { return block_count_; }
    /// Whether run_shared() takes several threads.
    bool is_shared() const;
    /// How many numbers there are, where all of them lie next to each other, are one block, and are
    /// too few for several threads; 0 elsewhere.
    std::int64_t short_line() const { return short_line_; }

private:
    void run_part(std::int64_t block, std::int64_t from, std::int64_t to,
                  const line_visitor& visit) const;
    void run_loops(std::size_t level, walk_line line, const line_visitor& visit) const;

    std::vector<walk_loop> blocks_;  // strides in real numbers
    // Within a block, the outermost first; the last one is a line. At least one.
    std::vector<walk_loop> within_{walk_loop{}};
    std::int64_t block_count_ = 1, block_size_ = 1, short_line_ = 1;
};

}  // namespace ricci::networks
