// Sums of products whose factors are read where tensors of numbers say.
#include "src/index/lookup_sum.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "src/base/arithmetic.hpp"
#include "src/index/joined_numbers.hpp"
#include "src/index/row_collector.hpp"
#include "src/kernels/prefetch.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {

using steps::monoid;

namespace {

constexpr std::int64_t products_of_a_task = 1 << 15;
// Rows of fewer numbers are added up where they come, one after the other. Those in memory are for
// as long as they are short, and the places near: then the order costs more than it saves.
constexpr std::int64_t fewest_sorted = 4, fewest_sorted_in_memory = 32;
constexpr std::int64_t most_near_bytes = std::int64_t{1} << 19;
// Numbers of a row that are asked for before it is added up.
constexpr std::int64_t most_asked_for = 512;
// Terms that are found before the first of them is added up.
constexpr std::uint32_t terms_ahead = 64;
constexpr std::int64_t most_sorted = std::int64_t{1} << 31;

}  // namespace

/// Where the operands are at some place of the free loops, and the numbers of the lookups.
struct prepared_lookup_sum::bases {
    std::array<std::int64_t, most_factors> factors;
    std::array<std::int64_t, most_loops_of_lookups> numbers;
};

struct prepared_lookup_sum::order {
    std::uint32_t* first;    // of each place, and of what is beyond the last
    std::uint32_t* entries;  // sorted by place, each in the order of the loops
};

prepared_lookup_sum::prepared_lookup_sum(const steps::lookup_sum& what)
    : type_(what.type), by_(what.by), adds_(what.adds) {
    const std::size_t loops = what.extents.size();
    std::size_t lookups = what.scattered != nullptr ? 1 : 0;
    for (const auto& f : what.factors) lookups += f.lookups.size();
    if ((type_ != element::f32 && type_ != element::f64) || what.factors.size() > most_factors ||
        loops > most_loops_of_lookups || lookups > most_loops_of_lookups)
        throw std::invalid_argument("a sum with lookups that there is no code for");
    if (by_ != monoid::sum && (what.scattered == nullptr || what.factors.size() != 1 ||
                               !what.factors[0].lookups.empty() || what.scaled || adds_))
        throw std::invalid_argument("a fold with lookups that there is no code for");
    vector_loop_ = find_vector_loop(what, loops);
    if (vector_loop_ < loops) length_ = what.extents[vector_loop_];
    for (std::size_t k = 0; k < loops; ++k) {
        if (k == vector_loop_) continue;
        const bool free = k < what.free;
        (free ? free_ : summed_).push_back(what.extents[k]);
        (free ? free_loops_ : summed_loops_).push_back(k);
        (free ? free_count_ : entries_) *= what.extents[k];
    }
    out_ = walk_of(what.out);
    std::size_t number = 0;
    for (const auto& f : what.factors) {
        factor made{walk_of(f.at), {}};
        for (const auto& l : f.lookups) {
            made.lookups.push_back(lookup_of(l, number++));
            if (l.may_stray) conditions_.push_back(made.lookups.back());
        }
        (made.at.along != 0 ? rows_ : scalars_).push_back(factors_.size());
        factors_.push_back(std::move(made));
    }
    if (what.scattered != nullptr) {
        scattered_.push_back(lookup_of(*what.scattered, number));
        conditions_.push_back(scattered_[0]);
    }
    if (vector_loop_ < loops) shape_ = out_.along == 1 ? lookup_shape::rows : lookup_shape::dots;
}

prepared_lookup_sum::walk prepared_lookup_sum::walk_of(const steps::operand& o) const {
    walk result;
    result.offset = o.offset;
    for (const std::size_t k : free_loops_) result.free.push_back(o.strides[k]);
    for (const std::size_t k : summed_loops_) result.summed.push_back(o.strides[k]);
    if (vector_loop_ < o.strides.size()) result.along = o.strides[vector_loop_];
    return result;
}

