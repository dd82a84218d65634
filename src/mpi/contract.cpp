// A network contracted by several ranks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/mpi_network.hpp>
#include <ricci/network_passes.hpp>

#include "src/base/finite.hpp"
#include "src/mpi/agreement.hpp"
#include "src/mpi/collectives.hpp"
#include "src/mpi/fingerprint.hpp"
#include "src/mpi/folds.hpp"
#include "src/mpi/slice_blocks.hpp"
#include "src/mpi/told_blocks.hpp"
#include "src/mpi/turns.hpp"
#include "src/mpi/unfinished.hpp"

namespace ricci::mpi {
namespace {

/// Our messages meet nobody else's.
class own_communicator {
public:
    explicit own_communicator(MPI_Comm outside) {
        MPI_Comm_dup(outside, &comm_);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &ranks_);
    }
    ~own_communicator() { MPI_Comm_free(&comm_); }
    own_communicator(const own_communicator&) = delete;
    own_communicator& operator=(const own_communicator&) = delete;

    MPI_Comm get() const { return comm_; }
    int rank() const { return rank_; }
    int ranks() const { return ranks_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, ranks_ = 1;
};

fold fold_of(algebra a) {
    switch (a) {
        case algebra::max_sum:
            return fold::maximum;
        case algebra::min_sum:
            return fold::minimum;
        case algebra::logsumexp_sum:
            return fold::logsumexp;
        case algebra::sum_product:
            break;
    }
    return fold::sum;
}

// Sums of 16-bit numbers are rounded once, in the end.
network in_computed_type(const network& n) {
    if (n.type() != element::bf16 && n.type() != element::f16) return n;
    network wide;
    for (std::size_t k = 0; k < n.size(); ++k)
        wide.add(n.operand(k).is_shape() ? shape(element::f32, n.operand(k).extents())
                                         : n.operand(k).converted(element::f32),
                 n.indices(k));
    wide.keep(n.kept());
    return wide;
}

std::uint64_t value_of(const std::string& text) {
    fingerprint f;
    f.add(text.data(), text.size());
    return f.value();
}

/// What has to be the same on all ranks, and of a file.
std::string key_of(const network& n, const contraction_order& order,
                   const contract_options& options) {
    fingerprint values, network_of;
    for (std::size_t k = 0; k < n.size(); ++k) {
        if (!n.operand(k).is_shape()) values.add(n.operand(k));
        const auto indices = n.indices(k);
        const std::int64_t conjugate = n.is_conjugate(k) ? 1 : 0;
        network_of.add(indices.data(), indices.size() * sizeof(std::int64_t));
        network_of.add(n.operand(k).extents().data(), n.operand(k).rank() * sizeof(std::size_t));
        network_of.add(&conjugate, sizeof conjugate);
    }
    const auto kept = n.kept();
    network_of.add(kept.data(), kept.size() * sizeof(std::int64_t));
    return fmt::format("network {:016x} of {}, values {:016x}, order {:016x}, algebra {}",
                       network_of.value(), name_of(n.type()), values.value(),
                       value_of(order.json()), static_cast<int>(options.algebra));
}

bool is_finite(const array& a) { return detail::are_finite(a.type(), a.data(), a.size()); }

class shared_contraction {
public:
    shared_contraction(MPI_Comm outside, const network& n, const contraction_order& order,
                       const contract_options& options, const std::string& unfinished)
        : comm_(outside), given_(n), order_(order), options_(options), unfinished_(unfinished) {
        refuse_together(comm_.get(), words_of_failure([&] { check(); }));
        agree();
        refuse_together(comm_.get(), words_of_failure([&] { begin(); }));
        agree_on_passes();
    }

    array result() {
        take_up();
        compute();
        find_owners();
        if (some_are_left()) end_early();
        array whole = add_up();
        if (comm_.rank() == 0 && !unfinished_.empty()) std::remove(unfinished_.c_str());
        return whole;
    }

private:
    void check() const {
        if (options_.scaled)
            throw error("ricci: contract() has no exponent to give beside its result.");
        if (order_.json().find("\"zeros\"") != std::string::npos)
            throw error(
                "ricci: the order rests on zeros in the tensors' values; several ranks carry out "
                "orders of the network as it is.");
    }

