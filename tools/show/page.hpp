// A page of heat maps as it is written: one HTML file that needs nothing beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ricci/array.hpp>

namespace ricci::show {

/// A part of an axis of a traced tensor: several where the axis is merged.
struct factor {
    std::string letter;
    std::size_t extent = 1;
    std::size_t stride = 1;  // in the elements of the tensor, row-major
    int role = -1;           // the axis of the shown tensor that it goes along with, or none
};

/// A tensor of the program that a row of the shown one is made of, or that is made of it.
struct traced_tensor {
    enum class traced_kind {
        row,     // has the row and not the columns, and comes before: a vector
        column,  // has both: a column of the table
        self,    // the shown tensor among them
        result,  // has the row and not the columns, and comes behind
    };
    traced_kind kind = traced_kind::column;
    std::string name;
    std::string symbol;    // with its letters, in LaTeX
    std::string equation;  // in LaTeX; of an input none
    std::vector<factor> factors;
    array values;
};

/// One tensor of a page, axes in the order in which they are drawn: the last two are rows and
/// columns, the one before panels.
struct view {
    std::string label;  // in the list of tensors: a file, or the extents of a run
    std::string name;
    std::string symbol;  // with its letters, in LaTeX; empty where it has none
    std::string equation;
    std::vector<std::string> letters;  // of the axes; empty, or one an axis
    std::vector<std::size_t> offsets;  // the place of the first element shown; empty for 0
    array values;
    std::vector<traced_tensor> trace;  // in the order of the equations
};

struct page {
    std::string title;
    std::vector<std::string> rows, columns;  // labels; empty, or one a row and a column
    std::vector<view> views;
    std::vector<std::string> notes;     // sentences
    bool compare = false;               // opens with two tensors beside each other
    std::size_t most_bytes = 20000000;  // of the file
};

/// The most characters that tensors of so many elements, of which one row holds so many, take at
/// least: in 8 bits an element.
double least_characters(const array& shape);
/// What a page has beside tensors, at most.
inline constexpr double characters_beside = 200000;

/// The page. As much of every element is kept as `most_bytes` allows. Throws ricci::error where 8
/// bits are too much.
std::string to_html(const page& p);

}  // namespace ricci::show