prepared_lookup_sum::lookup prepared_lookup_sum::lookup_of(const steps::lookup& l,
                                                           std::size_t number) const {
    if (!can_be_place(l.type))
        throw std::invalid_argument("positions of a type that has no whole numbers");
    return {l.type, walk_of(l.numbers), l.stride, l.extent, number, l.may_stray};
}

// The longest loop along which no number moves, and everything else not at all or by one. Rows that
// are added up are multiplied by a number, or one by another; so are rows of a dot product.
std::size_t prepared_lookup_sum::find_vector_loop(const steps::lookup_sum& what,
                                                  std::size_t loops) const {
    std::size_t best = loops;
    if (by_ != monoid::sum) return best;
    for (std::size_t k = 0; k < loops; ++k) {
        const auto unit = [&](const steps::operand& o) {
            return o.strides[k] == 0 || o.strides[k] == 1;
        };
        bool suits = what.extents[k] > 1 && unit(what.out) &&
                     (what.out.strides[k] == 1) == (k < what.free) &&
                     (what.scattered == nullptr || what.scattered->numbers.strides[k] == 0);
        std::size_t rows = 0;
        for (const auto& f : what.factors) {
            suits = suits && unit(f.at);
            rows += f.at.strides[k] == 1 ? 1 : 0;
            for (const auto& l : f.lookups) suits = suits && l.numbers.strides[k] == 0;
        }
        suits = suits && (rows == 1 || (rows == 2 && (k >= what.free ||
                                                      (what.factors.size() == 2 && !what.scaled))));
        if (suits && (best == loops || what.extents[k] > what.extents[best])) best = k;
    }
    return best;
}

bool prepared_lookup_sum::sorts() const {
    if (by_ != monoid::sum) return false;
    const std::int64_t places = scattered_[0].extent;
    if (entries_ >= most_sorted || places >= most_sorted) return false;
    if (adds_ && entries_ < places / 4) return false;
    if (shape_ == lookup_shape::numbers) return false;
    if (!joins_rows()) return length_ >= fewest_sorted;
    const auto bytes = static_cast<std::int64_t>(size_of(type_));
    return length_ >= fewest_sorted_in_memory || places * length_ * bytes > most_near_bytes;
}

bool prepared_lookup_sum::order_depends_on_free_loops() const {
    const auto& strides = scattered_[0].numbers.free;
    return std::any_of(strides.begin(), strides.end(), [](std::int64_t s) { return s != 0; });
}

std::size_t prepared_lookup_sum::sorted_bytes() const {
    return static_cast<std::size_t>(scattered_[0].extent + 1 + entries_) * sizeof(std::uint32_t);
}

runtime::loan_list prepared_lookup_sum::loans() const {
    if (scattered_.empty() || !sorts() || free_count_ == 0) return {};
    return {{sorted_bytes(), 1}};
}

stray_number prepared_lookup_sum::find_stray(const void* const* numbers) const {
    for (const auto& f : factors_)
        for (const auto& l : f.lookups)
            if (auto stray = find_stray(l, numbers); stray.found()) return stray;
    return {};
}

// Over the loops that the numbers depend on, or those that may leave the product out.
stray_number prepared_lookup_sum::find_stray(const lookup& l, const void* const* numbers) const {
    if (l.may_stray || length_ == 0) return {};
    std::int64_t count = 1;
    std::vector<std::int64_t> extents, strides;
    std::vector<std::vector<std::int64_t>> others(conditions_.size());
    const auto add_loops = [&](const std::vector<std::int64_t>& all,
                               std::vector<std::int64_t> walk::*of) {
        for (std::size_t n = 0; n < all.size(); ++n) {
            bool moves = (l.numbers.*of)[n] != 0;
            for (const auto& c : conditions_) moves = moves || (c.numbers.*of)[n] != 0;
            if (all[n] == 0) count = 0;
            if (!moves) continue;
            extents.push_back(all[n]);
            strides.push_back((l.numbers.*of)[n]);
            for (std::size_t c = 0; c < others.size(); ++c)
                others[c].push_back((conditions_[c].numbers.*of)[n]);
            count *= all[n];
        }
    };
    add_loops(free_, &walk::free);
    add_loops(summed_, &walk::summed);
    loop_counters at(extents, extents.size(), 0);
    for (std::int64_t n = 0; n < count; ++n, at.next(extents)) {
        const std::int64_t where = l.numbers.offset + at.along(strides);
        if (place_at(numbers[l.number], l.type, where, l.extent) >= 0) continue;
        bool counts = true;
        for (std::size_t k = 0; k < others.size(); ++k) {
            const auto& c = conditions_[k];
            counts = counts && place_at(numbers[c.number], c.type,
                                        c.numbers.offset + at.along(others[k]), c.extent) >= 0;
        }
        if (counts)
            return {static_cast<std::int32_t>(l.number),
                    number_at(numbers[l.number], l.type, where)};
    }
    return {};
}

