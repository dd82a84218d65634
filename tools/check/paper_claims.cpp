// Claims: what is set equal without defining a name, and the judgement of all.
#include "check/paper_reader.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "check/paper_sides.hpp"

namespace ricci::papers {

/// The first two sides as equations for one name, which has the indices that they leave open.
paper_reader::named_sides paper_reader::name_sides(const reading_of& r) const {
    std::vector<std::string> open;
    named_sides read;
    for (int k = 0; k < 8; ++k) {
        read.name = name_with("\\text{" + std::string(left_side) + "}", open);
        read.left = read_one(read.name + " = " + r.left());
        read.right = read.left.ok() ? read_one(read.name + " = " + r.sides[1].text) : read.left;
        if (read.left.ok() && read.right.ok()) break;
        const std::string letter = open_index_of(read.left.ok() ? read.right : read.left);
        if (letter.empty() || std::find(open.begin(), open.end(), letter) != open.end()) break;
        open.push_back(letter);
    }
    return read;
}

/// \sum_j A^{ij} = 1
bool paper_reader::read_relation(const statement& s, reading_of& r, const spelling_context& context,
                                 std::string& label) {
    const named_sides read = name_sides(r);
    const reading& wrong = read.left.ok() ? read.right : read.left;
    // \sigma_p^2: p is a label where nothing else has it
    const bool nowhere =
        wrong.words.find(" stands on the left and nowhere on the right") != std::string::npos;
    if (wrong.what == reading::trouble::rank || nowhere)
        if (label = letter_to_read_anew(wrong, context); !label.empty()) return false;
    if (!read.left.ok()) {
        say_trouble(s, r.kept, read.left);
        return true;
    }
    note_uses(s.at, read.left);
    if (!read.right.ok()) {
        // a constant beside what has indices is as good as a condition
        if (read.right.words.find("missing on the right") == std::string::npos)
            say_trouble(s, r.kept, read.right);
        else add(s.at, s.source, verdict::declares, "a condition on what stands in it");
        return true;
    }
    note_uses(s.at, read.right);
    add_relation(s, r, read);
    return true;
}

/// Each further side is claimed to be the same as the first.
void paper_reader::add_relation(const statement& s, const reading_of& r, const named_sides& read) {
    const tokens& first = r.kept.sides[0];
    // a derivative is claimed, whatever its indices; other expressions may be set equal
    const bool square_left = is_power(first) && !stands_again(r.kept) &&
                             !definitions_.find(name_at(first.begin(), first.end()).key);
    // in a chain each side is said to follow from the one before
    const bool follows = is_derivative(r.left()) || square_left || r.sides.size() > 2;
    const claim_kind kind = follows ? claim_kind::side : claim_kind::relation;
    // \sigma^2 = ... says what \sigma^2 is, and its further sides claim something
    const written_name root = name_at(first.begin(), first.end());
    const bool square = !is_single_name(r.left()) && !root.key.empty() && !root.indexed &&
                        root.end == first.end() && !definitions_.find(root.key) &&
                        !read.right.find(root.key) && s.condition.empty() &&
                        !read.right.names.empty();
    const std::string own = r.value + read.name + " = " + (square ? r.sides[1].text : r.left());
    const std::size_t number = add(s.at, s.source, square ? verdict::defines : verdict::proved,
                                   square ? spelled(first) : "");
    for (std::size_t k = square ? 2 : 1; k < r.sides.size(); ++k) {
        const std::string text = read.name + " = " + r.sides[k].text;
        const reading next = k == 1 ? read.right : read_one(text);
        if (!next.ok()) {
            note(number,
                 fmt::format("the side {} is not read: {}", spelled(r.kept.sides[k]), next.words));
            continue;
        }
        std::vector<used_name> names;
        for (const reading* one : {&read.left, &next})
            for (const used_name& u : one->names) {
                if (u.name != left_side) names.push_back(u);
            }
        claim& c = add_claim(kind, r, number, own, text, left_side, std::move(names));
        c.side = spelled(r.kept.sides[k]);
        c.own_names = square ? read.right.names : read.left.names;
        c.side_names = next.names;
    }
    if (!r.unread.empty()) note(number, r.unread);
}

namespace {

/// An equation with another right side, where it has the old one.
std::string with_side(const std::string& equation, const std::string& old, const std::string& by) {
    const std::string end = " = " + old;
    const bool has = equation.size() > end.size() &&
                     equation.compare(equation.size() - end.size(), end.size(), end) == 0;
    return has ? equation.substr(0, equation.size() - old.size()) + by : equation;
}

}  // namespace

claim& paper_reader::add_claim(claim_kind kind, const reading_of& r, std::size_t number,
                               std::string own, std::string text, std::string except,
                               std::vector<used_name> names) {
    claim c;
    c.kind = kind;
    c.finding = number;
    c.line = out_.findings[number].where.line;
    c.section = section_;
    c.own = std::move(own);
    c.text = std::move(text);
    c.except = std::move(except);
    c.names = std::move(names);
    for (std::size_t k = 0; k < r.sides.size(); ++k) {
        const std::string &now = r.sides[k].text, &other = r.imaginary[k];
        if (now == other || other.empty()) continue;
        if (c.second_text.empty()) c.second_own = c.own, c.second_text = c.text;
        c.second_own = with_side(c.second_own, now, other);
        c.second_text = with_side(c.second_text, now, other);
    }
    c.doubt = r.doubt;
    c.totals = r.totals;
    c.for_all = for_all_;
    // what stands in expressions that are differentiated
    if (!r.value.empty())
        for (const used_name& u : read_one(r.value).names)
            if (!u.defined) c.names.push_back(u);
    if (kind == claim_kind::derivative) {
        const used_name* left = r.first.find(r.first.left);
        if (const definition* d = left ? definitions_.find(left->numerator) : nullptr) {
            c.own_names = d->uses;
            c.side_names = c.names;
            // the derivative's own tensors are no new ones
            for (const used_name& u : c.names)
                if (u.derivative && u.numerator != left->numerator)
                    c.own_names.push_back({u.numerator, 0, false, false, {}, {}});
            if (c.side_names.empty()) c.side_names.push_back(*left);
        }
    }
    if (kind == claim_kind::derivative)
        if (const used_name* u = r.first.find(r.first.left))
            c.numerator = u->numerator, c.by = u->of;
    claims_.push_back(std::move(c));
    return claims_.back();
}

void paper_reader::judge_claims() {
    const claim_judge all(definitions_, facts_, names_);
    for (const claim& c : claims_) {
        const settled done = all.run(c);
        if (done.verdict == verdict::declares)
            facts_.conditions.push_back({c.line, c.section, all.inputs_of(c)});
        settle(c, done);
    }
    claims_.clear();
}

void paper_reader::settle(const claim& c, const settled& done) {
    static constexpr int weight[verdict_count] = {0, 1, 2, 6, 5, 4, 3, 7, 7};
    finding& f = out_.findings[c.finding];
    for (const judge::assumption& a : done.stated) facts_.assume(a);
    // what is not read is not proved
    if (done.verdict == verdict::proved && partly_.count(c.finding) > 0) return;
    if (f.verdict == verdict::defines && done.verdict == verdict::proved) {
        f.verdict = verdict::proved;
        f.words = fmt::format("defines {}; the rest follows", f.words);
        return;
    }
    // what is defined, and said to be something else as well, is defined all the same
    const bool further = f.verdict == verdict::defines && done.verdict == verdict::declares;
    const verdict now = further ? verdict::unproved : done.verdict;
    if (weight[static_cast<int>(now)] > weight[static_cast<int>(f.verdict)]) f.verdict = now;
    if (!done.words.empty()) note(c.finding, done.words);
}

}  // namespace ricci::papers
