// Every subset of k units, scored as it is counted; only the best are kept.
#pragma once

#include "pair_scores.hpp"
#include "scan_task.hpp"

namespace paclearn {

// Any number of threads may scan with the same one.
class Scanner {
public:
    // `table` has one stratum a class.
    Scanner(Strata table, Units units, std::size_t n_classes, ScoreKind kind, double scale);

    const Units& units() const { return units_; }

    // Of two units or more; best first, ties in order.
    std::vector<Scored> scan(const ScanTask& task);

private:
    ScannedTable table_;
    Units units_;
    Wanted wanted_;
};

}  // namespace paclearn