prepared_lookup_sum::bases prepared_lookup_sum::bases_at(const loop_counters& free) const {
    bases result;
    for (std::size_t k = 0; k < factors_.size(); ++k) {
        result.factors[k] = factors_[k].at.offset + free.along(factors_[k].at.free);
        for (const auto& l : factors_[k].lookups)
            result.numbers[l.number] = l.numbers.offset + free.along(l.numbers.free);
    }
    return result;
}

// The product of an entry, and its rows asked for; false: a number in it may be no place, and is
// none.
template <class T>
bool prepared_lookup_sum::find_term(lookup_term<T>& found, const bases& from,
                                    const loop_counters& entry, const operands<T>& of) const {
    const T* at[most_factors];
    for (std::size_t k = 0; k < factors_.size(); ++k) {
        const auto& f = factors_[k];
        std::int64_t offset = from.factors[k] + entry.along(f.at.summed);
        for (const auto& l : f.lookups) {
            const std::int64_t where = from.numbers[l.number] + entry.along(l.numbers.summed);
            const std::int64_t place = place_at(of.numbers[l.number], l.type, where, l.extent);
            if (place < 0) return false;
            offset += place * l.stride;
        }
        at[k] = of.in[k] + offset;
    }
    found.weight = of.scale;
    for (const std::size_t k : scalars_) found.weight *= *at[k];
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        found.rows[k] = at[rows_[k]];
        kernels::ask_for(found.rows[k], std::min(length_, most_asked_for));
    }
    return true;
}

// Terms are found a block ahead of where they are added up: their rows are on the way meanwhile.
template <class T>
void prepared_lookup_sum::run_as(const operands<T>& of) const {
    const std::int64_t each = std::max<std::int64_t>(entries_ * length_, 1);
    const std::int64_t per_task = std::max<std::int64_t>(products_of_a_task / each, 1);
    auto task = [&](std::int64_t number, int) {
        row_collector<T> sum(shape_, length_, rows_.size());
        const std::int64_t first = number * per_task,
                           last = std::min(free_count_, first + per_task);
        lookup_term<T> ahead[terms_ahead];
        std::uint32_t next = terms_ahead;
        std::int64_t left = (last - first) * entries_;  // terms to find
        loop_counters free_ahead(free_, free_.size(), first), entry(summed_, summed_.size(), 0);
        bases from = bases_at(free_ahead);
        std::int64_t of_row = 0;
        const auto find_more = [&] {
            const auto more = static_cast<std::uint32_t>(std::min<std::int64_t>(left, terms_ahead));
            for (std::uint32_t n = 0; n < more; ++n) {
                ahead[n].counts = find_term(ahead[n], from, entry, of);
                entry.next(summed_);
                if (++of_row < entries_) continue;
                of_row = 0;
                free_ahead.next(free_);
                from = bases_at(free_ahead);
            }
            left -= more;
            next = 0;
        };
        loop_counters free(free_, free_.size(), first);
        for (std::int64_t n = first; n < last; ++n, free.next(free_)) {
            sum.begin(of.out + out_.offset + free.along(out_.free), adds_);
            for (std::int64_t e = 0; e < entries_; ++e) {
                if (next == terms_ahead) find_more();
                if (ahead[next].counts) sum.take(ahead[next]);
                ++next;
            }
            sum.end();
        }
    };
    runtime::parallel_for(ceil_divide(free_count_, per_task), task);
}

