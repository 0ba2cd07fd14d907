// Rows that have both bits, and sums of their numbers, for all pairs of planes of a table.
#pragma once

#include <utility>

#include "strata.hpp"

namespace paclearn {

// Blocks are wide, so that scores come in long rows; planes and counts of one still fit the second cache.
constexpr std::size_t kPairBlockRows = 64, kPairBlockColumns = 128;

// The first planes of the blocks that hold all pairs of so many planes.
std::vector<std::pair<std::size_t, std::size_t>> pair_blocks(std::size_t n_planes);

// counts[stratum][plane][plane], for planes in order; scans of triples take the most frequent code of a member from it.
class PairTable {
public:
    explicit PairTable(const Strata& table, std::size_t n_threads = 1);

    // What it takes of memory.
    static double bytes(const Strata& table) {
        const double n = static_cast<double>(table.n_planes), words = static_cast<double>(1 + 2 * table.numbers.n_paired);
        return sizeof(std::uint32_t) * words * static_cast<double>(table.size()) * n * n;
    }

    // From plane_b on; rows of the next stratum are `stratum_stride` further.
    const std::uint32_t* row(std::size_t stratum, std::size_t plane_a, std::size_t plane_b) const {
        return counts_.data() + stratum * stratum_stride() + (plane_a - origin_) * row_length_ + plane_b - origin_;
    }
    std::size_t stratum_stride() const { return n_planes_ * row_length_; }

    // Of the numbers of the rows, of channels that are summed over pairs.
    const std::int64_t* sums(std::size_t stratum, std::size_t channel, std::size_t plane_a, std::size_t plane_b) const {
        const std::size_t place = (plane_a - origin_) * row_length_ + plane_b - origin_;
        return sums_.data() + (stratum * n_paired_ + channel) * stratum_stride() + place;
    }

private:
    std::size_t origin_, n_planes_, row_length_, n_paired_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::int64_t> sums_;
};

}  // namespace paclearn
