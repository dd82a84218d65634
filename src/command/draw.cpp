// `ricci draw`: the tensor diagram of equations, as SVG, as a graph for Graphviz, or for the terminal.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>

#include <ricci/error.hpp>
#include <ricci/ir/rewrite.hpp>

#include "command/command.hpp"
#include "command/equations_file.hpp"
#include "command/operand_words.hpp"
#include "draw/diagram.hpp"
#include "draw/dot.hpp"
#include "draw/layout.hpp"
#include "draw/svg.hpp"
#include "draw/text.hpp"
#include "files/new_file.hpp"
#include "plan/path.hpp"

namespace ricci::command {
namespace {

struct options {
    std::string file, output, layout = "auto";
    std::vector<std::string> operands;
    bool whole = false, order = false, text = false;
};

using extents = std::map<ir::ref, std::int64_t>;

std::string text_of(ir::text_view t) { return {t.data, static_cast<std::size_t>(t.size)}; }

// Of every index in the equation that stands alone at an axis, the extent of that axis.
extents extents_in(const ir::program_view& p, const ir::equation& e,
                   const std::vector<sized_tensor>& tensors) {
    extents all;
    const auto read = [&](ir::ref name, ir::range at) {
        for (const sized_tensor& t : tensors) {
            if (t.tensor.name != text_of(p.name(name))) continue;
            const auto sizes = t.extents.extents();
            for (std::int32_t k = 0; k < at.count; ++k)
                if (p.at(at, k).kind == ir::position_kind::index)
                    all[p.at(at, k).index] =
                        static_cast<std::int64_t>(sizes[static_cast<std::size_t>(k)]);
        }
    };
    read(e.name, e.positions);
    ir::for_each_node(p, e.body, [&](ir::ref n) {
        if (p.nodes[n].kind == ir::op::tensor) read(p.nodes[n].name, p.nodes[n].positions);
    });
    return all;
}

using labels = std::vector<ir::ref>;  // sorted

labels members_of(const ir::index_set& set) {
    labels all;
    for (ir::ref i = 0; i < set.end(); ++i)
        if (set.has(i)) all.push_back(i);
    return all;
}

std::string words_of(double n) {
    char text[40];
    std::snprintf(text, sizeof text, n < 1e6 ? "%.0f" : "%.4g", n);
    return text;
}

// Numbers the products of the best order at the lines that each contracts, and lists them below.
void add_order(draw::diagram& d, const ir::program_view& p, const ir::equation& e,
               const extents& sizes) {
    const auto factors = draw::factors_of(p, e);
    if (factors.size() < 2) return;
    std::vector<labels> all;
    std::set<ir::ref> every;
    for (const ir::ref f : factors) {
        all.push_back(members_of(ir::free_indices(p, f)));
        every.insert(all.back().begin(), all.back().end());
    }
    for (const ir::ref i : every)
        if (!sizes.contains(i)) {
            d.notes.push_back("no order: nothing gives the extent of " + text_of(p.index(i)) +
                              " alone");
            return;
        }
    labels result;
    ir::for_each_index(p, e.positions, [&](ir::ref i) { result.push_back(i); });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    // What one factor alone has is summed before the products.
    const auto kept_of = [&](const labels& list, const std::vector<bool>& used) {
        labels kept;
        for (const ir::ref i : list) {
            bool needed = std::binary_search(result.begin(), result.end(), i);
            for (std::size_t k = 0; k < all.size(); ++k)
                needed =
                    needed || (!used[k] && std::binary_search(all[k].begin(), all[k].end(), i));
            if (needed) kept.push_back(i);
        }
        return kept;
    };
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<bool> me(all.size(), false);
        me[k] = true;
        all[k] = kept_of(all[k], me);
    }
    const auto path = plan::find_path(all, result, [&](ir::ref i) { return sizes.at(i); });
    std::vector<bool> used(all.size(), false);
    std::vector<std::set<std::int32_t>> holds;
    for (std::size_t k = 0; k < factors.size(); ++k)
        holds.push_back({static_cast<std::int32_t>(k)});
    std::vector<std::string> names;
    for (const ir::ref f : factors) {
        std::string name;
        ir::for_each_node(p, f, [&](ir::ref n) {
            if (p.nodes[n].kind == ir::op::tensor && name.empty())
                name = draw::plain_text(draw::label_of_name(text_of(p.name(p.nodes[n].name))));
        });
        if (p.nodes[f].kind != ir::op::tensor)
            name = name.empty() ? draw::plain_text(draw::label_of_expression(p, f)) : name + "…";
        names.push_back(name);
    }
    const auto words_of_list = [&](const labels& list) {
        std::string text;
        for (const ir::ref i : list)
            text += draw::plain_text(draw::label_of_index(p, i)) + ":" +
                    std::to_string(sizes.at(i)) + " ";
        return text.empty() ? std::string("a number") : text.substr(0, text.size() - 1);
    };
    int number = 0;
    for (const auto& [left, right] : path.products) {
        ++number;
        const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
        used[a] = used[b] = true;
        std::set<ir::ref> both(all[a].begin(), all[a].end());
        both.insert(all[b].begin(), all[b].end());
        const labels kept = kept_of({both.begin(), both.end()}, used);
        double elements = 1;
        for (const ir::ref i : kept) elements *= static_cast<double>(sizes.at(i));
        d.notes.push_back(std::to_string(number) + ": " + names[a] + " with " + names[b] + ": " +
                          words_of_list(kept) + ", " + words_of(elements) +
                          (elements == 1 ? " element" : " elements"));
        for (draw::edge& line : d.edges) {
            const auto from = d.nodes[static_cast<std::size_t>(line.from)].factor;
            const auto to = d.nodes[static_cast<std::size_t>(line.to)].factor;
            if ((holds[a].contains(from) && holds[b].contains(to)) ||
                (holds[a].contains(to) && holds[b].contains(from)))
                line.step = std::to_string(number);
        }
        std::set<std::int32_t> together = holds[a];
        together.insert(holds[b].begin(), holds[b].end());
        holds.push_back(together);
        all.push_back(kept);
        used.push_back(false);
        names.push_back("(" + std::to_string(number) + ")");
    }
    d.notes.push_back(words_of(path.multiplications) + " multiplications");
}

std::vector<draw::diagram> diagrams_of(const program& p, const options& o) {
    if (!o.order) {
        if (!o.operands.empty())
            throw error("ricci: shapes are given, and no order is asked for; add --order.");
        if (o.whole) return {draw::whole_diagram(p)};
        return draw::diagrams_of(p);
    }
    if (o.whole)
        throw error("ricci: --order numbers the products of each equation; leave out --whole.");
    const auto shapes = shapes_of_operands(p, read_operands(o.operands, p), std::nullopt);
    const auto tensors = tensors_of(p, shapes);
    const ir::program_view view = p;
    std::vector<draw::diagram> all;
    for (const ir::equation& e : view.equations) {
        if (!ir::computes(view, e)) continue;
        all.push_back(draw::diagram_of(view, e));
        add_order(all.back(), view, e, extents_in(view, e, tensors));
    }
    return all;
}

void carry_out(const options& o) {
    const bool svg = o.output.ends_with(".svg"), dot = o.output.ends_with(".dot");
    if (o.output.empty() && !o.text)
        throw error("ricci: say where the diagram goes, with -o diagram.svg, or --text.");
    if (!o.output.empty() && !svg && !dot)
        throw error("ricci: " + o.output + " ends in neither .svg nor .dot, which are drawn.");
    if (o.layout != "auto" && o.layout != "plain")
        throw error("ricci: --layout is auto or plain, and not " + o.layout + ".");
    const auto all = diagrams_of(read_equations(o.file), o);
    if (o.text)
        for (const draw::diagram& d : all) std::fputs(draw::to_text(d).c_str(), stdout);
    if (o.output.empty()) return;
    std::string words;
    if (dot) {
        words = draw::to_dot(all);
    } else {
        std::vector<draw::picture> pictures;
        for (const draw::diagram& d : all)
            pictures.push_back(
                {d, o.layout == "plain" ? draw::plain_layout(d) : draw::best_layout(d)});
        words = draw::to_svg(pictures);
    }
    files::new_file file(o.output);
    file.write(words);
    file.complete();
    file.replace();
}

}  // namespace

