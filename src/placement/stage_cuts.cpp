// Where stages are cut.
#include "src/placement/stage_cuts.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::mpi {
namespace {

constexpr double price_of_stored_byte = 0.25;  // written and read; where one that is sent costs 1

std::size_t number_of_name(ir::ref n) { return static_cast<std::size_t>(n); }

template <class Visit>
void for_each_read(const workbench& bench, const operation& o, const Visit& visit) {
    const ir::program& p = bench.text.program;
    ir::for_each_node(p, o.compute.body_of_first, [&](ir::ref n) {
        if (p.nodes[n].kind == ir::op::tensor) visit(p.nodes[n].name);
    });
}

class stage_cutter {
public:
    stage_cutter(const workbench& bench, const std::vector<operation>& operations,
                 const std::vector<ir::ref>& outputs, stage_numbers stages)
        : bench_(bench),
          operations_(in_order_of_readiness(bench, operations)),
          given_(std::move(stages)),
          stored_(outputs.begin(), outputs.end()) {
        for (const operation& o : operations_) {
            if (o.kind == operation_kind::exchange)
                stored_.insert({o.exchange.from, o.exchange.places});
            if (o.kind == operation_kind::computation) computes_[o.compute.what.name] = &o;
        }
        for (const auto& [n, o] : computes_) {
            std::set<ir::ref> read;
            for_each_read(n, [&](ir::ref r) { read.insert(r); });
            for (const ir::ref r : read) ++readers_[r];
        }
        find_largest();
    }

    stage_numbers run() {
        stage_numbers cut;
        std::vector<int> first;  // by stage, of the stages that it has become
        std::map<ir::ref, int> piece;
        for (int level = 0; level <= given_.last; ++level) {
            first.push_back(cut.last);
            cut.last += pieces_of(level, piece);
        }
        --cut.last;
        for (const auto& [n, level] : given_.there) {
            const auto made = given_.made.find(n);
            const bool here = made != given_.made.end() && made->second == level;
            cut.there[n] =
                (level > given_.last ? cut.last + 1 : first[static_cast<std::size_t>(level)]) +
                (here ? piece.at(n) : 0);
        }
        for (const auto& [n, level] : given_.made)
            cut.made[n] = first[static_cast<std::size_t>(level)] + piece.at(n);
        return cut;
    }

private:
    // Sorts the computations of a stage into pieces; how many there are.
    int pieces_of(int level, std::map<ir::ref, int>& piece) {
        std::vector<ir::ref> made;  // in order
        std::vector<const operation*> exchanges;
        bool waits_for_nothing = false;
        for (const operation& o : operations_) {
            if (o.kind == operation_kind::computation &&
                given_.made.at(o.compute.what.name) == level)
                made.push_back(o.compute.what.name);
            if (o.kind != operation_kind::exchange ||
                o.exchange.kind == exchange_kind::own_places || begins_in(o.exchange) != level)
                continue;
            const auto sent = given_.made.find(o.exchange.from);
            const bool computed = sent != given_.made.end() && sent->second == level;
            if (computed) exchanges.push_back(&o);
            waits_for_nothing = waits_for_nothing || !computed;
        }
        for (const ir::ref n : made) piece[n] = 0;
        if (!bench_.overlap || made.empty()) return 1;
        std::map<ir::ref, std::size_t> group;
        for (std::size_t k = 0; k < exchanges.size(); ++k)
            for (const ir::ref n : {exchanges[k]->exchange.from, exchanges[k]->exchange.places})
                take(n, level, k, group);
        for (const ir::ref n : made) group.emplace(n, exchanges.size());
        int count = waits_for_nothing ? 1 : 0;  // nothing is computed in the first one then
        std::vector<int> number(exchanges.size() + 1);
        double bytes = 0;  // of exchanges since the last cut
        for (std::size_t k = 0; k < number.size(); ++k) {
            number[k] = count;
            if (k == exchanges.size()) break;
            bytes += price_of_exchange + bytes_of(exchanges[k]->exchange.from);
            if (!pays(made, group, k, bytes)) continue;
            ++count;
            bytes = 0;
        }
        for (const ir::ref n : made) piece[n] = number[group.at(n)];
        return count + 1;
    }
    int begins_in(const exchange& e) const {
        const int from = given_.there.at(e.from);
        return e.places == ir::none ? from : std::max(from, given_.there.at(e.places));
    }
    // A name, and what it is made of in its stage, are computed for an exchange.
    void take(ir::ref n, int level, std::size_t exchange, std::map<ir::ref, std::size_t>& group) {
        const auto made = given_.made.find(n);
        if (made == given_.made.end() || made->second != level) return;
        if (!group.emplace(n, exchange).second) return;
        for_each_read(n, [&](ir::ref r) { take(r, level, exchange, group); });
    }
    // Whether a stage is cut behind the groups up to `last`, where exchanges of so many bytes
    // begin.
    bool pays(const std::vector<ir::ref>& made, const std::map<ir::ref, std::size_t>& group,
              std::size_t last, double bytes) const {
        double hides = 0;
        std::set<ir::ref> crossing;
        for (const ir::ref n : made) {
            if (group.at(n) <= last) continue;
            hides += price_of_multiplication * work_of(*computes_.at(n));
            for_each_read(n, [&](ir::ref r) {
                const auto before = group.find(r);
                if (before != group.end() && before->second <= last && stored_.count(r) == 0)
                    crossing.insert(r);
            });
        }
        double stored = 0;
        for (const ir::ref n : crossing) {
            if (places_of(n) > largest_) return false;
            // what is read several times is stored anyway
            if (readers_.at(n) == 1) stored += bytes_of(n);
        }
        return hides > 0 && price_of_stored_byte * stored <= std::min(hides, bytes);
    }

