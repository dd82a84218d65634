// `ricci explain`: a table of all tensors, then the plan.
#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/equations_file.hpp"
#include "command/layers_options.hpp"
#include "command/operand_words.hpp"
#include "command/ranks_options.hpp"
#include "command/run_options.hpp"
#include "command/tensor_table.hpp"

namespace ricci::command {

void add_explain(CLI::App& app, int& code) {
    struct explain_arguments {
        std::string file, type;
        std::vector<std::string> operands, parameters, keep;
        bool json = false, passes = false;
        layers_options layers;
        ranks_options ranks;
    };
    auto o = std::make_shared<explain_arguments>();
    command_line explain(
        app, "explain",
        "the tensors of equations with their extents, and how they would be computed");
    explain.footer(
        "Operands are shapes, files of which only the headers are read, or numbers; nothing is "
        "computed.\n\n"
        "  ricci explain attention.tex X=1024x512 W_Q=8x512x64 W_K=8x512x64 W_V=8x512x64 "
        "W_O=8x64x512 d_k=64");
    explain.word(o->file, "FILE", "equations as .tex, .md or plain text; - reads standard input");
    explain.words(o->operands, "OPERAND",
                  "NAME=SHAPE: X=1024x512, X=1024x512:f16, X=x.npy, d_k=64, h:8");
    explain.option("--type", o->type, "TYPE",
                   "the element type of shapes: float unless it is said");
    explain.option("--parameters", o->parameters, "NAME,...",
                   "the inputs that are parameters; otherwise those named W and b", ',');
    explain.option("--keep", o->keep, "NAME,...", "tensors that are outputs too", ',');
    explain.flag("--passes", o->passes,
                 "the plan after every pass of the planner, as notation, and nothing else");
    explain.flag("--json", o->json, "the table as JSON, with the plan as text in it");
    o->layers.add_to(explain);
    o->ranks.add_to(explain);
    explain.call([o, &code] {
        program p = with_layers(read_equations(o->file), o->layers);
        for (const std::string& name : o->keep) p = p.keep({name});
        const auto wanted = o->type.empty() ? std::nullopt : std::optional(element_named(o->type));
        const auto shapes = shapes_of_operands(p, read_operands(o->operands, p), wanted);
        if (o->passes) {
            std::fputs(explain_passes(p, shapes).c_str(), stdout);
            code = done;
            return;
        }
        const tensor_table table(p, shapes, o->parameters);
        std::string plan;
        nlohmann::json all;
        if (o->json) all = table.json();
        if (o->ranks.is_asked()) {
            const ranks_report report = on_ranks(p, shapes, o->ranks);
            plan = report.text;
            if (o->json) all["ranks"] = report.json();
        } else {
            plan = ricci::explain(p, shapes);
        }
        if (o->json) {
            all["plan"] = plan;
            fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        } else {
            fmt::print("{}\n{}", table.text(), plan);
        }
        code = done;
    });
}

}  // namespace ricci::command
