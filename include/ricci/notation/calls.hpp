// Left sides in the style of a function: what they define, and the writing out of their uses.
//   \phi(x) = ...                   a scalar function, where x stands bare and a line applies it
//   \operatorname{LN}_a(x) = ...    a function over an index
//   P(j) = ...                      the tensor P^{j}, where j is an index on the right
//   B(u, v) = u^a g_{ab} v^b        the tensor B; the parentheses only name what it is made of
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/nesting.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

using ir::mistake_kind;
using ir::none;
using ir::op;
using ir::ref;

enum class definition_kind : std::uint8_t { undecided, function, indexed, documented };

/// A statement whose left side has parentheses. Lists are in the program's links.
struct styled_definition {
    definition_kind kind;
    ref name;
    ir::range parameters;  // names
    ir::range over;        // indices
    std::int32_t first;    // of the statement's equations
    std::int32_t count;
    ref body;
    ir::source_span source;
};

/// Decides what each such statement defines, and rewrites the calls of tensors. The functions among
/// them stay calls, since what an argument sums by itself is decided before it is put in its place.
class call_settler {
public:
    constexpr call_settler(ir::program& p, detail::text_view text,
                           detail::buffer<styled_definition>& definitions)
        : p_(p), text_(text), definitions_(definitions) {}