    template <class Visit>
    void for_each_read(ir::ref made, const Visit& visit) const {
        mpi::for_each_read(bench_, *computes_.at(made), visit);
    }
    void find_largest() {
        for (const ir::ref n : stored_)
            if (n != ir::none && given_.made.count(n) == 0)
                largest_ = std::max(largest_, places_of(n));
        for (const auto& [n, o] : computes_) {
            if (stored_.count(n) > 0 && !bench_.names[number_of_name(n)].partial)
                largest_ = std::max(largest_, places_of(n));
            for_each_read(n, [&](ir::ref r) {
                if (given_.made.count(r) == 0) largest_ = std::max(largest_, places_of(r));
            });
        }
    }
    // On the rank that has most of them.
    double places_of(ir::ref n) const {
        const named_form& form = bench_.names[number_of_name(n)];
        const std::vector<std::int64_t>& shape = bench_.text.shapes[number_of_name(n)];
        double places = 1;
        for (std::size_t k = 0; k < shape.size(); ++k)
            places *= static_cast<double>(static_cast<std::int32_t>(k) == form.part
                                              ? bench_.sharing.by_extent.at(shape[k]).most()
                                              : shape[k]);
        return places;
    }
    double bytes_of(ir::ref n) const { return bench_.element_size * places_of(n); }
    double work_of(const operation& o) const {
        const ir::program& p = bench_.text.program;
        ir::equation e = o.compute.what;
        e.body = o.compute.body_of_first;
        double work = 1;
        const std::vector<ir::ref>& split = o.compute.split;
        ir::indices_of(p, e).for_each([&](ir::ref i) {
            const std::int64_t all = bench_.text.extents[number_of_name(i)];
            const bool cut = std::find(split.begin(), split.end(), i) != split.end();
            work *= static_cast<double>(cut ? bench_.sharing.by_extent.at(all).most() : all);
        });
        return work;
    }

    const workbench& bench_;
    const std::vector<operation> operations_;
    const stage_numbers given_;
    std::set<ir::ref> stored_;
    std::map<ir::ref, const operation*> computes_;
    std::map<ir::ref, int> readers_;
    double largest_ = 0;
};

}  // namespace

std::vector<operation> in_order_of_readiness(const workbench& bench,
                                             const std::vector<operation>& operations) {
    std::map<ir::ref, std::set<ir::ref>> waits;  // by what is computed: itself and all before it
    std::vector<std::pair<std::size_t, std::size_t>> order;
    std::vector<operation> sorted;
    for (std::size_t k = 0; k < operations.size(); ++k) {
        const operation& o = operations[k];
        if (o.kind == operation_kind::exchange) {
            std::size_t most = 0;
            for (const ir::ref n : {o.exchange.from, o.exchange.places})
                if (const auto from = waits.find(n); from != waits.end())
                    most = std::max(most, from->second.size());
            order.emplace_back(most, k);
            continue;
        }
        sorted.push_back(o);
        if (o.kind != operation_kind::computation) continue;
        std::set<ir::ref> all{o.compute.what.name};
        for_each_read(bench, o, [&](ir::ref r) {
            if (const auto before = waits.find(r); before != waits.end())
                all.insert(before->second.begin(), before->second.end());
        });
        waits.emplace(o.compute.what.name, std::move(all));
    }
    std::sort(order.begin(), order.end());
    for (const auto& [count, k] : order) sorted.push_back(operations[k]);
    return sorted;
}

stage_numbers cut_for_overlap(const workbench& bench, const std::vector<operation>& operations,
                              const std::vector<ir::ref>& outputs, stage_numbers stages) {
    return stage_cutter(bench, operations, outputs, std::move(stages)).run();
}

}  // namespace ricci::mpi
