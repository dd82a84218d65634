// A case bound to memory: its program is parsed at run time and executed by the engine, as a call
// of ricci::einsum is.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <ricci/notation/einsum.hpp>
#include <ricci/engine/executable.hpp>
#include <ricci/engine/number.hpp>
#include <ricci/tensor.hpp>

#include "bench/cases.hpp"

namespace ricci::bench {

inline std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t stride = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= extents[axis];
    }
    return strides;
}

/// The einsum string of a case as a program.
inline ir::program program_of(const sized_case& which) {
    std::vector<std::int32_t> ranks;
    for (std::size_t k = 0; k + 1 < which.labels.size(); ++k)
        ranks.push_back(static_cast<std::int32_t>(which.labels[k].size()));
    auto read =
        notation::parse_einsum({which.text.data(), static_cast<std::int32_t>(which.text.size())},
                               ranks.data(), static_cast<std::int32_t>(ranks.size()));
    if (read.mistake) throw std::logic_error("not an einsum string: " + which.text);
    return std::move(read.program);
}

/// An operand's elements, in memory like that of a ricci::tensor.
template <class T>
class elements {
public:
    explicit elements(std::size_t count) : storage_(&count, 1), count_(count) {}
    T* data() const { return storage_.get(); }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + count_; }

private:
    ricci::detail::element_storage<T> storage_;
    std::size_t count_ = 0;
};

/// Element i of operand k: small numbers, whole ones for whole types.
template <class T>
T example(std::size_t k, std::size_t i) {
    const std::int64_t period = k == 0 ? 31 : 29;
    const std::int64_t step = static_cast<std::int64_t>(i) % period - 16;
    if constexpr (is_integer(element_v<T>)) return static_cast<T>(step);
    const double x = static_cast<double>(step) / 16;
    return engine::number(x, is_complex(element_v<T>) ? x / 2 + 0.25 : 0).template as<T>();
}

/// Runs a case on row-major operands.
template <class T>
class bound_case {
public:
    explicit bound_case(const sized_case& which) : program_(program_of(which)) {
        for (std::size_t k = 0; k < which.labels.size(); ++k) {
            extents_.push_back(which.shape(k));
            strides_.push_back(row_major(extents_.back()));
            memory_.emplace_back(static_cast<std::size_t>(which.size(k)));
            for (std::size_t i = 0; i < memory_.back().size(); ++i)
                memory_.back()[i] = example<T>(k, i);
        }
        std::vector<engine::operand> bound;
        for (std::size_t k = 0; k < memory_.size(); ++k) {
            const bool output = k + 1 == memory_.size();
            const detail::text_builder name = notation::operand_name(static_cast<std::int32_t>(k));
            engine::operand o;
            o.name = program_.view().find(output ? detail::text_view{"result", 6} : name.view());
            o.rank = static_cast<std::int32_t>(extents_[k].size());
            o.data = memory_[k].data();
            o.extents = extents_[k].data();
            o.strides = strides_[k].data();
            bound.push_back(o);
        }
        engine::request r;
        r.program = program_.view();
        r.type = element_v<T>;
        r.inputs = bound.data();
        r.input_count = static_cast<std::int32_t>(bound.size()) - 1;
        r.outputs = &bound.back();
        r.output_count = 1;
        executable_ = std::make_unique<engine::executable>(r);
    }

    void run() { executable_->run(); }
    const elements<T>& operand(std::size_t k) const { return memory_[k]; }
    const elements<T>& result() const { return memory_.back(); }

private:
    ir::program program_;
    std::vector<std::vector<std::int64_t>> extents_, strides_;
    std::vector<elements<T>> memory_;  // of the operands and, last, of the result
    std::unique_ptr<engine::executable> executable_;
};

}  // namespace ricci::bench
