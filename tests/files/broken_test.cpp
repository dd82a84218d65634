// Broken and hostile files end in a sentence: cut anywhere, with any byte changed, and made to do
// harm.
#include "tests/catch.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <ricci/files.hpp>

#include "tests/files/bytes.hpp"
#include "tests/files/folder.hpp"
#include "tests/files/refusal.hpp"

namespace {

using ricci::arrays;
using ricci::element;
using ricci::testing::counted;
using ricci::testing::read_in_every_way;
using ricci::testing::read_text;
using ricci::testing::refusal;
using ricci::testing::temporary_folder;
using ricci::testing::without_file;
using ricci::testing::words_of;
using ricci::testing::write_text;

// A valid file of each format, as bytes.
std::string valid(const temporary_folder& folder, const std::string& ending) {
    const auto path = folder / ("valid" + ending);
    arrays all{{"x", counted(element::f32, {3, 5})}};
    if (ending != ".npy") {
        all.set("mask", counted(element::boolean, {7}));
        all.set("n", counted(element::i64, {}));
        all.set("none", counted(element::f64, {0, 3}));
    }
    ricci::save(path, all);
    return read_text(path);
}

const std::string endings[] = {".npy", ".npz", ".safetensors"};

TEST_CASE("a file that is cut anywhere is refused") {
    const temporary_folder folder;
    for (const std::string& ending : endings) {
        const std::string whole = valid(folder, ending);
        const auto path = folder / ("x" + ending);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            write_text(path, whole.substr(0, length));
            const std::string said = read_in_every_way(path);
            INFO(ending << " of " << length << " bytes: " << said);
            CHECK(!said.empty());
            CHECK(!said.starts_with("NO SENTENCE"));
        }
        CHECK(refusal(path, "") == "it is empty");
        CHECK(!refusal(path, whole + "x").empty() == (ending != ".npz"));
    }
}

TEST_CASE("a file with one byte changed is refused, or read without harm") {
    const temporary_folder folder;
    for (const std::string& ending : endings) {
        const std::string whole = valid(folder, ending);
        const auto path = folder / ("x" + ending);
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (const int change : {1, 2, 0x20, 0x80, 0xff}) {
                std::string changed = whole;
                changed[at] = static_cast<char>(changed[at] ^ change);
                write_text(path, changed);
                const std::string said = read_in_every_way(path);
                if (said.starts_with("NO SENTENCE"))
                    FAIL_CHECK(ending << " at " << at << ": " << said);
            }
    }
}

std::string npy(const std::string& header, const std::string& data = {}, int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
        bytes += static_cast<char>(header.size() >> (8 * k) & 255);
    return bytes + header + data;
}
std::string npy_of(const std::string& type, const std::string& shape,
                   const std::string& data = {}) {
    return npy("{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + ", }\n", data);
}

