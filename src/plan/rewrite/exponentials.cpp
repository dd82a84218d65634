#include "src/plan/rewrite/exponentials.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include <ricci/ir/rewrite.hpp>
#include "src/plan/rewrite/factored.hpp"
#include "src/plan/read/grown_program.hpp"
#include "src/plan/rewrite/logarithms.hpp"
#include "src/plan/pool/substitute.hpp"

namespace ricci::plan {
namespace {

bool is_apply(const ir::node& x, ir::function f) {
    return x.kind == ir::op::apply && x.detail == static_cast<std::uint8_t>(f);
}

bool is_sum(const ir::node& x) {
    return x.kind == ir::op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum);
}

class canceller {
public:
    /// `before`: what has read all equations once, for the sums of exponentials in them.
    canceller(const ir::program_view& program, const name_roles& roles,
              const ir::shape_table& shapes, const canceller* before)
        : p_(program),
          to_(program),
          products_(to_, [this](ir::ref i) { return extent(i); }),
          logarithms_(
              to_,
              {[this](ir::ref n) { return factor(n); }, [this](ir::ref n) { return stable(n); },
               [this](ir::ref n) { return log_of_tensor(n); },
               [this](ir::ref n) { return is_given(n); },
               [this](ir::ref v, ir::range over) { return with_own_indices(v, over); }}),
          roles_(roles),
          shapes_(shapes),
          before_(before) {}
    canceller(const canceller&) = delete;  // the products refer to the program
    canceller& operator=(const canceller&) = delete;

    bool has_any(ir::function f) const {
        return std::any_of(p_.nodes.begin(), p_.nodes.end(),
                           [f](const ir::node& x) { return is_apply(x, f); });
    }
    bool changed() const { return changed_; }
    bool met_sums() const { return !sums_.empty(); }
    const std::vector<new_index>& new_indices() const { return new_indices_; }

    /// The copy; `origins` says for each of its equations which one it was or whose indices it
    /// uses.
    void rewrite(std::vector<ir::ref>& origins) {
        detail::buffer<ir::equation> equations;
        for (e_ = 0; e_ < p_.equations.size(); ++e_) {
            ir::equation q = p_.equations[e_];
            if (ir::computes(p_, q)) {
                known_.clear();
                const factored f = factor(q.body);
                const ir::ref stable = value(f);
                changed_ = changed_ || stable != q.body;
                q.body = stable;
                for (auto& [made, origin] : made_) {
                    equations.push(made);
                    origins.push_back(origin);
                }
                made_.clear();
                remember(q, f);
            }
            equations.push(q);
            origins.push_back(e_);
        }
        to_.equations = equations;
        for (ir::equation& q : to_.equations)
            if (!q.claim) write_out(q);
        drop_unread();
    }
    ir::program program() && { return std::move(to_); }

private:
    // Factors -------------------------------------------------------------------------------------

    const factored& factor(ir::ref n) {
        if (const auto found = known_.find(n); found != known_.end()) return found->second;
        return known_.emplace(n, read(n)).first->second;
    }
    ir::ref value(const factored& f) {
        if (f.exponentials.empty() && !f.cancels) return f.written;
        const factored settled = products_.settled(f);
        return settled.cancels ? products_.product(settled) : f.written;
    }
    ir::ref stable(ir::ref n) { return value(factor(n)); }
    ir::ref child(const ir::node& x, std::int32_t k) const {
        return to_.links[x.children.first + k];
    }

