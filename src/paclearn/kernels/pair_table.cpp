#include "pair_table.hpp"

#include <algorithm>
#include <utility>

#include "threads.hpp"

namespace paclearn {

PairTable::PairTable(const Strata& table, std::size_t n_threads)
    : origin_(table.origin), n_planes_(table.n_planes), row_length_(round_up(table.n_planes, kMostLanes)),
      counts_(table.size() * stratum_stride() + kMostLanes) {
    std::vector<std::pair<std::size_t, std::size_t>> blocks;
    for (std::size_t a = 0; a < n_planes_; a += kPairBlockRows)
        for (std::size_t b = a; b < n_planes_; b += kPairBlockColumns) blocks.push_back({a, b});
    for_each_job(blocks.size(), n_threads, [&](Interrupt&) {
        return [&](std::size_t job) {
            const auto [a, b] = blocks[job];
            instruction_set().count_pairs({table.planes, table.stride, a, std::min(kPairBlockRows, n_planes_ - a), b,
                                           std::min(kPairBlockColumns, n_planes_ - b), table.starts.data(), table.size(),
                                           counts_.data() + a * row_length_ + b, row_length_, stratum_stride()});
        };
    });
}

}  // namespace paclearn
