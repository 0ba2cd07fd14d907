#include "pair_counts.hpp"

#include <algorithm>

namespace paclearn {

void PairCounts::tabulate(const PairRows& rows) {
    const Strata& table = *rows.counted;
    const std::size_t n = rows.strata();
    rows_ = &rows;
    singles_stride_ = table.n_planes + kMostLanes;
    totals_.resize(n);
    singles_.assign(n * singles_stride_, 0.0f);
    for (std::size_t s = 0; s < n; ++s) {
        totals_[s] = static_cast<float>(rows.total(s));
        for (std::size_t p = 0; p < table.n_planes; ++p)
            singles_[s * singles_stride_ + p] = static_cast<float>(rows.single(s, table.origin + p));
    }
}

void PairCounts::count(PlaneRange a, PlaneRange b, bool all_bits, LineBuffer<std::uint32_t>& buffer) {
    const Strata& table = *rows_->counted;
    a_ = a;
    b_ = b;
    row_length_ = round_up(b.n, kMostLanes);
    if (const std::size_t n = rows_->strata() * stratum_stride() + kMostLanes; buffer.size() < n) {
        buffer.grow(n);
        std::fill_n(buffer.data(), buffer.size(), 0u);
    }
    counts_ = buffer.data();
    instruction_set().count_pairs({table.planes, table.stride, a.first - table.origin, a.n, b.first - table.origin, b.n,
                                   table.starts.data(), table.size(), counts_, row_length_, stratum_stride()});
    // for bits, score_row and shared() do that on the way
    whole_subtracted_ = !all_bits;
    if (rows_->whole && whole_subtracted_) subtract_from_whole();
}

void PairCounts::subtract_from_whole() {
    const std::size_t n_counted = rows_->counted->size(), n_whole = rows_->whole->size();
    for (std::size_t s = 0; s < n_whole; ++s)
        for (std::size_t i = a_.first; i < a_.first + a_.n; ++i) {
            const std::uint32_t* all = rows_->pairs->row(s, i, b_.first);
            std::uint32_t* rest = row_to_fill(n_counted + s, i);
            std::copy_n(all, b_.n, rest);
            for (std::size_t c = s; c < n_counted; c += n_whole) {
                const std::uint32_t* counted = row(c, i);
                for (std::size_t k = 0; k < b_.n; ++k) rest[k] -= counted[k];
            }
        }
}

void PairSums::tabulate(const PairRows& rows) {
    const std::size_t first = rows.counted->origin, end = first + rows.counted->n_planes;
    rows_ = &rows;
    totals_.clear();
    singles_.assign(rows.strata() * (n_channels() + 1) * singles_stride(), 0.0);
    double* single = singles_.data();
    for (std::size_t s = 0; s < rows.strata(); ++s)
        for (std::size_t channel = 0; channel <= n_channels(); ++channel, single += singles_stride()) {
            const bool numbers = channel < n_channels();
            totals_.push_back(static_cast<double>(numbers ? rows.sum(s, channel) : rows.total(s)));
            for (std::size_t p = first; p < end; ++p)
                single[p - first] = static_cast<double>(numbers ? rows.single_sum(s, channel, p) : rows.single(s, p));
        }
}

void PairSums::sum(PlaneRange a, PlaneRange b, const PairCounts& counts, SumPanels& panels, LineBuffer<std::int64_t>& buffer) {
    const Strata& table = *rows_->counted;
    counts_ = &counts;
    a_ = a;
    b_ = b;
    row_length_ = counts.row_length();
    buffer.grow(table.size() * n_paired() * counts.stratum_stride() + kMostLanes);
    sums_ = buffer.data();
    sum_pairs(table, list_of(table, a), list_of(table, b), panels,
              {buffer.data(), row_length_, counts.stratum_stride(), n_paired()});
}

std::int64_t PairSums::shared(std::size_t stratum, std::size_t channel, std::size_t plane_a, std::size_t plane_b) const {
    if (channel == n_channels()) return counts_->shared(stratum, plane_a, plane_b);
    const std::size_t n_counted = rows_->counted->size();
    const auto counted = [&](std::size_t s) { return row(s, channel, plane_a)[plane_b - b_.first]; };
    if (stratum < n_counted) return counted(stratum);
    std::int64_t rest = *rows_->pairs->sums(stratum - n_counted, channel, plane_a, plane_b);
    for (std::size_t s = stratum - n_counted; s < n_counted; s += rows_->whole->size()) rest -= counted(s);
    return rest;
}

}  // namespace paclearn