    constexpr ir::mistake run() {
        for (styled_definition& d : definitions_) decide(d);
        if (!mistake_) refuse_twice();
        if (!mistake_) settle_calls();
        if (!mistake_) drop_functions();
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    constexpr void fail(mistake_kind kind, ir::source_span at, detail::text_view words) {
        if (!mistake_) mistake_ = ir::make_mistake(kind, text_, at.begin, at.end, words);
    }

    constexpr void decide(styled_definition& d) {
        if (d.over.count > 0) return decide_over(d);
        bool all_indices = true, all_bare = true;
        for (std::int32_t k = 0; k < d.parameters.count; ++k) {
            const ref parameter = p_.links[d.parameters.first + k];
            const ref index = p_.find_index(p_.name(parameter));
            all_indices = all_indices && index != none && occurs(d.body, index);
            all_bare = all_bare && is_bare(d.body, parameter);
        }
        if (all_indices) return make_indexed(d);
        const bool bare_left =
            d.first < p_.equations.size() && p_.equations[d.first].positions.count == 0;
        if (!bare_left && all_bare) {
            detail::text_builder s;
            s << p_.name(d.name)
              << " has indices and an argument that stands alone on the right; a function has no "
                 "indices of its own: leave the argument out, or give it indices";
            return fail(mistake_kind::unexpected, d.source, s);
        }
        d.kind = bare_left && all_bare && is_called(d.name) ? definition_kind::function
                                                            : definition_kind::documented;
    }
    constexpr void decide_over(styled_definition& d) {
        d.kind = definition_kind::function;
        for (std::int32_t k = 0; k < d.parameters.count; ++k) {
            const ref parameter = p_.links[d.parameters.first + k];
            if (is_bare(d.body, parameter)) continue;
            detail::text_builder s;
            s << p_.name(parameter) << " is a parameter of " << p_.name(d.name)
              << " and stands on the right without indices";
            fail(mistake_kind::unexpected, d.source, s);
        }
    }
    constexpr void make_indexed(styled_definition& d) {
        d.kind = definition_kind::indexed;
        const ir::range at{p_.positions.size(), d.parameters.count};
        for (std::int32_t k = 0; k < d.parameters.count; ++k)
            p_.positions.push(
                ir::index_position(p_.find_index(p_.name(p_.links[d.parameters.first + k]))));
        for (std::int32_t e = d.first; e < d.first + d.count; ++e) p_.equations[e].positions = at;
    }
    constexpr bool occurs(ref body, ref index) const {
        bool found = false;
        ir::for_each_node(p_, body, [&](ref n) {
            found = found || ir::has_index(p_, p_.nodes[n].positions, index);
        });
        return found;
    }
    constexpr bool is_bare(ref body, ref name) const {
        bool found = false;
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            found = found || (x.kind == op::tensor && x.name == name && x.positions.count == 0);
        });
        return found;
    }
    constexpr bool is_called(ref name) const {
        for (const ir::node& x : p_.nodes)
            if (x.kind == op::call && x.name == name) return true;
        return false;
    }
    constexpr const styled_definition* find(ref name) const {
        for (const styled_definition& d : definitions_)
            if (d.name == name) return &d;
        return nullptr;
    }
    constexpr void refuse_twice() {
        for (std::int32_t k = 0; k < definitions_.size(); ++k)
            for (std::int32_t j = 0; j < k; ++j)
                if (definitions_[j].name == definitions_[k].name) {
                    detail::text_builder s;
                    s << p_.name(definitions_[k].name)
                      << " is defined twice; give one of the two another name";
                    fail(mistake_kind::defined_twice, definitions_[k].source, s);
                }
    }

    // Calls ---------------------------------------------------------------------------------------

    constexpr void settle_calls() {
        const std::int32_t count = p_.nodes.size();
        for (ref n = 0; n < count && !mistake_; ++n) {
            const ir::node x = p_.nodes[n];
            if (x.kind == op::call) settle(n, x);
            else if (x.kind == op::tensor) refuse_uncalled(x);
        }
    }
    constexpr void settle(ref n, const ir::node& x) {
        const styled_definition* d = find(x.name);
        if (d == nullptr) return fail(mistake_kind::unknown_function, x.source, "unknown function");
        const bool alike =
            x.children.count == d->parameters.count && x.indices.count == d->over.count;
        if (!alike) {
            detail::text_builder s;
            s << p_.name(x.name) << " is defined with " << d->parameters.count
              << (d->parameters.count == 1 ? " argument" : " arguments");
            if (d->over.count > 0) s << " over " << d->over.count << " of its indices";
            s << ", and has " << x.children.count << " here";
            if (x.indices.count != d->over.count) s << " over " << x.indices.count;
            return fail(mistake_kind::unexpected, x.source, s);
        }
        if (d->kind == definition_kind::function) return;
        ir::node tensor = ir::blank_node(op::tensor, x.source);
        tensor.name = x.name;
        if (d->kind == definition_kind::indexed) {
            detail::buffer<ir::position> list;
            for (std::int32_t k = 0; k < x.children.count; ++k)
                list.push(place_of(p_.links[x.children.first + k], x));
            tensor.positions = {p_.positions.size(), list.size()};
            p_.positions.append(list.data(), list.size());
        } else {
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                const ir::node& argument = p_.nodes[p_.links[x.children.first + k]];
                if (argument.kind == op::tensor && argument.positions.count == 0 &&
                    argument.name == p_.links[d->parameters.first + k])
                    continue;
                detail::text_builder s;
                s << p_.name(x.name)
                  << " is a tensor, whose parentheses only name what it is made of, and no "
                     "function "
                     "of "
                  << p_.name(p_.links[d->parameters.first + k])
                  << ", which does not stand alone on its right side; write " << p_.name(x.name)
                  << " \\cdot (...) for a product";
                return fail(mistake_kind::unexpected, x.source, s);
            }
        }
        p_.nodes[n] = tensor;
    }
    /// An argument as a place: i, 2, 2 i + 1.
    constexpr ir::position place_of(ref argument, const ir::node& call) {
        detail::buffer<ir::affine_term> terms;
        std::int32_t offset = 0;
        if (!add_place(argument, 1, terms, offset)) {
            detail::text_builder s;
            s << p_.name(call.name)
              << " has indices in its parentheses, so that an argument is an index, a place or "
                 "arithmetic of them";
            fail(mistake_kind::unexpected, call.source, s);
            return ir::fixed_position(0);
        }
        if (terms.empty()) return ir::fixed_position(offset);
        if (terms.size() == 1 && terms[0].coefficient == 1 && offset == 0)
            return ir::index_position(terms[0].index);
        const ir::range stored{p_.affine_terms.size(), terms.size()};
        p_.affine_terms.append(terms.data(), terms.size());
        return {ir::position_kind::affine, false, none, offset, stored};
    }
    constexpr bool add_place(ref n, std::int32_t times, detail::buffer<ir::affine_term>& terms,
                             std::int32_t& offset) {
        const ir::node x = p_.nodes[n];
        const auto whole = [](double v) {
            return v > -1e6 && v < 1e6 && v == static_cast<double>(static_cast<std::int32_t>(v));
        };
        if (x.kind == op::number && whole(x.value)) {
            offset += times * static_cast<std::int32_t>(x.value);
            return true;
        }
        if (x.kind == op::tensor && x.positions.count == 0) {
            terms.push({p_.intern_index(p_.name(x.name)), times});
            return true;
        }
        if (x.kind == op::add) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                if (!add_place(p_.links[x.children.first + k], times, terms, offset)) return false;
            return true;
        }
        if (x.kind != op::multiply || x.children.count != 2) return false;
        const ir::node& number = p_.nodes[p_.links[x.children.first]];
        return number.kind == op::number && whole(number.value) &&
               add_place(p_.links[x.children.first + 1],
                         times * static_cast<std::int32_t>(number.value), terms, offset);
    }
    constexpr void refuse_uncalled(const ir::node& x) {
        const styled_definition* d = find(x.name);
        if (d == nullptr || d->kind != definition_kind::function) return;
        detail::text_builder s;
        s << p_.name(x.name)
          << " is a function here, which is written with its argument: " << p_.name(x.name)
          << "(...)";
        fail(mistake_kind::unexpected, x.source, s);
    }

    /// A function is no equation of the program.
    constexpr void drop_functions() {
        detail::buffer<ir::equation> kept;
        for (std::int32_t e = 0; e < p_.equations.size(); ++e) {
            bool of_function = false;
            for (const styled_definition& d : definitions_) {
                if (d.kind != definition_kind::function || e < d.first || e >= d.first + d.count)
                    continue;
                of_function = true;
                if (d.count > 1)
                    fail(mistake_kind::claim, d.source,
                         "nothing can be claimed of a function; claim it of a tensor");
            }
            if (!of_function) kept.push(p_.equations[e]);
        }
        p_.equations = static_cast<detail::buffer<ir::equation>&&>(kept);
    }

    ir::program& p_;
    detail::text_view text_;
    detail::buffer<styled_definition>& definitions_;
    ir::mistake mistake_;
};

