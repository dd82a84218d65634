// The meaning of a plan's assignments, as plain loops in double: what every pass has to leave as it
// is. A fused group means its members in order, tiles stored like everything else; a chain means
// its first group, the sums between, and its second group. Only the caller's memory has strides.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "src/plan/schedule/plan.hpp"
#include "src/plan/pool/weights_again.hpp"
#include "src/steps/monoid.hpp"
#include "tests/unit/dense_matrix.hpp"
#include "tests/unit/plan/interpreted/values.hpp"

namespace ricci::testing {

template <class T>
class plan_interpreter {
public:
    /// `shared`: what is bound to the memory of an input is that memory; until the passes have seen
    /// to it, each tensor has its own.
    plan_interpreter(const plan::program_plan& plan, bool shared)
        : plan_(plan), loops_(plan.values), values_(plan.values, allocate(shared), loops_) {}

    /// Runs all steps. False where a step that hides by zeros gave no number: nothing of it counts,
    /// and another plan is run instead.
    bool run() {
        std::size_t next = 0;
        for (const auto& p : plan_.passes) {
            if (!run_steps(next, p.first, 0)) return false;
            for (std::int64_t pass = 0; pass < p.count; ++pass)
                if (!run_steps(p.first, p.end, pass)) return false;
            next = p.end;
        }
        return run_steps(next, plan_.steps.size(), 0);
    }

    /// What the outputs hold, by name.
    std::map<ir::ref, const array<T>*> outputs() {
        std::map<ir::ref, const array<T>*> all;
        for (std::size_t k = 0; k < plan_.slots.size(); ++k)
            if (plan_.slots[k].kind == plan::storage::output)
                all[plan_.slots[k].name] = &values_.memory_of(plan::slot_number(k));
        return all;
    }

private:
    std::vector<array<T>*> allocate(bool shared) {
        std::vector<array<T>*> all;
        std::map<const void*, array<T>*>
            written;  // memory of the caller's that an output is bound to
        for (const auto& s : plan_.slots)
            if (shared && s.kind == plan::storage::output && s.data != nullptr)
                written[s.data] = nullptr;
        for (const auto& s : plan_.slots) {
            const auto known = written.find(s.data);
            if (known == written.end()) {
                all.push_back(&memory_.emplace_back(elements(s)));
                continue;
            }
            if (known->second == nullptr) known->second = &memory_.emplace_back(elements(s));
            all.push_back(known->second);
        }
        return all;
    }
    array<T> elements(const plan::slot& s) const {
        if (s.kind != plan::storage::input && s.kind != plan::storage::output)
            return array<T>(s.extents);
        if (s.data == nullptr) return array<T>(s.extents);
        const element own = s.is_truth ? element::boolean : s.own_type;
        return elements_of<T>(s.data, s.is_foreign || s.is_truth ? own : plan_.type, s.extents,
                              s.strides);
    }

    bool run_steps(std::size_t first, std::size_t end, std::int64_t pass) {
        for (; first < end; ++first) {
            const plan::step& s = plan_.steps[first];
            copy_windows(s, pass, false);
            std::visit([&](const auto& what) { run(what); }, s.what);
            copy_windows(s, pass, true);
            if (s.hides() && wrote_no_number(s)) return false;
        }
        return true;
    }
    // Windows have memory of their own here: they are read before a step, and written after it.
    void copy_windows(const plan::step& s, std::int64_t pass, bool back) {
        for (const auto& t : s.effects) {
            const plan::slot& slot = plan_.slots[t.slot.index()];
            if (slot.kind != plan::storage::window || (back && !t.writes)) continue;
            auto &window = values_.memory_of(t.slot), &whole = values_.memory_of(slot.window.of);
            const std::size_t axes = slot.extents.size();
            for (std::size_t k = 0; k < window.size(); ++k) {
                std::int64_t there = 0;
                auto left = static_cast<std::int64_t>(k);
                std::int64_t stride = 1;
                for (std::size_t axis = axes; axis-- > 0;) {
                    const std::int64_t at = left % slot.extents[axis] + slot.window.first[axis] +
                                            pass * slot.window.advance[axis];
                    left /= slot.extents[axis];
                    there += at * stride;
                    stride *= whole.extents()[axis];
                }
                const auto of_whole = static_cast<std::size_t>(there);
                if (back && window.is_written(k)) whole.set(of_whole, window[k]);
                if (!back && whole.is_written(of_whole)) window.set(k, whole[of_whole]);
            }
        }
    }

