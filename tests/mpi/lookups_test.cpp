// Places that numbers say of an axis that lies in parts: each rank asks those who have them, and
// sums that land there go to those who have the places.
#include <random>
#include <string>

#include "tests/mpi/ranks.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

const std::vector<cut> cuts = {cut::last, cut::uneven, cut::even};

/// Numbers from `least` up to below `end`, the same on every rank.
array drawn_places(std::vector<std::size_t> extents, int least, int end, unsigned seed,
                   element type = element::i32) {
    array a(type, extents);
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < a.size(); ++k) {
        const int place = least + static_cast<int>(random() % static_cast<unsigned>(end - least));
        if (type == element::i32) static_cast<std::int32_t*>(a.data())[k] = place;
        else static_cast<std::int64_t*>(a.data())[k] = place;
    }
    return a;
}

std::string check(const program& p, const std::string& letter,
                  const std::vector<shared_operand>& operands,
                  const std::vector<std::pair<std::string, int>>& shared) {
    std::string words;
    for (const cut how : cuts) words = check_shared_out(p, letter, operands, shared, how);
    return words;
}

std::vector<shared_operand> with_cotangents(const program& p, std::vector<shared_operand> operands,
                                            const std::vector<shared_operand>& more) {
    for (const shared_operand& o : more)
        for (const tensor_info& t : p.inputs())
            if (t.name == o.name) operands.push_back(o);
    return operands;
}

const char* const graph = R"(
    m^{ic} = \sum_k x^{n_{ik} c} w^{k}
    y^{ib} = \tanh(m^{ic} U^{cb} + x^{ib}))";

std::vector<shared_operand> operands_of_graph() {
    // more places than are looked up, so that asking is less than gathering
    return {{"x", drawn({90, 3}, 1), 0},
            {"n", drawn_places({90, 2}, 10, 30, 2), 0},
            {"w", drawn({2}, 3)},
            {"U", drawn({3, 3}, 4)}};
}

}  // namespace

TEST_CASE("a graph whose nodes are shared out, forwards and back") {
    const program p = parse(graph).value();
    check(p, "i", operands_of_graph(), {{"y", 0}});
    const program back = value_and_gradient(p, "y", {"x", "w", "U"});
    const std::string words = check(
        back, "i", with_cotangents(back, operands_of_graph(), {{"dL/dy", drawn({90, 3}, 5), 0}}),
        {{"y", 0}, {"dL/dx", 0}});
    INFO(words);
    CHECK((ranks_of_world() < 3 || has(words, "places asked for")));
}

TEST_CASE("few numbers ask for few rows, with numbers of 64 bits and along any axis") {
    const program p = parse("y^{ic} = x^{c q_i} + v^{ic}\nz = \\sum_i \\sum_c x^{ci}").value();
    for (const element type : {element::i32, element::i64}) {
        const array q = drawn_places({100}, 40, 47, 2, type);
        const std::string words = check(
            p, "i", {{"x", drawn({50, 100}, 1), 1}, {"q", q, 0}, {"v", drawn({100, 50}, 3), 0}},
            {{"y", 0}});
        // of two ranks each may ask for all that the other has
        CHECK((ranks_of_world() < 3 || has(words, "rows asked for")));
    }
}

TEST_CASE("what is sent is what is asked for") {
    // each asks for the place behind its own one
    const program p = parse("y^{ic} = x^{q_i c}\ns = \\sum_i \\sum_c x^{ic}").value();
    const int ranks = ranks_of_world();
    if (ranks == 1) return;
    const std::size_t places = 240;
    array n(element::i32, {places});
    for (std::size_t i = 0; i < places; ++i)
        static_cast<std::int32_t*>(n.data())[i] = static_cast<std::int32_t>((i + 1) % places);
    const std::vector<std::size_t> counts = counts_of(places, cut::even);
    const array x = own_part(drawn({places, 16}, 1), 0, counts), mine = own_part(n, 0, counts);
    auto step = mpi::prepare(MPI_COMM_WORLD, p, {"i"}, {{"x", x}, {"q", mine}});
    const std::string words = step.explain();
    INFO(words);
    if (words.find("rows asked for") == std::string::npos) {
        CHECK(ranks == 2);  // where half of all rows is as much as gathering
        return;
    }
    CHECK(has(words, "this rank sends at most"));
    const std::int64_t most = step.bytes_sent();
    for (int k = 0; k < 2; ++k) {
        take_counted_bytes();
        step();
        CHECK(take_counted_bytes() == step.bytes_sent());
        // how many each is asked for, a place, a row, the sum, and whether all is well
        CHECK(step.bytes_sent() == 4 * ranks + 8 + 16 * 8 + 8 + 4);
        CHECK(step.bytes_sent() <= most);
    }
}

