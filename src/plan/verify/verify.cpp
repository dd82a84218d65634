// The invariants of a plan's assignments, checked.
#include "src/plan/verify/verify.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "src/plan/words/notation.hpp"
#include "src/plan/store/protect.hpp"
#include "src/plan/verify/verify_group.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

class verifier {
public:
    verifier(const program_plan& plan, const ir::program_view& program, const char* pass)
        : plan_(plan),
          program_(program),
          values_(plan.values),
          pass_(pass),
          written_(plan.slots.size(), false) {}

    void run() {
        if (!values_.binds_once())
            throw std::logic_error(fmt::format("after {}: a loop that is bound twice", pass_));
        check_passes();
        for (at_ = 0; at_ < plan_.steps.size(); ++at_) {
            const step& s = plan_.steps[at_];
            std::visit([&](const auto& what) { check(what); }, s.what);
            if (const assign* a = s.as_assign()) check_way(*a);
            check_touches(s);
        }
        const std::string_view pass(pass_);
        if (pass == "protect" || pass == "workspace") check_shared_memory();
        for (const auto& rule : plan_.rules)
            if (slot_of(rule.slot).kind != storage::input)
                throw std::logic_error(
                    fmt::format("after {}: a rule for what is no operand", pass_));
    }

private:
    void require(bool holds, const char* what) const {
        if (holds) return;
        throw std::logic_error(
            fmt::format("after {}: {}: {}", pass_, what, notation_of(program_, plan_, at_)));
    }
    const slot& slot_of(slot_number number) const {
        if (!number || number.index() >= plan_.slots.size())  // has no notation
            throw std::logic_error(
                fmt::format("after {}: a slot that there is not: step {}", pass_, at_ + 1));
        return plan_.slots[number.index()];
    }

    // Windows stay within what they are parts of, in every pass of the steps that touch them.
    void check_passes() {
        std::size_t next = 0;
        for (const step_passes& p : plan_.passes) {
            at_ = p.first;
            require(
                next <= p.first && p.first < p.end && p.end <= plan_.steps.size() && p.count > 0,
                "passes of steps that there are not");
            next = p.end;
        }
        for (at_ = 0; at_ < plan_.steps.size(); ++at_)
            for (const effect& t : plan_.steps[at_].effects)
                check_window(slot_of(t.slot), times_of(at_, plan_.passes));
    }
    void check_window(const slot& s, std::int64_t passes) const {
        if (s.kind != storage::window) return;
        const window_place& w = s.window;
        const slot& whole = slot_of(w.of);
        require(whole.kind != storage::window && w.first.size() == whole.extents.size() &&
                    w.advance.size() == whole.extents.size() && s.strides == whole.strides &&
                    plan_.type_of(w.of) == (s.is_foreign ? s.own_type : plan_.type) &&
                    s.is_truth == whole.is_truth,
                "a part of another tensor than it says");
        for (std::size_t axis = 0; axis < w.first.size(); ++axis)
            require(w.first[axis] >= 0 && w.advance[axis] >= 0 &&
                        w.first[axis] + (passes - 1) * w.advance[axis] + s.extents[axis] <=
                            whole.extents[axis],
                    "a part beyond the end of its tensor");
    }

    void check(const place& p, std::int64_t extent, bool edged) const {
        require(edged || p.edge == edge::none, "a place with an edge, which nothing runs");
        bool empty = false;
        for (std::size_t k = 0; k < p.terms.size(); ++k) {
            const auto& t = p.terms[k];
            require(t.factor != 0 && values_.extent(t.over) != 1, "a place that does not move");
            require(k == 0 || p.terms[k - 1].over < t.over, "a place whose loops are not sorted");
            empty = empty || values_.extent(t.over) == 0;
        }
        require(empty || values_.bounds(p).lies_within(places_of(extent)),
                "a place outside its axis");
    }
    void check(const access& a, bool edged = false) const {
        const slot& s = slot_of(a.slot);
        require(s.kind != storage::unused && s.kind != storage::number, "a slot without elements");
        require(a.at.size() == s.extents.size(), "an access of another rank");
        const bool empty = std::ranges::find(s.extents, 0) != s.extents.end();
        for (std::size_t axis = 0; axis < a.at.size() && !empty; ++axis)
            check(a.at[axis], s.extents[axis], edged);
    }

    void check_body(expr e) const {
        if (!e) return;
        const auto& n = values_[e];
        require(n.kind != kind::sum && n.kind != kind::fold, "a sum inside a body");
        for (const expr a : n.arguments) check_body(a);
    }

