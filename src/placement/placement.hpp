// Where tensors are while a program runs on several ranks, and what is done in which order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/placement/distribution.hpp"
#include "src/placement/own_letters.hpp"
#include "src/placement/windows.hpp"

namespace ricci::mpi {

/// How the values that ranks have become one.
enum class fold : std::uint8_t { sum, product, maximum, minimum, logsumexp };

/// What there is of a tensor, each under a name of its own: all of it on every rank, a part of an
/// axis on each, or on each a value that is yet to be folded with those of the others.
struct forms {
    ir::ref whole = ir::none;
    ir::ref partial = ir::none;
    std::vector<ir::ref> parts;  // by axis
    fold how = fold::sum;        // of the partial one

    ir::ref part(std::int32_t axis) const {
        const auto k = static_cast<std::size_t>(axis);
        return k < parts.size() ? parts[k] : ir::none;
    }
    void set_part(std::int32_t axis, ir::ref name) {
        const auto k = static_cast<std::size_t>(axis);
        if (parts.size() <= k) parts.resize(k + 1, ir::none);
        parts[k] = name;
    }
};

/// An equation that each rank computes, for its own places of the letters of `split`.
struct computation {
    ir::equation what;
    std::vector<ir::ref> split = {};
    bool has_other_terms = false;      // so that it is computed without places, too
    ir::ref body_of_first = ir::none;  // with the terms that the first rank alone adds
};
enum class exchange_kind : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    neighbours,      // each rank gets its window of an axis
    neighbour_sums,  // what ranks have added up over windows goes to those who have the places
    own_places,      // numbers are counted from this rank's first place: nothing is sent
    asked_places,    // numbers are counted among those places that this rank asks for
    rows,            // of the places asked for, from those who have them
    row_sums,        // what ranks have added up at the places asked for goes to those who have them
};
/// What all ranks do together.
struct exchange {
    exchange_kind kind = exchange_kind::all_reduce;
    ir::ref from = ir::none;
    ir::ref to = ir::none;
    std::int32_t axis = 0;  // along which parts lie
    fold how = fold::sum;
    std::shared_ptr<const std::vector<window>> windows = nullptr;  // by rank: of neighbours
    std::int64_t extent = 0;  // of the axis that numbers are places of
    // of rows and their sums: what asked_places has made; of extrema whose places are wanted: those
    // of each rank, where an axis of `extent` has them among its own
    ir::ref places = ir::none;
    std::vector<std::int64_t> most;  // by rank: how many places it asks for at most
};
/// Of a place that an extremum has been found at.
inline constexpr std::int64_t bytes_of_found_place = sizeof(std::int32_t);
/// Whether numbers decide how much is sent, so that it is known beforehand at most.
constexpr bool numbers_decide(exchange_kind kind) { return kind >= exchange_kind::asked_places; }
/// A rank's own part of what every rank has.
struct excerpt {
    ir::ref from = ir::none;
    ir::ref to = ir::none;
    std::int32_t axis = 0;
    std::int64_t before = 0;  // where it begins
};
enum class operation_kind : std::uint8_t { computation, exchange, excerpt };
struct operation {
    operation_kind kind = operation_kind::computation;
    ir::ref equation = ir::none;  // of the program, that needs it
    computation compute = {};
    mpi::exchange exchange = {};
    mpi::excerpt excerpt = {};
};

/// What is known of a name, beside the shape of its whole tensor.
struct named_form {
    ir::ref tensor = ir::none;  // of which it is a form
    std::int32_t part = -1;     // the axis that it is a part along
    bool partial = false;
    fold how = fold::sum;
    std::int32_t window = -1;  // the axis of which only `count` places are there
    std::int64_t count = 0;
    bool own = false;  // each rank has one of its own, whatever its extents are

    static named_form of_fold(fold how) {
        named_form form;
        form.partial = true;
        form.how = how;
        return form;
    }
    bool is_whole() const { return part < 0 && window < 0 && !partial && !own; }
};

/// A part of an equation that has become a tensor of its own.
struct extract {
    std::vector<ir::ref> letters;  // of its axes
    ir::ref made_for = ir::none;   // what the equation defines
};

/// A tensor that ranks fold, or of which each has one of its own, known by what it is of: equal
/// ones of several equations are one.
struct known_tensor {
    ir::ref name = ir::none;        // of what a rank has
    ir::ref tensor = ir::none;      // of which it is a form
    std::vector<std::size_t> axes;  // by axis: which one of the free letters of its spelling
};

