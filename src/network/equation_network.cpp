// Networks from equations: a product of tensors under sums, as the notation reads it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>
#include <ricci/program.hpp>

#include "src/base/texts.hpp"

namespace ricci {
namespace {

[[noreturn]] void refuse_equation(const std::string& words) {
    throw error(fmt::format("ricci: the equation is no network: {}.", words));
}

/// The number that an expression of numbers is.
std::optional<double> written_number(const ir::program_view& p, ir::ref n) {
    const ir::node& x = p.nodes[n];
    if (x.kind == ir::op::number) return x.value;
    if (x.kind != ir::op::multiply && x.kind != ir::op::divide) return {};
    std::optional<double> all = written_number(p, p.child(x, 0));
    for (std::int32_t k = 1; all && k < x.children.count; ++k) {
        const auto next = written_number(p, p.child(x, k));
        if (!next) return {};
        *all = x.kind == ir::op::divide ? *all / *next : *all * *next;
    }
    return all;
}

/// A scalar with this value.
array scalar_of(double value, element type) {
    if (!is_integer(type)) {
        array one(element::f64, std::vector<std::size_t>{});
        *static_cast<double*>(one.data()) = value;
        return one.converted(type);
    }
    const auto whole = value >= -0x1p31 && value < 0x1p31 ? static_cast<std::int32_t>(value) : 0;
    if (static_cast<double>(whole) != value)
        refuse_equation(fmt::format("{} is no number of {}", value, name_of(type)));
    array one(type, std::vector<std::size_t>{});
    if (type == element::i32) *static_cast<std::int32_t*>(one.data()) = whole;
    else *static_cast<std::int64_t*>(one.data()) = whole;
    return one;
}

class equation_network {
public:
    equation_network(const ir::program_view& p, const detail::named_operands& operands)
        : p_(p), operands_(operands), used_(operands.size(), false) {
        for (const auto& o : operands) names_.push_back(canonical_name(o.name));
    }

    network made() {
        const ir::equation& e = the_equation();
        scope letters;
        std::vector<std::int64_t> kept;
        for (std::int32_t axis = 0; axis < e.positions.count; ++axis)
            kept.push_back(number_at(p_.at(e.positions, axis), letters, true));
        multiply(e.body, std::move(letters));
        check_all_used();
        // A sum over an index of unknown extent would be lost otherwise.
        for (std::size_t i = 0; i < letters_.size(); ++i) extent_of(static_cast<std::int64_t>(i));
        for (const auto& [a, b] : deltas_) add_delta(a, b);
        if (coefficient_ != 1) made_.add(scalar_of(coefficient_, made_.type()), {});
        made_.keep(kept);
        return std::move(made_);
    }

private:
    /// The numbers of the indices that can be seen; a sum hides those outside that have its letter.
    using scope = std::map<ir::ref, std::int64_t>;

    const ir::equation& the_equation() const {
        const ir::equation* found = nullptr;
        for (const ir::equation& e : p_.equations) {
            if (!ir::computes(p_, e)) continue;
            if (found != nullptr) refuse_equation("there are several equations");
            found = &e;
        }
        if (found == nullptr) refuse_equation("there is none that defines a tensor");
        return *found;
    }

    std::int64_t number_at(const ir::position& at, scope& letters, bool is_left) {
        if (at.kind != ir::position_kind::index)
            refuse_equation("a place of a tensor is more than a letter");
        const auto known = letters.find(at.index);
        if (known != letters.end()) return known->second;
        if (!is_left) refuse_equation(fmt::format("index {} is not summed", letter(at.index)));
        return letters[at.index] = next_number(at.index);
    }
    std::int64_t next_number(ir::ref index) {
        letters_.push_back(index);
        return static_cast<std::int64_t>(letters_.size()) - 1;
    }
    std::string letter(ir::ref index) const { return string_of(p_.index(index)); }

