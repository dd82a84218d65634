// What is planned for some four hundred programs, beside what was planned for them before:
// recorded/plans.txt. RICCI_RECORD=FILE writes the records of now, for a change that is wanted.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/make_plan.hpp"
#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/source_file.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"
#include "tests/unit/plan/recorded/programs.hpp"
#include "tests/unit/plan/recorded/record.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using records = std::vector<std::pair<std::string, std::string>>;  // titles and lines

constexpr auto title = "== ";

std::string record_with(bound_case& program, bool fuse) {
    return record_of(program.view(), plan::make_plan(program.request(fuse)));
}

/// One record for each program; where steps are fused, another one with every tensor stored.
records records_of_all() {
    records all;
    for (const auto& which : recorded_programs()) {
        try {
            bound_case program(which);
            all.emplace_back(which.name, record_with(program, true));
            if (all.back().second.find("fused  batch") != std::string::npos)
                all.emplace_back(which.name + ", all stored", record_with(program, false));
        } catch (const std::exception& refused) {
            FAIL_CHECK(which.name << ": " << refused.what());
        }
    }
    return all;
}

std::filesystem::path record_file() {
    return source_file(__FILE__).parent_path() / "recorded" / "plans.txt";
}

std::map<std::string, std::string> read_records() {
    std::map<std::string, std::string> all;
    std::ifstream in(record_file());
    std::string* current = nullptr;
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, 3, title) == 0) current = &all[line.substr(3)];
        else if (current != nullptr && !line.empty()) *current += line + "\n";
    }
    return all;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Both records, line by line: `-` only before, `+` only now.
std::string difference(const std::string& before, const std::string& now) {
    const auto a = lines_of(before), b = lines_of(now);
    // common[i][k]: the longest common subsequence of the lines from i and from k on.
    std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t k = b.size(); k-- > 0;)
            common[i][k] = a[i] == b[k] ? common[i + 1][k + 1] + 1
                                        : std::max(common[i + 1][k], common[i][k + 1]);
    std::string text;
    std::size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
        if (i < a.size() && k < b.size() && a[i] == b[k]) {
            text += "  " + a[i++] + "\n";
            ++k;
        } else if (i < a.size() && (k == b.size() || common[i + 1][k] >= common[i][k + 1])) {
            text += "- " + a[i++] + "\n";
        } else {
            text += "+ " + b[k++] + "\n";
        }
    }
    return text;
}

}  // namespace

TEST_CASE("what is planned is what was planned before") {
    const auto now = records_of_all();
    if (const char* file = std::getenv("RICCI_RECORD"); file != nullptr) {
        std::ofstream out(file);
        for (const auto& [name, text] : now) out << title << name << "\n" << text << "\n";
        REQUIRE(out.flush());
        return;
    }
    const auto before = read_records();
    CHECK(before.size() == now.size());  // titles are unique
    for (const auto& [name, text] : now) {
        const auto recorded = before.find(name);
        const std::string old = recorded != before.end() ? recorded->second : "";
        if (old == text) continue;
        std::cerr << name << "\n" << difference(old, text);
        FAIL_CHECK("planned otherwise: " << name);
    }
}

TEST_CASE("a plan does not depend on the number of threads, nor on what was planned before") {
    runtime::set_worker_count(1);
    const auto first = records_of_all();
    runtime::set_worker_count(2);
    const auto second = records_of_all();
    runtime::set_worker_count(0);
    REQUIRE(first.size() == second.size());
    for (std::size_t k = 0; k < first.size(); ++k) CHECK(first[k] == second[k]);
}
