// What ranks exchange between the stages of one shared-out index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/mpi/rank_program.hpp"

namespace ricci::mpi {

/// Begins each exchange when what it sends is there, and waits for it where what it brings is
/// read. Refers to both.
class stage_exchanges {
public:
    stage_exchanges(const placed_program& placed, rank_context& context)
        : placed_(placed), context_(context) {}

    /// Of the next stage: make(exchange) gives what carries one out.
    template <class Make>
    void add_stage(const Make& make) {
        const stage& s = placed_.stages()[all_.size()];
        all_.emplace_back();
        for (const operation& o : s.exchanges) {
            all_.back().push_back(make(o.exchange));
            context_.under_way.make_room();
        }
    }

    /// Computes all stages, and exchanges what has to be between them.
    template <class Compute>
    void run(const Compute& compute) {
        walk_stages(
            placed_.stages(), [&](const exchange_place& e) { context_.under_way.finish(at(e)); },
            compute, [&](const exchange_place& e) { context_.under_way.start(at(e)); });
        for (const auto& list : all_)
            for (const auto& c : list) context_.under_way.finish(*c);
    }

    /// That this rank has handed to MPI in the last run, or would in one.
    std::int64_t bytes_of(std::size_t k, std::size_t e) const {
        const std::int64_t known = all_[k][e]->sent();
        return known >= 0 ? known : placed_.bytes_of(placed_.stages()[k].exchanges[e].exchange);
    }
    std::int64_t bytes_sent() const {
        std::int64_t sent = 0;
        for (std::size_t k = 0; k < all_.size(); ++k)
            for (std::size_t e = 0; e < all_[k].size(); ++e) sent += bytes_of(k, e);
        return sent;
    }

private:
    collective& at(const exchange_place& e) { return *all_[e.stage][e.number]; }

    const placed_program& placed_;
    rank_context& context_;
    std::vector<std::vector<std::shared_ptr<collective>>> all_;  // by stage
};

}  // namespace ricci::mpi