    void multiply(ir::ref n, scope letters) {
        const ir::node& x = p_.nodes[n];
        if (const auto number = written_number(p_, n)) {
            coefficient_ *= *number;
        } else if (x.kind == ir::op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k) multiply(p_.child(x, k), letters);
        } else if (x.kind == ir::op::reduce &&
                   x.detail == static_cast<std::uint8_t>(ir::reduction::sum)) {
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                letters[p_.reduced(x, k)] = next_number(p_.reduced(x, k));
            multiply(p_.child(x, 0), std::move(letters));
        } else if (x.kind == ir::op::tensor) {
            add(x, letters, false);
        } else if (is_conjugate(x)) {
            add(p_.nodes[p_.child(x, 0)], letters, true);
        } else if (x.kind == ir::op::divide && written_number(p_, p_.child(x, 1))) {
            coefficient_ /= *written_number(p_, p_.child(x, 1));
            multiply(p_.child(x, 0), std::move(letters));
        } else if (x.kind == ir::op::delta) {
            const std::int64_t a = number_at(p_.at(x.positions, 0), letters, false);
            deltas_.emplace_back(a, number_at(p_.at(x.positions, 1), letters, false));
        } else {
            refuse_equation("its right side is no sum of products of tensors");
        }
    }
    bool is_conjugate(const ir::node& x) const {
        return x.kind == ir::op::apply &&
               x.detail == static_cast<std::uint8_t>(ir::function::conjugate) &&
               p_.nodes[p_.child(x, 0)].kind == ir::op::tensor;
    }

    void add(const ir::node& tensor, scope& letters, bool conjugate) {
        const std::string name = string_of(p_.name(tensor.name));
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end())
            throw error(fmt::format("ricci: the tensor {} of the equation is not given.", name));
        const auto k = static_cast<std::size_t>(found - names_.begin());
        std::vector<std::int64_t> axes;
        for (std::int32_t axis = 0; axis < tensor.positions.count; ++axis)
            axes.push_back(number_at(p_.at(tensor.positions, axis), letters, false));
        const array& value = operands_.begin()[k].value.value();
        if (value.rank() != axes.size())
            throw error(fmt::format("ricci: {} has {} indices in the equation, and {} axes.", name,
                                    axes.size(), value.rank()));
        check_extents(name, value, axes);
        if (conjugate) made_.add_conjugate(value, axes);
        else made_.add(value, axes);
        used_[k] = true;
    }
    // In the letters of the equation, which say more than the numbers do.
    void check_extents(const std::string& name, const array& value,
                       const std::vector<std::int64_t>& axes) {
        extents_.resize(letters_.size());
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            auto& known = extents_[static_cast<std::size_t>(axes[axis])];
            const std::size_t extent = value.extent(axis);
            if (!known) known = extent;
            if (*known != extent)
                throw error(fmt::format(
                    "ricci: index {} of the equation has extent {}, and {} in "
                    "{}.",
                    letter(letters_[static_cast<std::size_t>(axes[axis])]), *known, extent, name));
        }
    }
    std::size_t extent_of(std::int64_t number) const {
        const auto i = static_cast<std::size_t>(number);
        if (i >= extents_.size() || !extents_[i])
            refuse_equation(fmt::format("no tensor says the extent of {}", letter(letters_[i])));
        return *extents_[i];
    }

    void add_delta(std::int64_t a, std::int64_t b) {
        const std::size_t rows = extent_of(a), columns = extent_of(b);
        array one(made_.type(), {rows, columns});
        const array value = scalar_of(1, made_.type());
        const std::size_t bytes = size_of(made_.type());
        for (std::size_t k = 0; k < std::min(rows, columns); ++k)
            std::copy_n(static_cast<const std::byte*>(value.data()), bytes,
                        static_cast<std::byte*>(one.data()) + k * (columns + 1) * bytes);
        made_.add(std::move(one), std::vector<std::int64_t>{a, b});
    }
    void check_all_used() const {
        for (std::size_t k = 0; k < used_.size(); ++k)
            if (!used_[k])
                throw error(fmt::format("ricci: {} is given {}.", names_[k],
                                        std::find(names_.begin(), names_.end(), names_[k]) ==
                                                names_.begin() + static_cast<std::ptrdiff_t>(k)
                                            ? "and stands nowhere in the equation"
                                            : "twice"));
    }

    const ir::program_view p_;
    const detail::named_operands& operands_;
    std::vector<std::string> names_;
    std::vector<bool> used_;
    std::vector<ir::ref> letters_;  // by number
    std::vector<std::optional<std::size_t>> extents_;
    std::vector<std::pair<std::int64_t, std::int64_t>> deltas_;
    double coefficient_ = 1;
    network made_;
};

}  // namespace

network network::from_equation(const program& p, const detail::named_operands& operands) {
    return equation_network(p.view(), operands).made();
}

network network::from_equation(std::string_view text, const detail::named_operands& operands) {
    const auto read = parse(text);
    if (!read) throw error("ricci: " + read.error().message);
    return from_equation(read.value(), operands);
}

}  // namespace ricci
