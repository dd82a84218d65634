// Networks of tensors: what is contracted, in which order, and how it is run. A network is known at
// run time and may have any number of tensors and indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/detail/export.hpp>
#include <ricci/detail/network_arguments.hpp>

namespace ricci {

class program;

/// What the library keeps of networks and orders; opaque to its users.
namespace networks {
struct network_data;
struct order_data;
struct prepared_state;
}  // namespace networks

// The network -------------------------------------------------------------------------------------

/// Tensors whose axes have numbered indices: the sum over all indices that are not kept of the
/// product of all tensors. An index may be in one tensor, in two, or in any number of them (a
/// hyper-index), twice in one (its diagonal), and among the kept ones besides; tensors may be
/// scalars, have extents of 1, and share nothing with each other. All have one element type.
///
/// Nothing is copied: an array keeps its memory alive, and so does a tensor that is taken over; the
/// memory of views, and of tensors that have a name, has to live as long as the network is used.
/// Operands may be shapes (ricci::shape): such a network can be ordered, not run.
class RICCI_EXPORT network {
public:
    network();
    network(const network&);
    network(network&&) noexcept;
    network& operator=(const network&);
    network& operator=(network&&) noexcept;
    ~network();

    /// One more tensor, and the numbers of its axes' indices: n.add(x, {0, 1, 2}). Throws
    /// ricci::error, and the network stays as it was, where there are more or fewer numbers than
    /// axes, an index has had another extent, or the element type is another than before.
    void add(detail::network_operand operand, detail::index_list indices);
    /// The complex conjugate of a tensor, which is taken when it is read. Throws as add() does.
    void add_conjugate(detail::network_operand operand, detail::index_list indices);
    /// The indices of the result, in the order of its axes, instead of those that were kept before;
    /// none: the result is a scalar. Throws ricci::error for an index that no tensor has yet, and
    /// for one that is given twice.
    void keep(detail::index_list indices);

    /// A network from einsum's text, of any length: "ab,bc,cd->ad". Each character between the
    /// commas is a label, any of Unicode in UTF-8, and its code point the number of the index: 'a'
    /// is 97. Spaces say nothing. Without "->" the labels that stand once are kept, sorted by code
    /// point. Throws ricci::error, with the byte, for a text that cannot be read, and where add()
    /// or keep() would.
    static network from_einsum(std::string_view text,
                               std::initializer_list<detail::network_operand> operands);
    static network from_einsum(std::string_view text, const std::vector<array>& operands);

    /// A network from an equation in the notation of "..."_eq, "C^{ik} = A^{ij} B^{jk}", or from a
    /// program of one equation, and its tensors by name: from_equation(text, {{"A", a}, {"B", b}}).
    /// The right side is a product of tensors, conjugates, deltas and numbers under sums; a number
    /// is one more tensor, and so is each delta. Indices are numbered from 0 as they come: those of
    /// the left side, which are kept, then those that are summed. Throws ricci::error for an
    /// equation that is no such product, and for tensors that are not those of the equation.
    static network from_equation(std::string_view text, const detail::named_operands& operands);
    static network from_equation(const program& p, const detail::named_operands& operands);

    /// How many tensors there are.
    std::size_t size() const;
    /// Tensor k, as it was given. Throws ricci::error where there is none, as the next two do.
    const array& operand(std::size_t k) const;
    /// The numbers of its axes' indices.
    std::vector<std::int64_t> indices(std::size_t k) const;
    bool is_conjugate(std::size_t k) const;
    /// Different indices, in the order in which they came.
    std::vector<std::int64_t> indices() const;
    std::vector<std::int64_t> kept() const;
    /// The extent of an index. Throws ricci::error where no tensor has it.
    std::size_t extent(std::int64_t index) const;
    /// Of all tensors; double where there is none.
    element type() const;
    /// Whether any tensor is a shape, without elements.
    bool is_shape() const;

