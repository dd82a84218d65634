// What is said of a number that is no place, in the caller's places and numbers.
#include "src/placement/stray_words.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "src/base/texts.hpp"

namespace ricci::mpi {
namespace {

class translation {
public:
    translation(const workbench& bench, std::string words)
        : bench_(bench), words_(std::move(words)) {}

    void see(const exchange& e) {
        const ir::ref of = bench_.names[static_cast<std::size_t>(e.to)].tensor;
        if (e.kind == exchange_kind::own_places) below_none(e.to, of);
        if (e.kind == exchange_kind::own_places || e.kind == exchange_kind::asked_places)
            replace(number_of(e.to), number_of(of));
    }
    // Of a tensor the engine knows what this rank has.
    void see(ir::ref name) {
        const ir::ref of = bench_.names[static_cast<std::size_t>(name)].tensor;
        if (words_.find(name_of(name)) == std::string::npos) return;
        const std::vector<std::int64_t> here = own_shape(bench_, name);
        for (std::size_t axis = 0; axis < here.size(); ++axis)
            replace(places_of(axis, name, here[axis]),
                    places_of(axis, of, bench_.extent_of(of, static_cast<std::int32_t>(axis))));
    }
    const std::string& words() const { return words_; }

private:
    std::string name_of(ir::ref n) const { return detail::string_of(bench_.text.program.name(n)); }
    std::string places_of(std::size_t axis, ir::ref n, std::int64_t extent) const {
        return fmt::format("axis {} of {} has the places 0 to {},", axis, name_of(n), extent - 1);
    }
    std::string number_of(ir::ref n) const { return fmt::format("a number of {} is", name_of(n)); }

    std::size_t replace(const std::string& from, const std::string& to) {
        const std::size_t at = words_.find(from);
        if (at != std::string::npos) words_.replace(at, from.size(), to);
        return at;
    }
    // Own places have one less where numbers are below 0.
    void below_none(ir::ref counted, ir::ref of) {
        const std::string minus = number_of(of) + " -";
        const std::size_t at = replace(number_of(counted) + " -", minus);
        if (at == std::string::npos) return;
        const std::size_t digits = at + minus.size();
        const double value = std::strtod(words_.c_str() + digits, nullptr);
        words_.replace(digits, words_.size() - digits, fmt::format("{:g}.", value - 1));
    }

    const workbench& bench_;
    std::string words_;
};

}  // namespace

std::string stray_words(const workbench& bench, const staged_program& all,
                        const std::string& words) {
    if (words.empty()) return words;
    translation of_the_whole(bench, words);
    for (const stage& s : all.stages)
        for (const operation& o : s.exchanges) of_the_whole.see(o.exchange);
    for (std::size_t n = 0; n < bench.names.size(); ++n) of_the_whole.see(static_cast<ir::ref>(n));
    return of_the_whole.words();
}

}  // namespace ricci::mpi
