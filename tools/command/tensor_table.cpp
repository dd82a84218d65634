// A table of tensors with their extents, and the shapes of every equation.
#include "command/tensor_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command/number_words.hpp"
#include "command/operand_words.hpp"
#include "command/run_options.hpp"
#include "command/sentences.hpp"

namespace ricci::command {
namespace {

std::string extents_of(const array& a) {
    return a.rank() == 0 ? "1" : fmt::format("{}", fmt::join(a.extents(), " x "));
}

double elements_of(const array& a) {
    double n = 1;
    for (const std::size_t e : a.extents()) n *= static_cast<double>(e);
    return n;
}

double bytes_of(const array& a) { return elements_of(a) * static_cast<double>(size_of(a.type())); }

const char* words_of(sized_tensor::part role) {
    switch (role) {
        case sized_tensor::part::input:
            return "input";
        case sized_tensor::part::intermediate:
            return "intermediate";
        case sized_tensor::part::output:
            break;
    }
    return "output";
}

// W, W_Q, W^{(1)}, b, b_1: what papers call weights and biases.
bool looks_like_parameter(const std::string& name) {
    const std::string base = name.substr(0, name.find_first_of("_^'{"));
    return base == "W" || base == "b";
}

std::string padded(const std::string& text, std::size_t width, bool left) {
    return left ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

}  // namespace

tensor_table::tensor_table(const program& p, const std::vector<named>& operands,
                           const std::vector<std::string>& parameters) {
    for (const sized_tensor& t : tensors_of(p, operands)) {
        const bool input = t.role == sized_tensor::part::input;
        rows_.push_back({t, parameters.empty() && input && t.tensor.rank > 0 &&
                                looks_like_parameter(t.tensor.name)});
    }
    for (const std::string& wanted : parameters) {
        const std::string name = canonical_name(wanted);
        const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const row& r) {
            return r.tensor.tensor.name == name && r.tensor.role == sized_tensor::part::input;
        });
        if (found == rows_.end()) refuse("the equations have no input {}.", name);
        found->parameter = true;
    }
}

double tensor_table::parameter_count() const {
    double n = 0;
    for (const row& r : rows_)
        if (r.parameter) n += elements_of(r.tensor.extents);
    return n;
}

std::string tensor_table::text() const {
    std::vector<std::vector<std::string>> cells{
        {"tensor", "indices", "extents", "elements", "bytes", ""}};
    for (const row& r : rows_) {
        const array& a = r.tensor.extents;
        cells.push_back(
            {r.tensor.tensor.name, r.tensor.tensor.indices, extents_of(a),
             with_commas(elements_of(a)), words_of_bytes(bytes_of(a)),
             fmt::format("{}{}", words_of(r.tensor.role), r.parameter ? ", parameter" : "")});
    }
    std::vector<std::size_t> widths(cells[0].size(), 0);
    for (const auto& line : cells)
        for (std::size_t k = 0; k < line.size(); ++k)
            widths[k] = std::max(widths[k], line[k].size());
    std::string out;
    for (const auto& line : cells) {
        std::string text;
        for (std::size_t k = 0; k < line.size(); ++k)
            text += (k == 0 ? "" : "  ") + padded(line[k], widths[k], k < 3 || k == 5);
        out += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
    }
    if (parameter_count() > 0)
        out += fmt::format("parameters: {}\n", with_commas(parameter_count()));
    out += "\nshapes:\n";
    for (const std::string& line : trace()) out += "  " + line + '\n';
    return out;
}

// What every equation gives, with its extents, in the order in which they are computed.
std::vector<std::string> tensor_table::trace() const {
    std::vector<std::string> lines;
    for (const row& r : rows_) {
        if (r.tensor.role == sized_tensor::part::input) continue;
        lines.push_back(fmt::format("{}[{}]: {}   {}", r.tensor.tensor.name,
                                    r.tensor.tensor.indices, extents_of(r.tensor.extents),
                                    r.tensor.tensor.equation));
    }
    return lines;
}

nlohmann::json tensor_table::json() const {
    auto list = nlohmann::json::array();
    for (const row& r : rows_) {
        const array& a = r.tensor.extents;
        nlohmann::json entry{
            {"name", r.tensor.tensor.name}, {"indices", r.tensor.tensor.indices},
            {"elements", elements_of(a)},   {"bytes", bytes_of(a)},
            {"type", short_name(a.type())}, {"is", words_of(r.tensor.role)},
            {"parameter", r.parameter},     {"equation", r.tensor.tensor.equation}};
        entry["extents"] = std::vector<std::size_t>(a.extents().begin(), a.extents().end());
        list.push_back(std::move(entry));
    }
    return {{"tensors", std::move(list)}, {"parameters", parameter_count()}};
}

}  // namespace ricci::command
