// Putting positions in place of indices: what an equation says of Y^{i} is also said of Y^{j+1}.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Which position stands for each index of a left side, where its tensor is used. A template: files
/// without claims build nothing of it.
template <class Program = program>
class placement {
public:
    /// `read` are the children of the use, which its gathered positions are read from.
    constexpr placement(Program& p, range read) : p_(p), read_(read) {}

    /// `defined` is a position on the left side, `used` the one that a use has there. False where
    /// the use may be of a place that the equation does not say.
    constexpr bool add(const position& defined, const position& used) {
        if (defined.kind == position_kind::index) {
            if (used.kind == position_kind::index) renamed_.set(defined.index, used.index);
            else places_.push({defined.index, used});
            return true;
        }
        if (defined.kind != used.kind || defined.offset != used.offset ||
            defined.terms.count != used.terms.count || defined.kind == position_kind::gathered)
            return false;
        for (std::int32_t t = 0; t < defined.terms.count; ++t) {
            const affine_term x = p_.affine_terms[defined.terms.first + t],
                              y = p_.affine_terms[used.terms.first + t];
            if (x.coefficient != y.coefficient) return false;
            renamed_.set(x.index, y.index);
        }
        return true;
    }
    /// The expression at those places, or none. The use has none of its bound indices.
    constexpr ref apply(ref n) {
        // an index of the left side may be spelt like one of the use: all change at once
        ref out = n;
        if (!places_.empty()) {
            index_map apart;
            for (place& q : places_) {
                const ref fresh = p_.indices.push(p_.indices[q.index]);
                apart.set(q.index, fresh);
                q.index = fresh;
            }
            for (const index_map::pair& q : renamed_) apart.set(q.from, q.to);
            out = rename_indices(p_, out, apart);
            failed_ = false;
            out = placed(out);
            return failed_ ? none : out;
        }
        return rename_indices(p_, out, renamed_);
    }

private:
    struct place {
        ref index;
        position at;
    };

    constexpr const place* find(ref index) const {
        for (const place& q : places_)
            if (q.index == index) return &q;
        return nullptr;
    }
    constexpr ref fail() {
        failed_ = true;
        return none;
    }
    constexpr ref placed(ref n) {
        const node x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.indices.count; ++k)  // a softmax over it
            if (find(p_.links[x.indices.first + k]) != nullptr) return fail();
        detail::buffer<ref> children;
        bool changed = false;
        for (std::int32_t k = 0; k < x.children.count && !failed_; ++k) {
            const ref child = p_.links[x.children.first + k];
            children.push(placed(child));
            changed = changed || children.back() != child;
        }
        if (failed_) return none;
        bool here = false;
        for_each_index(p_, x.positions, [&](ref i) { here = here || find(i) != nullptr; });
        if (!here && !changed) return n;
        if (here && x.kind == op::position)
            return as_number(find(p_.positions[x.positions.first].index)->at);
        detail::buffer<position> list;
        for (std::int32_t k = 0; k < x.positions.count && !failed_; ++k)
            list.push(placed(p_.positions[x.positions.first + k], x.kind, children));
        if (failed_) return none;
        node copy = x;
        if (here) {
            copy.positions = {p_.positions.size(), list.size()};
            p_.positions.append(list.data(), list.size());
        }
        copy.children = p_.add_links(children);
        return p_.nodes.push(copy);
    }
    constexpr position placed(const position& q, op kind, detail::buffer<ref>& children) {
        if (q.kind == position_kind::index) {
            const place* found = find(q.index);
            if (found == nullptr) return q;
            if (found->at.kind != position_kind::gathered) return found->at;
            if (kind != op::tensor) return fail(), q;
            children.push(p_.links[read_.first + found->at.offset]);
            return gathered_position(children.size() - 1);
        }
        bool here = false;
        for (std::int32_t t = 0; t < q.terms.count; ++t)
            here = here || find(p_.affine_terms[q.terms.first + t].index) != nullptr;
        if (!here) return q;
        if (q.kind != position_kind::affine) return fail(), q;
        return in_arithmetic(q);
    }
    /// 2i+1 with j+3 for i is 2j+7. Fails where a place counts from the end, as 3-i does.
    constexpr position in_arithmetic(const position& q) {
        position out = q;
        detail::buffer<affine_term> terms;
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const affine_term term = p_.affine_terms[q.terms.first + t];
            const place* found = find(term.index);
            if (found == nullptr) {
                terms.push(term);
                continue;
            }
            const position& at = found->at;
            if (term.coefficient < 0 ||
                (at.kind != position_kind::affine && at.kind != position_kind::fixed))
                return fail(), q;
            out.offset += term.coefficient * at.offset;
            for (std::int32_t u = 0; u < at.terms.count; ++u) {
                affine_term inner = p_.affine_terms[at.terms.first + u];
                if (inner.coefficient < 0) return fail(), q;
                inner.coefficient *= term.coefficient;
                terms.push(inner);
            }
        }
        if (terms.empty()) return fixed_position(out.offset);
        out.terms = {p_.affine_terms.size(), terms.size()};
        p_.affine_terms.append(terms.data(), terms.size());
        return out;
    }
    constexpr ref as_number(const position& at) {
        if (at.kind == position_kind::fixed) return p_.number(at.offset);
        if (at.kind == position_kind::gathered) return p_.links[read_.first + at.offset];
        if (at.kind != position_kind::affine) return fail();
        detail::buffer<ref> sum;
        if (at.offset != 0) sum.push(p_.number(at.offset));
        for (std::int32_t t = 0; t < at.terms.count; ++t) {
            const affine_term term = p_.affine_terms[at.terms.first + t];
            if (term.coefficient < 0) return fail();
            sum.push(
                p_.make(op::multiply, p_.number(term.coefficient), p_.position_of(term.index)));
        }
        return p_.make(op::add, 0, sum.data(), sum.size());
    }

    Program& p_;
    range read_;
    index_map renamed_;
    detail::buffer<place> places_;
    bool failed_ = false;
};

}  // namespace ricci::ir
