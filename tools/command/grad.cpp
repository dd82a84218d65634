// `ricci grad`: gradients as equations, or run.
#include <memory>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/equations_file.hpp"
#include "command/gradients.hpp"
#include "command/operand_words.hpp"
#include "command/run_options.hpp"
#include "command/sentences.hpp"

namespace ricci::command {
namespace {

struct grad_arguments {
    std::string file, of;
    std::vector<std::string> by, operands;
    bool value = false, text = false, run = false;
    run_options how;
};

void print_equations(const program& p, const grad_arguments& o) {
    if (!o.how.json) {
        fmt::print("{}", o.text ? to_text(p) : to_latex(p));
        return;
    }
    auto list = nlohmann::json::array();
    for (const tensor_info& t : p.definitions())
        list.push_back({{"name", t.name}, {"indices", t.indices}, {"equation", t.equation}});
    fmt::print("{}\n", list.dump(2));
}

// What the gradients take for a number that they are of: dL/dM, or dL'/dM where the equations have
// derivatives of an L of their own. Empty where `of` is no number.
std::string cotangent_of(const program& p, const program& derived, const std::string& of) {
    for (const tensor_info& t : derived.inputs()) {
        bool known = t.rank > 0;
        for (const tensor_info& input : p.inputs()) known = known || input.name == t.name;
        std::string loss = "L";
        for (; !known && loss.size() < t.name.size(); loss += '\'')
            if (t.name == "d" + loss + "/d" + of || t.name == "d" + loss + "/d(" + of + ")")
                return t.name;
    }
    return {};
}

bool has(const program& p, const operand_word& o) {
    const ir::program_view view = p.view();
    const detail::text_view name{o.name.data(), static_cast<std::int32_t>(o.name.size())};
    if (o.kind != operand_kind::index) return view.find(name) != ir::none;
    for (ir::ref i = 0; i < view.indices.size(); ++i)
        if (view.index(i) == name) return true;
    return false;
}

// Gradients take what the equations take, an index or a shape too that other equations have.
std::vector<std::string> operands_of(const program& p, const program& derived,
                                     std::vector<std::string> words) {
    std::erase_if(words, [&](const std::string& word) {
        const operand_word o = read_operand(word, p);
        return has(p, o) && !has(derived, o);
    });
    return words;
}

void carry_out(const grad_arguments& o) {
    const program p = read_equations(o.file);
    const std::string of = differentiated_output(p, o.of);
    const program derived = gradients_of(p, of, o.by, o.value);
    if (!o.run) {
        if (!o.operands.empty())
            refuse("operands are given, and nothing is run; add --run to compute the gradients.");
        return print_equations(derived, o);
    }
    // the gradient of a number is that by itself, unless another weight is given
    auto operands = operands_of(p, derived, o.operands);
    const std::string cotangent = cotangent_of(p, derived, of);
    bool bound = cotangent.empty();
    for (const std::string& word : operands)
        bound = bound || canonical_name(word.substr(0, word.find('='))) == cotangent;
    if (!bound) operands.push_back(cotangent + "=1");
    run_and_save(derived, operands, o.how);
}

}  // namespace

void add_grad(CLI::App& app, int& code) {
    auto o = std::make_shared<grad_arguments>();
    command_line grad(app, "grad", "the gradients of equations, as equations or run");
    grad.footer(
        "The gradients take what the equations take, and dL/dY for the output Y; of a number it is "
        "1\n"
        "unless it is given.\n\n"
        "  ricci grad attention.tex --of Y --by X,W_Q\n"
        "  ricci grad loss.tex --of L --by w --run x=x.npy w=w.npy -o dL/dw=g.npy");
    grad.word(o->file, "FILE", "equations as .tex, .md or plain text; - reads standard input");
    grad.words(o->operands, "OPERAND", "NAME=VALUE, with --run: as for ricci run");
    grad.option("--of", o->of, "NAME",
                "the output that is differentiated; the only one, if there is one");
    grad.option("--by", o->by, "NAME,...",
                "the inputs that it is differentiated by; all tensors otherwise", ',');
    grad.flag("--value", o->value, "with the output itself");
    grad.flag("--text", o->text, "in plain text instead of LaTeX");
    grad.flag("--run", o->run, "compute the gradients");
    o->how.add_to(grad);
    grad.call([o, &code] {
        carry_out(*o);
        code = done;
    });
}

}  // namespace ricci::command
