// Pages have the verdicts that are right: nothing true is refuted, nothing false is proved.
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/check/pages.hpp"

namespace {

using namespace ricci::testing;

struct tally {
    int statements = 0, mistakes = 0, found = 0;
    std::map<std::string, int> verdicts;  // of statements without a mistake
};

void count(const expected_verdict& e, const std::string& verdict, tally& all) {
    ++all.statements;
    if (e.mistake) ++all.mistakes, all.found += verdict == "refuted" || verdict == "suspect";
    else ++all.verdicts[verdict];
}

void judge_page(const page_file& page, tally& all) {
    std::map<int, std::vector<ricci::papers::finding>> found;
    for (const auto& f : findings_in(page.text, page.name)) found[f.where.line].push_back(f);
    for (const auto& [line, list] : found) {
        INFO(page.name << ":" << line << ": " << list.front().equation);
        const auto expected = page.expected.find(line);
        REQUIRE(expected != page.expected.end());
        REQUIRE(list.size() == expected->second.size());
        for (std::size_t k = 0; k < list.size(); ++k) {
            const expected_verdict& e = expected->second[k];
            const std::string verdict = ricci::papers::word_of(list[k].verdict);
            INFO(list[k].equation << " is " << verdict << ": " << list[k].words);
            CHECK(("|" + e.verdicts + "|").find("|" + verdict + "|") != std::string::npos);
            count(e, verdict, all);
        }
    }
    CHECK(found.size() == page.expected.size());
}

TEST_CASE("pages have the verdicts that are right") {
    const auto pages = all_pages();
    REQUIRE(pages.size() >= 20);
    tally all;
    for (const page_file& page : pages) judge_page(page, all);
    CHECK(all.verdicts["refuted"] == 0);
    CHECK(10 * all.found >= 8 * all.mistakes);
    if (!std::getenv("RICCI_SAY")) return;
    std::ostringstream said;
    for (const auto& [verdict, number] : all.verdicts) said << ", " << number << " " << verdict;
    WARN(pages.size() << " pages, " << all.statements << " statements" << said.str() << ", "
                      << all.mistakes << " mistakes, " << all.found << " found");
}

}  // namespace
