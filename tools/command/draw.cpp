// `ricci draw`: the tensor diagram of equations, as SVG, as a graph for Graphviz, or for the
// terminal.
#include <cstdio>
#include <memory>
#include <optional>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/draw_order.hpp"
#include "command/equations_file.hpp"
#include "command/gradients.hpp"
#include "command/operand_words.hpp"
#include "command/sentences.hpp"
#include "draw/dot.hpp"
#include "draw/layout.hpp"
#include "draw/svg.hpp"
#include "draw/text.hpp"
#include "files/new_file.hpp"

namespace ricci::command {
namespace {

struct draw_arguments {
    std::string file, output, layout = "auto", of;
    std::vector<std::string> by, operands;
    bool whole = false, order = false, text = false;
};

std::vector<draw::diagram> diagrams_of(const program& p, const draw_arguments& o) {
    if (!o.order) {
        if (!o.operands.empty())
            refuse("shapes are given, and no order is asked for; add --order.");
        if (o.whole) return {draw::whole_diagram(p)};
        return draw::diagrams_of(p);
    }
    if (o.whole) refuse("--order numbers the products of each equation; leave out --whole.");
    const auto shapes = shapes_of_operands(p, read_operands(o.operands, p), std::nullopt);
    const auto tensors = tensors_of(p, shapes);
    const ir::program_view view = p;
    std::vector<draw::diagram> all;
    for (const ir::equation& e : view.equations) {
        if (!ir::computes(view, e)) continue;
        all.push_back(draw::diagram_of(view, e));
        add_order(all.back(), view, e, tensors);
    }
    return all;
}

void carry_out(const draw_arguments& o) {
    const bool svg = o.output.ends_with(".svg"), dot = o.output.ends_with(".dot");
    if (o.output.empty() && !o.text)
        refuse("say where the diagram goes, with -o diagram.svg, or --text.");
    if (!o.output.empty() && !svg && !dot)
        refuse("{} ends in neither .svg nor .dot, which are drawn.", o.output);
    if (o.layout != "auto" && o.layout != "plain")
        refuse("--layout is auto or plain, and not {}.", o.layout);
    const program read = read_equations(o.file);
    const bool derive = !o.of.empty() || !o.by.empty();
    const auto all = diagrams_of(
        derive ? gradients_of(read, differentiated_output(read, o.of), o.by, false) : read, o);
    if (o.text)
        for (const draw::diagram& d : all) fmt::print("{}", draw::to_text(d));
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
    auto o = std::make_shared<draw_arguments>();
    command_line draw(app, "draw", "equations as tensor diagrams");
    draw.footer(
        "Tensors are nodes with a leg for each axis, and indices that are summed are lines between "
        "them.\n\n"
        "  ricci draw attention.tex -o attention.svg\n"
        "  ricci draw attention.tex --of Y --by W_Q -o gradient.svg\n"
        "  ricci draw chain.tex --order A=10x20 B=20x30 C=30x5 -o chain.svg");
    draw.word(o->file, "FILE", "equations as .tex, .md or plain text; - reads standard input");
    draw.words(o->operands, "OPERAND", "NAME=SHAPE, with --order: as for ricci explain");
    draw.option("-o,--output", o->output, "PATH", "diagram.svg, or diagram.dot for Graphviz");
    draw.flag("--whole", o->whole, "all equations as one diagram, and not one each");
    draw.option("--of", o->of, "NAME", "draw the gradient of this output, and not the equations");
    draw.option("--by", o->by, "NAME,...", "the inputs that the gradient is by", ',');
    draw.flag("--order", o->order,
              "number the products of the cheapest order, with the size of each result");
    draw.option("--layout", o->layout, "auto|plain",
                "auto: by the program dot where that is installed; plain: never by it");
    draw.flag("--text", o->text, "for the terminal");
    draw.call([o, &code] {
        carry_out(*o);
        code = done;
    });
}

}  // namespace ricci::command
