// Lists whose elements stay where they are.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "src/base/stable_list.hpp"

namespace {

using list = ricci::stable_list<std::string, 4>;

std::string word(std::size_t k) { return "the element number " + std::to_string(k); }

}  // namespace

TEST_CASE("elements stay where they are while a list grows, is moved, and a copy grows") {
    list all;
    std::vector<const std::string*> places;
    const auto grow = [&](std::size_t count) {
        while (all.size() < count) {
            const auto k = all.size();
            const std::string& made = all.push_back(word(k));
            REQUIRE(made == word(k));
            places.push_back(&made);
        }
    };
    grow(10);
    list copy = all;
    REQUIRE(copy.size() == 10);
    const std::string* const last = &copy[9];
    copy.push_back("another");
    CHECK(&copy[9] == last);
    CHECK(copy[10] == "another");
    grow(50);
    for (std::size_t k = 0; k < 50; ++k) {
        REQUIRE(&all[k] == places[k]);
        REQUIRE(std::as_const(all)[k] == word(k));
    }
    const list moved = std::move(all);
    CHECK(moved.size() == 50);
    CHECK(&moved[49] == places[49]);
    for (std::size_t k = 0; k < 10; ++k) REQUIRE(copy[k] == word(k));
    copy = moved;
    CHECK(copy.size() == 50);
    CHECK(copy[49] == word(49));
    CHECK(list().size() == 0);
}
