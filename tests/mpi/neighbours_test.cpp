// Shifted places of an axis that lies in parts: ranks send their neighbours what these read.
#include <string>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// The same on one rank and on all, however places lie; what explain() says of the first rank.
std::string check(const std::string& text, const std::vector<shared_operand>& operands,
                  const std::vector<std::pair<std::string, int>>& shared) {
    const program p = parse(text).value();
    for (const cut how : {cut::last, cut::uneven}) check_shared_out(p, "i", operands, shared, how);
    return check_shared_out(p, "i", operands, shared, cut::even);
}
bool sends_edges(const std::string& words) {
    return words.find("neighbours' places") != std::string::npos &&
           words.find("all-gather") == std::string::npos;
}

}  // namespace

TEST_CASE("the heat equation, with ends of every kind") {
    for (const std::string end : {"clamp", "wrap", "pad"}) {
        const auto at = [&](const std::string& place) {
            return "u^{\\operatorname{" + end + "}(" + place + ")}";
        };
        const std::string words =
            check("v^{i} = u^{i} + c (" + at("i+1") + " - 2 u^{i} + " + at("i-1") + ")",
                  {{"u", drawn({40}, 1), 0}, {"c", 0.1}}, {{"v", 0}});
        INFO(end << "\n" << words);
        CHECK((ranks_of_world() == 1 || sends_edges(words)));
    }
}

TEST_CASE("edges are as many places as are read, of all other axes") {
    const program p = parse(R"(v^{ij} = u^{\operatorname{wrap}(i+2) j} u^{ij} +
                                        u^{\operatorname{wrap}(i-1) j})")
                          .value();
    const int ranks = ranks_of_world();
    if (ranks == 1) return;
    const std::vector<std::size_t> counts = counts_of(60, cut::even);
    auto step =
        mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"u", own_part(drawn({60, 7}, 1), 0, counts)}});
    // two places to one side and one to the other, of 7 doubles each, and whether all is well
    CHECK(step.bytes_sent() == (2 + 1) * 7 * 8 + 4);
    take_counted_bytes();
    step();
    CHECK(take_counted_bytes() == step.bytes_sent());
}

TEST_CASE("convolutions, steps of two, and places that conditions exclude") {
    // x has more places than y, which lie as evenly as they go
    const program conv = parse("y^{i} = x^{i+k} w^{k}\nz = \\sum_i x^{i}").value();
    const std::string words =
        check_shared_out(conv, "i", {{"x", drawn({4002}, 1), 0}, {"w", drawn({3}, 2)}}, {{"y", 0}});
    INFO(words);
    CHECK((ranks_of_world() == 1 || sends_edges(words)));
    const std::string wide =
        check("y^{ic} = x^{\\operatorname{clamp}(i+2k-3) b} w^{kbc} + x^{ib} v^{bc}",
              {{"x", drawn({40, 2}, 1), 0}, {"w", drawn({4, 2, 3}, 2)}, {"v", drawn({2, 3}, 3)}},
              {{"y", 0}});
    const std::string ahead =
        check("y^{i} = x^{i} - [i > 0] x^{i-1}", {{"x", drawn({40}, 1), 0}}, {{"y", 0}});
    CHECK((ranks_of_world() == 1 || sends_edges(wide)));
    INFO(ahead);
    CHECK((ranks_of_world() == 1 || sends_edges(ahead)));
    check_shared_out(parse("y^{j} = x^{2j} + x^{2j+1}").value(), "j", {{"x", drawn({40}, 1)}},
                     {{"y", 0}});
}

