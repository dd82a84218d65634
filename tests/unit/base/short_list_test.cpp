// Lists that are nearly always short, against vectors.
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

#include "src/base/short_list.hpp"

namespace {

/// Does to a short list and to a vector the same, at random, and compares them each time.
/// `made(number)` is an element.
template <class T, class Made>
void check_against_vector(Made made) {
    std::mt19937 random(1);
    ricci::short_list<T, 2> list;
    std::vector<T> want;
    const auto place = [&](std::size_t k) { return want.begin() + static_cast<std::ptrdiff_t>(k); };
    for (int k = 0; k < 20000; ++k) {
        const T x = made(random() % 10), y = made(random() % 10);
        const std::size_t at = random() % (want.size() + 1);
        const std::size_t end = at + random() % (want.size() - at + 1);
        switch (random() % 12) {
            case 0:
            case 1:
                list.insert(list.begin() + at, x);
                want.insert(place(at), x);
                break;
            case 2:
                if (at == want.size()) break;
                list.erase(list.begin() + at);
                want.erase(place(at));
                break;
            case 3:
                list.push_back(x);
                want.push_back(x);
                break;
            case 4: {
                const std::vector<T> more{x, y, x};
                list.insert(list.begin() + at, more.begin(), more.end());
                want.insert(place(at), more.begin(), more.end());
                break;
            }
            case 5:
                list.erase(list.begin() + at, list.begin() + end);
                want.erase(place(at), place(end));
                break;
            case 6:
                if (at == want.size()) break;
                // Of itself, which may move meanwhile.
                list.push_back(list[at]);
                want.push_back(T(want[at]));
                break;
            case 7:
                list.resize(at, y);
                want.resize(at, y);
                break;
            case 8:
                list.resize(at + 3, y);
                want.resize(at + 3, y);
                break;
            case 9: {
                auto moved = std::move(list);
                list = {y};
                std::swap(list, moved);
                REQUIRE(moved.size() == 1);
                REQUIRE(moved[0] == y);
                break;
            }
            default:
                erase_if(list, [&](const T& z) { return z == x || z == y; });
                std::erase_if(want, [&](const T& z) { return z == x || z == y; });
        }
        const auto copy = list;
        REQUIRE(std::equal(copy.begin(), copy.end(), want.begin(), want.end()));
        REQUIRE(std::equal(list.rbegin(), list.rend(), want.rbegin(), want.rend()));
        REQUIRE(list.size() == want.size());
        REQUIRE((copy == list));
        ricci::short_list<T, 2> other{x};
        other = list;
        REQUIRE((other == list));
        other.assign(want.begin(), want.end());
        REQUIRE((other == list));
        list.push_back(y);
        REQUIRE_FALSE((other == list));
        list.pop_back();
    }
}

}  // namespace

TEST_CASE("a short list is a vector, whatever is done to it") {
    check_against_vector<int>([](std::size_t k) { return static_cast<int>(k); });
}

TEST_CASE("a short list owns what its elements own") {
    // Longer than what a string keeps in itself.
    check_against_vector<std::string>(
        [](std::size_t k) { return std::string(20, static_cast<char>('a' + k)); });
}

TEST_CASE("a few elements take no memory but the list's own") {
    ricci::short_list<int, 3> list{1, 2, 3};
    const auto inside = [&] {
        const auto* const at = reinterpret_cast<const char*>(list.data());
        const auto* const from = reinterpret_cast<const char*>(&list);
        return from <= at && at < from + sizeof list;
    };
    CHECK(inside());
    list.push_back(4);
    CHECK_FALSE(inside());
    list = {1, 2};
    const auto other = list;
    CHECK(other.data() != list.data());
}
