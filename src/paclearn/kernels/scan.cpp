#include "scan.hpp"

#include <numeric>

#include "subset_scan.hpp"

namespace paclearn {
namespace {

double sum(const std::vector<std::uint32_t>& totals) { return std::accumulate(totals.begin(), totals.end(), 0.0); }

}  // namespace

Scanner::Scanner(Strata table, Units units, std::size_t n_classes, ScoreKind kind, double scale)
    : table_(std::move(table)), units_(std::move(units)),
      wanted_{kind, scale, n_classes, sum(table_.totals())} {}

std::vector<Scored> Scanner::scan(const ScanTask& task) {
    return scan_subsets(task, table_, units_, wanted_.n_rows, [&](PairBuffers& buffers, Best& best, Interrupt&) {
        return PairScorer(units_, wanted_, buffers, best);
    });
}

}  // namespace paclearn