TEST_CASE("places that subtract letters read edges of their neighbours, and tables in parts") {
    // the axis begins at 0, and a filter is short
    const std::string causal =
        check(R"(
        s = \sum_i x^{i} x^{i}
        y^{i} = \sum_k [k \le i] w^{k} x^{i-k} s)",
              {{"x", drawn({4000}, 1), 0}, {"w", drawn({4}, 2)}}, {{"y", 0}});
    INFO(causal);
    CHECK((ranks_of_world() == 1 || sends_edges(causal)));
    for (const std::string end : {"clamp", "wrap", "pad"}) {
        const std::string filter =
            check("y^{i} = x^{i} + \\sum_k w^{k} x^{\\operatorname{" + end + "}(i-k)}",
                  {{"w", drawn({4}, 2)}, {"x", drawn({90}, 1), 0}}, {{"y", 0}});
        INFO(filter);
        CHECK((ranks_of_world() == 1 || sends_edges(filter)));
    }
    // a table of all differences, of which each rank has a part and reads another
    const program table = parse(R"(
        z = \sum_d b^{d} b^{d}
        y^{ij} = b^{i-j} q^{ij} z)")
                              .value();
    const program both = parse(R"(
        b^{d} = \tanh(c^{d})
        S^{dj} = b^{d-j} q^{dj}
        y^{d} = \sum_j S^{dj})")
                             .value();
    for (const cut how : {cut::last, cut::uneven, cut::even}) {
        const std::vector<shared_operand> operands = {{"b", drawn({49}, 3), 0},
                                                      {"q", drawn({40, 10}, 4), -1}};
        check_shared_out(table, "d", operands, {}, how);
        const std::string words = check_shared_out(
            both, "d", {{"c", drawn({49}, 5), 0}, {"q", drawn({40, 10}, 6), 0}}, {{"y", 0}}, how);
        INFO(words);
        CHECK((ranks_of_world() == 1 || how != cut::even || sends_edges(words)));
    }
}

TEST_CASE("what is computed in parts is sent on, step after step, and in two dimensions") {
    check(R"(
        a^{i} = u^{i} + \frac{1}{4} (u^{\operatorname{wrap}(i+1)} + u^{\operatorname{wrap}(i-1)})
        b^{i} = a^{i} + \frac{1}{4} (a^{\operatorname{wrap}(i+1)} + a^{\operatorname{wrap}(i-3)})
        s = \sum_i b^{i} b^{i})",
          {{"u", drawn({40}, 1), 0}}, {});
    check(R"(
        v^{ij} = u^{\operatorname{clamp}(i+1) j} + u^{\operatorname{clamp}(i-1) j} +
                 u^{i \operatorname{clamp}(j+1)} + u^{i \operatorname{clamp}(j-1)} - 4 u^{ij})",
          {{"u", drawn({30, 9}, 1), 0}}, {{"v", 0}});
}

TEST_CASE("a clamped place of an axis of which ranks have no part, beside what all have") {
    for (const std::string end : {"clamp", "wrap", "pad"}) {
        const program p = parse("v^{m} = u^{\\operatorname{" + end + "}(m-2)} + c^{m}").value();
        for (const cut how : {cut::last, cut::uneven, cut::even})
            check_shared_out(p, "m''", {{"u", drawn({4}, 1), 0}, {"c", drawn({4}, 2)}}, {}, how);
    }
}

TEST_CASE("ranks have fewer places than are read, or none, or all go around the ring") {
    for (const std::size_t places : {1U, 2U, 3U, 7U})
        for (const std::string end : {"clamp", "wrap", "pad"})
            check("v^{i} = u^{\\operatorname{" + end + "}(i+2)} - 3 u^{\\operatorname{" + end +
                      "}(i-4)} + u^{i}",
                  {{"u", drawn({places}, 1), 0}}, {{"v", 0}});
}

