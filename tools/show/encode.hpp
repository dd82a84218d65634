// Tensors as text in a page: in which bytes an element is stored, and those bytes in base64.
#pragma once

#include <cstddef>
#include <string>

#include <ricci/array.hpp>

#include "show/values.hpp"

namespace ricci::show {

/// How much of an element a page keeps. Fewer than all bits are steps between the least and the
/// greatest number of a group of rows.
enum class precision { exact, sixteen_bits, eight_bits };

/// Steps between the least and the greatest number; the codes above are NaN and the infinities.
inline constexpr std::size_t eight_bit_steps = 252, sixteen_bit_steps = 65532;

struct format {
    std::string name;                // u8, i32, i64, f32, f64, and q8 and q16 for steps
    std::size_t width = 0;           // bytes an element
    std::size_t rows_of_a_step = 0;  // rows that have the same steps; 0 where values are exact
};

/// The format of a tensor. Whole numbers that fit are exact in fewer bytes, too.
format format_of(const array& a, const summary& s, precision p);
/// Characters that it takes in the page.
double characters_of(const array& a, const format& f);

/// Panels that stand together in the page, so that small ones do not stand alone.
std::size_t panels_together(const array& a);
/// So many panels from `first`. For each group of rows, if there are steps, the least number and
/// the step as f64; then the elements.
std::string encoded(const array& a, aspect of, const format& f, std::size_t first,
                    std::size_t count);

}  // namespace ricci::show
