// The steps of a chain of planes for one panel of rows after another.
#include "src/plan/store/panel_writer.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "src/plan/schedule/edges.hpp"

namespace ricci::plan {
namespace {

/// Rows that steps run for, in the first pass, and how far on they are in the next one.
struct row_panel {
    std::int64_t first = 0, rows = 0, advance = 0;

    bool is_first() const { return advance == 0; }
};

class panel_writer {
public:
    panel_writer(program_plan& plan, const plane_chain& chain)
        : plan_(plan), values_(plan.values), chain_(chain) {}

    void run(std::int64_t rows) {
        // What is left over comes first, where it is no single row: loops have two iterations.
        const std::int64_t rest = chain_.rows % rows;
        const row_panel first{0, rest < 2 ? rows + rest : rest, 0};
        const row_panel others{first.rows, rows, rows};
        add_planes(first);
        write(first);
        add_planes(others);
        const std::size_t begin = made_.size();
        write(others);
        put_together({begin, made_.size(), (chain_.rows - first.rows) / rows});
    }

private:
    // Tensors ---------------------------------------------------------------------------------

    void add_planes(const row_panel& p) {
        for (const auto& [plane, axis] : chain_.planes) {
            const slot whole = plan_.slots[plane.index()];
            auto extents = whole.extents;
            extents[axis] = p.rows;
            planes_[plane] = plan_.add(workspace_slot(plan_, std::move(extents), whole.axes,
                                                      plan_.type_of(plane), whole.is_truth));
        }
    }

    /// What steps of a panel see of a tensor: along each axis they move by so much with each row.
    slot_number window(slot_number of, const std::vector<std::int64_t>& by, const row_panel& p) {
        const auto [found, is_new] = windows_.try_emplace({of, by, p.first});
        if (!is_new) return found->second;
        slot part = plan_.slots[of.index()];
        part.kind = storage::window;
        part.name = ir::none;
        part.data = nullptr;
        part.own = nullptr;
        part.bytes = 0;
        part.window = {of, by, by};
        for (std::size_t axis = 0; axis < by.size(); ++axis) {
            part.extents[axis] -= by[axis] * (chain_.rows - p.rows);
            part.window.first[axis] *= p.first;
            part.window.advance[axis] *= p.advance;
        }
        return found->second = plan_.add(std::move(part));
    }

    access in_panel(access a, loop rows, const row_panel& p) {
        std::vector<std::int64_t> by;
        bool moves = false;
        for (place& at : a.at) {
            by.push_back(at.factor(rows));
            moves = moves || by.back() != 0;
            at = renamed(at, {{rows, part_of(rows, p)}});
        }
        if (const auto plane = planes_.find(a.slot); plane != planes_.end()) a.slot = plane->second;
        else if (moves) a.slot = window(a.slot, by, p);
        return a;
    }
    loop part_of(loop rows, const row_panel& p) { return values_.loops().part(rows, 0, 1, p.rows); }

    /// A tensor that has the number of each row.
    slot_number numbers_of(loop rows, element type) {
        const auto [found, is_new] = numbers_.try_emplace(type);
        if (!is_new) return found->second;
        const access numbers = add_memory(plan_, {rows}, type);
        before_.push_back(
            make_step(values_, map_into(equation_, numbers, values_.position({0, {{rows, 1}}}))));
        return found->second = numbers.slot;
    }

    // Values ----------------------------------------------------------------------------------

    expr in_panel(expr e, loop rows, element type, const row_panel& p) {
        return values_.substituted(e, [&](expr part) {
            const auto& node = values_[part];
            if (node.kind == kind::load)
                return values_.load(in_panel(node.source, rows, p), node.condition);
            if (node.kind == kind::position && node.at.factor(rows) != 0)
                return position(node.at, rows, type, p);
            return expr();
        });
    }
    // Its number is read, as it is another one in the next pass.
    expr position(place at, loop rows, element type, const row_panel& p) {
        access number;
        number.slot = numbers_of(rows, type);
        number.at.push_back({0, {{rows, 1}}});
        const auto factor = static_cast<double>(at.factor(rows));
        at.add(rows, -at.factor(rows));
        const expr there = values_.load(in_panel(std::move(number), rows, p));
        return values_.add(
            {values_.multiply({values_.constant(factor), there}), values_.position(std::move(at))});
    }

