// Operations sorted by what they wait for.
#include "src/placement/stages.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"
#include "src/placement/stage_cuts.hpp"

namespace ricci::mpi {
namespace {

std::size_t slot(ir::ref n) { return static_cast<std::size_t>(n); }

class stage_builder {
public:
    stage_builder(const workbench& bench, const std::vector<operation>& operations,
                  const std::vector<ir::ref>& outputs)
        : bench_(bench), p_(bench.text.program), operations_(operations), outputs_(outputs) {
        std::set<ir::ref> views;
        for (const operation& o : operations)
            if (o.kind == operation_kind::excerpt) views.insert(o.excerpt.to);
        for (const ir::ref n : outputs)
            if (views.count(n) == 0) store(n);
    }

    staged_program run() {
        for (const operation& o : operations_) find_level(o);
        cut_stages();
        find_stored();
        staged_program all;
        all.stages.resize(static_cast<std::size_t>(last_) + 1);
        for (int k = 0; k <= last_; ++k) build(k, all.stages[static_cast<std::size_t>(k)]);
        for (const operation& o : in_order_of_readiness(bench_, operations_))
            if (o.kind == operation_kind::exchange)
                all.stages[static_cast<std::size_t>(begins_in(o.exchange))].exchanges.push_back(o);
        all.stored.assign(stored_.begin(), stored_.end());
        for (const operation& o : operations_)
            if (o.kind == operation_kind::excerpt) all.excerpts[o.excerpt.to] = o.excerpt;
        find_waits(all);
        return all;
    }

private:
    template <class Visit>
    void for_each_read(const operation& o, const Visit& visit) const {
        for_each_read(o.compute.what.body, visit);
    }
    template <class Visit>
    void for_each_read(ir::ref body, const Visit& visit) const {
        ir::for_each_node(p_, body, [&](ir::ref n) {
            if (p_.nodes[n].kind == ir::op::tensor) visit(p_.nodes[n].name);
        });
    }
    // When a name is there: inputs from the first stage on, what is exchanged one stage later.
    void find_level(const operation& o) {
        if (o.kind == operation_kind::exchange) {
            level_[o.exchange.to] = level_of(o.exchange) + (is_counted_before(o.exchange) ? 0 : 1);
            last_ = std::max(last_, begins_in(o.exchange));
            return store(o.exchange.to);
        }
        if (o.kind == operation_kind::excerpt) {
            // a view of memory, which is there once what it is of has been computed
            const bool computed = made_in_.count(o.excerpt.from) > 0;
            if (computed) store(o.excerpt.from);
            level_[o.excerpt.to] = level_[o.excerpt.from] + (computed ? 1 : 0);
            return;
        }
        int level = 0;  // the same on all ranks, whatever terms they leave to the first one
        for_each_read(o.compute.body_of_first,
                      [&](ir::ref n) { level = std::max(level, level_[n]); });
        // what is whole is computed in even stages then, and all else in odd ones
        if (bench_.whole_apart && (level % 2 == 0) != is_whole(o.compute.what.name)) ++level;
        level_[o.compute.what.name] = level;
        made_in_[o.compute.what.name] = level;
        if (is_skipped(o.compute)) skipped_.insert(o.compute.what.name);
        last_ = std::max(last_, level);
    }
    // After which stage it is done.
    int level_of(const exchange& e) {
        const int from = level_[e.from];
        return e.places == ir::none ? from : std::max(from, level_[e.places]);
    }
    // Counting numbers anew waits for nobody: it is done before the equations of a stage.
    bool is_counted_before(const exchange& e) const {
        const auto made = made_in_.find(e.from);
        return e.kind == exchange_kind::own_places &&
               (made == made_in_.end() || made->second != level_.at(e.from));
    }
    int begins_in(const exchange& e) {
        return e.kind == exchange_kind::own_places ? level_[e.to] : level_of(e);
    }
    void cut_stages() {
        stage_numbers cut =
            cut_for_overlap(bench_, operations_, outputs_, {level_, made_in_, last_});
        level_ = std::move(cut.there);
        made_in_ = std::move(cut.made);
        last_ = cut.last;
    }
    bool is_whole(ir::ref n) const { return bench_.names[slot(n)].is_whole(); }
    void store(ir::ref n) { stored_.insert(n); }
    // An exchange is waited for where what it makes, or a view of that, is read first.
    void find_waits(staged_program& all) const {
        std::map<ir::ref, exchange_place> under_way;
        const auto wait = [&](ir::ref n, std::vector<exchange_place>& list) {
            for (auto view = all.excerpts.find(n); view != all.excerpts.end();
                 view = all.excerpts.find(n))
                n = view->second.from;
            const auto found = under_way.find(n);
            if (found == under_way.end()) return;
            list.push_back(found->second);
            under_way.erase(found);
        };
        for (std::size_t k = 0; k < all.stages.size(); ++k) {
            stage& s = all.stages[k];
            for (const ir::ref n : read_in_.at(k)) wait(n, s.waits);
            s.exchange_waits.resize(s.exchanges.size());
            for (std::size_t e = 0; e < s.exchanges.size(); ++e)
                if (s.exchanges[e].exchange.kind == exchange_kind::own_places)
                    wait(s.exchanges[e].exchange.from, s.waits);
            for (std::size_t e = 0; e < s.exchanges.size(); ++e) {
                if (s.exchanges[e].exchange.kind == exchange_kind::own_places) continue;
                wait(s.exchanges[e].exchange.from, s.exchange_waits[e]);
                wait(s.exchanges[e].exchange.places, s.exchange_waits[e]);
                under_way[s.exchanges[e].exchange.to] = {k, e};
            }
        }
    }
    // What is exchanged or wanted is stored, and what later stages read; also what this rank reads
    // and has no places to compute, which is what a fold of nothing is.
    void find_stored() {
        for (const operation& o : operations_) {
            if (o.kind == operation_kind::exchange)
                for (const ir::ref n : {o.exchange.from, o.exchange.places})
                    if (made_in_.count(n) > 0) store(n);
            if (o.kind == operation_kind::computation) computes_[o.compute.what.name] = &o.compute;
        }
        // what nobody on this rank reads in its stage would be an output of it without memory
        for (const auto& [n, level] : made_in_) {
            bool here = false;
            for (const operation& o : operations_)
                if (o.kind == operation_kind::computation && level_[o.compute.what.name] == level &&
                    !is_skipped(o.compute))
                    for_each_read(o, [&, name = n](ir::ref r) { here = here || r == name; });
            if (!here) store(n);
        }
        find_largest();
        for (const operation& o : operations_) {
            if (o.kind != operation_kind::computation) continue;
            // whatever this one reads of what is whole, for all blocks the same is stored
            if (bench_.whole_apart && !is_whole(o.compute.what.name))
                for_each_read(o.compute.body_of_first, [&](ir::ref n) {
                    if (made_in_.count(n) > 0 && is_whole(n)) store(n);
                });
            if (is_skipped(o.compute)) continue;
            for_each_read(o, [&](ir::ref n) { need_in(n, level_[o.compute.what.name]); });
        }
    }
    void need_in(ir::ref n, int level) {
        if (need(n, level).again) {
            if (!again_[level].insert(n).second) return;
            for_each_read(computes_.at(n)->what.body, [&](ir::ref r) { need_in(r, level); });
        } else if (is_made_before(n, level)) {
            store(n);
        }
    }
    bool is_made_before(ir::ref n, int level) const {
        const auto made = made_in_.find(n);
        return made != made_in_.end() && (made->second < level || skipped_.count(n) > 0);
    }

