#include "pair_sums.hpp"

#include <algorithm>

namespace paclearn {
namespace {

constexpr std::size_t kPanelPlanes = 128;
constexpr std::size_t kPanelWords = kSumRows / kWordBits;

// The last plane again and again, until the tiles are full.
void widen_planes(PlaneList planes, std::size_t word, std::size_t n_words, const std::int16_t* numbers,
                  LineBuffer<std::int16_t>& panel) {
    const std::size_t n = round_up(planes.n, kSumPadding);
    panel.grow(n * kSumRows);
    for (std::size_t p = 0; p < n; ++p)
        instruction_set().widen(planes.words + std::min(p, planes.n - 1) * planes.stride + word, numbers, n_words,
                                panel.data() + p * kSumRows);
}

// Whole tiles of it; what lies beyond may be another's.
void clear(const SumRoom& room, std::size_t n_strata, std::size_t n_a, std::size_t n_b) {
    for (std::size_t c = 0; c < n_strata * room.n_channels; ++c)
        for (std::size_t i = 0; i < n_a; ++i)
            std::fill_n(room.sums + c * room.channel_stride + i * room.row_length, round_up(n_b, kSumTile), std::int64_t{0});
}

// Words [word, word + n) of a table, all of them in stratum s.
void add_stretch(const Strata& table, std::size_t s, std::size_t word, std::size_t n, PlaneList a, PlaneList b,
                 SumPanels& panels, const SumRoom& room) {
    const RowNumbers& numbers = table.numbers;
    panels.widen_a(a, word, n);
    for (std::size_t d = 0; d < numbers.digits.size() && numbers.digits[d].channel < room.n_channels; ++d) {
        panels.widen_b(b, word, n, numbers.values + d * numbers.stride + word * kWordBits);
        const std::size_t channel = s * room.n_channels + numbers.digits[d].channel;
        instruction_set().sum_pairs({panels.a(), panels.b(), a.n, b.n, n * kWordBits, a.words == b.words,
                                     numbers.digits[d].worth, room.sums + channel * room.channel_stride, room.row_length});
    }
}

std::int64_t total_of(const RowNumbers& numbers, std::size_t digit, std::size_t begin, std::size_t end) {
    const std::int16_t* values = numbers.values + digit * numbers.stride;
    std::int64_t sum = 0;
    for (std::size_t row = begin * kWordBits; row < end * kWordBits; ++row) sum += values[row];
    return sum * numbers.digits[digit].worth;
}

}  // namespace

SumPanels::SumPanels() : ones_(kSumRows) { std::fill_n(ones_.data(), kSumRows, std::int16_t{1}); }

void SumPanels::widen_a(PlaneList planes, std::size_t word, std::size_t n_words) {
    widen_planes(planes, word, n_words, ones_.data(), a_);
}

void SumPanels::widen_b(PlaneList planes, std::size_t word, std::size_t n_words, const std::int16_t* numbers) {
    widen_planes(planes, word, n_words, numbers, b_);
}

void sum_pairs(const Strata& table, PlaneList a, PlaneList b, SumPanels& panels, const SumRoom& room) {
    clear(room, table.size(), a.n, b.n);
    if (a.n == 0 || b.n == 0) return;
    for (std::size_t s = 0; s < table.size(); ++s)
        for (std::size_t word = table.starts[s]; word < table.starts[s + 1]; word += kPanelWords)
            add_stretch(table, s, word, std::min(kPanelWords, table.starts[s + 1] - word), a, b, panels, room);
}

// All rows are those of one plane more: what a plane shares with that is what it has.
void sum_singles(Strata& table) {
    RowNumbers& numbers = table.numbers;
    numbers.singles_stride = round_up(table.n_planes, kPanelPlanes);
    numbers.singles.resize(table.size() * numbers.n_channels * numbers.singles_stride);
    numbers.totals.assign(table.size() * numbers.n_channels, 0);
    for (std::size_t s = 0; s < table.size(); ++s)
        for (std::size_t d = 0; d < numbers.digits.size(); ++d)
            numbers.totals[s * numbers.n_channels + numbers.digits[d].channel] +=
                total_of(numbers, d, table.starts[s], table.starts[s + 1]);
    SumPanels panels;
    for (std::size_t p = 0; p < table.n_planes; p += kPanelPlanes)
        sum_pairs(table, {table.valid, table.stride, 1},
                  {table.planes + p * table.stride, table.stride, std::min(kPanelPlanes, table.n_planes - p)}, panels,
                  {numbers.singles.data() + p, kPanelPlanes, numbers.singles_stride, numbers.n_channels});
}

}  // namespace paclearn
