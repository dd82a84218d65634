// Mistakes planted into what the table of statements says is proved, and into what is proved on the
// pages: a sign, a factor, a transposition, a bound, an exponent, a lost term. None of them is
// proved, and most are found.
#include <algorithm>
#include <iterator>
#include <set>

#include "papers/paper_tokens.hpp"
#include "tests/catch.hpp"
#include "tests/check/pages.hpp"
#include "tests/few.hpp"

namespace {

using namespace ricci;
using namespace ricci::testing;
using papers::token;
using papers::token_kind;
using papers::tokens;

struct planted {
    std::string kind, side;
};

token token_of(const std::string& text) { return papers::tokenise(text, 0).front(); }

/// The places of the signs between the terms of a side.
std::vector<std::size_t> signs_of(const tokens& side) {
    std::vector<std::size_t> out;
    int depth = 0;
    for (std::size_t k = 0; k < side.size(); ++k) {
        if (papers::opens(side[k]) || side[k].is("\\left(")) ++depth;
        if (papers::closes(side[k])) --depth;
        const bool binary = k > 0 && !side[k - 1].is("\\cdot") && !side[k - 1].is("\\times");
        if (depth == 0 && binary && (side[k].is("+") || side[k].is("-"))) out.push_back(k);
    }
    return out;
}

void plant_signs(const tokens& side, std::vector<planted>& out) {
    out.push_back({"sign", "-(" + papers::spelled(side) + ")"});
    for (const std::size_t k : signs_of(side)) {
        tokens other = side;
        other[k] = token_of(side[k].is("+") ? "-" : "+");
        out.push_back({"sign", papers::spelled(other)});
    }
}

void plant_factors(const tokens& side, std::vector<planted>& out) {
    out.push_back({"factor", "2 (" + papers::spelled(side) + ")"});
    for (const std::size_t k : signs_of(side)) {
        tokens other = side;
        const tokens twice = papers::tokenise(" 2 \\cdot ", 0);
        other.insert(other.begin() + static_cast<std::ptrdiff_t>(k) + 1, twice.begin(),
                     twice.end());
        out.push_back({"factor", papers::spelled(other)});
    }
}

/// The terms of a side without one of them.
void plant_lost_terms(const tokens& side, std::vector<planted>& out) {
    std::vector<std::size_t> begins = signs_of(side);
    if (begins.empty()) return;
    begins.insert(begins.begin(), 0);
    for (std::size_t k = 0; k < begins.size(); ++k) {
        const std::size_t end = k + 1 < begins.size() ? begins[k + 1] : side.size();
        tokens other = side;
        other.erase(other.begin() + static_cast<std::ptrdiff_t>(begins[k]),
                    other.begin() + static_cast<std::ptrdiff_t>(end));
        if (other.front().is("+")) other.erase(other.begin());
        out.push_back({"lost term", papers::spelled(other)});
    }
}

void plant_in_scripts(const tokens& side, std::vector<planted>& out) {
    const auto is_letter = [](const token& t) {
        return t.kind == token_kind::letter || (t.is_command() && !t.is("\\frac"));
    };
    for (std::size_t k = 0; k + 1 < side.size(); ++k) {
        const bool up = side[k].kind == token_kind::up;
        if (!up && side[k].kind != token_kind::down) continue;
        const std::size_t first = k + 1 + (side[k + 1].kind == token_kind::open);
        tokens other = side;
        if (up && side[first].is("2")) {
            other[first] = token_of("3");
            out.push_back({"exponent", papers::spelled(other)});
        }
        const bool pair = first == k + 2 && first + 2 < side.size() && is_letter(side[first]) &&
                          is_letter(side[first + 1]) && side[first + 2].kind == token_kind::close;
        if (pair && side[first].text != side[first + 1].text && !side[k - 1].is("\\sum") &&
            !side[k - 1].is("\\delta")) {
            std::swap(other[first], other[first + 1]);
            out.push_back({"transposition", papers::spelled(other)});
        }
    }
}

void plant_bounds(const tokens& side, std::vector<planted>& out) {
    for (std::size_t k = 0; k < side.size(); ++k) {
        const std::string &was = side[k].text, now = was == "\\le"   ? "<"
                                                     : was == "<"    ? "\\le"
                                                     : was == "\\ge" ? ">"
                                                     : was == ">"    ? "\\ge"
                                                                     : "";
        if (now.empty()) continue;
        tokens other = side;
        other[k] = token_of(now);
        out.push_back({"bound", papers::spelled(other)});
    }
}

/// The pages with one mistake in the last side of their last statement.
std::vector<planted> mistakes_in(const std::string& page) {
    const std::size_t close = page.rfind("$$"), begin = page.rfind("$$", close - 1) + 2;
    const std::string statement = page.substr(begin, close - begin);
    const tokens all = papers::tokenise(statement, 0);
    auto sign = all.end();  // of the last side, no bound of a sum
    int depth = 0;
    for (auto t = all.begin(); t != all.end(); ++t) {
        depth += papers::opens(*t) - papers::closes(*t);
        if (depth == 0 && (t->is("=") || t->is("\\approx"))) sign = t;
    }
    if (sign == all.end()) return {};
    const tokens side(std::next(sign), all.end());
    if (side.size() == 1 && side[0].is("0")) return {};
    std::vector<planted> out;
    plant_signs(side, out);
    plant_factors(side, out);
    plant_lost_terms(side, out);
    plant_in_scripts(side, out);
    plant_bounds(side, out);
    const std::string before =
        page.substr(0, begin) + statement.substr(0, sign->at) + sign->text + " ";
    for (planted& p : out) p.side = before + p.side + page.substr(close);
    return out;
}

/// Spaces say nothing in what is planted.
std::string without_spaces(std::string page) {
    std::erase(page, ' ');
    return page;
}

struct shares {
    int planted = 0, found = 0, conditional = 0;
    void check() const {
        INFO(planted << " planted, " << found << " found, " << conditional << " conditional");
        CHECK(10 * found >= 8 * planted);
        CHECK(20 * conditional <= planted);
        if (std::getenv("RICCI_SAY"))
            WARN(planted << " planted, " << found << " found, " << conditional << " conditional");
    }
};

void judge_mistake(const planted& p, const std::string& file, int line, shares& all) {
    const last_finding last = last_of_page(p.side, file);
    INFO(file << ", line " << line << ", " << p.kind << ": " << p.side << last.verdict << ": "
              << last.words);
    CHECK(last.verdict != "proved");
    const bool is_found = last.verdict == "refuted" || last.verdict == "suspect";
    ++all.planted;
    all.found += is_found;
    all.conditional += last.verdict == "conditional";
    if (!is_found && std::getenv("RICCI_SAY"))
        WARN(file << ", line " << line << ", " << p.kind << ": "
                  << p.side.substr(p.side.rfind("$$", p.side.size() - 4)) << last.verdict << ": "
                  << last.words);
}

TEST_CASE("mistakes that are planted into proved statements are found") {
    const auto table = statement_table();
    std::set<std::string> known;
    for (const statement_row& row : table) known.insert(without_spaces(row.page));
    shares all;
    for (const statement_row& row : table) {
        if (row.verdicts != "proved" || row.page.find("\\approx") != std::string::npos) continue;
        for (const planted& p : mistakes_in(row.page))
            if (known.count(without_spaces(p.side)) == 0)  // the table says what it is
                judge_mistake(p, "page.md", row.line, all);
    }
    all.check();
}

TEST_CASE("mistakes that are planted into what pages prove are found") {
    shares all;
    std::size_t number = 0;
    for (const page_file& page : all_pages()) {
        if (ricci::testing::few() && number++ % 3 != 0) continue;
        for (const auto& f : findings_in(page.text, page.name)) {
            if (f.verdict != ricci::papers::verdict::proved ||
                f.equation.find("\\approx") != std::string::npos)
                continue;
            const std::string alone = page_until(page, f);
            if (last_of_page(alone, page.name).verdict != "proved") continue;
            // of each kind one: others are planted into the table
            std::set<std::string> kinds;
            if (page.is_symmetric(f.where.line)) kinds.insert("transposition");
            for (const planted& p : mistakes_in(alone))
                if (kinds.insert(p.kind).second) judge_mistake(p, page.name, f.where.line, all);
        }
    }
    all.check();
}

}  // namespace
