// Networks in files: small ones by hand, whose values are known by going through all assignments,
// and every malformed one with its sentence.
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <ricci/network_files.hpp>

#include "tests/catch.hpp"
#include "tests/files/folder.hpp"
#include "tests/files/refusal.hpp"
#include "tests/unit/network/brute_force.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using numbers = std::vector<std::int64_t>;

network loaded(const std::string& name, const std::string& text) {
    const temporary_folder folder;
    write_text(folder / name, text);
    return load_network(folder / name);
}

// What a file is refused with, without "ricci: FILE: ".
std::string refused_network(const std::string& name, const std::string& text) {
    const temporary_folder folder;
    write_text(folder / name, text);
    const std::string words = words_of([&] { load_network(folder / name); });
    return words.empty() ? words : without_file(words, folder / name);
}

double value_of(const network& n) { return brute_force(n).at(0); }

// The sum of the weights of all assignments that make clauses true.
double weighted_count(int variables, const std::vector<std::vector<int>>& clauses,
                      const std::vector<double>& no, const std::vector<double>& yes) {
    double sum = 0;
    for (unsigned bits = 0; bits < 1U << variables; ++bits) {
        const auto is_true = [&](int l) { return ((bits >> (std::abs(l) - 1)) & 1) == (l > 0); };
        double weight = 1;
        for (int v = 1; v <= variables; ++v)
            weight *= (is_true(v) ? yes : no)[static_cast<std::size_t>(v)];
        for (const auto& clause : clauses) {
            bool some = false;
            for (const int l : clause) some = some || is_true(l);
            if (!some) weight = 0;
        }
        sum += weight;
    }
    return sum;
}

const std::string small_model =
    "MARKOV\n3\n2 2 3\n3\n1 0\n2 0 1\n2 1 2\n\n2\n 0.4 0.6\n\n4\n 0.3 0.7\n 0.2 0.8\n\n6\n"
    " 1 2 3\n 4.5 5e0 +6\n";

}  // namespace

TEST_CASE("a graphical model is the sum over its variables") {
    const network n = loaded("small.uai", small_model);
    CHECK(n.size() == 3);
    CHECK(n.indices(2) == numbers{1, 2});
    CHECK(n.type() == element::f64);
    double right = 0;
    const double a[] = {0.4, 0.6}, b[2][2] = {{0.3, 0.7}, {0.2, 0.8}},
                 c[2][3] = {{1, 2, 3}, {4.5, 5, 6}};
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
            for (int z = 0; z < 3; ++z) right += a[x] * b[x][y] * c[y][z];
    CHECK(value_of(n) == Approx(right));
    // the kind says nothing more, a variable of no factor counts, and so does a factor of none
    const network other = loaded("x.UAI", "bayes 3 2 5 2 2 2 2 0 0 4 1 2 3 4 1 0.5");
    CHECK(value_of(other) == Approx(10 * 5 * 0.5));
    CHECK(other.indices(2) == numbers{1});
}

TEST_CASE("a product of nothing is 1") {
    CHECK(value_of(loaded("empty.uai", "MARKOV 0 0")) == 1);
    CHECK(value_of(loaded("empty.cnf", "p cnf 0 0")) == 1);
    CHECK(value_of(loaded("false.cnf", "p cnf 0 1 0")) == 0);
    const temporary_folder folder;
    write_text(folder / "free.uai", "MARKOV 1 3 0");
    write_text(folder / "free.evid", "1 0 2");
    CHECK(value_of(load_network(folder / "free.uai")) == 3);
    CHECK(value_of(load_network(folder / "free.uai", folder / "free.evid")) == 1);
}

TEST_CASE("a variable without a table takes no memory for its places") {
    const network n = loaded("x.uai", "MARKOV 2 2000000000 2000000000 0");
    CHECK(n.size() == 2);
    CHECK(n.extent(1) == 2000000000);
    CHECK(n.operand(1).strides()[0] == 0);
}

