// Pictures of equations of the literature and of random contractions: nothing stands on top of
// anything else.
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "draw/diagram.hpp"
#include "tests/catch.hpp"
#include "tests/draw/geometry.hpp"

namespace {

using namespace ricci::draw;

const std::vector<std::string> texts{
    R"(Q^{hia} = X^{ic} W_Q^{hca}
       K^{hja} = X^{jc} W_K^{hca}
       V^{hjc} = X^{jd} W_V^{hdc}
       S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
       A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
       O^{hic} = A^{hij} V^{hjc}
       Y^{id} = O^{hic} W_O^{hcd})",
    R"(T^{ijklmnpq} = A^{ia} B^{ajb} C^{bkc} D^{cld} E^{dme} F^{enf} G^{fpg} H^{gq})",
    R"(E = A_1^{ia} A_2^{ajb} A_3^{bkc} A_4^{cl} W_1^{imu} W_2^{ujnv} W_3^{vkpw} W_4^{wlq} )"
    R"(B_1^{md} B_2^{dne} B_3^{epf} B_4^{fq})",
    R"(Z = A_1^{ao} A_2^{abp} A_3^{bcq} A_4^{cr} B_1^{ods} B_2^{pdet} B_3^{qefu} B_4^{rfv} )"
    R"(C_1^{sgw} C_2^{tghx} C_3^{uhky} C_4^{vkz} D_1^{wl} D_2^{xlm} D_3^{ymn} D_4^{zn})",
    R"(u = \sum_h a^h b^h c^h)",
    R"(C^{bij} = A^{bik} B^{bkj})",
    R"(Q^{hia} = P^{i(ha)}; Y^{id} = O^{i(hc)} W^{(hc)d}; Z^{i(hc)} = A^{hij} V^{hjc})",
    R"(\mu^i = \operatorname{mean}_a(X^{ia}); v^i = \operatorname{mean}_a((X^{ia} - \mu^i)^2)
       Y^{ia} = g^a \frac{X^{ia} - \mu^i}{\sqrt{v^i + \epsilon}})",
    R"(M^{ij} = \begin{cases} 0 & \text{if } |i - j| \leq w \\ -\infty & \text{otherwise} \end{cases})",
    R"(P^{ia} = E^{t_i a}; u = M^{ii}; G^{ij} = \delta^{ij} x^i; q^b = \sum_a N^{aab})",
    R"(F^i = X^{i+k} f^k; B^{ij} = S^{ij} + b_{i-j}; H^i = -\sum_j A^{ij} \log A^{ij})",
    R"(E = \frac{1}{2} \sum_i (A^{ij} x^j - 1)^2 + \prod_i x^i)",
    R"(s = A^{ab} B^{ba}; Z^{ij} = A^{ij} - A^{ji}; W^{ij} = \max(0, a^i b^j + C^{ij})
       P^{id} = D^{i(ha)} U^{(ah)d}; R^{i(ah)} = E^{ihj} V^{jha})",
    R"(K^{ij} = \exp(-\frac{1}{2 \ell^2} \sum_a (X^{ia} - X^{ja})^2) + \sigma^2 \delta^{ij}
       \alpha^{j} = \operatorname{solve}_{ij}(K^{ij}, y^{i})
       L = -\frac{1}{2} y^i \alpha^i - \frac{1}{2} \operatorname{logdet}_{ij}(K^{ij}))",
};

std::vector<ricci::program> programs() {
    std::vector<ricci::program> all;
    for (const std::string& text : texts) {
        const auto read = ricci::parse(text);
        INFO(text);
        REQUIRE(read);
        all.push_back(*read);
    }
    all.push_back(ricci::gradient(all.front(), "Y", {"W_Q"}));
    all.push_back(ricci::gradient(all.front(), "Y", {"X", "W_O"}));
    return all;
}

// How many legs a tensor of an equation should have: one an axis.
void check_legs(const diagram& d, const std::string& name, std::size_t axes) {
    for (std::size_t n = 0; n < d.nodes.size(); ++n) {
        if (plain_text(d.nodes[n].text) != name) continue;
        std::size_t legs = 0;
        for (const edge& e : d.edges)
            legs += static_cast<std::size_t>(e.from == static_cast<std::int32_t>(n)) +
                    static_cast<std::size_t>(e.to == static_cast<std::int32_t>(n));
        CHECK(legs == axes);
    }
}

diagram random_contraction(unsigned seed) {
    std::mt19937 random(seed);
    const std::size_t tensors = 2 + random() % 7, indices = 2 + random() % 8;
    std::vector<std::string> names{"i", "j", "k", "l", "m", "n", "p", "q", "r"};
    std::string right, left;
    std::vector<int> uses(indices, 0);
    for (std::size_t t = 0; t < tensors; ++t) {
        std::set<std::size_t> mine;
        for (std::size_t k = 0; k < 1 + random() % 4; ++k) mine.insert(random() % indices);
        right += std::string(1, static_cast<char>('A' + t)) + "^{";
        for (const std::size_t i : mine) right += names[i], ++uses[i];
        right += "} ";
    }
    for (std::size_t i = 0; i < indices; ++i)
        if (uses[i] > 0 && (uses[i] == 1 || random() % 4 == 0)) left += names[i];
    std::string sums;
    for (std::size_t i = 0; i < indices; ++i)
        if (uses[i] > 2 && left.find(names[i]) == std::string::npos)
            sums += (sums.empty() ? "" : ",") + names[i];
    const std::string text = "Z" + (left.empty() ? "" : "^{" + left + "}") + " = " +
                             (sums.empty() ? "" : "\\sum_{" + sums + "} ") + right;
    const auto read = ricci::parse(text);
    INFO(text);
    REQUIRE(read);
    return diagrams_of(read->view()).at(0);
}

