// What a request binds: where it lies, the plan for it, and requests that are kept.
#include "src/engine/requests.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/plan/make_plan.hpp"
#include "src/plan/words/words.hpp"
#include "src/runtime/float_settings.hpp"

namespace ricci::engine {
namespace {

// The bytes from the first element of an operand to behind the last one; all that there are where
// they cannot be counted.
std::pair<std::intptr_t, std::intptr_t> bytes_of(const operand& o, element type) {
    auto low = reinterpret_cast<std::intptr_t>(o.data);
    auto high = low;
    const auto size = static_cast<std::intptr_t>(size_of(o.is_positions ? o.positions : type));
    for (std::int32_t axis = 0; axis < o.rank; ++axis) {
        if (o.extents[axis] == 0) return {0, 0};
        std::intptr_t reach = 0;
        std::intptr_t& end = o.strides[axis] < 0 ? low : high;
        if (__builtin_mul_overflow(o.extents[axis] - 1, o.strides[axis], &reach) ||
            __builtin_mul_overflow(reach, size, &reach) ||
            __builtin_add_overflow(end, reach, &end) ||
            high > std::numeric_limits<std::intptr_t>::max() - size)
            return {std::numeric_limits<std::intptr_t>::min(),
                    std::numeric_limits<std::intptr_t>::max()};
    }
    return {low, high + size};
}

std::size_t count_of(std::int32_t count) { return static_cast<std::size_t>(count); }

}  // namespace

bool come_near(const operand& a, const operand& b, element type) {
    if (a.data == nullptr || b.data == nullptr) return false;
    const auto [a_first, a_end] = bytes_of(a, type);
    const auto [b_first, b_end] = bytes_of(b, type);
    return a_first < b_end && b_first < a_end;
}

bool outputs_come_near(const request& r) {
    for (std::int32_t k = 0; k < r.output_count; ++k) {
        for (std::int32_t i = 0; i < r.input_count; ++i)
            if (come_near(r.outputs[k], r.inputs[i], r.type)) return true;
        for (std::int32_t i = 0; i < k; ++i)
            if (come_near(r.outputs[k], r.outputs[i], r.type)) return true;
    }
    return false;
}

plan::program_plan plan_of(const request& r, const plan::step_loop* around) {
    const runtime::with_float_settings usual(runtime::float_settings::standard());
    return plan::make_plan(r, {}, around);
}

const operand* find_operand(ir::ref name, const operand* list, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k)
        if (list[k].name == name) return list + k;
    return nullptr;
}

const operand* operand_finder::find(ir::ref name) {
    for (std::int32_t k = next_; k < count_; ++k)
        if (list_[k].name == name) return list_ + (next_ = k + 1) - 1;
    return find_operand(name, list_, next_);
}

void refer(request& r, const std::vector<operand>& inputs, const std::vector<operand>& outputs,
           const std::vector<index_extent>& extents) {
    r.inputs = inputs.data();
    r.input_count = static_cast<std::int32_t>(inputs.size());
    r.outputs = outputs.data();
    r.output_count = static_cast<std::int32_t>(outputs.size());
    r.index_extents = extents.data();
    r.index_extent_count = static_cast<std::int32_t>(extents.size());
}

kept_request::kept_request(const request& r, const request& changes, const kept_request* before)
    : base_(r) {
    base_.allocate = nullptr;
    base_.context = nullptr;
    base_.layers = nullptr;  // kept by what carries them out
    const auto merge = [&](std::vector<operand>& to, const operand* old, std::int32_t old_count,
                           const operand* other, std::int32_t other_count) {
        to.reserve(count_of(old_count + other_count));
        for (std::int32_t k = 0; k < old_count; ++k) {
            const operand* const changed = find_operand(old[k].name, other, other_count);
            if (changed != nullptr) keep(to, *changed, nullptr);
            else keep(to, old[k], before);
        }
        for (std::int32_t k = 0; k < other_count; ++k)
            if (find_operand(other[k].name, old, old_count) == nullptr) keep(to, other[k], nullptr);
    };
    merge(inputs_, r.inputs, r.input_count, changes.inputs, changes.input_count);
    merge(outputs_, r.outputs, r.output_count, changes.outputs, changes.output_count);
    extents_.assign(r.index_extents, r.index_extents + r.index_extent_count);
    for (std::int32_t k = 0; k < changes.index_extent_count; ++k) {
        const index_extent& other = changes.index_extents[k];
        const auto old = std::find_if(extents_.begin(), extents_.end(), [&](const index_extent& i) {
            return i.index == other.index;
        });
        if (old != extents_.end()) *old = other;
        else extents_.push_back(other);
    }
}

// `before` holds the watch of what it has bound, whose tensor may be gone.
void kept_request::keep(std::vector<operand>& list, const operand& o, const kept_request* before) {
    const std::size_t rank = count_of(o.rank);
    auto numbers = std::make_unique<std::int64_t[]>(2 * rank + 1);
    if (rank > 0) {
        std::copy_n(o.extents, rank, numbers.get());
        std::copy_n(o.strides, rank, numbers.get() + rank);
    }
    operand kept = o;
    kept.extents = numbers.get();
    kept.strides = numbers.get() + rank;
    kept.watch = nullptr;
    if (before != nullptr) {
        for (const auto& [name, memory] : before->watched_)
            if (name == o.name) watched_.emplace_back(name, memory);
    } else if (o.watch != nullptr) {
        watched_.emplace_back(o.name, detail::watched_memory(o.watch));
    }
    numbers_.push_back(std::move(numbers));
    list.push_back(kept);
}

request kept_request::view() const {
    request r = base_;
    refer(r, inputs_, outputs_, extents_);
    return r;
}

void kept_request::refuse(ir::ref name, detail::memory_fate fate) const {
    const std::string words = plan::words_of_name(base_.program, name);
    throw error(fmt::format(
        "ricci: the tensor that is bound to '{0}' was {1} after this program was prepared with it; "
        "bind(\"{0}\"_t = ...) gives the program the memory that it is to use now.",
        words, fate == detail::memory_fate::destroyed ? "destroyed" : "given other memory"));
}

}  // namespace ricci::engine