    void check(const assign& a) {
        check(a.target);
        for_each_load(values_, a, [&](const access& from) {
            check(from, a.kind == assignment_kind::contract);
        });
        for (const expr e : {a.body, a.scale, a.numbers, a.decay, a.right}) check_body(e);
        require(std::ranges::is_sorted(a.loops), "loops that are not sorted");
        require(std::ranges::is_sorted(a.over), "folded loops that are not sorted");
        const auto moves = [&](loop l) { return values_.extent(l) != 1; };
        require(std::ranges::all_of(a.loops, moves) &&
                    (a.folding == fold::softmax || std::ranges::all_of(a.over, moves)),
                "a loop of one iteration");
        const auto known = united(a.loops, a.over);
        for (const expr e : {a.body, a.numbers, a.right})
            require(!e || without(values_[e].indices, known).empty(), "a loop that nobody runs");
        require(!a.decay || without(values_[a.decay].indices, a.loops).empty(),
                "a loop that nobody runs");
        require(!a.scale || values_.is_scalar(a.scale), "a factor that depends on loops");
        check_target(a);
        order(a);
    }
    void check_target(const assign& a) const {
        auto target = loops_of(a.target);
        if (a.kind == assignment_kind::scatter) {
            require(without(target, a.loops).empty(), "a target with loops of its own");
            return;
        }
        require(target == a.loops, "a target that other loops reach");
        if (a.folding != fold::softmax)
            require(common(a.loops, a.over).empty(), "a folded loop in the target");
        require(!a.over.empty() || a.folding == fold::none || a.folding == fold::softmax ||
                    a.kind == assignment_kind::scan || a.kind == assignment_kind::matrix,
                "a fold over nothing");
    }

    void check_way(const assign& a) const {
        const auto& body = values_[a.body];
        if (a.kind == assignment_kind::contract) check_contraction(a);
        if (a.kind == assignment_kind::map)
            require(!a.scale && a.beta == 0, "a map with factors of a contraction");
        if (a.kind == assignment_kind::gather)
            require(body.kind == kind::load || body.kind == kind::gather, "a gather of no tensor");
        if (a.kind == assignment_kind::scatter)
            require(body.kind == kind::load, "a scatter of no tensor");
        if (a.kind == assignment_kind::extremum)
            require(body.kind == kind::load && a.over.size() == 1 &&
                        (a.folding == fold::maximum || a.folding == fold::minimum) &&
                        plan_.holds(a.target.slot, element::i32),
                    "a place of no extremum");
        if (a.kind == assignment_kind::scan)
            require(body.kind == kind::load && contains(a.loops, a.along), "a scan of no tensor");
        require(!a.decay || (a.kind == assignment_kind::scan && a.folding == fold::sum &&
                             values_[a.decay].kind == kind::load),
                "what decays and is no scan");
        require(a.decay || !a.logarithms, "logarithms of no decay");
        if (a.kind == assignment_kind::lookups) check_lookups(a);
        if (a.kind == assignment_kind::matrix) check_matrix(a);
        if (a.kind == assignment_kind::map || a.kind == assignment_kind::scan)
            values_.for_each_load({a.body, a.decay}, [&](const access& from) {
                require(plan_.holds(from.slot, plan_.type_of(a.target.slot)),
                        "a tensor of another type than the result");
            });
        const auto tile = [&](const access& from) {
            require(slot_of(from.slot).kind != storage::tile, "a tile outside its group");
        };
        for_each_load(values_, a, tile);
        tile(a.target);
    }

    void check_matrix(const assign& a) const {
        const bool makes_factors = a.matrix.task == matrix_task::factor;
        require(values_[a.body].kind == kind::load, "matrices that are in no memory");
        const bool reads_more =
            a.matrix.task == matrix_task::solve || a.matrix.task == matrix_task::cofactors;
        require((a.right != expr::none) == reads_more, "a solution of nothing");
        require(!a.right || values_[a.right].kind == kind::load,
                "right-hand sides that are in no memory");
        const std::int64_t size = a.matrix.size;
        require(values_.extent(a.matrix.row) == size && values_.extent(a.matrix.column) == size,
                "a matrix that is not square");
        for (const loop l : a.matrix.batch)
            require(contains(makes_factors ? a.over : a.loops, l), "a batch that nobody runs");
        for (const expr e : {a.body, a.right})
            require(!e || plan_.holds(values_[e].source.slot, plan_.type_of(a.target.slot)),
                    "a tensor of another type than the result");
    }
    void check_contraction(const assign& a) const {
        const auto& body = values_[a.body];
        require(body.code == opcode::multiply && body.arguments.size() == 2 && a.scale,
                "a contraction of something else than two tensors");
        bool edged = false, looked_up = false;
        for (const expr factor : body.arguments) {
            const bool conjugated = values_[factor].code == opcode::conjugate;
            const auto& n = values_[conjugated ? values_[factor].arguments[0] : factor];
            require(n.kind == kind::load || n.kind == kind::gather,
                    "a contraction of something else than two tensors");
            require(plan_.holds(n.source.slot, plan_.type_of(a.target.slot)),
                    "a tensor of another type than the result");
            edged = edged || n.edged;
            looked_up = looked_up || n.kind == kind::gather;
            if (n.kind == kind::gather) check_rows(n);
        }
        require(!edged || !looked_up, "a contraction with edges and lookups");
    }
    // Numbers and conditions are in memory.
    void check_rows(const expression& rows) const {
        for (const expr numbers : rows.arguments)
            require(values_[numbers].kind == kind::load && !values_[numbers].edged,
                    "lookups of no numbers");
    }

