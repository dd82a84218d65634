// Whether a program implies an equation, derivatives included: proved, refuted by numbers, or
// neither.
#pragma once

#include <cstdint>

#include <ricci/derive/claim_context.hpp>
#include <ricci/derive/counterexample.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/prove.hpp>

namespace ricci::derive {

enum class verdict : std::uint8_t { proved, refuted, unproved };

/// What is to be said of a claim. The words are for the user, one line, empty where it is proved.
struct judgement {
    derive::verdict verdict = derive::verdict::proved;
    detail::text_builder words;
    detail::text_builder sides;          // "in normal form it is ..., and ..."; may be empty
    std::int32_t claim = 0;              // of the equations claimed, the first that is not proved
    counterexample numbers;              // of a refuted one
    ir::program tried;                   // what it is about: its names are those of `numbers`
    ref claimed = none, derived = none;  // in it: both sides
    buffer<ref> whole;                   // in it: what holds positions
};

/// How much is tried: what a compiler evaluates by default, and more at run time.
struct effort {
    std::int32_t nodes;  // of an expression in normal form
    std::int64_t steps;  // of the normal form
    std::int64_t work;   // visits to nodes while an example is computed
};
constexpr effort default_effort() {
    return __builtin_is_constant_evaluated() ? effort{100, 400, 1200} : effort{1500, 40000, 300000};
}

/// The right side of an equation; all of it where the left differs from that of `other`.
template <class Program>
constexpr void print_side(const Program& p, const equation& e, const equation& other,
                          detail::text_builder& out) {
    bool alike = e.positions.count == other.positions.count;
    for (std::int32_t k = 0; alike && k < e.positions.count; ++k) {
        const ir::position &a = p.positions[e.positions.first + k],
                           &b = p.positions[other.positions.first + k];
        alike = a.kind == b.kind && a.kind == ir::position_kind::index && a.index == b.index;
    }
    if (alike) ir::latex_printer(p, out).expression(e.body);
    else ir::to_latex(p, e, out);
}

constexpr const char* limits() {
    return __builtin_is_constant_evaluated() ? "are taken in the compiler (1200 operations, 400 "
                                               "steps of the normal form, within its "
                                               "default limits); claim it layer by layer, or check "
                                               "it at run time, where more are "
                                               "taken"
                                             : "are taken; claim it layer by layer";
}

/// One claim, among the definitions of `p`, to which those of the derivatives in it are added.
template <class Program = ir::program>
class claim_judge {
public:
    /// The first `own` equations of `p` are those of the program that the claim is about.
    constexpr claim_judge(Program& p, std::int32_t own, const ir::equation& claim, bool complex,
                          const effort& most)
        : p_(p), claim_(claim), complex_(complex), most_(most) {
        known_.resize(p.names.size(), false);
        for (std::int32_t k = 0; k < own; ++k) {
            const equation& e = p.equations[k];
            if (e.claim) continue;
            known_[e.name] = true;
            ir::for_each_node(p, e.body, [&](ref n) {
                const ir::node& x = p.nodes[n];
                if (x.kind == op::tensor) known_[x.name] = true;
            });
        }
    }
    constexpr judgement run() {
        judgement out;
        if (const ref name = name_of_two_ranks(); name != none) {
            out.verdict = verdict::unproved;
            out.words << "not proved: " << p_.name(name)
                      << " has another number of indices in the claim than in the equations";
            return out;
        }
        const std::int32_t few = most_.nodes / 8;
        if (is_stated(few)) return out;
        if (p_.definition(claim_.name) == none || has_derivative()) {
            claim_context(p_, claim_).run();
            if (is_stated(few)) return out;
        }
        const bool derivative = p_.names[claim_.name].kind != ir::name_kind::plain;
        const ref defined = p_.definition(claim_.name);
        out.verdict = verdict::unproved;
        if (defined == none && !(derivative && is_known(p_.names[claim_.name].of))) {
            out.words << "not proved: nothing defines "
                      << p_.name(derivative ? p_.names[claim_.name].of : claim_.name)
                      << ", so nothing can be claimed of it";
            return out;
        }
        // numbers say more quickly that a claim is false than a long proof that fails
        const ref undefined = input_of_its_own();
        if (undefined == none) try_numbers(out);
        if (out.verdict != verdict::refuted && is_stated(most_.nodes)) return {};
        if (undefined != none) out.words << "not proved: nothing defines " << p_.name(undefined);
        else if (out.words.size() == 0) out.words << "not proved";
        if (gave_up_ && !out.numbers.gave_up && out.verdict == verdict::unproved)
            out.words << "; a proof takes more steps than " << limits();
        say_sides(out.sides);
        return out;
    }