    /// What the library reads.
    const networks::network_data& data() const;

private:
    networks::network_data& changed();
    std::unique_ptr<networks::network_data> data_;  // none: as if empty
};

// Orders ------------------------------------------------------------------------------------------

/// What an order is sought to have least of.
enum class objective : std::uint8_t {
    multiplications,       // scalar ones
    largest_product,       // the product with most elements, the indices of both operands together
    largest_intermediate,  // the result of a product with most elements
    traffic,               // elements read and written by all products
    weighed,               // multiplications and 64 for each element of the traffic
};

/// What is multiplied, or left out, before an order is sought.
enum class simplify : std::uint8_t {
    shapes,  // products that make nothing larger are made first
    values,  // and before, zeros in the tensors' values are used: of a diagonal or an anti-diagonal
             // two indices are one, and places where a tensor has zeros alone are left out
    none,    // nothing
};

/// How an order is sought. The first four are given as find_order(n, {.seconds = 1, .memory =
/// 8e9}).
struct order_options {
    /// Until so many have passed, or sooner where more would not pay. 0: by `trials` alone.
    double seconds = 0;
    /// So many instead of seconds: the same order for the same seed on any machine and with any
    /// number of threads. 0 without seconds: a number that suits most networks.
    std::int64_t trials = 0;
    /// Bytes for all at once: tensors, intermediates and what running takes beside them. Indices
    /// are sliced until they suffice. 0: four fifths of what is free beside the tensors.
    double memory = 0;
    std::uint64_t seed = 0;

    ricci::objective objective = ricci::objective::multiplications;
    /// With `values` the order holds as long as the tensors have those zeros, which is checked when
    /// it is used: it is for sums of products, contracted or prepared. Zeros are exact, and none
    /// are used where a tensor has infinities or NaN.
    ricci::simplify simplify = ricci::simplify::shapes;
    /// How many amplitudes are wanted, of all that the kept indices make: together these count as
    /// no more than so many, and the result need not fit. 0: all of them.
    std::int64_t choices = 0;
    /// Told from time to time which part of the search is over, from 0 to 1, and how many seconds
    /// are left; false ends it with the best order so far.
    detail::progress_function progress = {};
};

/// An index that an order fixes or cuts: the network is contracted `parts` times, each time with a
/// range of its places. Where parts is the extent, the index is fixed. Reads as the index's number.
struct sliced_index {
    std::int64_t index = 0;
    std::int64_t parts = 1;
    operator std::int64_t() const { return index; }  // NOLINT
};

/// In which order the tensors of a network are multiplied, two at a time, and which indices are
/// sliced: a value, made for one network. Copies share what they are made of.
///
/// A product costs the extents of all indices that either of its operands has. An index that
/// neither a later product nor the result needs is summed in it for nothing more; diagonals are
/// taken, and indices that one tensor alone has are summed, before. What does not depend on sliced
/// indices is computed once and counted once.
class RICCI_EXPORT contraction_order {
public:
    /// Scalar multiplications of all slices and choices together; infinity above 1.8e308, where
    /// words() says the logarithm.
    double multiplications() const;
    /// Elements of the largest intermediate, in one slice: of what products give, the last one too.
    double largest() const;
    /// How often what depends on sliced indices is computed: the product of their parts. 1 where
    /// there are none.
    std::int64_t slices() const;
    /// In the order in which they were chosen.
    const std::vector<sliced_index>& sliced() const;
    /// Proved: some product of any order has at least so many elements, the indices of both
    /// operands together, without slices.
    double bound() const;
    /// The bytes that operands and intermediates take where most of them live at once, on one
    /// thread.
    double peak_bytes() const;
    /// A few lines for people: what it costs, the largest intermediate, slices and their overhead,
    /// bytes at the peak, time at a nominal rate, the bound.
    std::string words() const;

