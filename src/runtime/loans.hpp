// Which memory a program lends while it runs, and holding that ready: so that none is missing in
// the middle, when some of its results are written and others are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/runtime/buffers.hpp"

namespace ricci::runtime {

/// A piece of memory that each of so many tasks lends, as many of them as there are workers at the
/// same time.
struct loan {
    std::size_t bytes = 0;
    std::int64_t tasks = 1;
};
/// What is lent at the same time.
using loan_list = std::vector<loan>;

/// The loans of steps that run one after another.
class loan_book {
public:
    /// Loans of no bytes are left out.
    void add_step(const loan_list& at_once);
    void add(const loan_book& others);
    bool empty() const { return steps_.empty(); }

    /// The pieces that all of it takes. Allocates only where `workers` is not what it was before;
    /// what it has returned then is gone.
    std::span<const memory_pieces> pieces(int workers);

private:
    std::vector<loan_list> steps_;
    std::vector<memory_pieces> pieces_;
    int workers_ = 0;
};

/// Holds the pieces of a book ready for the workers there are now, and as many more as other
/// threads hold: no loan allocates meanwhile. Throws std::bad_alloc. The book outlives it, and
/// nothing else is done with it meanwhile.
class held_memory {
public:
    // Here, for the smallest programs: they lend nothing, and take some nanoseconds.
    explicit held_memory(loan_book& book) {
        if (!book.empty()) hold(book);
    }
    ~held_memory() {
        if (!pieces_.empty()) lent_memory::let_go(pieces_);
    }
    held_memory(const held_memory&) = delete;
    held_memory& operator=(const held_memory&) = delete;

private:
    void hold(loan_book& book);

    std::span<const memory_pieces> pieces_;
};

}  // namespace ricci::runtime
