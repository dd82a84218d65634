// What diagrams hold, and where their nodes stand.
#include <cmath>
#include <string>

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
        if (k > 0) d.edges.push_back({k, (k * 7 + 3) % k, {{"i", 0}}, 1, false, {}});
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
