// What is no mistake and yet probably not meant: the run-time face shows it, a compiler does not.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

class warning_list {
public:
    constexpr explicit warning_list(const ir::program_view& p) : p_(p) { count_uses(); }

    constexpr detail::buffer<ir::mistake> run() {
        for (const ir::equation& e : p_.equations)
            if (!e.claim) {
                see_sums(e);
                see_capitals(e);
            }
        for (std::int32_t k = 0; k < p_.equations.size(); ++k) see_use(k);
        return static_cast<detail::buffer<ir::mistake>&&>(found_);
    }
    /// An operand that is bound to a name which no equation reads or defines.
    constexpr detail::buffer<ir::mistake> run(const detail::text_view* bound, std::int32_t count) {
        for (std::int32_t k = 0; k < count; ++k) {
            const ir::ref n = p_.find(bound[k]);
            if (n == ir::none || uses_[n] > 0 || p_.definition(n) != ir::none) continue;
            detail::text_builder s;
            s << "no equation reads " << bound[k] << ", which is bound; its shape alone is used";
            add(s);
        }
        return static_cast<detail::buffer<ir::mistake>&&>(found_);
    }

private:
    constexpr void add(detail::text_view words) {
        found_.push(ir::make_mistake(ir::mistake_kind::other, words));
    }
    constexpr void count_uses() {
        uses_.resize(p_.names.size(), 0);
        for (const ir::equation& e : p_.equations) {
            if (e.claim) continue;
            ir::for_each_node(p_, e.body, [&](ir::ref n) {
                if (p_.nodes[n].kind == ir::op::tensor) ++uses_[p_.nodes[n].name];
            });
        }
    }
    /// How many of an expression's places hold the index.
    constexpr std::int32_t places_of(ir::ref body, ir::ref index) const {
        std::int32_t count = 0;
        ir::for_each_node(p_, body, [&](ir::ref n) {
            ir::for_each_index(p_, p_.nodes[n].positions, [&](ir::ref i) { count += i == index; });
        });
        return count;
    }
    /// An input that is read once, beside other tensors, with no index in common with anything.
    constexpr void see_sums(const ir::equation& e) {
        std::int32_t tensors = 0;
        ir::for_each_node(p_, e.body,
                          [&](ir::ref n) { tensors += p_.nodes[n].kind == ir::op::tensor; });
        ir::for_each_node(p_, e.body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            if (x.kind != ir::op::tensor || uses_[x.name] != 1 || tensors < 2 ||
                x.positions.count == 0 || p_.definition(x.name) != ir::none)
                return;
            bool alone = true;
            ir::for_each_index(p_, x.positions, [&](ir::ref i) {
                alone = alone && places_of(e.body, i) == 1;
                ir::for_each_index(p_, e.positions, [&](ir::ref j) { alone = alone && i != j; });
            });
            if (!alone) return;
            detail::text_builder s;
            s << p_.name(x.name) << " is summed over all its indices, which stand nowhere else in "
              << p_.name(e.name) << "; is one of them meant to be another letter?";
            add(s);
        });
    }
    /// Y = X W of capitals without indices, which are matrices in most texts.
    constexpr void see_capitals(const ir::equation& e) {
        ir::for_each_node(p_, e.body, [&](ir::ref n) {
            const ir::node& x = p_.nodes[n];
            for (std::int32_t k = 1; x.kind == ir::op::multiply && k < x.children.count; ++k) {
                const ir::ref a = p_.child(x, k - 1), b = p_.child(x, k);
                if (!is_bare_capital(a) || !is_bare_capital(b)) continue;
                const detail::text_view first = p_.name(p_.nodes[a].name),
                                        second = p_.name(p_.nodes[b].name);
                detail::text_builder s;
                s << first << ' ' << second << " in " << p_.name(e.name)
                  << " is a product of two numbers, as neither has indices; that of two matrices "
                     "is "
                  << first << "^{ij} " << second << "^{jk}";
                add(s);
                return;
            }
        });
    }
    constexpr bool is_bare_capital(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind != ir::op::tensor || x.positions.count > 0) return false;
        const char first = p_.name(x.name)[0];
        return first >= 'A' && first <= 'Z';
    }
    /// A tensor that nothing reads, before the last equation: an output, perhaps not meant as one.
    constexpr void see_use(std::int32_t k) {
        const ir::equation& e = p_.equations[k];
        bool last = true;
        for (std::int32_t j = k + 1; j < p_.equations.size(); ++j)
            last = last && (p_.equations[j].claim || p_.equations[j].name == e.name);
        if (e.claim || last || uses_[e.name] > 0 || p_.names[e.name].kept ||
            p_.names[e.name].shape_only)
            return;
        detail::text_builder s;
        s << "no equation uses " << p_.name(e.name) << ", which is an output therefore";
        add(s);
    }

    ir::program_view p_;
    detail::buffer<std::int32_t> uses_;
    detail::buffer<ir::mistake> found_;
};

/// What is probably not meant in a program, in sentences.
constexpr detail::buffer<ir::mistake> warnings(const ir::program_view& p) {
    return warning_list(p).run();
}
/// The same of the names that a call binds.
constexpr detail::buffer<ir::mistake> warnings(const ir::program_view& p,
                                               const detail::text_view* bound, std::int32_t count) {
    return warning_list(p).run(bound, count);
}

}  // namespace ricci::notation
