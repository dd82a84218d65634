// What `show` and `run --show` have in common: labels, the axis of the panels, the size of a page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ricci/array.hpp>

#include "show/page.hpp"
#include "show/values.hpp"

namespace ricci::command {

class command_line;

struct show_options {
    std::string labels, rows, columns;  // files
    std::string panels;                 // an axis, by number or by letter; "": as they stand
    std::string page_size = "20M";

    void add_to(command_line& line);
};

/// Bytes that a page may have: M counts in millions here, as sizes of files do. Throws ricci::error
/// for words that say none.
std::size_t bytes_of_page(const show_options& o);

/// Throws ricci::error for a name that is no .html file.
void check_page_name(const std::string& path);

/// The order in which the axes are drawn: the last two are rows and columns, and the one before
/// them is the one that --panels says. Throws ricci::error where there is no such axis.
std::vector<std::size_t> order_of_axes(const show_options& o, const std::string& name,
                                       std::size_t rank, const std::vector<std::string>& letters);

/// The part of an axis that a page shows, and how many places the axis has.
struct shown_part {
    show::slice part;
    std::size_t whole;
};

/// Reads the labels into the page, which has its views. `rows` and `columns`: the parts of these
/// axes that the views show; none for all. Throws ricci::error where their number fits
/// neither rows nor columns.
void add_labels(show::page& p, const show_options& o, const shown_part* rows = nullptr,
                const shown_part* columns = nullptr);

/// Writes a page into its place. Throws ricci::error where that fails.
void write_page(const show::page& p, const std::string& path);

}  // namespace ricci::command
