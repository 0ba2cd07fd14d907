#include "conjunction_scan.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kPlanesPerJob = 64;

void scan_job(ConjunctionWorker& worker, std::size_t k, std::size_t begin, std::size_t end, Best& best) {
    if (k == 1) worker.singles(begin, end, best);
    if (k == 2) worker.pairs(begin, end, best);
    if (k == 3) worker.triples(begin, end, best);
}

}  // namespace

ConjunctionScanner::ConjunctionScanner(Strata table, Conditions conditions, const LayerWeights& weights,
                                       const Ranking& ranking)
    : table_(std::move(table)), conditions_(std::move(conditions)), judge_(table_.totals(), weights, ranking) {}

std::vector<Scored> ConjunctionScanner::scan(const ScanTask& task) {
    const ConjunctionTable table{table_.strata_for(task), conditions_, judge_, table_.pairs_for(task)};
    return best_of_jobs(task, even_cuts(task, task.k == 3 ? 1 : kPlanesPerJob), [&](Interrupt& interrupt) {
        return [&, worker = std::make_unique<ConjunctionWorker>(table, interrupt)](std::size_t begin, std::size_t end,
                                                                                   Best& found) {
            scan_job(*worker, task.k, begin, end, found);
        };
    });
}

}  // namespace paclearn
