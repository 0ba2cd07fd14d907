// Sums of the rows' numbers over the rows that two planes share.
#pragma once

#include "strata.hpp"

namespace paclearn {

// Planes side by side.
struct PlaneList {
    const Word* words;
    std::size_t stride, n;
};

// Planes widened to sixteen bits a row, a stretch of rows at a time. They outlive the sums, so that a thread allocates them once.
class SumPanels {
public:
    SumPanels();
    void widen_a(PlaneList planes, std::size_t word, std::size_t n_words);
    void widen_b(PlaneList planes, std::size_t word, std::size_t n_words, const std::int16_t* numbers);
    const std::int16_t* a() const { return a_.data(); }
    const std::int16_t* b() const { return b_.data(); }

private:
    LineBuffer<std::int16_t> ones_, a_, b_;
};

// sums[(stratum * n_channels + channel) * channel_stride + a * row_length + b], of the first channels; up to three numbers behind
// a row are written, too.
struct SumRoom {
    std::int64_t* sums;
    std::size_t row_length, channel_stride, n_channels;
};

// Of all pairs of two lists of planes of a table; of one list with itself, those with the second behind the first.
void sum_pairs(const Strata& table, PlaneList a, PlaneList b, SumPanels& panels, const SumRoom& room);

// Totals and singles of the numbers of a table.
void sum_singles(Strata& table);

inline PlaneList list_of(const Strata& table, PlaneRange planes) { return {table.plane(planes.first), table.stride, planes.n}; }

}  // namespace paclearn