    factored read(ir::ref n) {
        const ir::node x = to_.nodes[n];
        if (x.kind == ir::op::tensor) return read_tensor(n, x);
        factored f;
        f.written = ir::rebuild_children(to_, n, [&](ir::ref c) { return stable(c); });
        if (is_apply(x, ir::function::exp)) {
            f.exponentials.push_back({1, stable(child(x, 0)), {}, f.written});
            return f;
        }
        if (x.kind == ir::op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                products_.multiply(f, factor(child(x, k)), 1);
            products_.take_in_brackets(f);
        } else if (x.kind == ir::op::divide) {
            products_.multiply(f, factor(child(x, 0)), 1);
            products_.multiply(f, factor(child(x, 1)), -1);
        } else if (is_apply(x, ir::function::sqrt)) {
            products_.multiply(f, factor(child(x, 0)), 0.5);
        } else if (x.kind == ir::op::power && to_.nodes[child(x, 1)].kind == ir::op::number &&
                   to_.nodes[child(x, 1)].value != 0) {
            products_.multiply(f, factor(child(x, 0)), to_.nodes[child(x, 1)].value);
        } else if (x.kind == ir::op::add) {
            add(f, x);
        } else if (is_sum(x)) {
            sum(f, x);
        } else if (is_apply(x, ir::function::log)) {
            logarithm(f, child(x, 0));
        }
        const bool is_one = x.kind == ir::op::number && x.value == 1;
        if (f.exponentials.empty() && !f.cancels) f.coefficient = is_one ? ir::none : f.written;
        return f;
    }

    // Terms of one and the same exponential, or of others that are positive.
    void add(factored& f, const ir::node& x) {
        std::vector<factored> parts;
        for (std::int32_t k = 0; k < x.children.count; ++k) parts.push_back(factor(child(x, k)));
        const auto alike = [&](const factored& part) {
            return !part.exponentials.empty() && products_.same_exponentials(part, parts[0]);
        };
        if (!std::all_of(parts.begin(), parts.end(), alike)) {
            const ir::ref log = logarithms_.of_positive_sum(x);
            if (log != ir::none)
                f.exponentials.push_back({1, log, {}, f.written, ir::none, ir::none, true});
            return;
        }
        std::vector<ir::ref> terms;
        for (const factored& part : parts) terms.push_back(part.coefficient);
        const ir::ref brackets = products_.take_shared_brackets(terms);
        // where no term counts the sum is 0, whatever the exponentials are
        if (std::all_of(terms.begin(), terms.end(),
                        [&](ir::ref term) { return products_.has_brackets(term); }))
            return;
        for (ir::ref& term : terms)
            if (term == ir::none) term = to_.number(1);
        const ir::ref sum =
            to_.make(ir::op::add, 0, terms.data(), static_cast<std::int32_t>(terms.size()));
        f.coefficient = products_.product(brackets, sum);
        f.exponentials = parts[0].exponentials;
        for (const factored& part : parts) f.cancels = f.cancels || part.cancels;
    }

    void sum(factored& f, const ir::node& x) {
        const factored g = factor(child(x, 0));
        std::vector<ir::ref> over;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            over.push_back(to_.links[x.indices.first + k]);
        std::vector<exponential> inside;
        for (const exponential& y : g.exponentials)
            (depends(y.written, over) ? inside : f.exponentials).push_back(y);
        const auto give_up = [&] { f.exponentials.clear(); };
        ir::ref coefficient = g.coefficient;
        // where no term counts the sum is 0, whatever would stand before it
        if (!f.exponentials.empty() && products_.has_brackets(coefficient, over)) return give_up();
        if (inside.size() == 1) {
            exponential& one = inside[0];
            if (one.times != 1 || !one.over.empty() || !depends_on_all(one.exponent, over))
                return give_up();
            ir::ref written = f.written;
            if (depends(coefficient, over)) {
                // Only where the text divides by that sum anyway: in numbers it is no less stable,
                // and what is read as written stays so.
                if (!is_summed(one.exponent, over)) return weighted_sum(f, g, one.exponent, over);
                coefficient = products_.product(
                    coefficient, to_.reduce(ir::reduction::softmax, x.indices, one.exponent));
                coefficient = to_.reduce(ir::reduction::sum, x.indices, coefficient);
                written = ir::none;
            } else {
                sums_.push_back({one.exponent, over, e_});
                if (g.coefficient != ir::none) written = ir::none;
            }
            if (written == ir::none)
                written = to_.reduce(ir::reduction::sum, x.indices,
                                     to_.apply(ir::function::exp, one.exponent));
            products_.multiply(f, exponential{1, one.exponent, over, written});
        } else if (!inside.empty() || f.exponentials.empty()) {
            return give_up();
        } else {
            const ir::ref outside = products_.take_brackets(coefficient, over);
            coefficient = to_.reduce(ir::reduction::sum, x.indices,
                                     coefficient == ir::none ? to_.number(1) : coefficient);
            coefficient = products_.product(outside, coefficient);
        }
        f.coefficient = products_.product(f.coefficient, coefficient);
        f.cancels = f.cancels || g.cancels;
    }

