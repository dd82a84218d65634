// What is written is read again: every type, ranks, empty tensors, strides, names.
#include "tests/catch.hpp"

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <ricci/files.hpp>

#include "tests/files/bytes.hpp"
#include "tests/files/folder.hpp"
#include "tests/sanitized.hpp"

namespace {

using ricci::array;
using ricci::arrays;
using ricci::element;
using ricci::testing::all_elements;
using ricci::testing::counted;
using ricci::testing::same;
using ricci::testing::temporary_folder;
using ricci::testing::turned;

const std::vector<std::vector<std::size_t>> extents_of_all_ranks = {
    {},  {1},    {7},       {3, 4},         {2, 3, 5}, {2, 1, 3, 2}, {2, 3, 1, 2, 4},
    {0}, {3, 0}, {0, 2, 5}, {1, 1, 1, 1, 1}};

bool holds(const std::string& ending, element type) {
    return ending == ".safetensors" ? type != element::c128 : type != element::bf16;
}

TEST_CASE("one tensor of every type and rank is read as it was written") {
    const temporary_folder folder;
    for (const std::string ending : {".npy", ".npz", ".safetensors"})
        for (const element type : all_elements) {
            if (!holds(ending, type)) continue;
            for (const auto& extents : extents_of_all_ranks) {
                const array a = counted(type, extents);
                ricci::save(folder / ("X" + ending), a);
                INFO(ending << " " << name_of(type) << " of rank " << extents.size());
                CHECK(same(ricci::load(folder / ("X" + ending)), a));
                CHECK(same(ricci::load(folder / ("X" + ending), "X"), a));
                const arrays shapes = ricci::load_shapes(folder / ("X" + ending));
                REQUIRE(shapes.size() == 1);
                CHECK(ricci::load_shape(folder / ("X" + ending)).size() == a.size());
                CHECK(ricci::load_shape(folder / ("X" + ending), "X").is_shape());
                CHECK(shapes["X"].is_shape());
                CHECK(shapes["X"].type() == type);
                CHECK(std::vector(shapes["X"].extents().begin(), shapes["X"].extents().end()) ==
                      extents);
            }
        }
}

TEST_CASE("tensors by name keep their names, their order and their alignment") {
    const temporary_folder folder;
    for (const std::string ending : {".npz", ".safetensors"}) {
        arrays all;
        unsigned n = 0;
        for (const element type : {element::boolean, element::f64, element::f16, element::c64,
                                   element::i32, element::i64, element::f32})
            for (const auto& extents : extents_of_all_ranks) {
                all.set("layers/" + std::to_string(n) + ".Wäß \"q\"\n", counted(type, extents, n));
                ++n;
            }
        const auto path = folder / ("all" + ending);
        ricci::save(path, all);
        const arrays read = ricci::load_all(path);
        const arrays shapes = ricci::load_shapes(path);
        REQUIRE(read.size() == all.size());
        REQUIRE(shapes.size() == all.size());
        auto written = all.begin();
        auto shape = shapes.begin();
        for (const auto& [name, a] : read) {
            CHECK(name == written->first);
            CHECK(same(a, written->second));
            CHECK(shape->first == name);
            CHECK(shape->second.rank() == a.rank());
            CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % size_of(a.type()) == 0);
            CHECK(same(ricci::load(path, name), a));
            ++written;
            ++shape;
        }
    }
}

TEST_CASE("strides are written right") {
    const temporary_folder folder;
    for (const std::string ending : {".npy", ".npz", ".safetensors"})
        for (const element type : all_elements) {
            if (!holds(ending, type)) continue;
            const auto path = folder / ("x" + ending);
            array a = counted(type, {3, 4, 5});
            ricci::save(path, turned(a));
            CHECK(same(ricci::load(path), turned(a)));
            // every second of the last axis, backwards; one row for all
            const std::size_t size = size_of(type);
            auto* last = static_cast<std::byte*>(a.data()) + 4 * size;
            const std::size_t extents[] = {3, 2, 3};
            const std::int64_t strides[] = {20, 0, -2};
            const array b = array::over(std::make_shared<array>(a), type, last, extents, strides);
            ricci::save(path, b);
            CHECK(same(ricci::load(path), b));
        }
}

TEST_CASE("large files are mapped, and what is written to the arrays stays in memory") {
    const temporary_folder folder;
    for (const std::string ending : {".npy", ".npz", ".safetensors"}) {
        const auto path = folder / ("x" + ending);
        const array a = counted(element::f32, {512, 1030});
        ricci::save(path, a);
        array first = ricci::load(path);
        const array second = ricci::load(path);
        CHECK(same(first, a));
        first.as<float, 2>()(0, 0) = 5;
        first.as<float, 2>()(511, 1029) = 6;
        CHECK(same(second, a));
        CHECK(same(ricci::load(path), a));
        // The file may be replaced by what is made of itself, and removed.
        ricci::save(path, turned(first));
        CHECK(first.as<float, 2>()(511, 1029) == 6);
        CHECK(same(second, a));
        std::filesystem::remove(path);
        CHECK(same(second, a));
    }
}

// A sanitizer needs memory of its own at any time.
#ifndef RICCI_TEST_SANITIZED
TEST_CASE("where no page may be written, a mapped file is only read") {
    const temporary_folder folder;
    const array a = counted(element::f32, {512, 1030});
    for (const std::string ending : {".npy", ".safetensors"}) {
        const auto path = folder / ("x" + ending);
        ricci::save(path, a);
        // What may be written counts as data. The kernel takes a limit of 0 for none.
        rlimit old{};
        getrlimit(RLIMIT_DATA, &old);
        const rlimit little{4096, old.rlim_max};
        setrlimit(RLIMIT_DATA, &little);
        array read = ricci::load(path);
        setrlimit(RLIMIT_DATA, &old);
        CHECK(same(read, a));
        if (read.is_writable()) continue;  // a system that does not count so
        CHECK_THROWS_AS(read.data(), ricci::error);
    }
}
#endif

TEST_CASE("a tensor that was taken over, a view, and several names of a file") {
    const temporary_folder folder;
    ricci::tensor<double, 2> t({2, 3});
    t(1, 2) = 7;
    ricci::save(folder / "t.npy", t.view());
    const std::string name = (folder / "t.npy").string();
    CHECK(ricci::load(name).as<double, 2>()(1, 2) == 7);
    CHECK(ricci::load(name.c_str()).as<double, 2>()(1, 2) == 7);
    CHECK(ricci::load(std::string_view(name)).as<double, 2>()(1, 2) == 7);
    CHECK(ricci::load_all(name)["t"].as<double, 2>()(1, 2) == 7);
    ricci::save(folder / "T.NPZ", {{"a", t.view()}, {"b", ricci::array(std::move(t))}});
    CHECK(ricci::load(folder / "T.NPZ", "b").as<double, 2>()(1, 2) == 7);
    ricci::save(folder / "one.npy", arrays{{"whatever", array(element::i32, {2})}});
    CHECK(ricci::load(folder / "one.npy").size() == 2);
    ricci::save(folder / "none.npz", arrays());
    CHECK(ricci::load_all(folder / "none.npz").empty());
    ricci::save(folder / "none.safetensors", arrays());
    CHECK(ricci::load_all(folder / "none.safetensors").empty());
}

}  // namespace