    void agree() {
        const std::string mine = key_of(given_, order_, options_);
        const auto all = told_by_all(comm_.get(), mine);
        for (std::size_t r = 1; r < all.size(); ++r)
            if (all[r] != all[0])
                throw error(
                    fmt::format("ricci: on rank {} of {}: the network, its values, the order or "
                                "the algebra are others than on rank 0",
                                r, all.size()));
        key_ = mine;
    }

    // What is refused is refused before anything is computed.
    void begin() {
        network_ = in_computed_type(given_);
        blocks_.emplace(network_, order_);
        ssa_ = order_.ssa();
        prepare_slab(0);
    }
    // By the memory that a rank finds it may cut more indices than the order does.
    void agree_on_passes() {
        const std::int64_t mine = prepared_->count();
        std::int64_t ends[] = {mine, -mine};
        MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MIN, comm_.get());
        if (ends[0] != -ends[1])
            throw error(
                "ricci: ranks have not as much memory as each other, and would slice the network "
                "in different ways; say in contract_options::memory how much each may take.");
        blocks_->share_out(mine);
        key_ += fmt::format(", {} blocks", blocks_->count());
        owners_.assign(static_cast<std::size_t>(blocks_->count()), nobody);
        results_.resize(owners_.size());
    }

    /// An array for the result of a block.
    array room_for(std::int64_t block) const {
        std::vector<std::size_t> extents;
        const auto ranges = blocks_->kept_ranges(blocks_->slab_of(block));
        for (const std::int64_t i : network_.kept()) {
            extents.push_back(network_.extent(i));
            for (const index_range& r : ranges)
                if (r.index == i) extents.back() = static_cast<std::size_t>(r.count);
        }
        return array(network_.type(), extents);
    }

    /// What a file says has been done is rank 0's.
    void take_up() {
        std::vector<char> done(owners_.size(), 0);
        if (!unfinished_.empty()) {
            std::string wrong;
            if (comm_.rank() == 0) wrong = words_of_failure([&] { read(done); });
            refuse_together(comm_.get(), wrong);
            MPI_Bcast(done.data(), static_cast<int>(done.size()), MPI_CHAR, 0, comm_.get());
        }
        for (std::size_t b = 0; b < done.size(); ++b)
            if (done[b] == 0) todo_.push_back(static_cast<std::int64_t>(b));
            else if (comm_.rank() == 0) owners_[b] = 0;
    }
    void read(std::vector<char>& done) {
        for (std::size_t b = 0; b < results_.size(); ++b)
            results_[b] = room_for(static_cast<std::int64_t>(b));
        const auto there = read_unfinished(unfinished_, key_, results_);
        for (std::size_t b = 0; b < results_.size(); ++b)
            if (there[b]) done[b] = 1;
            else results_[b] = array();
    }

    void compute() {
        const claims of_ranks(static_cast<std::int64_t>(todo_.size()), comm_.ranks());
        turns next(comm_.get(), of_ranks.count());
        begun_ = std::chrono::steady_clock::now();
        while (wrong_.empty() && !stopped_) {
            const std::int64_t turn = next.next();
            if (turn < 0) break;
            for (std::int64_t k = of_ranks.begin(turn); k < of_ranks.begin(turn + 1); ++k) {
                wrong_ = words_of_failure([&] { compute(k, of_ranks, next); });
                if (stopped_) wrong_.clear();
                if (!wrong_.empty() || stopped_) {
                    next.end();
                    break;
                }
            }
        }
        prepared_.reset();
    }

