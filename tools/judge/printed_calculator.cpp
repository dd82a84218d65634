// Reads one side from left to right. What is no number alone is given up at once.
#include "judge/printed_calculator.hpp"

#include <algorithm>
#include <utility>

#include "judge/printed_functions.hpp"
#include "judge/printed_matrices.hpp"
#include "judge/printed_names.hpp"

namespace ricci::judge {
namespace {

using tokens = std::vector<printed_token>;

class calculator {
public:
    calculator(const printed_token* first, const printed_token* last, const known_names& known,
               bool mixed, int depth)
        : now_(first), last_(last), known_(known), mixed_(mixed), depth_(depth) {}

    printed_value run() {
        if (depth_ > 40) throw no_number{};
        printed_value v = terms();
        if (now_ != last_) throw no_number{};
        return v;
    }

private:
    bool at(std::string_view word) const { return now_ != last_ && now_->is(word); }
    bool next_is(std::string_view word) const {
        return now_ != last_ && now_ + 1 != last_ && now_[1].is(word);
    }
    bool accept(std::string_view word) {
        if (!at(word)) return false;
        ++now_;
        return true;
    }
    void expect(std::string_view word) {
        if (!accept(word)) throw no_number{};
    }
    printed_value inside(const printed_token* first, const printed_token* last) const {
        return calculator(first, last, known_, mixed_, depth_ + 1).run();
    }
    /// What stands up to the bracket that closes the one before; now_ goes behind it.
    std::pair<const printed_token*, const printed_token*> group(std::string_view close) {
        const printed_token* const first = now_;
        std::vector<std::string_view> open = {close};
        for (; now_ != last_; ++now_) {
            if (now_->is("(")) open.push_back(")");
            else if (now_->is("[")) open.push_back("]");
            else if (now_->is("{")) open.push_back("}");
            else if (now_->is("\\{")) open.push_back("\\}");
            else if (now_->is(open.back())) {
                open.pop_back();
                if (open.empty()) return {first, now_++};
            }
        }
        throw no_number{};
    }
    /// {...}, or one token.
    std::pair<const printed_token*, const printed_token*> argument() {
        if (accept("{")) return group("}");
        if (now_ == last_) throw no_number{};
        const printed_token* const first = now_++;
        // TeX takes one digit
        if (first->kind == printed_kind::number && first->text.size() > 1) throw no_number{};
        return {first, now_};
    }
    printed_value argument_value() {
        const auto [first, last] = argument();
        return inside(first, last);
    }
    std::string argument_word() {
        const auto [first, last] = argument();
        std::string out;
        for (const printed_token* t = first; t != last; ++t) out += t->text;
        return out;
    }

