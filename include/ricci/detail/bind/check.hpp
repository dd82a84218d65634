// Checking a call before it happens: names, ranks, element types, and the extents in the types.
#pragma once

#include <cstdint>

#include <ricci/detail/bind/unsuitable.hpp>
#include <ricci/element.hpp>
#include <ricci/ir/element_rules.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/roles.hpp>
#include <ricci/ir/shapes.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::detail {

/// What is known of one bound operand at compile time.
struct operand_facts {
    operand_kind kind;
    text_view spelling;
    std::int32_t rank;
    element type = element::f64;
    bool writable = false;
    bool extents_known = false;  // they are in the type
    const std::int64_t* extents = nullptr;
    ricci::detail::unsuitable why = ricci::detail::unsuitable::nothing_wrong;
};

/// Compares the operands of one call with the program. The same text at compile time and at run
/// time. `outputs_too`: outputs may be bound to memory that is written. A template: files without
/// calls build nothing of it.
template <class Program = ir::program_view>
class call_check {
public:
    constexpr call_check(const ir::program_view& p, const operand_facts* operands,
                         std::int32_t count, bool outputs_too)
        : p_(p), operands_(operands), count_(count), outputs_too_(outputs_too), roles_(p) {
        for (std::int32_t k = 0; k < count; ++k)
            names_.push(p.find_after(k > 0 ? names_[k - 1] : ir::none, operands[k].spelling));
        operand_of_.resize(p.names.size(), -1);
        find_ranks();
        for (const ir::node& x : p.nodes) any_truth_ = any_truth_ || ir::is_truth(x);
    }

    /// Some operands of a program that is prepared for tensors of `type` already.
    constexpr ir::mistake run_rebinding(element type) {
        for (std::int32_t k = 0; k < count_ && !mistake_; ++k) {
            const operand_facts& o = operands_[k];
            if (o.kind == operand_kind::index) check_index(k);
            else check_operand(k);
            note_type(k);
            if (mistake_ || o.kind == operand_kind::index || says_places(k)) continue;
            const bool number = o.kind == operand_kind::number;
            if (number ? !is_complex(o.type) || is_complex(type) : o.type == type) continue;
            builder s;
            s << o.spelling << (number ? " is a complex number" : " holds ");
            if (!number) s << name_of(o.type);
            s << ", and this program is prepared for tensors that hold " << name_of(type);
            fail(kind::element_type, s);
        }
        return static_cast<ir::mistake&&>(mistake_);
    }

    constexpr ir::mistake run() {
        for (std::int32_t k = 0; k < count_ && !mistake_; ++k) {
            if (operands_[k].kind == operand_kind::unnamed) unnamed();
            else if (operands_[k].kind == operand_kind::index) check_index(k);
            else check_operand(k);
            note_type(k);
        }
        for (ir::ref n = 0; n < p_.names.size() && !mistake_; ++n)
            if (roles_.is_input(n) && operand_of_[n] < 0) missing(n);
        if (!mistake_) check_elements();
        if (!mistake_) check_extents();
        return static_cast<ir::mistake&&>(mistake_);
    }

private:
    using kind = ir::mistake_kind;
    using builder = text_builder;

