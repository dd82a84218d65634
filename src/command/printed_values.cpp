// Arithmetic of small matrices with what the page rounded, and the reader of one side.
#include "command/printed_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string_view>

#include <fmt/core.h>

#include "command/paper_symbols.hpp"
#include "command/paper_words.hpp"

namespace ricci::command {
namespace {

constexpr int largest = 64;  // rows or columns

struct no_number {};

value number(double x, double error = 0) { return {1, 1, {x}, {error}}; }

value scaled(const value& a, const value& s) {
    value out = a;
    for (std::size_t k = 0; k < a.entries.size(); ++k) {
        out.entries[k] = a.entries[k] * s.entries[0];
        out.errors[k] = std::abs(s.entries[0]) * a.errors[k] + std::abs(a.entries[k]) * s.errors[0];
    }
    return out;
}

value product(const value& a, const value& b) {
    if (a.is_number()) return scaled(b, a);
    if (b.is_number()) return scaled(a, b);
    if (a.columns != b.rows) throw no_number{};
    value out{a.rows, b.columns, {}, {}};
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.columns; ++j) {
            double sum = 0, error = 0;
            for (int k = 0; k < a.columns; ++k) {
                const auto x = static_cast<std::size_t>(i * a.columns + k),
                           y = static_cast<std::size_t>(k * b.columns + j);
                sum += a.entries[x] * b.entries[y];
                error +=
                    std::abs(a.entries[x]) * b.errors[y] + std::abs(b.entries[y]) * a.errors[x];
            }
            out.entries.push_back(sum);
            out.errors.push_back(error);
        }
    return out;
}

value sum(const value& a, const value& b, double sign) {
    if (a.rows != b.rows || a.columns != b.columns) throw no_number{};
    value out = a;
    for (std::size_t k = 0; k < a.entries.size(); ++k) {
        out.entries[k] += sign * b.entries[k];
        out.errors[k] += b.errors[k];
    }
    return out;
}

value transposed(const value& a) {
    value out{a.columns, a.rows, {}, {}};
    for (int j = 0; j < a.columns; ++j)
        for (int i = 0; i < a.rows; ++i) {
            out.entries.push_back(a.entries[static_cast<std::size_t>(i * a.columns + j)]);
            out.errors.push_back(a.errors[static_cast<std::size_t>(i * a.columns + j)]);
        }
    return out;
}

value mapped(const value& a, const std::function<double(double)>& f) {
    value out = a;
    for (std::size_t k = 0; k < a.entries.size(); ++k) {
        out.entries[k] = f(a.entries[k]);
        const double e = a.errors[k];
        out.errors[k] = e > 0 ? std::max(std::abs(f(a.entries[k] + e) - out.entries[k]),
                                         std::abs(f(a.entries[k] - e) - out.entries[k]))
                              : 0;
        if (!std::isfinite(out.entries[k])) throw no_number{};
    }
    return out;
}

value softmax(const value& a) {
    // a vector is one row, however it is written
    const int rows = a.columns == 1 ? 1 : a.rows, columns = a.columns == 1 ? a.rows : a.columns;
    value out = a;
    for (int i = 0; i < rows; ++i) {
        double all = 0, error = 0, most = -1e300;
        for (int j = 0; j < columns; ++j)
            most = std::max(most, a.entries[static_cast<std::size_t>(i * columns + j)]);
        for (int j = 0; j < columns; ++j) {
            all += std::exp(a.entries[static_cast<std::size_t>(i * columns + j)] - most);
            error = std::max(error, a.errors[static_cast<std::size_t>(i * columns + j)]);
        }
        for (int j = 0; j < columns; ++j) {
            const auto k = static_cast<std::size_t>(i * columns + j);
            out.entries[k] = std::exp(a.entries[k] - most) / all;
            out.errors[k] = 2 * error * out.entries[k] * (1 - out.entries[k]);
        }
    }
    return out;
}

/// Reads one side. Throws no_number at whatever is none.
class calculator {
public:
    calculator(const tokens& side, const std::map<std::string, value>& known)
        : now_(side.begin()), last_(side.end()), known_(known) {}
    value run() {
        value v = terms();
        if (now_ != last_) throw no_number{};
        return v;
    }

private:
    bool at(std::string_view word) const { return now_ != last_ && now_->is(word); }