TEST_CASE(".npy headers are read strictly") {
    const temporary_folder folder;
    const auto path = folder / "x.npy";
    const std::string eight(8, '\0');
    const std::pair<std::string, std::string> accepted[] = {
        {npy_of("'<f4'", "(2,)", eight), "plain"},
        {npy_of("'f4'", "(1, 2)", eight), "the machine's order"},
        {npy_of("'=f8'", "()", eight), "no axes"},
        {npy_of("'|b1'", "(8,)", eight), "bool"},
        {npy_of("'>i1'", "(8,)", eight), "one byte has no order"},
        {npy("{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":True}", eight),
         "as others write it"},
        {npy("  {'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}\n", eight), "Python 2"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1,), }" +
                 std::string(9000, ' '),
             eight),
         "padded"},
        {npy_of("'<f4'", "(0, 9223372036854775807)"), "none of very many"},
    };
    for (const auto& [bytes, words] : accepted) {
        INFO(words);
        if (words == "none of very many")
            CHECK(refusal(path, bytes) ==
                  "its extents are too large: it has more bytes than memory has addresses");
        else CHECK(refusal(path, bytes).empty());
    }

    const std::string eight_axes = "1, 1, 1, 1, 1, 1, 1, 1, ";
    std::string many_axes;
    for (int k = 0; k < 1000; ++k) many_axes += eight_axes;
    const std::string no_tuple = "its .npy header says a shape that is no tuple of numbers";
    const std::pair<std::string, std::string> refused[] = {
        {"PK\3\4 not numpy", "it does not begin as a .npy file does"},
        {npy("", "", 4), "it is of version 4.0 of the .npy format; 1.0, 2.0 and 3.0 are read"},
        {std::string("\x93NUMPY\x01\x01", 8),
         "it is of version 1.1 of the .npy format; 1.0, 2.0 and 3.0 are read"},
        {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13),
         "its .npy header of 4294967295 bytes is longer than any of a tensor"},
        {std::string("\x93NUMPY\x01\x00\xff\xff{", 11), "it ends within its .npy header"},
        {npy(""), "its .npy header lacks { at its byte 0"},
        {npy("{}"), "its .npy header lacks descr, fortran_order or shape"},
        {npy("{'descr': '<f4', 'descr': '<f4'}"), "its .npy header has a key twice"},
        {npy("{'descr': '<f4', 'order': False}"), "its .npy header has the key order"},
        {npy("{'descr': '<f4', 'fortran_order': 1}"),
         "its .npy header says a fortran_order that is neither True nor False"},
        {npy("{'descr': '<f4\\x00'}"), "its .npy header has a string that is not plain"},
        {npy("{'descr': '<f4"), "its .npy header ends within a string"},
        {npy("{'descr': __import__('os')}"), "its .npy header lacks a string at its byte 10"},
        {npy(std::string(60000, '{')), "its .npy header lacks a string at its byte 1"},
        {npy_of("'<f4'", "(2,)") + " ", "it ends early: its shape takes 8 bytes, and there are 1"},
        {npy_of("'<f4'", "(2,)", eight + "1"),
         "there is more behind its array, 1 byte; of files that hold several, .npz or .safetensors "
         "are read"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} or 1", eight),
         "its .npy header goes on after its dictionary"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}", eight, 3), no_tuple},
        {npy_of("'<f4'", "(-2,)"), "its .npy header says an extent below 0"},
        {npy_of("'<f4'", "(-9223372036854775808, -1)"), "its .npy header says an extent below 0"},
        {npy_of("'<f4'", "(2)"), no_tuple},
        {npy_of("'<f4'", "[2]"), no_tuple},
        {npy_of("'<f4'", "(2 3)"), no_tuple},
        {npy_of("'<f4'", "(,)"), no_tuple},
        {npy_of("'<f4'", "(02,)"), no_tuple},
        {npy_of("'<f4'", "(2.0,)"), no_tuple},
        {npy_of("'<f4'", "(True,)"), no_tuple},
        {npy_of("'<f4'", "((2,),)"), no_tuple},
        {npy_of("'<f4'", "(99999999999999999999,)"),
         "its .npy header says an extent that is too large"},
        {npy_of("'<f4'", "(9223372036854775808,)"),
         "its .npy header says an extent that is too large"},
        {npy_of("'<f4'", "(4611686018427387904,)"),
         "its extents are too large: it has more bytes than memory has addresses"},
        {npy_of("'<f4'", "(4294967296, 4294967296)"),
         "its extents are too large: it has more bytes than memory has addresses"},
        {npy_of("'|u1'", "(3000000000000000000,)"),
         "its extents are too large: it has more bytes than memory has addresses"},
        {npy_of("'<f4'", "(1000000000000,)"),
         "it ends early: its shape takes 4000000000000 bytes, and there are 0"},
        {npy_of("'<f4'", "(" + many_axes + ")"), "its .npy header says more than 64 axes"},
        {npy_of("'<u4'", "(2,)", eight),
         "its elements are uint32 (<u4), which is no element type of ricci"},
        {npy_of("'<u8'", "(1,)", eight),
         "its elements are uint64 (<u8), which is no element type of ricci"},
        {npy_of("'|O'", "(1,)", eight),
         "its elements are Python objects (|O), which is no element type of ricci"},
        {npy_of("'<U2'", "(1,)", eight),
         "its elements are strings (<U2), which is no element type of ricci"},
        {npy_of("[('a', '<f4'), ('b', '<f4')]", "(1,)", eight),
         "its elements are records of several fields, which is no element type of ricci"},
        {npy_of("'<q9'", "(1,)", eight), "its header says an unknown element type, <q9"},
        {npy_of("''", "(1,)", eight), "its header says an unknown element type, "},
        {npy_of("'>f8'", "(1,)", eight),
         "its numbers have their bytes in big-endian order (>f8), which is not read; "
         "x.astype(x.dtype.newbyteorder('<')) turns them round"},
    };
    for (const auto& [bytes, words] : refused) CHECK(refusal(path, bytes) == words);
    CHECK(refusal(path, npy_of("'\x01\x7f" + std::string(500, 'x') + "'", "()")).size() < 200);
}

