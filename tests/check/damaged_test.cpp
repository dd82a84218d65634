// Statements one by one, without the page that they stand in, and damaged: tokens that are lost,
// doubled, exchanged, or come from another statement. Whatever is read, it is read the same way
// again, and nothing crashes. RICCI_SEED and RICCI_PROGRAMS say which are made, and how many.
#include <random>

#include "papers/paper_tokens.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/check/statements.hpp"
#include "tests/property/settings.hpp"

namespace {

using namespace ricci::testing;
using ricci::papers::tokens;

/// What stands in the displays of the table.
std::vector<std::string> statements() {
    std::vector<std::string> out;
    for (const statement_row& row : statement_table())
        for (std::size_t open = row.page.find("$$"); open != std::string::npos;) {
            const std::size_t close = row.page.find("$$", open + 2);
            if (close == std::string::npos) break;
            out.push_back(row.page.substr(open + 2, close - open - 2));
            open = row.page.find("$$", close + 2);
        }
    return out;
}

std::string all_said_of(const std::string& page) {
    std::string out;
    for (const auto& f : findings_in(page))
        out += std::string(ricci::papers::word_of(f.verdict)) + ": " + f.words + "\n";
    return out;
}

std::string damaged(const std::string& statement, const std::string& other, std::mt19937& random) {
    tokens list = ricci::papers::tokenise(statement, 0);
    const tokens from = ricci::papers::tokenise(other, 0);
    const auto any = [&](const tokens& some) {
        return static_cast<std::ptrdiff_t>(random() % some.size());
    };
    for (auto count = 1 + random() % 3; count > 0 && list.size() > 1 && !from.empty(); --count) {
        const auto at = any(list);
        switch (random() % 5) {
            case 0:
                list.erase(list.begin() + at);
                break;
            case 1:
                list.insert(list.begin() + at, list[static_cast<std::size_t>(any(list))]);
                break;
            case 2:
                std::swap(list[static_cast<std::size_t>(at)],
                          list[static_cast<std::size_t>(any(list))]);
                break;
            case 3:
                list[static_cast<std::size_t>(at)] = from[static_cast<std::size_t>(any(from))];
                break;
            default: {  // the rest of another one
                list.erase(list.begin() + at, list.end());
                list.insert(list.end(), from.begin() + any(from), from.end());
            }
        }
    }
    return ricci::papers::spelled(list);
}

TEST_CASE("statements by themselves are read without the page around them") {
    for (const std::string& one : statements()) {
        const std::string page = "$$" + one + "$$\n";
        INFO(page);
        const std::string said = all_said_of(page);
        if (!few()) CHECK(said == all_said_of(page));
    }
}

TEST_CASE("damaged statements are read without a crash") {
    const auto all = statements();
    for (unsigned k = 0; k < program_count(300); ++k) {
        std::mt19937 random(first_seed() + k);
        const std::string &one = all[random() % all.size()], &other = all[random() % all.size()];
        const std::string page = "$$" + damaged(one, other, random) + "$$\n";
        INFO("RICCI_SEED=" << first_seed() + k << " RICCI_PROGRAMS=1: " << page);
        CHECK(all_said_of(page) == all_said_of(page));
    }
}

}  // namespace
