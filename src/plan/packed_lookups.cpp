// Products of rows that are looked up: a gather that contractions alone read becomes an operand of
// them. This comes after groups have formed: a tile's operands are read where they are stored.
#include "src/plan/packed_lookups.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ricci::plan {
namespace {

// Packed operands are multiplied in tiles; with fewer rows or columns, what is stored is read as it
// lies.
constexpr double least_width = 4;
// Places in a list and offsets from there share one whole number.
constexpr double most_offsets = 0x1p54;
// Rows that lie apart are read at about half of the rate of those that lie together; to store them
// they are read once so, and written, which takes as long as to read what is written thrice.
constexpr std::size_t most_readers = 4;

class lookup_packing {
public:
    explicit lookup_packing(program_plan& plan) : plan_(plan), values_(plan.values) {}

    void run() {
        std::vector<bool> gone(plan_.steps.size(), false);
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
            const assign* const rows = plan_.steps[k].as_assign();
            if (rows == nullptr || !is_plain_gather(*rows)) continue;
            const auto readers = readers_of(k, rows->target.slot);
            std::vector<assign> products;
            for (const std::size_t r : readers) {
                auto product = packed(*rows, *plan_.steps[r].as_assign());
                if (!product || is_rewritten(*rows, k, r, product->target)) break;
                products.push_back(std::move(*product));
            }
            if (readers.empty() || products.size() < readers.size()) continue;
            plan_.slots[rows->target.slot.index()].kind = storage::unused;
            gone[k] = true;
            for (std::size_t r = 0; r < readers.size(); ++r)
                plan_.steps[readers[r]] = make_step(values_, std::move(products[r]));
        }
        std::size_t kept = 0;
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
            if (gone[k]) continue;
            if (kept != k) plan_.steps[kept] = std::move(plan_.steps[k]);
            ++kept;
        }
        plan_.steps.resize(kept);
    }

private:
    const slot& slot_of(slot_number number) const { return plan_.slots[number.index()]; }

    // Whole memory of the plan's own, of elements as they are, wherever numbers in memory say.
    bool is_plain_gather(const assign& g) const {
        const auto& body = values_[g.body];
        if (g.as != form::gather || body.kind != kind::gather || body.edged ||
            body.arguments.size() != body.lookups.size())
            return false;
        const slot& made = slot_of(g.target.slot);
        if (made.kind != storage::workspace || plan_.is_truth(g.target.slot) ||
            !plan_.holds(body.source.slot, plan_.type_of(g.target.slot)))
            return false;
        loop_list seen;
        for (std::size_t axis = 0; axis < g.target.at.size(); ++axis) {
            const place& p = g.target.at[axis];
            if (!is_whole_axis(p)) return false;
            const std::int64_t extent = p.terms.empty() ? 1 : values_.extent(p.terms[0].over);
            if (extent != made.extents[axis]) return false;
            if (p.terms.empty()) continue;
            if (contains(seen, p.terms[0].over)) return false;
            add_loop(seen, p.terms[0].over);
        }
        return true;
    }

    // The contractions that read what a step alone writes; none, where other steps do, or so many
    // that storing the rows once costs less.
    std::vector<std::size_t> readers_of(std::size_t writer, slot_number slot) const {
        std::vector<std::size_t> found;
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
            const auto& effects = plan_.steps[k].effects;
            const bool here = std::any_of(effects.begin(), effects.end(),
                                          [&](const effect& t) { return t.slot == slot; });
            if (!here || k == writer) continue;
            const assign* const a = plan_.steps[k].as_assign();
            if (found.size() == most_readers || k < writer || a == nullptr ||
                a->as != form::contract || a->target.slot == slot)
                return {};
            found.push_back(k);
        }
        return found;
    }

    // Whether what is read would be written before the product is made, or as it is.
    bool is_rewritten(const assign& rows, std::size_t first, std::size_t last,
                      const access& target) const {
        const auto same = [&](slot_number x, slot_number y) {
            return x == y || (slot_of(x).data != nullptr && slot_of(x).data == slot_of(y).data);
        };
        bool found = false;
        for_each_load(values_, rows, [&](const access& from) {
            found = found || same(from.slot, target.slot);
            for (std::size_t k = first + 1; k < last; ++k)
                for (const effect& t : plan_.steps[k].effects)
                    found = found || (t.writes && same(t.slot, from.slot));
        });
        return found;
    }

    // The contraction with the rows as they are looked up. Its scale is read as a number in memory.
    std::optional<assign> packed(const assign& rows, const assign& product) {
        bool scales = false;
        values_.for_each_load({product.scale}, [&](const access& number) {
            scales = scales || number.slot == rows.target.slot;
        });
        if (scales) return {};
        expr_list factors = values_[product.body].arguments;
        for (expr& f : factors) {
            const bool conjugated = values_[f].code == opcode::conjugate;
            const expr inner = conjugated ? values_[f].arguments[0] : f;
            if (values_[inner].edged) return {};
            if (values_[inner].source.slot != rows.target.slot) continue;
            const expr there = read_at(rows, values_[inner].source);
            if (!there) return {};
            f = conjugated ? values_.as_written(opcode::conjugate, {there}) : there;
        }
        assign made = product;
        made.body = values_.as_written(opcode::multiply, std::move(factors));
        return pays(made) ? std::optional(std::move(made)) : std::nullopt;
    }

    // What the gather gives, at places of what it gives.
    expr read_at(const assign& rows, const access& read) {
        std::vector<moved_loop> moves;
        for (std::size_t axis = 0; axis < read.at.size(); ++axis) {
            const place& made = rows.target.at[axis];
            if (!made.terms.empty() && read.at[axis] != made)
                moves.push_back({made.terms[0].over, read.at[axis]});
        }
        // Loops take each other's places one after another.
        for (const auto& m : moves)
            for (const auto& t : m.to.terms)
                for (const auto& other : moves)
                    if (t.over == other.what) return expr::none;
        const expr there = values_.moved(rows.body, moves);
        return there && values_[there].kind == kind::gather ? there : expr::none;
    }

    // Numbers differ along rows or along k; there are offsets for all places of the operand in
    // each place of the list; and tiles of both.
    bool pays(const assign& product) const {
        const auto& factors = values_[product.body].arguments;
        const auto& left = values_[factors[0]].indices;
        const auto& right = values_[factors[1]].indices;
        const auto batch = without(common(left, right), product.over);
        if (values_.size(without(left, right)) < least_width ||
            values_.size(without(right, left)) < least_width)
            return false;
        return std::all_of(factors.begin(), factors.end(), [&](expr f) {
            const auto& node =
                values_[values_[f].code == opcode::conjugate ? values_[f].arguments[0] : f];
            if (node.kind != kind::gather) return node.kind == kind::load;
            loop_list by_number;
            for (const expr a : node.arguments) {
                if (values_[a].kind != kind::load || values_[a].edged) return false;
                by_number = united(by_number, values_[a].indices);
            }
            const slot& table = slot_of(node.source.slot);
            double elements = 1;
            for (std::size_t axis = 0; axis < table.extents.size(); ++axis)
                elements += std::abs(static_cast<double>(table.strides[axis])) *
                            static_cast<double>(table.extents[axis]);
            const bool rows_alone = common(by_number, product.over).empty();
            return (rows_alone || without(without(by_number, product.over), batch).empty()) &&
                   elements * values_.size(by_number) < most_offsets;
        });
    }

    program_plan& plan_;
    graph& values_;
};

}  // namespace

void pack_lookups(program_plan& plan) { lookup_packing(plan).run(); }

}  // namespace ricci::plan
