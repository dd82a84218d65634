// Each row of the table of statements has the verdict that is right.
#include "tests/catch.hpp"
#include "tests/check/statements.hpp"

namespace {

using namespace ricci::testing;

TEST_CASE("statements have the verdicts that are right") {
    const auto table = statement_table();
    REQUIRE(table.size() > 50);
    for (const statement_row& row : table) {
        const last_finding last = last_of_page(row.page);
        INFO("line " << row.line << ": " << row.page << last.verdict << ": " << last.words);
        CHECK(row.allows(last.verdict));
    }
}

}  // namespace