    value inside(const tokens& list) {
        if (++depth_ > 40) throw no_number{};
        calculator inner(list, known_);
        inner.depth_ = depth_;
        value v = inner.run();
        --depth_;
        return v;
    }
    value terms() {
        double sign = 1;
        while (at("-") || at("+")) sign *= (now_++)->is("-") ? -1 : 1;
        value v = scaled(factors(), number(sign));
        while (at("+") || at("-")) {
            const double s = (now_++)->is("-") ? -1 : 1;
            v = sum(v, factors(), s);
        }
        return v;
    }
    value factors() {
        value v = factor();
        while (now_ != last_) {
            if (at("+") || at("-")) break;
            if (at("/")) {
                ++now_;
                const value d = factor();
                if (!d.is_number() || d.entries[0] == 0) throw no_number{};
                v = scaled(v, mapped(d, [](double x) { return 1 / x; }));
                if (now_ != last_ && !at("+") && !at("-")) throw no_number{};  // a / b c
                continue;
            }
            if (at("\\cdot") || at("\\times") || at("*")) {
                ++now_;
                double sign = 1;
                while (at("-")) ++now_, sign = -sign;
                v = scaled(product(v, factor()), number(sign));
                continue;
            }
            // 100 000 is one number, and nothing says so
            if (now_->kind == token_kind::number && std::prev(now_)->kind == token_kind::number)
                throw no_number{};
            v = product(v, factor());
        }
        return v;
    }
    value powered(value v) {
        if (now_ == last_ || now_->kind != token_kind::up) return v;
        const tokens script = argument_at(std::next(now_), last_);
        const std::string s = spelled(script);
        now_ = behind_argument(std::next(now_), last_);
        if (s == "T" || s == "\\top") return transposed(v);
        const value e = inside(script);
        if (!e.is_number() || !v.is_number()) throw no_number{};
        return mapped(v, [&](double x) { return std::pow(x, e.entries[0]); });
    }
    value factor() {
        if (now_ == last_) throw no_number{};
        const token t = *now_;
        if (t.kind == token_kind::number) {
            ++now_;
            return powered(number(std::strtod(t.text.c_str(), nullptr)));
        }
        if (t.is("(") || t.is("[")) {
            const auto end = behind_group(now_, last_);
            if (std::prev(end) == now_ || !closes(*std::prev(end))) throw no_number{};
            const tokens list(std::next(now_), std::prev(end));
            now_ = end;
            return powered(t.is("[") && has_comma(list) ? vector_of(list) : inside(list));
        }
        if (t.kind == token_kind::open) {
            const tokens list = argument_at(now_, last_);
            now_ = behind_argument(now_, last_);
            return powered(inside(list));
        }
        if (t.is("\\begin")) return powered(matrix());
        if (t.is("\\frac") || t.is("\\dfrac") || t.is("\\tfrac")) {
            const auto second = behind_argument(std::next(now_), last_);
            const tokens above = argument_at(std::next(now_), last_),
                         below = argument_at(second, last_);
            now_ = behind_argument(second, last_);
            const value d = inside(below);
            if (!d.is_number() || d.entries[0] == 0) throw no_number{};
            return powered(scaled(inside(above), mapped(d, [](double x) { return 1 / x; })));
        }
        if (t.is("\\sqrt")) {
            if (std::next(now_) != last_ && std::next(now_)->is("[")) throw no_number{};
            const tokens list = argument_at(std::next(now_), last_);
            now_ = behind_argument(std::next(now_), last_);
            return powered(mapped(inside(list), [](double x) { return std::sqrt(x); }));
        }
        if (t.is("\\pi")) return ++now_, powered(number(std::acos(-1.0)));
        if (t.is("|") || t.is("\\lvert")) throw no_number{};
        if (t.is("e") && std::next(now_) != last_ && std::next(now_)->kind == token_kind::up &&
            !known_.count("e")) {
            const tokens script = argument_at(std::next(now_, 2), last_);
            now_ = behind_argument(std::next(now_, 2), last_);
            return mapped(inside(script), [](double x) { return std::exp(x); });
        }
        if (const std::string f = function_here(); !f.empty()) return apply(f);
        const written_name n = name_at(now_, last_);
        if (n.key.empty()) throw no_number{};
        // a transposition or a power is none of the name
        auto end = now_;
        const std::string plain = name_key(end);
        const auto found = known_.find(plain);
        if (found == known_.end()) throw no_number{};
        now_ = end;
        return powered(found->second);
    }
    /// The name at `end` without what stands above it; `end` goes behind it.
    std::string name_key(token_at& end) const {
        end = now_->kind == token_kind::letter || is_greek_letter(*now_)
                  ? std::next(now_)
                  : behind_argument(std::next(now_), last_);
        while (end != last_ && end->is("'")) ++end;
        while (end != last_ && end->kind == token_kind::down)
            end = behind_argument(std::next(end), last_);
        return spelled(now_, end);
    }
    std::string function_here() {
        std::string word;
        token_at behind = std::next(now_);
        if (now_->is_command() && !is_words_wrapper(now_->text)) word = now_->text.substr(1);
        else if (is_words_wrapper(now_->text)) {
            for (const token& t : argument_at(std::next(now_), last_)) word += t.text;
            behind = behind_argument(std::next(now_), last_);
        }
        const std::string f = word.empty() ? word : function_of(word);
        if (!f.empty()) now_ = behind;
        return f;
    }
    value apply(const std::string& f) {
        if (now_ == last_ || now_->kind == token_kind::up || now_->kind == token_kind::down)
            throw no_number{};
        tokens list;
        if (now_->is("(") || now_->is("[")) {
            const auto end = behind_group(now_, last_);
            if (std::prev(end) == now_) throw no_number{};
            list.assign(std::next(now_), std::prev(end));
            now_ = end;
        } else {
            list = argument_at(now_, last_);
            now_ = behind_argument(now_, last_);
            if (now_ != last_ && !at("+") && !at("-") && !at("\\cdot") && !at("\\times"))
                throw no_number{};
        }
        const value v = list.size() > 2 && list.front().is("[") ? inside(list)
                        : has_comma(list)                       ? vector_of(list)
                                                                : inside(list);
        if (f == "softmax") return softmax(v);
        if (f == "max" || f == "min") {
            double best = v.entries[0];
            for (const double x : v.entries)
                best = f == "max" ? std::max(best, x) : std::min(best, x);
            return number(best, *std::max_element(v.errors.begin(), v.errors.end()));
        }
        static const std::map<std::string, double (*)(double)> table = {
            {"exp", [](double x) { return std::exp(x); }},
            {"log", [](double x) { return std::log(x); }},
            {"sin", [](double x) { return std::sin(x); }},
            {"cos", [](double x) { return std::cos(x); }},
            {"tan", [](double x) { return std::tan(x); }},
            {"tanh", [](double x) { return std::tanh(x); }},
            {"sinh", [](double x) { return std::sinh(x); }},
            {"cosh", [](double x) { return std::cosh(x); }},
            {"arctan", [](double x) { return std::atan(x); }},
            {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
            {"relu", [](double x) { return x > 0 ? x : 0; }},
            {"erf", [](double x) { return std::erf(x); }},
        };
        const auto found = table.find(f);
        if (found == table.end()) throw no_number{};
        return powered(mapped(v, found->second));
    }
    static bool has_comma(const tokens& list) {
        int depth = 0;
        for (const token& t : list) {
            if (depth == 0 && t.is(",")) return true;
            if (opens(t)) ++depth;
            if (closes(t)) --depth;
        }
        return false;
    }
    value vector_of(const tokens& list) {
        value out{0, 1, {}, {}};
        tokens entry;
        const auto add = [&] {
            const value v = inside(entry);
            if (!v.is_number() || out.rows >= largest) throw no_number{};
            out.entries.push_back(v.entries[0]);
            out.errors.push_back(v.errors[0]);
            ++out.rows;
            entry.clear();
        };
        for (const token& t : list) {
            if (t.is(",")) add();
            else entry.push_back(t);
        }
        add();
        return out;
    }
    value matrix() {
        const std::string name = spelled(argument_at(std::next(now_), last_));
        if (name.find("matrix") == std::string::npos) throw no_number{};
        now_ = behind_argument(std::next(now_), last_);
        value out{0, 0, {}, {}};
        int columns = 0;
        tokens entry;
        const auto add = [&] {
            const value v = inside(entry);
            if (!v.is_number() || columns >= largest || out.rows >= largest) throw no_number{};
            out.entries.push_back(v.entries[0]);
            out.errors.push_back(v.errors[0]);
            ++columns;
            entry.clear();
        };
        const auto row = [&] {
            if (out.rows > 0 && columns != out.columns) throw no_number{};
            out.columns = columns;
            columns = 0;
            ++out.rows;
        };
        for (; now_ != last_ && !now_->is("\\end"); ++now_) {
            if (now_->kind == token_kind::align) add();
            else if (now_->kind == token_kind::row) {
                if (entry.empty() && columns == 0) continue;
                add();
                row();
            } else entry.push_back(*now_);
        }
        if (now_ == last_) throw no_number{};
        if (!entry.empty() || columns > 0) {
            add();
            row();
        }
        now_ = behind_argument(std::next(now_), last_);
        if (out.rows == 0) throw no_number{};
        return out;
    }

    token_at now_, last_;
    const std::map<std::string, value>& known_;
    int depth_ = 0;
};

std::string shown(double x) { return fmt::format("{:.4g}", x); }

}  // namespace

std::optional<value> value_of(const tokens& side, const std::map<std::string, value>& known) {
    if (side.empty()) return std::nullopt;
    try {
        return calculator(side, known).run();
    } catch (const no_number&) {
        return std::nullopt;
    }
}

std::string shown(const value& v) {
    if (v.is_number()) return shown(v.entries[0]);
    std::string out = "[";
    for (int i = 0; i < v.rows; ++i) {
        if (v.columns > 1) out += std::string(i ? ", " : "") + "[";
        for (int j = 0; j < v.columns; ++j)
            out += ((v.columns > 1 ? j : i) ? ", " : "") +
                   shown(v.entries[static_cast<std::size_t>(i * v.columns + j)]);
        if (v.columns > 1) out += "]";
    }
    return out + "]";
}

}  // namespace ricci::command