namespace {

/// The same of gradients by all operands that are tensors.
std::string check_gradient(const std::string& text, const std::string& of,
                           const std::vector<shared_operand>& operands,
                           const shared_operand& cotangent) {
    std::vector<std::string> by;
    std::vector<std::pair<std::string, int>> shared;
    for (const shared_operand& o : operands) {
        if (o.value.kind() != detail::operand_kind::tensor) continue;
        by.push_back(o.name);
        if (o.axis >= 0) shared.emplace_back("dL/d" + o.name, o.axis);
    }
    if (cotangent.axis >= 0) shared.emplace_back(of, cotangent.axis);
    // with the value, as its text says which axes have the index
    const program back = value_and_gradient(parse(text).value(), of, by);
    std::vector<shared_operand> used;
    for (const tensor_info& t : back.inputs()) {
        for (const shared_operand& o : operands)
            if (o.name == t.name) used.push_back(o);
        if (t.name == cotangent.name) used.push_back(cotangent);
    }
    for (const cut how : {cut::last, cut::uneven}) check_shared_out(back, "i", used, shared, how);
    return check_shared_out(back, "i", used, shared);
}
bool sends_sums(const std::string& words) {
    INFO(words);
    return ranks_of_world() == 1 || (has(words, "sums at neighbours' places") &&
                                     !has(words, "all-gather") && !has(words, "reduce-scatter"));
}

}  // namespace

TEST_CASE("derivatives of shifted places go to those who have the places") {
    CHECK(sends_sums(check_gradient(R"(
        v^{i} = u^{i} u^{\operatorname{wrap}(i+1)} + \exp(u^{\operatorname{clamp}(i-1)})
        L = \sum_i v^{i} v^{i})",
                                    "L", {{"u", drawn({400}, 1), 0}}, {"dL/dL", 1})));
    for (const std::string end : {"clamp", "wrap", "pad"})
        CHECK(sends_sums(check_gradient(
            "v^{ib} = u^{\\operatorname{" + end + "}(i+2k-3) a} w^{kab} + u^{ia} z^{ab}", "v",
            {{"u", drawn({400, 2}, 1), 0}, {"w", drawn({4, 2, 3}, 2)}, {"z", drawn({2, 3}, 4)}},
            {"dL/dv", drawn({400, 3}, 3), 0})));
}

TEST_CASE("derivatives of convolutions, of steps of two, and of places that conditions exclude") {
    const std::string conv = check_gradient("s = \\sum_i x^{i} x^{i}\ny^{i} = x^{i+k} w^{k} s", "y",
                                            {{"x", drawn({402}, 1), 0}, {"w", drawn({3}, 2)}},
                                            {"dL/dy", drawn({400}, 3), 0});
    CHECK(sends_sums(conv));
    check_gradient("y^{i} = x^{i} - [i > 0] x^{i-1} w^{i}", "y",
                   {{"x", drawn({400}, 1), 0}, {"w", drawn({400}, 2), 0}},
                   {"dL/dy", drawn({400}, 3), 0});
    check_gradient("s = \\sum_i x^{i} x^{i}\ny^{i} = x^{2i} w^{i} + x^{2i+1} s", "y",
                   {{"x", drawn({400}, 1), 0}, {"w", drawn({200}, 2), 0}},
                   {"dL/dy", drawn({200}, 3), 0});
}

TEST_CASE("derivatives where ranks have fewer places than are read, or none") {
    for (const std::size_t places : {1U, 2U, 3U, 7U})
        for (const std::string end : {"clamp", "wrap", "pad"})
            check_gradient("v^{i} = u^{\\operatorname{" + end +
                               "}(i+2)} u^{i} - 3 u^{\\operatorname{" + end + "}(i-4)} u^{i}",
                           "v", {{"u", drawn({places}, 1), 0}}, {"dL/dv", drawn({places}, 2), 0});
}

TEST_CASE("the heat equation, two steps and back") {
    const std::string words = check_gradient(
        R"(
        a^{ij} = u^{ij} + \frac{1}{8} (u^{\operatorname{wrap}(i+1) j} + u^{\operatorname{wrap}(i-1) j})
        b^{ij} = a^{ij} + \frac{1}{8} (a^{\operatorname{wrap}(i+1) j} + a^{\operatorname{wrap}(i-1) j})
        L = \sum_i \sum_j (b^{ij} - t^{ij})^2)",
        "L", {{"u", drawn({200, 3}, 1), 0}, {"t", drawn({200, 3}, 2), 0}}, {"dL/dL", 1});
    CHECK(sends_sums(words));
}