    void run(const plan::assign& a) {
        if (a.kind == plan::assignment_kind::scatter) return add_up(a);
        if (a.kind == plan::assignment_kind::lookups) return look_up(a);
        if (a.kind == plan::assignment_kind::extremum) return find_places(a);
        if (a.kind == plan::assignment_kind::scan) return fold_up_to_each(a);
        if (a.kind == plan::assignment_kind::matrix && a.matrix.task == plan::matrix_task::factor)
            return keep_matrices(a);
        if (a.kind == plan::assignment_kind::matrix) return use_matrices(a);
        if (a.folding == plan::fold::softmax) return normalise(a);
        loops_.each(a.loops, [&] {
            std::vector<T> row;
            loops_.each(a.over, [&] {
                const bool nothing =
                    a.kind == plan::assignment_kind::contract && is_excluded(a.body);
                row.push_back(nothing ? T(0) : values_.at(a.body));
            });
            set(a, folded(a.folding, row));
        });
    }
    // Whether a factor of a product is looked up where a number is no place, and may be, or under a
    // condition that does not hold.
    bool is_excluded(plan::expr product) {
        for (const plan::expr f : plan::lookup_factors(plan_.values, product)) {
            const bool conjugated = plan_.values[f].code == plan::opcode::conjugate;
            const auto& node = plan_.values[conjugated ? plan_.values[f].arguments[0] : f];
            if (node.kind != plan::kind::gather) continue;
            for (std::size_t k = 0; k < node.lookups.size(); ++k) {
                const auto axis = static_cast<std::size_t>(node.lookups[k].axis);
                if (node.lookups[k].may_stray &&
                    !is_place(real_of(values_.at(node.arguments[k])),
                              plan_.slot_of(node.source).extents[axis]))
                    return true;
            }
            if (node.arguments.size() > node.lookups.size() &&
                values_.at(node.arguments.back()) == T(0))
                return true;
        }
        return false;
    }
    // The first place whose value is the extremum; NaN is beyond all numbers.
    void find_places(const plan::assign& a) {
        loops_.each(a.loops, [&] {
            std::int64_t place = 0, count = 0;
            double best = 0;
            loops_.each(a.over, [&] {
                const double x = real_of(values_.at(a.body));
                const bool beyond = a.folding == plan::fold::maximum ? x > best : x < best;
                if (count == 0 || beyond || (x != x && best == best)) {
                    best = x;
                    place = count;
                }
                ++count;
            });
            values_.store(a.target, number_from<T>(static_cast<double>(place)));
        });
    }
    // What is read of each row is read before any of it is written.
    void fold_up_to_each(const plan::assign& a) {
        const std::int64_t extent = plan_.values.extent(a.along);
        loops_.each(plan::without(a.loops, {a.along}), [&] {
            std::vector<T> row;
            for (std::int64_t n = 0; n < extent; ++n) {
                loops_.set(a.along, n);
                row.push_back(values_.at(a.body));
            }
            if (a.decay) return decay_along(a, row);
            for (std::int64_t n = 0; n < extent; ++n) {
                loops_.set(a.along, n);
                const auto here = row.begin() + n;
                values_.store(
                    a.target,
                    folded(a.folding, a.backwards ? std::vector<T>(here, row.end())
                                                  : std::vector<T>(row.begin(), here + 1)));
            }
        });
    }
    void decay_along(const plan::assign& a, const std::vector<T>& row) {
        const auto extent = static_cast<std::int64_t>(row.size());
        T before{};
        for (std::int64_t k = 0; k < extent; ++k) {
            const std::int64_t n = a.backwards ? extent - 1 - k : k;
            loops_.set(a.along, n);
            T here = row[static_cast<std::size_t>(n)];
            if (k > 0) {
                const T decay = values_.at(a.decay);
                here += (a.logarithms ? static_cast<T>(std::exp(decay)) : decay) * before;
            }
            values_.store(a.target, before = here);
        }
    }
    // target = scale * value + beta * target, where the loops are.
    void set(const plan::assign& a, T value) {
        if (a.scale) value *= values_.at(a.scale);
        if (a.beta != 0) value += number_from<T>(a.beta) * values_.load(a.target);
        values_.store(a.target, value);
    }
    void normalise(const plan::assign& a) {
        loops_.each(plan::without(a.loops, a.over), [&] {
            std::vector<T> row;
            loops_.each(a.over, [&] { row.push_back(values_.at(a.body)); });
            row = normalised(std::move(row));
            std::size_t k = 0;
            loops_.each(a.over, [&] { values_.store(a.target, row[k++]); });
        });
    }
    // A number that is no place reaches no element.
    void look_up(const plan::assign& a) {
        const auto by = steps::monoid_of(a.folding).value_or(steps::monoid::sum);
        const T none = number_from<T>(steps::entry_of(by).identity);
        if (a.beta == 0) loops_.each(a.loops, [&] { values_.store(a.target, none); });
        const auto loops = plan::without(plan::united(a.loops, a.over), {a.scattered});
        loops_.each(loops, [&] {
            if (a.scattered) {
                const double number = real_of(values_.at(a.numbers));
                if (!is_place(number, plan_.values.extent(a.scattered))) return;
                loops_.set(a.scattered, static_cast<std::int64_t>(number));
            }
            if (is_excluded(a.body)) return;
            T value = values_.at(a.body);
            if (a.scale) value *= values_.at(a.scale);
            const T before = values_.load(a.target);
            if constexpr (std::is_floating_point_v<T>)
                values_.store(a.target, steps::joined(by, before, value));
            else values_.store(a.target, before + value);
        });
    }
    // Factors are the matrices themselves, in the order of the batch.
    void keep_matrices(const plan::assign& a) { matrices_[a.target.slot] = matrices_of(a); }
    std::vector<dense_matrix<T>> matrices_of(const plan::assign& a) {
        std::vector<dense_matrix<T>> all;
        each_of_batch(a.matrix.batch, 0, [&] {
            dense_matrix<T> m{static_cast<std::size_t>(a.matrix.size), {}};
            for (std::int64_t r = 0; r < a.matrix.size; ++r)
                for (std::int64_t c = 0; c < a.matrix.size; ++c) {
                    loops_.set(a.matrix.row, r);
                    loops_.set(a.matrix.column, c);
                    m.elements.push_back(values_.at(a.body));
                }
            all.push_back(std::move(m));
        });
        return all;
    }
    template <class F>
    void each_of_batch(const std::vector<plan::loop>& batch, std::size_t k, const F& go) {
        if (k == batch.size()) return go();
        for (std::int64_t n = 0; n < plan_.values.extent(batch[k]); ++n) {
            loops_.set(batch[k], n);
            each_of_batch(batch, k + 1, go);
        }
    }
    void use_matrices(const plan::assign& a) {
        const plan::matrix_part& what = a.matrix;
        plan::loop_list own(what.batch.begin(), what.batch.end());
        std::sort(own.begin(), own.end());
        plan::add_loop(own, what.column);
        if (what.task == plan::matrix_task::triangle || what.task == plan::matrix_task::inverse ||
            what.task == plan::matrix_task::cofactors)
            plan::add_loop(own, what.row);
        const auto columns = plan::without(a.loops, own);
        // Of equations in the pool the body is the matrices.
        const auto factors = matrices_.find(plan_.values[a.body].source.slot);
        const auto all = factors != matrices_.end() ? factors->second : matrices_of(a);
        auto matrix = all.begin();
        each_of_batch(what.batch, 0, [&] {
            dense_matrix<T> m = *matrix++;
            if (what.of_triangle) m = m.cholesky();
            if (what.transposed) m = m.transposed();
            loops_.each(columns, [&] { use_matrix(a, m); });
        });
    }
    void use_matrix(const plan::assign& a, const dense_matrix<T>& m) {
        const plan::matrix_part& what = a.matrix;
        const auto put = [&](std::size_t row, std::size_t column, T value) {
            loops_.set(what.row, static_cast<std::int64_t>(row));
            loops_.set(what.column, static_cast<std::int64_t>(column));
            values_.store(a.target, value);
        };
        if (what.task == plan::matrix_task::solve) {
            std::vector<T> right;
            for (std::int64_t r = 0; r < what.size; ++r) {
                loops_.set(what.row, r);
                right.push_back(values_.at(a.right));
            }
            m.solve(right);
            for (std::size_t c = 0; c < m.n; ++c) put(0, c, right[c]);
        } else if (what.task == plan::matrix_task::inverse) {
            for (std::size_t r = 0; r < m.n; ++r) {
                std::vector<T> right(m.n);
                right[r] = T(1);
                m.solve(right);
                for (std::size_t c = 0; c < m.n; ++c) put(r, c, right[c]);
            }
        } else if (what.task == plan::matrix_task::cofactors) {
            for (std::size_t r = 0; r < m.n; ++r)
                for (std::size_t c = 0; c < m.n; ++c)
                    put(r, c, what.transposed ? m.cofactor(c, r) : m.cofactor(r, c));
        } else if (what.task == plan::matrix_task::triangle) {
            const auto l = m.cholesky();
            for (std::size_t r = 0; r < m.n; ++r)
                for (std::size_t c = 0; c < m.n; ++c) put(r, c, l.at(r, c));
        } else {
            const T determinant = m.determinant();
            const T size(std::abs(determinant));
            put(0, 0,
                what.task == plan::matrix_task::determinant       ? determinant
                : what.task == plan::matrix_task::log_determinant ? T(std::log(std::abs(size)))
                                                                  : determinant / size);
        }
    }
    // An element may be reached any number of times.
    void add_up(const plan::assign& a) {
        loops_.each(plan::united(a.loops, a.over), [&] {
            T value = values_.at(a.body);
            if (a.scale) value *= values_.at(a.scale);
            values_.store(a.target, values_.load(a.target) + value);
        });
    }

