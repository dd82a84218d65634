// `ricci einsum`: one contraction of tensors in files.
#include <memory>

#include <ricci/error.hpp>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/einsum_operands.hpp"
#include "command/run_options.hpp"

namespace ricci::command {

void add_einsum(CLI::App& app, int& code) {
    struct einsum_arguments {
        std::string text;
        std::vector<std::string> operands;
        run_options run;
    };
    auto o = std::make_shared<einsum_arguments>();
    command_line einsum(app, "einsum", "one contraction, by the rules of numpy.einsum");
    einsum.footer("  ricci einsum 'ij,jk->ik' a.npy model.safetensors:b -o c.npy");
    einsum.word(o->text, "STRING", "the letters of the operands and of the result: 'ij,jk->ik'");
    einsum.words(o->operands, "FILE", "a file for each operand, or a number", true);
    o->run.add_to(einsum);
    einsum.call([o, &code] {
        const auto operands = named_operands(o->operands);
        run_options run = o->run;
        for (std::string& file : run.outputs)
            if (file.find('=') == std::string::npos) file = "result=" + file;
        run_and_save(program_of_einsum(o->text, operands), operands, run);
        code = done;
    });
}

}  // namespace ricci::command
