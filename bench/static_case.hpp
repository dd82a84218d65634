// A case with its extents in types: fixed tensors for its operands, and its einsum as a template.
#pragma once

#include <cstddef>
#include <utility>

#include <ricci/ricci.hpp>
#include <ricci/small.hpp>

#include "bench/bound_case.hpp"
#include "bench/cases.hpp"

namespace ricci::bench {

constexpr std::size_t length_of(const char* text) {
    std::size_t n = 0;
    while (text[n] != '\0') ++n;
    return n;
}

/// The labels of an operand; those of the result come last.
struct label_range {
    const char* first = nullptr;
    std::size_t count = 0;
};

constexpr label_range labels_of(const char* text, std::size_t operand) {
    label_range found{text, 0};
    for (std::size_t k = 0; text[k] != '\0'; ++k) {
        if (text[k] == ',' || text[k] == '>') {
            if (operand-- == 0) return found;
            found = {text + k + 1, 0};
        } else if (text[k] != '-') {
            ++found.count;
        }
    }
    return found;
}

constexpr std::size_t operand_count(const char* text) {
    std::size_t count = 1;
    for (; *text != '\0'; ++text) count += *text == ',' ? 1 : 0;
    return count;
}

/// What the words, such as "i=4 j=5", say of a label.
constexpr std::size_t extent_in(const char* words, char label) {
    while (*words != label) ++words;
    std::size_t value = 0;
    for (words += 2; *words >= '0' && *words <= '9'; ++words)
        value = 10 * value + static_cast<std::size_t>(*words - '0');
    return value;
}

/// The einsum string of case `Number` as a template takes it.
template <std::size_t Number>
consteval auto text_of() {
    constexpr const char* from = contraction_cases[Number].text;
    detail::literal_text<length_of(from) + 1> out;
    for (std::size_t k = 0; k < length_of(from); ++k) out.characters[k] = from[k];
    return out;
}

/// Case `Number` of the list, with operands of float.
template <std::size_t Number>
class static_case {
public:
    static constexpr const contraction_case& which = contraction_cases[Number];
    static constexpr std::size_t operands = operand_count(which.text);

    static_case() {
        fill(a_, 0);
        fill(b_, 1);
        fill(c_, 2);
    }

    auto run() const {
        if constexpr (operands == 2) return einsum<text_of<Number>()>(a_, b_);
        else return einsum<text_of<Number>()>(a_, b_, c_);
    }
    const float* operand(std::size_t k) const {
        return k == 0 ? a_.data() : k == 1 ? b_.data() : c_.data();
    }

    static constexpr std::size_t extent(char label) { return extent_in(which.extents, label); }

private:
    template <std::size_t Operand, std::size_t... Axis>
    static auto tensor_for(std::index_sequence<Axis...>)
        -> fixed_tensor<float,
                        extent_in(which.extents, labels_of(which.text, Operand).first[Axis])...>;
    template <std::size_t Operand>
    using tensor_of = decltype(tensor_for<Operand>(
        std::make_index_sequence<labels_of(which.text, Operand).count>{}));

    template <class Tensor>
    static void fill(Tensor& x, std::size_t operand) {
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = example<float>(operand, i);
    }

    // Of two operands, the third is the result's and not used.
    tensor_of<0> a_;
    tensor_of<1> b_;
    tensor_of<2> c_;
};

/// Calls body.operator()<Number>() for every case of the group "small".
template <class Body, std::size_t... Number>
void for_static_cases(Body&& body, std::index_sequence<Number...>) {
    const auto call = [&]<std::size_t N>() {
        constexpr const char* group = contraction_cases[N].group;
        if constexpr (group[0] == 's' && group[1] == 'm') body.template operator()<N>();
    };
    (call.template operator()<Number>(), ...);
}
template <class Body>
void for_static_cases(Body&& body) {
    for_static_cases(
        body, std::make_index_sequence<sizeof contraction_cases / sizeof contraction_cases[0]>{});
}

}  // namespace ricci::bench
