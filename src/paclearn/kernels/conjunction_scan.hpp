// Every conjunction of one, two or three conditions, scored as it is counted; only the best are kept.
#pragma once

#include "conjunction_worker.hpp"
#include "scan_task.hpp"

namespace paclearn {

// Any number of threads may scan with the same one.
class ConjunctionScanner {
public:
    // `table` has one stratum a layer.
    ConjunctionScanner(Strata table, Conditions conditions, const LayerWeights& weights, const Ranking& ranking);

    const Conditions& conditions() const { return conditions_; }

    // Members are planes; best first, ties in order.
    std::vector<Scored> scan(const ScanTask& task);

private:
    ScannedTable table_;
    Conditions conditions_;
    Judge judge_;
};

}  // namespace paclearn
