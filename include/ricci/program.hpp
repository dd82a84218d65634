// Programs known at run time: run, prepared, explained, judged, differentiated and batched. The
// checks and the words are those of "..."_eq, by the same code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/detail/bind/unsuitable.hpp>
#include <ricci/detail/export.hpp>
#include <ricci/error.hpp>
#include <ricci/parse.hpp>
#include <ricci/engine/number.hpp>
#include <ricci/prepare_options.hpp>

namespace ricci {

// What a program says of itself -------------------------------------------------------------------

/// A tensor that a program takes or gives.
struct tensor_info {
    std::string name;      // as an operand is bound to it
    std::size_t rank = 0;  // how many axes it has
    std::string indices;   // with commas, as "h,b,a": where it is defined, or else used first
    std::string equation;  // that one, in LaTeX
};
class tensor_list : public std::vector<tensor_info> {};
class mistake_list : public std::vector<mistake> {};

enum class verdict : std::uint8_t { proved, refuted, unproved };

/// What is known of a claim.
struct judgement {
    ricci::verdict verdict = ricci::verdict::proved;
    std::string
        words;  // none where it is proved; of a refuted one the numbers in which the sides differ
};

// Operands ----------------------------------------------------------------------------------------

/// The extent of an index where no shape gives it: {"h", ricci::extent(8)}.
struct extent {
    template <std::integral I>
    constexpr explicit extent(I count) : value(static_cast<std::int64_t>(count)) {}
    std::int64_t value;
};

namespace detail {

/// A part in a watch, see memory_watch.
class RICCI_EXPORT watch_part {
public:
    watch_part() = default;
    explicit watch_part(memory_watch** place);
    watch_part(const watch_part& other) noexcept {
        if (other.watch_ != nullptr) follow_watch(watch_, other.watch_);
    }
    watch_part& operator=(watch_part other) noexcept {
        std::swap(watch_, other.watch_);
        return *this;
    }
    ~watch_part() {
        if (watch_ != nullptr) end_watch(watch_, false);
    }
    memory_watch** place() const { return &watch_; }

private:
    mutable memory_watch* watch_ = nullptr;
};

template <class T>
concept any_tensor = has_a_rank<std::remove_cvref_t<T>>;
template <class T>
concept list_of_elements = element_list<std::remove_reference_t<T>>;

}  // namespace detail

/// What stands for a tensor in a call: an array, a tensor, a view, a list of elements, a number, or
/// the extent of an index. What has a name is looked at, and has to live as long as the call, or as
/// the program that is prepared with it; what has none is taken over.
class bindable {
public:
    bindable(const array& a)  // NOLINT: all implicit, so that {"X", x} binds x
        : value_(a), part_(a.is_shape() ? nullptr : a.watch()) {}
    bindable(array&& a) : value_(std::move(a)) {}                                 // NOLINT
    bindable(extent e) : kind_(detail::operand_kind::index), extent_(e.value) {}  // NOLINT

    template <detail::any_tensor Tensor>
    bindable(Tensor&& x) : value_(array_of(std::forward<Tensor>(x))) {  // NOLINT
        using Own = std::remove_cvref_t<Tensor>;  // a view owns nothing that could be gone
        if constexpr (std::is_lvalue_reference_v<Tensor> &&
                      !std::is_same_v<Own, decltype(x.view())>)
            watch_ = detail::watch_of(x).place;
    }
    template <detail::list_of_elements List>
    bindable(List&& list) : value_(array_of_list(std::forward<List>(list))) {}  // NOLINT
    template <class T, std::size_t Count>
    requires(element_of<T>::supported) bindable(T (&list)[Count])  // NOLINT
        : value_(tensor_view<T, 1>(list, {Count})) {}
    template <detail::bindable_number Number>
    bindable(const Number& x) : kind_(detail::operand_kind::number), number_(x) {  // NOLINT
        if constexpr (element_of<Number>::supported) complex_ = is_complex(element_v<Number>);
    }
    template <detail::refers_to_a_number Reference>
    bindable(const Reference& x)  // NOLINT: std::cref(c), read at every run
        : value_(tensor_view<typename Reference::type, 0>(&x.get(), {})) {}
    /// What is no operand: a call says why.
    template <detail::unsuitable_operand Operand>
    requires(!std::is_same_v<std::remove_cvref_t<Operand>, array> &&
             !std::is_same_v<std::remove_cvref_t<Operand>, extent> &&
             !std::is_same_v<std::remove_cvref_t<Operand>, bindable>)  //
        bindable(Operand&&)                                            // NOLINT
        : kind_(detail::operand_kind::unsuitable),
          why_(detail::why_unsuitable<std::remove_reference_t<Operand>>()) {}