TEST_CASE("evidence fixes variables") {
    const temporary_folder folder;
    write_text(folder / "m.uai", small_model);
    const auto value_with = [&](const std::string& evidence) {
        write_text(folder / "m.evid", evidence);
        return value_of(load_network(folder / "m.uai", folder / "m.evid"));
    };
    const double y0 = 0.4 * 0.3 + 0.6 * 0.2, y1 = 0.4 * 0.7 + 0.6 * 0.8;
    CHECK(value_with("1 2 1") == Approx(y0 * 2 + y1 * 5));
    CHECK(value_with("1\n1 2 1\n") == Approx(y0 * 2 + y1 * 5));  // one sample
    CHECK(value_with("2 2 1 1 0") == Approx(y0 * 2));
    CHECK(value_with("3 0 1 1 0 2 2") == Approx(0.6 * 0.2 * 3));
    CHECK(value_with("") == Approx(y0 * 6 + y1 * 15.5));
    CHECK(value_with("0") == Approx(y0 * 6 + y1 * 15.5));
    CHECK(value_with("1 0") == Approx(y0 * 6 + y1 * 15.5));
    const network n = load_network(folder / "m.uai", folder / "m.evid");
    write_text(folder / "m.evid", "1 1 0");
    CHECK(load_network(folder / "m.uai", folder / "m.evid").indices() == numbers{0, 2});

    const auto refused_evidence = [&](const std::string& evidence) {
        write_text(folder / "m.evid", evidence);
        return without_file(words_of([&] { load_network(folder / "m.uai", folder / "m.evid"); }),
                            folder / "m.evid");
    };
    CHECK(refused_evidence("1 3 0") == "it observes variable 3, and the model has 3 variables");
    CHECK(refused_evidence("1 0 2") == "it observes variable 0 in place 2, and it has 2 places");
    CHECK(refused_evidence("2 0 1 0 0") == "it observes variable 0 in places 1 and 0");
    CHECK(refused_evidence("2 1 0 1 1 1") == "it has 2 samples, and a network is of one");
    CHECK(refused_evidence("2 0 1") ==
          "it says that it has 2 observations, and 2 numbers follow, not two for each");
    CHECK(refused_evidence("1 0\nx") == "line 2: a number should stand where x does");
    CHECK(words_of([&] { load_network(folder / "m.json", folder / "m.evid"); }) ==
          "ricci: " + (folder / "m.json").string() +
              ": evidence is of .uai models, and its name does not end so.");
}

TEST_CASE("malformed models get one sentence with the line") {
    CHECK(refused_network("x.uai", "") == "line 1: it ends where MARKOV or BAYES should stand");
    CHECK(refused_network("x.uai", "LOGIC\n1") ==
          "line 1: a model begins with MARKOV or BAYES, not LOGIC");
    CHECK(refused_network("x.uai", "MARKOV\n2\n2 0\n") ==
          "line 3: a variable's number of places is 0, and has to be from 1 to 2147483647");
    CHECK(refused_network("x.uai", "MARKOV\n2\n2 2\n1\n2 0 2") ==
          "line 5: a variable of a factor is 2, and has to be from 0 to 1");
    CHECK(refused_network("x.uai", "MARKOV\n2\n2 2\n1\n2 1 1") ==
          "line 5: factor 0 has variable 1 twice");
    CHECK(refused_network("x.uai", "MARKOV\n2\n2 2\n1\n1 0\n3 1 1 1") ==
          "line 6: the table of factor 0 has 3 entries, and its variables' places make 2");
    CHECK(refused_network("x.uai", "MARKOV\n2\n2 2\n1\n1 0\n2\n1  \n") ==
          "line 8: it ends where an entry of a table should stand");
    CHECK(refused_network("x.uai", "MARKOV\n1\n2\n1\n1 0\n2\n1 y") ==
          "line 7: an entry of a table should stand where y does");
    CHECK(refused_network("x.uai", "MARKOV\n1\n2\n1\n1 0\n2\n1 1\n7") ==
          "line 8: 7 stands after the last table");
    CHECK(refused_network("x.uai", "MARKOV\n1\n2000000000\n1\n1 0\n2000000000 1 1") ==
          "line 6: the table of factor 0 has 2000000000 entries, and the file ends before them");
}

