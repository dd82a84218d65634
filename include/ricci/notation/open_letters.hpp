// Which letters are open in an expression whose signs bind by conditions: \sum_{j \le i} x^j.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/notation/bounds.hpp>

namespace ricci::notation {

/// Whether a condition says what a sign binds. Below softmax it says what that keeps.
constexpr bool binds_by_condition(const ir::node& x) {
    return x.kind == ir::op::reduce && x.value == undecided::condition &&
           !ir::keeps_indices(static_cast<ir::reduction>(x.detail));
}

/// The letters that nothing in `n` binds, if each condition binds all that it has.
constexpr ir::index_set open_letters(const ir::program& p, ir::ref n) {
    const ir::node& x = p.nodes[n];
    ir::index_set open;
    ir::add_indices(p, x.positions, open);
    const auto child = [&](std::int32_t k) { return p.links[x.children.first + k]; };
    for (std::int32_t k = 0; k < x.children.count; ++k) open.unite(open_letters(p, child(k)));
    for (std::int32_t k = 0; k < ir::bound_count(x); ++k) open.remove(p.links[x.indices.first + k]);
    if (!binds_by_condition(x)) return open;
    const ir::index_set letters = ir::free_indices(p, p.links[p.nodes[child(0)].children.first]);
    for (ir::ref i = 0, last = letters.end(); i < last; ++i)
        if (letters.has(i)) open.remove(i);
    return open;
}

/// Finds the letters that stand in conditions alone and are indices all the same: the j of
/// \sum_{j \le i} \sum_{k \le j} x^k, which binds nothing if j is a number.
class condition_letters {
public:
    ir::ref doubtful = ir::none;  // a letter that can be an index and a number

    /// `indices`: those that stand in lists; what is found is added.
    constexpr condition_letters(ir::program& p, ir::index_set& indices, ir::range parameters)
        : p_(p), indices_(indices), parameters_(parameters) {}

    /// Calls visit(index, where) for the letters of a condition that are indices so far.
    /// Stands before its callers, where clang looks for it while it evaluates constants.
    template <class Visit>
    constexpr void for_each_letter(ir::ref condition, Visit&& visit) {
        ir::for_each_node(p_, condition, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            ir::for_each_index(p_, x.positions, [&](ir::ref i) { visit(i, x.source); });
            if (x.kind != ir::op::tensor || x.positions.count > 0) return;
            const ir::ref i = p_.find_index(p_.name(x.name));
            if (i != ir::none && indices_.has(i)) visit(i, x.source);
        });
    }
    constexpr void find(ir::ref n, const ir::index_set& bound) {
        const ir::node x = p_.nodes[n];
        ir::index_set inside = bound;
        for (std::int32_t k = 0; k < ir::bound_count(x); ++k)
            inside.add(p_.links[x.indices.first + k]);
        if (binds_by_condition(x)) {
            const ir::range parts = p_.nodes[p_.links[x.children.first]].children;
            const ir::ref condition = p_.links[parts.first];
            see(condition, p_.links[parts.first + 1], bound);
            for_each_letter(condition, [&](ir::ref i, ir::source_span) { inside.add(i); });
        }
        for (std::int32_t k = 0; k < x.children.count; ++k)
            find(p_.links[x.children.first + k], inside);
    }

private:
    constexpr void see(ir::ref condition, ir::ref body, const ir::index_set& bound) {
        bool binds = false;
        for_each_letter(condition,
                        [&](ir::ref i, ir::source_span) { binds = binds || !bound.has(i); });
        if (binds) return see_between(condition);
        ir::ref first = ir::none;  // the name that is written first
        bool is_index = false;
        std::int32_t begin = 0;
        const auto offer = [&](std::int32_t at, ir::ref name) {
            if (at >= begin && (first != ir::none || is_index)) return;
            begin = at;
            first = name;
            is_index = name == ir::none;
        };
        for_each_letter(condition, [&](ir::ref, ir::source_span at) { offer(at.begin, ir::none); });
        ir::for_each_node(p_, condition, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != ir::op::tensor || x.positions.count > 0) return;
            const ir::ref i = p_.find_index(p_.name(x.name));
            if (i == ir::none || !indices_.has(i)) offer(x.source.begin, x.name);
        });
        if (first == ir::none || !is_letter(p_.name(first)) || is_parameter(first) ||
            p_.definition(first) != ir::none || !ir::uses_name(p_, body, first))
            return;
        detail::text_builder letter;  // a copy: the names may move
        letter << p_.name(first);
        indices_.add(p_.intern_index(letter));
    }
    /// The j of \sum_{k \le j \land j \le i}, which two indices are compared with.
    constexpr void see_between(ir::ref condition) {
        ir::for_each_node(p_, condition, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != ir::op::tensor || x.positions.count > 0 || doubtful != ir::none ||
                !is_letter(p_.name(x.name)) || is_parameter(x.name) ||
                p_.definition(x.name) != ir::none)
                return;
            if (const ir::ref i = p_.find_index(p_.name(x.name)); i != ir::none && indices_.has(i))
                return;
            ir::index_set beside;
            ir::for_each_node(p_, condition, [&](ir::ref m) {
                const ir::node& c = p_.nodes[m];
                if (c.kind != ir::op::compare || c.children.count != 2 ||
                    c.detail >= static_cast<std::uint8_t>(ir::comparison::logical_and))
                    return;
                for (std::int32_t k = 0; k < 2; ++k)
                    if (const ir::node& side = p_.nodes[p_.links[c.children.first + k]];
                        side.kind == ir::op::tensor && side.name == x.name)
                        for_each_letter(p_.links[c.children.first + 1 - k],
                                        [&](ir::ref i, ir::source_span) { beside.add(i); });
            });
            std::int32_t count = 0;
            for (ir::ref i = 0, last = beside.end(); i < last; ++i) count += beside.has(i);
            if (count > 1) doubtful = n;
        });
    }
    /// One letter, Latin or Greek, with primes.
    static constexpr bool is_letter(detail::text_view name) {
        while (name.size > 0 && name[name.size - 1] == '\'') --name.size;
        if (name.size == 1) return true;
        bool greek = name.size > 1 && name[0] == '\\';
        for (const char c : name) greek = greek && c != '{' && c != '_';
        return greek;
    }
    constexpr bool is_parameter(ir::ref name) const {
        for (std::int32_t k = 0; k < parameters_.count; ++k)
            if (p_.links[parameters_.first + k] == name) return true;
        return false;
    }

    ir::program& p_;
    ir::index_set& indices_;
    ir::range parameters_;
};

}  // namespace ricci::notation