/// Says of every call of a function over an index whether it binds the index, as a mean does, or
/// keeps it, as a softmax does.
class call_binder {
public:
    constexpr call_binder(ir::program& p, const detail::buffer<styled_definition>& definitions)
        : p_(p), definitions_(definitions) {}

    constexpr void run() {
        const std::int32_t count = p_.nodes.size();
        for (ref n = 0; n < count; ++n)
            if (p_.nodes[n].kind == op::call && p_.nodes[n].indices.count > 0)
                p_.nodes[n].detail = !keeps(p_.nodes[n].name, 0);
    }

private:
    constexpr bool keeps(ref name, std::int32_t depth) const {
        for (const styled_definition& d : definitions_)
            if (d.name == name && d.over.count > 0 && depth < 32)
                return shows(d.body, d, p_.links[d.over.first], depth);
        return true;
    }
    /// Whether an index is free in an expression whose parameters have it.
    constexpr bool shows(ref n, const styled_definition& d, ref index, std::int32_t depth) const {
        const ir::node& x = p_.nodes[n];
        const bool binds = x.kind == op::call && !keeps(x.name, depth + 1);
        const std::int32_t bound = binds ? x.indices.count : ir::bound_count(x);
        for (std::int32_t k = 0; k < bound; ++k)
            if (p_.links[x.indices.first + k] == index) return false;
        bool found = ir::has_index(p_, x.positions, index);
        if (x.kind == op::tensor && x.positions.count == 0)
            for (std::int32_t k = 0; k < d.parameters.count; ++k)
                found = found || p_.links[d.parameters.first + k] == x.name;
        for (std::int32_t k = 0; k < x.children.count && !found; ++k)
            found = shows(p_.links[x.children.first + k], d, index, depth);
        return found;
    }

