// What stands in the box of a function.
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <ricci/ir/print_name.hpp>
#include <ricci/ir/rewrite.hpp>

#include "draw/label.hpp"
#include "src/base/texts.hpp"

namespace ricci::draw {
namespace {

// Whether it is made of numbers and scalars alone.
bool is_number(const ir::program_view& p, ir::ref n) {
    bool number = ir::free_indices(p, n).empty();
    ir::for_each_node(p, n, [&](ir::ref k) {
        const ir::node& x = p.nodes[k];
        if (x.kind == ir::op::choose || (x.kind == ir::op::tensor && x.positions.count > 0))
            number = false;
    });
    return number;
}

using argument_list = std::vector<ir::ref>;

// A number stands in its place: max(0, x).
label applied_word(const ir::program_view& p, const ir::node& x, argument_list& arguments) {
    const auto f = static_cast<ir::function>(x.detail);
    const bool root = ir::entry_of(f).form == ir::function_form::radical;
    label words{{root ? "√" : string_of(ir::function_word(f)), 0}};
    if (arguments.size() != 2 || is_number(p, arguments[0]) == is_number(p, arguments[1]))
        return words;
    const bool first = is_number(p, arguments[0]);
    append(words, {{first ? "(" : "(x, ", 0}});
    append(words, label_of_expression(p, arguments[first ? 0 : 1]));
    append(words, {{first ? ", x)" : ")", 0}});
    arguments.erase(arguments.begin() + (first ? 0 : 1));
    return words;
}

label reduced_word(const ir::program_view& p, const ir::node& x) {
    label words{{string_of(ir::reduction_word(static_cast<ir::reduction>(x.detail))), 0}};
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        for (const run& r : label_of_index(p, p.reduced(x, k))) append(words, {{r.text, -1}});
    return words;
}

// A number stands in the box with the sign that it has in the sum: + 1, − 3.
label sum_word(const ir::program_view& p, argument_list& arguments) {
    constexpr std::string_view minus = "−";
    label words;
    argument_list kept;
    for (const ir::ref a : arguments) {
        if (p.nodes[a].kind != ir::op::number) {
            kept.push_back(a);
            continue;
        }
        label number = label_of_expression(p, a);
        const bool negative = number[0].text.starts_with(minus);
        if (negative) number[0].text.erase(0, minus.size());
        append(words, {{negative ? "− " : "+ ", 0}});
        append(words, number);
    }
    arguments = kept;
    return words.empty() ? label{{"+", 0}} : words;
}

label power_word(const ir::program_view& p, argument_list& arguments) {
    if (!is_number(p, arguments[1])) return {{"x", 0}, {"y", 1}};
    label words{{"x", 0}};
    for (const run& r : label_of_expression(p, arguments[1])) append(words, {{r.text, 1}});
    arguments.pop_back();
    return words;
}

label compared_word(const ir::program_view& p, const ir::node& x, argument_list& arguments) {
    constexpr const char* signs[] = {"<", "≤", "=", "≠", "∧", "∨"};
    if (ir::is_truth(x)) {
        arguments.resize(1);
        return {{"[ ]", 0}};
    }
    label words{{fmt::format("x {} ", signs[x.detail]), 0}};
    if (arguments.size() == 2 && p.nodes[arguments[1]].kind == ir::op::number) {
        append(words, label_of_expression(p, arguments[1]));
        arguments.pop_back();
    } else {
        append(words, {{"y", 0}});
    }
    return words;
}

}  // namespace

label word_of_function(const ir::program_view& p, const ir::node& x,
                       std::vector<ir::ref>& arguments) {
    switch (x.kind) {
        case ir::op::apply:
            return applied_word(p, x, arguments);
        case ir::op::reduce:
            return reduced_word(p, x);
        case ir::op::add:
            return sum_word(p, arguments);
        case ir::op::power:
            return power_word(p, arguments);
        case ir::op::compare:
            return compared_word(p, x, arguments);
        case ir::op::choose:
            return {{"cases", 0}};
        default:
            return {{"f", 0}};
    }
}

}  // namespace ricci::draw