/// What is made on the way to a placement: the program grows, and no equation changes.
struct workbench {
    lettered_program text;
    mpi::sharing sharing;
    std::vector<named_form> names;  // by name, as text.shapes
    std::map<ir::ref, extract> extracts;
    std::vector<std::vector<std::int32_t>> inner;  // by name: axes that others share out later
    std::set<ir::ref> whole_numbers;               // operands that may say places
    double element_size = 8;
    std::map<std::string, std::size_t> spellings;  // numbers for those of known tensors
    std::set<ir::ref> may_wait;                    // outputs whose sums the caller folds later
    bool whole_apart = false;                      // what is whole is computed in stages of its own
    bool overlap = true;                           // stages are cut so that exchanges begin early

    bool is_inner(ir::ref name, std::int32_t axis) const;
    bool has_inner(ir::ref name) const {
        const auto n = static_cast<std::size_t>(name);
        return n < inner.size() && !inner[n].empty();
    }
    std::int64_t extent_of(ir::ref tensor, std::int32_t axis) const {
        return text.shapes[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(axis)];
    }

    ir::ref add(ir::ref tensor, const char* words, named_form form);
    double bytes_of(ir::ref tensor) const;
};

/// A softmax over places of all ranks: the weights among a rank's own places, and the factor that
/// makes these the weights among all, which is known later.
struct own_weights {
    ir::range positions = {};                       // of the tensor that it defines
    std::int32_t axis = -1;                         // which of these is shared out
    ir::ref weights = ir::none, factor = ir::none;  // nodes
    std::vector<ir::ref> split = {};
    ir::ref equation = ir::none;
    ir::ref name = ir::none;  // of the tensor of the weights, once something reads them
};

/// One way to carry out the equations so far.
struct placement {
    std::vector<forms> tensors;  // by name
    std::vector<operation> operations;
    double price = 0;
    double work = 0;                              // multiplications of the rank that has most to do
    std::map<ir::ref, own_weights> weights = {};  // by the tensor that is a softmax
    std::map<std::size_t, known_tensor> known = {};  // by the number of its spelling

    forms& of(ir::ref name) {
        const auto k = static_cast<std::size_t>(name);
        if (tensors.size() <= k) tensors.resize(k + 1);
        return tensors[k];
    }
    /// The name of the whole tensor, or of this rank's part, brought there where it is not yet.
    ir::ref need_whole(workbench& bench, ir::ref tensor, ir::ref equation);
    ir::ref need_part(workbench& bench, ir::ref tensor, std::int32_t axis, ir::ref equation);
    /// `count` places of an axis of the whole tensor, from `before` on.
    ir::ref need_window(workbench& bench, ir::ref tensor, excerpt places, std::int64_t count,
                        ir::ref equation);

    /// Each rank's window of an axis that lies in parts; none where gathering all of it sends no
    /// more, or it is there.
    ir::ref need_neighbours(workbench& bench, ir::ref tensor, std::int32_t axis,
                            const std::vector<window>& windows, ir::ref equation);

    /// Places of an axis that numbers say, of a form of a tensor of whole numbers: counted from
    /// this rank's first place, and -1 where another rank has them; what is no place of the axis
    /// stays none, and below 0 is one less.
    ir::ref need_own_places(workbench& bench, ir::ref numbers, std::int64_t extent,
                            ir::ref equation);
    /// The same counted among those that this rank asks for. Gives what is done, with what is made.
    exchange need_asked_places(workbench& bench, ir::ref numbers, std::int64_t extent,
                               ir::ref equation);
    /// The rows that have been asked for, of a tensor of which each rank has a part.
    ir::ref need_rows(workbench& bench, ir::ref tensor, std::int32_t axis, const exchange& asked,
                      ir::ref equation);
    /// The first place of the largest value, or of the smallest one, among all ranks: of values and
    /// places that each has found.
    ir::ref need_first_place(workbench& bench, ir::ref tensor, exchange pairs, ir::ref equation);
    /// Sends what ranks have added up at their windows, or at the places asked for, of an axis that
    /// comes first, to those who have the places: `e` without its price.
    void send_sums(workbench& bench, const exchange& e, ir::ref equation);

private:
    void add(const workbench& bench, ir::ref tensor, ir::ref equation, const exchange& e);
    void add(ir::ref equation, const exchange& e, double bytes);
    ir::ref renumber(workbench& bench, exchange& e, const char* words, ir::ref equation,
                     double bytes);

    struct windowed {
        ir::ref tensor;
        exchange made;
    };
    std::vector<windowed> windowed_;    // what there is of windows, and of rows
    std::vector<exchange> renumbered_;  // numbers
};

/// What one multiplication costs, and beginning a collective, where a byte that is sent costs 1. Of
/// no machine: all ranks decide alike.
inline constexpr double price_of_multiplication = 0.125;
inline constexpr double price_of_exchange = 512;

}  // namespace ricci::mpi
