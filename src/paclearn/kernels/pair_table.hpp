// Rows that have both bits, for all pairs of planes of a table.
#pragma once

#include "strata.hpp"

namespace paclearn {

// Blocks are wide, so that scores come in long rows; planes and counts of one still fit the second cache.
constexpr std::size_t kPairBlockRows = 64, kPairBlockColumns = 128;

// counts[stratum][plane][plane], for planes in order; scans of triples take the most frequent code of a member from it.
class PairTable {
public:
    explicit PairTable(const Strata& table, std::size_t n_threads = 1);

    // From plane_b on; rows of the next stratum are `stratum_stride` further.
    const std::uint32_t* row(std::size_t stratum, std::size_t plane_a, std::size_t plane_b) const {
        return counts_.data() + stratum * stratum_stride() + (plane_a - origin_) * row_length_ + plane_b - origin_;
    }
    std::size_t stratum_stride() const { return n_planes_ * row_length_; }

private:
    std::size_t origin_, n_planes_, row_length_;
    std::vector<std::uint32_t> counts_;
};

}  // namespace paclearn
