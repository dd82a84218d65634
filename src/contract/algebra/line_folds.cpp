// A product in another algebra whose operands are read where they lie.
#include "src/contract/algebra/line_folds.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/arithmetic.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"

namespace ricci::contractions {
namespace {

using steps::contraction_loop;

// So many lines are listed; those beyond are located one list after the other.
constexpr std::int64_t most_listed = 4096;
// Folds side by side, and rows of them, that are given to a worker at once, at most.
constexpr std::int64_t longest_part = 16384;
constexpr std::int64_t most_rows_of_part = 64;

// Instructions for a vector of elements so far apart: one load, or one for each.
double load_price(std::int64_t step, int lanes) {
    return step == 0 ? 0.1 : step == 1 ? 0.5 : 1.5 * lanes;
}

// The share of the lanes that do useful work in vectors along a loop.
double lanes_used(std::int64_t extent, int lanes) {
    return static_cast<double>(extent) / static_cast<double>(ceil_divide(extent, lanes));
}

// What a term costs in vectors along a free loop, or along one of k.
double line_price(const contraction_loop& loop, int lanes, double terms) {
    const double call = 10 / terms / lanes_used(loop.extent, lanes);
    const double write = loop.c == 1 ? 1 : 1.5 * lanes;
    return call + (2 + load_price(loop.a, lanes) + load_price(loop.b, lanes) + write / terms) /
                      lanes_used(loop.extent, lanes);
}

double along_price(const contraction_loop& loop, int lanes) {
    const double reduction = 10.0 + 2 * lanes;
    return reduction / static_cast<double>(loop.extent) +
           (2 + load_price(loop.a, lanes) + load_price(loop.b, lanes)) /
               lanes_used(loop.extent, lanes);
}

contraction_loop taken(loop_list& loops, std::size_t which) {
    const contraction_loop loop = loops[which];
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(which));
    return loop;
}

std::vector<std::int64_t> offsets_of(const loop_list& loops,
                                     std::int64_t contraction_loop::*stride) {
    return flatten(loops, stride).offset;
}

}  // namespace

template <class T>
line_folds<T>::line_folds(const index_groups& groups, const fold_kernels<T>& kernels,
                          bool keeps_order)
    : kernels_(kernels), origin_(groups.origin), summed_(groups.k) {
    for (const loop_list* loops : {&groups.batch, &groups.m, &groups.n})
        free_.insert(free_.end(), loops->begin(), loops->end());
    choose_line(keeps_order);
    a_outer_ = offsets_of(summed_, &contraction_loop::a);
    b_outer_ = offsets_of(summed_, &contraction_loop::b);
    place_lines();
}

template <class T>
void line_folds<T>::choose_line(bool keeps_order) {
    const auto terms = static_cast<double>(iterations(summed_));
    double best = 1e300;
    std::size_t line = free_.size(), inner = summed_.size();
    for (std::size_t l = 0; l < free_.size(); ++l) {
        const double price = line_price(free_[l], kernels_.lanes, terms);
        if (price > best) continue;  // the innermost of equals
        best = price;
        line = l;
    }
    for (std::size_t l = keeps_order && !summed_.empty() ? summed_.size() - 1 : 0;
         l < summed_.size(); ++l) {
        const double price = along_price(summed_[l], kernels_.lanes);
        if (price >= best) continue;
        best = price;
        along_ = true;
        inner = l;
    }
    if (!along_ && line < free_.size()) {
        line_ = taken(free_, line);
        take_rows();
    }
    if (inner == summed_.size() && !summed_.empty()) inner = summed_.size() - 1;
    if (inner < summed_.size()) inner_ = taken(summed_, inner);
}

// Rows are a loop in which B stands still: the innermost one of them.
template <class T>
void line_folds<T>::take_rows() {
    for (std::size_t l = free_.size(); l-- > 0;) {
        if (free_[l].b != 0) continue;
        rows_ = taken(free_, l);
        return;
    }
}

template <class T>
void line_folds<T>::place_lines() {
    // The innermost loops are listed, as many as fit.
    loop_list near_by;
    while (!free_.empty() && near_lines_ * free_.back().extent <= most_listed) {
        near_lines_ *= free_.back().extent;
        near_by.insert(near_by.begin(), free_.back());
        free_.pop_back();
    }
    far_ = free_;
    a_lines_ = offsets_of(near_by, &contraction_loop::a);
    b_lines_ = offsets_of(near_by, &contraction_loop::b);
    c_lines_ = offsets_of(near_by, &contraction_loop::c);
    lines_ = near_lines_ * iterations(far_);
    line_part_ = std::min(line_.extent, longest_part);
    line_parts_ = ceil_divide(line_.extent, line_part_);
    row_part_ = std::min(rows_.extent, most_rows_of_part);
    row_parts_ = ceil_divide(rows_.extent, row_part_);
    const double terms = static_cast<double>(iterations(summed_) * inner_.extent);
    const std::int64_t parts = lines_ * line_parts_ * row_parts_;
    const double work = static_cast<double>(lines_ * line_.extent * rows_.extent) * terms;
    parts_per_task_ = units_in_task(parts, work);
    serial_ = work < serial_flops || parts == 1;
}

template <class T>
void line_folds<T>::run_part(const algebra_operands<T>& from, std::int64_t line,
                             std::int64_t row_part, std::int64_t line_part) const {
    position far;
    std::int64_t near_by = line;
    if (!far_.empty()) {
        far = locate(far_, line / near_lines_);
        near_by = line % near_lines_;
    }
    const auto at = static_cast<std::size_t>(near_by);
    const std::int64_t first = line_part * line_part_, row = row_part * row_part_;
    const std::int64_t c = far.c + c_lines_[at] + first * line_.c + row * rows_.c;
    kernels::fold_terms<T> terms;
    terms.a = from.a + far.a + a_lines_[at] + first * line_.a + row * rows_.a;
    terms.b = from.b + far.b + b_lines_[at] + first * line_.b;
    terms.a_outer = a_outer_.data();
    terms.b_outer = b_outer_.data();
    terms.outer = static_cast<std::int64_t>(a_outer_.size());
    terms.inner = inner_.extent;
    terms.a_step = inner_.a;
    terms.b_step = inner_.b;
    terms.first_place = from.first_place;
    kernels::fold_line<T> to;
    to.count = std::min(line_part_, line_.extent - first);
    to.rows = std::min(row_part_, rows_.extent - row);
    to.a_row = rows_.a;
    to.c_row = rows_.c;
    to.a_step = line_.a;
    to.b_step = line_.b;
    to.c_step = line_.c;
    to.c = from.c + c;
    to.places = from.places == nullptr ? nullptr : from.places + c;
    to.joins = from.joins;
    (along_ ? kernels_.along : kernels_.line)(terms, to);
}

template <class T>
void line_folds<T>::run(const algebra_operands<T>& given) const {
    const algebra_operands<T> from = from_origin(origin_, given);
    if (serial_) {
        for (std::int64_t line = 0; line < lines_; ++line)
            for (std::int64_t row = 0; row < row_parts_; ++row)
                for (std::int64_t part = 0; part < line_parts_; ++part)
                    run_part(from, line, row, part);
        return;
    }
    auto body = [&](std::int64_t unit, int) {
        const std::int64_t rows = unit / line_parts_;
        run_part(from, rows / row_parts_, rows % row_parts_, unit % line_parts_);
    };
    distribute_units(lines_ * row_parts_ * line_parts_, parts_per_task_, false, body);
}

template class line_folds<float>;
template class line_folds<double>;

}  // namespace ricci::contractions
