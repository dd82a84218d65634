// The verifier of plans: a fused group or a chain that breaks an invariant is refused, with words
// for it, the pass and the step.
#include <algorithm>
#include <string>
#include <utility>

#include "tests/catch.hpp"
#include "tests/unit/plan/broken_plan.hpp"

namespace ricci::plan {
namespace {

using namespace ricci::testing;

const std::string attention_text = R"(
    S^{hij} = \frac{1}{4} Q^{hia} K^{hja}
    A^{hij} = \operatorname{softmax}_j(S^{hij})
    O^{hic} = A^{hij} V^{hjc}
)";
const std::string chain_words = "by blocks of rows";
const std::string extents = "h=2 i=8 j=9 a=4 c=3";

// One group: products, weights, results of rows.
const recorded_program attention = {"attention", attention_text, extents};
// Two groups, with a sum between them: rows, then rows and columns.
const recorded_program gradients = {"gradients", attention_text, extents, "", "both O Q K V"};
// The same with results of rows and of columns that have one shape.
const recorded_program square = {"square", attention_text, "h=2 i=9 j=9 a=3 c=3", "",
                                 "both O Q K V"};
// Tiles that are written as they are, too.
const recorded_program plane = {"plane",
                                R"(
        S^{ij} = Q^{ia} K^{ja}
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc}
        P^{ij} = A^{ij} G^{ij}
    )",
                                "i=8 j=30 a=4 c=3"};
// Tiles that are added up along lines.
const recorded_program biased = {"biased",
                                 R"(
        S^{hij} = Q^{hia} K^{hja} + b_{i-j}
        A^{hij} = \operatorname{softmax}_j(S^{hij})
        O^{hic} = A^{hij} V^{hjc}
    )",
                                 extents, "b 16", "both O Q b"};

// Places of extrema, by rows and by columns.
const recorded_program nearest = {"nearest",
                                  R"(
        y_i = \operatorname{argmin}_j \sum_a (x^{ia} - z^{ja})^2
        w_j = \operatorname{argmin}_i \sum_a (x^{ia} - z^{ja})^2
    )",
                                  "i=80 j=90 a=9"};

access load_of(const graph& values, expr e) { return values[e].source; }

/// The axes of an access that are walked by a loop no longer are.
void stop(access& a, loop l) {
    for (auto& p : a.at)
        if (p.factor(l) != 0) p = place{};
}

loop loop_with(const fused& f, loop_role role) {
    for (const auto& l : f.loops)
        if (l.role == role) return l.what;
    throw std::logic_error("no such loop");
}

/// A result that is summed over one more loop.
void sum_over(assign& a, loop l) {
    stop(a.target, l);
    a.loops = without(a.loops, {l});
    add_loop(a.over, l);
    a.folding = fold::sum;
}

}  // namespace

TEST_CASE("a group has its loops once, and columns among them") {
    const planned p(attention, "fuse");
    p.refuses("a loop of a group that stands twice", "fused", [&](program_plan& broken) {
        auto& loops = group(broken).loops;
        loops.push_back(loops[0]);
    });
    p.refuses("a group without columns", "fused", [&](program_plan& broken) {
        for (auto& l : group(broken).loops)
            if (l.role == loop_role::column) l.role = loop_role::batch;
    });
}

TEST_CASE("the members of a group stand in their order") {
    const planned p(attention, "fuse"), second(gradients, "fuse");
    p.refuses("a tensor that is read before it is written", "fused", [&](program_plan& broken) {
        auto& members = group(broken).members;
        std::swap(members[0], members[1]);
    });
    second.refuses("a product or an operation behind what comes later", "fused",
                   [&](program_plan& broken) {
                       auto& members = group(broken, 1).members;
                       std::swap(member_of(group(broken, 1), member_kind::product, 1),
                                 member_of(group(broken, 1), member_kind::recomputed));
                       REQUIRE(members[1].kind == member_kind::recomputed);
                   });
    p.refuses("a sum inside a body", "fused", [&](program_plan& broken) {
        auto& m = member_of(group(broken), member_kind::weights);
        m.what.body = broken.values.row(fold::maximum,
                                        {loop_with(group(broken), loop_role::column)}, m.what.body);
    });
}

