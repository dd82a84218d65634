// A shared-out index in blocks: each is computed as the part of one rank of so many would be, and
// what is whole is computed once on every rank. So nothing that is computed depends on how many
// ranks there are, and what blocks fold is folded by one tree.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/mpi/agreement.hpp"
#include "src/mpi/block_collectives.hpp"
#include "src/mpi/first_places.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/rank_program.hpp"
#include "src/mpi/stage_exchanges.hpp"
#include "src/placement/words.hpp"

namespace ricci::mpi {
namespace {

/// An array whose strides are those of its extents: plans depend on strides. What does not lie so
/// has none.
array in_rows(const array& a) {
    std::vector<std::int64_t> strides(a.rank());
    std::int64_t step = 1;
    for (std::size_t k = a.rank(); k-- > 0; step *= static_cast<std::int64_t>(a.extent(k)))
        strides[k] = step;
    return array::over(std::make_shared<array>(a), a.type(), const_cast<void*>(a.data()),
                       a.extents(), strides, a.is_writable());
}

/// The program of one block.
struct block_part {
    block_part(const sharing_request& request, int block, int blocks)
        : shared(*request.shared), placed(of(request, block, blocks)) {}

    std::vector<shared_letter> shared;
    placed_program placed;
    std::map<ir::ref, array> memory;
    std::vector<std::unique_ptr<rank_program>> steps;  // by stage

private:
    sharing_request of(sharing_request r, int block, int blocks) {
        shared_letter& s = shared[r.next];
        s.sharing = {};
        s.sharing.rank = block;
        s.sharing.ranks = blocks;
        s.whole_apart = true;
        // also of what no equation reads
        const shared_axes& axes = r.axes[r.next];
        for (std::size_t n = 0; n < axes.size(); ++n)
            if (axes[n] >= 0) s.sharing.of(r.text.shapes[n][static_cast<std::size_t>(axes[n])]);
        r.shared = &shared;
        return r;
    }
};

class block_program final : public letter_program {
public:
    block_program(const sharing_request& request, rank_memory bound, rank_context& context)
        : given_(std::move(bound)),
          wanted_(request.outputs),
          context_(context),
          letter_(request.next),
          real_((*request.shared)[request.next]) {
        const int blocks = real_.sharing.blocks;
        who_ = {balanced(blocks, real_.sharing.ranks), real_.sharing.rank};
        whole_ = std::make_unique<block_part>(request, 0, blocks);
        exchanges_ = std::make_unique<stage_exchanges>(placed(), context_);
        for (int b = who_.first(who_.rank); b < who_.end(who_.rank); ++b)
            parts_.push_back(std::make_unique<block_part>(request, b, blocks));
        check_stages();
        // what moves is copied to where blocks look at it
        for (const ir::ref n : given_.moving) given_.arrays[n] = given_.arrays.at(n).clone();
        take_inputs();
        allocate();
        for (std::size_t k = 0; k < placed().stages().size(); ++k) add_stage(k);
    }

    void run(std::string& wrong) override {
        for (auto& [from, to] : brought_) copy_elements(from, to);
        exchanges_->run([&](std::size_t k) {
            if (const auto& step = whole_->steps[k]) run_step(*step, whole_->placed, wrong);
            for (const auto& p : parts_)
                if (p->steps[k] != nullptr) run_step(*p->steps[k], p->placed, wrong);
        });
        for (auto& [made, to] : results_) copy_elements(made, to);
    }

    void bind(const rank_memory& moved) override {
        for (const auto& [n, a] : moved.arrays) copy_elements(a, given_.arrays.at(n));
    }
    std::string explain() const override {
        const auto& stages = placed().stages();
        std::string out = fmt::format(
            "{} ranks; {} is shared out in {} blocks, of which this rank has {}, one after "
            "another: "
            "the same bits on any number of ranks. What blocks have beside each other takes {} "
            "bytes here\n",
            who_.ranks(), real_.letter, who_.blocks(), parts_.size(), bytes_of_blocks());
        for (std::size_t k = 0; k < stages.size(); ++k) {
            if (const auto& step = whole_->steps[k]) out += step->explain();
            if (!parts_.empty() && parts_[0]->steps[k] != nullptr)
                out += "for each block, as for the first one: " + parts_[0]->steps[k]->explain();
            for (std::size_t e = 0; e < stages[k].exchanges.size(); ++e)
                out += words_of_exchange(placed(), {k, e}, exchanges_->bytes_of(k, e));
        }
        return out;
    }
    std::int64_t bytes_sent() const override {
        std::int64_t sent = exchanges_->bytes_sent();
        for (const auto& step : whole_->steps) sent += step != nullptr ? step->bytes_sent() : 0;
        for (const auto& p : parts_)
            for (const auto& step : p->steps) sent += step != nullptr ? step->bytes_sent() : 0;
        return sent;
    }
    const array& output(std::size_t k) const override { return outputs_[k]; }

private:
    // What is decided is the same for all blocks.
    const placed_program& placed() const { return whole_->placed; }
    bool is_whole(ir::ref n) const { return placed().form_of(n).is_whole(); }
    /// This rank's places of an axis, or a block's among them.
    std::int64_t before(std::int64_t extent, int block) const {
        return balanced(extent, who_.blocks()).before(block);
    }

