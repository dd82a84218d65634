// The vocabulary every layer speaks: names, indices, expressions and equations of a program.
// A program is a set of flat arrays that refer to one another by number, so that the same code
// builds, reads and copies it in the compiler and at run time. The structs have no default
// initialisers, because the compiler's constant evaluation would pay for them at every growth.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/derivative_name.hpp>
#include <ricci/ir/functions.hpp>

namespace ricci::ir {

/// The number of an entry in one of a program's arrays.
using ref = std::int32_t;
inline constexpr ref none = -1;

/// `count` consecutive entries of one of a program's arrays.
struct range {
    std::int32_t first;
    std::int32_t count;
};

/// The characters [begin, end) of the text that something was read from; empty when derived.
struct source_span {
    std::int32_t begin;
    std::int32_t end;
};

/// What a node computes. `children` are nodes unless said otherwise.
enum class op : std::uint8_t {
    number,          // value
    imaginary_unit,  // \mathrm{i}
    tensor,          // name, positions; the children are what gathered positions read
    add,             // any number of children
    multiply,        // any number of children
    divide,          // numerator, denominator
    power,           // base, exponent
    apply,           // function; one child (minimum, maximum: two)
    reduce,    // reduction over `indices`; one child. Some keep their indices, others bind them
    delta,     // two positions: 1 where they are equal
    position,  // positions[0], an index, as a number from 0
    compare,   // comparison; two children: 1 or 0
    choose,    // value, condition, value, condition, ..., value otherwise
    call,      // of a function of the text, `name`, over `indices`; only until it is written out
};

/// The last ones are functions of the matrix whose rows and columns their two indices are.
enum class reduction : std::uint8_t {
    sum,
    mean,
    maximum,
    minimum,
    softmax,
    logsumexp,
    product,
    argmax,  // the first place of the largest value, and of the smallest one: see extrema.hpp
    argmin,
    inverse,   // at (i, j): element (j, i) of the inverse of K^{ij}, so that x^j with
               // K^{ij} x^j = y^i is the sum over i of it and y^i
    cholesky,  // at (i, j): L^{ij} with K^{ik} = L^{ij} L^{kj}; 0 where i < j
    determinant,
    log_determinant,     // of its absolute value
    log_of_determinant,  // NaN where it is negative
    cofactors,           // at (i, j): det K times element (j, i) of the inverse; of plans alone
    solve,  // two children, K^{ij} and y^i; binds i and keeps j. Only until it is written out
};

/// Whether the value has the indices that the reduction runs over.
constexpr bool keeps_indices(reduction r) {
    return r == reduction::softmax || r == reduction::inverse || r == reduction::cholesky ||
           r == reduction::cofactors;
}
/// Whether its two indices are the rows and the columns of a square matrix.
constexpr bool is_of_matrix(reduction r) { return r >= reduction::inverse; }

enum class comparison : std::uint8_t {
    less,
    less_equal,
    equal,
    not_equal,
    logical_and,
    logical_or
};

struct node {
    op kind;
    std::uint8_t
        detail;       // function, reduction or comparison; of a call: whether it binds `indices`
    ref name;         // tensor, call
    range children;   // in links
    range positions;  // in positions: tensor, delta, position
    range indices;    // in links: the index symbols of a reduce
    double value;     // number; of a reduce: the least extent that its indices have to have; of
                      // a comparison with 0: 1 where an operand of bool stands as a condition; of
                      // a quotient: how it was written (quotients.hpp)
    source_span source;
};

/// The value of a count that divides: wherever it is read, its conditions leave a place.
inline constexpr double some_place = 0.5;

/// Whether a node is a function of a matrix.
constexpr bool is_of_matrix(const node& x) {
    return x.kind == op::reduce && is_of_matrix(static_cast<reduction>(x.detail));
}

constexpr node blank_node(op kind, source_span source = {}) {
    return {kind, 0, none, {}, {}, {}, 0, source};
}

/// Whether a node is a function whose values are real, of complex numbers too, as those of |z| are.
constexpr bool is_always_real(const node& x) {
    return x.kind == op::apply &&
           says(static_cast<function>(x.detail), detail::function_types::always_real);
}

/// Whether a node is x^0: its value is 1 whatever x is, which stands there for its shape.
template <class Program>
constexpr bool is_power_of_zero(const Program& p, const node& x) {
    if (x.kind != op::power) return false;
    const node& exponent = p.nodes[p.links[x.children.first + 1]];
    return exponent.kind == op::number && exponent.value == 0;
}

/// [m^{ij}]: a tensor of bool, or of whole numbers 0 and 1, that stands as a condition.
constexpr bool is_truth(const node& x) { return x.kind == op::compare && x.value == 1; }

/// Where an axis of a tensor is read or written.
enum class position_kind : std::uint8_t {
    index,     // at an index
    fixed,     // at `offset`
    merged,    // several indices are one axis, the last fastest: terms, coefficients unused
    gathered,  // at the value of the tensor node's child number `offset`, a whole number
    affine,  // offset + sum of coefficient * index over terms; when a coefficient is negative, that
             // index's extent - 1 times its size is added, so that the least value is `offset`
};

struct position {
    position_kind kind;
    bool upper;           // written above, or below the stroke of a derivative below; while parsing
    ref index;            // position_kind::index
    std::int32_t offset;  // fixed, affine, gathered
    range terms;          // merged, affine: in affine_terms
};

constexpr position index_position(ref index) { return {position_kind::index, false, index, 0, {}}; }
constexpr position fixed_position(std::int32_t place) {
    return {position_kind::fixed, false, none, place, {}};
}
constexpr position gathered_position(std::int32_t child) {
    return {position_kind::gathered, false, none, child, {}};
}

struct affine_term {
    ref index;
    std::int32_t coefficient;
};

/// An axis of a tensor, which need not stand in any equation: bound for its shape alone.
struct axis {
    ref tensor;
    std::int32_t number;
    friend constexpr bool operator==(const axis&, const axis&) = default;
};
inline constexpr axis no_axis{none, 0};

/// An index letter with its primes, as text in `characters`. Several symbols may share their text:
/// one letter in several sums, or over several axes.
struct index_symbol {
    range text;
    std::int32_t
        extent;  // that the text says, as of an index that counts a tensor's parts; else 0, or
                 // `kept_inside` or `written_out`
    axis along;  // that it runs over where the text says so, i \in \operatorname{axis}_0(v)
};

/// Of the index p in \sum_p [p = i - 1] x^p: there has to be such a p wherever the conditions
/// around hold.
inline constexpr std::int32_t kept_inside = -1;
/// Of the index p in \sum_p [p = i - 1] x^p, where pad, wrap or clamp say what is outside.
inline constexpr std::int32_t written_out = -2;

enum class name_kind : std::uint8_t {
    plain,
    cotangent,  // the derivative of a loss, or of the tensor `numerator`, by the tensor `of`
    tangent,    // the directional derivative of the tensor `of`
};

struct name_symbol {
    range text;  // in characters: the canonical spelling, what "..."_t is compared with
    name_kind kind;
    ref of;
    bool kept;        // an output although other equations use it
    bool shape_only;  // defined for the shape that others take: not computed, and no output
    std::int32_t
        numerator_rank;  // of a derivative: how many of its positions stand in the numerator
    ref numerator;       // of a derivative of second order: the one above; otherwise none
    bool in_norm;        // a norm squares it, where among complex numbers |z|^2 would be meant
};

/// name[positions] = body. A claim states what other equations have to imply and computes nothing.
struct equation {
    ref name;
    range positions;
    ref body;
    bool claim;
    source_span source;
};

/// A read-only program, wherever its arrays live.
struct program_view {
    template <class T>
    struct list {
        const T* data = nullptr;
        std::int32_t count = 0;
        constexpr const T& operator[](ref k) const { return data[k]; }
        constexpr std::int32_t size() const { return count; }
        constexpr const T* begin() const { return data; }
        constexpr const T* end() const { return data + count; }
    };
    list<char> characters;
    list<name_symbol> names;
    list<index_symbol> indices;
    list<node> nodes;
    list<ref> links;
    list<position> positions;
    list<affine_term> affine_terms;
    list<equation> equations;