std::string safetensors(const std::string& header, std::size_t bytes = 0) {
    std::string text;
    for (int k = 0; k < 8; ++k)
        text += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * k) & 255);
    return text + header + std::string(bytes, '\1');
}
std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + shape +
           "],\"data_offsets\":[" + offsets + "]}";
}

TEST_CASE(".safetensors headers are read strictly") {
    const temporary_folder folder;
    const auto path = folder / "x.safetensors";
    const std::string a = entry("a", "F32", "2", "0,8"), b = entry("b", "F32", "2", "8,16");
    const std::string accepted[] = {
        safetensors("{}"),
        safetensors("{" + a + "}   ", 8),
        safetensors("{" + b + "," + a + "}", 16),
        safetensors("{\"__metadata__\":{\"x\":\"y\"}," + a + "}", 8),
        safetensors("{" + a + "," + entry("z", "F64", "0,5", "8,8") + "," + b + "}", 16),
        safetensors("{" + entry("s", "F64", "", "0,8") + "}", 8),
        safetensors("{" + entry("", "F64", "", "0,8") + "}", 8),
    };
    for (const std::string& bytes : accepted) CHECK(refusal(path, bytes).empty());

    const std::string not_said =
        "tensor a of its header is not said as {\"dtype\": TEXT, \"shape\": [NUMBERS], "
        "\"data_offsets\": [NUMBER, NUMBER]}";
    std::string axes = "1";
    for (int k = 0; k < 5000; ++k) axes += ",1";
    const std::pair<std::string, std::string> refused[] = {
        {"1234567", "it ends within the length of its header"},
        {std::string(8, '\xff'),
         "its header of 18446744073709551615 bytes is longer than the format allows"},
        {std::string("\xff\xff\xff\x3f\0\0\0\0{}", 10),
         "its header of 1073741823 bytes is longer than the format allows"},
        {std::string("\x03\0\0\0\0\0\0\0{}", 10), "it ends within its header"},
        {safetensors(""), "its header does not begin with {"},
        {safetensors(" {}"), "its header does not begin with {"},
        {safetensors("[]"), "its header does not begin with {"},
        {safetensors("{"), "its header is no JSON at byte 2"},
        {safetensors("{} {}"), "its header is no JSON at byte 4"},
        {safetensors("{" + a + "}" + std::string(3, '\0'), 8), "its header has a NUL at byte 54"},
        {safetensors("{" + a + "}" + std::string(1, '\0') + b + "}", 16),
         "its header has a NUL at byte 54"},
        {safetensors("{" + entry("a\\u0000b", "F32", "2", "0,8") + "}", 8),
         "its header has a name with a NUL"},
        {safetensors("{\"a\":1}"), not_said},
        {safetensors("{\"a\":" + std::string(100000, '[') + "}"), not_said},
        {safetensors("{\"a\":{\"shape\":[" + std::string(100000, '[') + "}"), not_said},
        {safetensors("{\"a\":{\"shape\":" + std::string(100000, '{') + "}"), not_said},
        {safetensors("{\"__metadata__\":{\"a\":{}}}"), "its metadata are not texts by name"},
        {safetensors("{\"__metadata__\":[]}"), "its metadata are not texts by name"},
        {safetensors("{\"__metadata__\":9223372036854775808}"),
         "its metadata are not texts by name"},
        {safetensors("{\"__metadata__\":-1}"), "its metadata are not texts by name"},
        {safetensors("{\"__metadata__\":1e400}"), "its header is no JSON at byte 21"},
        {safetensors("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}"), "its metadata name a twice"},
        {safetensors("{\"__metadata__\":{},\"__metadata__\":{}}"),
         "its header names __metadata__ twice"},
        {safetensors("{" + a + "," + a + "}", 8), "its header names a twice"},
        {safetensors("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"),
         "tensor a of its header has dtype twice"},
        {safetensors("{\"a\":{\"dtype\":\"F32\",\"strides\":[1]}}"),
         "tensor a of its header has the unknown key strides"},
        {safetensors("{\"a\":{\"dtype\":\"F32\"}}"),
         "tensor a of its header lacks one of dtype, shape and data_offsets"},
        {safetensors("{\"a\":{\"dtype\":null}}"), not_said},
        {safetensors("{\"a\\n\xff\":1}"), "its header is no JSON at byte 6"},
        {safetensors("{" + entry("a", "F32", "-2", "0,8") + "}", 8),
         "tensor a of its header has a number below 0"},
        {safetensors("{" + entry("a", "F32", "2.0", "0,8") + "}", 8),
         "tensor a of its header has a number that is not whole or too large"},
        {safetensors("{" + entry("a", "F32", "99999999999999999999", "0,8") + "}", 8),
         "tensor a of its header has a number that is not whole or too large"},
        {safetensors("{" + entry("a", "F32", "9223372036854775808", "0,8") + "}", 8),
         "tensor a of its header has a number that is too large"},
        {safetensors("{" + entry("a", "F32", "2", "0,8,8") + "}", 8),
         "tensor a of its header has other data_offsets than two"},
        {safetensors("{" + entry("a", "F32", "2", "0") + "}", 8),
         "tensor a of its header has other data_offsets than two"},
        {safetensors("{" + entry("a", "F32", axes, "0,4") + "}", 4),
         "tensor a of its header has more than 64 axes"},
        {safetensors("{" + entry("a", "F32", "4611686018427387904,4", "0,0") + "}"),
         "tensor a: its extents are too large: it has more bytes than memory has addresses"},
        {safetensors("{" + entry("a", "F32", "3", "0,8") + "}", 8),
         "tensor a: its shape takes 12 bytes, and its data_offsets are for 8"},
        {safetensors("{" + a + "}", 7), "tensor a: its bytes end at 8 of 7 that the file has"},
        {safetensors("{" + a + "}", 9), "there is more behind its last tensor, 1 byte"},
        {safetensors("{" + a + "," + entry("b", "F32", "2", "4,12") + "}", 12),
         "tensor b: its bytes overlap those of another tensor"},
        {safetensors("{" + a + "," + entry("b", "F32", "2", "12,20") + "}", 20),
         "tensor b: before its bytes there is a gap of 4 bytes"},
        {safetensors("{" + entry("a", "F32", "2", "8,0") + "}", 8),
         "tensor a: its bytes end before they begin"},
        {safetensors("{" + entry("a", "U32", "2", "0,8") + "}", 8),
         "tensor a: its elements are U32, which is no element type of ricci"},
        {safetensors("{" + entry("a", "F8_E4M3", "8", "0,8") + "}", 8),
         "tensor a: its elements are F8_E4M3, which is no element type of ricci"},
        {safetensors("{" + entry("a", "f32", "2", "0,8") + "}", 8),
         "tensor a: its elements are of an unknown type, f32"},
    };
    for (const auto& [bytes, words] : refused) CHECK(refusal(path, bytes) == words);

    // Of a tensor that cannot be read the others do not suffer.
    write_text(path, safetensors("{" + entry("u", "U32", "2", "0,8") + "," + b + "}", 16));
    CHECK(ricci::load(path, "b").size() == 2);
    CHECK(ricci::load_shape(path, "b").size() == 2);
    CHECK(!words_of([&] { ricci::load(path, "u"); }).empty());
}