    // Operands --------------------------------------------------------------------------------

    // Whole ones are read as they lie, if they lie row-major, and blocks are looked at, if they do.
    void take_inputs() {
        for (const auto& [n, a] : given_.arrays) {
            if (std::find(wanted_.begin(), wanted_.end(), n) != wanted_.end()) continue;
            const std::int32_t axis = placed().form_of(n).part;
            if (axis < 0) {
                common_[n] = brought(a);
                continue;
            }
            // the extents of what nobody reads no block knows
            const std::int64_t extent = extent_of(n, axis);
            const int first = who_.first(who_.rank);
            for (std::size_t b = 0; b < parts_.size(); ++b) {
                const int block = first + static_cast<int>(b);
                const std::int64_t at = before(extent, block), end = before(extent, block + 1);
                parts_[b]->memory[n] = brought(part_of(a, static_cast<std::size_t>(axis),
                                                       at - before(extent, first), end - at));
            }
        }
    }
    array brought(const array& a) {
        if (a.is_contiguous()) return in_rows(a);
        const array copy(a.type(), a.extents());
        brought_.emplace_back(a, copy);
        return copy;
    }

    // Memory ----------------------------------------------------------------------------------

    void allocate() {
        for (std::size_t k = 0; k < wanted_.size(); ++k) make_output(k);
        for (const ir::ref n : placed().stored())
            if (is_whole(n) && common_.count(n) == 0)
                common_[n] = array(placed().type_of(n), placed().extents_of(n));
        for (const auto& p : parts_)
            for (const ir::ref n : p->placed.stored()) {
                if (is_whole(n)) continue;
                if (p->memory.count(n) == 0)
                    p->memory[n] = array(p->placed.type_of(n), p->placed.extents_of(n));
                const named_form& form = p->placed.form_of(n);
                if (form.partial) fill_with_nothing(p->memory[n], form.how);
            }
        for (std::size_t k = 0; k < wanted_.size(); ++k) find_result(k);
    }
    // Where an output is in the end: what is given, or memory of our own.
    void make_output(std::size_t k) {
        const ir::ref made = placed().outputs()[k];
        std::vector<std::size_t> extents = placed().extents_of(made);
        const std::int32_t axis = placed().form_of(made).part;
        if (axis >= 0)
            extents[static_cast<std::size_t>(axis)] =
                static_cast<std::size_t>(real_.sharing.of(extent_of(made, axis)).of(who_.rank));
        const auto given = given_.arrays.find(wanted_[k]);
        outputs_.push_back(given != given_.arrays.end() ? given->second
                                                        : array(placed().type_of(made), extents));
        if (axis < 0 && outputs_[k].is_contiguous() && common_.count(made) == 0)
            common_[made] = in_rows(outputs_[k]);
    }
    std::int64_t extent_of(ir::ref n, std::int32_t axis) const {
        return placed().whole_extent(n, axis);
    }
    // What does not lie there yet is copied.
    void find_result(std::size_t k) {
        const ir::ref made = placed().outputs()[k];
        const std::int32_t axis = placed().form_of(made).part;
        if (axis < 0) {
            const array& a = common_.at(made);
            if (a.data() != std::as_const(outputs_[k]).data())
                results_.emplace_back(a, outputs_[k]);
            return;
        }
        const std::int64_t extent = extent_of(made, axis);
        const int first = who_.first(who_.rank);
        for (std::size_t b = 0; b < parts_.size(); ++b) {
            const int block = first + static_cast<int>(b);
            const std::int64_t at = before(extent, block), end = before(extent, block + 1);
            results_.emplace_back(memory_of(*parts_[b], made),
                                  part_of(outputs_[k], static_cast<std::size_t>(axis),
                                          at - before(extent, first), end - at));
        }
    }
    const array& memory_of(block_part& p, ir::ref name) {
        if (const auto found = p.memory.find(name); found != p.memory.end()) return found->second;
        if (const auto found = common_.find(name); found != common_.end()) return found->second;
        const excerpt& e = *p.placed.view_of(name);
        const auto axis = static_cast<std::size_t>(e.axis);
        const std::size_t extent = p.placed.extents_of(name)[axis];
        return p.memory[name] =
                   part_of(memory_of(p, e.from), axis, e.before, static_cast<std::int64_t>(extent));
    }
    std::size_t bytes_of_blocks() const {
        std::size_t bytes = 0;
        for (const auto& p : parts_)
            for (const ir::ref n : p->placed.stored())
                if (const auto at = p->memory.find(n); at != p->memory.end())
                    bytes += at->second.size() * size_of(at->second.type());
        return bytes;
    }

