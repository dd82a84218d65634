// Numbers found by a hash: of things that share it, too, and of many.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.hpp"

#include "src/base/hashed_numbers.hpp"

namespace {

/// Words with numbers, found by a hash that may be a bad one.
template <class Hash>
void check_words(Hash hash) {
    std::vector<std::string> words;
    ricci::hashed_numbers numbers;
    const auto number_of = [&](const std::string& word) {
        return numbers.find(
            hash(word), [&](std::int32_t k) { return words[static_cast<std::size_t>(k)] == word; });
    };
    CHECK(number_of("0") == -1);
    for (int k = 0; k < 1000; ++k) {
        const auto word = std::to_string(k);
        REQUIRE(number_of(word) == -1);
        numbers.insert(hash(word), k);
        words.push_back(word);
        REQUIRE(number_of(word) == k);
    }
    const auto copy = numbers;
    numbers = {};
    CHECK(number_of("7") == -1);
    numbers = copy;
    for (int k = 0; k < 1000; ++k) REQUIRE(number_of(std::to_string(k)) == k);
    CHECK(number_of("1000") == -1);
}

}  // namespace

TEST_CASE("numbers are found by a hash") {
    check_words([](const std::string& word) { return std::hash<std::string>()(word); });
}

TEST_CASE("numbers are found where many have one hash, or places near each other") {
    check_words([](const std::string&) { return std::uint64_t{17}; });
    check_words([](const std::string& word) { return std::uint64_t{word.size()}; });
    // All high bits: places at the end of the table, and on from its beginning.
    check_words([](const std::string& word) { return ~std::uint64_t{word.size()}; });
}