TEST_CASE("sums that land where numbers say, and what numbers pick of a sum") {
    const program p = parse(R"(
        h^{ic} = \sum_m [i = a_m] w^{mc} f^{i} + w^{ic}
        g^{i} = \sum_m [m = a_i] w^{mc} w^{mc})")
                          .value();
    const std::vector<shared_operand> operands = {{"a", drawn_places({60}, -5, 70, 1), 0},
                                                  {"w", drawn({60, 4}, 2), 0},
                                                  {"f", drawn({60}, 3), 0}};
    check(p, "i", operands, {{"h", 0}, {"g", 0}});
    const program back = value_and_gradient(p, "h", {"w"});
    check(back, "i", with_cotangents(back, operands, {{"dL/dh", drawn({60, 4}, 5), 0}}),
          {{"h", 0}, {"dL/dw", 0}});
}

TEST_CASE("a vocabulary that is shared out: embedding, logits and cross entropy") {
    const program p = parse(R"(
        Y^{ia} = E^{x_i a}
        Z^{iv} = Y^{ia} W^{ab} E^{vb}
        L = \operatorname{mean}_i (\operatorname{logsumexp}_v(Z^{iv}) - Z^{i y_i}))")
                          .value();
    const program back = value_and_gradient(p, "L", {"E", "W"});
    const std::vector<shared_operand> operands =
        with_cotangents(back,
                        {{"E", drawn({120, 4}, 1), 0},
                         {"W", drawn({4, 4}, 2)},
                         {"x", drawn_places({7}, 0, 120, 3)},
                         {"y", drawn_places({7}, 0, 120, 4)}},
                        {{"dL/dL", 1}});
    const std::string words = check(back, "v", operands, {{"dL/dE", 0}});
    INFO(words);
    CHECK((ranks_of_world() == 1 || words.find("all-gather") == std::string::npos));
}

TEST_CASE("numbers that are no place, where conditions do not want them") {
    const program p = parse(R"(
        m^{ic} = \sum_k [n_{ik} \ge 0] x^{n_{ik} c} w^{k}
        L = \sum_i \sum_c (m^{ic} - x^{ic})^2)")
                          .value();
    const std::vector<shared_operand> operands = {{"x", drawn({80, 3}, 1), 0},
                                                  {"n", drawn_places({80, 2}, -1, 9, 2), 0},
                                                  {"w", drawn({2}, 3)}};
    const program back = value_and_gradient(p, "L", {"x", "w"});
    check(back, "i", with_cotangents(back, operands, {{"dL/dL", 1}}), {{"dL/dx", 0}});
}

TEST_CASE("a number that is no place is refused by all in the words of one") {
    const std::vector<std::string> texts = {"y^{ic} = x^{q_i c}\ns = \\sum_i \\sum_c x^{ic}",
                                            "t^{jc} = x^{k_j c}\ns = \\sum_i \\sum_c x^{ic}",
                                            "L = \\sum_j z^{j k_j}\nu = \\sum_j \\sum_i z^{ji}"};
    for (const std::string& text : texts)
        for (const int stray : {-1, -7, 60, 61, 100}) {
            const program p = parse(text).value();
            array numbers = drawn_places({60}, 3, 9, 1), few = drawn_places({4}, 3, 9, 1);
            static_cast<std::int32_t*>(numbers.data())[41] = stray;
            static_cast<std::int32_t*>(few.data())[2] = stray;
            std::vector<shared_operand> all = {{"x", drawn({60, 30}, 1), 0},
                                               {"q", numbers, 0},
                                               {"k", few},
                                               {"z", drawn({4, 60}, 2), 1}};
            std::vector<named> mine, whole;
            for (const shared_operand& o : all)
                for (const tensor_info& t : p.inputs()) {
                    if (t.name != o.name) continue;
                    whole.push_back({o.name, o.value});
                    mine.push_back(whole.back());
                    if (o.axis < 0) continue;
                    const auto axis = static_cast<std::size_t>(o.axis);
                    mine.back().value =
                        bindable(own_part(o.value.value(), axis, counts_of(60, cut::even)));
                }
            std::string one = words_of([&] { run(p, whole); });
            REQUIRE(one != "nothing");
            one = one.substr(one.find("axis "));  // the equation may be a part of it
            auto step = mpi::prepare(MPI_COMM_WORLD, p, {"i"}, mine);
            INFO(text << "\n" << step.explain());
            const std::string words = same_words([&] { step(); });
            CHECK(has(words, "on rank"));
            CHECK(has(words, one));
        }
}

