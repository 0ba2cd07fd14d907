// What a scan of subsets asks of a score.
#pragma once

#include "best.hpp"
#include "pair_counts.hpp"

namespace paclearn {

// What scorers write to; it outlives them, so that a thread allocates it once and not for every job.
struct PairBuffers {
    LineBuffer<std::uint32_t> counts, close;
    LineBuffer<std::int64_t> sums;
    SumPanels panels;
};

// Offers the pairs of units that may be among the best, block by block.
class BlockScorer {
public:
    virtual ~BlockScorer() = default;

    // What depends on the rows but not on the block; `prefix` are the members before the pair.
    virtual void tabulate(const PairRows& rows, std::vector<std::int32_t> prefix) = 0;

    // A block: all pairs of two ranges of planes.
    virtual void count(PlaneRange a, PlaneRange b) = 0;

    // Offers all pairs of unit j with the units from k_begin to k_end, which lie in the block.
    virtual void score(std::size_t j, std::size_t k_begin, std::size_t k_end) = 0;

    // At the end of a job: offers what it has put off.
    virtual void finish() {}
};

}  // namespace paclearn