    // By the sum of weight * \exp(exponent), as far as its parts cancel with others.
    void weighted_sum(factored& f, const factored& g, ir::ref exponent,
                      const std::vector<ir::ref>& over) {
        const ir::ref w = g.coefficient;
        const bool positive = is_nonnegative(to_, w);
        const ir::ref size = positive ? w : to_.apply(ir::function::absolute, w);
        const ir::ref each = products_.weighted(exponent, size);
        const ir::ref brackets = products_.brackets_of(exponent);
        ir::ref rest = ir::none;
        if (!positive) {
            const ir::ref share = to_.reduce(ir::reduction::softmax, links(over), each);
            const ir::ref sign = products_.product(brackets, to_.apply(ir::function::sign, w));
            rest = to_.reduce(ir::reduction::sum, links(over), products_.product(sign, share));
        }
        f.coefficient = rest;
        f.cancels = f.cancels || g.cancels;
        const ir::ref written =
            positive ? f.written
                     : to_.reduce(ir::reduction::sum, links(over),
                                  products_.product(products_.product(brackets, size),
                                                    to_.apply(ir::function::exp, exponent)));
        products_.multiply(f, exponential{1, each, over, written, w, exponent});
    }

    void logarithm(factored& f, ir::ref n) {
        const factored g = factor(n);
        const ir::ref better = g.exponentials.empty() ? logarithms_.of(n) : logarithms_.of(g);
        if (better == ir::none) return;
        f.coefficient = better;
        f.cancels = true;
    }
    bool is_given(ir::ref n) const {
        bool given = true;
        ir::for_each_node(to_, n, [&](ir::ref m) {
            const ir::node& x = to_.nodes[m];
            given = given && !is_sum(x) &&
                    (x.kind != ir::op::tensor ||
                     (x.name < p_.names.size() && p_.definition(x.name) == ir::none));
        });
        return given;
    }
    /// v over indices of its own; none where v cannot be written with others.
    std::pair<ir::ref, ir::range> with_own_indices(ir::ref v, ir::range over) {
        std::vector<index_value> values;
        std::vector<ir::ref> own;
        for (std::int32_t k = 0; k < over.count; ++k) {
            const ir::ref i = to_.links[over.first + k];
            own.push_back(fresh(i, extent(i)));
            values.push_back({i, ir::index_position(own.back()), ir::none, true});
        }
        const auto copy =
            substituted(to_, v, values, [&](ir::ref i) { return fresh(i, extent(i)); });
        return {copy.value_or(ir::none), links(own)};
    }

    // Tensors -------------------------------------------------------------------------------------

    /// What is known of a tensor: its value for the indices of its own left side.
    struct definition {
        factored value;
        std::vector<ir::ref> indices;
        ir::ref equation = ir::none;
        ir::ref coefficient = ir::none;  // a tensor that holds it, once one is needed
        ir::ref logarithm = ir::none;    // of its value, where that is better than of its elements
    };

