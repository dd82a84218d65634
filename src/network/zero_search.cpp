#include "src/network/zero_search.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include <ricci/half.hpp>

namespace ricci::networks {
namespace {

template <class T>
bool is_zero(const T& x) {
    if constexpr (std::is_same_v<T, bf16> || std::is_same_v<T, f16>)
        return static_cast<float>(x) == 0;
    else return x == T{};
}
template <class T>
bool is_finite_number(const T& x) {
    if constexpr (std::is_integral_v<T>) return true;
    else return std::isfinite(static_cast<float>(x));
}
template <>
bool is_finite_number(const double& x) {
    return std::isfinite(x);
}
template <class T>
bool is_finite_number(const std::complex<T>& x) {
    return std::isfinite(x.real()) && std::isfinite(x.imag());
}

/// Calls visit(elements) with a typed pointer.
template <class Visit>
void with_elements(element type, const void* data, const Visit& visit) {
    switch (type) {
        case element::f32:
            return visit(static_cast<const float*>(data));
        case element::f64:
            return visit(static_cast<const double*>(data));
        case element::bf16:
            return visit(static_cast<const bf16*>(data));
        case element::f16:
            return visit(static_cast<const f16*>(data));
        case element::c64:
            return visit(static_cast<const std::complex<float>*>(data));
        case element::c128:
            return visit(static_cast<const std::complex<double>*>(data));
        case element::i32:
            return visit(static_cast<const std::int32_t*>(data));
        case element::i64:
            return visit(static_cast<const std::int64_t*>(data));
        case element::boolean:  // no network has such tensors
            return;
    }
}

using axis_places = std::vector<std::int64_t>;

/// Calls visit(places) for the places along all axes of the elements that are not zero, until it
/// gives false.
template <class Visit>
void visit_nonzeros(const array& operand, const reduced_operand& left, const Visit& visit) {
    for (const reduced_axis& a : left.axes)
        if (a.extent == 0) return;
    const auto go = [&](const auto* elements) {
        axis_places at(left.axes.size(), 0);
        const auto* x = elements + left.offset;
        for (;;) {
            if (!is_zero(*x) && !visit(at)) return;
            std::size_t axis = at.size();
            for (; axis > 0; --axis) {
                const reduced_axis& a = left.axes[axis - 1];
                x += a.stride;
                if (++at[axis - 1] < a.extent) break;
                x -= a.extent * a.stride;
                at[axis - 1] = 0;
            }
            if (axis == 0) return;
        }
    };
    with_elements(operand.type(), operand.data(), go);
}

/// Two axes of one extent whose places are equal, or counted from the other end.
struct axis_pair {
    std::size_t a, b;
    bool backwards;
};

/// What is seen in one tensor at a time.
class zeros_of_tensor {
public:
    explicit zeros_of_tensor(const reduced_operand& left) : left_(left) {
        for (std::size_t a = 0; a < left.axes.size(); ++a) {
            seen_.emplace_back(static_cast<std::size_t>(left.axes[a].extent));
            unseen_ += left.axes[a].extent;
            for (std::size_t b = a + 1; b < left.axes.size(); ++b) {
                if (left.axes[a].extent != left.axes[b].extent || left.axes[a].extent == 1)
                    continue;
                pairs_.push_back({a, b, false});
                pairs_.push_back({a, b, true});
            }
        }
    }

    /// Takes up an element that is not zero; false where no other one can change anything.
    bool take(const axis_places& at) {
        for (std::size_t a = 0; a < at.size(); ++a) {
            char& seen = seen_[a][static_cast<std::size_t>(at[a])];
            unseen_ -= seen == 0 ? 1 : 0;
            seen = 1;
        }
        std::erase_if(pairs_, [&](const axis_pair& p) {
            const std::int64_t last = left_.axes[p.a].extent - 1;
            return at[p.b] != (p.backwards ? last - at[p.a] : at[p.a]);
        });
        return unseen_ > 0 || !pairs_.empty();
    }