// Counts how many entries each place has, then writes them one place after the other.
void prepared_lookup_sum::sort(order& sorted, std::int64_t numbers_at, const void* numbers) const {
    const auto& l = scattered_[0];
    std::fill(sorted.first, sorted.first + l.extent + 1, 0U);
    const auto for_each = [&](auto visit) {
        loop_counters entry(summed_, summed_.size(), 0);
        for (std::int64_t e = 0; e < entries_; ++e, entry.next(summed_)) {
            const std::int64_t where = numbers_at + entry.along(l.numbers.summed);
            const std::int64_t place = place_at(numbers, l.type, where, l.extent);
            if (place >= 0) visit(place, static_cast<std::uint32_t>(e));
        }
    };
    for_each([&](std::int64_t place, std::uint32_t) { ++sorted.first[place]; });
    std::uint32_t total = 0;
    for (std::int64_t p = 0; p <= l.extent; ++p) total += std::exchange(sorted.first[p], total);
    for_each(
        [&](std::int64_t place, std::uint32_t e) { sorted.entries[sorted.first[place]++] = e; });
    // Each place has the end of its entries now, which is where those of the next one begin.
    for (std::int64_t p = l.extent; p > 0; --p) sorted.first[p] = sorted.first[p - 1];
    sorted.first[0] = 0;
}

template <class T>
void prepared_lookup_sum::add_sorted(const operands<T>& of) const {
    const auto& l = scattered_[0];
    const runtime::lent_memory memory(sorted_bytes());
    auto* const first = reinterpret_cast<std::uint32_t*>(memory.data());
    order sorted{first, first + l.extent + 1};
    const std::int64_t work = (entries_ + l.extent) * length_;
    const std::int64_t tasks =
        std::clamp<std::int64_t>(work / products_of_a_task, 1, std::max<std::int64_t>(l.extent, 1));
    const bool again = order_depends_on_free_loops();
    loop_counters free(free_, free_.size(), 0);
    for (std::int64_t n = 0; n < free_count_; ++n, free.next(free_)) {
        if (n == 0 || again)
            sort(sorted, l.numbers.offset + free.along(l.numbers.free), of.numbers[l.number]);
        const bases from = bases_at(free);
        T* const to = of.out + out_.offset + free.along(out_.free);
        auto task = [&](std::int64_t number, int) {
            add_places(l.extent * number / tasks, l.extent * (number + 1) / tasks, sorted, from, to,
                       of);
        };
        runtime::parallel_for(tasks, task);
    }
}

// The sums of some places. Terms are found a block ahead of where they are added up: their rows are
// on the way meanwhile.
template <class T>
void prepared_lookup_sum::add_places(std::int64_t first, std::int64_t last, const order& sorted,
                                     const bases& from, T* to, const operands<T>& of) const {
    row_collector<T> sum(shape_, length_, rows_.size());
    lookup_term<T> ahead[terms_ahead];
    std::uint32_t known = sorted.first[first];
    const std::uint32_t end = sorted.first[last];
    for (std::int64_t p = first; p < last; ++p) {
        std::uint32_t e = sorted.first[p];
        const std::uint32_t beyond = sorted.first[p + 1];
        if (e == beyond && adds_) continue;
        sum.begin(to + p * scattered_[0].stride, adds_);
        for (; e < beyond; ++e) {
            if (e == known) {
                const std::uint32_t more = std::min(end - known, terms_ahead);
                for (std::uint32_t n = 0; n < more; ++n) {
                    const loop_counters entry(summed_, summed_.size(), sorted.entries[known + n]);
                    lookup_term<T>& found = ahead[(known + n) % terms_ahead];
                    found.counts = find_term(found, from, entry, of);
                }
                known += more;
            }
            if (ahead[e % terms_ahead].counts) sum.take(ahead[e % terms_ahead]);
        }
        sum.end();
    }
}

