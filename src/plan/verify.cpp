// The invariants of a plan's assignments, checked.
#include "src/plan/verify.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/plan/growth.hpp"
#include "src/plan/notation.hpp"

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
        for (at_ = 0; at_ < plan_.steps.size(); ++at_) {
            const step& s = plan_.steps[at_];
            if (const assign* a = s.as_assign()) {
                check(*a);
                check_way(*a);
                order(*a);
            } else if (const fused* f = s.as_fused()) {
                check(*f);
            } else {
                const auto& chain = std::get<chained>(s.what);
                check(chain.first);
                for (const auto& sum : chain.between) {
                    check(sum);
                    order(sum);
                }
                check(chain.second);
            }
        }
    }

private:
    void require(bool holds, const char* what) const {
        if (holds) return;
        throw std::logic_error(std::string("after ") + pass_ + ": " + what + ": " +
                               notation_of(program_, plan_, at_));
    }
    const slot& slot_of(std::int32_t number) const {
        require(number >= 0 && static_cast<std::size_t>(number) < plan_.slots.size(),
                "a slot that there is not");
        return plan_.slots[static_cast<std::size_t>(number)];
    }

    void check(const place& p, std::int64_t extent) const {
        std::int64_t least = p.offset, most = p.offset;
        bool empty = false;
        for (std::size_t k = 0; k < p.terms.size(); ++k) {
            const auto& t = p.terms[k];
            require(t.factor != 0 && values_.extent(t.over) != 1, "a place that does not move");
            require(k == 0 || p.terms[k - 1].over < t.over, "a place whose loops are not sorted");
            const std::int64_t reach = t.factor * (values_.extent(t.over) - 1);
            (reach < 0 ? least : most) += reach;
            empty = empty || values_.extent(t.over) == 0;
        }
        require(empty || (least >= 0 && most < extent), "a place outside its axis");
    }
    void check(const access& a) const {
        const slot& s = slot_of(a.slot);
        require(s.kind != storage::unused && s.kind != storage::number, "a slot without elements");
        require(a.at.size() == s.extents.size(), "an access of another rank");
        const bool empty = std::find(s.extents.begin(), s.extents.end(), 0) != s.extents.end();
        for (std::size_t axis = 0; axis < a.at.size() && !empty; ++axis)
            check(a.at[axis], s.extents[axis]);
    }

    void check_body(expr e) const {
        if (e < 0) return;
        const auto& n = values_[e];
        require(n.kind != kind::sum && n.kind != kind::fold, "a sum inside a body");
        for (const expr a : n.arguments) check_body(a);
    }

    void check(const assign& a) const {
        check(a.target);
        for_each_load(values_, a, [&](const access& from) { check(from); });
        check_body(a.body);
        require(std::is_sorted(a.loops.begin(), a.loops.end()), "loops that are not sorted");
        require(std::is_sorted(a.over.begin(), a.over.end()), "folded loops that are not sorted");
        auto known = united(a.loops, a.over);
        require(without(values_[a.body].indices, known).empty(), "a loop that nobody runs");
        require(a.scale < 0 || values_.is_scalar(a.scale), "a factor that depends on loops");
        auto target = loops_of(a.target);
        if (a.how == way::scatter) {
            if (a.scattered >= 0) target = without(target, {a.scattered});
            require(without(target, a.loops).empty(), "a target with loops of its own");
            return;
        }
        require(target == a.loops, "a target that other loops reach");
        if (a.folding != fold::softmax)
            require(common(a.loops, a.over).empty(), "a folded loop in the target");
        require(!a.over.empty() || a.folding == fold::none || a.folding == fold::softmax,
                "a fold over nothing");
    }

    void check_way(const assign& a) const {
        const auto& body = values_[a.body];
        const auto is_load = [&](expr e) {
            const auto& n = values_[e];
            return n.kind == kind::load ||
                   (n.code == opcode::conjugate && values_[n.arguments[0]].kind == kind::load);
        };
        if (a.how == way::contract)
            require(body.code == opcode::multiply && body.arguments.size() == 2 &&
                        is_load(body.arguments[0]) && is_load(body.arguments[1]) && a.scale >= 0,
                    "a contraction of something else than two tensors");
        if (a.how == way::gather)
            require(body.kind == kind::load || body.kind == kind::gather, "a gather of no tensor");
        if (a.how == way::scatter) require(body.kind == kind::load, "a scatter of no tensor");
        const auto tile = [&](const access& from) {
            require(slot_of(from.slot).kind != storage::tile, "a tile outside its group");
        };
        for_each_load(values_, a, tile);
        tile(a.target);
    }

    // Reads what is written, and writes no input.
    void order(const assign& a) {
        for_each_load(values_, a, [&](const access& from) { read(from); });
        write(a.target);
    }
    void read(const access& from) const {
        const auto kind = slot_of(from.slot).kind;
        require((kind != storage::workspace && kind != storage::tile) ||
                    written_[static_cast<std::size_t>(from.slot)] ||
                    values_.size(loops_of(from)) == 0,
                "a tensor that is read before it is written");
    }
    void write(const access& target) {
        require(slot_of(target.slot).kind != storage::input, "an input that is written");
        written_[static_cast<std::size_t>(target.slot)] = true;
    }

    void check(const fused& f) {
        loop_list all, columns, rows;
        for (const auto& l : f.loops) {
            require(!contains(all, l.what), "a loop of a group that stands twice");
            all = united(all, {l.what});
            if (l.role == loop_role::column) columns = united(columns, {l.what});
            if (l.role == loop_role::row) rows = united(rows, {l.what});
        }
        require(!columns.empty(), "a group without columns");
        std::vector<std::int32_t> results, tiles;
        for (const auto& m : f.members) {
            check(m.what);
            const bool makes_tile = m.as == part::product || m.as == part::weights ||
                                    m.as == part::recomputed || m.as == part::tile;
            require((slot_of(m.what.target.slot).kind == storage::tile) == makes_tile,
                    "a tile that is stored, or a result that is not");
            for_each_load(values_, m.what, [&](const access& from) {
                if (slot_of(from.slot).kind != storage::tile) return;
                require(loops_of(from) == all &&
                            std::find(tiles.begin(), tiles.end(), from.slot) != tiles.end(),
                        "a tile at other loops than its group's, or that its group did not make");
            });
            if (makes_tile) {
                require(loops_of(m.what.target) == all,
                        "a tile that is not made at its group's loops");
                tiles.push_back(m.what.target.slot);
            }
            for_each_load(values_, m.what, [&](const access& from) {
                require(std::find(results.begin(), results.end(), from.slot) == results.end(),
                        "a group that reads its own result");
                if (m.as != part::recomputed) read(from);
            });
            const auto own = loops_of(m.what.target);
            if (m.as == part::product) check_factors(m.what, rows, columns);
            if (m.as == part::rows || m.as == part::log_sum)
                require(common(own, columns).empty(), "a result of rows that has columns");
            if (m.as == part::columns)
                require(common(own, rows).empty(), "a result of columns that has rows");
            if (m.weights >= 0)
                require(m.as == part::rows && slot_of(m.weights).kind == storage::tile,
                        "weights of something else than a result of rows");
            write(m.what.target);
            if (!makes_tile) results.push_back(m.what.target.slot);
        }
    }
    void check_factors(const assign& a, const loop_list& rows, const loop_list& columns) const {
        const auto f = factors_of(values_, a);
        const auto lacks = [&](const expression* e, const loop_list& loops) {
            return common(e->indices, loops).empty();
        };
        require(
            (lacks(f.a, rows) && lacks(f.b, columns)) || (lacks(f.b, rows) && lacks(f.a, columns)),
            "a product whose factors have rows and columns both");
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