    void compute(std::int64_t place, const claims& of_ranks, turns& next) {
        // asked within a block, too: by whoever carries out its passes
        ask_ = [&, place](double done) { return go_on(place, done, of_ranks, next); };
        if (!ask_(0)) return;
        const std::int64_t block = todo_[static_cast<std::size_t>(place)];
        if (blocks_->slab_of(block) != slab_) prepare_slab(blocks_->slab_of(block));
        const auto [first, end] = blocks_->passes(block, prepared_->count());
        const auto b = static_cast<std::size_t>(block);
        results_[b] = prepared_->run(first, end).clone();
        owners_[b] = comm_.rank();
    }

    // Slabs that are as long as each other have one plan.
    void prepare_slab(std::int64_t slab) {
        const auto ranges = blocks_->kept_ranges(slab);
        const network here = part_of(network_, ranges);
        const auto before = std::exchange(ranges_, ranges);
        slab_ = slab;
        const auto as_long = [](const index_range& a, const index_range& b) {
            return a.count == b.count;
        };
        if (prepared_ && std::equal(ranges.begin(), ranges.end(), before.begin(), as_long)) {
            for (std::size_t k = 0; k < here.size(); ++k)
                if (has_moved(here.indices(k), before)) prepared_->bind(k, here.operand(k));
            return;
        }
        prepared_.reset();
        contract_options options = options_;
        options.progress = [this](double done, double) { return !ask_ || ask_(done); };
        prepared_.emplace(here, contraction_order::from_ssa(here, ssa_, blocks_->inside()),
                          options);
    }
    bool has_moved(const std::vector<std::int64_t>& indices,
                   const std::vector<index_range>& before) const {
        for (std::size_t r = 0; r < ranges_.size(); ++r)
            if (ranges_[r].before != before[r].before &&
                std::find(indices.begin(), indices.end(), ranges_[r].index) != indices.end())
                return true;
        return false;
    }

    static void add(const array& term, array& sum, fold how) {
        const fold_operation op(sum.type(), how);
        in_pieces(sum, [&](std::size_t first, int count) {
            MPI_Reduce_local(static_cast<const char*>(term.data()) + first,
                             static_cast<char*>(sum.data()) + first, count, datatype_of(sum.type()),
                             op.get());
        });
    }

    /// Told on rank 0 how far all are; elsewhere it ends when rank 0 does.
    bool go_on(std::int64_t place, double done, const claims& of_ranks, turns& next) {
        const std::int64_t taken = next.taken_about_now();
        bool goes_on = taken >= 0;
        if (goes_on && comm_.rank() == 0 && options_.progress) {
            const auto all = static_cast<double>(todo_.size());
            const std::int64_t known =
                of_ranks.begin(std::max<std::int64_t>(taken - comm_.ranks(), 0));
            const double part =
                std::min(1.0, (static_cast<double>(std::max(place, known)) + done) / all);
            const double seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
            goes_on = options_.progress(part, part > 0 ? seconds * (1 - part) / part : 0);
        }
        stopped_ = stopped_ || !goes_on;
        return goes_on;
    }

    void find_owners() {
        MPI_Allreduce(MPI_IN_PLACE, owners_.data(), static_cast<int>(owners_.size()), MPI_INT,
                      MPI_MAX, comm_.get());
    }
    bool some_are_left() const {
        return std::find(owners_.begin(), owners_.end(), nobody) != owners_.end();
    }

