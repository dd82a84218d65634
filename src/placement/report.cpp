// A run on many ranks in words.
#include "src/placement/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "src/placement/network_model.hpp"
#include "src/placement/product_bound.hpp"

namespace ricci::mpi {
namespace {

// Three digits, of the largest unit that leaves at least 1.
std::string in_units(double value, const std::vector<const char*>& units, double step) {
    std::size_t k = 0;
    while (value >= 999.5 && k + 1 < units.size()) value /= step, ++k;
    return fmt::format("{:.3g} {}", value, units[k]);
}

std::string words_of_flops(double flops) {
    return in_units(flops, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"}, 1000);
}

// What is computed one after another, and what is exchanged meanwhile: one exchange at a time.
class timeline {
public:
    void compute(double seconds, const std::string& words) {
        lines_.push_back({words_of_seconds(now_), words_of_seconds(seconds), words});
        now_ += seconds;
    }
    void begin(double seconds, const std::string& words, std::size_t waited_in) {
        const double begins = std::max(now_, link_is_free_);
        link_is_free_ = begins + seconds;
        under_way_.push_back({lines_.size(), seconds, link_is_free_, waited_in});
        lines_.push_back({words_of_seconds(begins), words_of_seconds(seconds), words});
    }
    /// Before a step: for all that it, or one before it, needs.
    void wait(std::size_t step) {
        for (std::size_t k = 0; k < under_way_.size();) {
            const exchanged e = under_way_[k];
            if (e.waited_in > step) {
                ++k;
                continue;
            }
            under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(k));
            const double hidden = e.seconds - std::max(0.0, e.ends - now_);
            if (hidden > 1e-9 * e.seconds)
                lines_[e.line].words +=
                    fmt::format(", {} of it while the rank computes", words_of_seconds(hidden));
            now_ = std::max(now_, e.ends);
        }
    }
    /// Its steps one time; end_section() adds that they are carried out more often, each time as
    /// long. None has an exchange that goes on behind it.
    void begin_section(const std::string& words) {
        section_ = now_;
        if (words.empty()) return;
        header_ = lines_.size();
        lines_.push_back({words_of_seconds(now_), {}, words});
    }
    void end_section(std::size_t end, std::int64_t times) {
        wait(end);
        now_ += static_cast<double>(times - 1) * (now_ - section_);
        if (header_) lines_[*header_].takes = words_of_seconds(now_ - section_);
        header_.reset();
    }
    double now() const { return now_; }
    std::string text() const {
        std::size_t first = 6, second = 5;
        for (const line& l : lines_)
            first = std::max(first, l.begins.size()), second = std::max(second, l.takes.size());
        std::string out = fmt::format("{:>{}}  {:>{}}\n", "begins", first, "takes", second);
        for (const line& l : lines_)
            out += fmt::format("{:>{}}  {:>{}}  {}\n", l.begins, first, l.takes, second, l.words);
        return out;
    }

private:
    struct line {
        std::string begins, takes, words;
    };
    struct exchanged {
        std::size_t line;
        double seconds, ends;
        std::size_t waited_in;
    };
    std::vector<line> lines_;
    std::vector<exchanged> under_way_;
    double now_ = 0, link_is_free_ = 0;
    double section_ = 0;  // when the section has begun
    std::optional<std::size_t> header_;
};

}  // namespace

std::string words_of_bytes(double bytes) {
    return in_units(bytes, {"B", "kB", "MB", "GB", "TB", "PB"}, 1000);
}
std::string words_of_seconds(double seconds) {
    return seconds >= 1 ? fmt::format("{:.3g} s", seconds)
                        : in_units(seconds * 1e9, {"ns", "us", "ms", "s"}, 1000);
}

std::string words_of_grid(const std::vector<std::string>& letters, const std::vector<int>& grid) {
    std::string out;
    for (std::size_t k = 0; k < letters.size(); ++k)
        out += fmt::format("{}{} over {}", k == 0 ? "" : ", ", letters[k], grid[k]);
    return out;
}

run_report report(const paper_run& run, const link& n, const rank_speed& speed,
                  double flops_of_one) {
    run_figures all;
    timeline line;
    std::size_t part = 0, workspace = 0, section = 0;
    line.begin_section(run.sections()[0].words);
    for (std::size_t k = 0; k < run.steps().size(); ++k) {
        const paper_step& s = run.steps()[k];
        while (k == run.sections()[section].end) {
            line.end_section(k, run.sections()[section].times);
            line.begin_section(run.sections()[++section].words);
        }
        line.wait(k);
        if (s.part != nullptr) {
            const engine::plan_work work = engine::work_of(s.part->view());
            const double seconds =
                speed.seconds.empty() ? work.flops / speed.flops : speed.seconds[part++];
            workspace = std::max(workspace, work.workspace);
            all.computing += s.times * seconds;
            line.compute(seconds, "computed: " + words_of_flops(work.flops));
            continue;
        }
        const paper_exchange& e = s.exchange;
        const double out = bytes_moved(e.kind, e.whole, e.ranks);
        line.begin(seconds_of(e.kind, e.whole, e.ranks, n),
                   fmt::format("{}: {} ranks, {}{} handed to MPI, {} sent", e.words, e.ranks,
                               numbers_decide(e.kind) ? "at most " : "", words_of_bytes(e.handed),
                               words_of_bytes(out)),
                   e.waited_in);
        all.handed += s.times * e.handed;
        all.sent += s.times * out;
    }
    line.end_section(run.steps().size(), run.sections()[section].times);
    line.begin(seconds_of(exchange_kind::all_reduce, sizeof(int), run.ranks(), n),
               "all-reduce of whether a rank has failed: 4 B", 0);
    line.wait(0);
    all.handed += sizeof(int);
    all.seconds = line.now();
    all.one_rank = flops_of_one / speed.flops;
    all.memory = run.stored() + static_cast<double>(workspace);
    std::string out =
        fmt::format("{} ranks: {}; network {}/s, {}; a rank computes {}\n", run.ranks(),
                    words_of_grid(run.letters(), run.grid()), words_of_bytes(n.bandwidth),
                    words_of_seconds(n.latency), speed.words);
    out += line.text();
    out += fmt::format("a run: {}, of which {} computing; {} handed to MPI, {} sent\n",
                       words_of_seconds(all.seconds), words_of_seconds(all.computing),
                       words_of_bytes(all.handed), words_of_bytes(all.sent));
    out += fmt::format("one rank: {}; {} ranks are {:.3g} times as fast, efficiency {:.0f} %\n",
                       words_of_seconds(all.one_rank), run.ranks(), all.speedup(),
                       100 * all.speedup() / run.ranks());
    out += fmt::format("memory of a rank: {}\n", words_of_bytes(all.memory));
    return {out + words_of_bound(run), all};
}

std::string words_of_bound(const paper_run& run) {
    if (run.has_layers()) return {};
    const auto sizes = product_of(run.text(), run.shapes());
    if (!sizes) return {};
    const product_bound bound = bound_of(*sizes, run.ranks());
    const double bytes = bound.elements * static_cast<double>(size_of(run.type()));
    const double sent = exchanges_of(run, {}, true).bytes;
    std::string out = fmt::format(
        "with one copy of each tensor among all ranks, before and after: {} sent; some rank has to "
        "send or receive {} (Al Daas, Ballard, Grigori, Kumar, Rouse 2022, the case of {} {})",
        words_of_bytes(sent), words_of_bytes(bytes), bound.dimensions,
        bound.dimensions == 1 ? "dimension" : "dimensions");
    if (bytes > 0) out += fmt::format(", {:.2f} times as much", sent / bytes);
    return out + "\n";
}

}  // namespace ricci::mpi
