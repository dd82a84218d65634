// What a call is refused with.
#pragma once

#include <string>

#include <ricci/error.hpp>

namespace ricci::testing {

/// The sentence of the ricci::error that `act` throws; empty where it throws none.
template <class Act>
std::string words_of(const Act& act) {
    try {
        act();
    } catch (const error& e) {
        return e.what();
    }
    return {};
}

}  // namespace ricci::testing
