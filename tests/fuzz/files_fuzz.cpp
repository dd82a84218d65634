// A libFuzzer target: any bytes as a file of tensors. The first byte picks the format, the rest is
// the file.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include <ricci/files.hpp>

namespace {

using ricci::array;
using ricci::arrays;

constexpr const char* endings[] = {".npy", ".npz", ".safetensors"};

// A folder of its own, in memory where the system has such a place.
const std::string& folder() {
    // Never destroyed, as it is needed until the very end.
    static const std::string& name = *[] {
        std::string made = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        made += "/ricci-fuzz-XXXXXX";
        if (mkdtemp(made.data()) == nullptr) std::abort();
        std::atexit([] {
            for (const char* ending : endings)
                for (const char* file : {"/in", "/out"}) unlink((folder() + file + ending).c_str());
            rmdir(folder().c_str());
        });
        return new std::string(made);
    }();
    return name;
}

void write_file(const std::string& path, const std::uint8_t* data, std::size_t size) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
    close(file);
}

void check_sentence(std::string_view words, const std::string& path) {
    const bool right = words.starts_with("ricci: " + path + ": ") && words.ends_with(".") &&
                       words.find('\n') == std::string_view::npos && words.size() < 2000;
    if (right) return;
    std::fprintf(stderr, "no sentence: %.*s\n", static_cast<int>(words.size()), words.data());
    std::abort();
}

void check_same(const array& a, const array& b) {
    const array x = a.clone(), y = b.clone();
    if (x.type() != y.type() || x.rank() != y.rank() || x.size() != y.size()) std::abort();
    if (x.size() > 0 && std::memcmp(x.data(), y.data(), x.size() * size_of(x.type())) != 0)
        std::abort();
}

// What was read is written in the other formats, unless they do not hold it, and read again.
void write_and_read(const arrays& all) {
    for (const char* ending : {".npz", ".safetensors"}) {
        const std::string path = folder() + "/out" + ending;
        try {
            ricci::save(path, all);
        } catch (const ricci::error& e) {
            check_sentence(e.what(), path);
            continue;
        }
        const arrays again = ricci::load_all(path);
        if (again.size() != all.size()) std::abort();
        auto other = again.begin();
        for (const auto& [name, a] : all) {
            if (other->first != name) std::abort();
            check_same(a, (other++)->second);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string path = folder() + "/in" + endings[data[0] % 3];
    write_file(path, data + 1, size - 1);
    bool all_read = false;
    try {
        const arrays all = ricci::load_all(path);
        all_read = true;
        write_and_read(all);
    } catch (const ricci::error& e) {
        check_sentence(e.what(), path);
        if (all_read) std::abort();
    }
    try {
        for (const auto& [name, shape] : ricci::load_shapes(path)) {
            // What has a shape may still be broken, but not the other way round.
            const array one = ricci::load(path, name);
            if (one.type() != shape.type() || one.size() != shape.size()) std::abort();
        }
    } catch (const ricci::error& e) {
        check_sentence(e.what(), path);
        if (all_read) std::abort();
    }
    return 0;
}
