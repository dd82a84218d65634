// Which indices are shared out over which grid of ranks.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <ricci/error.hpp>

#include "src/base/texts.hpp"
#include "src/placement/grids.hpp"
#include "src/placement/network_model.hpp"
#include "src/placement/report.hpp"

namespace ricci::mpi {
namespace {

constexpr std::size_t letters_in_grids = 5;  // those that do best alone are looked at together
constexpr std::size_t named_in_words = 4;
constexpr std::size_t ways_planned = 2;     // of each set of letters
constexpr std::size_t letters_planned = 8;  // sets of letters
constexpr double looked_beyond = 1.25;

/// One way, by the model.
struct way {
    std::vector<std::string> letters;
    std::vector<int> grid;
    paper_estimate takes;
    double stored = 0;
    int ranks() const {
        int all = 1;
        for (const int extent : grid) all *= extent;
        return all;
    }
};

/// Whether `a` is to be preferred. Times that differ by rounding are the same: an order all the
/// same, as numbers of fewer digits are compared.
bool is_better(const way& a, const way& b) {
    const auto x = static_cast<float>(a.takes.seconds()), y = static_cast<float>(b.takes.seconds());
    if (x != y) return x < y;
    if (a.takes.bytes != b.takes.bytes) return a.takes.bytes < b.takes.bytes;
    return a.grid.size() < b.grid.size();
}

class chooser {
public:
    chooser(int ranks, const program& p, const std::vector<named>& shapes,
            const choose_options& options)
        : ranks_(ranks),
          p_(p),
          shapes_(shapes),
          options_(options),
          letters_(letters_to_share(p, shapes)) {
        if (ranks < 1) throw error(fmt::format("ricci: {} ranks share out nothing.", ranks));
        if (letters_.empty())
            throw error(
                "ricci: no index of the program can be shared out: each stands in two axes of one "
                "tensor, has one place, or is of no operand and no result.");
    }

    choice run() {
        measure_one();
        if (!options_.letters.empty()) return of_letters();
        try_alone();
        const std::size_t most = std::min(letters_.size(), letters_in_grids);
        for (std::size_t a = 0; a < most && options_.dimensions > 1; ++a)
            for (std::size_t b = a + 1; b < most; ++b) {
                try_grids({letters_[a], letters_[b]});
                try_grids({letters_[b], letters_[a]});
                for (std::size_t c = b + 1; c < most && options_.dimensions > 2; ++c)
                    try_grids({letters_[a], letters_[b], letters_[c]});
            }
        return best();
    }

private:
    // The grid alone is chosen.
    choice of_letters() {
        std::vector<letter_places> letters;
        for (const std::string& name : options_.letters) letters.push_back({name, ranks_});
        best_seconds_ = std::numeric_limits<double>::infinity();
        ways_.clear();
        for_each_grid(ranks_, letters, [&](const std::vector<int>& grid) {
            ways_.push_back(look_at(options_.letters, grid));
        });
        if (ways_.empty())
            throw error(fmt::format("ricci: {} ranks make no grid of {} dimensions for {}.", ranks_,
                                    letters.size(), fmt::join(options_.letters, ", ")));
        return best();
    }
    // What one rank does alone, by its plan; what the equations say is scaled to that.
    void measure_one() {
        const paper_run one(p_, {letters_[0].letter}, {1}, shapes_);
        one_work_ = std::max(one.work(), 1.0);
        one_seconds_ = work_of(one).flops / options_.speed;
        ways_.push_back({{letters_[0].letter}, {1}, {one_seconds_, 0, 0}, one.stored()});
        if (one.stored() <= options_.memory) best_seconds_ = one_seconds_;
    }
    // Of each letter as many ranks as it has places for; the letters that lose least come first.
    void try_alone() {
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t k = 0; k < letters_.size(); ++k) {
            double loss = std::numeric_limits<double>::infinity();
            for (const int count : counts_of_ranks(ranks_)) {
                const int many = fitting(count, letters_[k].extent);
                if (many < 2) continue;
                const std::optional<way> w = tried({letters_[k].letter}, {many});
                if (!w) continue;
                loss = std::min(loss, w->takes.seconds() * many);
                if (2 * many > ranks_) keep(*w);
            }
            order.emplace_back(loss, k);
        }
        std::sort(order.begin(), order.end());
        std::vector<letter_places> sorted;
        for (const auto& [loss, k] : order) sorted.push_back(letters_[k]);
        letters_ = std::move(sorted);
    }
    // The most ranks, of those that divide `count`, that there are places for.
    static int fitting(int count, std::int64_t places) {
        for (int many = count; many > 1; --many)
            if (count % many == 0 && many <= places) return many;
        return 1;
    }
    void try_grids(const std::vector<letter_places>& letters) {
        std::vector<std::string> names;
        for (const letter_places& l : letters) names.push_back(l.letter);
        for (const int count : counts_of_ranks(ranks_))
            for_each_grid(count, letters, [&](const std::vector<int>& grid) {
                if (one_seconds_ / count > best_seconds_ * (1 + 1e-9)) return;
                if (const std::optional<way> w = tried(names, grid)) keep(*w);
            });
    }
    way look_at(const std::vector<std::string>& letters, const std::vector<int>& grid) const {
        const paper_run run(p_, letters, grid, shapes_);
        way w{letters, grid, exchanges_of(run, options_.network, options_.one_copy), run.stored()};
        w.takes.computing = one_seconds_ * run.work() / one_work_;
        w.takes.exchanging +=
            seconds_of(exchange_kind::all_reduce, sizeof(int), run.ranks(), options_.network);
        return w;
    }
    std::optional<way> tried(const std::vector<std::string>& letters,
                             const std::vector<int>& grid) const {
        try {
            return look_at(letters, grid);
        } catch (const error&) {
            return std::nullopt;  // two of the letters are in one axis
        }
    }
    void keep(const way& w) {
        ways_.push_back(w);
        if (w.stored <= options_.memory) best_seconds_ = std::min(best_seconds_, w.takes.seconds());
    }

