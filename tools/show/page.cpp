// Writes a page: the parts of the template around the tensors and what is said of them.
#include "show/page.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <ricci/error.hpp>

#include "formula/mathml.hpp"
#include "formula/symbols.hpp"
#include "show/encode.hpp"
#include "show/template.hpp"
#include "show/values.hpp"

namespace ricci::show {
namespace {

using nlohmann::json;

const char* word_of(element type) {
    constexpr const char* words[] = {"f32",  "f64", "bf16", "f16",    "c64",
                                     "c128", "i32", "i64",  "boolean"};
    return words[static_cast<std::size_t>(type)];
}

// One tensor that is stored: views first, then those of their traces.
struct stored_tensor {
    const array* values;
    aspect of;
    summary found;
    show::format how;
};

std::vector<stored_tensor> tensors_of(const page& p) {
    std::vector<stored_tensor> all;
    const auto add = [&](const array& values) {
        all.push_back({&values, aspect::value, summary_of(values, aspect::value), {}});
        if (is_complex(values.type()))
            all.push_back({&values, aspect::phase, summary_of(values, aspect::phase), {}});
    };
    for (const view& v : p.views) {
        add(v.values);
        for (const traced_tensor& t : v.trace)
            if (t.kind != traced_tensor::traced_kind::self) add(t.values);
    }
    return all;
}

// The most exact formats with which all of them fit.
void choose_formats(std::vector<stored_tensor>& all, const page& p) {
    double characters = 0;
    for (const precision how : {precision::exact, precision::sixteen_bits, precision::eight_bits}) {
        characters = characters_beside;
        for (stored_tensor& t : all) {
            t.how = format_of(*t.values, t.found, how);
            characters += characters_of(*t.values, t.how);
        }
        if (characters <= static_cast<double>(p.most_bytes)) return;
    }
    throw error(
        fmt::format("ricci: the page would have {:.0f} MB, and --page-size allows {:.0f} MB.",
                    characters / 1e6, static_cast<double>(p.most_bytes) / 1e6));
}

class writer {
public:
    writer(const page& p, std::vector<stored_tensor> tensors)
        : page_(p), tensors_(std::move(tensors)) {}

    std::string written() {
        json views = json::array();
        for (const view& v : page_.views) views.push_back(view_in_json(v));
        const json all{{"title", page_.title},
                       {"rows", page_.rows},
                       {"columns", page_.columns},
                       {"views", views},
                       {"notes", page_.notes},
                       {"compare", page_.compare},
                       {"steps", {{"q8", eight_bit_steps}, {"q16", sixteen_bit_steps}}}};
        return page_around(page_.title, data_, in_script(all));
    }

private:
    // Inside <script> nothing may look like the end of it. All of a page is ASCII: browsers read a
    // long one of that in half the time.
    static std::string in_script(const json& all) {
        std::string safe;
        for (const char c : all.dump(-1, ' ', true, json::error_handler_t::replace)) {
            if (c == '<') safe += "\\u003c";
            else safe += c;
        }
        return safe;
    }

    static std::string in_mathml(const std::string& latex) {
        return latex.empty() ? std::string{} : formula::mathml(latex);
    }

    json tensor_in_json(const array& values) {
        const stored_tensor& t = tensors_[next_tensor_++];
        const std::size_t together = panels_together(values), panels = panels_in(values);
        json out{{"format", t.how.name},
                 {"type", word_of(values.type())},
                 {"extents", std::vector(values.extents().begin(), values.extents().end())},
                 {"panels", panels},
                 {"height", rows_in_panel(values)},
                 {"width", columns_in_panel(values)},
                 {"together", together},
                 {"first", next_data_},
                 {"steppedRows", t.how.rows_of_a_step},
                 {"nan", t.found.nan},
                 {"above", t.found.above},
                 {"below", t.found.below}};
        // without a finite number there is neither
        if (t.found.least <= t.found.most) {
            out["least"] = t.found.least, out["most"] = t.found.most;
            out["usual"] = t.found.usual;
        }
        write_data(t);
        if (is_complex(values.type())) {
            const stored_tensor& phase = tensors_[next_tensor_++];
            out["phase"] = {{"format", phase.how.name},
                            {"first", next_data_},
                            {"steppedRows", phase.how.rows_of_a_step}};
            write_data(phase);
        }
        return out;
    }
    // Comments are what browsers read fastest.
    void write_data(const stored_tensor& t) {
        const std::size_t together = panels_together(*t.values), panels = panels_in(*t.values);
        for (std::size_t first = 0; first < panels; first += together) {
            data_ += fmt::format("<!--{}-->", encoded(*t.values, t.of, t.how, first,
                                                      std::min(together, panels - first)));
            ++next_data_;
        }
    }

    json view_in_json(const view& v) {
        std::vector<std::string> letters;
        for (const std::string& letter : v.letters) letters.push_back(formula::with_greek(letter));
        json out{{"label", v.label},
                 {"name", v.name},
                 {"symbol", in_mathml(v.symbol)},
                 {"equation", v.equation},
                 {"formula", in_mathml(v.equation)},
                 {"letters", letters},
                 {"offsets", v.offsets},
                 {"tensor", tensor_in_json(v.values)}};
        json trace = json::array();
        for (const traced_tensor& t : v.trace) {
            constexpr const char* parts[] = {"row", "column", "self", "result"};
            json one{{"what", parts[static_cast<std::size_t>(t.kind)]},
                     {"name", t.name},
                     {"symbol", in_mathml(t.symbol)},
                     {"equation", t.equation},
                     {"formula", in_mathml(t.equation)}};
            json factors = json::array();
            for (const factor& f : t.factors)
                factors.push_back({{"letter", f.letter},
                                   {"extent", f.extent},
                                   {"stride", f.stride},
                                   {"role", f.role}});
            one["factors"] = std::move(factors);
            if (t.kind != traced_tensor::traced_kind::self)
                one["tensor"] = tensor_in_json(t.values);
            trace.push_back(std::move(one));
        }
        out["trace"] = std::move(trace);
        return out;
    }

    const page& page_;
    std::vector<stored_tensor> tensors_;
    std::size_t next_tensor_ = 0, next_data_ = 0;
    std::string data_;
};

}  // namespace

double least_characters(const array& shape) {
    const std::size_t rows = columns_in_panel(shape) >= 128 ? 1 : rows_in_panel(shape);
    return (is_complex(shape.type()) ? 2 : 1) * characters_of(shape, {"q8", 1, rows});
}

std::string to_html(const page& p) {
    auto tensors = tensors_of(p);
    choose_formats(tensors, p);
    return writer(p, std::move(tensors)).written();
}

}  // namespace ricci::show
