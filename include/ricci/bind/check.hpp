// Checking a call before it happens: names, ranks, element types, and the extents in the types.
#pragma once

#include <cstdint>

#include <ricci/element.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci {

/// What is known of one bound operand at compile time.
struct operand_facts {
    enum class what : std::uint8_t { tensor, number, index } kind;
    detail::text_view spelling;
    std::int32_t rank;
    element type;
    bool writable;
    bool extents_known;  // they are in the type
    const std::int64_t* extents;
};

constexpr bool is_input(const ir::program_view& p, ir::ref name) {
    if (p.definition(name) != ir::none) return false;
    for (const ir::equation& e : p.equations)
        if (!e.claim && ir::uses_name(p, e.body, name)) return true;
    return false;
}
/// Defined, and not used by another equation or kept.
constexpr bool is_output(const ir::program_view& p, ir::ref name) {
    if (p.definition(name) == ir::none || p.names[name].shape_only) return false;
    if (p.names[name].kept) return true;
    for (const ir::equation& e : p.equations)
        if (!e.claim && ir::uses_name(p, e.body, name)) return false;
    return true;
}
constexpr std::int32_t rank_of(const ir::program_view& p, ir::ref name) {
    const ir::ref defined = p.definition(name);
    if (defined != ir::none) return p.equations[defined].positions.count;
    std::int32_t rank = 0;
    for (const ir::equation& e : p.equations)
        ir::for_each_node(p, e.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind == ir::op::tensor && x.name == name) rank = x.positions.count;
        });
    return rank;
}

/// Compares the operands of one call with the program. The same text at compile time and at run
/// time. `outputs_too`: outputs may be bound to memory that is written.
class call_check {
public:
    constexpr call_check(const ir::program_view& p, const operand_facts* operands,
                         std::int32_t count, bool outputs_too)
        : p_(p), operands_(operands), count_(count), outputs_too_(outputs_too) {}

    constexpr ir::mistake run() {
        for (std::int32_t k = 0; k < count_ && !mistake_; ++k) {
            if (operands_[k].kind == operand_facts::what::index) check_index(operands_[k]);
            else check_operand(k);
        }
        for (ir::ref n = 0; n < p_.names.size() && !mistake_; ++n)
            if (is_input(p_, n) && !is_bound(n)) missing(n);
        if (!mistake_) check_extents();
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    using kind = ir::mistake_kind;
    using builder = detail::text_builder;

    constexpr void fail(kind what, const builder& sentence) {
        if (!mistake_) mistake_ = ir::make_mistake(what, sentence);
    }
    constexpr bool is_bound(ir::ref name) const {
        for (std::int32_t k = 0; k < count_; ++k)
            if (operands_[k].kind != operand_facts::what::index &&
                operands_[k].spelling == p_.name(name))
                return true;
        return false;
    }
    constexpr void missing(ir::ref name) {
        builder s;
        s << "the tensor " << p_.name(name) << " is not bound; add \"" << p_.name(name)
          << "\"_t = ... to the call";
        fail(kind::missing_name, s);
    }
    constexpr void check_index(const operand_facts& o) {
        for (const ir::index_symbol& i : p_.indices)
            if (p_.text(i.text) == o.spelling) return;
        builder s;
        s << "the equations have no index " << o.spelling;
        fail(kind::unknown_name, s);
    }
    constexpr void unknown(const operand_facts& o) {
        notation::nearest near(o.spelling);
        for (ir::ref n = 0; n < p_.names.size(); ++n)
            if (is_input(p_, n) || (outputs_too_ && is_output(p_, n))) near.offer(p_.name(n));
        builder s;
        s << "the equations have no tensor " << o.spelling;
        if (near.found()) {
            s << "; did you mean " << near.best << "?";
        } else {
            s << "; they take ";
            bool first = true;
            for (ir::ref n = 0; n < p_.names.size(); ++n)
                if (is_input(p_, n)) {
                    s << (first ? "" : ", ") << p_.name(n);
                    first = false;
                }
        }
        fail(kind::unknown_name, s);
    }
    constexpr void check_operand(std::int32_t k) {
        const operand_facts& o = operands_[k];
        const ir::ref name = p_.find(o.spelling);
        if (name == ir::none) return unknown(o);
        builder s;
        s << o.spelling;
        for (std::int32_t j = 0; j < k; ++j)
            if (operands_[j].kind != operand_facts::what::index &&
                operands_[j].spelling == o.spelling) {
                s << " is bound twice";
                return fail(kind::repeated_name, s);
            }
        if (!is_input(p_, name)) {
            if (p_.definition(name) == ir::none) return;  // bound for its shape only
            if (!outputs_too_) {
                s << " is computed by the equations; a call binds inputs only, ricci::prepare "
                     "binds outputs too";
                return fail(kind::unknown_name, s);
            }
            if (!is_output(p_, name)) {
                s << " is computed on the way and is no output; keep(\"" << o.spelling
                  << "\"_t) makes it one";
                return fail(kind::unknown_name, s);
            }
            if (!o.writable || o.kind == operand_facts::what::number) {
                s << " is an output, and what is bound to it cannot be written";
                return fail(kind::element_type, s);
            }
        }
        const std::int32_t wanted = rank_of(p_, name);
        if (wanted != o.rank) {
            s << " has " << wanted << (wanted == 1 ? " index" : " indices")
              << " in the equations, and ";
            if (o.kind == operand_facts::what::number) s << "a number";
            else s << "a tensor of rank " << o.rank;
            s << " is bound to it";
            return fail(kind::rank, s);
        }
        if (o.kind != operand_facts::what::tensor) return;
        for (std::int32_t j = 0; j < k; ++j)
            if (operands_[j].kind == operand_facts::what::tensor && operands_[j].type != o.type) {
                s << " holds " << name_of(o.type) << " and " << operands_[j].spelling << " holds "
                  << name_of(operands_[j].type)
                  << "; the tensors of one call have one element type";
                return fail(kind::element_type, s);
            }
    }
    constexpr void check_extents() {
        bool any = false;
        for (std::int32_t k = 0; k < count_; ++k) any = any || operands_[k].extents_known;
        if (!any) return;
        ir::shape_table table(p_);
        for (std::int32_t k = 0; k < count_; ++k)
            if (operands_[k].extents_known)
                table.set_shape(p_.find(operands_[k].spelling), operands_[k].rank,
                                operands_[k].extents);
        mistake_ = ir::infer_shapes(p_, table, false);
    }

    ir::program_view p_;
    const operand_facts* operands_;
    std::int32_t count_;
    bool outputs_too_;
    ir::mistake mistake_;
};

}  // namespace ricci
