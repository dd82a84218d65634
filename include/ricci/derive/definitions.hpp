// The derivatives that a text asks for: a program whose equations read derivatives of tensors that
// it defines gets the equations for those, in the order in which they depend on one another.
#pragma once

#include <cstdint>

#include <ricci/derive/jacobian.hpp>
#include <ricci/derive/tangent.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/keep_lines.hpp>
#include <ricci/ir/needed.hpp>
#include <ricci/ir/order.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Makes definitions of the equations for tangents that nothing could derive: those of tensors that
/// the program does not define, and those that such equations read. So what forward mode prints
/// reads back as equations that compute. Returns whether there was one.
template <class Program>
constexpr bool define_tangents(Program& p) {
    const auto is_tangent = [&](ref name) {
        return p.names[name].kind == ir::name_kind::tangent && p.definition(name) == none;
    };
    bool any = false;
    for (ir::equation& q : p.equations) {
        if (!q.claim || !is_tangent(q.name)) continue;
        ref of = q.name;
        while (p.names[of].kind != ir::name_kind::plain) of = p.names[of].of;
        if (p.definition(of) == none) q.claim = false, any = true;
    }
    for (std::int32_t e = p.equations.size(); any && e-- > 0;) {
        ir::equation& q = p.equations[e];
        if (!q.claim || !is_tangent(q.name)) continue;
        for (const ir::equation& other : p.equations)
            if (!other.claim && q.claim && ir::uses_name(p, other.body, q.name)) q.claim = false;
    }
    return any;
}

/// A program whose equations read \frac{\partial A^{ij}}{\partial S^{kl}}, or \frac{d A^{ij}}{d t},
/// of an A that it defines asks for that derivative. What A is made of may be derivatives again:
/// those get their equations first, so that the outer derivation goes through them.
template <class Program = ir::program>
class derivative_definitions {
public:
    constexpr derivative_definitions(Program& p, text_view text) : p_(p), text_(text) {
        // A text that defines derivatives of L itself derives none: the others are inputs.
        for (const ir::equation& q : p.equations)
            if (!q.claim && p.names[q.name].kind == ir::name_kind::cotangent)
                given_.push(detail::hash_of(loss_at_root(p.name(q.name))));
    }
    constexpr const ir::mistake& mistake() const { return mistake_; }

    /// Whether there was one to define. Leaves the equations in their order.
    constexpr bool run() {
        take_kept();
        buffer<bool> asked;  // what a line of its own keeps stays an output, whatever is derived
        for (const ir::name_symbol& n : p_.names) asked.push(n.kept);
        ref name = wanted();
        if (name == none) {
            finish();
            return static_cast<bool>(mistake_);
        }
        mistake_ = ir::order_equations(p_, text_);
        const buffer<ref> outputs = find_outputs();
        for (ref n = 0; n < p_.names.size(); ++n)
            if (p_.names[n].kind == ir::name_kind::tangent && is_tensor(n) && subject_of(n) == none)
                spoken_of_.push(n);
        for (; name != none && !mistake_; name = mistake_ ? none : wanted()) {
            define(name);
            if (!mistake_) mistake_ = ir::order_equations(p_, text_);
        }
        for (ir::name_symbol& s : p_.names) s.shape_only = false;  // what defines them is here
        // That a derivative is taken of a tensor is no use of it: it stays an output.
        for (ref output : outputs)
            if (ir::is_read(p_, output) || ir::gives_axis(p_, output)) p_.names[output].kept = true;
        for (ref n = 0; n < asked.size(); ++n)
            if (asked[n]) p_.names[n].kept = true;
        drop_unread();
        ir::mark_shape_only(p_);
        finish();
        return true;
    }

private:
    // What is kept --------------------------------------------------------------------------------

    /// The derivatives that a line of their own keeps, which are asked for like those that an
    /// equation reads.
    constexpr void take_kept() {
        buffer<ir::equation> rest;
        for (const ir::equation& q : p_.equations) {
            if (ir::is_keep_line(p_, q)) kept_.push(q), p_.names[q.name].kept = true;
            else rest.push(q);
        }
        if (!kept_.empty()) p_.equations = static_cast<buffer<ir::equation>&&>(rest);
    }
    constexpr void finish() {
        for (const ir::equation& line : kept_)
            if (!mistake_ && p_.definition(line.name) == none)
                mistake_ = ir::nothing_to_keep(p_, line, text_);
    }
    /// Removes what was derived on the way to another derivative, and is neither read nor kept.
    constexpr void drop_unread() {
        for (std::int32_t e = p_.equations.size(); e-- > 0;) {
            const ir::equation q = p_.equations[e];
            bool derived = false;
            for (ref name : derived_) derived = derived || name == q.name;
            if (!derived || q.claim || p_.names[q.name].kept || ir::is_read(p_, q.name) ||
                ir::gives_axis(p_, q.name))
                continue;
            for (std::int32_t k = e; k + 1 < p_.equations.size(); ++k)
                p_.equations[k] = ir::equation(p_.equations[k + 1]);
            p_.equations.shrink(p_.equations.size() - 1);
        }
    }
    /// L of dL/dX, of d(dL/dX)/dY, and so on.
    static constexpr text_view loss_at_root(text_view name) {
        text_view root = ir::parts_of_derivative(name).numerator;
        while (!ir::parts_of_derivative(root).numerator.empty())
            root = ir::parts_of_derivative(root).numerator;
        return root;
    }

