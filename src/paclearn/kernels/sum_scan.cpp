#include "sum_scan.hpp"

#include <algorithm>

#include "subset_scan.hpp"

namespace paclearn {
namespace {

constexpr int kDigitBits = 15;
constexpr std::int32_t kDigit = 1 << kDigitBits;

bool is_valid(const Strata& table, std::size_t row) { return table.valid[row / kWordBits] >> row % kWordBits & 1; }

bool fits_a_digit(const std::int32_t* numbers, std::size_t n) {
    return std::all_of(numbers, numbers + n, [](std::int32_t number) { return -kDigit < number && number < kDigit; });
}

}  // namespace

RowNumbers row_numbers(const std::int32_t* numbers, std::size_t n_channels, const Strata& table) {
    RowNumbers found;
    found.n_channels = found.n_paired = n_channels;
    found.stride = table.starts.back() * kWordBits;
    for (std::size_t channel = 0; channel < n_channels; ++channel) {
        const bool whole = fits_a_digit(numbers + channel * found.stride, found.stride);
        found.digits.push_back({channel, 1});
        if (!whole) found.digits.push_back({channel, kDigit});
    }
    found.storage.grow(found.digits.size() * found.stride);
    found.values = found.storage.data();
    std::int16_t* out = found.storage.data();
    for (std::size_t d = 0; d < found.digits.size(); ++d, out += found.stride) {
        const bool high = found.digits[d].worth != 1;
        const bool low = !high && d + 1 < found.digits.size() && found.digits[d + 1].worth != 1;
        const std::int32_t* of_channel = numbers + found.digits[d].channel * found.stride;
        for (std::size_t row = 0; row < found.stride; ++row) {
            const std::int32_t number = is_valid(table, row) ? of_channel[row] : 0;
            out[row] = static_cast<std::int16_t>(high ? number >> kDigitBits : low ? number & (kDigit - 1) : number);
        }
    }
    return found;
}

// Blocks above the diagonal, and their mirror images.
void sum_all_pairs(const Strata& table, std::size_t n_threads, std::int64_t* sums) {
    const std::size_t d = table.n_planes, n_channels = table.numbers.n_channels;
    const auto blocks = pair_blocks(d);
    for_each_job(blocks.size(), n_threads, [&](Interrupt&) {
        return [&, panels = SumPanels(), block = LineBuffer<std::int64_t>(n_channels * kPairBlockRows * kPairBlockColumns)](
                   std::size_t job) mutable {
            const auto [a, b] = blocks[job];
            const std::size_t n_a = std::min(kPairBlockRows, d - a), n_b = std::min(kPairBlockColumns, d - b);
            sum_pairs(table, list_of(table, {a, n_a}), list_of(table, {b, n_b}), panels,
                      {block.data(), kPairBlockColumns, kPairBlockRows * kPairBlockColumns, n_channels});
            for (std::size_t c = 0; c < n_channels; ++c)
                for (std::size_t i = a; i < a + n_a; ++i)
                    for (std::size_t j = std::max(i, b); j < b + n_b; ++j)
                        sums[(c * d + i) * d + j] = sums[(c * d + j) * d + i] =
                            block.data()[(c * kPairBlockRows + i - a) * kPairBlockColumns + j - b];
        };
    });
}

std::vector<Scored> SumScanner::scan(const ScanTask& task) {
    return scan_subsets(task, table_, units_, 1.0, [&](PairBuffers& buffers, Best& best, Interrupt& interrupt) {
        return SumScorer(units_, rule_, buffers, best, interrupt);
    });
}

void SumScanner::scores(const std::int32_t* members, std::size_t n, std::size_t k, std::size_t n_threads,
                        double* scores) const {
    for_each_job(n, n_threads, [&](Interrupt& interrupt) {
        return [&](std::size_t job) {
            scores[job] = rule_.exact.score({members + job * k, members + (job + 1) * k}, interrupt);
        };
    });
}

}  // namespace paclearn