TEST_CASE("a member of a .npz file whose name goes on behind a NUL is refused") {
    const temporary_folder folder;
    const auto path = folder / "x.npz";
    ricci::save(path, {{"a", counted(element::f32, {2})}, {"b*", counted(element::f32, {2})}});
    std::string bytes = read_text(path);
    CHECK(refusal(path, bytes).empty());
    for (std::size_t at = 0; (at = bytes.find("b*.npy", at)) != std::string::npos; ++at)
        bytes[at + 1] = '\0';
    CHECK(refusal(path, bytes) == "it has a member b\\x00.npy, whose name has a NUL in it");
}

TEST_CASE("many thousand tensors are read in a moment") {
    const temporary_folder folder;
    const auto path = folder / "x.safetensors";
    std::string header = "{";
    for (int k = 0; k < 200'000; ++k)
        header += (k == 0 ? "" : ",") + entry("t" + std::to_string(k), "F32", "0", "0,0");
    write_text(path, safetensors(header + "}"));
    CHECK(ricci::load_all(path).size() == 200'000);
    CHECK(without_file(words_of([&] { ricci::load(path); }), path) ==
          "it holds 200000 tensors, and one has to be named: t0, t1, t2, t3, t4, t5, t6, t7, t8, "
          "t9 and 199990 more");
}

TEST_CASE("tensors that are not there, and files that hold another number of them") {
    const temporary_folder folder;
    for (const std::string ending : {".npz", ".safetensors"}) {
        const auto path = folder / ("x" + ending);
        ricci::save(path, {{"a", counted(element::f32, {})}, {"b", counted(element::f32, {})}});
        CHECK(without_file(words_of([&] { ricci::load(path, "c"); }), path) ==
              "it has no tensor c; there are a, b");
        CHECK(without_file(words_of([&] { ricci::load(path); }), path) ==
              "it holds 2 tensors, and one has to be named: a, b");
        ricci::save(path, arrays());
        CHECK(without_file(words_of([&] { ricci::load(path); }), path) == "it holds no tensor");
        CHECK(without_file(words_of([&] { ricci::load(path, "c"); }), path) ==
              "it has no tensor c");
    }
    ricci::save(folder / "x.npy", counted(element::f32, {}));
    CHECK(without_file(words_of([&] { ricci::load(folder / "x.npy", "y"); }), folder / "x.npy") ==
          "it has no tensor y; there is x");
}

TEST_CASE("what is no file is refused, and nobody waits for it") {
    const temporary_folder folder;
    std::filesystem::create_directory(folder / "d.npy");
    REQUIRE(mkfifo((folder / "f.npz").c_str(), 0600) == 0);
    std::filesystem::create_symlink("/dev/zero", folder / "z.safetensors");
    write_text(folder / "secret.npy", "x");
    std::filesystem::permissions(folder / "secret.npy", std::filesystem::perms::none);
    std::vector<std::pair<std::string, std::string>> refused = {
        {"d.npy", "it is a directory, not a file"},
        {"f.npz", "it is a pipe, not a file"},
        {"z.safetensors", "it is a device, not a file"},
        {"absent.npy", "it cannot be opened: No such file or directory"},
        {"d.npy/absent/x.npy", "it cannot be opened: No such file or directory"},
        {"x.csv",
         "its name ends in none of .npy, .npz and .safetensors, which say what a file holds"},
    };
    if (geteuid() != 0)
        refused.emplace_back("secret.npy", "it cannot be opened: Permission denied");
    for (const auto& [name, words] : refused) {
        const auto path = folder / name;
        CHECK(without_file(words_of([&] { ricci::load(path); }), path) == words);
        CHECK(without_file(words_of([&] { ricci::load(path, "x"); }), path) == words);
        CHECK(without_file(words_of([&] { ricci::load_shapes(path); }), path) == words);
    }
    CHECK(words_of([&] { ricci::load(std::string_view("a\0.npy", 6)); }) ==
          "ricci: a\\x00.npy: no file has a name with a NUL in it.");
}

}  // namespace
