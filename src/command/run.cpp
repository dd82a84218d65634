// `ricci run`: equations from a file, operands from files, outputs to files.
#include <memory>

#include "command/command.hpp"
#include "command/command_line.hpp"
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
    command_line run(app, "run", "compute the outputs of equations");
    run.footer(
        "Operands: X=x.npy, W=model.safetensors:layers.0.wq, d_k=64, z=1+2i, and h:8 for the "
        "extent of\n"
        "an index that no shape gives.\n\n"
        "  ricci run attention.tex X=x.npy W=model.safetensors:wq d_k=64 h:8 -o Y=y.npy");
    run.word(o->file, "FILE", "equations as .tex, .md or plain text; - reads standard input");
    run.words(o->operands, "NAME=VALUE", "what is bound to the names of the equations");
    o->run.add_to(run);
    run.call([o, &code] {
        run_and_save(read_equations(o->file), o->operands, o->run);
        code = done;
    });
}

}  // namespace ricci::command