    printed_value terms() {
        bool negative = false;
        while (at("-") || at("+")) negative ^= (now_++)->is("-");
        printed_value v = factors();
        if (negative) v = negated(std::move(v));
        while (at("+") || at("-")) {
            const bool minus = (now_++)->is("-");
            printed_value next = factors();
            v = sum(v, minus ? negated(std::move(next)) : next);
        }
        return v;
    }
    bool ends_term() const {
        return now_ == last_ || at("+") || at("-") || at(",") || at("&") || at("\\");
    }
    printed_value factors() {
        printed_value v = factor();
        while (!ends_term()) {
            if (accept("/") || accept("div")) {
                v = product(v, inverse(factor()));
                if (!ends_term() && !at("cdot") && !at("times") && !at("*")) throw no_number{};
                if (!ends_term()) throw no_number{};  // a / b c
                continue;
            }
            if (at("cdot") || at("times") || at("*")) {
                ++now_;
                bool negative = false;
                while (accept("-")) negative = !negative;
                const printed_token* const begin = now_;
                printed_value next = factor();
                const bool ten = begin->kind == printed_kind::number && begin->text == "10" &&
                                 now_ > begin + 1 && !negative;
                const rational unit = v.is_number() ? v.entries[0].unit : rational();
                const rational scale = next.is_number() ? next.entries[0].number.value : rational();
                v = product(v, negative ? negated(std::move(next)) : next);
                // 4 \cdot 10^3 is a number as it is printed
                if (ten && !unit.is_zero()) v.entries[0].unit = unit * scale;
                continue;
            }
            // 100 000 is one number, and nothing says so
            if (now_->kind == printed_kind::number && now_[-1].kind == printed_kind::number)
                throw no_number{};
            if (mixed_ && is_mixed()) {
                v = sum(v, factor());
                continue;
            }
            v = product(v, factor());
        }
        return v;
    }
    /// Whether \frac{1}{2} comes directly behind a whole number.
    bool is_mixed() const {
        if (!at("frac") && !at("tfrac") && !at("dfrac")) return false;
        if (now_[-1].kind != printed_kind::number || now_[-1].decimals) return false;
        const bool braces = last_ - now_ >= 7 && now_[1].is("{") && now_[3].is("}") &&
                            now_[4].is("{") && now_[6].is("}");
        if (!braces || now_[2].kind != printed_kind::number || now_[5].kind != printed_kind::number)
            return false;
        return now_[2].value.is_whole() && now_[5].value.is_whole() &&
               now_[2].value.value < now_[5].value.value;
    }
    /// Powers, transpositions, factorials, per cent.
    printed_value powered(printed_value v) {
        for (;;) {
            if (accept("%")) {
                const rational unit = v.is_number() ? v.entries[0].unit : rational();
                const rational hundredth(integer(1), integer(100));
                v = product(v, number_value(exactly(hundredth)));
                if (!unit.is_zero()) v.entries[0].unit = unit * hundredth;  // 23% is as printed
            } else if (accept("!")) {
                v = factorial(v);
            } else if (accept("^")) {
                const auto [first, last] = argument();
                if (last - first == 1 &&
                    (first->is("top") || first->text == "T" || first->is("intercal"))) {
                    v = transposed(v);
                    continue;
                }
                if (last - first == 1 && (first->is("circ") || first->is("prime")))
                    throw no_number{};
                v = raised(v, inside(first, last));
            } else {
                return v;
            }
        }
    }
    printed_value factor() {
        if (now_ == last_) throw no_number{};
        const printed_token& t = *now_;
        if (t.kind == printed_kind::number) {
            ++now_;
            const bool ten = t.text == "10" && at("^");
            printed_value v = powered(literal(t));
            if (ten && now_[-1].is("}")) v.entries[0].unit = v.entries[0].number.value;  // 10^{3}
            return v;
        }
        if (t.is("(") || t.is("[") || t.is("{")) return powered(bracketed());
        if (t.kind == printed_kind::command && (t.is("lVert") || t.is("|") || t.is("Vert")))
            return norm_between_bars();
        if (t.is("|") || t.is("lvert")) {
            const std::string_view close = t.is("|") ? "|" : "rvert";
            ++now_;
            const printed_token* const first = now_;
            while (now_ != last_ && !now_->is(close)) ++now_;
            if (now_ == last_) throw no_number{};
            const printed_value v = inside(first, now_++);
            return powered(v.is_number() ? mapped(v, real_function::absolute) : determinant(v));
        }
        if (t.is("lfloor") || t.is("lceil")) {
            const bool floor = t.is("lfloor");
            ++now_;
            const auto [first, last] = group(floor ? "rfloor" : "rceil");
            return powered(
                mapped(inside(first, last), floor ? real_function::floor : real_function::ceil));
        }
        if (t.kind == printed_kind::command) {
            if (t.is("begin")) return ++now_, powered(matrix());
            if (t.is("frac") || t.is("dfrac") || t.is("tfrac")) {
                ++now_;
                const printed_value above = argument_value();
                return powered(product(above, inverse(argument_value())));
            }
            if (t.is("sqrt")) return ++now_, powered(root());
            if (t.is("binom")) {
                ++now_;
                const printed_value above = argument_value();
                return powered(binomial(above, argument_value()));
            }
        }
        if (std::optional<printed_value> value = value_at()) return powered(*std::move(value));
        if (std::optional<printed_value> known = name()) return powered(*std::move(known));
        if (accept("pi")) return powered(number_value(circle_number()));
        if (t.kind == printed_kind::letter && t.text == "e" && next_is("^")) {
            now_ += 2;
            return mapped(argument_value(), real_function::exp);
        }
        return function();
    }
    printed_value literal(const printed_token& t) {
        printed_value v = number_value(t.value);
        v.entries[0].unit = t.value.is_exact() ? rational(1) : t.value.half * rational(2);
        // 4e3: its last place is that of thousands
        if (t.value.is_exact() && !t.value.value.is_zero()) {
            const std::string whole(t.text);
            const rational shown(integer::of_digits(whole), integer(1));
            v.entries[0].unit = t.value.value / shown;
        }
        return v;
    }
    printed_value bracketed() {
        const bool list = at("[") || at("(");
        const std::string_view close = at("(") ? ")" : at("[") ? "]" : "}";
        ++now_;
        const auto [first, last] = group(close);
        int depth = 0;
        bool commas = false;
        for (const printed_token* t = first; t != last; ++t) {
            if (t->is("(") || t->is("[") || t->is("{")) ++depth;
            if (t->is(")") || t->is("]") || t->is("}")) --depth;
            commas = commas || (depth == 0 && t->is(","));
        }
        if (commas && !list) throw no_number{};
        return commas ? column(entries_of(first, last)) : inside(first, last);
    }
    /// Values between commas.
    std::vector<printed_value> entries_of(const printed_token* first,
                                          const printed_token* last) const {
        std::vector<printed_value> out;
        int depth = 0;
        const printed_token* begin = first;
        for (const printed_token* t = first; t != last; ++t) {
            if (t->is("(") || t->is("[") || t->is("{")) ++depth;
            if (t->is(")") || t->is("]") || t->is("}")) --depth;
            if (depth != 0 || !t->is(",")) continue;
            out.push_back(inside(begin, t));
            begin = t + 1;
        }
        out.push_back(inside(begin, last));
        return out;
    }
    printed_value norm_between_bars() {
        const std::string close = now_->is("lVert") ? "rVert" : now_->text;
        const printed_token* const first = ++now_;
        while (now_ != last_ && !now_->is(close)) ++now_;
        if (now_ == last_) throw no_number{};
        const printed_value v = inside(first, now_++);
        if (accept("_") && argument_word() != "2") throw no_number{};
        return powered(norm(v));
    }
    printed_value root() {
        int degree = 2;
        if (accept("[")) {
            const auto [first, last] = group("]");
            degree = small_whole(inside(first, last));
        }
        const printed_value v = argument_value();
        if (degree == 2) return mapped(v, real_function::sqrt);
        if (degree < 2) throw no_number{};
        return raised(v, number_value(exactly(rational(integer(1), integer(degree)))));
    }
    printed_value matrix() {
        const std::string kind = argument_word();
        if (kind == "array" && argument_word().find('|') != std::string::npos) throw no_number{};
        if (kind != "array" && (kind.find("matrix") == std::string::npos || kind == "Vmatrix"))
            throw no_number{};
        std::vector<std::vector<printed_value>> rows(1);
        const printed_token* begin = now_;
        int depth = 0;
        const auto add = [&](const printed_token* end) {
            rows.back().push_back(inside(begin, end));
            begin = end + 1;
        };
        for (; now_ != last_; ++now_) {
            if (now_->is("{") || now_->is("begin")) ++depth;
            if (now_->is("}")) --depth;
            if (depth > 0) continue;
            if (now_->is("&")) add(now_);
            else if (now_->is("\\")) {
                add(now_);
                rows.emplace_back();
            } else if (now_->is("end")) {
                if (begin != now_) add(now_);
                else if (rows.back().empty()) rows.pop_back();
                ++now_;
                argument_word();
                return kind == "vmatrix" ? determinant(of_rows(rows)) : of_rows(rows);
            }
        }
        throw no_number{};
    }
    /// f(3) of a function that the page gives: what it says, with its parameters as numbers.
    std::optional<printed_value> value_at() {
        const printed_token* end = now_;
        std::string key = name_at(end, last_);
        if (!key.empty() && end != last_ && end->is("_")) {  // f_1(3)
            key += "_{";
            if (!spell_script(++end, last_, key)) return std::nullopt;
            key += '}';
        }
        const auto known = known_.functions.find(key);
        if (key.empty() || known == known_.functions.end() || end == last_ || !end->is("("))
            return std::nullopt;
        now_ = end + 1;
        const auto [first, last] = group(")");
        const std::vector<printed_value> arguments = entries_of(first, last);
        const printed_function& f = known->second;
        if (arguments.size() != f.parameters.size() || depth_ > 40) throw no_number{};
        known_names here = known_;
        for (std::size_t k = 0; k < arguments.size(); ++k)
            here.numbers[f.parameters[k]] = arguments[k];
        return calculator(f.body.data(), f.body.data() + f.body.size(), here, mixed_, depth_ + 1)
            .run();
    }
    /// The name here that has a number, the longest one.
    std::optional<printed_value> name() {
        const printed_token* end = now_;
        std::string key = name_at(end, last_);
        if (key.empty()) return std::nullopt;
        std::optional<printed_value> found;
        const printed_token* behind = now_;
        const auto look = [&] {
            const auto known = known_.numbers.find(key);
            if (known == known_.numbers.end()) return;
            found = known->second;
            behind = end;
        };
        look();
        for (const std::string_view script : {"_", "^"}) {
            if (end == last_ || !end->is(script)) continue;
            key += script;
            key += '{';
            ++end;
            if (!spell_script(end, last_, key)) break;
            key += '}';
            look();
        }
        // x_1 is not x times something
        if (found && behind != last_ && behind->is("_")) return std::nullopt;
        if (found) now_ = behind;
        return found;
    }
    printed_value function() {
        std::string word;
        if (now_->kind != printed_kind::command) throw no_number{};
        if (at("operatorname") || at("mathrm") || at("text") || at("mathop")) {
            ++now_;
            word = argument_word();
        } else {
            word = (now_++)->text;
        }
        printed_value base;
        bool has_base = false;
        if (word == "log" && accept("_")) {
            base = argument_value();
            has_base = true;
        }
        if (word == "lg" || (word == "log" && !has_base)) throw no_number{};
        // f^2 and f_i are not read
        if (now_ == last_ || at("^") || at("_")) throw no_number{};
        std::vector<printed_value> list;
        if (at("(") || at("[") || at("{") || at("\\{")) {
            const std::string_view close = at("(") ? ")" : at("[") ? "]" : at("{") ? "}" : "\\}";
            ++now_;
            const auto [first, last] = group(close);
            list = entries_of(first, last);
        } else {
            list.push_back(factor());
            if (!ends_term() && !at("cdot") && !at("times")) throw no_number{};
        }
        printed_value value = applied(word, list);
        if (has_base) value = product(value, inverse(mapped(base, real_function::log)));
        return powered(std::move(value));
    }

    const printed_token* now_;
    const printed_token* last_;
    const known_names& known_;
    bool mixed_;
    int depth_;
};

}  // namespace

std::optional<printed_value> calculate(const std::vector<printed_token>& side,
                                       const known_names& known, bool mixed) {
    if (side.empty()) return std::nullopt;
    try {
        return calculator(side.data(), side.data() + side.size(), known, mixed, 0).run();
    } catch (const no_number&) {
        return std::nullopt;
    }
}

}  // namespace ricci::judge
