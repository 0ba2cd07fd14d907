#include "conjunction_scan.hpp"

#include "threads.hpp"

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
    : table_(std::move(table)), conditions_(std::move(conditions)), judge_(table_.totals, weights, ranking) {
    count_singles(table_);
}

const PairTable& ConjunctionScanner::pairs(std::size_t n_threads) {
    const std::lock_guard<std::mutex> guard(pairs_lock_);
    if (!pairs_) pairs_ = std::make_unique<PairTable>(table_, n_threads);
    return *pairs_;
}

std::vector<Scored> ConjunctionScanner::scan(const ConjunctionTask& task) {
    const ConjunctionTable table{table_, conditions_, judge_, task.k == 3 ? &pairs(task.n_threads) : nullptr};
    const std::size_t step = task.k == 3 ? 1 : kPlanesPerJob;
    Best best(task.n_best, task.floor);
    std::mutex lock;
    const auto bar_so_far = [&] {
        const std::lock_guard<std::mutex> guard(lock);
        return best.bar();
    };
    for_each_job((task.end - task.begin + step - 1) / step, task.n_threads, [&](Interrupt& interrupt) {
        return [&, worker = std::make_unique<ConjunctionWorker>(table, interrupt)](std::size_t job) {
            const std::size_t begin = task.begin + job * step;
            Best found(task.n_best, bar_so_far());
            scan_job(*worker, task.k, begin, std::min(begin + step, task.end), found);
            const std::lock_guard<std::mutex> guard(lock);
            best.merge(found);
        };
    });
    return std::move(best).sorted();
}

}  // namespace paclearn
