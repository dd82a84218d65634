// Writes MathML Core: elements that all browsers know.
#include "formula/mathml.hpp"

#include "formula/symbols.hpp"

namespace ricci::formula {
namespace {

std::string escaped(std::string_view text) {
    std::string all;
    for (const char c : text) {
        if (c == '<') all += "&lt;";
        else if (c == '>') all += "&gt;";
        else if (c == '&') all += "&amp;";
        else if (c == '"') all += "&quot;";
        else if (c == '\n') all += ' ';
        else if (static_cast<unsigned char>(c) >= 0x20) all += c;
    }
    return all;
}

// What nobody sees, and who listens hears: f of x, and a times b.
constexpr std::string_view of = "<mo>\u2061</mo>", times = "<mo>\u2062</mo>";

class writer {
public:
    std::string out;

    void row(const tree& p) {
        if (p.kind != kind::row) return one(p);
        if (p.parts.size() == 1) return one(p.parts[0]);
        out += "<mrow>";
        inside(p.parts);
        out += "</mrow>";
    }

private:
    void element(std::string_view tag, std::string_view text, std::string_view attributes = "") {
        out += '<';
        out += tag;
        out += attributes;
        out += '>';
        out += escaped(text);
        out += "</";
        out += tag;
        out += '>';
    }
    // A blank at its end would not be set.
    void word(std::string text) {
        if (text.ends_with(' ')) text.replace(text.size() - 1, 1, "\u00a0");
        element("mtext", text);
    }
    // Which would run together with what stands beside it.
    static bool is_in_words(const tree& p) {
        const kind base = p.kind == kind::script ? p.parts[0].kind : p.kind;
        return base == kind::function || base == kind::word;
    }
    void inside(const std::vector<tree>& parts) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
            if (parts[k].kind != kind::blank) {
                one(parts[k]);
                const tree& base = parts[k].kind == kind::script ? parts[k].parts[0] : parts[k];
                if (base.kind == kind::function && k + 1 < parts.size()) out += of;
            } else if (scripts_ == 0 && k > 0 && k + 1 < parts.size() &&
                       are_multiplied(parts[k - 1], parts[k + 1])) {
                out += times;
                if (is_in_words(parts[k - 1]) || is_in_words(parts[k + 1]))
                    out += "<mspace width=\"0.17em\"/>";
            }
        }
    }
    void one(const tree& p) {
        switch (p.kind) {
            case kind::row:
                return row(p);
            case kind::letter:
                return element("mi", p.text);
            case kind::upright:
                return element("mi", p.text, " mathvariant=\"normal\"");
            case kind::function:
                return element("mi", p.text, " mathvariant=\"normal\"");
            case kind::number:
                return element("mn", p.text);
            case kind::sign:
                return element("mo", p.text);
            case kind::word:
                return word(p.text);
            case kind::blank:
                return;
            case kind::script:
                return script(p);
            case kind::fraction:
                return pair("mfrac", p.parts[0], p.parts[1]);
            case kind::root:
                out += "<msqrt>";
                row(p.parts[0]);
                out += "</msqrt>";
                return;
            case kind::accent:
                return over(p);
            case kind::brackets:
                return brackets(p);
            case kind::cases:
                return cases(p);
        }
    }
    void pair(std::string_view tag, const tree& first, const tree& second) {
        out += '<';
        out += tag;
        out += '>';
        row(first);
        row(second);
        out += "</";
        out += tag;
        out += '>';
    }
    // Bounds of sums, and what a maximum is over, stand below it.
    static bool has_limits(const tree& base) {
        return base.text == "∑" || base.text == "∏" || base.text == "max" || base.text == "min";
    }
    void script(const tree& p) {
        ++scripts_;
        set_script(p);
        --scripts_;
    }
    void set_script(const tree& p) {
        const tree &base = p.parts[0], &below = p.parts[1], &above = p.parts[2];
        const bool limits = has_limits(base);
        if (below.is_empty()) return pair(limits ? "mover" : "msup", base, above);
        if (above.is_empty()) return pair(limits ? "munder" : "msub", base, below);
        const std::string_view tag = limits ? "munderover" : "msubsup";
        out += '<';
        out += tag;
        out += '>';
        row(base);
        row(below);
        row(above);
        out += "</";
        out += tag;
        out += '>';
    }
    void over(const tree& p) {
        const accent* sign = accent_of(p.text);
        out += "<mover accent=\"true\">";
        row(p.parts[0]);
        element("mo", sign == nullptr ? "" : sign->sign, " stretchy=\"false\"");
        out += "</mover>";
    }
    void brackets(const tree& p) {
        // the two may be characters of several bytes
        const std::size_t half = p.text.size() / 2;
        const box in = box_of(p.parts[0]);
        const std::string_view how =
            in.above + in.below > 1.9 ? "" : " stretchy=\"false\"";  // around scripts alone
        out += "<mrow>";
        element("mo", std::string_view(p.text).substr(0, half), how);
        if (p.parts[0].kind == kind::row) inside(p.parts[0].parts);
        element("mo", std::string_view(p.text).substr(half), how);
        out += "</mrow>";
    }
    void cases(const tree& p) {
        out += "<mrow><mo>{</mo><mtable>";
        for (const tree& line : p.parts) {
            out += "<mtr>";
            for (const tree& cell : line.parts) {
                out += "<mtd>";
                row(cell);
                out += "</mtd>";
            }
            out += "</mtr>";
        }
        out += "</mtable></mrow>";
    }

    int scripts_ = 0;  // around; what stands beside each other there are indices
};

}  // namespace

std::string mathml(const std::vector<tree>& lines, std::string_view latex) {
    writer w;
    w.out = "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" displaystyle=\"true\" alttext=\"" +
            escaped(latex) + "\">";
    if (lines.size() == 1) {
        w.row(lines[0]);
    } else {
        w.out += "<mtable displaystyle=\"true\">";
        for (std::size_t k = 0; k < lines.size(); ++k) {
            w.out += k == 0 ? "<mtr><mtd>" : "<mtr><mtd><mspace width=\"2em\"/>";
            w.row(lines[k]);
            w.out += "</mtd></mtr>";
        }
        w.out += "</mtable>";
    }
    return w.out + "</math>";
}
std::string mathml(std::string_view latex) { return mathml({read_latex(latex)}, latex); }

}  // namespace ricci::formula
