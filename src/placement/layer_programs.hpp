// Layers on several ranks: the equations of one, which ranks carry out for each of them, and what
// goes from one to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ricci/derive/repeat.hpp>
#include <ricci/program.hpp>

#include "src/placement/shared_call.hpp"

namespace ricci::mpi {

/// What a layer gives, and the name that the next one takes it by.
struct layer_chain {
    std::string given, taken;
};

/// What a caller gets of all layers: one of each, what the last one in the loop gives, or the sum
/// over all.
struct layer_output {
    enum class kind : std::uint8_t { of_each, of_last, sum };
    std::string name;
    kind how = kind::of_each;
};

/// One layer, forward and then back.
struct layer_parts {
    std::optional<ricci::program> forward, backward;
    std::vector<std::string> stored;  // what a layer computes on its way forward and reads back
};

class layer_programs {
public:
    /// Of a program of layers.
    explicit layer_programs(const ricci::program& p);
    static bool repeats(const ricci::program& p);

    std::int64_t count() const { return count_; }
    /// Of one layer all that is computed, in both directions.
    const ricci::program& one() const { return *one_; }
    const std::vector<layer_output>& outputs() const { return outputs_; }
    /// From each layer to the next, and back from each to the one before.
    const std::vector<layer_chain>& chains() const { return chains_; }
    const std::optional<layer_chain>& chain_back() const { return back_; }
    bool is_given(const std::string& name) const;
    /// "3 layers, planned as one: Y of each is X of the next".
    std::string words() const;

    /// What layer number `layer` takes. Throws ricci::error where there is not one for each.
    std::vector<named> operands_of(const std::vector<named>& all, std::int64_t layer) const;
    /// Whether there is one of it for each layer.
    bool is_of_each(const named& operand) const;

    /// `call`: of one(). Throws ricci::error where ranks would have other parts of what a layer
    /// gives than the next one takes.
    layer_parts parts_of(const shared_call& call) const;
    /// Of a part of one layer the call: sums over layers wait for the last one, but in blocks,
    /// whose results do not depend on how many ranks there are.
    shared_call call_of(const shared_call& call, const ricci::program& part) const;

private:
    void find_outputs(const ir::program_view& all, const derive::layer_names& names);
    void check_chain(const shared_call& call, const layer_chain& chain) const;
    std::vector<std::string> worth_storing(const shared_call& call) const;

    std::int64_t count_ = 1;
    bool recompute_ = false;
    std::string index_;
    std::vector<std::string> of_each_;
    std::optional<ricci::program> layer_, one_;
    std::vector<layer_output> outputs_;
    std::vector<layer_chain> chains_;
    std::optional<layer_chain> back_;
};

}  // namespace ricci::mpi