    // Which comes next ----------------------------------------------------------------------------

    enum class visit : std::uint8_t { unseen, open, done };

    /// A derivative that an equation reads, that nothing defines, and whose subject is defined by
    /// equations that read none of the kind; none where there is no more.
    constexpr ref wanted() {
        visits_.clear();
        visits_.resize(p_.names.size(), visit::unseen);
        ref found = none;
        for (std::int32_t e = 0; e < p_.equations.size() && found == none && !mistake_; ++e)
            if (!p_.equations[e].claim) found = wanted_in(p_.equations[e].body);
        for (std::int32_t k = 0; k < kept_.size() && found == none && !mistake_; ++k)
            found = wanted_for(kept_[k].name);
        return mistake_ ? none : found;
    }
    constexpr ref wanted_in(ref body) {
        const ir::node& x = p_.nodes[body];
        ref found = x.kind == op::tensor ? wanted_for(x.name) : none;
        for (std::int32_t k = 0; k < x.children.count && found == none; ++k)
            found = wanted_in(p_.links[x.children.first + k]);
        return found;
    }
    /// What has to be defined before `name` can be computed: the name itself at the latest.
    constexpr ref wanted_for(ref name) {
        if (visits_[name] == visit::done || mistake_) return none;
        if (visits_[name] == visit::open) {
            own_derivative(name);
            return none;
        }
        const ref defined = p_.definition(name);
        const ref subject = defined == none ? subject_of(name) : none;
        ref found = none;
        visits_[name] = visit::open;
        if (defined != none) found = wanted_in(p_.equations[defined].body);
        else if (subject != none) found = wanted_for(subject);
        visits_[name] = visit::done;
        return found == none && subject != none && !mistake_ ? name : found;
    }
    /// What a derivative that nothing defines is of, where the text says what that is.
    constexpr ref subject_of(ref name) const {
        const ir::name_symbol& s = p_.names[name];
        const ref of = s.kind == ir::name_kind::tangent ? s.of
                       : s.kind == ir::name_kind::cotangent
                           ? p_.find(ir::parts_of_derivative(p_.name(name)).numerator)
                           : none;
        if (of == none) return none;
        if (s.kind == ir::name_kind::cotangent) {
            const std::uint64_t loss = detail::hash_of(loss_at_root(p_.name(name)));
            for (const std::uint64_t other : given_)
                if (other == loss) return none;
        }
        return p_.definition(of) != none || subject_of(of) != none ? of : none;
    }
    constexpr buffer<ref> find_outputs() const {
        buffer<ref> outputs;
        for (const ir::equation& q : p_.equations) {
            if (q.claim) continue;
            bool used = false;
            for (const ir::equation& other : p_.equations)
                used = used || (!other.claim && ir::uses_name(p_, other.body, q.name));
            if (!used) outputs.push(q.name);
        }
        return outputs;
    }

    // What defines it -----------------------------------------------------------------------------