    constexpr text_view text(range r) const { return {characters.data + r.first, r.count}; }
    constexpr text_view name(ref n) const { return text(names[n].text); }
    constexpr text_view index(ref i) const { return text(indices[i].text); }
    constexpr ref child(const node& n, std::int32_t k) const { return links[n.children.first + k]; }
    constexpr ref reduced(const node& n, std::int32_t k) const {
        return links[n.indices.first + k];
    }
    constexpr const position& at(range r, std::int32_t k) const { return positions[r.first + k]; }

    /// The name with this canonical spelling, or none.
    constexpr ref find(text_view spelling) const {
        for (ref n = 0; n < names.size(); ++n)
            if (name(n) == spelling) return n;
        return none;
    }
    /// The same, looked for behind the name `last` first, where it is when names come in order.
    constexpr ref find_after(ref last, text_view spelling) const {
        for (ref n = last + 1; n < names.size(); ++n)
            if (name(n) == spelling) return n;
        return find(spelling);
    }
    /// The equation, not a claim, that defines `name`, or none.
    constexpr ref definition(ref name_number) const {
        for (ref e = 0; e < equations.size(); ++e)
            if (equations[e].name == name_number && !equations[e].claim) return e;
        return none;
    }
};

/// Claims state something, and some definitions are there for a shape; the others are computed.
constexpr bool computes(const program_view& p, const equation& e) {
    return !e.claim && !p.names[e.name].shape_only;
}

/// Whether a program has derivatives, which may have to be derived.
constexpr bool speaks_of_derivatives(const program_view& p) {
    for (const name_symbol& n : p.names)
        if (n.kind != name_kind::plain) return true;
    return false;
}

/// The first symbol that is spelt so, or none. Written without calls, which is what the compiler's
/// constant evaluation pays for: names are looked up more often than anything else is done.
template <class Symbol>
constexpr ref find_spelling(const Symbol* symbols, std::int32_t count, const char* characters,
                            text_view spelling) {
    const std::int32_t size = spelling.size;
    for (ref n = 0; n < count; ++n) {
        if (symbols[n].text.count != size) continue;
        const char* mine = characters + symbols[n].text.first;
        std::int32_t k = size;
        while (k > 0 && mine[k - 1] == spelling.data[k - 1]) --k;
        if (k == 0) return n;
    }
    return none;
}

/// Beyond it are the infinities. (Every file that reads equations would pay for <limits>.)
inline constexpr double largest_number = __DBL_MAX__;
/// \pi, which is printed so.
inline constexpr double circle_number = 3.14159265358979323846;

/// A program that owns its arrays and can grow. Shared structure is allowed: several nodes may name
/// the same child, since nodes never change once others refer to them.
struct program {
    detail::buffer<char> characters;
    detail::buffer<name_symbol> names;
    detail::buffer<index_symbol> indices;
    detail::buffer<node> nodes;
    detail::buffer<ref> links;
    detail::buffer<position> positions;
    detail::buffer<affine_term> affine_terms;
    detail::buffer<equation> equations;
    /// How many of the indices are letters that a caller may know, and give extents.
    std::int32_t known_letters = 0;

