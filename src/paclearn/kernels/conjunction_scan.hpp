// Every conjunction of one, two or three conditions, scored as it is counted; only the best are kept.
#pragma once

#include <mutex>

#include "conjunction_worker.hpp"

namespace paclearn {

struct ConjunctionTask {
    std::size_t k;           // conditions, one to three
    std::size_t begin, end;  // the first plane
    std::size_t n_best;
    double floor;            // what does not reach this may be left out
    std::size_t n_threads;
};

// Any number of threads may scan with the same one.
class ConjunctionScanner {
public:
    // `table` has one stratum a layer.
    ConjunctionScanner(Strata table, Conditions conditions, const LayerWeights& weights, const Ranking& ranking);

    const Conditions& conditions() const { return conditions_; }

    // Best first, ties in order.
    std::vector<Scored> scan(const ConjunctionTask& task);

private:
    const PairTable& pairs(std::size_t n_threads);

    Strata table_;
    Conditions conditions_;
    Judge judge_;
    std::mutex pairs_lock_;
    std::unique_ptr<PairTable> pairs_;  // of the whole table, once a scan of triples has asked for them
};

}  // namespace paclearn
