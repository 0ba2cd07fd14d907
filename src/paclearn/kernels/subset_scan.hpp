// Every subset of k units that begins with given ones, down to pairs.
#pragma once

#include "interrupt.hpp"
#include "pair_scores.hpp"

namespace paclearn {

// What a scan writes to; it outlives the scan, so that a thread allocates it once and not for every job.
struct ScanBuffers {
    LineBuffer<std::uint32_t> counts;
    LineBuffer<std::uint32_t> close;
    std::vector<Strata> parts;  // the rows with the members so far, one for every number of them
};

// Fixes the members of a subset one after another until two are left, and scores those block by block.
class SubsetScan {
public:
    SubsetScan(const Units& units, const Wanted& wanted, Best& best, ScanBuffers& buffers, Interrupt& interrupt)
        : units_(units), scorer_(units, wanted, counts_, best), buffers_(buffers), interrupt_(interrupt) {}
    SubsetScan(const SubsetScan&) = delete;  // the scorer reads the counts beside it

    // All pairs with the first member in [begin, end).
    void pairs(const Strata& table, const std::vector<double>& weights, std::size_t begin, std::size_t end) {
        scan_pairs({&table, nullptr, nullptr, weights}, {}, begin, end);
    }

    // All subsets that begin with `prefix` and `unit` and have two members more.
    void triples(const Strata& table, const PairTable& pairs, const std::vector<double>& weights,
                 std::vector<std::int32_t> prefix, std::size_t unit);

    // All subsets that begin with `prefix` and `unit` and have k - 1 members more, k >= 4.
    void deeper(const Strata& table, const std::vector<double>& weights, std::vector<std::int32_t> prefix,
                std::size_t unit, std::size_t k);

private:
    std::size_t block_end(std::size_t begin, std::size_t planes) const;
    void scan_pairs(const PairRows& rows, std::vector<std::int32_t> prefix, std::size_t begin, std::size_t end);
    void scan_block(std::size_t j_begin, std::size_t j_end, std::size_t k_begin, std::size_t k_end);

    const Units& units_;
    PairCounts counts_;
    PairScorer scorer_;
    ScanBuffers& buffers_;
    Interrupt& interrupt_;
};

}  // namespace paclearn