    constexpr program() = default;
    constexpr explicit program(const program_view& other) {
        characters.append(other.characters.data, other.characters.count);
        names.append(other.names.data, other.names.count);
        indices.append(other.indices.data, other.indices.count);
        nodes.append(other.nodes.data, other.nodes.count);
        links.append(other.links.data, other.links.count);
        positions.append(other.positions.data, other.positions.count);
        affine_terms.append(other.affine_terms.data, other.affine_terms.count);
        equations.append(other.equations.data, other.equations.count);
    }

    constexpr operator program_view() const { return view(); }
    constexpr program_view view() const {
        return {{characters.data(), characters.size()},
                {names.data(), names.size()},
                {indices.data(), indices.size()},
                {nodes.data(), nodes.size()},
                {links.data(), links.size()},
                {positions.data(), positions.size()},
                {affine_terms.data(), affine_terms.size()},
                {equations.data(), equations.size()}};
    }

    constexpr range add_text(text_view text) {
        const range r{characters.size(), text.size};
        characters.append(text.data, text.size);
        return r;
    }
    constexpr text_view text(range r) const { return {characters.data() + r.first, r.count}; }
    constexpr text_view name(ref n) const { return text(names[n].text); }
    constexpr text_view index(ref i) const { return text(indices[i].text); }
    constexpr ref find(text_view spelling) const {
        return find_spelling(names.data(), names.size(), characters.data(), spelling);
    }
    constexpr ref find_index(text_view spelling) const {
        return find_spelling(indices.data(), indices.size(), characters.data(), spelling);
    }
    /// The symbol of this spelling that runs over `along`, made where there is none yet.
    constexpr ref index_along(text_view spelling, axis along) {
        const ref first = find_index(spelling);
        if (first != none && indices[first].along == along) return first;
        for (ref i = first + 1; first != none && i < indices.size(); ++i)
            if (indices[i].along == along && index(i) == spelling) return i;
        return indices.push({first != none ? indices[first].text : add_text(spelling), 0, along});
    }
    /// The equation, not a claim, that defines `name`, or none.
    constexpr ref definition(ref name_number) const {
        const equation* e = equations.data();
        for (ref k = 0, count = equations.size(); k < count; ++k)
            if (e[k].name == name_number && !e[k].claim) return k;
        return none;
    }
    constexpr ref intern_index(text_view spelling) {
        const ref found = find_index(spelling);
        if (found == none) return indices.push({add_text(spelling), 0, no_axis});
        return indices[found].along == no_axis ? found : index_along(spelling, no_axis);
    }
    constexpr ref intern_name(text_view spelling, name_kind kind = name_kind::plain, ref of = none,
                              std::int32_t numerator_rank = 0, ref numerator = none) {
        const ref found = find(spelling);
        return found != none ? found
                             : names.push({add_text(spelling), kind, of, false, false,
                                           numerator_rank, numerator, false});
    }
    /// A plain name that is not there yet, which is not looked for.
    constexpr ref add_name(text_view spelling) {
        return names.push(
            {add_text(spelling), name_kind::plain, none, false, false, 0, none, false});
    }
    /// The name of the directional derivative of a tensor along t, or t with primes.
    constexpr ref intern_tangent(text_view along, ref of) {
        return intern_name(tangent_spelling(along, name(of)), name_kind::tangent, of);
    }
    constexpr range add_links(const ref* values, std::int32_t count) {
        const range r{links.size(), count};
        links.append(values, count);
        return r;
    }
    constexpr range add_links(const detail::buffer<ref>& values) {
        return add_links(values.data(), values.size());
    }