    void remember(const ir::equation& q, const factored& f) {
        definition d{f, {}, e_, ir::none, ir::none};
        // A quotient of exponentials is stable itself; its logarithm may not be.
        const bool stable = products_.settled(f).exponentials.empty();
        if (has_logarithms_)
            d.logarithm =
                f.exponentials.empty() ? logarithms_.of(p_.equations[e_].body) : logarithms_.of(f);
        // a bracket may not be parted from what it hides, by equations either
        ir::ref coefficient = f.coefficient;
        if (stable || products_.take_brackets(coefficient, {}) != ir::none) d.value = {};
        if (d.value.exponentials.empty() && d.logarithm == ir::none) return;
        for (std::int32_t axis = 0; axis < q.positions.count; ++axis) {
            const ir::position& at = to_.positions[q.positions.first + axis];
            if (at.kind != ir::position_kind::index ||
                std::find(d.indices.begin(), d.indices.end(), at.index) != d.indices.end() ||
                extent(at.index) != shapes_.extent(q.name, axis))
                return;
            d.indices.push_back(at.index);
        }
        const auto writes = [&](const ir::equation& other) { return other.name == q.name; };
        if (std::count_if(p_.equations.begin(), p_.equations.end(), [&](const ir::equation& o) {
                return ir::computes(p_, o) && writes(o);
            }) == 1)
            definitions_.emplace(q.name, std::move(d));
    }

    factored read_tensor(ir::ref n, const ir::node& x) {
        factored opaque;
        opaque.written = ir::rebuild_children(to_, n, [&](ir::ref c) { return stable(c); });
        opaque.coefficient = opaque.written;
        const auto found = definitions_.find(x.name);
        if (found == definitions_.end() || found->second.value.exponentials.empty()) return opaque;
        definition& d = found->second;
        std::vector<index_value> values;
        if (!places_of(to_.nodes[opaque.written], d, values)) return opaque;
        factored f;
        f.written = opaque.written;
        const bool is_exponential = d.value.coefficient == ir::none &&
                                    d.value.exponentials.size() == 1 &&
                                    d.value.exponentials[0].times == 1;
        bool fits = true;
        const auto used = [&](ir::ref e) {
            const auto copy =
                substituted(to_, e, values, [&](ir::ref i) { return fresh(i, extent_in(d, i)); });
            fits = fits && copy;
            return copy.value_or(e);
        };
        for (const exponential& e : d.value.exponentials) {
            exponential copy = e;
            const auto outer = values.size();
            for (ir::ref& i : copy.over) {
                const ir::ref own = fresh(i, extent_in(d, i));
                values.push_back({i, ir::index_position(own), ir::none, true});
                i = own;
            }
            copy.exponent = used(e.exponent);
            if (e.bare != ir::none) copy.bare = used(e.bare), copy.weights = used(e.weights);
            values.resize(outer);
            copy.written = is_exponential ? f.written : used(e.written);
            f.exponentials.push_back(std::move(copy));
        }
        if (d.value.coefficient != ir::none) f.coefficient = used(coefficient_of(x.name, d));
        return fits ? f : opaque;
    }

    /// What the indices of the definition are where a tensor is read; whether that can be said.
    bool places_of(const ir::node use, const definition& d, std::vector<index_value>& values) {
        for (std::int32_t axis = 0; axis < use.positions.count; ++axis) {
            const ir::position at = to_.positions[use.positions.first + axis];
            if (at.kind != ir::position_kind::index && at.kind != ir::position_kind::fixed &&
                at.kind != ir::position_kind::gathered)
                return false;
            const ir::ref from = d.indices[static_cast<std::size_t>(axis)];
            const bool whole =
                at.kind == ir::position_kind::index && extent(at.index) == extent_in(d, from);
            const ir::ref number =
                at.kind == ir::position_kind::gathered ? child(use, at.offset) : ir::none;
            values.push_back({from, at, number, whole});
        }
        return true;
    }
    ir::ref log_of_tensor(ir::ref n) {
        const auto found = definitions_.find(to_.nodes[n].name);
        if (found == definitions_.end() || found->second.logarithm == ir::none) return ir::none;
        const definition& d = found->second;
        std::vector<index_value> values;
        const ir::ref use = ir::rebuild_children(to_, n, [&](ir::ref c) { return stable(c); });
        if (!places_of(to_.nodes[use], d, values)) return ir::none;
        return substituted(to_, d.logarithm, values,
                           [&](ir::ref i) { return fresh(i, extent_in(d, i)); })
            .value_or(ir::none);
    }

