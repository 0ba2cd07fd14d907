// Every subset of k units, scored as it is counted; only the best are kept.
#pragma once

#include <mutex>

#include "pair_scores.hpp"

namespace paclearn {

// Which subsets are wanted, and how many of them.
struct ScanTask {
    std::size_t k;           // members, two or more
    std::size_t begin, end;  // the first member
    std::size_t n_best;
    double floor;            // subsets that do not reach this may be left out
    std::size_t n_threads;
};

// Any number of threads may scan with the same one.
class Scanner {
public:
    // `table` has one stratum a class.
    Scanner(Strata table, Units units, std::size_t n_classes, ScoreKind kind, double scale);

    const Units& units() const { return units_; }

    // Best first, ties in order.
    std::vector<Scored> scan(const ScanTask& task);

private:
    const PairTable& pairs(std::size_t n_threads);

    Strata table_;
    Units units_;
    Wanted wanted_;
    std::mutex pairs_lock_;
    std::unique_ptr<PairTable> pairs_;  // of the whole table, once a scan of triples has asked for them
};

}  // namespace paclearn
