// Loops around steps: where slots lie in each pass, which steps run in it, and what the verifier
// refuses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/make_plan.hpp"
#include "src/plan/schedule/step_loop.hpp"
#include "src/plan/verify/verify_loop.hpp"
#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::plan;
namespace testing = ricci::testing;

namespace {

using pass_list = std::vector<std::vector<std::int64_t>>;

pass_list all_passes(const step_loop& around) {
    pass_list all;
    pass_counter pass(around);
    do all.push_back(pass.counters());
    while (pass.advance());
    return all;
}

}  // namespace

TEST_CASE("passes of loops go from the first to the last, or back", "[plan][loop]") {
    step_loop around;
    around.counts = {2, 3};
    CHECK(all_passes(around) == pass_list{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
    around.backwards = true;
    CHECK(all_passes(around) == pass_list{{1, 2}, {1, 1}, {1, 0}, {0, 2}, {0, 1}, {0, 0}});
    around.counts = {1};
    CHECK(all_passes(around) == pass_list{{0}});
}

TEST_CASE("a step runs where a loop that it depends on has gone on", "[plan][loop]") {
    step_loop around;
    around.counts = {2, 3};
    around.depends = {0, 1, 2, 3};
    std::vector<std::string> runs(4);
    pass_counter pass(around);
    for (int again = 0; again < 2; ++again) {
        pass.restart();
        do
            for (std::size_t k = 0; k < 4; ++k) runs[k] += pass.runs(k) ? 'x' : '.';
        while (pass.advance());
    }
    CHECK(runs[0] == "x.....x.....");
    CHECK(runs[1] == "x..x..x..x..");
    CHECK(runs[2] == "xxxxxxxxxxxx");
    CHECK(runs[3] == "xxxxxxxxxxxx");
    CHECK(around.runs_once(0));
    CHECK(!around.runs_once(1));
    around.counts = {1, 1};
    CHECK(!around.runs_once(0));
}

TEST_CASE("slots move from pass to pass", "[plan][loop]") {
    std::vector<std::byte> memory(100);
    std::byte first{}, last{};
    const auto offset = [&](const moving_slot& m, std::vector<std::int64_t> pass,
                            const std::vector<std::int64_t>& counts) {
        return static_cast<std::byte*>(m.at(pass, counts)) - memory.data();
    };
    moving_slot m;
    CHECK(m.at({3}, {5}) == nullptr);
    m.base = memory.data();
    m.first = 8;
    m.advance = {20, -2};
    CHECK(offset(m, {0, 0}, {3, 5}) == 8);
    CHECK(offset(m, {2, 4}, {3, 5}) == 40);
    m.advance = {4};
    m.at_first = &first;
    m.at_last = &last;
    CHECK(m.at({0}, {3}) == &first);
    CHECK(offset(m, {1}, {3}) == 12);
    CHECK(m.at({2}, {3}) == &last);
    m.advance = {-8};
    m.turns = 2;
    m.at_first = m.at_last = nullptr;
    CHECK(offset(m, {2}, {9}) == 8);
    CHECK(offset(m, {5}, {9}) == 0);
}

namespace {

/// A product that does not depend on what moves, and one that does, which a third step reads.
class looped {
public:
    explicit looped(const std::vector<std::string>& moving, bool adds_up = false)
        : bound_("P^a = u^b M^{ba}\nT^a = \\sin(P^a) x^b W^{ba}\ny^a = T^c Z^{ca} + P^a",
                 element::f64, 1) {
        for (const char* const name : {"u", "x"}) bound_.input(name, {20});
        for (const char* const name : {"M", "W", "Z"})
            bound_.input(name, {20, 20}, testing::layout::row_major);
        bound_.output("y", {20});
        around_.counts = {4};
        for (const std::string& name : moving) {
            moving_slot m;
            m.slot = slot_of_name(bound_.name(name));
            m.advance = {3200};
            around_.moving.push_back(m);
        }
        if (adds_up) around_.added_up = {slot_of_name(bound_.name("y"))};
        made = make_plan(bound_.request(), {}, &around_);
    }

    slot_number slot(const std::string& name) const { return slot_of_name(bound_.name(name)); }
    /// Of the steps that write a tensor.
    std::vector<loop_set> depends(const std::string& name) const {
        std::vector<loop_set> all;
        for (std::size_t k = 0; k < made.compiled.size(); ++k)
            for_each_slot(made.compiled[k], [&](slot_number s, bool writes) {
                if (writes && s == slot(name)) all.push_back(made.around.depends[k]);
            });
        return all;
    }
    bool all_of(const std::string& name, loop_set loops) const {
        const auto all = depends(name);
        return !all.empty() &&
               std::all_of(all.begin(), all.end(), [&](loop_set d) { return d == loops; });
    }
    ricci::plan::slot& at(const std::string& name) { return made.slots[slot(name).index()]; }

    program_plan made;

private:
    testing::bound_program bound_;
    step_loop around_;
};

std::string refusal(const program_plan& plan) {
    try {
        verify_loop(plan, "a change");
    } catch (const std::logic_error& e) {
        return e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("what depends on a loop is found", "[plan][loop]") {
    looped some({"W"});
    CHECK(some.all_of("P", 0));
    CHECK(some.all_of("T", 1));
    CHECK(some.all_of("y", 1));
    CHECK(some.at("P").lasts);
    CHECK(!some.at("T").lasts);
    looped first({"u"});
    CHECK(first.all_of("P", 1));
    CHECK(!first.at("P").lasts);
    looped all({"u", "W"});
    CHECK(all.all_of("P", 1));
    // What the caller gets is written in every pass.
    looped none({});
    CHECK(none.all_of("T", 0));
    CHECK(none.all_of("y", 1));
    CHECK(none.at("T").lasts);
    // An output that is added up is read as well.
    looped sum({"W"}, true);
    CHECK(sum.all_of("y", 1));
    CHECK(sum.all_of("P", 0));
    CHECK(sum.made.around.added_up == std::vector<slot_number>{sum.slot("y")});
}

TEST_CASE("the verifier refuses loops that would compute something else", "[plan][loop]") {
    const looped whole({"W"});
    CHECK(refusal(whole.made) == "none");
    const auto broken = [&](auto change) {
        looped copy = whole;
        change(copy);
        return refusal(copy.made);
    };
    CHECK(broken([](looped& l) { l.made.around.depends.assign(l.made.compiled.size(), 0); }) ==
          "after a change: a step stays behind while its operands move");
    CHECK(broken([](looped& l) {
              for (std::size_t k = 0; k < l.made.compiled.size(); ++k) {
                  bool touches = false;
                  for_each_slot(l.made.compiled[k], [&](slot_number s, bool writes) {
                      touches = touches || s == l.slot("W") || (writes && s == l.slot("y"));
                  });
                  l.made.around.depends[k] = touches ? 1 : 0;
              }
          }) == "after a change: a step stays behind what it reads or adds to");
    CHECK(broken([](looped& l) { l.at("P").lasts = false; }) ==
          "after a change: what is made less often than read has to last");
    CHECK(broken([](looped& l) { l.at("P").workspace_offset = l.at("T").workspace_offset; }) ==
          "after a change: what lasts shares its memory");
    CHECK(broken([](looped& l) { l.made.around.counts = {0}; }) ==
          "after a change: a loop has no pass");
    CHECK(broken([](looped& l) { l.made.around.moving[0].slot = l.slot("T"); }) ==
          "after a change: a slot moves that is not the caller's");
    CHECK(broken([](looped& l) { l.made.around.moving.push_back(l.made.around.moving[0]); }) ==
          "after a change: a slot moves twice");
    CHECK(broken([](looped& l) { l.made.around.moving[0].advance.clear(); }) ==
          "after a change: a slot does not say how it moves in every loop");
    CHECK(broken([](looped& l) { l.made.around.added_up = {l.slot("x")}; }) ==
          "after a change: what is added up is no output");
    CHECK(broken([](looped& l) { l.made.around.depends.pop_back(); }) ==
          "after a change: not every step says what it depends on");
}
