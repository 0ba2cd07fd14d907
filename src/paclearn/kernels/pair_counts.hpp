// The counts of a block of pairs of planes, and of the planes by themselves: all that the score of a pair depends on.
#pragma once

#include <type_traits>
#include <utility>

#include "pair_sums.hpp"
#include "pair_table.hpp"

namespace paclearn {

// The rows of a pair scan, in groups. Some groups are counted; the last one may be what they leave of another table.
struct PairRows {
    const Strata* counted;
    const Strata* whole = nullptr;     // with `pairs`: the last group is this less the counted ones
    const PairTable* pairs = nullptr;
    std::vector<double> group_weight;  // inverse probability of the group's cell, over n

    std::size_t strata() const { return counted->size() + (whole ? whole->size() : 0); }
    std::uint32_t total(std::size_t s) const {
        return of_stratum(s, [](const Strata& table, std::size_t t) { return table.totals[t]; });
    }
    std::uint32_t single(std::size_t s, std::size_t p) const {
        return of_stratum(s, [p](const Strata& table, std::size_t t) { return table.single(t, p); });
    }
    std::int64_t sum(std::size_t s, std::size_t channel) const {
        return of_stratum(s, [=](const Strata& table, std::size_t t) { return table.sum(t, channel); });
    }
    std::int64_t single_sum(std::size_t s, std::size_t channel, std::size_t p) const {
        return of_stratum(s, [=](const Strata& table, std::size_t t) { return table.single_sum(t, channel, p); });
    }

private:
    template <class Read>
    auto of_stratum(std::size_t s, Read read) const -> std::invoke_result_t<Read, const Strata&, std::size_t> {
        const std::size_t n = counted->size();
        if (s < n) return read(*counted, s);
        auto rest = read(*whole, s - n);
        for (std::size_t c = s - n; c < n; c += whole->size()) rest -= read(*counted, c);
        return rest;
    }
};

// Numbers of one stratum in all cells of two units, of which shared(a, b) gives those of codes a and b from 1 on;
// code 0 is what the other codes leave.
template <class Number, class Shared>
void fill_cells(std::size_t q_j, std::size_t q_k, double total, const Number* singles_j, const Number* singles_k, Shared shared,
                double* cells) {
    double left = total;
    for (std::size_t b = 1; b < q_k; ++b) {
        cells[b] = static_cast<double>(singles_k[b - 1]);
        left -= cells[b];
    }
    cells[0] = left;
    for (std::size_t a = 1; a < q_j; ++a) {
        double rest = static_cast<double>(singles_j[a - 1]);
        for (std::size_t b = 1; b < q_k; ++b) {
            const double n = static_cast<double>(shared(a, b));
            cells[a * q_k + b] = n;
            cells[b] -= n;
            rest -= n;
        }
        cells[a * q_k] = rest;
        cells[0] -= rest;
    }
}

class PairCounts {
public:
    // Totals and singles of all strata of these rows, as the lanes want them.
    void tabulate(const PairRows& rows);

    // All pairs of two ranges of planes, into a buffer that outlives this object.
    void count(PlaneRange a, PlaneRange b, bool all_bits, LineBuffer<std::uint32_t>& buffer);

    const PairRows& rows() const { return *rows_; }
    PlaneRange a() const { return a_; }
    PlaneRange b() const { return b_; }
    std::size_t row_length() const { return row_length_; }
    std::size_t stratum_stride() const { return a_.n * row_length_; }
    const std::uint32_t* row(std::size_t stratum, std::size_t plane_a) const {
        return counts_ + (stratum * a_.n + plane_a - a_.first) * row_length_;
    }

    const std::vector<float>& totals() const { return totals_; }
    std::size_t singles_stride() const { return singles_stride_; }
    // Rows of a stratum with the bit of a plane, and of those behind it.
    const float* singles(std::size_t stratum, std::size_t plane) const {
        return singles_.data() + stratum * singles_stride_ + plane - rows_->counted->origin;
    }

    // Rows of a stratum that have both bits.
    std::uint32_t shared(std::size_t stratum, std::size_t plane_a, std::size_t plane_b) const {
        const std::size_t n_counted = rows_->counted->size();
        if (stratum < n_counted || whole_subtracted_) return row(stratum, plane_a)[plane_b - b_.first];
        // one code of a bit is counted, so its stratum is the only one to take away
        return *rows_->pairs->row(stratum - n_counted, plane_a, plane_b) - shared(stratum - n_counted, plane_a, plane_b);
    }

    // Rows of a stratum in all cells of two units.
    void fill(const Units& units, std::size_t stratum, std::size_t j, std::size_t k, double* cells) const {
        const std::size_t a = units.first_plane[j], b = units.first_plane[k];
        fill_cells(units.size(j), units.size(k), totals_[stratum], singles(stratum, a), singles(stratum, b),
                   [&](std::size_t u, std::size_t v) { return shared(stratum, a + u - 1, b + v - 1); }, cells);
    }

private:
    void subtract_from_whole();
    std::uint32_t* row_to_fill(std::size_t stratum, std::size_t plane_a) {
        return const_cast<std::uint32_t*>(std::as_const(*this).row(stratum, plane_a));
    }

    const PairRows* rows_ = nullptr;
    PlaneRange a_, b_;
    std::size_t row_length_ = 0, singles_stride_ = 0;
    bool whole_subtracted_ = false;
    std::uint32_t* counts_ = nullptr;
    std::vector<float> singles_, totals_;
};

// The same of the numbers of the rows: sums, exact as long as they stay below 2^53. The channel behind the last one is that of
// the rows themselves, one each.
class PairSums {
public:
    void tabulate(const PairRows& rows);
    void sum(PlaneRange a, PlaneRange b, const PairCounts& counts, SumPanels& panels, LineBuffer<std::int64_t>& buffer);

    std::size_t n_channels() const { return rows_->counted->numbers.n_channels; }
    std::size_t n_paired() const { return rows_->counted->numbers.n_paired; }
    const std::int64_t* row(std::size_t stratum, std::size_t channel, std::size_t plane_a) const {
        return sums_ + ((stratum * n_paired() + channel) * a_.n + plane_a - a_.first) * row_length_;
    }
    const std::vector<double>& totals() const { return totals_; }
    std::size_t singles_stride() const { return rows_->counted->n_planes + kMostLanes; }
    const double* singles(std::size_t stratum, std::size_t channel, std::size_t plane) const {
        return singles_.data() + (stratum * (n_channels() + 1) + channel) * singles_stride() + plane - rows_->counted->origin;
    }

    // Sums of a stratum in all cells of two units.
    void fill(const Units& units, std::size_t stratum, std::size_t channel, std::size_t j, std::size_t k, double* cells) const {
        const std::size_t a = units.first_plane[j], b = units.first_plane[k];
        fill_cells(units.size(j), units.size(k), totals_[stratum * (n_channels() + 1) + channel], singles(stratum, channel, a),
                   singles(stratum, channel, b),
                   [&](std::size_t u, std::size_t v) { return shared(stratum, channel, a + u - 1, b + v - 1); }, cells);
    }

private:
    std::int64_t shared(std::size_t stratum, std::size_t channel, std::size_t plane_a, std::size_t plane_b) const;

    const PairRows* rows_ = nullptr;
    const PairCounts* counts_ = nullptr;
    PlaneRange a_, b_;
    std::size_t row_length_ = 0;
    const std::int64_t* sums_ = nullptr;
    std::vector<double> totals_, singles_;
};

}  // namespace paclearn
