// `ricci einsum`: one contraction of tensors in files.
#include <memory>

#include <CLI/CLI.hpp>

#include <ricci/error.hpp>

#include "command/command.hpp"
#include "command/einsum_operands.hpp"
#include "command/run_options.hpp"

namespace ricci::command {

void add_einsum(CLI::App& app, int& code) {
    struct options {
        std::string text;
        std::vector<std::string> operands;
        run_options run;
    };
    auto o = std::make_shared<options>();
    CLI::App& einsum =
        *app.add_subcommand("einsum", "one contraction, by the rules of numpy.einsum");
    einsum.footer("  ricci einsum 'ij,jk->ik' a.npy model.safetensors:b -o c.npy");
    einsum
        .add_option("string", o->text, "the letters of the operands and of the result: 'ij,jk->ik'")
        ->required()
        ->type_name("STRING");
    einsum.add_option("operands", o->operands, "a file for each operand, or a number")
        ->required()
        ->type_name("FILE");
    o->run.add_to(einsum);
    einsum.callback([o, &code] {
        const auto operands = named_operands(o->operands);
        run_options run = o->run;
        for (std::string& file : run.outputs)
            if (file.find('=') == std::string::npos) file = "result=" + file;
        run_and_save(program_of_einsum(o->text, operands), operands, run);
        code = done;
    });
}

}  // namespace ricci::command
