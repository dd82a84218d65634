// A program that is run once for each layer.
#include "src/engine/layer_stage.hpp"

#include <utility>

#include "src/engine/requests.hpp"

namespace ricci::engine {

layer_stage::layer_stage(ir::program program, element type, std::int64_t count)
    : program_(std::move(program)), type_(type), count_(count) {}

void layer_stage::bind(ir::ref name, const operand& one, const layer_place& place, bool output) {
    operand o = one;
    o.name = name;
    auto& numbers = numbers_.emplace_back(one.extents, one.extents + one.rank);
    numbers.insert(numbers.end(), one.strides, one.strides + one.rank);
    o.extents = numbers.data();
    o.strides = numbers.data() + one.rank;
    const bool number = !output && one.rank == 0 && one.data == nullptr && !one.shape_only;
    if (!number) {
        o.data = place.of(0, count_);
        o.shape_only = o.data == nullptr;
        moved_.push_back(o);
        places_.push_back(place);
    }
    // What nobody has memory for yet is no output to plan with: it would be one that is bound.
    if (output && o.shape_only) return;
    (output ? outputs_ : inputs_).push_back(o);
}

request layer_stage::for_first() const {
    request r;
    r.program = program_.view();
    r.type = type_;
    refer(r, inputs_, outputs_, extents_);
    return r;
}

void layer_stage::run(std::int64_t layer) {
    for (std::size_t k = 0; k < moved_.size(); ++k) moved_[k].data = places_[k].of(layer, count_);
    executable_->run_at(moved_.data(), static_cast<std::int32_t>(moved_.size()));
}

std::string layer_stage::explain_passes() const { return engine::explain_passes(for_first()); }

std::string layer_stage::explain() const {
    return executable_ != nullptr ? executable_->explain() : engine::explain(for_first());
}

}  // namespace ricci::engine