    // Stages ----------------------------------------------------------------------------------

    // Letters of a few places may leave some blocks less to do than others: of these nothing is
    // decided for all.
    void check_stages() const {
        for (const auto& p : parts_)
            if (!does_the_same(p->placed.stages(), placed().stages()))
                throw error(fmt::format(
                    "ricci: with {} shared out in {} blocks some of these have other steps than "
                    "the first one, so that the same bits on any number of ranks cannot be had; "
                    "prepare it without reproducible, or with fewer blocks.",
                    real_.letter, who_.blocks()));
    }
    static bool does_the_same(const std::vector<stage>& mine, const std::vector<stage>& first) {
        const auto alike = [](const stage& a, const stage& b) {
            return a.whole == b.whole && a.exchanges.size() == b.exchanges.size();
        };
        return std::ranges::equal(mine, first, alike);
    }
    void add_stage(std::size_t k) {
        add_step(*whole_, k, placed().stages()[k].whole);
        for (const auto& p : parts_) add_step(*p, k, !placed().stages()[k].whole);
        exchanges_->add_stage([&](const exchange& e) { return collective_of(e); });
    }
    void add_step(block_part& p, std::size_t k, bool runs) {
        const stage& s = p.placed.stages()[k];
        p.steps.emplace_back();
        if (!runs || s.program.equations.empty()) return;
        p.steps.back() = program_of_stage(
            p.placed, s,
            memory_of_stage(s, given_,
                            [&](ir::ref name) -> const array& { return memory_of(p, name); }),
            context_);
    }
    std::unique_ptr<collective> collective_of(const exchange& e) {
        std::vector<array> from, to;
        for (const auto& p : parts_) {
            from.push_back(memory_of(*p, e.from));
            to.push_back(memory_of(*p, e.to));
        }
        const exchange_settings s = context_.settings_of(letter_);
        if (e.kind == exchange_kind::all_reduce && e.places != ir::none)
            return first_places(s, found_places(e, from), common_.at(e.to),
                                placed().type_of(e.from), e.how);
        if (e.kind == exchange_kind::all_reduce)
            return fold_blocks(s, who_, from, common_.at(e.to), e.how);
        const auto axis = static_cast<std::size_t>(e.axis);
        const distribution& places = placed().parts_of(e);
        switch (e.kind) {
            case exchange_kind::all_gather:
                return gather_blocks(s, who_, from, common_.at(e.to), axis, places);
            case exchange_kind::reduce_scatter:
                return fold_and_part_blocks(s, who_, from, to, axis, e.how, places);
            case exchange_kind::own_places:
                return own_places_of_blocks(who_, from, to, places);
            case exchange_kind::neighbours:
                return neighbours_of_blocks(s, who_, from, to, axis, places, *e.windows);
            default:
                break;
        }
        throw error(
            "ricci: of what is to be exchanged nothing is known that would be the same bits "
            "on any number of ranks; prepare it without reproducible.");
    }
    std::vector<places_found> found_places(const exchange& e, const std::vector<array>& values) {
        std::vector<places_found> list;
        const int first = who_.first(who_.rank);
        for (std::size_t b = 0; b < parts_.size(); ++b)
            list.push_back({values[b], memory_of(*parts_[b], e.places), placed().parts_of(e),
                            first + static_cast<int>(b)});
        return list;
    }
    rank_memory given_;
    const std::vector<ir::ref> wanted_;
    rank_context& context_;
    const std::size_t letter_;
    shared_letter real_;
    block_owners who_;
    std::unique_ptr<block_part> whole_;               // of which what is whole is run
    std::vector<std::unique_ptr<block_part>> parts_;  // this rank's blocks
    std::map<ir::ref, array> common_;                 // what is whole
    std::vector<array> outputs_;
    std::vector<std::pair<array, array>> brought_, results_;
    std::unique_ptr<stage_exchanges> exchanges_;
};

}  // namespace

std::unique_ptr<letter_program> program_in_blocks(sharing_request request, rank_memory memory,
                                                  rank_context& context) {
    return std::make_unique<block_program>(request, std::move(memory), context);
}

}  // namespace ricci::mpi