    void check_lookups(const assign& a) const {
        require(a.beta == 0 || a.beta == 1, "lookups that scale what was there");
        const bool sums = a.folding == fold::none || a.folding == fold::sum;
        require(sums || (a.scattered && a.beta == 0 && values_.is_constant(a.scale, 1) &&
                         values_[a.body].kind == kind::load),
                "a fold with lookups of more than one tensor");
        require(!a.scattered || (a.numbers && contains(a.loops, a.scattered)),
                "lookups that add up at an axis of no result");
        require(!a.scattered || !contains(values_[a.body].indices, a.scattered),
                "a row that says where it is added up");
        for (const expr f : lookup_factors(values_, a.body)) {
            const auto& n = values_[f];
            require(n.kind == kind::load || n.kind == kind::gather, "lookups of no tensor");
            require(plan_.holds(n.source.slot, plan_.type_of(a.target.slot)),
                    "a tensor of another type than the result");
            require(!n.has_condition(), "lookups under a condition");
            for (const expr numbers : n.arguments)
                require(values_[numbers].kind == kind::load, "lookups of no numbers");
        }
    }

    // Reads what is written, and writes no input.
    void order(const assign& a) {
        for_each_load(values_, a, [&](const access& from) { read(from); });
        if (a.beta != 0 || a.kind == assignment_kind::scatter) read(a.target);
        const slot_number target = plan_.whole(a.target.slot);
        require(slot_of(target).kind != storage::input, "an input that is written");
        written_[target.index()] = true;
    }
    void read(const access& from) const {
        const slot_number tensor = plan_.whole(from.slot);
        const auto kind = slot_of(tensor).kind;
        require((kind != storage::workspace && kind != storage::tile) || written_[tensor.index()] ||
                    values_.size(loops_of(from)) == 0,
                "a tensor that is read before it is written");
    }

    void check(const fused& f) {
        for (const auto& m : f.members) check(m.what);
        verify_group(plan_, f, [&](bool holds, const char* what) { require(holds, what); });
    }
    void check(const chained& chain) {
        check(chain.first);
        for (const auto& sum : chain.between) check(sum);
        check(chain.second);
        verify_chain(plan_, chain, [&](bool holds, const char* what) { require(holds, what); });
    }

    // What is read of an input is read before an output is written there.
    void check_shared_memory() const {
        const auto& slots = plan_.slots;
        for (std::size_t out = 0; out < slots.size(); ++out) {
            const bool shared = slots[out].kind == storage::output && slots[out].data != nullptr &&
                                std::ranges::any_of(slots, [&](const slot& s) {
                                    return s.kind == storage::input && s.data == slots[out].data;
                                });
            if (!shared || safe_in_place(plan_, slot_number(out))) continue;
            throw std::logic_error(std::string("after ") + pass_ +
                                   ": an output in the memory of an input that is still read: " +
                                   words_of_name(program_, slots[out].name));
        }
    }

    // What a step says that it touches is what it reads and writes.
    void check_touches(const step& s) const {
        const step again = std::visit([&](const auto& w) { return make_step(values_, w); }, s.what);
        const auto same = [](const effect& a, const effect& b) {
            return a.slot == b.slot && a.writes == b.writes;
        };
        require(std::ranges::equal(s.effects, again.effects, same),
                "a step that touches something else than it says");
    }

    const program_plan& plan_;
    const ir::program_view& program_;
    const graph& values_;
    const char* pass_;
    std::size_t at_ = 0;
    std::vector<bool> written_;
};

}  // namespace

void verify(const program_plan& plan, const ir::program_view& program, const char* pass) {
    verifier(plan, program, pass).run();
}

}  // namespace ricci::plan
