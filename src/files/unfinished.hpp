// Files that are being written: none is left behind by a process that is ended, by a signal or by
// force.
#pragma once

#include <string>

namespace ricci::files {

/// A file that is removed when a signal ends the process while this is there. While there is one,
/// SIGINT and the like have a handler where they had none, which removes the files and then lets
/// the signal do what it does; handlers of the program's own are left alone.
class unfinished {
public:
    explicit unfinished(const std::string& path);
    ~unfinished();
    unfinished(const unfinished&) = delete;
    unfinished& operator=(const unfinished&) = delete;

private:
    char* path_;
    int slot_;  // below 0: there are more of them than are looked after
};

/// A name in this folder that nobody else has, for a file that is not finished.
std::string unfinished_name(const std::string& folder);

/// Locks a file of such a name for as long as the descriptor is open.
void hold_unfinished(int descriptor);

/// Removes what processes that are there no more left unfinished in a folder. Looks into each
/// folder once; what cannot be removed is left.
void remove_abandoned(const std::string& folder);

}  // namespace ricci::files
