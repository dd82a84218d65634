// Ways to carry out equation after equation, of which the cheapest ones are followed.
#include "src/placement/search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/roles.hpp>

#include "src/base/texts.hpp"
#include "src/placement/local_equation.hpp"

namespace ricci::mpi {
namespace {

constexpr std::size_t followed = 8;  // ways that are followed at a time

std::size_t at(ir::ref n) { return static_cast<std::size_t>(n); }

class axis_finder {
public:
    axis_finder(const ir::program_view& p, const std::string& letter)
        : p_(p), letter_(letter), axes_(at(p.names.size()), -1) {}

    shared_axes run() {
        for (const ir::equation& e : p_.equations) {
            if (e.claim) continue;
            see(e.name, e.positions);
            ir::for_each_node(p_, e.body, [&](ir::ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == ir::op::tensor) see(x.name, x.positions);
            });
        }
        while (relate()) {
        }
        return axes_;
    }

private:
    void see(ir::ref name, ir::range positions) {
        for (std::int32_t k = 0; k < positions.count; ++k) {
            const ir::position& q = p_.at(positions, k);
            if (q.kind == ir::position_kind::index &&
                detail::string_of(p_.index(q.index)) == letter_)
                set(name, k);
        }
    }
    bool set(ir::ref name, std::int32_t axis) {
        std::int32_t& known = axes_[at(name)];
        if (known == axis) return false;
        const bool bound = p_.definition(name) == ir::none || ir::is_output(p_, name);
        if (known >= 0 && bound)
            throw error(fmt::format(
                "ricci: {} has the shared-out index {} in axis {} and in axis {}, and a rank has a "
                "part of one of them; give one of the two another letter.",
                detail::string_of(p_.name(name)), letter_, std::min(known, axis),
                std::max(known, axis)));
        if (known >= 0) return false;
        known = axis;
        return true;
    }
    // dL/dX has the axes of X, and dA/dX those of A and then of X.
    bool relate() {
        bool learnt = false;
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            const ir::name_symbol& s = p_.names[n];
            if (s.kind == ir::name_kind::plain || s.of == ir::none) continue;
            const std::int32_t first = s.numerator_rank;
            const std::int32_t mine = axes_[at(n)], its = axes_[at(s.of)];
            if (its >= 0 && mine < 0) learnt = set(n, first + its) || learnt;
            if (mine >= first && its < 0) learnt = set(s.of, mine - first) || learnt;
        }
        return learnt;
    }

    const ir::program_view& p_;
    const std::string& letter_;
    shared_axes axes_;
};

class search {
public:
    search(workbench& bench, const shared_axes& axes, const std::vector<ir::ref>& wanted,
           const std::vector<ir::ref>& letters)
        : bench_(bench), axes_(axes), wanted_(wanted), letters_(letters) {}