    ir::program& p_;
    const detail::buffer<styled_definition>& definitions_;
};

/// Writes out the calls of functions: arguments are values by now, so that they only take the place
/// of the parameters.
class call_writer {
public:
    constexpr call_writer(ir::program& p, detail::text_view text,
                          const detail::buffer<styled_definition>& definitions)
        : p_(p), text_(text), definitions_(definitions), levels_(p) {}
    constexpr ir::mistake&& mistake() { return static_cast<ir::mistake&&>(mistake_); }

    constexpr ref write(ref n, std::int32_t depth = 0) {
        if (mistake_) return n;
        const ref inside =
            ir::rebuild_children(p_, n, [&](ref child) { return write(child, depth); });
        const ir::node x = p_.nodes[inside];
        if (x.kind != op::call) return inside;
        if (depth > deepest) {
            detail::text_builder s;
            s << p_.name(x.name) << " is defined by itself, directly or through other functions";
            return fail(mistake_kind::cycle, x.source, s);
        }
        for (const styled_definition& d : definitions_)
            if (d.name == x.name) return write(written_out(d, x), depth + 1);
        return inside;
    }

private:
    static constexpr std::int32_t deepest = 32;

    constexpr ref fail(mistake_kind kind, ir::source_span at, detail::text_view words) {
        if (!mistake_) mistake_ = ir::make_mistake(kind, text_, at.begin, at.end, words);
        return p_.number(0);
    }
    constexpr ref written_out(const styled_definition& d, const ir::node& x) {
        ir::index_set outside;  // the indices that the arguments bring along
        for (std::int32_t k = 0; k < x.children.count; ++k)
            outside.merge(ir::free_indices(p_, p_.links[x.children.first + k]));
        ir::index_map renamed;
        for (std::int32_t k = 0; k < d.over.count; ++k)
            renamed.set(p_.links[d.over.first + k], p_.links[x.indices.first + k]);
        ref body = with_other_letters(d, outside);
        body = ir::rename_indices(p_, body, renamed);
        body = substituted(body, d, x);
        if (levels_.of(body) > ir::deepest_expression())
            return fail(mistake_kind::unexpected, x.source, ir::nested_too_deeply);
        constexpr std::int32_t most = 10'000;
        if (ir::written_size(p_, body, most) >= most)
            return fail(
                mistake_kind::unexpected, x.source,
                "written out in full, this function is too long; define tensors on the way");
        return body;
    }
    constexpr ref substituted(ref n, const styled_definition& d, const ir::node& x) {
        const ir::node& y = p_.nodes[n];
        if (y.kind == op::tensor && y.positions.count == 0)
            for (std::int32_t k = 0; k < d.parameters.count; ++k)
                if (p_.links[d.parameters.first + k] == y.name)
                    return p_.links[x.children.first + k];
        return ir::rebuild_children(p_, n, [&](ref child) { return substituted(child, d, x); });
    }
    /// What the function sums over by itself is no index of its arguments.
    constexpr ref with_other_letters(const styled_definition& d, const ir::index_set& outside) {
        ir::index_map renamed;
        ir::index_set over;
        for (std::int32_t k = 0; k < d.over.count; ++k) over.add(p_.links[d.over.first + k]);
        ir::for_each_node(p_, d.body, [&](ref m) {
            const ir::node x = p_.nodes[m];
            for (std::int32_t k = 0; k < ir::bound_count(x); ++k) {
                const ref i = p_.links[x.indices.first + k];
                if (over.has(i) || renamed(i) != i || !outside.has(i)) continue;
                detail::text_builder spelling;
                spelling << p_.index(i);
                do spelling << '\'';
                while (p_.find_index(spelling) != none);
                renamed.set(i, p_.intern_index(spelling));
            }
        });
        return renamed.empty() ? d.body : ir::rename_indices(p_, d.body, renamed);
    }

    ir::program& p_;
    detail::text_view text_;
    const detail::buffer<styled_definition>& definitions_;
    ir::nesting levels_;
    ir::mistake mistake_;
};

}  // namespace ricci::notation