    // With a failure, or because somebody wanted it: what has been done is kept, if it is wanted.
    void end_early() {
        std::string kept;
        if (!unfinished_.empty()) {
            std::string wrong;
            for (std::size_t b = 0; b < owners_.size(); ++b) send_to_first(b);
            if (comm_.rank() == 0)
                wrong = words_of_failure([&] { write_unfinished(unfinished_, key_, results_); });
            refuse_together(comm_.get(), wrong);
            const auto left = std::count(owners_.begin(), owners_.end(), nobody);
            kept = fmt::format(" {} of {} blocks of slices are in {}.",
                               static_cast<std::ptrdiff_t>(owners_.size()) - left, owners_.size(),
                               unfinished_);
        }
        refuse_together(comm_.get(), wrong_.empty() ? "" : wrong_ + kept);
        throw error("ricci: the contraction of the network was stopped." + kept);
    }
    void send_to_first(std::size_t b) {
        const int owner = owners_[b];
        if (owner <= 0) return;
        if (comm_.rank() == 0) results_[b] = room_for(static_cast<std::int64_t>(b));
        array& a = results_[b];
        if (comm_.rank() != 0 && comm_.rank() != owner) return;
        in_pieces(a, [&](std::size_t first, int count) {
            if (comm_.rank() == owner)
                MPI_Send(static_cast<char*>(a.data()) + first, count, datatype_of(a.type()), 0, 0,
                         comm_.get());
            else
                MPI_Recv(static_cast<char*>(a.data()) + first, count, datatype_of(a.type()), owner,
                         0, comm_.get(), MPI_STATUS_IGNORE);
        });
    }

    /// The blocks' results in their order, on every rank.
    array add_up() {
        array whole = whole_result(), slab;
        const fold how = fold_of(options_.algebra);
        bool finite = true;
        std::int64_t told = 0;
        for (std::int64_t block = 0; block < blocks_->count(); ++block) {
            if (block == told)
                told = tell_blocks(comm_.get(), owners_, results_, block,
                                   [&](std::int64_t b) { return room_for(b); });
            array term = std::exchange(results_[static_cast<std::size_t>(block)], array());
            finite = finite && is_finite(term);
            if (blocks_->begins_slab(block)) slab = std::move(term);
            else add(term, slab, how);
            if (!blocks_->ends_slab(block)) continue;
            finite = finite && is_finite(slab);
            array there = part_of_result(whole, block);
            copy_elements(slab, there);
        }
        if (given_.type() != whole.type()) whole = whole.converted(given_.type());
        check_range(whole, finite);
        return whole;
    }
    array whole_result() const {
        std::vector<std::size_t> extents;
        for (const std::int64_t i : network_.kept()) extents.push_back(network_.extent(i));
        return array(network_.type(), extents);
    }
    array part_of_result(const array& whole, std::int64_t block) const {
        array there = whole;
        const auto kept = network_.kept();
        for (const index_range& r : blocks_->kept_ranges(blocks_->slab_of(block)))
            for (std::size_t axis = 0; axis < kept.size(); ++axis)
                if (kept[axis] == r.index) there = part_of(there, axis, r.before, r.count);
        return there;
    }
    // Each part has been checked by itself; their sum is all that is left. The same on all ranks.
    void check_range(const array& whole, bool finite) const {
        if (finite || options_.algebra != algebra::sum_product) return;
        for (std::size_t k = 0; k < network_.size(); ++k) {
            const array& a = network_.operand(k);
            if (!is_finite(a.is_contiguous() ? a : a.clone())) return;
        }
        throw error(fmt::format("ricci: the network's result is beyond the range of {}.",
                                name_of(whole.type())));
    }

    static constexpr int nobody = -1;

    own_communicator comm_;
    const network& given_;
    const contraction_order& order_;
    const contract_options& options_;
    const std::string& unfinished_;

    network network_;
    std::string key_;
    std::optional<slice_blocks> blocks_;
    std::vector<std::pair<std::size_t, std::size_t>> ssa_;
    std::vector<int> owners_;     // of each block
    std::vector<array> results_;  // of blocks that this rank has
    std::vector<std::int64_t> todo_;

    std::optional<network_passes> prepared_;  // of this slab
    std::vector<index_range> ranges_;
    std::int64_t slab_ = 0;
    std::function<bool(double)> ask_;  // whether to go on, a part of a block being done
    std::chrono::steady_clock::time_point begun_;
    std::string wrong_;
    bool stopped_ = false;
};

}  // namespace

array contract(MPI_Comm comm, const network& n, const contraction_order& order,
               const contract_options& options, const std::string& unfinished) {
    return shared_contraction(comm, n, order, options, unfinished).result();
}

}  // namespace ricci::mpi