TEST_CASE("a tile is made by its group, at the group's loops, and never stored") {
    const planned p(attention, "fuse"), two(gradients, "fuse");
    const std::string stored = "a tile that is stored, or a result that is not";
    p.refuses(stored, "fused", [&](program_plan& broken) {
        const auto tile = member_of(group(broken), member_kind::product).what.target.slot;
        broken.slots[tile.index()].kind = storage::workspace;
    });
    p.refuses(stored, "fused", [&](program_plan& broken) {
        broken.slots[p.slot("O").index()].kind = storage::tile;
    });
    p.refuses("a tile read at other loops than its group's", "fused", [&](program_plan& broken) {
        auto& a = member_of(group(broken), member_kind::weights).what;
        access tile = load_of(broken.values, a.body);
        stop(tile, loop_with(group(broken), loop_role::row));
        a.body = broken.values.load(tile);
    });
    p.refuses("a tile made at other loops than its group's", "fused", [&](program_plan& broken) {
        // One more loop that no tile has.
        group(broken).loops.push_back({broken.values.loops().fresh(ir::none, 3), loop_role::batch});
    });
    two.refuses("a tile that its group has not made", "fused", [&](program_plan& broken) {
        const access tile = member_of(group(broken, 0), member_kind::weights).what.target;
        auto& a = member_of(group(broken, 1), member_kind::tile).what;
        a.body = broken.values.multiply({a.body, broken.values.load(tile)});
    });
}

TEST_CASE("a product of a group has a factor without columns and one without rows") {
    const planned p(attention, "fuse");
    p.refuses("a product whose factors have rows and columns both", "fused",
              [&](program_plan& broken) {
                  for (auto& l : group(broken).loops)
                      if (l.role == loop_role::row) l.role = loop_role::column;
              });
    p.refuses("a product that is none", "fused", [&](program_plan& broken) {
        member_of(group(broken), member_kind::product).what.kind = assignment_kind::map;
    });
}

TEST_CASE("weights are a softmax over the columns, of their own group") {
    const planned p(attention, "fuse"), two(gradients, "fuse");
    const std::string other = "weights that are no softmax over the columns";
    p.refuses(other, "fused", [&](program_plan& broken) {
        auto& f = group(broken);
        member_of(f, member_kind::weights).what.over = {loop_with(f, loop_role::row)};
    });
    p.refuses(other, "fused", [&](program_plan& broken) {
        auto& a = member_of(group(broken), member_kind::weights).what;
        a.folding = fold::none;
        a.over.clear();
    });
    p.refuses("weights that depend on weights", "fused", [&](program_plan& broken) {
        auto& f = group(broken);
        auto again = member_of(f, member_kind::weights);
        again.what.body = broken.values.load(again.what.target);
        again.what.target.slot = slot_number(broken.slots.size());
        broken.slots.push_back(
            broken.slots[member_of(f, member_kind::weights).what.target.slot.index()]);
        f.members.insert(f.members.begin() + 2, again);
    });
    p.refuses(
        "a result that is not proportional to its weights alone", "fused",
        [&](program_plan& broken) { member_of(group(broken), member_kind::rows).weights = {}; });
    p.refuses("a result that is not proportional to its weights alone", "fused",
              [&](program_plan& broken) {
                  // The square of the weights, before they are complete.
                  auto& f = group(broken);
                  auto& values = broken.values;
                  auto squares = member_of(f, member_kind::weights);
                  squares.kind = member_kind::tile;
                  squares.what.folding = fold::none;
                  squares.what.over.clear();
                  squares.what.body =
                      values.apply(opcode::square, values.load(squares.what.target));
                  squares.what.target.slot = slot_number(broken.slots.size());
                  broken.slots.push_back(
                      broken.slots[member_of(f, member_kind::weights).what.target.slot.index()]);
                  auto& rows = member_of(f, member_kind::rows).what;
                  rows.body = values.as_written(opcode::multiply, {values.load(squares.what.target),
                                                                   values[rows.body].arguments[1]});
                  f.members.insert(f.members.begin() + 2, squares);
              });
    two.refuses("a result that is not proportional to its weights alone", "fused",
                [&](program_plan& broken) {
                    member_of(group(broken, 1), member_kind::rows).weights =
                        member_of(group(broken, 0), member_kind::weights).what.target.slot;
                });
    two.refuses("a result that is rescaled, and not of rows", "fused", [&](program_plan& broken) {
        member_of(group(broken, 1), member_kind::columns).weights =
            member_of(group(broken, 0), member_kind::weights).what.target.slot;
    });
}

TEST_CASE("weights are made again from what was found with them") {
    const planned p(gradients, "fuse");
    const std::string behind = "a largest score that does not stand behind its weights";
    p.refuses(behind, "fused", [&](program_plan& broken) {
        auto& a = member_of(group(broken, 0), member_kind::maximum).what;
        a.body = broken.values.apply(opcode::exp, a.body);
    });
    p.refuses(behind, "fused", [&](program_plan& broken) {
        auto& members = group(broken, 0).members;
        const auto at = std::find_if(members.begin(), members.end(),
                                     [](const auto& m) { return m.kind == member_kind::maximum; });
        std::swap(*at, *(at - 1));
    });
    p.refuses("a largest weight that does not stand behind its weights", "fused",
              [&](program_plan& broken) {
                  auto& f = group(broken, 0);
                  member_of(f, member_kind::largest).what.body =
                      member_of(f, member_kind::maximum).what.body;
              });
    p.refuses("weights that are made again in another form", "fused", [&](program_plan& broken) {
        auto& a = member_of(group(broken, 1), member_kind::recomputed).what;
        a.body = broken.values[a.body].arguments[0];
    });
    p.refuses("a tensor that is read before it is written", "fused", [&](program_plan& broken) {
        // Nobody gives the largest scores any more.
        auto& members = group(broken, 0).members;
        std::erase_if(members, [](const auto& m) { return m.kind == member_kind::maximum; });
    });
}

