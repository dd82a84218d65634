// What each rank computes of an equation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/written_place.hpp>

#include "src/placement/placement.hpp"

namespace ricci::mpi {

/// How ranks fold what each has folded over its own places, where that is all there is to do.
std::optional<fold> fold_of(ir::reduction r);

/// How an equation reads, and adds up, at places that others have.
enum class elsewhere : std::uint8_t {
    gathered,  // every rank has all of the tensor
    asked,     // each rank asks those who have the places, or sends them what it has added up
    folded,    // each looks up what it has itself, and ranks add up what they have found
};
/// One way to cut an equation.
struct attempt {
    bool wait = true;  // partial values go on as they are
    mpi::elsewhere elsewhere = mpi::elsewhere::gathered;
};

/// An equation as each rank computes it for its own places of some letters, `split`, that have as
/// many of them, or as all compute it alike where there are none. What sums over the letter gives a
/// partial value; such values go on as they are through what is linear, if they may `wait`, and are
/// made whole before anything else reads them.
class local_equation {
public:
    local_equation(workbench& bench, placement& where, ir::ref equation, std::vector<ir::ref> split,
                   attempt how);

    /// Adds what has to be done; false where the equation cannot be cut along this letter.
    bool run();
    /// Whether something would be otherwise had it been `gathered`.
    bool reaches_out() const { return used_; }

private:
    enum class place : std::uint8_t {
        whole,    // the same on every rank
        own,      // has the letter: each rank has its places
        partial,  // the sum over all ranks is meant
    };
    struct value {
        ir::ref node;
        place at;
    };

    value walk(ir::ref n);
    value walk_tensor(const ir::node& x);
    void read_arithmetic(ir::node& read);
    ir::ref need_differences(ir::ref tensor, std::int32_t axis, const ir::position& at,
                             std::int64_t extent);
    bool read_neighbours(ir::node& read, std::int32_t axis);
    /// A tensor that a sum over one of its axes reads at one place.
    struct shifted_read {
        std::int32_t condition = -1, tensor = -1;  // which factors
        std::int32_t axis = -1;
        ir::ref made = ir::none;  // what this rank has of the tensor
        window places = {};
    };
    shifted_read find_shifted(const ir::node& product, ir::ref p) const;
    std::optional<value> sum_of_neighbours(const ir::node& x);
    value sum_over_window(const ir::node& x, const shifted_read& s, ir::ref shifted_place);
    ir::ref place_from(const ir::written_place& written, std::int64_t offset, beyond ends,
                       const window& in);
    ir::ref need_neighbours(ir::ref tensor, std::int32_t axis, const place_reach& reach,
                            beyond ends);
    window own_window(ir::ref tensor, std::int32_t axis, const place_reach& reach,
                      beyond ends) const;
    ir::ref need_window(ir::ref tensor, std::int32_t axis, const place_reach& reach);
    std::vector<window> windows_of(const place_reach& reach, std::int64_t extent, beyond ends);
    std::optional<place_reach> reach_of(const ir::written_place& at) const;
    /// A shifted place, and what ranks reach with it.
    struct shifted_window {
        ir::written_place place;
        beyond ends = beyond::nothing;
        place_reach reach = {};
        std::vector<window> windows = {};
    };
    std::optional<shifted_window> window_of(ir::ref there, std::int64_t extent);
    ir::ref place_in_window(const shifted_window& w);

    /// A tensor that says places: its node, and what this rank has of it.
    struct said_places {
        ir::ref node = ir::none;
        ir::ref form = ir::none;
        bool own = false;  // those of this rank's places of the letter
    };
    std::optional<said_places> read_numbers(ir::ref n);
    ir::ref renumbered(const said_places& said, ir::ref name);
    std::optional<value> own_place(const ir::node& x);
    std::optional<value> look_up(const ir::node& x);
    value look_up(const ir::node& x, std::int32_t axis, const said_places& said);
    std::optional<value> sum_of_rows(const ir::node& x);
    value sum_of_rows(const ir::node& x, std::int32_t condition, const said_places& said,
                      const std::vector<std::int32_t>& axes);
    value read_rows(ir::ref factor, std::int32_t axis, ir::ref row, const exchange& asked);
    std::vector<std::int32_t> axes_of_rows(const ir::node& product, ir::ref letter) const;
    bool lies_in_parts(ir::ref tensor, std::int32_t axis) const;
    bool binds(const ir::node& x, ir::ref letter) const;