TEST_CASE("a formula's network counts what makes it true") {
    const network n =
        loaded("f.cnf", "c a comment\np cnf 4 3\n1 -2 0 2\n 3 0\n-1 -3 0\nc p weighty\n");
    // variable 4 is in no clause: both of its values count
    CHECK(value_of(n) ==
          weighted_count(4, {{1, -2}, {2, 3}, {-1, -3}}, {0, 1, 1, 1, 1}, {0, 1, 1, 1, 1}));
    CHECK(value_of(loaded("f.cnf", "p cnf 1 1\n0\n")) == 0);
    CHECK(value_of(loaded("f.cnf", "p cnf 2 2\n1 -1 0\n2 2 0\n")) == 2);
    CHECK(value_of(loaded("f.cnf", "p cnf 3 0\n")) == 8);
    CHECK(value_of(loaded("f.cnf", "p cnf 1 1\n-1 0\n%\n0\n")) == 1);
}

TEST_CASE("random formulas with long clauses and weights") {
    std::mt19937 random(2);
    for (int round = 0; round < 60; ++round) {
        const int variables = 3 + static_cast<int>(random() % 6);
        std::vector<std::vector<int>> clauses(1 + random() % 3);
        std::string text;
        for (auto& clause : clauses) {
            const int size = 1 + static_cast<int>(random() % (round % 3 == 0 ? 16 : 4));
            for (int k = 0; k < size; ++k) {
                const int v = 1 + static_cast<int>(random() % static_cast<unsigned>(variables));
                clause.push_back(random() % 3 == 0 ? -v : v);
                text += std::to_string(clause.back()) + " ";
            }
            text += "0\n";
        }
        std::vector<double> no(10, 1), yes(10, 1);
        std::string weights;
        for (int v = 1; v <= variables; ++v) {
            const auto at = static_cast<std::size_t>(v);
            const unsigned how = random() % 4;
            if (how == 0) continue;
            yes[at] = 0.25;
            no[at] = how == 1 ? 3 : 0.75;
            weights += "c p weight " + std::to_string(v) + (how == 3 ? " 1/4 0\n" : " 0.25 0\n");
            if (how == 1) weights += "c p weight -" + std::to_string(v) + " 3 0\n";
        }
        const network n =
            loaded("f.cnf", "c t wmc\n" + weights + "p cnf " + std::to_string(variables) + " " +
                                std::to_string(clauses.size()) + "\n" + text);
        CHECK(value_of(n) == Approx(weighted_count(variables, clauses, no, yes)));
    }
}

TEST_CASE("a clause of 20 literals is several tensors") {
    std::string clause;
    for (int v = 1; v <= 20; ++v) clause += std::to_string(v % 2 == 0 ? v : -v) + " ";
    const network n = loaded("f.cnf", "p cnf 20 1\n" + clause + "0\n");
    for (std::size_t k = 0; k < n.size(); ++k) CHECK(n.operand(k).size() <= 256);
    // what satisfies it is counted by fixing all but three variables
    CHECK(n.indices().size() > 20);
    const std::set<std::int64_t> all = [&] {
        const numbers list = n.indices();
        return std::set<std::int64_t>(list.begin(), list.end());
    }();
    for (std::int64_t v = 1; v <= 20; ++v) CHECK(all.count(v) == 1);
}