    // An expression for the indices of the definition: a number, or a tensor with an equation of
    // its own.
    ir::ref coefficient_of(ir::ref name, definition& d) {
        const ir::node& c = to_.nodes[d.value.coefficient];
        if (c.kind == ir::op::number) return d.value.coefficient;
        const ir::range at = p_.equations[d.equation].positions;
        if (d.coefficient == ir::none) {
            d.coefficient = new_name(to_);
            coefficient_of_.emplace(d.coefficient, name);
            made_.push_back({{d.coefficient, at, d.value.coefficient, false,
                              p_.equations[p_.definition(name)].source},
                             d.equation});
        }
        return to_.tensor(d.coefficient, at);
    }

    // An equation that says no more than that its tensor is a coefficient computes it itself.
    void write_out(ir::equation& q) {
        const ir::node use = to_.nodes[q.body];
        if (use.kind != ir::op::tensor || use.name < p_.names.size()) return;
        std::int32_t reads = 0;
        for (const ir::equation& other : to_.equations)
            if (!other.claim) reads += ir::uses_name(to_, other.body, use.name);
        if (reads > 1) return;
        const ir::equation& made = to_.equations[to_.definition(use.name)];
        std::vector<index_value> values;
        for (std::int32_t axis = 0; axis < use.positions.count; ++axis) {
            const ir::position& from = to_.positions[made.positions.first + axis];
            const ir::position& at = to_.positions[use.positions.first + axis];
            if (at.kind != ir::position_kind::index) return;
            values.push_back({from.index, at, ir::none, true});
        }
        const ir::ref source = definitions_.at(coefficient_of_.at(use.name)).equation;
        const auto body = substituted(to_, made.body, values,
                                      [&](ir::ref i) { return fresh(i, extent_at(source, i)); });
        if (body) q.body = *body;
    }

    // What nothing reads any more is not computed.
    void drop_unread() {
        std::vector<bool> read(static_cast<std::size_t>(to_.names.size()));
        for (ir::ref e = to_.equations.size(); e-- > 0;) {
            const ir::equation& q = to_.equations[e];
            if (q.claim || to_.names[q.name].shape_only) continue;
            const auto name = static_cast<std::size_t>(q.name);
            const bool output = name < roles_.output.size() && roles_.output[name];
            if (!output && !read[name]) {
                to_.names[q.name].shape_only = true;
                continue;
            }
            ir::for_each_node(to_, q.body, [&](ir::ref n) {
                const ir::node& x = to_.nodes[n];
                if (x.kind == ir::op::tensor) read[static_cast<std::size_t>(x.name)] = true;
            });
        }
    }

    // Small things --------------------------------------------------------------------------------

