// The stages of one shared-out index, and the exchanges between them.
#include "src/mpi/rank_program.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <ricci/engine/executable.hpp>

#include "src/mpi/agreement.hpp"
#include "src/mpi/asked_places.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/first_places.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/stage_exchanges.hpp"
#include "src/placement/words.hpp"

namespace ricci::mpi {
namespace {

/// Where all letters have been shared out: what the engine runs.
class local_program final : public rank_program {
public:
    local_program(const sharing_request& from, const rank_memory& memory, const stage& s)
        : stage_(s), type_(from.type), step_(local_request(from, memory, s).view()) {}

    void run(std::string& wrong) override {
        if (wrong.empty()) wrong = words_of_failure([&] { step_.run(); });
    }
    void bind(const rank_memory& moved) override {
        step_.bind(local_request(type_, moved, stage_).view());
    }
    std::string explain() const override {
        return "computed by this rank\n" + step_.explain() + "\n";
    }
    std::int64_t bytes_sent() const override { return 0; }

private:
    const stage& stage_;
    element type_;
    engine::executable step_;
};

class shared_program final : public letter_program {
public:
    shared_program(sharing_request request, rank_memory bound, rank_context& context)
        : given_(std::move(bound)),
          wanted_(request.outputs),
          context_(context),
          letter_(request.next),
          placed_(std::move(request)),
          memory_(given_.arrays),
          exchanges_(placed_, context) {
        find_moving();
        allocate();
        for (const stage& s : placed_.stages()) {
            steps_.push_back(s.program.equations.empty() ? nullptr : step_of(s));
            exchanges_.add_stage([&](const exchange& e) { return collective_of(e); });
        }
    }

    void run(std::string& wrong) override {
        exchanges_.run([&](std::size_t k) {
            if (steps_[k] != nullptr) run_step(*steps_[k], placed_, wrong);
        });
        for (auto& [made, to] : copied_) copy_elements(memory_.at(made), to);
    }
    void bind(const rank_memory& moved) override {
        for (const auto& [n, a] : moved.arrays)
            if (moving_.count(n) == 0) copy_elements(a, memory_.at(n));
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (steps_[k] == nullptr) continue;
            rank_memory inner;
            for (const stage::tensor& t : placed_.stages()[k].reads) {
                if (!moves(t.of)) continue;
                if (auto a = moved_memory(moved, t.of)) inner.arrays.emplace(t.name, std::move(*a));
                if (const auto w = moved.watches.find(t.of); w != moved.watches.end())
                    inner.watches[t.name] = w->second;
            }
            if (!inner.arrays.empty()) steps_[k]->bind(inner);
        }
    }
    std::string explain() const override {
        std::string out = words_of(placed_.letter().sharing, placed_.letter().letter);
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            if (steps_[k] != nullptr) out += steps_[k]->explain();
            const auto& exchanges = placed_.stages()[k].exchanges;
            for (std::size_t e = 0; e < exchanges.size(); ++e)
                out += words_of_exchange(placed_, {k, e}, placed_.bytes_of(exchanges[e].exchange));
        }
        return out;
    }
    std::int64_t bytes_sent() const override {
        std::int64_t sent = exchanges_.bytes_sent();
        for (const auto& step : steps_) sent += step != nullptr ? step->bytes_sent() : 0;
        return sent;
    }
    const array& output(std::size_t k) const override { return memory_.at(placed_.outputs()[k]); }
    std::vector<std::size_t> waits(std::size_t k) const override {
        std::vector<std::size_t> letters;
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            const std::vector<stage::tensor>& writes = placed_.stages()[s].writes;
            for (std::size_t w = 0; steps_[s] != nullptr && w < writes.size(); ++w) {
                if (writes[w].of != placed_.outputs()[k]) continue;
                for (const std::size_t inner : steps_[s]->waits(w)) letters.push_back(inner);
            }
        }
        // Behind those inside: ranks without a place of this letter have none of these to wait for.
        if (placed_.waits(k)) letters.push_back(letter_);
        return letters;
    }