template <class T>
void prepared_lookup_sum::clear(T* out) const {
    const auto& l = scattered_[0];
    loop_counters free(free_, free_.size(), 0);
    const std::int64_t length = shape_ == lookup_shape::rows ? length_ : 1;
    const auto identity = static_cast<T>(entry_of(by_).identity);
    for (std::int64_t n = 0; n < free_count_; ++n, free.next(free_)) {
        T* const to = out + out_.offset + free.along(out_.free);
        if (l.stride == length) {
            std::fill(to, to + l.extent * length, identity);
            continue;
        }
        for (std::int64_t p = 0; p < l.extent; ++p)
            std::fill(to + p * l.stride, to + p * l.stride + length, identity);
    }
}

// Whether numbers in memory, one for each entry, go where others say; or rows of numbers.
bool prepared_lookup_sum::joins_numbers() const {
    return shape_ == lookup_shape::numbers && factors_.size() == 1 && factors_[0].lookups.empty();
}
bool prepared_lookup_sum::joins_rows() const {
    return shape_ == lookup_shape::rows && factors_.size() == 1 && factors_[0].lookups.empty();
}

template <class T>
void prepared_lookup_sum::join_in_turn(const operands<T>& of) const {
    const auto& l = scattered_[0];
    const walk& in = factors_[0].at;
    if (!adds_) clear(of.out);
    const std::int64_t length = shape_ == lookup_shape::rows ? length_ : 1;
    const joined_loops loops{summed_, in.summed, l.numbers.summed, l.extent, l.stride, length};
    loop_counters free(free_, free_.size(), 0);
    for (std::int64_t n = 0; n < free_count_; ++n, free.next(free_))
        join_numbers(by_, loops, of.out + out_.offset + free.along(out_.free),
                     of.in[0] + in.offset + free.along(in.free), l.type, of.numbers[l.number],
                     l.numbers.offset + free.along(l.numbers.free));
}

template <class T>
void prepared_lookup_sum::add_in_turn(const operands<T>& of) const {
    const auto& l = scattered_[0];
    if (!adds_) clear(of.out);
    row_collector<T> sum(shape_, length_, rows_.size());
    loop_counters free(free_, free_.size(), 0);
    for (std::int64_t n = 0; n < free_count_; ++n, free.next(free_)) {
        const bases from = bases_at(free);
        T* const to = of.out + out_.offset + free.along(out_.free);
        const std::int64_t numbers_at = l.numbers.offset + free.along(l.numbers.free);
        loop_counters entry(summed_, summed_.size(), 0);
        for (std::int64_t e = 0; e < entries_; ++e, entry.next(summed_)) {
            const std::int64_t where = numbers_at + entry.along(l.numbers.summed);
            const std::int64_t place = place_at(of.numbers[l.number], l.type, where, l.extent);
            if (place < 0) continue;
            lookup_term<T> found;
            if (!find_term(found, from, entry, of)) continue;
            sum.begin(to + place * l.stride, true);
            sum.take(found);
            sum.end();
        }
    }
}

void prepared_lookup_sum::run(void* out, const void* const* in, const void* const* numbers,
                              double scale) const {
    if (free_count_ == 0 || (length_ == 0 && shape_ == lookup_shape::rows)) return;
    const auto as = [&]<class T>(T* to) {
        const T* from[most_factors] = {};
        for (std::size_t k = 0; k < factors_.size(); ++k) from[k] = static_cast<const T*>(in[k]);
        const operands<T> of{to, from, numbers, static_cast<T>(scale)};
        if (scattered_.empty()) return run_as(of);
        if (sorts()) return add_sorted(of);
        if ((joins_numbers() || joins_rows()) && of.scale == 1) return join_in_turn(of);
        add_in_turn(of);
    };
    if (type_ == element::f32) as(static_cast<float*>(out));
    else as(static_cast<double*>(out));
}

}  // namespace ricci::elementwise
