// The formats of networks and orders, behind functions of the texts of files.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <ricci/network.hpp>

#include "src/files/words.hpp"

namespace ricci::files {

/// A variable of a model that has been seen in one of its places.
struct observation {
    std::int64_t variable = 0;
    std::int64_t place = 0;
};
std::vector<observation> read_evidence(std::string_view text, const place& where);

/// Throws, in the words of `evidence_file`, for an observation of what the model has not.
network read_uai(std::string_view text, const place& where,
                 const std::vector<observation>& evidence, const place& evidence_file);
network read_dimacs(std::string_view text, const place& where);
network read_network_json(std::string_view text, const place& where);

contraction_order read_order_json(std::string_view text, const place& where, const network& n);

}  // namespace ricci::files