// Products of tensors and of functions of them, added and subtracted, some of them used twice.
std::string random_program(unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<std::string> names{"i", "j", "k", "l"};
    std::set<std::size_t> there;
    char next = 'A';
    const auto tensor = [&] {
        std::string axes;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (random() % 3 == 0) axes += names[i], there.insert(i);
        if (axes.empty()) axes = names[0], there.insert(0);
        return std::string(1, next++) + "^{" + axes + "} ";
    };
    const std::vector<std::string> functions{"\\log", "\\exp", "\\sin"};
    std::string product;
    for (std::size_t f = 0; f < 2 + random() % 3; ++f) {
        if (random() % 2 == 0) product += tensor();
        else
            product += functions[random() % 3] + "(" + tensor() +
                       (random() % 2 == 0 ? tensor() : std::string{}) + ") ";
    }
    std::string left, sums;
    for (const std::size_t i : there) {
        std::string& to = random() % 2 == 0 ? left : sums;
        to += (&to == &sums && !sums.empty() ? "," : "") + names[i];
    }
    const std::string result = left.empty() ? "T" : "T^{" + left + "}";
    std::string text = result + " = " + (sums.empty() ? "" : "\\sum_{" + sums + "} ") + product;
    if (random() % 2 == 0)
        text += (random() % 2 == 0 ? " - " : " + ") + std::string("U") +
                (left.empty() ? "" : "^{" + left + "}");
    std::string all;
    for (std::size_t k = 0; k < left.size(); ++k) all += (k > 0 ? "," : "") + left.substr(k, 1);
    return text + "\nZ = " + (left.empty() ? "" : "\\sum_{" + all + "} ") + result + " \\log(" +
           result + ")\n";
}

}  // namespace

TEST_CASE("what goes into a box and what comes out of it is told apart") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const std::string text = random_program(seed);
        const auto read = ricci::parse(text);
        INFO(text);
        REQUIRE(read);
        std::vector<diagram> all = diagrams_of(read->view());
        all.push_back(whole_diagram(read->view()));
        for (const diagram& d : all) {
            INFO(d.title);
            CHECK(ricci::testing::fault_of(d, plain_layout(d)) == "");
            if (seed < 20) CHECK(ricci::testing::fault_of(d, best_layout(d)) == "");
        }
    }
}

TEST_CASE("nothing in a picture stands on top of anything else") {
    for (const ricci::program& p : programs()) {
        std::vector<diagram> all = diagrams_of(p.view());
        all.push_back(whole_diagram(p.view()));
        for (const diagram& d : all) {
            INFO(d.title);
            CHECK(ricci::testing::fault_of(d, plain_layout(d)) == "");
            CHECK(ricci::testing::fault_of(d, best_layout(d)) == "");
        }
    }
}

// How many nodes lie on lines of others, which a reader would take for joined with these.
int lines_over_nodes(const diagram& d, const layout& l) {
    int count = 0;
    for (std::size_t e = 0; e < d.edges.size(); ++e)
        for (std::size_t n = 0; n < d.nodes.size(); ++n) {
            const auto me = static_cast<std::int32_t>(n);
            if (d.edges[e].from == me || d.edges[e].to == me || d.nodes[n].shape == shape::end)
                continue;
            bool over = false;
            for (const point q : points_along(l.routes[e].path, 24))
                over = over || (std::fabs(q.x - l.centres[n].x) < l.sizes[n].x / 2 - 2 &&
                                std::fabs(q.y - l.centres[n].y) < l.sizes[n].y / 2 - 2);
            count += over;
        }
    return count;
}

TEST_CASE("no line of a network runs over a tensor that it does not join") {
    // a tree of thirty with fourteen lines more
    std::mt19937 random(3);
    std::vector<std::string> axes(30);
    const auto join = [&](std::size_t a, std::size_t b, std::size_t number) {
        const std::string letter =
            std::string(1, static_cast<char>('a' + number % 26)) + (number < 26 ? "" : "'");
        axes[a] += letter + " ", axes[b] += letter + " ";
    };
    std::size_t number = 0;
    for (std::size_t k = 1; k < 30; ++k) join(k, random() % k, number++);
    for (int k = 0; k < 14; ++k) {
        const std::size_t a = random() % 30;
        join(a, (a + 1 + random() % 29) % 30, number++);
    }
    std::string text = "Z =";
    for (std::size_t k = 0; k < 30; ++k)
        text += " T_{" + std::to_string(k + 1) + "}^{" + axes[k] + "}";
    const auto read = ricci::parse(text);
    INFO(text);
    REQUIRE(read);
    const diagram d = diagrams_of(read->view()).at(0);
    const layout l = plain_layout(d);
    CHECK(ricci::testing::fault_of(d, l) == "");
    CHECK(lines_over_nodes(d, l) == 0);
}

TEST_CASE("random contractions are drawn as clearly") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        const diagram d = random_contraction(seed);
        INFO(d.title);
        const layout l = plain_layout(d);
        CHECK(ricci::testing::fault_of(d, l) == "");
        CHECK(lines_over_nodes(d, l) == 0);
    }
}

TEST_CASE("every axis has one leg") {
    const auto read = ricci::parse(texts[2]);
    REQUIRE(read);
    const diagram d = diagrams_of(read->view()).at(0);
    check_legs(d, "A_1", 2);
    check_legs(d, "A_2", 3);
    check_legs(d, "W_2", 4);
    const auto other = ricci::parse("Y^{hia} = P^{i(ha)} x^{0,a} M^{ii}");
    REQUIRE(other);
    const diagram e = diagrams_of(other->view()).at(0);
    check_legs(e, "P", 2);
    check_legs(e, "x", 2);
    check_legs(e, "M", 2);
}
