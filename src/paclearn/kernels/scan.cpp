#include "scan.hpp"

#include <numeric>

#include "subset_scan.hpp"
#include "threads.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kUnitsPerJob = 64, kFewestUnitsPerJob = 4, kJobsPerThread = 4;

// First members of a job: of a pair scan many, so that planes are used often, but jobs for all threads.
std::size_t units_per_job(const ScanTask& task) {
    if (task.k > 2) return 1;
    if (task.n_threads < 2) return kUnitsPerJob;
    const std::size_t n_units = task.end - task.begin;
    return std::min(round_up(n_units / (task.n_threads * kJobsPerThread) + 1, kFewestUnitsPerJob), kUnitsPerJob);
}

double sum(const std::vector<std::uint32_t>& totals) { return std::accumulate(totals.begin(), totals.end(), 0.0); }

}  // namespace

Scanner::Scanner(Strata table, Units units, std::size_t n_classes, ScoreKind kind, double scale)
    : table_(std::move(table)), units_(std::move(units)), wanted_{kind, scale, n_classes, sum(table_.totals)} {
    count_singles(table_);
}

const PairTable& Scanner::pairs(std::size_t n_threads) {
    const std::lock_guard<std::mutex> guard(pairs_lock_);
    if (!pairs_) pairs_ = std::make_unique<PairTable>(table_, n_threads);
    return *pairs_;
}

std::vector<Scored> Scanner::scan(const ScanTask& task) {
    const std::vector<double> weights(1, 1 / wanted_.n_rows);
    const PairTable* whole = task.k == 3 ? &pairs(task.n_threads) : nullptr;
    const std::size_t step = units_per_job(task);
    Best best(task.n_best, task.floor);
    std::mutex lock;
    const auto bar_so_far = [&] {
        const std::lock_guard<std::mutex> guard(lock);
        return best.bar();
    };
    for_each_job((task.end - task.begin + step - 1) / step, task.n_threads, [&](Interrupt& interrupt) {
        return [&, buffers = ScanBuffers()](std::size_t job) mutable {
            Best found(task.n_best, bar_so_far());
            buffers.parts.resize(task.k);
            SubsetScan scan(units_, wanted_, found, buffers, interrupt);
            const std::size_t unit = task.begin + job * step;
            if (task.k == 2)
                scan.pairs(table_, weights, unit, std::min(unit + step, task.end));
            else if (task.k == 3)
                scan.triples(table_, *whole, weights, {}, unit);
            else
                scan.deeper(table_, weights, {}, unit, task.k);
            const std::lock_guard<std::mutex> guard(lock);
            best.merge(found);
        };
    });
    return std::move(best).sorted();
}

}  // namespace paclearn
