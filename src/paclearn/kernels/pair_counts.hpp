// The counts of a block of pairs of planes, and of the planes by themselves: all that the score of a pair depends on.
#pragma once

#include <utility>

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

private:
    template <class Read>
    std::uint32_t of_stratum(std::size_t s, Read read) const {
        const std::size_t n = counted->size();
        if (s < n) return read(*counted, s);
        std::uint32_t rest = read(*whole, s - n);
        for (std::size_t c = s - n; c < n; c += whole->size()) rest -= read(*counted, c);
        return rest;
    }
};

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

private:
    void subtract_from_whole();
    std::uint32_t* row(std::size_t stratum, std::size_t plane_a) {
        return const_cast<std::uint32_t*>(std::as_const(*this).row(stratum, plane_a));
    }

    const PairRows* rows_ = nullptr;
    PlaneRange a_, b_;
    std::size_t row_length_ = 0, singles_stride_ = 0;
    bool whole_subtracted_ = false;
    std::uint32_t* counts_ = nullptr;
    std::vector<float> singles_, totals_;
};

}  // namespace paclearn