TEST_CASE("a result is of a tile, and a whole sum") {
    const planned p(attention, "fuse"), two(gradients, "fuse"), written(plane, "fuse"),
        lines(biased, "fuse");
    p.refuses("a result of something else than a tile", "fused", [&](program_plan& broken) {
        auto& a = member_of(group(broken), member_kind::rows).what;
        a.body = broken.values.apply(opcode::tanh, a.body);
    });
    const std::string rows =
        "a result of rows that is not summed over all columns, and over these alone";
    const std::string columns =
        "a result of columns that is not summed over all rows, and over these alone";
    p.refuses(rows, "fused", [&](program_plan& broken) {
        auto& f = group(broken);
        sum_over(member_of(f, member_kind::rows).what, loop_with(f, loop_role::batch));
    });
    two.refuses(rows, "fused", [&](program_plan& broken) {
        member_of(group(broken, 1), member_kind::columns).kind = member_kind::rows;
    });
    two.refuses(columns, "fused", [&](program_plan& broken) {
        member_of(group(broken, 1), member_kind::rows).kind = member_kind::columns;
    });
    written.refuses("a tile written in part", "fused", [&](program_plan& broken) {
        for (auto& s : broken.steps)
            if (auto* f = std::get_if<fused>(&s.what))
                for (auto& m : f->members)
                    if (m.kind == member_kind::pairs)
                        sum_over(m.what, loop_with(*f, loop_role::row));
    });
    lines.refuses("a tile added along lines that is no scatter", "fused",
                  [&](program_plan& broken) {
                      for (auto& s : broken.steps)
                          if (auto* f = std::get_if<fused>(&s.what))
                              for (auto& m : f->members)
                                  if (m.kind == member_kind::added)
                                      m.what.kind = assignment_kind::map;
                  });
    p.refuses("a group that reads its own result", "fused", [&](program_plan& broken) {
        auto& f = group(broken);
        auto& values = broken.values;
        auto again = member_of(f, member_kind::rows);
        again.what.body = values.as_written(opcode::multiply, {values[again.what.body].arguments[0],
                                                               values.load(again.what.target)});
        f.members.push_back(again);
    });
}

TEST_CASE("a place stands behind its extremum") {
    const planned p(nearest, "fuse");
    const std::string words = "a place that does not stand behind its extremum";
    p.refuses(words, "fused", [&](program_plan& broken) {
        member_of(group(broken), member_kind::place).what.folding = fold::maximum;
    });
    p.refuses(words, "fused", [&](program_plan& broken) {
        std::erase_if(group(broken).members,
                      [](const auto& m) { return m.kind == member_kind::rows; });
    });
    p.refuses(words, "fused", [&](program_plan& broken) {
        auto& f = group(broken);
        std::swap(member_of(f, member_kind::place, 0), member_of(f, member_kind::place, 1));
    });
    p.refuses(words, "fused", [&](program_plan& broken) {
        member_of(group(broken), member_kind::place).what.kind = assignment_kind::map;
    });
}

TEST_CASE("what two members write, both reach at the same time") {
    const planned p(square, "fuse"), two(square, "chain");
    const std::string words = "two members that write one tensor in different ways";
    p.refuses(words, "fused", [&](program_plan& broken) {
        // Rows and columns.
        auto& f = group(broken, 1);
        member_of(f, member_kind::columns).what.target.slot =
            member_of(f, member_kind::rows).what.target.slot;
        member_of(f, member_kind::columns).what.beta = 1;
    });
    p.refuses(words, "fused", [&](program_plan& broken) {
        // The second one does not add to what the first one gives.
        auto& f = group(broken, 1);
        f.members.push_back(member_of(f, member_kind::rows));
    });
    p.refuses(words, "fused", [&](program_plan& broken) {
        // What is found with the weights, and sums of rows.
        auto& f = group(broken, 0);
        auto rows = member_of(f, member_kind::maximum);
        rows.kind = member_kind::rows;
        rows.what.folding = fold::sum;
        rows.what.beta = 1;
        rows.what.scale = broken.values.constant(1);
        rows.what.body = broken.values.load(member_of(f, member_kind::weights).what.target);
        rows.weights = member_of(f, member_kind::weights).what.target.slot;
        f.members.push_back(rows);
    });
    two.refuses("a result of a chain that both of its groups write", chain_words,
                [&](program_plan& broken) {
                    auto& c = chain(broken);
                    member_of(c.second, member_kind::rows).what.target.slot =
                        member_of(c.first, member_kind::rows).what.target.slot;
                });
}

