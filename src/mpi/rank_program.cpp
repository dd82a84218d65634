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

}  // namespace

struct shared_program::state {
    state(sharing_request request, rank_memory bound, const std::vector<MPI_Comm>& all_comms)
        : given(std::move(bound)),
          wanted(request.outputs),
          comms(all_comms),
          comm(comms[request.next]),
          placed(std::move(request)),
          memory(given.arrays) {
        allocate();
        for (const stage& s : placed.stages()) {
            steps.push_back(s.program.equations.empty() ? nullptr : step_of(s));
            collectives.emplace_back();
            for (const operation& o : s.exchanges)
                collectives.back().push_back(collective_of(o.exchange));
        }
    }

    void allocate() {
        for (std::size_t k = 0; k < wanted.size(); ++k)
            if (const auto at = given.arrays.find(wanted[k]); at != given.arrays.end()) {
                const ir::ref made = placed.outputs()[k];
                memory.erase(wanted[k]);
                if (placed.view_of(made) == nullptr) memory[made] = at->second;
                else copied.emplace_back(made, at->second);
            }
        for (const ir::ref n : placed.stored()) {
            if (memory.count(n) == 0) memory[n] = array(placed.type_of(n), placed.extents_of(n));
            const named_form& form = placed.form_of(n);
            if (form.partial) fill_with_nothing(memory[n], form.how);
        }
        for (const ir::ref n : placed.outputs()) memory_of(n);
    }
    // Excerpts are views of what has memory.
    const array& memory_of(ir::ref name) {
        const auto found = memory.find(name);
        if (found != memory.end()) return found->second;
        const excerpt& e = *placed.view_of(name);
        const auto axis = static_cast<std::size_t>(e.axis);
        const std::size_t extent = placed.extents_of(name)[axis];
        return memory[name] =
                   part_of(memory_of(e.from), axis, e.before, static_cast<std::int64_t>(extent));
    }

    std::unique_ptr<rank_program> step_of(const stage& s) {
        rank_memory m = memory_of_stage(s, given, [&](ir::ref name) { return memory_of(name); });
        sharing_request q = placed.request_of(s);
        if (placed.is_last()) return std::make_unique<local_program>(q, m, s);
        return std::make_unique<shared_program>(std::move(q), std::move(m), comms);
    }
    std::shared_ptr<collective> collective_of(const exchange& e) {
        const array &from = memory_of(e.from), &to = memory_of(e.to);
        if (e.kind == exchange_kind::all_reduce) return all_reduce(comm, from, to, e.how);
        const auto axis = static_cast<std::size_t>(e.axis);
        const distribution& parts = placed.parts_of(e);
        switch (e.kind) {
            case exchange_kind::neighbours:
                return neighbours(comm, from, to, axis, parts, *e.windows);
            case exchange_kind::neighbour_sums:
                return sums_at_neighbours(comm, from, to, parts, *e.windows);
            case exchange_kind::own_places:
                return own_places(placed.letter().sharing.rank, from, to, parts);
            case exchange_kind::asked_places:
                return asked[e.to] = std::make_shared<asked_places>(comm, from, to, parts);
            case exchange_kind::rows:
                return asked_rows(asked.at(e.places), from, to, axis);
            case exchange_kind::row_sums:
                return sums_at_asked(asked.at(e.places), from, to);
            case exchange_kind::reduce_scatter:
                return reduce_scatter(comm, from, to, axis, e.how, parts);
            default:
                return all_gather(comm, from, to, axis, parts);
        }
    }

    // Numbers are counted anew before the equations of a stage, which read them.
    void run_collectives(std::size_t stage, bool before) {
        for (std::size_t c = 0; c < collectives[stage].size(); ++c)
            if ((placed.stages()[stage].exchanges[c].exchange.kind == exchange_kind::own_places) ==
                before)
                collectives[stage][c]->run();
    }
    void run(std::string& wrong) {
        for (std::size_t k = 0; k < steps.size(); ++k) {
            run_collectives(k, true);
            const bool is_first = wrong.empty();
            if (steps[k] != nullptr) steps[k]->run(wrong);
            if (is_first) wrong = placed.in_words_of_the_whole(wrong);
            run_collectives(k, false);
        }
        for (auto& [made, to] : copied) copy_elements(memory.at(made), to);
    }
    std::string explain() const {
        std::string out = words_of(placed.letter().sharing, placed.letter().letter);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (steps[k] != nullptr) out += steps[k]->explain();
            for (const operation& o : placed.stages()[k].exchanges)
                if (o.exchange.kind != exchange_kind::own_places)
                    out += fmt::format("{}: this rank sends {}{} bytes\n", placed.words_of(o),
                                       numbers_decide(o.exchange.kind) ? "at most " : "",
                                       placed.bytes_of(o.exchange));
        }
        return out;
    }
    std::int64_t bytes_sent() const {
        std::int64_t sent = 0;
        for (const auto& step : steps) sent += step != nullptr ? step->bytes_sent() : 0;
        for (std::size_t k = 0; k < collectives.size(); ++k)
            for (std::size_t c = 0; c < collectives[k].size(); ++c) {
                const std::int64_t known = collectives[k][c]->sent();
                sent +=
                    known >= 0 ? known : placed.bytes_of(placed.stages()[k].exchanges[c].exchange);
            }
        return sent;
    }

    const rank_memory given;
    const std::vector<ir::ref> wanted;
    const std::vector<MPI_Comm> comms;
    const MPI_Comm comm;
    placed_program placed;
    std::map<ir::ref, array> memory;
    std::vector<std::pair<ir::ref, array>> copied;     // outputs that are views, and where they go
    std::vector<std::unique_ptr<rank_program>> steps;  // by stage
    std::vector<std::vector<std::shared_ptr<collective>>> collectives;
    std::map<ir::ref, std::shared_ptr<asked_places>> asked;  // by the name of the numbers it makes
};

shared_program::shared_program(sharing_request request, rank_memory memory,
                               const std::vector<MPI_Comm>& comms)
    : state_(std::make_unique<state>(std::move(request), std::move(memory), comms)) {}
shared_program::~shared_program() = default;
void shared_program::run(std::string& wrong) { state_->run(wrong); }
std::string shared_program::explain() const { return state_->explain(); }
std::int64_t shared_program::bytes_sent() const { return state_->bytes_sent(); }
const array& shared_program::output(std::size_t k) const {
    return state_->memory.at(state_->placed.outputs()[k]);
}

}  // namespace ricci::mpi
