#include "scan.hpp"

#include <numeric>

#include "subset_scan.hpp"

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
    : table_(std::move(table)), units_(std::move(units)),
      wanted_{kind, scale, n_classes, sum(table_.strata().totals)} {}

std::vector<Scored> Scanner::scan(const ScanTask& task) {
    const std::vector<double> weights(1, 1 / wanted_.n_rows);
    const Strata& table = table_.strata();
    const PairTable* whole = table_.pairs_for(task);
    return best_of_jobs(task, units_per_job(task), [&](Interrupt& interrupt) {
        return [&, buffers = ScanBuffers()](std::size_t begin, std::size_t end, Best& found) mutable {
            buffers.parts.resize(task.k);
            SubsetScan scan(units_, wanted_, found, buffers, interrupt);
            if (task.k == 2)
                scan.pairs(table, weights, begin, end);
            else if (task.k == 3)
                scan.triples(table, *whole, weights, {}, begin);
            else
                scan.deeper(table, weights, {}, begin, task.k);
        };
    });
}

}  // namespace paclearn