TEST_CASE("the groups of a chain go the same way, and give what a row needs") {
    const planned p(gradients, "chain");
    p.refuses("two groups of a chain with other loops", chain_words, [&](program_plan& broken) {
        auto& loops = chain(broken).second.loops;
        std::swap(loops[0], loops[1]);
    });
    p.refuses("a chain whose first group gives more than results of rows", chain_words,
              [&](program_plan& broken) {
                  auto& c = chain(broken);
                  auto sum = member_of(c.second, member_kind::columns);
                  sum.what.body =
                      broken.values.load(member_of(c.first, member_kind::product).what.target);
                  sum.what.target =
                      broken
                          .values[broken.values[member_of(c.first, member_kind::rows).what.body]
                                      .arguments[1]]
                          .source;
                  sum.what.target.slot = member_of(c.second, member_kind::columns).what.target.slot;
                  sum.what.loops = loops_of(sum.what.target);
                  c.first.members.push_back(sum);
              });
    p.refuses("a chain whose second group gives more than results of rows and columns", chain_words,
              [&](program_plan& broken) {
                  auto& f = chain(broken).second;
                  auto tile = member_of(f, member_kind::recomputed);
                  tile.kind = member_kind::pairs;
                  tile.what.body = broken.values.load(tile.what.target);
                  auto memory = broken.slots[tile.what.target.slot.index()];
                  memory.kind = storage::workspace;
                  tile.what.target.slot = slot_number(broken.slots.size());
                  broken.slots.push_back(memory);
                  f.members.push_back(tile);
              });
    p.refuses("a tile that is kept and not a product of both groups", chain_words,
              [&](program_plan& broken) {
                  auto& c = chain(broken);
                  c.kept[0].first = member_of(c.first, member_kind::weights).what.target.slot;
              });
}

TEST_CASE("what a chain reads of its own results is of the same row") {
    const planned p(gradients, "chain");
    const std::string sum = "a sum between groups of something else than two tensors";
    p.refuses(sum, chain_words, [&](program_plan& broken) {
        auto& a = chain(broken).between.at(0);
        a.body = broken.values.apply(opcode::exp, a.body);
    });
    p.refuses(sum, chain_words,
              [&](program_plan& broken) { chain(broken).between.at(0).folding = fold::maximum; });
    p.refuses("a sum between groups that is not one for each row", chain_words,
              [&](program_plan& broken) {
                  auto& c = chain(broken);
                  sum_over(c.between.at(0), loop_with(c.first, loop_role::batch));
              });
    p.refuses("a sum between groups that reads other rows than its own", chain_words,
              [&](program_plan& broken) {
                  auto& c = chain(broken);
                  auto& values = broken.values;
                  auto& a = c.between.at(0);
                  const auto o = p.slot("O");
                  a.body = values.substituted(a.body, [&](expr e) {
                      if (values[e].kind != kind::load || values[e].source.slot != o)
                          return expr::none;
                      access first = values[e].source;
                      stop(first, loop_with(c.first, loop_role::row));
                      return values.load(first);
                  });
              });
    p.refuses("a result of a chain that is read by a product or a sum of its second group",
              chain_words, [&](program_plan& broken) {
                  // The gradient by O has the shape of O.
                  auto& values = broken.values;
                  const auto from = p.slot("dL/dO"), to = p.slot("O");
                  for (auto& m : chain(broken).second.members)
                      if (m.kind == member_kind::product)
                          m.what.body = values.substituted(m.what.body, [&](expr e) {
                              if (values[e].kind != kind::load || values[e].source.slot != from)
                                  return expr::none;
                              access other = values[e].source;
                              other.slot = to;
                              return values.load(other);
                          });
              });
    p.refuses("a result of a chain that is read at other rows than its own", chain_words,
              [&](program_plan& broken) {
                  auto& c = chain(broken);
                  auto& values = broken.values;
                  const auto sums = member_of(c.first, member_kind::maximum).what.target.slot;
                  auto& a = member_of(c.second, member_kind::recomputed).what;
                  a.body = values.substituted(a.body, [&](expr e) {
                      if (values[e].kind != kind::load || values[e].source.slot != sums)
                          return expr::none;
                      access first = values[e].source;
                      stop(first, loop_with(c.first, loop_role::row));
                      return values.load(first);
                  });
              });
}

}  // namespace ricci::plan