TEST_CASE("malformed formulas get one sentence with the line") {
    CHECK(refused_network("x.cnf", "") == "line 1: there is no line \"p cnf\"");
    CHECK(refused_network("x.cnf", "1 2 0") == "line 1: a clause stands before the line \"p cnf\"");
    CHECK(refused_network("x.cnf", "p sat 1 1") == "line 1: the problem is sat, not cnf");
    CHECK(refused_network("x.cnf", "p cnf 2 1\np cnf 2 1") ==
          "line 2: a second line begins with p");
    CHECK(refused_network("x.cnf", "p cnf 2 1\n1 3 0") ==
          "line 2: literal 3 is of no variable: there are 2");
    CHECK(refused_network("x.cnf", "p cnf 2 1\n1 x 0") ==
          "line 2: a literal should stand where x does");
    CHECK(refused_network("x.cnf", "p cnf 2 1\n1 2") ==
          "line 2: the last clause has no 0 at its end");
    CHECK(refused_network("x.cnf", "p cnf 2 2\n1 2 0") ==
          "line 2: there are 1 clauses, and \"p cnf\" says 2");
    CHECK(refused_network("x.cnf", "p cnf 2 1\n1 0\n2 0") ==
          "line 3: there are more clauses than 1");
    CHECK(refused_network("x.cnf", "p cnf 2 1\nc p weight 0 1 0") ==
          "line 2: a literal should stand where 0 does");
    CHECK(refused_network("x.cnf", "p cnf 2 1\nc p weight 1 one 0") ==
          "line 2: a weight should stand where one does");
    CHECK(refused_network("x.cnf", "p cnf 2 0\nc p weight 1 1/0 0") ==
          "line 2: a weight should stand where 1/0 does");
    CHECK(refused_network("x.cnf", "p cnf 2 0\nc p weight 1 .5 0\nc p weight 1 .25 0") ==
          "line 3: literal 1 has weights 0.5 and 0.25");
    CHECK(refused_network("x.cnf", "p cnf 2 0\nc p weight 3 .5 0\n") ==
          "line 2: variable 3 has a weight, and there are 2");
    CHECK(refused_network("x.cnf", "p cnf 2 0\nc p weight 1 7 0\n") ==
          "line 2: one literal of variable 1 has weight 7, and the other none");
    CHECK(refused_network("x.cnf", "p cnf 2 0\nc p weight 1\n") ==
          "line 2: the line ends where a weight should stand");
    const std::string least = "-9223372036854775808";  // has no absolute value
    CHECK(refused_network("x.cnf", "p cnf 2 1\n" + least + " 0") ==
          "line 2: literal " + least + " is of no variable: there are 2");
    CHECK(refused_network("x.cnf", "p cnf 2 0\nc p weight " + least + " 1 0") ==
          "line 2: a literal should stand where " + least + " does");
    CHECK_FALSE(refused_network("x.cnf", "c t pmc\np cnf 1 0\n").empty());
    CHECK_FALSE(refused_network("x.cnf", "p cnf 1 0\nc p show 1 0\n").empty());
    CHECK(refused_network("x.cnf", "c t mc\np cnf 1 0\nc p show 1 0\n").empty());
}

TEST_CASE("networks of other programs are read as shapes") {
    const network a = loaded("a.json", R"({"einsum": {"ixs": [[1, 2], [2, -3], [2]], "iy": [-3, 1]},
                      "size": {"2": 4, "1": 3, "-3": 5, "77": 1}})");
    CHECK(a.size() == 3);
    CHECK(a.is_shape());
    CHECK(a.indices(1) == numbers{2, -3});
    CHECK(a.kept() == numbers{-3, 1});
    CHECK(a.extent(-3) == 5);
    const network b = loaded(
        "b.json",
        R"({"size_dict": {"a": 2, "\u00e9": 3}, "output": ["a"], "inputs": [["a", "é"], ["é", "é"], []]})");
    CHECK(b.indices(1) == numbers{0xe9, 0xe9});
    CHECK(b.kept() == numbers{'a'});
    CHECK(b.extent(0xe9) == 3);
    const network c = loaded(
        "c.json",
        R"({"inputs": [["x1", "x2"], ["x2", "y"]], "output": [], "size_dict": {"x1": 2, "x2": 3, "y": 4}})");
    CHECK(c.indices() == numbers{0, 1, 2});
    CHECK(c.extent(2) == 4);
    const network d = loaded(
        "d.json",
        R"({"name": "d", "format_string": "ab,bc->ca", "shapes": [[2, 3], [3, 4]], "dtype": "complex128",
                      "format_string_colmajor": "x", "paths": {}})");
    CHECK(d.kept() == numbers{'c', 'a'});
    CHECK(d.type() == element::c128);
}