    /// Whether the claim is proved; nothing is tried on numbers, which is much code to compile.
    constexpr bool proves() {
        if (name_of_two_ranks() != none) return false;
        if (is_stated(most_.nodes / 8)) return true;
        if (p_.definition(claim_.name) == none || has_derivative()) claim_context(p_, claim_).run();
        return is_stated(most_.nodes);
    }

    /// The claim on numbers, whatever a proof says.
    constexpr judgement on_numbers() {
        judgement out;
        claim_context(p_, claim_).run();
        if (name_of_two_ranks() == none) try_numbers(out);
        return out;
    }

private:
    /// A tensor that the claim gives other indices than the equations: all else takes for granted
    /// that each has one rank.
    constexpr ref name_of_two_ranks() const {
        buffer<std::int32_t> ranks;
        ranks.resize(p_.names.size(), -1);
        for (const equation& e : p_.equations) ranks[e.name] = e.positions.count;
        if (ranks[claim_.name] >= 0 && ranks[claim_.name] != claim_.positions.count)
            return claim_.name;
        for (const ir::node& x : p_.nodes) {
            if (x.kind != op::tensor) continue;
            if (ranks[x.name] < 0) ranks[x.name] = x.positions.count;
            if (ranks[x.name] != x.positions.count) return x.name;
        }
        return none;
    }
    constexpr bool is_stated(std::int32_t nodes) {
        for (ref e = 0; e < p_.equations.size(); ++e) {
            const equation stated = p_.equations[e];
            if (stated.claim || stated.name != claim_.name) continue;
            const ref body = ir::aligned(p_, claim_, stated);
            if (body == none) continue;
            ir::comparison_by_layers layers(p_);
            if (layers.run(stated.body, body, nodes, most_.steps)) return true;
            gave_up_ = layers.gave_up();
        }
        return false;
    }
    /// Whether the claim speaks of a derivative that nothing defines.
    constexpr bool has_derivative() const {
        bool found = false;
        const auto look = [&](ref name) {
            found = found ||
                    (p_.names[name].kind != ir::name_kind::plain && p_.definition(name) == none);
        };
        look(claim_.name);
        ir::for_each_node(p_, claim_.body, [&](ref n) {
            if (p_.nodes[n].kind == op::tensor) look(p_.nodes[n].name);
        });
        return found;
    }
    constexpr bool is_known(ref name) const {
        if (name < known_.size() && known_[name]) return true;
        return p_.names[name].kind != ir::name_kind::plain && is_known(p_.names[name].of);
    }
    /// A tensor that the claim reads, that nothing defines, and of which the program does not know.
    constexpr ref input_of_its_own() const {
        buffer<bool> seen;
        seen.resize(p_.names.size(), false);
        return input_below(claim_.body, seen);
    }
    constexpr ref input_below(ref body, buffer<bool>& seen) const {
        ref found = none;
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            if (found != none || x.kind != op::tensor || seen[x.name]) return;
            seen[x.name] = true;
            const ref e = p_.definition(x.name);
            if (e != none) found = input_below(p_.equations[e].body, seen);
            else if (!is_known(x.name)) found = x.name;
        });
        return found;
    }
    /// The claim's two sides as a program of their own.
    constexpr void try_numbers(judgement& out) {
        const ref claimed = p_.intern_name("what is claimed");
        Program& tried = out.tried;
        ir::importer copy(tried, p_);
        buffer<bool> done;
        done.resize(p_.names.size(), false);
        import_below(claim_.body, copy, tried, done);
        import_name(claim_.name, copy, tried, done);
        equation side = claim_;
        side.name = claimed;
        side.claim = false;
        tried.equations.push(copy.import(side));
        const equation last = tried.equations.back();
        const text_view name = p_.name(claim_.name);
        const ref derived = tried.find(name);
        if (derived == none) return;
        out.claimed = last.name;
        out.derived = derived;
        counterexample_search search(tried, last.name, derived, complex_, most_.work);
        for (const ir::node& x : p_.nodes)
            for (std::int32_t k = 0; x.kind == op::tensor && k < x.children.count; ++k)
                ir::for_each_node(p_, p_.links[x.children.first + k], [&](ref n) {
                    if (p_.nodes[n].kind != op::tensor) return;
                    const ref whole = tried.find(p_.name(p_.nodes[n].name));
                    if (whole == none) return;
                    search.set_whole(whole);
                    out.whole.push(whole);
                });
        out.numbers = search.run();
        if (out.numbers.gave_up)
            out.words << "not proved: trying it on numbers takes more steps than " << limits();
        else if (out.numbers.alike)
            out.words << "not proved, though both sides are alike in the numbers tried";
        if (!out.numbers.found) return;
        out.verdict = verdict::refuted;
        out.words << "refuted: ";
        print_counterexample(tried, out.numbers, last, name, out.words);
    }
    constexpr void import_name(ref name, ir::importer& copy, Program& to, buffer<bool>& done) {
        if (done[name]) return;
        done[name] = true;
        const ref e = p_.definition(name);
        if (e == none) return;
        import_below(p_.equations[e].body, copy, to, done);
        to.equations.push(copy.import(p_.equations[e]));
    }
    constexpr void import_below(ref body, ir::importer& copy, Program& to, buffer<bool>& done) {
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind == op::tensor) import_name(x.name, copy, to, done);
        });
    }
    constexpr void say_sides(detail::text_builder& out) {
        const ref defined = p_.definition(claim_.name);
        ir::normaliser normal(p_);
        equation side = claim_;
        side.body = normal.to_node(normal.normalise(side.body));
        equation other = defined == none ? side : p_.equations[defined];
        if (defined != none) other.body = normal.to_node(normal.normalise(other.body));
        out << "in normal form it is ";
        print_side(p_, side, other, out);
        if (defined == none) return;
        out << ", and " << p_.name(claim_.name) << " is ";
        print_side(p_, other, side, out);
    }

    Program& p_;
    equation claim_;
    bool complex_;
    effort most_;
    buffer<bool> known_;
    bool gave_up_ = false;  // there were more steps to take in the proof
};

/// Whether `source` implies every equation of `claims`.
template <class Source, class Claims>
constexpr judgement judge(const Source& source, const Claims& claims,
                          const effort& most = default_effort()) {
    ir::claim_set set(source, claims);
    const bool complex = speaks_of_complex_numbers(source) || speaks_of_complex_numbers(claims);
    for (std::int32_t k = 0; k < set.claims().size(); ++k) {
        ir::program scratch(set.scratch().view());
        judgement out =
            claim_judge(scratch, source.equations.size(), set.claims()[k], complex, most).run();
        out.claim = set.number(k);
        if (out.verdict != verdict::proved) return out;
    }
    return {};
}

/// The same as a yes or no.
template <class Source, class Claims>
constexpr bool proves(const Source& source, const Claims& claims,
                      const effort& most = default_effort()) {
    ir::claim_set set(source, claims);
    for (const equation& claim : set.claims()) {
        ir::program scratch(set.scratch().view());
        if (!claim_judge(scratch, source.equations.size(), claim, false, most).proves())
            return false;
    }
    return true;
}

}  // namespace ricci::derive
