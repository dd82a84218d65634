// `ricci run`: equations from a file, operands from files, outputs to files.
#include <memory>

#include <CLI/CLI.hpp>

#include "command/command.hpp"
#include "command/equations_file.hpp"
#include "command/run_options.hpp"

namespace ricci::command {

void add_run(CLI::App& app, int& code) {
    struct options {
        std::string file;
        std::vector<std::string> operands;
        run_options run;
    };
    auto o = std::make_shared<options>();
    CLI::App& run = *app.add_subcommand("run", "compute the outputs of equations");
    run.footer(
        "Operands: X=x.npy, W=model.safetensors:layers.0.wq, d_k=64, z=1+2i, and h:8 for the "
        "extent of\n"
        "an index that no shape gives.\n\n"
        "  ricci run attention.tex X=x.npy W=model.safetensors:wq d_k=64 h:8 -o Y=y.npy");
    run.add_option("file", o->file, "equations as .tex, .md or plain text; - reads standard input")
        ->required()
        ->type_name("FILE");
    run.add_option("operands", o->operands, "what is bound to the names of the equations")
        ->type_name("NAME=VALUE");
    o->run.add_to(run);
    run.callback([o, &code] {
        run_and_save(read_equations(o->file), o->operands, o->run);
        code = done;
    });
}

}  // namespace ricci::command
