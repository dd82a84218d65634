// The stages of one shared-out index, and the exchanges between them.
#include "src/mpi/rank_program.hpp"

#include <map>
#include <utility>

#include <fmt/core.h>

#include <ricci/engine/executable.hpp>

#include "src/mpi/agreement.hpp"
#include "src/mpi/asked_places.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/folds.hpp"
#include "src/placement/words.hpp"

namespace ricci::mpi {
namespace {

/// Where all letters have been shared out: what the engine runs.
class local_program final : public rank_program {
public:
    local_program(const sharing_request& from, const rank_memory& memory, const stage& s)
        : step_(local_request(from, memory, s).view()) {}

    void run(std::string& wrong) override {
        if (wrong.empty()) wrong = words_of_failure([&] { step_.run(); });
    }
    std::string explain() const override {
        return "computed by this rank\n" + step_.explain() + "\n";
    }
    std::int64_t bytes_sent() const override { return 0; }

private:
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
          memory_(given_.arrays) {
        allocate();
        for (const stage& s : placed_.stages()) {
            steps_.push_back(s.program.equations.empty() ? nullptr : step_of(s));
            collectives_.emplace_back();
            for (const operation& o : s.exchanges) {
                collectives_.back().push_back(collective_of(o.exchange));
                context_.under_way.make_room();
            }
        }
    }

    void run(std::string& wrong) override {
        const auto& stages = placed_.stages();
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            finish(stages[k].waits);
            start(k, true);
            if (steps_[k] != nullptr) run_step(*steps_[k], placed_, wrong);
            start(k, false);
        }
        for (const auto& list : collectives_)
            for (const auto& c : list) context_.under_way.finish(*c);
        for (auto& [made, to] : copied_) copy_elements(memory_.at(made), to);
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
        std::int64_t sent = 0;
        for (const auto& step : steps_) sent += step != nullptr ? step->bytes_sent() : 0;
        for (std::size_t k = 0; k < collectives_.size(); ++k)
            for (std::size_t c = 0; c < collectives_[k].size(); ++c) {
                const std::int64_t known = collectives_[k][c]->sent();
                sent += known >= 0 ? known
                                   : placed_.bytes_of(placed_.stages()[k].exchanges[c].exchange);
            }
        return sent;
    }
    const array& output(std::size_t k) const override { return memory_.at(placed_.outputs()[k]); }

private:
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
        const auto axis = static_cast<std::size_t>(e.axis);
        const std::size_t extent = placed_.extents_of(name)[axis];
        return memory_[name] =
                   part_of(memory_of(e.from), axis, e.before, static_cast<std::int64_t>(extent));
    }

    std::unique_ptr<rank_program> step_of(const stage& s) {
        return program_of_stage(
            placed_, s, memory_of_stage(s, given_, [&](ir::ref name) { return memory_of(name); }),
            context_);
    }
    std::shared_ptr<collective> collective_of(const exchange& e) {
        const array &from = memory_of(e.from), &to = memory_of(e.to);
        const exchange_settings s = context_.settings_of(letter_);
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
    // Numbers are counted anew before the equations of a stage, which read them.
    void start(std::size_t k, bool before) {
        const stage& s = placed_.stages()[k];
        for (std::size_t e = 0; e < collectives_[k].size(); ++e) {
            if ((s.exchanges[e].exchange.kind == exchange_kind::own_places) != before) continue;
            finish(s.exchange_waits[e]);
            context_.under_way.start(*collectives_[k][e]);
        }
    }
    void finish(const std::vector<exchange_place>& list) {
        for (const exchange_place& e : list)
            context_.under_way.finish(*collectives_[e.stage][e.number]);
    }

    const rank_memory given_;
    const std::vector<ir::ref> wanted_;
    rank_context& context_;
    const std::size_t letter_;
    placed_program placed_;
    std::map<ir::ref, array> memory_;
    std::vector<std::pair<ir::ref, array>> copied_;     // outputs that are views, and where they go
    std::vector<std::unique_ptr<rank_program>> steps_;  // by stage
    std::vector<std::vector<std::shared_ptr<collective>>> collectives_;
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