    // What is larger than all that the caller has, as scores of all pairs are, is not stored where
    // it takes little to make it again from less: the engine fuses it into what reads it.
    struct needed : made_again {
        bool again = false;  // or else it is stored itself, if it has been made before
    };
    needed need(ir::ref n, int level) {
        if (!is_made_before(n, level) || stored_.count(n) > 0) return {};
        if (const auto known = needs_.find({n, level}); known != needs_.end()) return known->second;
        const double own = places_of(n);
        needed made{{0, work_of(*computes_.at(n))}, true};
        std::set<ir::ref> read;
        for_each_read(computes_.at(n)->what.body, [&](ir::ref r) { read.insert(r); });
        for (const ir::ref r : read) {
            const needed other = need(r, level);
            made.places += other.places;
            made.work += other.work;
        }
        if (skipped_.count(n) > 0 || own <= largest_ || is_stored_rather(made, own))
            made = {{own, 0}, false};
        return needs_[{n, level}] = made;
    }
    // Of all that is there before anything is computed, or in the end.
    void find_largest() {
        for (const ir::ref n : outputs_) largest_ = std::max(largest_, places_of(n));
        for (const operation& o : operations_) {
            if (o.kind != operation_kind::computation) continue;
            for_each_read(o, [&](ir::ref n) {
                if (made_in_.count(n) == 0) largest_ = std::max(largest_, places_of(n));
            });
        }
    }
    double places_of(ir::ref n) const {
        double places = 1;
        for (const std::int64_t extent : own_shape(bench_, n))
            places *= static_cast<double>(extent);
        return places;
    }
    double work_of(const computation& c) const {
        double work = 1;
        ir::indices_of(p_, c.what).for_each([&](ir::ref i) {
            work *= static_cast<double>(own_extent(i, c.split));
        });
        return work;
    }

