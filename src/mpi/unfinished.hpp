// What has been done of something that was stopped, in a file.
#pragma once

#include <string>
#include <vector>

#include <ricci/array.hpp>

namespace ricci::mpi {

/// One array for each block, of no elements where it has not been done. `key` says of what they
/// are. Throws ricci::error where the file cannot be written; it is as before then.
void write_unfinished(const std::string& file, const std::string& key,
                      const std::vector<array>& blocks);

/// Puts what the file has into the blocks that have been done, of which `blocks` has arrays to be
/// filled; says which. Throws ricci::error for a file of another key, and for one that is damaged.
/// Nothing has been done where there is no file.
std::vector<bool> read_unfinished(const std::string& file, const std::string& key,
                                  std::vector<array>& blocks);

}  // namespace ricci::mpi