    /// Facts about indices that no other one of them is about.
    std::vector<zero_fact> facts(std::int32_t operand) const {
        std::vector<zero_fact> found;
        for (std::size_t a = 0; a < seen_.size(); ++a) {
            const zero_fact fact = places_that_count(operand, a);
            if (fact.count < left_.axes[a].extent) found.push_back(fact);
        }
        if (!found.empty() || pairs_.empty()) return found;
        const axis_pair& p = pairs_.front();
        const std::int64_t extent = left_.axes[p.a].extent;
        found.push_back({operand, left_.axes[p.a].root, left_.axes[p.b].root,
                         p.backwards ? extent - 1 : 0, p.backwards ? -1 : 1, extent});
        return found;
    }

private:
    // Where they are not evenly spaced, all from the first to the last.
    zero_fact places_that_count(std::int32_t operand, std::size_t axis) const {
        axis_places there;
        for (std::size_t k = 0; k < seen_[axis].size(); ++k)
            if (seen_[axis][k] != 0) there.push_back(static_cast<std::int64_t>(k));
        zero_fact fact{operand, left_.axes[axis].root, -1, 0, 1, 1};
        if (there.empty()) return fact;  // of zeros alone any place will do
        fact.first = there.front();
        if (there.size() == 1) return fact;
        fact.step = there[1] - there[0];
        for (std::size_t k = 1; k < there.size(); ++k)
            if (there[k] - there[k - 1] != fact.step) fact.step = 1;
        fact.count = (there.back() - there.front()) / fact.step + 1;
        return fact;
    }

    const reduced_operand& left_;
    std::vector<std::vector<char>> seen_;  // by axis and place
    std::int64_t unseen_ = 0;
    std::vector<axis_pair> pairs_;  // that no element has refuted
};

class zero_search {
public:
    explicit zero_search(const network_data& n)
        : network_(n), places_(n), holders_(n.extents.size()), waits_(n.operands.size(), 1) {
        for (std::size_t k = 0; k < n.operands.size(); ++k) {
            waiting_.push_back(k);
            for (const std::int32_t i : n.axes(k))
                holders_[static_cast<std::size_t>(i)].push_back(k);
        }
    }

    std::vector<zero_fact> run() {
        while (!waiting_.empty()) {
            const std::size_t k = waiting_.front();
            waiting_.pop_front();
            waits_[k] = 0;
            const array& operand = network_.operands[k];
            const reduced_operand left = reduced(operand, places_.of(network_.axes(k)));
            if (left.axes.empty()) continue;
            zeros_of_tensor zeros(left);
            visit_nonzeros(operand, left, [&](const axis_places& at) { return zeros.take(at); });
            for (const zero_fact& fact : zeros.facts(static_cast<std::int32_t>(k))) apply(fact);
        }
        return std::move(found_);
    }

private:
    // What others leave of a tensor may show more.
    void apply(const zero_fact& fact) {
        for (const std::int32_t root : {fact.index, fact.other}) {
            if (root < 0) continue;
            for (const std::int32_t i : places_.of_root(root))
                for (const std::size_t k : holders_[static_cast<std::size_t>(i)]) {
                    if (waits_[k] != 0) continue;
                    waits_[k] = 1;
                    waiting_.push_back(k);
                }
        }
        places_.apply(fact);
        found_.push_back(fact);
    }

    const network_data& network_;
    index_places places_;
    std::vector<std::vector<std::size_t>> holders_;  // tensors with each index
    std::deque<std::size_t> waiting_;
    std::vector<char> waits_;
    std::vector<zero_fact> found_;
};

}  // namespace

bool is_finite(const array& operand) {
    reduced_operand all;
    for (std::size_t axis = 0; axis < operand.rank(); ++axis)
        all.axes.push_back({static_cast<std::int32_t>(axis),
                            static_cast<std::int64_t>(operand.extent(axis)),
                            operand.strides()[axis]});
    bool finite = true;
    const auto go = [&](const auto* elements) {
        visit_nonzeros(operand, all, [&](const axis_places& at) {
            std::int64_t offset = 0;
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                offset += at[axis] * all.axes[axis].stride;
            return finite = is_finite_number(elements[offset]);
        });
    };
    with_elements(operand.type(), operand.data(), go);
    return finite;
}

bool holds(const zero_fact& fact, const array& operand, const reduced_operand& left) {
    const auto axis_of = [&](std::int32_t root) {
        return static_cast<std::size_t>(
            std::find_if(left.axes.begin(), left.axes.end(),
                         [&](const reduced_axis& a) { return a.root == root; }) -
            left.axes.begin());
    };
    const std::size_t a = axis_of(fact.index), b = axis_of(fact.other);
    bool right = true;
    visit_nonzeros(operand, left, [&](const axis_places& at) {
        if (fact.other >= 0) return right = at[b] == fact.first + fact.step * at[a];
        const std::int64_t k = (at[a] - fact.first) / fact.step;
        return right = k >= 0 && k < fact.count && fact.first + fact.step * k == at[a];
    });
    return right;
}

std::vector<zero_fact> find_zeros(const network_data& n) {
    const bool empty = std::find(n.extents.begin(), n.extents.end(), 0U) != n.extents.end();
    if (empty || !std::all_of(n.operands.begin(), n.operands.end(), is_finite)) return {};
    return zero_search(n).run();
}

}  // namespace ricci::networks