    detail::operand_kind kind() const { return kind_; }
    const array& value() const { return value_; }
    const engine::number& number() const { return number_; }
    bool is_complex_number() const { return complex_; }
    std::int64_t extent_of_index() const { return extent_; }
    ricci::detail::unsuitable why() const { return why_; }
    /// Of whom the memory is, where that is known.
    detail::memory_watch** watch() const { return watch_ != nullptr ? watch_ : part_.place(); }

private:
    template <class Tensor>
    static array array_of(Tensor&& x) {
        using Own = std::remove_cvref_t<Tensor>;
        if constexpr (std::is_lvalue_reference_v<Tensor> || std::is_same_v<Own, decltype(x.view())>)
            return array(x.view());
        else return array(std::forward<Tensor>(x));
    }
    template <class List>
    static array array_of_list(List&& list) {
        using T = std::remove_pointer_t<decltype(list.data())>;
        if constexpr (std::is_lvalue_reference_v<List>) {
            return array(tensor_view<T, 1>(list.data(), {list.size()}));
        } else {
            auto kept = std::make_shared<std::remove_cvref_t<List>>(std::forward<List>(list));
            const std::size_t extents[] = {kept->size()};
            const std::int64_t strides[] = {1};
            return array::over(kept, element_v<T>,
                               const_cast<std::remove_const_t<T>*>(kept->data()), extents, strides,
                               !std::is_const_v<T>);
        }
    }

    detail::operand_kind kind_ = detail::operand_kind::tensor;
    bool complex_ = false;
    ricci::detail::unsuitable why_ = ricci::detail::unsuitable::nothing_wrong;
    array value_;
    engine::number number_;
    std::int64_t extent_ = 0;
    detail::memory_watch** watch_ = nullptr;
    detail::watch_part part_;
};

/// A name with what is bound to it.
struct named {
    std::string name;
    bindable value;
};

namespace detail {

/// Operands as they are given: in braces, or in a vector.
class operand_list {
public:
    operand_list(std::initializer_list<named> list) : size_(list.size()) {  // NOLINT
        data_ = list.begin();  // which lives as long as the call that it is an argument of
    }
    operand_list(const std::vector<named>& list)
        : data_(list.data()), size_(list.size()) {}  // NOLINT
    const named* begin() const { return data_; }
    const named* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }

private:
    const named* data_;
    std::size_t size_;
};

}  // namespace detail

// Running -----------------------------------------------------------------------------------------

/// Computes the outputs; every input is bound, in any order. Throws ricci::error before anything is
/// written. Plans are remembered: the next call with the same shapes plans nothing.
RICCI_EXPORT arrays run(const program& p, detail::operand_list operands,
                        const prepare_options& options = {});

/// A program checked, planned and allocated for its operands, to be run many times. Runs read the
/// operands' current contents. It keeps the memory of arrays; other memory has to live. A tensor or
/// an array that has been given other memory since is noticed, and an error.
class RICCI_EXPORT runner {
public:
    runner(const program& p, detail::operand_list operands, const prepare_options& options);
    runner(runner&&) noexcept;
    runner& operator=(runner&&) noexcept;
    ~runner();

    /// Allocates nothing, plans nothing. Throws ricci::error, before anything is written, where a
    /// tensor that was bound is gone.
    void operator()();

    /// An output, in the memory that was bound for it or else in the program's own.
    array operator[](std::string_view name) const;

    /// Other operands, outputs, numbers or extents than before, several at once where they depend
    /// on each other. Plans anew only where extents, strides or numbers differ. Throws ricci::error
    /// where a call would, and everything stays as it was.
    void bind(detail::operand_list operands);
    void bind(std::string_view name, bindable value);

    /// The steps in words.
    std::string explain() const;

private:
    struct state;
    state& live() const;  // throws ricci::error where this has been moved from
    std::unique_ptr<state> state_;
};

/// Checks, plans and allocates; outputs may be bound too, and are written to that memory. Throws
/// ricci::error where run() would.
inline runner prepare(const program& p, detail::operand_list operands,
                      const prepare_options& options = {}) {
    return runner(p, operands, options);
}

