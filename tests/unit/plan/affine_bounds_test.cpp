// How far sums of indices reach under inequalities, against every place of small boxes.
#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "src/plan/pool/affine_bounds.hpp"
#include "tests/catch.hpp"

using namespace ricci;
using namespace ricci::plan;

namespace {

std::int64_t at(const place& f, const std::vector<std::int64_t>& places) {
    std::int64_t sum = f.offset;
    for (const auto& t : f.terms) sum += t.factor * places[t.over.index()];
    return sum;
}

std::optional<whole_interval> walked(const place& form, const std::vector<loop_extent>& box,
                                     const std::vector<place>& conditions) {
    std::optional<whole_interval> found;
    std::vector<std::int64_t> places(box.size(), 0);
    for (bool more = true; more;) {
        bool holds = true;
        for (std::size_t v = 0; v < box.size(); ++v) holds = holds && places[v] < box[v].extent;
        for (const auto& c : conditions) holds = holds && at(c, places) >= 0;
        if (holds) {
            const std::int64_t here = at(form, places);
            if (!found) found = whole_interval{here, here};
            found = {std::min(found->least, here), std::max(found->most, here)};
        }
        more = false;
        for (std::size_t v = 0; v < box.size() && !more; ++v) {
            more = ++places[v] < box[v].extent;
            if (!more) places[v] = 0;
        }
    }
    return found;
}

}  // namespace

TEST_CASE("an interval holds every value, and is exact for factors of one", "[places]") {
    std::mt19937 draw(1);
    const auto number = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(draw);
    };
    for (int round = 0; round < 3000; ++round) {
        const bool plain = round % 2 == 0;
        std::vector<loop_extent> box;
        for (int v = 0, count = number(1, 4); v < count; ++v)
            box.push_back({loop(static_cast<std::int32_t>(v)), number(0, 6)});
        const auto form = [&] {
            place f;
            f.offset = number(-5, 5);
            // differences and sums of two, whose systems have whole corners, or anything
            for (std::size_t v = 0; v < box.size(); ++v)
                if (const int factor = plain ? number(0, 2) - 1 : number(-3, 3);
                    factor != 0 && (!plain || f.terms.size() < 1))
                    f.add(box[v].what, factor);
            return f;
        };
        std::vector<place> conditions;
        for (int c = 0, count = number(0, 4); c < count; ++c) conditions.push_back(form());
        const place asked = form();
        const auto got = bounds_of(asked, box, conditions);
        const auto want = walked(asked, box, conditions);
        if (want) {
            REQUIRE(got);
            CHECK(got->least <= want->least);
            CHECK(got->most >= want->most);
        }
        if (plain) {
            REQUIRE(got.has_value() == want.has_value());
            if (want) CHECK((got->least == want->least && got->most == want->most));
        }
    }
}

TEST_CASE("what inequalities say of some loops holds just where the others have places",
          "[places]") {
    std::mt19937 draw(2);
    const auto number = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(draw);
    };
    int exact = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<loop_extent> box, away;
        for (int v = 0; v < 4; ++v) box.push_back({loop(v), number(0, 6)});
        for (int v = 1, count = number(1, 3); v <= count; ++v)
            away.push_back(box[static_cast<std::size_t>(v)]);
        std::vector<place> conditions;
        for (int c = 0, count = number(1, 4); c < count; ++c) {
            place& f = conditions.emplace_back();
            f.offset = number(-5, 5);
            for (const loop_extent& r : box) f.add(r.what, number(-2, 2) / (round % 2 + 1));
        }
        const auto left = projected(conditions, away);
        if (!left) continue;
        ++exact;
        for (const place& p : *left)
            for (const auto& t : p.terms)
                CHECK(std::ranges::none_of(away,
                                           [&](const loop_extent& r) { return r.what == t.over; }));
        std::vector<std::int64_t> places(box.size(), 0);
        const auto holds = [](const std::vector<place>& all,
                              const std::vector<std::int64_t>& at_places) {
            return std::ranges::all_of(all, [&](const place& p) { return at(p, at_places) >= 0; });
        };
        // The loops that stay are the first and those behind the ones that go.
        const auto somewhere = [&](const auto& self, std::size_t v) -> bool {
            if (v > away.size()) return holds(conditions, places);
            bool found = false;
            for (places[v] = 0; places[v] < box[v].extent; ++places[v])
                found = found || self(self, v + 1);
            places[v] = 0;
            return found;
        };
        for (std::int64_t first = 0; first < box[0].extent; ++first)
            for (std::int64_t last = 0; last < 5; ++last) {
                places.assign(box.size(), 0);
                places[0] = first;
                if (away.size() < 3) places[3] = last;
                CHECK(somewhere(somewhere, 1) == holds(*left, places));
            }
    }
    CHECK(exact > 1000);
}