    /// The products: tensors are 0, 1, ..., and product k of n tensors is n + k; each is used once,
    /// the last is the result.
    std::vector<std::pair<std::size_t, std::size_t>> ssa() const;
    /// The same as opt_einsum and numpy write it: two positions in the list of what is left, from
    /// which both are taken, the smaller first; their product goes to its end.
    std::vector<std::pair<std::size_t, std::size_t>> path() const;
    /// {"ricci": "contraction order", "version": 1, "operands": n, "network": a hash of the shapes,
    /// "memory": bytes, where it was found for a number of them, "slices": [{"index": 3, "parts":
    /// 2}, ...], "ssa": [[0, 1], ...]}; of an order that rests on values also "zeros", which
    /// from_json compares with those of its network. ssa() and path() say nothing of them.
    std::string json() const;

    /// Orders from elsewhere. Throw ricci::error where `pairs` are no order of this network: too
    /// many or too few of them, or one that uses what is not there or no longer there; and for
    /// slices of an index that is not there, or into fewer parts than 2 or more than its extent.
    static contraction_order from_ssa(const network& n,
                                      const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                                      const std::vector<sliced_index>& slices = {});
    static contraction_order from_path(
        const network& n, const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
        const std::vector<sliced_index>& slices = {});
    /// Throws ricci::error for a text that is no order, and for an order of another network.
    static contraction_order from_json(const network& n, std::string_view text);

    /// What the library reads and makes orders of.
    const networks::order_data& data() const { return *data_; }
    explicit contraction_order(std::shared_ptr<const networks::order_data> data);

private:
    std::shared_ptr<const networks::order_data> data_;
};

/// A good order. Throws ricci::error for a network without tensors, options that mean nothing,
/// memory that no slices suffice for, and for the values of a network of shapes.
RICCI_EXPORT contraction_order find_order(const network& n, const order_options& options = {});

// Running -----------------------------------------------------------------------------------------

/// What takes the place of sum and product.
enum class algebra : std::uint8_t { sum_product, max_sum, min_sum, logsumexp_sum };

struct contract_options {
    ricci::algebra algebra = ricci::algebra::sum_product;
    /// Bytes for all at once, as for find_order; more than that is refused. 0: what the order was
    /// found for, or, where it was given no number, nearly all that is free, since some may have
    /// been taken since the order was found.
    double memory = 0;
    /// Told from time to time which part is over and how many seconds are left; false ends it, and
    /// the call throws ricci::error.
    detail::progress_function progress = {};
    /// Beyond the range of the element type: for prepare(), whose runs give a mantissa and an
    /// exponent then. In the algebra of sums of products.
    bool scaled = false;
};

/// The result of a network, of its kept indices' extents. Bitwise the same for any number of
/// threads. Throws ricci::error, before anything is computed, for an order of another network, a
/// network of shapes, memory that does not suffice, and an algebra that the element type has not;
/// and for finite tensors whose sum of products leaves the range of the elements. Where a run takes more than the memory that its order was found for, it cuts more indices.
RICCI_EXPORT array contract(const network& n, const contraction_order& order,
                            const contract_options& options = {});
/// In an order that is sought for about as long as the run takes, the same on any machine.
RICCI_EXPORT array contract(const network& n, const contract_options& options = {});

/// Some elements of a network's result, amplitudes of a circuit for example: `choices` is a table
/// of i64, and each row has places for the kept indices given, column by column. One array for each
/// row, over the kept indices that are left, in their order. What rows have in common is computed
/// once, and rows that are the same, too. The order may be one that was found for so many choices.
/// Throws as contract() does, and for a table of another shape or type, an index that is not kept,
/// and a place beyond its extent.
RICCI_EXPORT std::vector<array> amplitudes(const network& n, const contraction_order& order,
                                           detail::index_list indices,
                                           detail::network_operand choices,
                                           const contract_options& options = {});

/// Numbers beyond the range of their type: mantissa * 10^exponent10.
struct scaled {
    /// Its largest absolute value is in [1, 10), leaving aside what is infinite or no number, and
    /// stands there as such. What is smaller by more than the range of the type is 0.
    array mantissa;
    /// A whole number; 0 where the mantissa is all 0.
    double exponent10 = 0;
};
/// The result of a network as contract() gives it, for values that are too large or too small for
/// the elements, or whose intermediates are. Each intermediate has an exponent beside its elements,
/// and one for each place of indices that run through most of the network as batches. A product of
/// two elements that is below 10^-187 (in float 10^-25) of the product of the largest elements of
/// the two tensors there loses digits, and may be 0, of which nothing is said: where later tensors
/// leave nothing of the large elements, a result that is not 0 may be 0 in one order and not in
/// another. Whole numbers are computed in double, and their mantissa is double. Bitwise the same
/// for any number of threads. Throws as contract() does, and for another algebra than sums of
/// products.
RICCI_EXPORT scaled contract_scaled(const network& n, const contraction_order& order,
                                    const contract_options& options = {});
/// In an order of a fixed number of trials, the same on any machine.
RICCI_EXPORT scaled contract_scaled(const network& n, const contract_options& options = {});
/// As amplitudes(), each with an exponent of its own.
RICCI_EXPORT std::vector<scaled> amplitudes_scaled(const network& n, const contraction_order& order,
                                                   detail::index_list indices,
                                                   detail::network_operand choices,
                                                   const contract_options& options = {});

/// The places of all indices where the sum of all tensors is greatest.
struct most_likely {
    double value = 0;
    std::map<std::int64_t, std::int64_t> places;  // by the number of the index
};
/// Of a network that keeps no index, in the algebra of maximum and sum. Throws as contract() does.
RICCI_EXPORT most_likely argmax(const network& n, const contraction_order& order);

/// The derivatives of the result, of a network that keeps no index, by some of its tensors: one
/// array for each, of its shape, all by one pass back; in the algebra logsumexp_sum those of the
/// logarithm, which are probabilities. Throws as contract() does, for a tensor that is not there,
/// and in algebras of maxima and minima.
RICCI_EXPORT std::vector<array> gradient(const network& n, const contraction_order& order,
                                         const std::vector<std::size_t>& operands,
                                         const contract_options& options = {});
/// As gradient() of sums of products, each with an exponent of its own, as contract_scaled() gives.
RICCI_EXPORT std::vector<scaled> gradient_scaled(const network& n, const contraction_order& order,
                                                 const std::vector<std::size_t>& operands,
                                                 const contract_options& options = {});

/// A network planned and allocated for its shapes, to be run many times with other values.
class RICCI_EXPORT prepared_network {
public:
    explicit prepared_network(std::unique_ptr<networks::prepared_state> state);
    prepared_network(prepared_network&&) noexcept;
    prepared_network& operator=(prepared_network&&) noexcept;
    ~prepared_network();