/// The plan in words. Operands may be shapes: nothing is allocated that the program would need.
RICCI_EXPORT std::string explain(const program& p, detail::operand_list operands,
                                 const prepare_options& options = {});

/// The same after every pass of the planner, as notation: how the plan came about.
RICCI_EXPORT std::string explain_passes(const program& p, detail::operand_list operands,
                                        const prepare_options& options = {});

/// A tensor of a program, with the extents that it has for certain operands.
struct sized_tensor {
    enum class part : std::uint8_t { input, intermediate, output };
    tensor_info tensor;
    part role = part::input;
    array extents;  // a shape
};
/// Every tensor: inputs, then those that are computed, in the order of the equations. Operands may
/// be shapes. Throws ricci::error where they do not fit, as explain() does, but plans nothing.
RICCI_EXPORT std::vector<sized_tensor> tensors_of(const program& p, detail::operand_list operands,
                                                  const prepare_options& options = {});

/// What a plan takes, in bytes, to be known before it runs.
struct memory_needed {
    std::size_t outputs = 0;    // those that are not bound
    std::size_t workspace = 0;  // beside them, while it runs
};
RICCI_EXPORT memory_needed memory_of(const program& p, detail::operand_list operands,
                                     const prepare_options& options = {});

/// One contraction by numpy's rules: einsum("ib,hba->hia", {x, w}). Throws ricci::error for a
/// string that cannot be read, and where extents disagree.
RICCI_EXPORT array einsum(std::string_view text, std::initializer_list<bindable> operands);
RICCI_EXPORT array einsum(std::string_view text, const std::vector<bindable>& operands);
RICCI_EXPORT array einsum(std::string_view text, const std::vector<array>& operands);
/// That contraction as a program, for operands of these ranks: they are named "operand 1", "operand
/// 2", ..., and what it gives "result".
RICCI_EXPORT program einsum_program(std::string_view text, const std::vector<std::size_t>& ranks);
/// The same where every operand has as many axes as it has letters, and no "..." stands for more.
RICCI_EXPORT program einsum_program(std::string_view text);

// Derivatives -------------------------------------------------------------------------------------

// Programs again. All throw ricci::error for what would not compile.

/// dL/dx for every x of `by`: takes what p takes and {"dL/d(of)", ...}.
RICCI_EXPORT program gradient(const program& p, std::string_view of,
                              const std::vector<std::string>& by);
/// As gradient, and gives the value of `of` too.
RICCI_EXPORT program value_and_gradient(const program& p, std::string_view of,
                                        const std::vector<std::string>& by);
/// Forward mode: d/dt Y for every output Y, along {"d/dt x", ...} of every x of `by`.
RICCI_EXPORT program tangent(const program& p, const std::vector<std::string>& by);
/// The derivative of the tensor `of` by every x of `by`, of the axes of `of` and then those of x.
RICCI_EXPORT program jacobian(const program& p, std::string_view of,
                              const std::vector<std::string>& by);

/// What gets an axis: batch(p, {.of = {"X", "m"}, .index = "b"}).
struct batch_options {
    std::vector<std::string> of;  // inputs
    std::string index;            // a letter that no index of the program has
};
/// The same equations for many: the inputs, and every tensor that depends on them, get a first axis
/// with the index. Claims in the text are left out.
RICCI_EXPORT program batch(const program& p, const batch_options& options);

/// Layers: repeat(layer, 12, {.from = "Y", .to = "X", .index = "l"}).
struct repeat_options {
    std::string from;   // what a layer gives
    std::string to;     // the input that the next layer takes it as
    std::string index;  // a letter for the layers that no index of the program has
    std::vector<std::string> shared = {};  // inputs that are the same for all layers
    /// A gradient makes the tensors of a layer again on the way back, where it would store what it
    /// needs of them for all layers: less memory, one more run forward.
    bool recompute = false;
};
/// `count` layers of these equations: what each gives as `from` the next takes as `to`. A call
/// binds `to` of the first layer and gets `from` of the last; every other input and output has a
/// first axis for the layers, but the inputs that they share, as numbers mostly are. Planned once
/// for all; gradient() and tangent() go through the layers too. What states() and judge() are asked
/// is asked of each layer.
RICCI_EXPORT program repeat(const program& layer, std::size_t count, const repeat_options& options);

/// The name under which operands and results of a program are bound: dL/d\beta for "dL/d\\beta",
/// and the like.
RICCI_EXPORT std::string canonical_name(std::string_view name);

}  // namespace ricci