    constexpr void fail(kind which, const builder& sentence) {
        if (!mistake_) mistake_ = ir::make_mistake(which, sentence);
    }
    /// What rank_of says, of all names at once; -1 of those whose shape alone is taken.
    constexpr void find_ranks() {
        ranks_.resize(p_.names.size(), -1);
        for (const ir::node& x : p_.nodes)
            if (x.kind == ir::op::tensor) ranks_[x.name] = x.positions.count;
        for (ir::ref e = p_.equations.size(); e-- > 0;)
            if (!p_.equations[e].claim)
                ranks_[p_.equations[e].name] = p_.equations[e].positions.count;
    }
    constexpr void missing(ir::ref name) {
        builder s;
        s << "the tensor " << p_.name(name) << " is not bound; add ";
        write_binding(s, name);
        s << " to the call";
        say_heights(s, name);
        fail(kind::missing_name, s);
    }
    /// `"\\beta"_t = ...`, as it stands in a program.
    constexpr void write_binding(builder& s, ir::ref name) const {
        s << '"';
        for (const char c : p_.name(name)) s << (c == '\\' ? "\\\\" : text_view(&c, 1));
        s << "\"_t = ...";
    }
    constexpr void unnamed() {
        builder s;
        s << "an operand is bound by its name: ";
        bool first = true;
        for (ir::ref n = 0; n < p_.names.size(); ++n)
            if (roles_.is_input(n)) {
                s << (first ? "" : ", ");
                write_binding(s, n);
                first = false;
            }
        fail(kind::missing_name, s);
    }
    /// What is no tensor, view or number. `wanted`: how many indices the equations have.
    constexpr void check_suitable(const operand_facts& o, std::int32_t wanted) {
        const auto refuse = [&](const char* what, const char* why, const char* of_rank = nullptr) {
            builder s;
            s << what << " is bound to " << o.spelling << why;
            if (of_rank != nullptr) s << wanted << of_rank;
            fail(kind::element_type, s);
        };
        switch (o.why) {
            case unsuitable::nothing_wrong:
                return;
            case unsuitable::nested:
                return refuse("a container of containers",
                              ", and is no tensor; copy it into a ricci::tensor, or bind memory in "
                              "one piece as a ricci::tensor_view<T, ",
                              ">");
            case unsuitable::pointer:
                return refuse("a pointer", ", and says no extents; bind a ricci::tensor_view<T, ",
                              ">(pointer, {extents})");
            case unsuitable::elements:
                return refuse("what",
                              " holds what is no element type of ricci: float, double, "
                              "std::int32_t, std::int64_t, ricci::bf16, ricci::f16, "
                              "std::complex<float> or std::complex<double>");
            case unsuitable::scattered:
                return refuse("what",
                              " has elements that do not lie side by side where data() says; copy "
                              "them into a std::vector or a ricci::tensor");
            case unsuitable::bits:
                return refuse("a std::vector<bool>",
                              ", and has bits in the place of elements; take a "
                              "ricci::tensor<bool, 1> or a std::array<bool, n>");
            case unsuitable::matrix:
                return refuse("a matrix of another library",
                              "; include <ricci/eigen.hpp> for those of Eigen, or bind a "
                              "ricci::tensor_view<T, 2>(data, {rows, columns}, {strides})");
            case unsuitable::computed:
                return refuse("an expression",
                              " that is not computed yet and has no memory; bind the matrix "
                              "that it is assigned to");
            case unsuitable::named:
                return refuse("what",
                              " is a name or bound to one, and no tensor; einsum takes tensors in "
                              "the order of its string");
            case unsuitable::other:
                return refuse("what", " is no tensor, view, list of elements or number");
        }
    }
    constexpr void check_index(std::int32_t k) {
        const operand_facts& o = operands_[k];
        builder s;
        for (std::int32_t j = 0; j < k; ++j)
            if (operands_[j].kind == operand_kind::index && operands_[j].spelling == o.spelling) {
                s << "the index " << o.spelling << " is bound twice";
                return fail(kind::repeated_name, s);
            }
        for (const ir::index_symbol& i : p_.indices)
            if (p_.text(i.text) == o.spelling) return;
        s << "the equations have no index " << o.spelling;
        for (ir::ref i = 0; i < p_.indices.size(); ++i)
            s << (i == 0 ? "; they have " : ", ") << p_.index(i);
        fail(kind::unknown_name, s);
    }
    /// Whether `n` names `base` with its indices at certain heights: g_upper, g_lower, R_ulll.
    constexpr bool is_at_heights(ir::ref n, text_view base) const {
        const text_view name = p_.name(n);
        if (name.size <= base.size + 1 || !(name.slice(0, base.size) == base) ||
            name[base.size] != '_')
            return false;
        const text_view heights = name.slice(base.size + 1, name.size);
        bool found = false;
        const auto look = [&](ir::range at) {
            if (at.count == 0) return;
            std::int32_t above = 0;
            bool letters = heights.size == at.count;
            for (std::int32_t k = 0; k < at.count; ++k) {
                const bool upper = p_.at(at, k).upper;
                above += upper;
                letters = letters && heights[k] == (upper ? 'u' : 'l');
            }
            found = found || letters || (heights == "upper" && above == at.count) ||
                    (heights == "lower" && above == 0);
        };
        for (const ir::equation& e : p_.equations) {
            if (e.name == n) look(e.positions);
            ir::for_each_node(p_, e.body, [&](ir::ref k) {
                if (p_.nodes[k].kind == ir::op::tensor && p_.nodes[k].name == n)
                    look(p_.nodes[k].positions);
            });
        }
        return found;
    }
    /// What R_ulll is, which no equation writes so.
    constexpr void say_heights(builder& s, ir::ref name) const {
        const text_view all = p_.name(name);
        std::int32_t split = all.size - 1;
        while (split > 0 && all[split] != '_') --split;
        if (split < 1 || !is_at_heights(name, all.slice(0, split))) return;
        const text_view heights = all.slice(split + 1, all.size);
        s << "; it is " << all.slice(0, split) << " where its indices stand ";
        if (heights == "upper") s << "above";
        else if (heights == "lower") s << "below";
        else s << "above (u) and below (l) in this order";
    }
    /// A name that stands for several tensors, as its indices stand at two heights.
    constexpr bool has_other_heights(const operand_facts& o) {
        builder taken, defined;
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            if (!is_at_heights(n, o.spelling)) continue;
            builder& list = roles_.is_input(n) ? taken : defined;
            list << (list.size() > 0 ? " and " : "") << p_.name(n);
        }
        if (taken.size() + defined.size() == 0) return false;
        builder s;
        s << "the equations pair an upper with a lower index in every sum, so that " << o.spelling
          << " with its indices at other heights is another tensor; ";
        if (taken.size() > 0) s << "bind " << taken.view();
        if (defined.size() > 0)
            s << (taken.size() > 0 ? ", as they compute " : "they compute ") << defined.view();
        fail(kind::unknown_name, s);
        return true;
    }
    /// d_i and n_i with one letter are numbers, the names of dimensions.
    static constexpr bool is_dimension(text_view name) {
        return name.size == 3 && name[1] == '_' && (name[0] == 'd' || name[0] == 'n') &&
               name[2] >= 'a' && name[2] <= 'z';
    }
    constexpr void say_dimension(builder& s, text_view name) const {
        s << name << " with one letter is a number, a dimension; write " << name.slice(0, 1) << '^'
          << name.slice(2, 3) << " for a tensor with this index";
    }
    constexpr bool is_base_of_dimension(const operand_facts& o) {
        for (ir::ref n = 0; n < p_.names.size() && o.spelling.size == 1; ++n) {
            const text_view name = p_.name(n);
            if (!roles_.is_input(n) || !is_dimension(name) || name[0] != o.spelling[0]) continue;
            builder s;
            s << "the equations have no tensor " << o.spelling << ": ";
            say_dimension(s, name);
            fail(kind::unknown_name, s);
            return true;
        }
        return false;
    }
    constexpr void unknown(const operand_facts& o) {
        if (has_other_heights(o) || is_base_of_dimension(o)) return;
        notation::nearest near(o.spelling);
        for (ir::ref n = 0; n < p_.names.size(); ++n)
            if (roles_.is_input(n) || (outputs_too_ && roles_.is_output(p_, n)))
                near.offer(p_.name(n));
        builder s;
        s << "the equations have no tensor " << o.spelling;
        if (near.found()) {
            s << "; did you mean " << near.best << "?";
        } else {
            s << "; they take ";
            bool first = true;
            for (ir::ref n = 0; n < p_.names.size(); ++n)
                if (roles_.is_input(n)) {
                    s << (first ? "" : ", ") << p_.name(n);
                    first = false;
                }
        }
        fail(kind::unknown_name, s);
    }
    constexpr void check_operand(std::int32_t k) {
        const operand_facts& o = operands_[k];
        const ir::ref name = names_[k];
        if (name == ir::none) return unknown(o);
        if (operand_of_[name] >= 0) {
            builder s;
            s << o.spelling << " is bound twice";
            return fail(kind::repeated_name, s);
        }
        operand_of_[name] = k;
        if (!roles_.is_input(name)) {
            if (p_.definition(name) == ir::none) return;  // bound for its shape only
            check_output(o, name);
            if (mistake_) return;
        }
        const std::int32_t wanted = ranks_[name];
        if (wanted < 0) return;
        if (o.kind == operand_kind::unsuitable) return check_suitable(o, wanted);
        if (wanted != o.rank) return refuse_rank(o, wanted);
        if (o.kind == operand_kind::tensor) check_type(k);
    }
    /// What is bound to a tensor that an equation defines.
    constexpr void check_output(const operand_facts& o, ir::ref name) {
        builder s;
        s << o.spelling;
        if (!outputs_too_) {
            s << " is computed by the equations; a call binds inputs only, ricci::prepare binds "
                 "outputs too";
            return fail(kind::unknown_name, s);
        }
        if (!roles_.is_output(p_, name)) {
            s << " is computed on the way and is no output; keep(\"" << o.spelling
              << "\"_t) makes it one";
            return fail(kind::unknown_name, s);
        }
        if (!o.writable || o.kind == operand_kind::number) {
            s << " is an output, and what is bound to it cannot be written";
            return fail(kind::element_type, s);
        }
    }
    constexpr void refuse_rank(const operand_facts& o, std::int32_t wanted) {
        builder s;
        s << o.spelling << " has " << wanted << (wanted == 1 ? " index" : " indices")
          << " in the equations, and ";
        if (o.kind == operand_kind::number) s << "a number";
        else s << "a tensor of rank " << o.rank;
        s << " is bound to it";
        if (wanted == 0 && is_dimension(o.spelling)) {
            s << "; ";
            say_dimension(s, o.spelling);
        }
        return fail(kind::rank, s);
    }
    constexpr void check_type(std::int32_t k) {
        const operand_facts& o = operands_[k];
        const ir::ref name = names_[k];
        builder s;
        s << o.spelling;
        if (ir::ref e = equation_of_truth(name); e != ir::none && !is_whole(o.type)) {
            s << " holds " << name_of(o.type)
              << ", and is a condition; bind a tensor of bool, or of whole numbers 0 and 1, in ";
            if constexpr (ir::has_words<Program>) ir::to_latex(p_, p_.equations[e], s);
            return fail(kind::element_type, s);
        }
        if (says_places(k)) return;
        if (ir::is_of_places(p_, name)) {
            s << " is a tensor of places, whole numbers of 32 bits, and memory of "
              << name_of(o.type) << " is bound to it; bind std::int32_t";
            return fail(kind::element_type, s);
        }
        if (o.type == element::boolean) {
            s << " holds bool, which stands in conditions only, as in [" << o.spelling
              << "^{ij}]; bind the numbers 0 and 1 of the other tensors' type";
            return fail(kind::element_type, s);
        }
        const std::int32_t first[] = {first_tensor_, first_other_};
        for (const std::int32_t j : first) {
            if (j < 0 || operands_[j].type == o.type) continue;
            s << " holds " << name_of(o.type) << " and " << operands_[j].spelling << " holds "
              << name_of(operands_[j].type) << "; the tensors of one call have one element type";
            if (o.rank == 0 || operands_[j].rank == 0)
                s << ", and so has what std::cref() names; a number by value may be of any";
            return fail(kind::element_type, s);
        }
    }
    /// Remembers the first tensor that says no places, and the first of another type than that.
    constexpr void note_type(std::int32_t k) {
        if (operands_[k].kind != operand_kind::tensor || says_places(k)) return;
        if (first_tensor_ < 0) first_tensor_ = k;
        if (first_other_ < 0 && operands_[k].type != operands_[first_tensor_].type)
            first_other_ = k;
    }
    /// The tensors of a call have one element type; numbers take it on.
    constexpr void check_elements() {
        const operand_facts* const tensor = first_tensor_ < 0 ? nullptr : operands_ + first_tensor_;
        for (std::int32_t k = 0; k < count_ && !mistake_; ++k) {
            const operand_facts& o = operands_[k];
            if (o.kind != operand_kind::number || !is_complex(o.type) ||
                (tensor && is_complex(tensor->type)))
                continue;
            builder s;
            s << o.spelling << " is a complex number, and the tensors of the call hold "
              << name_of(tensor ? tensor->type : element::f64);
            return fail(kind::element_type, s);
        }
        if (!tensor) return;
        buffer<bool> whole;
        for (ir::ref n = 0; n < p_.names.size(); ++n) whole.push(false);
        for (std::int32_t k = 0; k < count_ && is_complex(tensor->type); ++k)
            if (operands_[k].kind == operand_kind::tensor && says_places(k))
                whole[names_[k]] = true;
        mistake_ = ir::element_rules<Program>(p_, tensor->type, whole.data()).run();
    }
    /// The first equation in which [m^{ij}] makes the tensor a condition, or none.
    constexpr ir::ref equation_of_truth(ir::ref name) const {
        bool any = false;
        for (ir::ref n = 0; any_truth_ && n < p_.nodes.size(); ++n)
            any = any ||
                  (ir::is_truth(p_.nodes[n]) && p_.nodes[p_.child(p_.nodes[n], 0)].name == name);
        for (ir::ref e = 0; any && e < p_.equations.size(); ++e)
            if (!p_.equations[e].claim && ir::has_truth_of(p_, p_.equations[e].body, name))
                return e;
        return ir::none;
    }
    /// Whole numbers for positions and conditions may stand among tensors of another type.
    constexpr bool says_places(std::int32_t k) const {
        const ir::ref name = names_[k];
        if (name != ir::none && ir::is_of_places(p_, name))
            return operands_[k].type == element::i32;
        return is_whole(operands_[k].type) && name != ir::none && p_.definition(name) == ir::none &&
               holds_places(p_, name);
    }
    constexpr void check_extents() {
        bool any = false;
        for (std::int32_t k = 0; k < count_; ++k) any = any || operands_[k].extents_known;
        if (!any) return;
        ir::shape_table table(p_);
        for (std::int32_t k = 0; k < count_; ++k)
            if (operands_[k].extents_known)
                table.set_shape(names_[k], operands_[k].rank, operands_[k].extents);
        mistake_ = ir::infer_shapes<ir::shape_inference<Program>>(p_, table, false);
    }

    Program p_;
    const operand_facts* operands_;
    std::int32_t count_;
    bool outputs_too_;
    ir::roles roles_;
    buffer<ir::ref> names_;            // of each operand, or none
    buffer<std::int32_t> operand_of_;  // of each name, of those that were checked; or -1
    buffer<std::int32_t> ranks_;       // of each name
    bool any_truth_ = false;
    std::int32_t first_tensor_ = -1, first_other_ = -1;
    ir::mistake mistake_;
};

}  // namespace ricci::detail
