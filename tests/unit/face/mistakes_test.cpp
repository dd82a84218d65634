// Mistakes at run time: ricci::parse and ricci::error say the words that the compiler says. The
// cases are those of tests/compile_fail.
#include "tests/catch.hpp"
#include "tests/source_file.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

namespace {

using namespace ricci::literals;

/// The lines of one case under each of its words: kind, with, wrong, says, right.
using table_case = std::map<std::string, std::string>;

std::vector<table_case> read_table(const char* name) {
    const auto folder =
        ricci::testing::source_file(__FILE__).parent_path().parent_path().parent_path();
    std::ifstream in(folder / "compile_fail" / name);
    std::vector<table_case> out(1);
    for (std::string line; std::getline(in, line);) {
        if (line.empty()) {
            if (!out.back().empty()) out.emplace_back();
            continue;
        }
        const auto gap = line.find(' ');
        if (line[0] == '#' || gap == std::string::npos) continue;
        std::string& text = out.back()[line.substr(0, gap)];
        text += (text.empty() ? "" : "\n") + line.substr(line.find_first_not_of(' ', gap));
    }
    if (out.back().empty()) out.pop_back();
    return out;
}

const std::map<std::string, ricci::ir::mistake_kind> kinds = {
    {"unexpected", ricci::ir::mistake_kind::unexpected},
    {"unknown_command", ricci::ir::mistake_kind::unknown_command},
    {"unknown_function", ricci::ir::mistake_kind::unknown_function},
    {"unbalanced", ricci::ir::mistake_kind::unbalanced},
    {"index_once", ricci::ir::mistake_kind::index_once},
    {"index_missing", ricci::ir::mistake_kind::index_missing},
    {"index_shadowed", ricci::ir::mistake_kind::index_shadowed},
    {"index_repeated", ricci::ir::mistake_kind::index_repeated},
    {"rank", ricci::ir::mistake_kind::rank},
    {"defined_twice", ricci::ir::mistake_kind::defined_twice},
    {"cycle", ricci::ir::mistake_kind::cycle},
    {"claim", ricci::ir::mistake_kind::claim},
    {"index_free", ricci::ir::mistake_kind::index_free},
};

/// What a call throws; empty when it is carried out.
template <class Call>
std::string refusal(Call&& call) {
    try {
        call();
    } catch (const ricci::error& e) {
        return e.what();
    }
    return "";
}
bool is_said(const std::vector<table_case>& table, const std::string& words) {
    for (const auto& c : table)
        if (words.find(c.at("says")) != std::string::npos) return true;
    return false;
}

}  // namespace

TEST_CASE("a text with a mistake is refused in the compiler's words", "[mistakes]") {
    const auto table = read_table("texts.txt");
    REQUIRE(table.size() > 60);
    std::set<std::string> met;
    for (const auto& c : table) {
        INFO(c.at("wrong"));
        const auto wrong = ricci::parse(c.at("wrong"));
        REQUIRE(!wrong.has_value());
        INFO(wrong.error().message);
        CHECK(wrong.error().message.find(c.at("says")) != std::string::npos);
        REQUIRE(kinds.count(c.at("kind")) == 1);
        CHECK(wrong.error().kind == kinds.at(c.at("kind")));
        met.insert(c.at("kind"));
        const auto right = ricci::parse(c.at("right"));
        CHECK((right.has_value() ? "" : right.error().message) == "");
    }
    CHECK(met.size() == kinds.size());
}

TEST_CASE("shapes that do not fit are refused in the compiler's words", "[mistakes]") {
    const auto table = read_table("calls.txt");
    const ricci::tensor<float, 1> t3({3}), t4({4});
    const ricci::tensor<float, 2> t23({2, 3}), t33({3, 3}), t34({3, 4}), t44({4, 4});
    constexpr auto product = R"(Y^{ij} = A_{\text{left}}^{ik} B^{kj})"_eq;
    constexpr auto trace = R"(t = A^{ii})"_eq;
    constexpr auto split = R"(Y^{hia} = P^{i(ha)} B^{hi})"_eq;
    constexpr auto shifted = R"(Y^{i} = x^{i} z^{i+1})"_eq;
    constexpr auto fixed = R"(Y^{i} = x^{i3})"_eq;
    constexpr auto windows = R"(Y^{i} = x^{i+k} w^k)"_eq;
    constexpr auto back = ricci::value_and_gradient(windows, "Y"_t, ricci::wrt("x"_t));
    const std::string all[] = {
        refusal([&] { product("A_left"_t = t23, "B"_t = t44); }),
        refusal([&] { trace("A"_t = t34); }),
        refusal([&] { split("P"_t = t34, "B"_t = t33); }),
        refusal([&] { shifted("x"_t = t3, "z"_t = t3); }),
        refusal([&] { fixed("x"_t = t23); }),
        refusal([&] { back("x"_t = t4, "w"_t = t3, "dL/dY"_t = t3); }),
        refusal([&] { ricci::einsum<"ib,ba->ia">(t23, t44); }),
    };
    for (const auto& words : all) {
        INFO(words);
        CHECK(is_said(table, words));
    }
}
