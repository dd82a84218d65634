// JSON read as it comes, and what is refused.
#include <functional>
#include <string>
#include <vector>

#include "src/base/json_reader.hpp"
#include "tests/catch.hpp"

using ricci::json_mistake;
using ricci::json_reader;

namespace {

std::string wrong_in(const std::string& text) {
    json_reader r(text);
    try {
        r.skip();
        r.end();
    } catch (const json_mistake& m) {
        return std::to_string(m.line) + ": " + m.words;
    }
    return {};
}

}  // namespace

TEST_CASE("JSON's values are read one after another") {
    json_reader r(R"( {"a": [1, -2, 30], "b" : {"c": "x\n\u00e9\ud834\udd1e\"", "d": []},
        "e": -1.5e2, "f": true, "g": null, "h": [[], [[7]]]} )");
    std::string key;
    r.begin_object();
    REQUIRE(r.next_key(key));
    CHECK(key == "a");
    std::vector<std::int64_t> numbers;
    for (r.begin_array(); r.next_element();) numbers.push_back(r.integer());
    CHECK(numbers == std::vector<std::int64_t>{1, -2, 30});
    REQUIRE(r.next_key(key));
    r.begin_object();
    REQUIRE(r.next_key(key));
    CHECK(r.text() == "x\n\xc3\xa9\xf0\x9d\x84\x9e\"");
    REQUIRE(r.next_key(key));
    r.begin_array();
    CHECK_FALSE(r.next_element());
    CHECK_FALSE(r.next_key(key));
    REQUIRE(r.next_key(key));
    CHECK(r.next() == json_reader::kind::number);
    CHECK(r.number() == -150);
    REQUIRE(r.next_key(key));
    CHECK(r.boolean());
    REQUIRE(r.next_key(key));
    CHECK(r.next() == json_reader::kind::null);
    r.skip();
    REQUIRE(r.next_key(key));
    CHECK(key == "h");
    r.skip();
    CHECK_FALSE(r.next_key(key));
    r.end();
}

TEST_CASE("what JSON allows is passed over") {
    for (const char* text : {"1", "\"\"", "[]", "{}", "[1,2]", " [ { } , [ ] ] ", "0", "-0.5E+10",
                             "true", "false", "{\"a\":{\"b\":[{\"c\":1}]},\"d\":2}"})
        CHECK(wrong_in(text).empty());
    // nesting takes no stack
    CHECK(wrong_in(std::string(200000, '[') + std::string(200000, ']')).empty());
}

TEST_CASE("what JSON does not allow is refused with its line") {
    for (const char* text :
         {"",      "[1,]",    "[,1]",        "[1 2]",       "{\"a\":1,}",  "{\"a\" 1}",
          "{a:1}", "[1",      "{",           "\"x",         "01",          "1.",
          ".5",    "+1",      "1e",          "-",           "tru",         "nul",
          "[1]]",  "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"a\tb\"",
          "// 1",  "NaN",     "{1:2}"}) {
        INFO(text);
        CHECK_FALSE(wrong_in(text).empty());
    }
    CHECK(wrong_in("[1,\n\n2 3]") == "3: there should be \",\" or \"]\"");
    json_reader wide("123456789012345678901234567890");
    CHECK_THROWS_AS(wide.integer(), json_mistake);
    json_reader part("1.5");
    CHECK_THROWS_AS(part.integer(), json_mistake);
    json_reader beyond("1e999");
    CHECK_THROWS_AS(beyond.number(), json_mistake);
}