    // The best ways of each set of letters are planned: what is made again behind exchanges, and
    // the workspace, only plans know. The soonest that has room is chosen.
    choice best() {
        sort_ways();
        std::map<std::set<std::string>, std::size_t> planned;
        std::optional<way> found;
        for (way& w : ways_) {
            if (w.stored > options_.memory) continue;
            // by the equations alone it takes far longer than another by its plan
            if (found && w.takes.seconds() > looked_beyond * found->takes.seconds()) break;
            if (found && planned.size() == letters_planned) break;
            std::size_t& count = planned[{w.letters.begin(), w.letters.end()}];
            if (count == ways_planned) continue;
            const engine::plan_work work = work_of(paper_run(p_, w.letters, w.grid, shapes_));
            w.stored += static_cast<double>(work.workspace);
            if (w.stored > options_.memory) continue;
            ++count;
            w.takes.computing = work.flops / options_.speed;
            if (!found || is_better(w, *found)) found = w;
        }
        if (!found) refuse();
        sort_ways();
        return {found->letters,     found->grid,   found->takes.seconds(),
                found->takes.bytes, found->stored, why(*found)};
    }
    // Of ways alike the one that was found first, on every rank.
    void sort_ways() {
        std::vector<std::size_t> order(ways_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            if (is_better(ways_[a], ways_[b])) return true;
            return !is_better(ways_[b], ways_[a]) && a < b;
        });
        std::vector<way> sorted;
        for (const std::size_t k : order) sorted.push_back(std::move(ways_[k]));
        ways_ = std::move(sorted);
    }
    [[noreturn]] void refuse() const {
        const auto least =
            std::min_element(ways_.begin(), ways_.end(),
                             [](const way& a, const way& b) { return a.stored < b.stored; });
        throw error(fmt::format(
            "ricci: on {} ranks no way to share out the indices keeps within {} a rank; {} takes "
            "{} of operands and results.",
            ranks_, words_of_bytes(options_.memory), words_of_grid(least->letters, least->grid),
            words_of_bytes(least->stored)));
    }
    std::string why(const way& w) const {
        std::string out =
            fmt::format("{}: {} a run, of which {} exchanging, {} sent by a rank, {} of memory\n",
                        words_of_grid(w.letters, w.grid), words_of_seconds(w.takes.seconds()),
                        words_of_seconds(w.takes.exchanging), words_of_bytes(w.takes.bytes),
                        words_of_bytes(w.stored));
        if (w.ranks() < ranks_)
            out += fmt::format("{} of {} ranks are left idle, as {} divide better\n",
                               ranks_ - w.ranks(), ranks_, w.ranks());
        // of the same letters the best alone, in whatever order
        std::set<std::set<std::string>> named{{w.letters.begin(), w.letters.end()}};
        for (const way& other : ways_) {
            if (named.size() > named_in_words) break;
            if (!named.emplace(other.letters.begin(), other.letters.end()).second) continue;
            out += fmt::format(
                "  rather than {}: {}, {} sent{}\n", words_of_grid(other.letters, other.grid),
                words_of_seconds(other.takes.seconds()), words_of_bytes(other.takes.bytes),
                other.stored > options_.memory
                    ? fmt::format("; {} do not fit", words_of_bytes(other.stored))
                    : "");
        }
        out += words_of_bound(paper_run(p_, w.letters, w.grid, shapes_));
        return out;
    }

    int ranks_;
    const program& p_;
    const std::vector<named>& shapes_;
    const choose_options& options_;
    std::vector<letter_places> letters_;
    double one_work_ = 1, one_seconds_ = 0;
    double best_seconds_ = std::numeric_limits<double>::infinity();
    std::vector<way> ways_;
};

}  // namespace

choice choose_for(int ranks, const program& p, ricci::detail::operand_list shapes,
                  const choose_options& options) {
    const std::vector<named> operands(shapes.begin(), shapes.end());
    return chooser(ranks, p, operands, options).run();
}

}  // namespace ricci::mpi
