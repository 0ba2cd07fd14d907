#include "pair_table.hpp"

#include <algorithm>

#include "pair_sums.hpp"
#include "threads.hpp"

namespace paclearn {

std::vector<std::pair<std::size_t, std::size_t>> pair_blocks(std::size_t n_planes) {
    std::vector<std::pair<std::size_t, std::size_t>> blocks;
    for (std::size_t a = 0; a < n_planes; a += kPairBlockRows)
        for (std::size_t b = a; b < n_planes; b += kPairBlockColumns) blocks.push_back({a, b});
    return blocks;
}

PairTable::PairTable(const Strata& table, std::size_t n_threads)
    : origin_(table.origin), n_planes_(table.n_planes), row_length_(round_up(table.n_planes, kMostLanes)),
      n_paired_(table.numbers.n_paired), counts_(table.size() * stratum_stride() + kMostLanes),
      sums_(n_paired_ ? table.size() * n_paired_ * stratum_stride() + kMostLanes : 0) {
    const auto blocks = pair_blocks(n_planes_);
    for_each_job(blocks.size(), n_threads, [&](Interrupt&) {
        return [&, panels = SumPanels()](std::size_t job) mutable {
            const auto [a, b] = blocks[job];
            const std::size_t n_a = std::min(kPairBlockRows, n_planes_ - a), n_b = std::min(kPairBlockColumns, n_planes_ - b);
            instruction_set().count_pairs({table.planes, table.stride, a, n_a, b, n_b, table.starts.data(), table.size(),
                                           counts_.data() + a * row_length_ + b, row_length_, stratum_stride()});
            if (n_paired_)
                sum_pairs(table, list_of(table, {origin_ + a, n_a}), list_of(table, {origin_ + b, n_b}), panels,
                          {sums_.data() + a * row_length_ + b, row_length_, stratum_stride(), n_paired_});
        };
    });
}

}  // namespace paclearn
