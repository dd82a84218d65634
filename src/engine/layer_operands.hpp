// What a caller has bound to layers, held against each of them and against all of them together.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::engine {

/// An operand as the caller sees it, of all layers together.
struct layer_operand {
    std::string name;
    operand o;  // refers to the lists here
    std::vector<std::int64_t> extents, strides;
    bool single = true;  // one for all layers, not one for each
    bool output = false;
    bool own = false;  // an output in memory of ours
};

/// Whether an operand is a number by value.
bool is_number(const operand& o);

class layer_operands {
public:
    /// Outputs that are not bound get memory by what the request says, or where `before` has it
    /// with the same extents; none where `needs_memory` is false. Throws ricci::error before
    /// anything is written.
    layer_operands(const request& r, bool needs_memory, const layer_operands* before);
    layer_operands(const layer_operands&) = delete;
    layer_operands& operator=(const layer_operands&) = delete;

    /// nullptr where there is none.
    const layer_operand* find(std::string_view name, bool output) const;
    const std::deque<layer_operand>& all() const { return all_; }
    /// Of the indices that no shape gives.
    const std::vector<index_extent>& extents() const { return extents_; }

private:
    void add(const operand& o, bool output, bool own);
    ir::program equations_of_each() const;
    void check_each_layer(const request& r) const;
    void refuse_places() const;
    void refuse_shared_memory() const;
    void check_chain(const ir::shape_table& shapes) const;
    bool is_single(ir::ref name) const;

    layering how_;
    ir::program_view signature_;
    element type_;
    bool needs_memory_;
    std::deque<layer_operand> all_;
    std::vector<index_extent> extents_;
};

}  // namespace ricci::engine
