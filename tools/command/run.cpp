// `ricci run`: equations from a file, operands from files, outputs to files.
#include <memory>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/equations_file.hpp"
#include "command/run_network.hpp"
#include "command/run_options.hpp"
#include "command/run_pages.hpp"
#include "command/sentences.hpp"

namespace ricci::command {

void add_run(CLI::App& app, int& code, const std::shared_ptr<run_pages>& pages) {
    struct run_arguments {
        std::string file;
        std::vector<std::string> operands;
        run_options run;
        network_options network;
        bool most_likely = false;
    };
    auto o = std::make_shared<run_arguments>();
    command_line run(app, "run", "compute the outputs of equations");
    run.footer(
        std::string(
            "Operands: X=x.npy, W=model.safetensors:layers.0.wq, d_k=64, z=1+2i, and h:8 for the "
            "extent of\n"
            "an index that no shape gives.\n\n"
            "  ricci run attention.tex X=x.npy W=model.safetensors:wq d_k=64 h:8 -o Y=y.npy\n\n") +
        (pages ? pages->examples() : std::string()) +
        "A network of tensors in a file, .uai, .cnf or .json, needs no operands: its result is "
        "the\n"
        "partition function of a model, or how many assignments a formula has.\n\n"
        "  ricci run model.uai --evidence model.evid --most-likely");
    run.word(o->file, "FILE",
             "equations as .tex, .md or plain text, - reads standard input; or a network");
    run.words(o->operands, "OPERAND", "NAME=VALUE: what is bound to a name of the equations");
    o->run.add_to(run);
    if (pages) pages->add_to(run);
    o->network.add_to(run);
    run.flag("--most-likely", o->most_likely,
             "of a network: where the product of all its tensors is greatest, and its logarithm");
    run.call([o, pages, &code] {
        if (is_network_file(o->file)) {
            if (!o->operands.empty() || (pages && pages->wanted()))
                refuse(
                    "a network in a file has its tensors there; it takes no operands, and --show "
                    "is for equations.");
            run_network({o->file, o->network, o->run, o->most_likely});
            code = done;
            return;
        }
        if (o->network.given() || o->most_likely)
            refuse(
                "the options of networks, --evidence to --most-likely, are for files of "
                "networks: .uai, .cnf, .json.");
        const bool shown = pages && pages->wanted();
        if (pages && !shown) pages->check_single(o->operands);
        const program p = read_equations(o->file);
        if (shown) pages->run(p, o->operands, o->run);
        else run_and_save(p, o->operands, o->run);
        code = done;
    });
}

}  // namespace ricci::command
