// Labels, axes and sizes of pages as the command line says them.
#include "command/show_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "command/command_line.hpp"
#include "command/number_words.hpp"
#include "command/run_options.hpp"
#include "command/sentences.hpp"
#include "files/new_file.hpp"
#include "show/labels.hpp"

namespace ricci::command {
namespace {

std::string counted(std::size_t n, const std::string& what) {
    return fmt::format("{} {}{}", with_commas(n), what, n == 1 ? "" : "s");
}

// Labels of a whole axis, or of the part of it that is shown; nothing where they are of another
// number.
std::vector<std::string> fitting(const std::vector<std::string>& all, std::size_t extent,
                                 const shown_part* shown) {
    if (all.size() == extent) return all;
    if (shown == nullptr || all.size() != shown->whole ||
        shown->part.end - shown->part.first != extent)
        return {};
    return {all.begin() + static_cast<std::ptrdiff_t>(shown->part.first),
            all.begin() + static_cast<std::ptrdiff_t>(shown->part.end)};
}

}  // namespace

void show_options::add_to(command_line& line) {
    line.option("--labels", labels, "FILE",
                "labels of rows and columns, as the tokens of a text: one a line");
    line.option("--rows", rows, "FILE", "labels of the rows alone");
    line.option("--columns", columns, "FILE", "labels of the columns alone");
    line.option("--panels", panels, "AXIS",
                "the axis that has a panel for each place, counted from 0, or its letter; the "
                "third from last otherwise. The last two of the others are rows and columns.");
    line.option("--page-size", page_size, "BYTES",
                "the most that a page may have, 20M otherwise. Numbers are kept as exactly as "
                "that allows.");
}

std::size_t bytes_of_page(const show_options& o) {
    const auto bytes = static_cast<double>(bytes_of(o.page_size));
    // what is asked for in binary megabytes is given in those of files
    const double power = std::floor(std::log2(std::max(bytes, 1.0)) / 10);
    const bool unit =
        !o.page_size.empty() && std::isdigit(static_cast<unsigned char>(o.page_size.back())) == 0;
    constexpr double all = 9e18;  // more than any page has, and still a whole number of the machine
    return static_cast<std::size_t>(
        std::min(unit ? bytes * std::pow(1000.0 / 1024, power) : bytes, all));
}

void check_page_name(const std::string& path) {
    if (!path.ends_with(".html") && !path.ends_with(".htm"))
        refuse("'{}' is no page: its name has to end in .html.", path);
}

std::vector<std::size_t> order_of_axes(const show_options& o, const std::string& name,
                                       std::size_t rank, const std::vector<std::string>& letters) {
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < rank; ++axis) order.push_back(axis);
    if (o.panels.empty()) return order;
    std::size_t axis = rank;
    const char* const end = o.panels.data() + o.panels.size();
    if (const auto [at, wrong] = std::from_chars(o.panels.data(), end, axis);
        wrong != std::errc() || at != end) {
        const auto letter = std::find(letters.begin(), letters.end(), o.panels);
        axis = letter == letters.end() ? rank : static_cast<std::size_t>(letter - letters.begin());
    }
    if (rank < 3)
        refuse("--panels: {} has {} {}, and panels need three.", name, rank,
               rank == 1 ? "axis" : "axes");
    if (axis >= rank)
        refuse("--panels: {} has no axis {}; it has {}, counted from 0.", name, o.panels, rank);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(axis));
    order.insert(order.end() - 2, axis);
    return order;
}

void add_labels(show::page& p, const show_options& o, const shown_part* rows,
                const shown_part* columns) {
    const auto add = [&](const std::string& file, bool to_rows, bool to_columns) {
        if (file.empty()) return;
        const auto all = show::read_labels(file);
        for (const show::view& v : p.views) {
            const std::size_t height = show::rows_in_panel(v.values),
                              width = show::columns_in_panel(v.values);
            const auto for_rows = to_rows ? fitting(all, height, rows) : std::vector<std::string>{};
            const auto for_columns =
                to_columns ? fitting(all, width, columns) : std::vector<std::string>{};
            if (for_rows.empty() && for_columns.empty()) {
                std::string words = to_rows ? counted(height, "row") : "";
                if (to_columns) words += (words.empty() ? "" : " and ") + counted(width, "column");
                refuse("{} has {}, and {} has {}.", file, counted(all.size(), "label"),
                       v.name.empty() ? v.label : v.name, words);
            }
            if (!for_rows.empty()) p.rows = for_rows;
            if (!for_columns.empty()) p.columns = for_columns;
        }
    };
    add(o.labels, true, true);
    add(o.rows, true, false);
    add(o.columns, false, true);
}

void write_page(const show::page& p, const std::string& path) {
    const std::string words = show::to_html(p);
    files::new_file file(path);
    file.write(words);
    file.complete();
    file.replace();
}

}  // namespace ricci::command
