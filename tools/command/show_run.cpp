// `ricci run --show A=page.html`: which tensors of a run are kept for its pages, and what is put
// into them.
#include "command/run_pages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "command/command_line.hpp"
#include "command/number_words.hpp"
#include "command/operand_words.hpp"
#include "command/progress.hpp"
#include "command/sentences.hpp"
#include "command/show_options.hpp"
#include "show/trace.hpp"

namespace ricci::command {
namespace {

std::vector<std::string> parts_of_list(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t end = std::min(text.find(',', first), text.size());
        parts.push_back(text.substr(first, end - first));
        first = end + 1;
    }
    return parts;
}

bool is_number(const std::string& text) {
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && text[0] != ' ';
}

// h:1,2,4 or d_k=4,2,1: where the list begins, and what it holds.
struct list_word {
    std::size_t begin = 0;
    std::vector<std::string> values;
};
std::optional<list_word> list_in(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::size_t sign = equals == std::string::npos ? word.rfind(':') : equals;
    if (sign == std::string::npos) return std::nullopt;
    list_word list{sign + 1, parts_of_list(word.substr(sign + 1))};
    if (list.values.size() < 2 || !std::all_of(list.values.begin(), list.values.end(), is_number))
        return std::nullopt;
    return list;
}

// The operands of one run, where some of them were lists: h:1,2,4.
struct variant {
    std::string label;  // "h:2"; none where nothing was a list
    std::vector<std::string> operands;
};

// Lists go along with each other.
std::vector<variant> variants_of(const std::vector<std::string>& operands) {
    std::size_t count = 1;
    std::string first;
    for (const std::string& word : operands)
        if (const auto list = list_in(word)) {
            if (!first.empty() && list->values.size() != count)
                refuse(
                    "'{}' and '{}' are lists of several lengths, {} and {}, and go along with "
                    "each other.",
                    first, word, count, list->values.size());
            if (first.empty()) first = word;
            count = list->values.size();
        }
    std::vector<variant> all(count);
    for (const std::string& word : operands) {
        const auto list = list_in(word);
        for (std::size_t k = 0; k < count; ++k) {
            all[k].operands.push_back(list ? word.substr(0, list->begin) + list->values[k] : word);
            if (list)
                all[k].label += (all[k].label.empty() ? "" : ", ") + word.substr(0, list->begin) +
                                list->values[k];
        }
    }
    return all;
}

// A page that is asked for, before anything is computed.
struct planned_page {
    std::string name, path;
    std::vector<std::string> letters;
    std::vector<std::size_t> order;
    std::vector<show::planned_trace> trace;
    std::vector<std::string> notes;
};

std::vector<planned_page> planned_pages(const program& p, const std::vector<std::string>& shown,
                                        const show_options& how) {
    std::vector<planned_page> all;
    for (const std::string& word : shown) {
        planned_page page;
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            refuse("--show '{}' lacks a name: --show A=page.html.", word);
        page.name = canonical_name(word.substr(0, equals));
        page.path = word.substr(equals + 1);
        check_page_name(page.path);
        for (const planned_page& other : all)
            if (other.path == page.path) refuse("{} is written twice.", page.path);
        (void)p.keep({page.name});  // which says so where there is no such tensor
        page.letters = show::letters_of(p, page.name);
        const std::size_t rank = page.letters.size();
        page.order = order_of_axes(how, page.name, rank, page.letters);
        if (rank >= 2)
            page.trace = show::trace_of(p, page.name, page.order[rank - 2], page.order[rank - 1]);
        all.push_back(std::move(page));
    }
    return all;
}

using shapes_by_name = std::map<std::string, array>;

shapes_by_name shapes_in(const program& p, const std::vector<std::string>& operands,
                         const run_options& options) {
    const auto wanted =
        options.type.empty() ? std::nullopt : std::optional(element_named(options.type));
    shapes_by_name all;
    for (const sized_tensor& t :
         tensors_of(p, shapes_of_operands(p, read_operands(operands, p), wanted)))
        all.insert_or_assign(t.tensor.name, t.extents);
    return all;
}

// Leaves in the traces what a page has room for, the small tensors first, and says what it leaves
// out. Throws ricci::error where the tensor itself is too large.
void fit_to_page(planned_page& page, const std::vector<shapes_by_name>& runs,
                 const show_options& how) {
    const auto most = static_cast<double>(bytes_of_page(how));
    const auto characters = [&](const std::string& name) {
        double all = 0;
        for (const auto& run : runs) all += show::least_characters(run.at(name));
        return all;
    };
    double used = show::characters_beside + characters(page.name);
    const array& shape = runs.front().at(page.name);
    if (shape.size() == 0)
        refuse("{} has no elements: it is {}.", page.name, words_of_extents(shape));
    if (used > most)
        refuse(
            "{} has {} elements, {}, which are too many for a page of {}: allow a larger one "
            "with --page-size, or save it with -o and show a part of it with ricci show.",
            page.name, with_commas(shape.size()), words_of_extents(shape), how.page_size);
    std::vector<std::pair<double, std::string>> sizes;
    for (const show::planned_trace& t : page.trace)
        if (t.name != page.name) sizes.emplace_back(characters(t.name), t.name);
    std::sort(sizes.begin(), sizes.end());
    std::set<std::string> left_out;
    std::string names;
    for (const auto& [size, name] : sizes) {
        if (used + size <= most) {
            used += size;
            continue;
        }
        left_out.insert(name);
        names += (names.empty() ? "" : ", ") + name;
    }
    if (left_out.empty()) return;
    page.notes.push_back(fmt::format(
        "The trace is without {}: the page would be larger than {}; --page-size allows more.",
        names, how.page_size));
    std::erase_if(page.trace,
                  [&](const show::planned_trace& t) { return left_out.contains(t.name); });
}

const array* operand_array(const std::vector<named>& operands, const std::string& name) {
    for (const named& o : operands)
        if (o.name == name && o.value.kind() == detail::operand_kind::tensor)
            return &o.value.value();
    return nullptr;
}

std::string equation_of(const program& p, const std::string& name) {
    for (const tensor_info& t : p.definitions())
        if (t.name == name) return t.equation;
    return {};
}

show::view view_of(const planned_page& page, const program& p, const std::string& label,
                   const computed& run) {
    show::view v;
    v.label = label;
    v.name = page.name;
    v.symbol = show::symbol_of(page.name, page.letters);
    v.equation = equation_of(p, page.name);
    const array& shown = run.results[page.name];
    v.values = show::permuted(shown, page.order);
    std::vector<int> place(page.order.size());  // of an axis in the order of the page
    for (std::size_t k = 0; k < page.order.size(); ++k) {
        place[page.order[k]] = static_cast<int>(k);
        v.letters.push_back(page.letters[page.order[k]]);
    }
    for (const show::planned_trace& t : page.trace) {
        const array* const values =
            t.input ? operand_array(run.operands, t.name) : &run.results[t.name];
        if (values == nullptr) continue;
        auto factors = show::factors_of(t, shown, *values);
        if (factors.empty()) continue;
        for (show::factor& f : factors)
            if (f.role >= 0) f.role = place[static_cast<std::size_t>(f.role)];
        v.trace.push_back({t.kind, t.name, show::symbol_of(t.name, show::words_of_axes(t)),
                           t.equation, std::move(factors), *values});
    }
    return v;
}

// What was asked for, without what is there for traces alone.
arrays outputs_of(const program& asked, const arrays& results) {
    arrays all;
    for (const tensor_info& t : asked.outputs()) all.add(t.name, results[t.name]);
    return all;
}

// Runs the program once for each variant, saves outputs as run_and_save() does, and writes a page
// for each word of `shown`, A=page.html.
void run_and_show(const program& p, const std::vector<variant>& variants,
                  const run_options& options, const std::vector<std::string>& shown,
                  const show_options& how) {
    auto files = read_outputs(options.outputs);
    if (variants.size() > 1 && !files.empty())
        refuse("-o saves the outputs of one run, and these operands are for {}.", variants.size());
    auto pages = planned_pages(p, shown, how);
    std::vector<shapes_by_name> shapes;
    for (const variant& v : variants) shapes.push_back(shapes_in(p, v.operands, options));
    program asked = with_outputs(p, files);
    for (planned_page& page : pages) {
        fit_to_page(page, shapes, how);
        asked = asked.keep({page.name});
    }
    program traced = asked;
    for (const planned_page& page : pages)
        for (const show::planned_trace& t : page.trace)
            if (!t.input) traced = traced.keep({t.name});
    std::vector<computed> runs;
    std::vector<std::string> said;
    for (const variant& v : variants) {
        runs.push_back(compute(traced, v.operands, options, said));
        said.insert(said.end(), runs.back().said.begin(), runs.back().said.end());
    }
    {
        const progress doing("writing");
        for (const planned_page& page : pages) {
            show::page made;
            made.title = page.name;
            made.notes = page.notes;
            made.most_bytes = bytes_of_page(how);
            for (std::size_t k = 0; k < runs.size(); ++k)
                made.views.push_back(view_of(page, p, variants[k].label, runs[k]));
            add_labels(made, how);
            write_page(made, page.path);
        }
        save_outputs(outputs_of(asked, runs.back().results), files);
    }
    for (const planned_page& page : pages) files.push_back({page.name, page.path});
    say_outputs(outputs_of(asked, runs.back().results), files, runs.back().said, options.json);
}

class heat_maps final : public run_pages {
public:
    std::string examples() const override {
        return "With --show an operand may be a list, h:1,2,4 d_k=4,2,1: the page has a choice "
               "among "
               "the runs.\n\n"
               "  ricci run attention.tex X=x.npy W=w.npy d_k=64 --show A=page.html --labels "
               "tokens.txt\n\n";
    }
    void add_to(command_line& line) override {
        line.option("--show", shown_, "NAME=PAGE",
                    "A=page.html: the tensor A as heat maps, in a page for the browser, with the "
                    "trace of a row; may be given several times");
        how_.add_to(line);
    }
    bool wanted() const override { return !shown_.empty(); }
    void check_single(const std::vector<std::string>& operands) const override {
        const std::size_t count = variants_of(operands).size();
        if (count > 1)
            refuse("the operands are for {} runs, which --show A=page.html shows together.", count);
    }
    void run(const program& p, const std::vector<std::string>& operands,
             const run_options& options) const override {
        run_and_show(p, variants_of(operands), options, shown_, how_);
    }

private:
    std::vector<std::string> shown_;
    show_options how_;
};

}  // namespace

std::shared_ptr<run_pages> heat_map_pages() { return std::make_shared<heat_maps>(); }

}  // namespace ricci::command