    std::int64_t extent(ir::ref index) const { return extent_at(e_, index); }
    std::int64_t extent_in(const definition& d, ir::ref index) const {
        return extent_at(d.equation, index);
    }
    std::int64_t extent_at(ir::ref e, ir::ref index) const {
        if (index < p_.indices.size()) return shapes_.index_extent(e, index);
        return new_indices_[static_cast<std::size_t>(index - p_.indices.size())].extent;
    }
    ir::ref fresh(ir::ref index, std::int64_t extent) {
        const ir::index_symbol symbol = to_.indices[index];
        new_indices_.push_back({to_.indices.push(symbol), extent});
        return new_indices_.back().index;
    }
    bool depends(ir::ref n, const std::vector<ir::ref>& indices) const {
        if (n == ir::none) return false;
        const ir::index_set free = ir::free_indices(to_, n);
        return std::any_of(indices.begin(), indices.end(), [&](ir::ref i) { return free.has(i); });
    }
    bool depends_on_all(ir::ref n, const std::vector<ir::ref>& indices) const {
        const ir::index_set free = ir::free_indices(to_, n);
        return std::all_of(indices.begin(), indices.end(), [&](ir::ref i) { return free.has(i); });
    }
    /// A sum of exponentials that the text has, whatever its indices are called.
    struct met_sum {
        ir::ref exponent;
        std::vector<ir::ref> over;
        ir::ref equation;
    };
    /// Whether the text has the sum of these exponentials, here or anywhere.
    bool is_summed(ir::ref exponent, const std::vector<ir::ref>& over) const {
        return has_sum(*this, exponent, over) ||
               (before_ != nullptr && before_->has_sum(*this, exponent, over));
    }
    bool has_sum(const canceller& in, ir::ref exponent, const std::vector<ir::ref>& over) const {
        const auto is_in = [](const std::vector<ir::ref>& list, ir::ref i) {
            return std::find(list.begin(), list.end(), i) != list.end();
        };
        return std::any_of(sums_.begin(), sums_.end(), [&](const met_sum& sum) {
            if (sum.over.size() != over.size()) return false;
            const auto found =
                matched(to_, sum.exponent, in.to_, exponent, free_indices_of(to_, sum.exponent));
            return found && std::all_of(found->begin(), found->end(), [&](const index_value& v) {
                       return v.at.kind == ir::position_kind::index &&
                              is_in(sum.over, v.from) == is_in(over, v.at.index) &&
                              extent_at(sum.equation, v.from) == in.extent(v.at.index);
                   });
        });
    }
    ir::range links(const std::vector<ir::ref>& list) {
        return to_.add_links(list.data(), static_cast<std::int32_t>(list.size()));
    }

    const ir::program_view& p_;
    ir::program to_;  // the copy; nodes keep their numbers
    exponential_products products_;
    logarithms logarithms_;
    const bool has_logarithms_ = has_any(ir::function::log);
    const name_roles& roles_;
    const ir::shape_table& shapes_;
    ir::ref e_ = 0;  // the equation that is read
    bool changed_ = false;
    std::unordered_map<ir::ref, factored> known_;          // nodes of that equation
    std::unordered_map<ir::ref, definition> definitions_;  // by name
    std::unordered_map<ir::ref, ir::ref> coefficient_of_;  // the tensor whose coefficient it is
    std::vector<met_sum> sums_;
    const canceller* before_;
    std::vector<new_index> new_indices_;
    std::vector<std::pair<ir::equation, ir::ref>> made_;  // with the equation whose indices it uses
};

}  // namespace

std::optional<ir::program> cancel_exponentials(const ir::program_view& program,
                                               const name_roles& roles, ir::shape_table& shapes,
                                               std::vector<slot>& slots, element type) {
    if (is_integer(type) || is_complex(type)) return std::nullopt;
    // Twice: a sum by which a value is divided may stand below it in the text.
    std::vector<ir::ref> origins;
    canceller first(program, roles, shapes, nullptr);
    if (!first.has_any(ir::function::exp) && !first.has_any(ir::function::log)) return std::nullopt;
    first.rewrite(origins);
    if (!first.met_sums() && !first.changed()) return std::nullopt;
    origins.clear();
    canceller all(program, roles, shapes, &first);
    all.rewrite(origins);
    if (!all.changed()) return std::nullopt;
    const auto added = all.new_indices();
    ir::program result = std::move(all).program();
    carry_over(program, result, origins, added, shapes, slots, type);
    return result;
}

}  // namespace ricci::plan
