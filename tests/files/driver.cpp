// Converts files for tests/files/numpy_test.py: driver IN OUT [NAME] ... reads all of IN, or the
// tensor NAME, and writes OUT. Several conversions are separated by `--`.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <ricci/files.hpp>

namespace {

void convert(const std::vector<std::string_view>& words) {
    if (words.size() == 3)
        ricci::save(words[1], {{std::string(words[2]), ricci::load(words[0], words[2])}});
    else ricci::save(words.at(1), ricci::load_all(words.at(0)));
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string_view> words;
    int failed = 0;
    for (int k = 1; k <= argc; ++k) {
        if (k < argc && argv[k] != std::string_view("--")) {
            words.emplace_back(argv[k]);
            continue;
        }
        try {
            convert(words);
            std::puts("done");
        } catch (const std::exception& e) {
            std::puts(e.what());
            failed = 1;
        }
        words.clear();
    }
    return failed;
}