    constexpr ref number(double value, source_span source = {}) {
        node n = blank_node(op::number, source);
        n.value = value;
        return nodes.push(n);
    }
    constexpr ref imaginary_unit(source_span source = {}) {
        return nodes.push(blank_node(op::imaginary_unit, source));
    }
    constexpr ref tensor(ref name, range at, source_span source = {}) {
        node n = blank_node(op::tensor, source);
        n.name = name;
        n.positions = at;
        return nodes.push(n);
    }
    /// A use of a tensor where others say at which positions: `numbers` are the children.
    constexpr ref gather(ref name, range at, const detail::buffer<ref>& numbers,
                         source_span source = {}) {
        const ref n = tensor(name, at, source);
        if (!numbers.empty()) nodes[n].children = add_links(numbers);
        return n;
    }
    /// The index as a number.
    constexpr ref position_of(ref index, source_span source = {}) {
        node n = blank_node(op::position, source);
        n.positions = {positions.size(), 1};
        positions.push(index_position(index));
        return nodes.push(n);
    }
    constexpr ref make(op kind, std::uint8_t detail, const ref* children, std::int32_t count,
                       source_span source = {}) {
        node n = blank_node(kind, source);
        n.detail = detail;
        n.children = add_links(children, count);
        return nodes.push(n);
    }
    constexpr ref make(op kind, ref a, source_span source = {}) {
        return make(kind, 0, &a, 1, source);
    }
    constexpr ref make(op kind, ref a, ref b, source_span source = {}) {
        const ref both[] = {a, b};
        return make(kind, 0, both, 2, source);
    }
    constexpr ref apply(function f, ref argument, source_span source = {}) {
        return make(op::apply, static_cast<std::uint8_t>(f), &argument, 1, source);
    }
    constexpr ref reduce(reduction r, range over, ref body, source_span source = {}) {
        const ref n = make(op::reduce, static_cast<std::uint8_t>(r), &body, 1, source);
        nodes[n].indices = over;
        return n;
    }
};

}  // namespace ricci::ir
