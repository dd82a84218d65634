// Products of rows that are looked up: what contractions alone read becomes an operand of them.
// This comes after groups have formed: a tile's operands are read where they are stored.
#include "src/plan/store/packed_lookups.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/plan/forms/stored_rows.hpp"

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
// Of rows that are found by their number and k: fewer elements take no more than their offset.
constexpr double least_row = 8;
// Elements of zeros that are read for rows that are nowhere.
constexpr double most_zeros = 1 << 14;

class lookup_packing {
public:
    explicit lookup_packing(program_plan& plan) : plan_(plan), values_(plan.values) {}

    void run() {
        std::vector<bool> gone(plan_.steps.size(), false);
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
            const auto rows = find_stored_rows(plan_, k);
            if (!rows) continue;
            const auto readers = readers_of(k, rows->made.target.slot);
            std::vector<assign> products;
            for (const std::size_t r : readers) {
                auto product = packed(rows->made, *plan_.steps[r].as_assign());
                if (!product || is_rewritten(rows->made, rows->steps.front(), r, product->target))
                    break;
                products.push_back(std::move(*product));
            }
            if (readers.empty() || products.size() < readers.size()) continue;
            for (const std::size_t made : rows->steps) {
                const auto slot = plan_.steps[made].as_assign()->target.slot;
                plan_.slots[slot.index()].kind = storage::unused;
                gone[made] = true;
            }
            for (std::size_t r = 0; r < readers.size(); ++r)
                plan_.steps[readers[r]] = make_step(values_, std::move(products[r]));
        }
        std::size_t k = 0;
        std::erase_if(plan_.steps, [&](const step&) { return gone[k++]; });
    }

private:
    const slot& slot_of(slot_number number) const { return plan_.slots[number.index()]; }

    // The contractions that read what a step alone writes; none, where other steps do, or so many
    // that storing the rows once costs less.
    std::vector<std::size_t> readers_of(std::size_t writer, slot_number slot) const {
        std::vector<std::size_t> found;
        for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
            const step& s = plan_.steps[k];
            if (k == writer || !s.touches(slot)) continue;
            const assign* const a = s.as(assignment_kind::contract);
            if (found.size() == most_readers || k < writer || a == nullptr ||
                a->target.slot == slot)
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
        return any_load(values_, rows, [&](const access& from) {
            const auto writes = [&](const effect& t) {
                return t.writes && same(t.slot, from.slot);
            };
            bool found = same(from.slot, target.slot);
            for (std::size_t k = first + 1; k < last; ++k)
                found = found || std::ranges::any_of(plan_.steps[k].effects, writes);
            return found;
        });
    }

    // The contraction with the rows as they are looked up. Its scale is read as a number in memory.
    std::optional<assign> packed(const assign& rows, const assign& product) {
        const auto is_row = [&](const access& a) { return a.slot == rows.target.slot; };
        if (values_.any_load({product.scale}, is_row)) return {};
        expr_list factors = values_[product.body].arguments;
        for (expr& f : factors) {
            const bool conjugated = values_[f].code == opcode::conjugate;
            const expr inner = conjugated ? values_[f].arguments[0] : f;
            if (values_[inner].edged) return {};
            if (values_[inner].source.slot != rows.target.slot) continue;
            const expr there = rows_at(values_, rows, values_[inner].source);
            if (!there || values_[there].kind != kind::gather) return {};
            f = conjugated ? values_.as_written(opcode::conjugate, {there}) : there;
        }
        assign made = product;
        made.body = values_.as_written(opcode::multiply, std::move(factors));
        return pays(made) ? std::optional(std::move(made)) : std::nullopt;
    }

    // Tiles of rows and of columns; and each operand that is looked up can be.
    bool pays(const assign& product) const {
        const auto& factors = values_[product.body].arguments;
        const auto& left = values_[factors[0]].indices;
        const auto& right = values_[factors[1]].indices;
        if (values_.size(without(left, right)) < least_width ||
            values_.size(without(right, left)) < least_width)
            return false;
        return std::ranges::all_of(factors, [&](expr f) {
            const auto& node =
                values_[values_[f].code == opcode::conjugate ? values_[f].arguments[0] : f];
            return node.kind == kind::load ||
                   (node.kind == kind::gather && is_packed_well(node, product.over));
        });
    }

    // There are offsets for all places of the operand in each place of the list; what is read from
    // where each number says is longer than the number in the list, where numbers differ along rows
    // and k; and a row that is nowhere is read from zeros that stay near.
    bool is_packed_well(const expression& node, const loop_list& summed) const {
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
        if (elements * values_.size(by_number) >= most_offsets) return false;
        const bool along_both =
            !common(by_number, summed).empty() && !without(by_number, summed).empty();
        if (along_both && values_.size(without(node.indices, by_number)) < least_row) return false;
        return !may_be_nowhere(node) || reach_of_row(node) <= most_zeros;
    }
    static bool may_be_nowhere(const expression& node) {
        return node.has_condition() ||
               std::ranges::any_of(node.lookups, [](const lookup_axis& l) { return l.may_stray; });
    }
    // How many elements lie between the first and the last that loops read around a place that
    // numbers say.
    double reach_of_row(const expression& node) const {
        double reach = 1;
        for (const auto& t : address_of(node.source, slot_of(node.source.slot).strides).terms)
            reach += std::abs(static_cast<double>(t.factor)) *
                     static_cast<double>(values_.extent(t.over) - 1);
        return reach;
    }

    program_plan& plan_;
    graph& values_;
};

}  // namespace

void pack_lookups(program_plan& plan) { lookup_packing(plan).run(); }

}  // namespace ricci::plan
