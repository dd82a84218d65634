// Which tensors of a program a row of one of them is made of, and which are made of it.
#pragma once

#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "show/page.hpp"

namespace ricci::show {

/// What is traced, without values. In words: of the shown tensor, with a row index and a column
/// index, every tensor counts that is used in its equation at the same row; those with the row and
/// the column are columns of a table, and are followed further; those with the row alone are
/// vectors. So it goes on to the equations that use the shown tensor. Indices are followed through
/// renamings from one equation to the next, and into merged axes.
struct planned_trace {
    struct axis_part {
        std::string letter;
        int role = -1;  // the axis of the shown tensor, or none
    };
    traced_tensor::traced_kind kind = traced_tensor::traced_kind::column;
    std::string name;
    std::string equation;
    bool input = false;
    std::vector<std::vector<axis_part>> axes;  // several parts where one is merged
};

/// `row` and `column` are axes of the tensor. Nothing where one of them is merged of several.
std::vector<planned_trace> trace_of(const program& p, const std::string& name, std::size_t row,
                                    std::size_t column);

/// Extents and strides of all parts, where the extents of the shown tensor and of this one tell
/// them; nothing where they do not.
std::vector<factor> factors_of(const planned_trace& t, const array& shown, const array& mine);

/// The letters of the axes: (hc) of a merged one.
std::vector<std::string> words_of_axes(const planned_trace& t);
/// A tensor with its letters, in LaTeX.
std::string symbol_of(const std::string& name, const std::vector<std::string>& letters);
/// The letters of the axes of a tensor that the program computes, in the same way.
std::vector<std::string> letters_of(const program& p, const std::string& name);

}  // namespace ricci::show