    void run(const plan::fused& group) {
        for (const auto& m : group.members)
            m.kind == plan::member_kind::recomputed ? make_again(m.what) : run(m.what);
    }
    // 0 where the maximum is of no number: the weights of a softmax over nothing.
    void make_again(const plan::assign& a) {
        const auto of = plan::weights_made_again(plan_.values, a.body);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        loops_.each(a.loops, [&] {
            const bool nothing = real_of(values_.at(of->maximum)) == -infinity;
            values_.store(a.target, nothing ? T(0) : values_.at(a.body));
        });
    }
    void run(const plan::chained& chain) {
        run(chain.first);
        for (const auto& a : chain.between) run(a);
        run(chain.second);
        for (const auto& k : chain.kept)
            if (!same(values_.memory_of(k.first), values_.memory_of(k.second)))
                throw std::logic_error("a product that is kept is another one in the second group");
    }
    static bool same(const array<T>& a, const array<T>& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t k = 0; k < a.size(); ++k)
            if (a[k] != b[k] && (a[k] == a[k] || b[k] == b[k])) return false;
        return true;
    }

    bool wrote_no_number(const plan::step& s) {
        for (const auto& t : s.effects) {
            const auto& x = values_.memory_of(t.slot);
            for (std::size_t k = 0; t.writes && k < x.size(); ++k)
                if (x.is_written(k) && x[k] != x[k]) return true;
        }
        return false;
    }

    const plan::program_plan& plan_;
    std::deque<array<T>> memory_;
    loop_counters loops_;
    expression_values<T> values_;
    std::map<plan::slot_number, std::vector<dense_matrix<T>>>
        matrices_;  // by the slot of the factors
};

}  // namespace ricci::testing
