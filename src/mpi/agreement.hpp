// What ranks tell each other before they run anything, so that all of them refuse, or none.
#pragma once

#include <mpi.h>

#include <exception>
#include <string>
#include <vector>

namespace ricci::mpi {

/// What each rank says, rank by rank.
std::vector<std::string> told_by_all(MPI_Comm comm, const std::string& mine);

/// Throws ricci::error with the words of the first rank that has some, on every rank. Nothing is
/// sent but one number, unless there are any.
void refuse_together(MPI_Comm comm, const std::string& wrong);

/// What a ricci::error says, or another exception, as part of a sentence: without "ricci: ".
template <class Function>
std::string words_of_failure(const Function& function) {
    try {
        function();
    } catch (const std::exception& e) {
        std::string words = e.what();
        if (words.rfind("ricci: ", 0) == 0) words.erase(0, 7);
        return words.empty() ? "an exception" : words;
    }
    return {};
}

}  // namespace ricci::mpi
