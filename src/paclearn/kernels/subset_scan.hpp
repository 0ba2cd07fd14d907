// Every subset of k units that begins with given ones, down to pairs.
#pragma once

#include "block_scorer.hpp"
#include "scan_task.hpp"

namespace paclearn {

// What a scan writes to; it outlives the scan, so that a thread allocates it once and not for every job.
struct ScanBuffers {
    PairBuffers pairs;
    std::vector<Strata> parts;  // the rows with the members so far, one for every number of them
};

// Jobs of a scan of pairs have many first members, so that planes are used often, but fewer and fewer towards the end, so
// that all threads end together. First members of larger subsets make a job each.
std::vector<std::size_t> job_cuts(const ScanTask& task);

// Fixes the members of a subset one after another until two are left, and scores those block by block.
class SubsetScan {
public:
    SubsetScan(const Units& units, BlockScorer& scorer, std::vector<Strata>& parts, Interrupt& interrupt,
               std::size_t most_pair_bytes)
        : units_(units), scorer_(scorer), parts_(parts), interrupt_(interrupt),
          most_pair_bytes_(static_cast<double>(most_pair_bytes)) {}

    // All pairs with the first member in [begin, end).
    void pairs(const Strata& table, const std::vector<double>& weights, std::size_t begin, std::size_t end) {
        scan_pairs({&table, nullptr, nullptr, weights}, {}, begin, end);
    }

    // All subsets that begin with `prefix` and `unit` and have two members more; `pairs` of the table, or none.
    void triples(const Strata& table, const PairTable* pairs, const std::vector<double>& weights,
                 std::vector<std::int32_t> prefix, std::size_t unit);

    // All subsets that begin with `prefix` and `unit` and have k - 1 members more, k >= 4.
    void deeper(const Strata& table, const std::vector<double>& weights, std::vector<std::int32_t> prefix,
                std::size_t unit, std::size_t k);

private:
    std::size_t block_end(std::size_t begin, std::size_t planes) const;
    void scan_pairs(const PairRows& rows, std::vector<std::int32_t> prefix, std::size_t begin, std::size_t end);
    void scan_block(std::size_t j_begin, std::size_t j_end, std::size_t k_begin, std::size_t k_end);

    const Units& units_;
    BlockScorer& scorer_;
    std::vector<Strata>& parts_;
    Interrupt& interrupt_;
    double most_pair_bytes_;
};

// All subsets of a task, best first, ties in order; make_scorer(buffers, best, interrupt) is what a job scores with.
template <class MakeScorer>
std::vector<Scored> scan_subsets(const ScanTask& task, ScannedTable& scanned, const Units& units, double n_rows,
                                 const MakeScorer& make_scorer) {
    const std::vector<double> weights(1, 1 / n_rows);
    const Strata& table = scanned.strata_for(task);
    const bool few_pairs = PairTable::bytes(table) <= static_cast<double>(task.most_pair_bytes);
    const PairTable* whole = few_pairs ? scanned.pairs_for(task) : nullptr;
    return best_of_jobs(task, job_cuts(task), [&](Interrupt& interrupt) {
        return [&, buffers = ScanBuffers()](std::size_t begin, std::size_t end, Best& found) mutable {
            buffers.parts.resize(task.k);
            auto scorer = make_scorer(buffers.pairs, found, interrupt);
            SubsetScan scan(units, scorer, buffers.parts, interrupt, task.most_pair_bytes);
            if (task.k == 2)
                scan.pairs(table, weights, begin, end);
            else if (task.k == 3)
                scan.triples(table, whole, weights, {}, begin);
            else
                scan.deeper(table, weights, {}, begin, task.k);
            scorer.finish();
        };
    });
}

}  // namespace paclearn
