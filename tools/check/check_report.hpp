// What `ricci check` prints: lines as compilers print them, or JSON.
#pragma once

#include <string>
#include <vector>

#include "check/check_paper.hpp"

namespace ricci::papers {

/// One line for each equation, then the symbols that nothing explains and the counts.
std::string as_lines(const std::vector<paper_report>& papers, bool colour);
/// A list of {file, line, column, equation, verdict, words}.
std::string as_json(const std::vector<paper_report>& papers);
/// Text without characters that a terminal would act on.
std::string harmless(const std::string& text);

}  // namespace ricci::papers