    /// Other memory of the same shape and type for tensor k, whose values may be others. Throws
    /// ricci::error where they differ; for memory of the result, of which a copy is bound; where
    /// the order rests on zeros that it has not; for other strides than those of a tensor that was
    /// prepared with gaps or with axes in another order; and where what was prepared .scaled reads
    /// such values from a copy, for which there is no memory. After that the tensor is what it was
    /// before. An array that was bound before, with other values in its memory, is bound again in
    /// tens of nanoseconds.
    void bind(std::size_t operand, detail::network_operand value);
    template <class Array>
    requires std::is_same_v<Array, array>
    void bind(std::size_t operand, const Array& value) { bind_array(operand, value); }
    /// Computes the result from what is bound, what has not changed excepted. Plans and allocates
    /// nothing.
    void operator()();
    /// The result of the last run, in memory that the next one writes to. Throws ricci::error
    /// before the first run, and where the last one was stopped.
    array result() const;
    /// What was prepared with .scaled: the result is a mantissa, as contract_scaled() gives it, and
    /// this its exponent of ten. 0 otherwise. Throws as result() does.
    double exponent10() const;

private:
    void bind_array(std::size_t operand, const array& value);

    std::unique_ptr<networks::prepared_state> state_;
};
/// Throws as contract() does.
RICCI_EXPORT prepared_network prepare(const network& n, const contraction_order& order,
                                      const contract_options& options = {});

}  // namespace ricci