TEST_CASE("networks of other programs are refused in one sentence") {
    CHECK(refused_network("x.json", "{\n\"inputs\": [[1, 2], [\n\"a\"]]}") ==
          "line 3: labels are numbers or texts, not both");
    CHECK(refused_network("x.json", "{\"x\": 1}") ==
          "it has no network, which is given by \"einsum\", \"inputs\" or \"format_string\"");
    CHECK(refused_network("x.json", "[]") == "line 1: there should be an object");
    CHECK(refused_network("x.json", R"({"inputs": [[1]], "output": []})") ==
          "it lacks the extents of indices, \"size_dict\" or \"size\"");
    CHECK(refused_network("x.json", R"({"inputs": [[1]], "size": {"1": 2}})") ==
          "it lacks the labels of the result, \"output\" or \"iy\"");
    CHECK(refused_network("x.json", R"({"inputs": [[1, 2]], "output": [], "size": {"1": 2}})") ==
          "label 2 has no extent");
    CHECK(refused_network("x.json",
                          R"({"inputs": [["a"]], "output": ["b"], "size": {"a": 2, "b": 2}})") ==
          "index 98 is kept, and no tensor of the network has it");
    CHECK(refused_network("x.json", R"({"inputs": [[1]], "output": [], "size": {"1": -2}})") ==
          "line 1: an extent is below 0");
    CHECK(
        refused_network("x.json", R"({"inputs": [[1]], "output": [], "size": {"1": 2, "1": 3}})") ==
        "label 1 has extents 2 and 3");
    CHECK(refused_network("x.json", R"({"format_string": "a->", "shapes": [[2], [3]]})") ==
          "the text has 1 operand between commas, and 2 tensors are given");
    CHECK(refused_network("x.json", R"({"format_string": "a->"})") ==
          "it has a \"format_string\" and no \"shapes\"");
    CHECK(
        refused_network("x.json", R"({"format_string": "a->", "shapes": [[2]], "dtype": "str"})") ==
        "line 1: the element type str is not known");
    CHECK(refused_network("x.txt", "") ==
          "its name ends in none of .uai, .cnf and .json, which say what a network is in");
    CHECK_FALSE(words_of([] { load_network("/nowhere/x.uai"); }).empty());
}

TEST_CASE("files with a byte changed, or cut, are networks or refused in a sentence") {
    const std::pair<const char*, std::string> whole[] = {
        {"x.uai", small_model},
        {"x.cnf", "c t wmc\np cnf 4 3\nc p weight 1 1/4 0\n1 -2 0\n2 3 4 0\n-4 0\n"},
        {"x.json",
         R"({"einsum": {"ixs": [[1, 2], [2, 3]], "iy": [3]}, "size": {"1": 2, "2": 3, "3": 4}})"},
        {"y.json",
         R"({"inputs": [["a", "\u00e9"], ["é"]], "output": ["a"], "size_dict": {"a": 2, "é": 3}})"},
        {"z.json",
         R"({"format_string": "ab,bc->ca", "shapes": [[2, 3], [3, 4]], "dtype": "float32"})"},
    };
    const temporary_folder folder;
    std::size_t refused = 0, read = 0;
    const auto look = [&](const char* name, const std::string& text) {
        write_text(folder / name, text);
        const std::string words = words_of([&] { load_network(folder / name); });
        if (words.empty()) ++read;
        else ++refused;
        if (!words.empty())
            REQUIRE(without_file(words, folder / name).substr(0, 11) != "NO SENTENCE");
    };
    for (const auto& [name, text] : whole)
        for (std::size_t k = 0; k < text.size(); ++k) {
            look(name, text.substr(0, k));
            for (const char c : {'0', '9', '-', ' ', '\n', '"', ']', '{', 'x', '\xff', '\0'}) {
                std::string other = text;
                other[k] = c;
                look(name, other);
            }
        }
    CHECK(refused > 1000);
    CHECK(read > 100);
}
