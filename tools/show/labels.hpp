// Labels of rows and columns from a file, as the tokens of a text.
#pragma once

#include <string>
#include <vector>

namespace ricci::show {

/// One label a line of the file; a last line without an end counts, empty lines too. Throws
/// ricci::error, in one sentence, where it cannot be read.
std::vector<std::string> read_labels(const std::string& path);

}  // namespace ricci::show
