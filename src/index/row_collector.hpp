// The terms of a sum with lookups, collected for one row of the result and added up together.
#pragma once

#include <algorithm>
#include <cstddef>

#include "src/index/lookup_term.hpp"
#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::elementwise {

/// The sum of one row of the result, or of one number.
template <class T>
class row_collector {
public:
    row_collector(lookup_shape what, std::int64_t length, std::size_t row_count)
        : table_(kernels::elementwise<T>()),
          shape_(what),
          length_(static_cast<std::size_t>(length)),
          row_count_(row_count) {}

    void begin(T* out, bool adds) {
        out_ = out;
        count_ = 0;
        total_ = 0;
        is_there_ = adds;
        if (shape_ != lookup_shape::rows && adds) total_ = *out;
    }
    void take(const lookup_term<T>& t) {
        switch (shape_) {
            case lookup_shape::rows:
                return take_row(t.weight, t.rows);
            case lookup_shape::dots:
                total_ += t.weight * dot(t.rows);
                return;
            case lookup_shape::numbers:
                total_ += t.weight;
        }
    }
    void end() {
        if (shape_ != lookup_shape::rows) *out_ = total_;
        else if (count_ > 0) flush();
        else if (!is_there_) std::fill(out_, out_ + length_, T(0));
    }

private:
    static constexpr std::size_t most_terms = 32;

    void take_row(T weight, const T* const* rows) {
        if (count_ == most_terms) flush();
        weights_[count_] = weight;
        auto& t = terms_[1 + count_];
        t = {};
        t.a = row_count_ == 2 ? rows[1] : &weights_[count_];
        t.b = rows[0];
        t.a_moves = row_count_ == 2;
        ++count_;
    }
    T dot(const T* const* rows) const {
        if (row_count_ == 1) return table_.sum(rows[0], length_);
        T sum;
        table_.sums_of_products(&sum, rows, rows + 1, 1, length_);
        return sum;
    }
    void flush() {
        terms_[0] = {};
        terms_[0].a = &one_;
        terms_[0].b = out_;
        const std::size_t before = is_there_ ? 0 : 1;
        table_.sum_terms(out_, terms_ + before, count_ + 1 - before, length_);
        is_there_ = true;
        count_ = 0;
    }
    const kernels::elementwise_table<T>& table_;
    lookup_shape shape_;
    std::size_t length_;
    std::size_t row_count_;
    T* out_ = nullptr;
    std::size_t count_ = 0;
    bool is_there_ = false;  // what out_ has is the sum of the terms so far
    T total_ = 0;
    T one_ = 1;
    T weights_[most_terms];
    kernels::sum_term<T> terms_[1 + most_terms];
};

}  // namespace ricci::elementwise