void add_draw(CLI::App& app, int& code) {
    auto o = std::make_shared<options>();
    CLI::App& draw = *app.add_subcommand("draw", "equations as tensor diagrams");
    draw.footer(
        "Tensors are nodes with a leg for each axis, and indices that are summed are lines between "
        "them.\n\n"
        "  ricci draw attention.tex -o attention.svg\n"
        "  ricci draw chain.tex --order A=10x20 B=20x30 C=30x5 -o chain.svg");
    draw.add_option("file", o->file, "equations as .tex, .md or plain text; - reads standard input")
        ->required()
        ->type_name("FILE");
    draw.add_option("operands", o->operands, "with --order: as for ricci explain")
        ->type_name("NAME=SHAPE");
    draw.add_option("-o,--output", o->output, "diagram.svg, or diagram.dot for Graphviz")
        ->type_name("PATH");
    draw.add_flag("--whole", o->whole, "all equations as one diagram, and not one each");
    draw.add_flag("--order", o->order,
                  "number the products of the cheapest order, with the size of each result");
    draw.add_option("--layout", o->layout,
                    "auto: by the program dot where that is installed; plain: never by it")
        ->type_name("auto|plain");
    draw.add_flag("--text", o->text, "for the terminal");
    draw.callback([o, &code] {
        carry_out(*o);
        code = done;
    });
}

}  // namespace ricci::command