TEST_CASE("places that are computed ask for rows, on all ranks alike and each rank for its own") {
    const program one = parse(R"(
        p^m = \operatorname{argmax}_t(r^{mt})
        y^{ma} = E^{p_m a}
        z = \sum_v \sum_a E^{va})")
                            .value()
                            .keep({"p"});
    const std::string alike =
        check(one, "v", {{"r", drawn({3, 700}, 1)}, {"E", drawn({700, 30}, 2), 0}}, {});
    INFO(alike);
    CHECK((ranks_of_world() == 1 || alike.find("all-gather") == std::string::npos));
    // a codebook and what it stands for, both in parts
    const program own = parse(R"(
        k^{i} = \operatorname{argmin}_j \sum_a (x^{ia} - c^{ja})^2
        q^{ib} = V^{k_i b}
        n^{j} = \sum_m [k_m = j] w^{m}
        V^{ib} = \tanh(u^{ib}))")
                            .value()
                            .keep({"k"});
    const std::vector<shared_operand> operands = {{"x", drawn({80, 3}, 3), 0},
                                                  {"c", drawn({9, 3}, 4)},
                                                  {"w", drawn({80}, 5)},
                                                  {"u", drawn({80, 20}, 6), 0}};
    const std::vector<std::pair<std::string, int>> shared = {
        {"k", 0}, {"q", 0}, {"V", 0}, {"dL/du", 0}, {"dL/dx", 0}};
    const std::string each = check(own, "i", operands, shared);
    INFO(each);
    CHECK((ranks_of_world() < 3 || has(each, "rows asked for")));
    const program back = value_and_gradient(own, "q", {"u"});
    check(back, "i",
          with_cotangents(back, {operands[0], operands[1], operands[3]},
                          {{"dL/dq", drawn({80, 20}, 7), 0}}),
          shared);
}

TEST_CASE("extrema whose places a grid of ranks looks up") {
    const program p = parse(R"(
        k^{n} = \operatorname{argmax}_j(x^{nj})
        y^{nb} = E^{k_n b} s^{b}
        z^{b} = \sum_v E^{vb})")
                          .value();
    int extents[] = {0, 0}, periods[] = {0, 0}, places[] = {0, 0};
    MPI_Dims_create(ranks_of_world(), 2, extents);
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
    MPI_Cart_coords(grid, rank_of_world(), 2, places);
    const auto part = [&](const array& a, std::size_t axis, std::size_t dimension) {
        return part_of_rank(
            a, axis,
            counts_of(a.extent(axis), cut::even, static_cast<std::size_t>(extents[dimension])),
            static_cast<std::size_t>(places[dimension]));
    };
    const array x = drawn({12, 300}, 1), e = drawn({300, 6}, 2), s = drawn({6}, 3);
    const arrays expected = run(p, {{"x", x}, {"E", e}, {"s", s}});
    for (const bool vocabulary_first : {false, true}) {
        const std::size_t n = vocabulary_first ? 1 : 0, v = 1 - n;
        std::vector<std::string> letters(2);
        letters[n] = "n", letters[v] = "v";
        auto step =
            mpi::prepare(grid, p, letters, {{"x", part(x, 0, n)}, {"E", part(e, 0, v)}, {"s", s}});
        for (int k = 0; k < 2; ++k) {
            take_counted_bytes();
            step();
            CHECK(take_counted_bytes() == step.bytes_sent());
            INFO(step.explain());
            CHECK(largest_difference(step["y"], part(expected["y"], 0, n)) < 1e-12);
            CHECK(largest_difference(step["z"], expected["z"]) < 1e-11);
        }
    }
    MPI_Comm_free(&grid);
}
