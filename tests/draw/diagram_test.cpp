// What diagrams hold, and where their nodes stand.
#include <cmath>
#include <string>
#include <utility>

#include <ricci/program.hpp>

#include "draw/diagram.hpp"
#include "draw/layout.hpp"
#include "draw/svg.hpp"
#include "tests/catch.hpp"

namespace {

using namespace ricci::draw;

std::vector<diagram> drawn(const std::string& text) {
    const auto read = ricci::parse(text);
    REQUIRE(read);
    return diagrams_of(read->view());
}
int count(const diagram& d, shape s) {
    int all = 0;
    for (const node& n : d.nodes) all += n.shape == s;
    return all;
}
bool overlaps(const layout& l) {
    for (std::size_t a = 0; a < l.centres.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (std::fabs(l.centres[a].x - l.centres[b].x) < (l.sizes[a].x + l.sizes[b].x) / 2 &&
                std::fabs(l.centres[a].y - l.centres[b].y) < (l.sizes[a].y + l.sizes[b].y) / 2)
                return true;
    return false;
}

TEST_CASE("sums are lines, and open indices legs") {
    const diagram d = drawn("C^{ij} = A^{ik} B^{kj}").at(0);
    CHECK(count(d, shape::tensor) == 2);
    CHECK(count(d, shape::end) == 2);
    CHECK(count(d, shape::dot) == 0);
    CHECK(d.edges.size() == 3);
    CHECK(plain_text(d.edges[0].text) == "k");
}

TEST_CASE("an index of three tensors, or one of two that stays, is a dot") {
    CHECK(count(drawn("u = \\sum_h a^h b^h c^h").at(0), shape::dot) == 1);
    const diagram batch = drawn("u^{hi} = A^{hij} B^{hj}").at(0);
    CHECK(count(batch, shape::dot) == 1);
    CHECK(count(batch, shape::end) == 2);
}

TEST_CASE("merged axes on both sides are one line of two strands") {
    const diagram d = drawn("Y^{id} = X^{i(ha)} W^{(ha)d}").at(0);
    CHECK(count(d, shape::fork) == 0);
    int strands = 0;
    for (const edge& e : d.edges) strands = std::max(strands, e.strands);
    CHECK(strands == 2);
}

// Where the lines of a letter meet the tensors of a name: which axis, in the order of the nodes.
std::string axes_of(const diagram& d, const std::string& name, const std::string& letter) {
    std::string all;
    for (std::size_t n = 0; n < d.nodes.size(); ++n) {
        if (plain_text(d.nodes[n].text) != name) continue;
        for (const edge& e : d.edges) {
            if (plain_text(e.text) != letter) continue;
            if (e.from == static_cast<std::int32_t>(n)) all += plain_text(e.tail.mark);
            if (e.to == static_cast<std::int32_t>(n)) all += plain_text(e.head.mark);
        }
    }
    return all;
}

TEST_CASE("a line says at which axis it meets a tensor") {
    const diagram turned = drawn("s = A^{ab} B^{ba}").at(0),
                  straight = drawn("s = A^{ab} B^{ab}").at(0);
    CHECK(axes_of(turned, "A", "a") + axes_of(turned, "B", "a") == "12");
    CHECK(axes_of(turned, "A", "b") + axes_of(turned, "B", "b") == "21");
    CHECK(axes_of(straight, "A", "a") + axes_of(straight, "B", "a") == "11");
    CHECK(axes_of(straight, "A", "b") + axes_of(straight, "B", "b") == "22");
    // vectors have one axis, and those of a unit matrix are alike
    const diagram unit = drawn("s = x^i \\delta^{ij} y^j").at(0);
    for (const edge& e : unit.edges) CHECK((e.tail.mark.empty() && e.head.mark.empty()));
}

TEST_CASE("a tensor that stands twice is two nodes, which say so") {
    const diagram d = drawn("Z^{ij} = A^{ij} - A^{ji} + B^{ij}").at(0);
    CHECK(axes_of(d, "A", "i") == "12");
    CHECK(axes_of(d, "A", "j") == "21");
    int repeated = 0;
    for (const node& n : d.nodes) {
        repeated += n.repeated;
        if (n.repeated) CHECK(plain_text(n.text) == "A");
    }
    CHECK(repeated == 2);
}

// What goes into the arguments of the only function: their names, and the tensors of each.
std::string arguments_of(const diagram& d) {
    std::string all;
    for (std::size_t n = 0; n < d.nodes.size(); ++n) {
        if (d.nodes[n].shape != shape::argument) continue;
        std::string one;
        for (std::size_t t = 0; t < d.nodes.size(); ++t)
            for (const edge& e : d.edges)
                if (e.from == static_cast<std::int32_t>(t) &&
                    e.to == static_cast<std::int32_t>(n)) {
                    one += plain_text(d.nodes[t].text);
                    break;
                }
        all += plain_text(d.nodes[n].text) + "(" + one + ")";
    }
    return all;
}

TEST_CASE("what is multiplied is told from what is added") {
    CHECK(arguments_of(drawn("Y^{ij} = A^{ij} - b^i c^j").at(0)) == "(A)−(bc)");
    CHECK(arguments_of(drawn("Y^{ij} = a^i - b^i c^j").at(0)) == "(a)−(bc)");
    CHECK(arguments_of(drawn("Y^{ij} = a^i b^j + c^{ij}").at(0)) == "(ab)(c)");
    CHECK(arguments_of(drawn("y^i = x^i - 2 A^{ij} x^j").at(0)) == "(x)−(2A)");
    // the minus of a term is said once, and that inside of it stays
    const diagram inner = drawn("y^i = x^i - \\sum_j \\exp(-A^{ij}) b^j").at(0);
    CHECK(arguments_of(inner) == "(x)−(exp)");
    int minus_one = 0;
    for (const node& n : inner.nodes) minus_one += plain_text(n.text) == "−1";
    CHECK(minus_one == 1);
    // one term beside numbers needs no name, unless it is subtracted
    CHECK(arguments_of(drawn("y^i = 1 + x^i").at(0)) == "");
    CHECK(arguments_of(drawn("y^i = 1 - x^i").at(0)) == "−(x)");
}

TEST_CASE("a sign stands once in a sum") {
    // by the box of the sum: how many signs there are in all
    for (const auto& [text, signs] :
         {std::pair("y^i = a^i + b^i + c^i", "+"), std::pair("y^i = a^i - b^i", "+−"),
          std::pair("y^i = a^i + 3", "+ 3"), std::pair("y^i = a^i - 3", "− 3"),
          std::pair("y^i = a^i + b^i - 3", "− 3"), std::pair("y^i = 2 - a^i", "+ 2−")}) {
        const diagram d = drawn(text).at(0);
        std::string boxes, circles;
        for (const node& n : d.nodes) {
            if (n.shape == shape::function) boxes += plain_text(n.text);
            if (n.shape == shape::argument) circles += plain_text(n.text);
        }
        INFO(text);
        CHECK(boxes + circles == signs);
    }
}

TEST_CASE("the arguments of a function are told apart") {
    CHECK(arguments_of(drawn("M^{i} = [a^i < b^i]").at(0)) == "x(a)y(b)");
    CHECK(arguments_of(drawn("M^{i} = [b^i < a^i]").at(0)) == "x(b)y(a)");
    CHECK(arguments_of(drawn("x^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)").at(0)) == "1(K)2(y)");
    CHECK(arguments_of(drawn("y^i = \\max(0, x^i)").at(0)) == "");
}

TEST_CASE("a tensor that a program uses twice has a node for each use") {
    const auto read = ricci::parse("S^{ij} = A^{ik} B^{kj}; Y^{ij} = S^{ik} S^{jk}");
    REQUIRE(read);
    const diagram d = whole_diagram(read->view());
    CHECK(count(d, shape::stored) == 1);
    CHECK(count(d, shape::use) == 2);
    int marks = 0;
    for (const edge& e : d.edges) {
        const node &from = d.nodes[static_cast<std::size_t>(e.from)],
                   &to = d.nodes[static_cast<std::size_t>(e.to)];
        if (from.shape == shape::stored) CHECK((to.shape == shape::use && e.strands == 2));
        if (to.shape != shape::stored) continue;
        CHECK(plain_text(e.head.mark) == (plain_text(e.text) == "i" ? "1" : "2"));
        ++marks;
    }
    CHECK(marks == 2);
}

TEST_CASE("a function says which index is which where letters change behind it") {
    const auto read = ricci::parse("A^{ij} = \\exp(S^{ij}); B^{ij} = A^{ji} C^{ij}");
    REQUIRE(read);
    const diagram d = whole_diagram(read->view());
    int said = 0;
    for (const edge& e : d.edges)
        if (plain_text(d.nodes[static_cast<std::size_t>(e.from)].text) == "exp") {
            CHECK(plain_text(e.tail.mark) != plain_text(e.text));
            CHECK_FALSE(e.tail.mark.empty());
            ++said;
        }
    CHECK(said == 2);
}

// Where the line of a letter between two nodes begins, when the picture is read from the left.
std::string left_of(const diagram& d, const std::string& letter) {
    std::string all;
    for (const edge& e : d.edges)
        if (plain_text(e.text) == letter && !e.arrow)
            all += plain_text(d.nodes[static_cast<std::size_t>(left_and_right(d, e).first)].text);
    return all;
}

TEST_CASE("what is multiplied with the result of a function stands behind its box") {
    CHECK(left_of(drawn("s = \\sum_j A^j \\log(B^j)").at(0), "j") == "log");
    CHECK(left_of(drawn("s = \\sum_j \\log(B^j) A^j").at(0), "j") == "log");
    CHECK(left_of(drawn("s = A^j B^j").at(0), "j") == "A");
    // two boxes meet in a dot, which stands behind both
    const diagram both = drawn("s = \\sum_j \\exp(A^j) \\log(B^j)").at(0);
    CHECK(count(both, shape::dot) == 1);
    for (const edge& e : both.edges)
        if (!e.arrow) CHECK(both.nodes[static_cast<std::size_t>(e.to)].shape == shape::dot);
    // no line of two strands joins two boxes either
    const auto read = ricci::parse(
        "P^{i(ha)} = \\exp(X^{iha}); W^{(ha)d} = \\sin(V^{had})\n"
        "Y^{id} = P^{i(ha)} W^{(ha)d}");
    REQUIRE(read);
    const diagram whole = whole_diagram(read->view());
    for (const edge& e : whole.edges)
        CHECK((e.arrow || !is_box(whole.nodes[static_cast<std::size_t>(e.from)].shape) ||
               !is_box(whole.nodes[static_cast<std::size_t>(e.to)].shape)));
}

TEST_CASE("merged axes in another order are no one line") {
    CHECK(count(drawn("Y^{id} = X^{i(ha)} W^{(ha)d}").at(0), shape::fork) == 0);
    CHECK(count(drawn("Y^{id} = X^{i(ha)} W^{(ah)d}").at(0), shape::fork) == 2);
}

TEST_CASE("powers and quotients of numbers are read as they are meant") {
    for (const auto& [text, words] : {std::pair("Y^i = \\frac{1}{2 l^2} x^i", "1/(2 l^2)"),
                                      std::pair("Y^i = s^2 x^i", "s^2")}) {
        bool found = false;
        const diagram d = drawn(text).at(0);
        for (const node& n : d.nodes) found = found || plain_text(n.text) == words;
        INFO(text);
        CHECK(found);
    }
}

TEST_CASE("a chain is a line, and its layout is always the same") {
    const diagram d = drawn("T^{ijkl} = A^{i a} B^{a j b} C^{b k c} D^{c l}").at(0);
    const layout l = plain_layout(d), again = plain_layout(d);
    CHECK_FALSE(overlaps(l));
    for (std::size_t n = 0; n < d.nodes.size(); ++n) {
        CHECK(l.centres[n].x == again.centres[n].x);
        if (d.nodes[n].shape == shape::tensor) CHECK(l.centres[n].y == l.centres[0].y);
    }
}

TEST_CASE("three hundred tensors are drawn") {
    diagram d;
    for (int k = 0; k < 300; ++k) {
        d.nodes.push_back({shape::tensor, {{"A", 0}}, -1});
        if (k > 0) d.edges.push_back({k, (k * 7 + 3) % k, {{"i", 0}}, 1, false, {}, {}, {}});
        if (k > 1) d.edges.push_back({k, k / 2, {{"j", 0}}, 1, false, {}});
    }
    const layout l = plain_layout(d);
    CHECK(to_svg({{d, l}}).ends_with("</svg>\n"));
    CHECK_FALSE(overlaps(l));
}

TEST_CASE("texts are escaped") {
    const diagram d = drawn("y^i = [i < j] x^{j}").at(0);
    CHECK(to_svg({{d, plain_layout(d)}}).find("[i < j]") == std::string::npos);
}

}  // namespace