    chosen_placement run(const std::vector<ir::ref>& inputs) {
        placement first;
        for (const ir::ref n : inputs) {
            const std::int32_t axis = axes_[at(n)];
            bench_.names[at(n)].part = axis;
            if (axis >= 0) first.of(n).set_part(axis, n);
            else first.of(n).whole = n;
        }
        std::vector<placement> ways{std::move(first)};
        for (ir::ref e = 0; e < bench_.text.program.equations.size(); ++e) ways = next(ways, e);
        return finish(ways);
    }

private:
    std::vector<placement> next(const std::vector<placement>& ways, ir::ref e) {
        std::vector<placement> made;
        for (const placement& way : ways)
            for (const std::vector<ir::ref>& letters : splits_of(way, e))
                for (const bool wait : {true, false})
                    if (wait || reads_partial(way, e)) cut(way, e, letters, wait, made);
        return cheapest(made);
    }
    // Where nothing is read or added up at places of others, it is the same in any way.
    void cut(const placement& way, ir::ref e, const std::vector<ir::ref>& letters, bool wait,
             std::vector<placement>& made) {
        for (const elsewhere how : {elsewhere::asked, elsewhere::folded, elsewhere::gathered}) {
            // who asks whom first depends on who has how many blocks
            if (bench_.whole_apart && how == elsewhere::asked) continue;
            placement more = way;
            local_equation equation(bench_, more, e, letters, {wait, how});
            if (equation.run()) made.push_back(std::move(more));
            if (!equation.reaches_out()) return;
        }
    }
    // The first made of those that cost the same, on every rank.
    static std::vector<placement> cheapest(std::vector<placement>& made) {
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t k = 0; k < made.size(); ++k) order.emplace_back(made[k].price, k);
        std::sort(order.begin(), order.end());
        std::vector<placement> kept;
        for (const auto& [price, k] : order)
            if (kept.size() < followed) kept.push_back(std::move(made[k]));
        return kept;
    }
    bool reads_partial(const placement& way, ir::ref e) const {
        bool found = false;
        const ir::program& p = bench_.text.program;
        ir::for_each_node(p, p.equations[e].body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind != ir::op::tensor || at(x.name) >= way.tensors.size()) return;
            const forms& f = way.tensors[at(x.name)];
            found = found || (f.partial != ir::none && f.whole == ir::none);
        });
        return found;
    }
    // What an equation may be cut along: nothing, each letter of axes that lie in parts, or are to,
    // and all of these together that have as many places, as the shared-out index has become
    // several letters in several sums; also those alone that are spelt as it is.
    std::vector<std::vector<ir::ref>> splits_of(const placement& way, ir::ref e) const {
        std::vector<ir::ref> named;
        const std::vector<ir::ref> letters = letters_of(way, e, named);
        std::vector<std::vector<ir::ref>> splits{{}};
        const auto add = [&](const std::vector<ir::ref>& together) {
            if (std::find(splits.begin(), splits.end(), together) == splits.end())
                splits.push_back(together);
        };
        for (const ir::ref i : named) add(as_long_as(i, named));
        for (const ir::ref i : letters) add(as_long_as(i, letters));
        for (const ir::ref i : letters) add({i});
        return splits;
    }
    std::vector<ir::ref> as_long_as(ir::ref letter, std::vector<ir::ref> letters) const {
        const std::vector<std::int64_t>& extents = bench_.text.extents;
        std::erase_if(letters, [&](ir::ref i) { return extents[at(i)] != extents[at(letter)]; });
        return letters;
    }
    std::vector<ir::ref> letters_of(const placement& way, ir::ref e,
                                    std::vector<ir::ref>& named_ones) const {
        std::vector<ir::ref> found;
        const auto add = [&](ir::ref i, bool named) {
            if (std::find(found.begin(), found.end(), i) != found.end()) return;
            found.push_back(i);
            if (named) named_ones.push_back(i);
        };
        const ir::program& p = bench_.text.program;
        const auto see = [&](ir::range positions, auto&& is_cut) {
            for (std::int32_t k = 0; k < positions.count; ++k) {
                const ir::position& q = p.positions[positions.first + k];
                if (q.kind != ir::position_kind::index) continue;
                const ir::ref origin = bench_.text.origin[at(q.index)];
                const bool named =
                    std::find(letters_.begin(), letters_.end(), origin) != letters_.end();
                if ((named && bench_.sharing.ranks > 1) || is_cut(k)) add(q.index, named);
            }
        };
        const ir::equation& q = p.equations[e];
        const bool output = std::find(wanted_.begin(), wanted_.end(), q.name) != wanted_.end();
        see(q.positions, [&](std::int32_t k) { return output && axes_[at(q.name)] == k; });
        ir::for_each_node(p, q.body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind != ir::op::tensor) return;
            see(x.positions, [&](std::int32_t k) {
                return at(x.name) < way.tensors.size() &&
                       way.tensors[at(x.name)].part(k) != ir::none;
            });
        });
        return found;
    }
    chosen_placement finish(std::vector<placement>& ways) {
        chosen_placement best;
        double price = 0;
        for (placement& way : ways) {
            std::vector<ir::ref> outputs;
            for (const ir::ref n : wanted_) {
                const std::int32_t axis = axes_[at(n)];
                const ir::ref e = bench_.text.program.definition(n);
                outputs.push_back(axis >= 0             ? way.need_part(bench_, n, axis, e)
                                  : waits(way.of(n), n) ? way.of(n).partial
                                                        : way.need_whole(bench_, n, e));
            }
            if (!best.operations.empty() && way.price >= price) continue;
            price = way.price;
            best = {std::move(way.operations), std::move(outputs), way.work};
        }
        leave_out_unread(best);
        return best;
    }
    // A sum that nobody reads may be left to who adds it to others first.
    bool waits(const forms& f, ir::ref n) const {
        return bench_.may_wait.count(n) > 0 && f.whole == ir::none && f.partial != ir::none &&
               f.how == fold::sum;
    }
    // Weights that have been summed before all ranks agree on them need not be known.
    void leave_out_unread(chosen_placement& chosen) const {
        std::set<ir::ref> read(chosen.outputs.begin(), chosen.outputs.end());
        std::vector<operation> kept;
        for (auto o = chosen.operations.rbegin(); o != chosen.operations.rend(); ++o) {
            const ir::ref made = o->kind == operation_kind::exchange  ? o->exchange.to
                                 : o->kind == operation_kind::excerpt ? o->excerpt.to
                                                                      : o->compute.what.name;
            if (read.count(made) == 0) continue;
            if (o->kind == operation_kind::exchange) {
                read.insert(o->exchange.from);
                read.insert(o->exchange.places);
            } else if (o->kind == operation_kind::excerpt) {
                read.insert(o->excerpt.from);
            } else {
                const ir::program& p = bench_.text.program;
                ir::for_each_node(p, o->compute.body_of_first, [&](ir::ref n) {
                    if (p.nodes[n].kind == ir::op::tensor) read.insert(p.nodes[n].name);
                });
            }
            kept.push_back(std::move(*o));
        }
        std::reverse(kept.begin(), kept.end());
        chosen.operations = std::move(kept);
    }

    workbench& bench_;
    const shared_axes& axes_;
    const std::vector<ir::ref>& wanted_;
    const std::vector<ir::ref>& letters_;
};

}  // namespace

shared_axes axes_with(const ir::program_view& p, const std::string& letter) {
    bool found = false;
    std::string others;
    std::vector<std::string> named;
    for (ir::ref i = 0; i < p.indices.size(); ++i) {
        const std::string mine = detail::string_of(p.index(i));
        found = found || mine == letter;
        if (std::find(named.begin(), named.end(), mine) != named.end()) continue;
        named.push_back(mine);
        others += (others.empty() ? "" : ", ") + mine;
    }
    if (!found)
        throw error(fmt::format(
            "ricci: the index {} is to be shared out, and no tensor has it; the indices are {}.",
            letter, others));
    return axis_finder(p, letter).run();
}

chosen_placement choose_placement(workbench& bench, const shared_axes& axes,
                                  const std::vector<ir::ref>& inputs,
                                  const std::vector<ir::ref>& wanted,
                                  const std::vector<ir::ref>& letters) {
    bench.names.resize(static_cast<std::size_t>(bench.text.program.names.size()));
    for (ir::ref n = 0; n < bench.text.program.names.size(); ++n) bench.names[at(n)].tensor = n;
    return search(bench, axes, wanted, letters).run(inputs);
}

}  // namespace ricci::mpi