    bool is_skipped(const computation& c) const {
        if (c.split.empty() || c.has_other_terms) return false;
        return own_extent(c.split[0], c.split) == 0;
    }
    std::int64_t own_extent(ir::ref letter, const std::vector<ir::ref>& split) const {
        const std::int64_t all = bench_.text.extents[slot(letter)];
        if (std::find(split.begin(), split.end(), letter) == split.end()) return all;
        return bench_.sharing.by_extent.at(all).of(bench_.sharing.rank);
    }

    void build(int level, stage& to) {
        ir::program p(p_.view());
        p.equations.clear();
        std::map<ir::ref, std::int64_t> extents;
        std::set<ir::ref> made;
        const auto k = static_cast<std::size_t>(level);
        read_in_[k];
        for (const operation& o : operations_) {
            if (o.kind != operation_kind::computation) continue;
            const computation& c = o.compute;
            if (level_[c.what.name] != level && again_[level].count(c.what.name) == 0) continue;
            made.insert(c.what.name);
            to.whole = bench_.whole_apart && is_whole(c.what.name);
            for_each_read(c.body_of_first, [&](ir::ref n) { read_in_[k].insert(n); });
            if (is_skipped(c)) continue;
            to.equations.push_back(o.equation);
            p.equations.push(c.what);
            // who has some places of a letter does not find all that are read among them
            for (const ir::ref i : c.split)
                if (p.indices[i].extent == ir::kept_inside) p.indices[i].extent = 0;
            const ir::index_set letters = ir::indices_of(p, c.what);
            letters.for_each([&](ir::ref i) { extents[i] = own_extent(i, c.split); });
        }
        finish(p, extents, made, to);
    }
    void finish(ir::program& p, const std::map<ir::ref, std::int64_t>& extents,
                const std::set<ir::ref>& made, stage& to) {
        for (const ir::ref n : stored_)
            if (made.count(n) > 0) p.names[n].kept = true;
        to.program = ir::compact(p.view());
        std::map<std::string, ir::ref> names;
        for (ir::ref n = 0; n < p.names.size(); ++n) names[detail::string_of(p.name(n))] = n;
        const auto defined = [&](ir::ref n) { return to.program.definition(n) != ir::none; };
        for (ir::ref n = 0; n < to.program.names.size(); ++n) {
            const ir::ref of = names.at(detail::string_of(to.program.name(n)));
            to.names.push_back(of);
            if (!defined(n)) to.reads.push_back({n, of});
            else if (stored_.count(of) > 0) to.writes.push_back({n, of});
        }
        std::map<std::string, ir::ref> by_letter;
        for (const auto& [i, extent] : extents) by_letter[detail::string_of(p.index(i))] = i;
        for (ir::ref i = 0; i < to.program.indices.size(); ++i) {
            to.letters.push_back(by_letter.at(detail::string_of(to.program.index(i))));
            to.extents.push_back({i, extents.at(to.letters.back())});
        }
    }

    const workbench& bench_;
    const ir::program& p_;
    const std::vector<operation>& operations_;
    const std::vector<ir::ref>& outputs_;
    std::map<ir::ref, int> level_;    // from which stage on a name is there
    std::map<ir::ref, int> made_in_;  // what stages compute
    std::set<ir::ref> skipped_;       // on this rank
    std::set<ir::ref> stored_;
    std::map<ir::ref, const computation*> computes_;
    std::map<int, std::set<ir::ref>> again_;  // by stage: what has been computed in an earlier one
    std::map<std::pair<ir::ref, int>, needed> needs_;
    double largest_ = 0;
    std::map<std::size_t, std::set<ir::ref>> read_in_;  // by stage, on any rank
    int last_ = 0;
};

}  // namespace

staged_program staged(const workbench& bench, const std::vector<operation>& operations,
                      const std::vector<ir::ref>& outputs) {
    return stage_builder(bench, operations, outputs).run();
}

std::size_t staged_program::waited_in(const exchange_place& e) const {
    for (std::size_t k = 0; k < stages.size(); ++k) {
        const auto has = [&](const std::vector<exchange_place>& list) {
            return std::find(list.begin(), list.end(), e) != list.end();
        };
        if (has(stages[k].waits)) return k;
        for (const auto& list : stages[k].exchange_waits)
            if (has(list)) return k + 1;
    }
    return stages.size();
}

std::vector<std::int64_t> own_shape(const workbench& bench, ir::ref name) {
    std::vector<std::int64_t> shape = bench.text.shapes[slot(name)];
    const named_form& form = bench.names[slot(name)];
    const std::int32_t part = form.part;
    if (form.window >= 0) shape[static_cast<std::size_t>(form.window)] = form.count;
    if (part >= 0) {
        std::int64_t& extent = shape[static_cast<std::size_t>(part)];
        extent = bench.sharing.by_extent.at(extent).of(bench.sharing.rank);
    }
    return shape;
}

}  // namespace ricci::mpi