private:
    // What an exchange sends stays where it is: there a copy is made of what moves.
    void find_moving() {
        moving_ = given_.moving;
        const auto keep = [&](ir::ref n) {
            while (n != ir::none && placed_.view_of(n) != nullptr) n = placed_.view_of(n)->from;
            if (moving_.erase(n) > 0) memory_[n] = given_.arrays.at(n).clone();
        };
        for (const stage& s : placed_.stages())
            for (const operation& o : s.exchanges) {
                keep(o.exchange.from);
                keep(o.exchange.places);
            }
    }
    bool moves(ir::ref n) const {
        const excerpt* const e = placed_.view_of(n);
        return moving_.count(n) > 0 || (e != nullptr && moves(e->from));
    }
    // Where what moves is now, if it is among these.
    std::optional<array> moved_memory(const rank_memory& moved, ir::ref n) const {
        const auto found = moved.arrays.find(n);
        if (found != moved.arrays.end()) return found->second;
        const excerpt* const e = placed_.view_of(n);
        if (e == nullptr) return std::nullopt;
        const auto whole = moved_memory(moved, e->from);
        if (!whole) return whole;
        return view_in(*whole, n, *e);
    }
    array view_in(const array& whole, ir::ref name, const excerpt& e) const {
        const auto axis = static_cast<std::size_t>(e.axis);
        const std::size_t extent = placed_.extents_of(name)[axis];
        return part_of(whole, axis, e.before, static_cast<std::int64_t>(extent));
    }
    void allocate() {
        for (std::size_t k = 0; k < wanted_.size(); ++k)
            if (const auto at = given_.arrays.find(wanted_[k]); at != given_.arrays.end()) {
                const ir::ref made = placed_.outputs()[k];
                memory_.erase(wanted_[k]);
                if (placed_.view_of(made) == nullptr) memory_[made] = at->second;
                else copied_.emplace_back(made, at->second);
            }
        for (const ir::ref n : placed_.stored()) {
            if (memory_.count(n) == 0)
                memory_[n] = array(placed_.type_of(n), placed_.extents_of(n));
            const named_form& form = placed_.form_of(n);
            if (form.partial) fill_with_nothing(memory_[n], form.how);
        }
        for (const ir::ref n : placed_.outputs()) memory_of(n);
    }
    // Excerpts are views of what has memory.
    const array& memory_of(ir::ref name) {
        const auto found = memory_.find(name);
        if (found != memory_.end()) return found->second;
        const excerpt& e = *placed_.view_of(name);
        return memory_[name] = view_in(memory_of(e.from), name, e);
    }

    std::unique_ptr<rank_program> step_of(const stage& s) {
        rank_memory m = memory_of_stage(s, given_, [&](ir::ref name) { return memory_of(name); });
        for (const stage::tensor& t : s.reads)
            if (moves(t.of)) m.moving.insert(t.name);
        return program_of_stage(placed_, s, std::move(m), context_);
    }
    std::shared_ptr<collective> collective_of(const exchange& e) {
        const array &from = memory_of(e.from), &to = memory_of(e.to);
        const exchange_settings s = context_.settings_of(letter_);
        if (e.kind == exchange_kind::all_reduce && e.places != ir::none)
            return first_places(
                s,
                {{from, memory_of(e.places), placed_.parts_of(e), placed_.letter().sharing.rank}},
                to, placed_.type_of(e.from), e.how);
        if (e.kind == exchange_kind::all_reduce) return all_reduce(s, from, to, e.how);
        const auto axis = static_cast<std::size_t>(e.axis);
        const distribution& parts = placed_.parts_of(e);
        switch (e.kind) {
            case exchange_kind::neighbours:
                return neighbours(s, from, to, axis, parts, *e.windows);
            case exchange_kind::neighbour_sums:
                return sums_at_neighbours(s.comm, from, to, parts, *e.windows);
            case exchange_kind::own_places:
                return own_places(placed_.letter().sharing.rank, from, to, parts);
            case exchange_kind::asked_places:
                return asked_[e.to] = std::make_shared<asked_places>(s.comm, from, to, parts);
            case exchange_kind::rows:
                return asked_rows(asked_.at(e.places), from, to, axis);
            case exchange_kind::row_sums:
                return sums_at_asked(asked_.at(e.places), from, to);
            case exchange_kind::reduce_scatter:
                return reduce_scatter(s, from, to, axis, e.how, parts);
            default:
                return all_gather(s, from, to, axis, parts);
        }
    }
    const rank_memory given_;
    const std::vector<ir::ref> wanted_;
    rank_context& context_;
    const std::size_t letter_;
    placed_program placed_;
    std::map<ir::ref, array> memory_;
    std::vector<std::pair<ir::ref, array>> copied_;     // outputs that are views, and where they go
    std::set<ir::ref> moving_;                          // what steps read of other memory
    std::vector<std::unique_ptr<rank_program>> steps_;  // by stage
    stage_exchanges exchanges_;
    std::map<ir::ref, std::shared_ptr<asked_places>> asked_;  // by the name of the numbers it makes
};

}  // namespace

std::unique_ptr<letter_program> program_of_letter(sharing_request request, rank_memory memory,
                                                  rank_context& context) {
    if ((*request.shared)[request.next].sharing.blocks > 0)
        return program_in_blocks(std::move(request), std::move(memory), context);
    return std::make_unique<shared_program>(std::move(request), std::move(memory), context);
}

void run_step(rank_program& step, const placed_program& placed, std::string& wrong) {
    const bool failed = !wrong.empty();
    step.run(wrong);
    if (!failed && !wrong.empty()) wrong = placed.in_words_of_the_whole(wrong);
}

std::string words_of_exchange(const placed_program& placed, const exchange_place& which,
                              std::int64_t bytes) {
    const operation& o = placed.stages()[which.stage].exchanges[which.number];
    if (o.exchange.kind == exchange_kind::own_places) return {};
    const std::string meanwhile = placed.words_of_meanwhile(which);
    return fmt::format("{}: this rank sends {}{} bytes{}{}\n", placed.words_of(o),
                       numbers_decide(o.exchange.kind) ? "at most " : "", bytes,
                       meanwhile.empty() ? "" : " while it computes ", meanwhile);
}

std::unique_ptr<rank_program> program_of_stage(const placed_program& placed, const stage& s,
                                               rank_memory memory, rank_context& context) {
    sharing_request q = placed.request_of(s);
    if (placed.is_last()) return std::make_unique<local_program>(q, memory, s);
    return program_of_letter(std::move(q), std::move(memory), context);
}

}  // namespace ricci::mpi
