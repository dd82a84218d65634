// Each pass, text in and text out: a file of passes/, which is called after the pass, has a program in
// which it finds something, and the equations or the plan before the pass and after it.
// RICCI_RECORD_PASSES=1 writes what is made now, for a change that is wanted.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/source_file.hpp"
#include "tests/unit/plan/passes_of.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// A file: what the pass is for in lines that begin with #, then parts, each below its name and a colon.
struct pass_text {
    std::filesystem::path path;
    std::string purpose;
    std::map<std::string, std::string> parts;

    explicit pass_text(const std::filesystem::path& file) : path(file) {
        std::ifstream in(file);
        std::string part;
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with("#")) purpose += line + "\n";
            else if (line.ends_with(":") && !line.starts_with(" "))
                part = line.substr(0, line.size() - 1);
            else if (!line.empty()) parts[part] += line + "\n";
        }
    }
    std::string pass() const { return path.stem().string(); }
    /// A part that is one line, or nothing.
    std::string line(const std::string& part) const {
        const auto found = parts.find(part);
        if (found == parts.end()) return {};
        const std::size_t begin = found->second.find_first_not_of(' ');
        return found->second.substr(begin, found->second.size() - begin - 1);
    }
    recorded_program program() const {
        return {
            "",           parts.at("program"), line("letters"), line("operands"), line("derived"),
            line("kept"), line("bound")};
    }
    void write() const {
        std::ofstream out(path);
        out << purpose;
        for (const char* part :
             {"program", "letters", "operands", "derived", "kept", "bound", "before", "after"})
            if (const auto found = parts.find(part); found != parts.end())
                out << part << ":\n" << found->second;
        REQUIRE(out.flush());
    }
};

/// The plan in its notation, and how much of what the notation does not show there is.
std::string words_of(const seen_plan& seen) {
    std::istringstream lines(seen.notation);
    std::ostringstream out;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) out << "    " << line << "\n";
    out << "    " << seen.rules << " rules, " << seen.compiled << " compiled steps, "
        << seen.workspace_bytes << " bytes of workspace\n";
    return out.str();
}

std::vector<std::filesystem::path> files_of_passes() {
    std::vector<std::filesystem::path> all;
    const auto folder = source_file(__FILE__).parent_path() / "passes";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) all.push_back(entry);
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace

TEST_CASE("each pass makes of a plan what is written in the text of its name") {
    std::set<std::string> without_text;
    for (const auto& file : files_of_passes()) {
        pass_text wanted(file);
        INFO(file.string());
        const passes_of passes(wanted.program());
        without_text.merge(passes.names());
        const std::string before = words_of(passes.before(wanted.pass())),
                          after = words_of(passes.after(wanted.pass()));
        CHECK(before != after);
        if (std::getenv("RICCI_RECORD_PASSES") != nullptr) {
            wanted.parts["before"] = before;
            wanted.parts["after"] = after;
            wanted.write();
        }
        CHECK(wanted.parts["before"] == before);
        CHECK(wanted.parts["after"] == after);
    }
    for (const auto& file : files_of_passes()) without_text.erase(file.stem().string());
    CHECK(without_text == std::set<std::string>{});
}