    // Steps -----------------------------------------------------------------------------------

    void write(const row_panel& p) {
        for (const auto& [s, rows] : chain_.steps) write(*plan_.steps[s].as_assign(), rows, p);
    }
    void write(const assign& a, loop rows, const row_panel& p) {
        const element type = plan_.type_of(a.target.slot);
        equation_ = a.equation;
        assign made = a;
        made.body = in_panel(a.body, rows, type, p);
        if (a.decay) made.decay = in_panel(a.decay, rows, type, p);
        made.target = in_panel(a.target, rows, p);
        const moved_loop m{rows, {0, {{part_of(rows, p), 1}}}};
        if (contains(a.loops, rows)) made.loops = moved(a.loops, m);
        const bool is_folded = contains(a.over, rows);
        if (is_folded) made.over = moved(a.over, m);
        if (!is_folded || p.is_first()) return add(std::move(made));
        if (a.kind == assignment_kind::contract) {
            made.beta = 1;
            return add(std::move(made));
        }
        add_joined(a, std::move(made));
    }
    // What a panel gives, and then that with what all before it gave.
    void add_joined(const assign& a, assign made) {
        const access part = add_memory(plan_, a.loops, plan_.type_of(a.target.slot));
        made.target = part;
        add(std::move(made));
        assign both = a;
        both.folding = fold::none;
        both.over = {};
        both.body = joined(a.folding, values_.load(a.target), values_.load(part));
        add(std::move(both));
    }
    expr joined(fold by, expr before, expr part) {
        switch (by) {
            case fold::product:
                return values_.multiply({before, part});
            case fold::maximum:
                return values_.apply(opcode::maximum, before, part);
            case fold::minimum:
                return values_.apply(opcode::minimum, before, part);
            default:
                return values_.add({before, part});
        }
    }
    void add(assign a) { made_.push_back(make_step(values_, std::move(a))); }

    // All steps in their new order, and where those are that had passes before.
    void put_together(step_passes made) {
        std::vector<step> steps;
        std::vector<std::size_t> now(plan_.steps.size());
        const auto keep = [&](std::size_t s) {
            now[s] = steps.size();
            steps.push_back(std::move(plan_.steps[s]));
        };
        const auto put = [&](std::vector<step>& all) {
            for (step& s : all) steps.push_back(std::move(s));
        };
        const std::size_t first = chain_.steps.begin()->first, last = chain_.steps.rbegin()->first;
        for (std::size_t s = 0; s < first; ++s) keep(s);
        for (const std::size_t s : chain_.before) keep(s);
        put(before_);
        made.first += steps.size(), made.end += steps.size();
        put(made_);
        for (const std::size_t s : chain_.behind) keep(s);
        for (std::size_t s = last + 1; s < now.size(); ++s) keep(s);
        for (step_passes& p : plan_.passes)
            p = {now[p.first], now[p.first] + (p.end - p.first), p.count};
        plan_.passes.push_back(made);
        std::ranges::sort(plan_.passes, {}, &step_passes::first);
        plan_.steps = std::move(steps);
    }

    program_plan& plan_;
    graph& values_;
    const plane_chain& chain_;
    std::map<slot_number, slot_number> planes_;
    std::map<std::tuple<slot_number, std::vector<std::int64_t>, std::int64_t>, slot_number>
        windows_;
    std::map<element, slot_number> numbers_;
    std::vector<step> before_, made_;
    ir::ref equation_ = ir::none;  // in hand
};

}  // namespace

void write_panels(program_plan& plan, const plane_chain& chain, std::int64_t rows) {
    panel_writer(plan, chain).run(rows);
}

}  // namespace ricci::plan
