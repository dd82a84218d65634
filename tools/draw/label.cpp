// Names and short expressions in Unicode.
#include "draw/label.hpp"

#include <utility>

#include <ricci/ir/print_name.hpp>

#include "formula/symbols.hpp"
#include "formula/widths.hpp"
#include "src/base/texts.hpp"

namespace ricci::draw {
namespace {

// Reads expressions that hold no tensor with axes.
class words_of_expression {
public:
    explicit words_of_expression(const ir::program_view& p) : p_(p) {}
    label out;

    // `tight`: what stands around binds closer than + and /.
    void expression(ir::ref n, bool tight) {
        const ir::node& x = p_.nodes[n];
        switch (x.kind) {
            case ir::op::number:
                number(x.value);
                return;
            case ir::op::imaginary_unit:
                say("i");
                return;
            case ir::op::tensor:
                append(out, label_of_name(string_of(p_.name(x.name))));
                return;
            case ir::op::add:
                sum(x, tight);
                return;
            case ir::op::multiply: {
                const bool minus = is_minus_one(p_.child(x, 0)) && x.children.count > 1;
                if (minus) say("−");
                product(x, minus ? 1 : 0);
                return;
            }
            case ir::op::divide:
                quotient(x);
                return;
            case ir::op::power: {
                expression(p_.child(x, 0), true);
                words_of_expression above(p_);
                above.expression(p_.child(x, 1), false);
                for (run& r : above.out) out.push_back({r.text, r.level == 0 ? 1 : 2});
                return;
            }
            case ir::op::apply:
                applied(x);
                return;
            case ir::op::reduce:
                reduced(x);
                return;
            case ir::op::delta:
                say("δ");
                return;
            case ir::op::position:
                append(out, label_of_index(p_, p_.at(x.positions, 0).index));
                return;
            case ir::op::compare:
                compared(x);
                return;
            case ir::op::choose:
                say("cases");
                return;
            case ir::op::call:
                return;
        }
    }

private:
    void say(const std::string& word) {
        if (!out.empty() && out.back().level == 0) out.back().text += word;
        else out.push_back({word, 0});
    }
    bool is_minus_one(ir::ref n) const {
        return p_.nodes[n].kind == ir::op::number && p_.nodes[n].value == -1;
    }
    void number(double value) {
        detail::text_builder digits;
        ir::print_number(value, digits);
        std::string word = formula::with_greek(string_of(digits.view()));
        if (!word.empty() && word[0] == '-') word = "−" + word.substr(1);
        say(word);
    }
    void quotient(const ir::node& x) {
        expression(p_.child(x, 0), true);
        const bool brackets = p_.nodes[p_.child(x, 1)].kind == ir::op::multiply;
        say(brackets ? "/(" : "/");
        expression(p_.child(x, 1), true);
        if (brackets) say(")");
    }
    void applied(const ir::node& x) {
        const auto f = static_cast<ir::function>(x.detail);
        if (f == ir::function::absolute) {
            say("|");
            expression(p_.child(x, 0), false);
            say("|");
            return;
        }
        const bool root = ir::entry_of(f).form == ir::function_form::radical;
        const ir::op argument = p_.nodes[p_.child(x, 0)].kind;
        const bool bare = root && (argument == ir::op::number || argument == ir::op::tensor);
        say(root ? "√" : string_of(ir::function_word(f)));
        list(x, ", ", !bare);
    }
    void reduced(const ir::node& x) {
        say(string_of(ir::reduction_word(static_cast<ir::reduction>(x.detail))));
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            for (const run& r : label_of_index(p_, p_.reduced(x, k))) out.push_back({r.text, -1});
        list(x, ", ", true);
    }
    void compared(const ir::node& x) {
        constexpr const char* signs[] = {" < ", " ≤ ", " = ", " ≠ ", " ∧ ", " ∨ "};
        say("[");
        if (ir::is_truth(x)) expression(p_.child(x, 0), false);
        else list(x, signs[x.detail], false);
        say("]");
    }
    void product(const ir::node& x, std::int32_t first) {
        for (std::int32_t k = first; k < x.children.count; ++k) {
            if (k > first) say(" ");
            expression(p_.child(x, k), true);
        }
    }
    void sum(const ir::node& x, bool brackets) {
        if (brackets) say("(");
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ir::node& part = p_.nodes[p_.child(x, k)];
            const bool minus = part.kind == ir::op::multiply && part.children.count > 1 &&
                               is_minus_one(p_.child(part, 0));
            if (k > 0) say(minus ? " − " : " + ");
            if (k > 0 && minus) product(part, 1);
            else expression(p_.child(x, k), false);
        }
        if (brackets) say(")");
    }
    void list(const ir::node& x, const std::string& between, bool brackets) {
        if (brackets) say("(");
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            if (k > 0) say(between);
            expression(p_.child(x, k), x.kind == ir::op::multiply);
        }
        if (brackets) say(")");
    }

    ir::program_view p_;
};

}  // namespace

label label_of_name(std::string_view name) {
    // a derivative keeps its stroke: ∂L/∂W_Q
    for (std::size_t k = 1; k + 1 < name.size(); ++k) {
        if (name.substr(k, 2) != "/d" || name[0] != 'd') continue;
        label all{{"∂", 0}};
        append(all, label_of_name(name.substr(1, k - 1)));
        all.push_back({"/∂", 0});
        append(all, label_of_name(name.substr(k + 2)));
        return all;
    }
    const auto split = static_cast<std::size_t>(
        ir::label_of({name.data(), static_cast<std::int32_t>(name.size())}));
    label all{{formula::with_greek(name.substr(0, split)), 0}};
    if (split + 1 < name.size()) all.push_back({formula::with_greek(name.substr(split + 1)), -1});
    return all;
}

label label_of_index(const ir::program_view& p, ir::ref index) {
    return label_of_name(string_of(p.index(index)));
}

label label_of_expression(const ir::program_view& p, ir::ref n) {
    words_of_expression words(p);
    words.expression(n, false);
    return words.out;
}

void append(label& to, const label& more) {
    for (const run& r : more) {
        if (!to.empty() && to.back().level == r.level && to.back().roman == r.roman)
            to.back().text += r.text;
        else to.push_back(r);
    }
}

std::string plain_text(const label& words) {
    std::string all;
    for (const run& r : words) all += (r.level < 0 ? "_" : r.level > 0 ? "^" : "") + r.text;
    return all;
}

double width_of(const label& words) {
    double width = 0;
    for (const run& r : words)
        width += formula::width_of_text(r.text, false) * (r.level == 0 ? 1.0 : 0.72);
    return width;
}

}  // namespace ricci::draw