    /// Where a sum over `summed` lands: the factor that says it, and the place.
    struct landing {
        std::int32_t condition = -1;
        ir::ref place = ir::none;
        ir::ref summed = ir::none;
    };
    landing find_landing(const ir::node& sum) const;
    std::optional<value> sum_at_others(const ir::node& x);
    ir::ref sum_for_others(const ir::node& x, const landing& found, ir::ref there, exchange& e,
                           ir::ref letter);
    ir::ref name_of_sums(const char* words, const std::vector<ir::ref>& letters,
                         const named_form& form, std::int64_t first);
    ir::range positions_of(const std::vector<ir::ref>& letters);
    bool has_parts_along(ir::ref body, ir::ref letter) const;
    bool may_leave_conditions_around(ir::ref body) const;

    std::int64_t extent_of(ir::ref letter) const {
        return bench_.text.extents[static_cast<std::size_t>(letter)];
    }
    value walk_reduction(const ir::node& x);
    value walk_sum(const ir::node& x);
    ir::ref of_others(ir::ref n);
    value walk_product(const ir::node& x);
    value walk_other(const ir::node& x);
    value fold_over_ranks(ir::reduction r, const ir::node& x, ir::ref child);
    /// Of a softmax, what all ranks have of each row, and the weights among a rank's own places
    /// with the factor that makes these the weights among all.
    struct agreed_softmax {
        ir::ref maximum, sum, own_weights, factor;
    };
    agreed_softmax agree_on(const ir::node& x, ir::ref child);
    value softmax(const ir::node& x, value child);
    void keep_weights(const ir::equation& e, std::int32_t axis);
    std::optional<value> sum_of_weights(const ir::node& x);
    std::optional<value> sum_of_weights(const ir::node& x, ir::ref body, ir::ref read);
    ir::ref sum_with(const ir::node& x, ir::ref body, ir::ref read, ir::ref own_weights);
    bool is_softmax(const ir::node& x, ir::ref n) const;
    bool is_weights(const ir::node& x, ir::ref n) const;
    ir::ref name_of_weights(own_weights& w, ir::ref tensor);
    value mean(const ir::node& x, value child);

    std::optional<std::int32_t> cut_axis(const ir::equation& e);
    bool find_first_place(const ir::equation& e);
    ir::ref add_own(const char* words, const named_form& form, const ir::equation& e, ir::ref body);

    value whole(value v);
    ir::ref extract(ir::ref body, fold how, const ir::node* over);
    struct extracted {
        ir::ref name;    // of what a rank has
        ir::ref tensor;  // of which it is a form
        ir::range at;
    };
    ir::ref read_whole(const extracted& made);
    /// What a tensor is of, whatever its letters are called.
    struct spelling {
        std::size_t number = 0;
        std::vector<ir::ref> free;  // letters
    };
    spelling spelt(ir::ref body, const named_form& form);
    std::optional<extracted> known(const spelling& s);
    std::optional<value> known_whole(const spelling& s);
    void keep_known(const spelling& s, const extracted& made);
    ir::ref with_sums_apart(ir::ref n);
    extracted own_tensor(ir::ref body, const named_form& form, const ir::node* over);
    void add(ir::ref name, ir::range positions, ir::ref body, const std::vector<ir::ref>& split);
    bool reads_partial(ir::ref body) const;
    bool may_leave_condition(ir::ref body) const;
    ir::range shifted(ir::range at);
    bool is_split(ir::ref letter) const;
    bool has_split(ir::range at);
    bool binds_split(const ir::node& x) const;
    bool cuts_one_letter(const ir::node& x, ir::ref child) const;
    bool clamps_nothing(const ir::node& x);
    ir::ref copy(ir::node x, const std::vector<ir::ref>& children);
    std::vector<ir::ref> free_letters(ir::ref n) const;
    double places(ir::ref n) const;

    workbench& bench_;
    ir::program& p_;
    placement& where_;
    ir::ref number_;
    std::vector<ir::ref> split_;
    std::int64_t all_ = 0, own_ = 0, before_ = 0, most_ = 0;  // places: of this rank, before it
    bool wait_;
    elsewhere elsewhere_;
    bool used_ = false;
    bool possible_ = true;
    double work_ = 0;
    std::map<ir::ref, ir::ref> of_others_;  // by sum: its partial terms
    std::optional<own_weights> weights_;    // of the softmax that the equation is
};

}  // namespace ricci::mpi
