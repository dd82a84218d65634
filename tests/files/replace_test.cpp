// A file is replaced as a whole or not at all: when writing fails, through links, with its
// permissions.
#include "tests/catch.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ricci/files.hpp>

#include "tests/files/bytes.hpp"
#include "tests/files/folder.hpp"
#include "tests/files/refusal.hpp"

namespace {

namespace fs = std::filesystem;
using ricci::array;
using ricci::arrays;
using ricci::element;
using ricci::testing::counted;
using ricci::testing::read_text;
using ricci::testing::same;
using ricci::testing::temporary_folder;
using ricci::testing::without_file;
using ricci::testing::words_of;
using ricci::testing::write_text;

const std::string endings[] = {".npy", ".npz", ".safetensors"};

// A disk that is full after so many bytes, as far as this process is concerned.
class full_disk {
public:
    explicit full_disk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{bytes, old_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~full_disk() {
        setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit old_{};
};

mode_t permissions_of(const fs::path& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

TEST_CASE("when the disk is full the old file stays, and nothing is left beside it") {
    const temporary_folder folder;
    for (const std::string& ending : endings) {
        const auto path = folder / ("x" + ending);
        const array old = counted(element::f32, {3});
        ricci::save(path, old);
        const auto files = folder.count();
        for (const rlim_t bytes : {rlim_t{0}, rlim_t{1}, rlim_t{70}, rlim_t{4000}, rlim_t{16000}}) {
            std::string said;
            {
                const full_disk full(bytes);
                said = words_of([&] { ricci::save(path, counted(element::f64, {2000})); });
            }
            CHECK(without_file(said, path) == "it cannot be written: File too large");
            CHECK(folder.count() == files);
            CHECK(same(ricci::load(path), old));
        }
    }
}

// What is left of a process that a signal ends while it writes.
std::size_t left_by(int signal, const temporary_folder& folder) {
    const pid_t child = fork();
    if (child == 0) {
        std::signal(signal, SIG_DFL);  // the test runner's handlers are not the program's
        const auto many = counted(element::f64, {std::size_t{1} << 22});
        for (;;) ricci::save(folder / "x.npy", many);
    }
    const auto unfinished = [&] {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(folder.path()))
            count += entry.path().extension() == ".tmp";
        return count;
    };
    for (int wait = 0; unfinished() == 0 && wait < 2000; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    return unfinished();
}

TEST_CASE("a process that a signal ends leaves nothing beside the file") {
    const temporary_folder folder;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) CHECK(left_by(signal, folder) == 0);
    // what is killed can do nothing: the next one that writes does it
    for (int attempt = 0; attempt < 5 && left_by(SIGKILL, folder) == 0; ++attempt) {
    }
    ricci::save(folder / "y.npy", counted(element::f32, {3}));
    for (const auto& entry : fs::directory_iterator(folder.path()))
        CHECK(entry.path().extension() == ".npy");
}

TEST_CASE("what no file of the format can hold is refused, and the old file stays") {
    const temporary_folder folder;
    const array halves = counted(element::bf16, {3}), wide = counted(element::c128, {3});
    const array many = array(element::f32, std::vector<std::size_t>(65, 1));
    const array shape = ricci::shape(element::f32, {3});
    const std::string no_bf16 =
        "numpy has no bf16; a .safetensors file holds it, or convert it to f32";
    const struct {
        std::string file;
        arrays tensors;
        std::string words;
    } refused[] = {
        {"x.npy", {{"x", halves}}, no_bf16},
        {"x.npz", {{"a", wide}, {"h", halves}}, "tensor h: " + no_bf16},
        {"x.safetensors",
         {{"a", halves}, {"c", wide}},
         "tensor c: the .safetensors format has no c128; a .npz file holds it"},
        {"x.npy", {{"x", shape}}, "tensor x: it is a shape, and has no elements to write"},
        {"x.npz", {{"x", many}}, "tensor x: it has 65 axes, and no file holds more than 64"},
        {"x.npy",
         {{"x", wide}, {"y", wide}},
         "a .npy file holds one tensor, and these are 2; .npz and .safetensors hold any number"},
        {"x.npy",
         {},
         "a .npy file holds one tensor, and these are 0; .npz and .safetensors hold any number"},
        {"x.npz",
         {{std::string("a\0b", 3), wide}},
         "tensor a\\x00b: no zip archive has a name with a NUL in it"},
        {"x.safetensors",
         {{"\xff\xfe", halves}},
         "tensor \xff\xfe: a .safetensors file has names in UTF-8, and this is not"},
        {"x.safetensors",
         {{std::string("a\0b", 3), halves}},
         "tensor a\\x00b: no .safetensors file has a name with a NUL in it"},
        {"x.safetensors",
         {{"__metadata__", halves}},
         "tensor __metadata__: the .safetensors format has another use for this name"},
    };
    for (const auto& r : refused) {
        const auto path = folder / r.file;
        write_text(path, "old");
        CHECK(without_file(words_of([&] { ricci::save(path, r.tensors); }), path) == r.words);
        CHECK(read_text(path) == "old");
    }
    CHECK(folder.count() == 3);
    const std::string said = words_of([&] {
        ricci::save(folder / "x.npz", {{"\xff\xfe", wide}, {std::string(70000, 'x'), wide}});
    });
    CHECK(!without_file(said, folder / "x.npz").starts_with("NO SENTENCE"));
    CHECK(said.size() < 400);
    CHECK(folder.count() == 3);
}

TEST_CASE("files that are written together stay together as they were") {
    const temporary_folder folder;
    const std::string a = (folder / "a.npy").string(), b = (folder / "b.npz").string();
    ricci::save_together(
        {{a, {{"a", array(element::f32, {1})}}}, {b, {{"b", array(element::f32, {2})}}}});
    CHECK(ricci::load(a).size() == 1);
    CHECK(ricci::load(b).size() == 2);
    const arrays more{{"x", array(element::f32, {3})}}, bad{{"x", array(element::bf16, {3})}};
    CHECK(!words_of([&] { ricci::save_together({{a, more}, {b, bad}}); }).empty());
    CHECK(ricci::load(a).size() == 1);
    CHECK(ricci::load(b).size() == 2);
    CHECK(folder.count() == 2);
}

TEST_CASE("permissions are kept, and a new file gets those of new files") {
    const temporary_folder folder;
    const mode_t mask = umask(027);
    for (const std::string& ending : endings) {
        const auto path = folder / ("x" + ending);
        ricci::save(path, counted(element::f32, {3}));
        CHECK(permissions_of(path) == 0640);
        for (const mode_t mode : {0600U, 0755U, 0666U, 0200U}) {
            REQUIRE(chmod(path.c_str(), mode) == 0);
            ricci::save(path, counted(element::f32, {4}));
            CHECK(permissions_of(path) == mode);
        }
    }
    umask(mask);
    if (geteuid() != 0) {
        const auto path = folder / "x.npy";
        REQUIRE(chmod(path.c_str(), 0400) == 0);
        CHECK(without_file(words_of([&] { ricci::save(path, counted(element::f32, {5})); }),
                           path) == "it cannot be written: Permission denied");
        CHECK(ricci::load(path).size() == 4);
    }
}

TEST_CASE("links are followed and stay") {
    const temporary_folder folder;
    fs::create_directories(folder / "a/b");
    fs::create_symlink("a/b/real.npy", folder / "relative.npy");
    fs::create_symlink(folder / "relative.npy", folder / "absolute.npy");
    fs::create_symlink("../relative.npy", folder / "a/up.npy");
    fs::create_symlink("a", folder / "folder");
    std::size_t n = 0;
    // The first is what a link without a file behind it makes.
    for (const std::string name : {"relative.npy", "absolute.npy", "a/up.npy", "folder/up.npy"}) {
        ricci::save(folder / name, array(element::f32, {++n}));
        CHECK(ricci::load(folder / "a/b/real.npy").size() == n);
        CHECK(ricci::load(folder / name).size() == n);
        CHECK(fs::is_symlink(folder / name));
        CHECK(!fs::is_symlink(folder / "a/b/real.npy"));
    }
    fs::create_symlink("two.npy", folder / "one.npy");
    fs::create_symlink("one.npy", folder / "two.npy");
    const std::string loop = "it cannot be written: Too many levels of symbolic links";
    CHECK(without_file(words_of([&] { ricci::save(folder / "one.npy", array()); }),
                       folder / "one.npy") == loop);
}

TEST_CASE("what is no file is not replaced by one") {
    const temporary_folder folder;
    fs::create_directory(folder / "d.npy");
    REQUIRE(mkfifo((folder / "f.npy").c_str(), 0600) == 0);
    fs::create_symlink("/dev/null", folder / "n.npy");
    const std::pair<std::string, std::string> refused[] = {
        {"d.npy", "it is a directory, not a file"},
        {"f.npy", "it is a device or a pipe, which no file replaces"},
        {"n.npy", "it is a device or a pipe, which no file replaces"},
        {"absent/x.npy", "it cannot be written: No such file or directory"},
        {"f.npy/x.npy", "it cannot be written: Not a directory"},
        {"x.txt",
         "its name ends in none of .npy, .npz and .safetensors, which say what a file holds"},
        {std::string(300, 'x') + ".npy", ""},
    };
    for (const auto& [name, words] : refused) {
        const auto path = folder / name;
        const std::string said = words_of([&] { ricci::save(path, array()); });
        if (words.empty()) CHECK(said.ends_with("it cannot be written: File name too long."));
        else CHECK(without_file(said, path) == words);
    }
    CHECK(folder.count() == 3);
    // A name as long as names may be leaves no room for an addition to it.
    const auto path = folder / (std::string(251, 'x') + ".npy");
    ricci::save(path, array(element::f32, {3}));
    CHECK(ricci::load(path).size() == 3);
    // A name without a folder.
    const fs::path here = fs::current_path();
    fs::current_path(folder.path());
    ricci::save("here.npy", array(element::f32, {3}));
    CHECK(ricci::load("here.npy").size() == 3);
    fs::current_path(here);
}

TEST_CASE("whoever reads while others write has a whole file") {
    const temporary_folder folder;
    for (const std::string& ending : endings) {
        const auto path = folder / ("x" + ending);
        ricci::save(path, array(element::f32, {1000}));
        std::vector<std::thread> writers;
        for (std::size_t n = 1; n <= 3; ++n)
            writers.emplace_back([&, n] {
                for (std::size_t k = 0; k < 10; ++k)
                    ricci::save(path, array(element::f32, {1000 * n + k}));
            });
        for (int k = 0; k < 100; ++k) CHECK(ricci::load(path).size() >= 1000);
        for (std::thread& writer : writers) writer.join();
    }
    CHECK(folder.count() == 3);
}

}  // namespace
