// A program that is run once for each layer, its operands moving from one to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/engine/executable.hpp>

namespace ricci::engine {

/// Where an operand lies, layer by layer.
struct layer_place {
    std::byte* base = nullptr;
    std::ptrdiff_t step = 0;   // bytes from one layer to the next; 0: the same for all
    std::int64_t shift = 0;    // added to the number of a layer
    bool alternates = false;   // between two places
    void* at_first = nullptr;  // where the first and the last layer have it, if somewhere else
    void* at_last = nullptr;

    void* of(std::int64_t layer, std::int64_t count) const {
        if (layer == 0 && at_first != nullptr) return at_first;
        if (layer == count - 1 && at_last != nullptr) return at_last;
        if (base == nullptr) return nullptr;  // nobody has memory for it yet
        std::int64_t k = layer + shift;
        if (alternates) k &= 1;
        return base + k * step;
    }
};

/// Planned once; of one layer's operands only the addresses are others than of the next one's.
class layer_stage {
public:
    layer_stage(ir::program program, element type, std::int64_t count);

    ir::program_view view() const { return program_.view(); }

    /// `one`: the operand as one layer sees it, whose address does not count.
    void bind(ir::ref name, const operand& one, const layer_place& place, bool output);
    void set_index(const index_extent& e) { extents_.push_back(e); }

    /// Of the first layer; refers to this.
    request for_first() const;
    /// Plans and allocates. Throws ricci::error where operands do not fit.
    void prepare() { executable_ = std::make_unique<executable>(for_first()); }
    /// Allocates nothing while its loans are held.
    void run(std::int64_t layer);
    const runtime::loan_book& loans() const { return executable_->loans(); }
    std::string explain() const;
    std::string explain_passes() const;

private:
    ir::program program_;
    element type_;
    std::int64_t count_;
    std::vector<operand> inputs_, outputs_;
    std::vector<operand> moved_;       // those of both that have an address
    std::vector<layer_place> places_;  // of each of them
    std::deque<std::vector<std::int64_t>> numbers_;
    std::vector<index_extent> extents_;
    std::unique_ptr<executable> executable_;
};

}  // namespace ricci::engine