    constexpr void define(ref name) {
        if (p_.names[name].kind == ir::name_kind::tangent) return define_tangent(name);
        detail::text_builder of, by;  // copies: the program's text moves as it grows
        of << ir::parts_of_derivative(p_.name(name)).numerator;
        by << p_.name(p_.names[name].of);
        const ref subject = p_.find(of);
        const std::int32_t rank = p_.equations[p_.definition(subject)].positions.count;
        if (p_.names[name].numerator_rank != rank) return wrong_rank(name, of, rank);
        if (!is_tensor(p_.names[name].of)) return unknown(name);
        if (const ref open = open_derivative(subject, p_.names[name].of); open != none)
            return unknown_loss(name, open);
        const text_view wrt[] = {by};
        const derived d = jacobian(p_, of, wrt, 1);
        if (d.mistake) zero(name);  // A is defined and S is there, so that A does not depend on S
        else add(d.program);
    }
    constexpr void define_tangent(ref name) {
        detail::text_builder along;
        along << ir::parts_of_tangent(p_.name(name)).along;
        const derived d = forward_mode(p_).of_one(p_.names[name].of, along, moving(along));
        if (d.mistake) zero(name);
        else add(d.program);
    }
    constexpr void add(const ir::program_view& derived) {
        ir::importer copy(p_, derived);
        for (const ir::equation& e : derived.equations) {
            const ref known = p_.find(derived.name(e.name));
            if (known != none && p_.definition(known) != none) continue;
            const ir::equation q = copy.import(e);
            if (!is_asked_for(q.name)) p_.names[q.name].kept = false;
            derived_.push(q.name);
            p_.equations.push(q);
        }
    }
    constexpr bool is_asked_for(ref name) const {
        for (const ir::equation& line : kept_)
            if (line.name == name) return true;
        return false;
    }
    /// What moves with t: the tensors whose motion the text speaks of. Where it speaks of none, all
    /// those that it does not define. A direction along t may change with t again.
    constexpr buffer<ref> moving(text_view along) const {
        buffer<ref> directions;
        const auto is_along = [&](ref n) {
            return p_.names[n].kind == ir::name_kind::tangent &&
                   ir::parts_of_tangent(p_.name(n)).along == along;
        };
        for (ref n : spoken_of_)
            if (is_along(n)) directions.push(p_.names[n].of);
        const bool all = directions.empty();
        for (ref n = 0; n < p_.names.size(); ++n)
            if ((all || is_along(n)) && p_.definition(n) == none && subject_of(n) == none)
                directions.push(n);
        return directions;
    }
    /// Whether an equation defines or reads the name: others are there for what is spelt with them.
    constexpr bool is_tensor(ref name) const {
        for (const ir::equation& q : p_.equations)
            if (q.name == name || ir::uses_name(p_, q.body, name)) return true;
        return false;
    }
    constexpr bool depends(ref name, ref on) const {
        if (name == on) return true;
        const ref defined = p_.definition(name);
        bool found = false;
        if (defined == none) return false;
        ir::for_each_node(p_, p_.equations[defined].body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            if (!found && x.kind == op::tensor) found = depends(x.name, on);
        });
        return found;
    }
    /// A derivative dL/dX of an L that nothing defines, among what `subject` is made of, where X
    /// and `by` have to do with one another: nobody knows how it depends on that.
    constexpr ref open_derivative(ref subject, ref by) const {
        for (ref n = 0; n < p_.names.size(); ++n) {
            const ir::name_symbol& s = p_.names[n];
            if (s.kind != ir::name_kind::cotangent || p_.definition(n) != none || n == by) continue;
            ref of = s.of;
            while (p_.names[of].kind != ir::name_kind::plain) of = p_.names[of].of;
            if ((depends(of, by) || depends(by, of)) && depends(subject, n)) return n;
        }
        return none;
    }
    /// The derivative of what does not depend on the tensor, in the shapes of the two.
    constexpr void zero(ref name) {
        std::int32_t rank = 0;
        for (const ir::node& x : p_.nodes)
            if (x.kind == op::tensor && x.name == name) rank = x.positions.count;
        p_.equations.push(
            zero_equation(p_, name, rank, [](ref, std::int32_t) { return ir::no_axis; }));
    }

    // Mistakes ------------------------------------------------------------------------------------

    constexpr void refuse(ir::mistake_kind kind, ref name, const detail::text_builder& words) {
        ir::source_span at{};
        for (const ir::node& x : p_.nodes)
            if (x.kind == op::tensor && x.name == name && x.source.end > 0) at = x.source;
        mistake_ = ir::make_mistake(kind, text_, at.begin, at.end, words);
    }
    constexpr void wrong_rank(ref name, text_view of, std::int32_t rank) {
        detail::text_builder s;
        s << of << " has " << p_.names[name].numerator_rank << " indices in this derivative and "
          << rank << " where it is defined";
        refuse(ir::mistake_kind::rank, name, s);
    }
    constexpr void unknown(ref name) {
        detail::text_builder s;
        const text_view by = p_.name(p_.names[name].of);
        s << "this derivative is by " << by << ", which no equation uses";
        detail::nearest near(by);
        for (ref n = 0; n < p_.names.size(); ++n)
            if (is_tensor(n)) near.offer(p_.name(n));
        if (near.found()) s << "; did you mean " << near.best << "?";
        refuse(ir::mistake_kind::unknown_name, name, s);
    }
    constexpr void unknown_loss(ref name, ref open) {
        detail::text_builder s;
        const text_view loss = ir::parts_of_derivative(p_.name(open)).numerator;
        s << "this derivative is of what is made from " << p_.name(open)
          << ", and how that depends on " << p_.name(p_.names[name].of)
          << " is not known, as nothing defines " << loss << "; define it, or give "
          << p_.name(open) << " another name where it does not depend on it";
        refuse(ir::mistake_kind::unknown_name, name, s);
    }
    constexpr void own_derivative(ref name) {
        ref subject = name;  // a cycle of definitions has been refused: one of derivatives is left
        while (p_.definition(subject) == none && subject_of(subject) != none)
            subject = subject_of(subject);
        detail::text_builder s;
        s << p_.name(subject) << " is defined by its own derivative, which this does not solve";
        refuse(ir::mistake_kind::cycle, name, s);
    }

    Program& p_;
    text_view text_;
    ir::mistake mistake_;
    buffer<std::uint64_t> given_;  // hashes of the losses whose derivatives the text defines
    buffer<ir::equation> kept_;    // the lines that keep derivatives which nothing defined
    buffer<ref> derived_;          // the names of the equations that were added
    buffer<visit> visits_;         // of each name
    buffer<ref> spoken_of_;        // the directions of motion that stand in the text
};

}  // namespace ricci::derive
