#include "strata.hpp"

#include <algorithm>

#include "pair_sums.hpp"
#include "threads.hpp"

namespace paclearn {
namespace {

constexpr std::size_t kPlanesPerJob = 16;
constexpr std::size_t kWordsWorthAThread = 1 << 20;  // a tenth of a millisecond, about what it takes to wake some up

std::size_t marked_rows(const Word* mask, std::size_t begin, std::size_t end) {
    return static_cast<std::size_t>(
        instruction_set().popcount_of_and(mask + begin, mask + begin, end - begin));
}

// The numbers of the marked rows, strung together as their bits are, or left where they are.
std::int16_t* restrict_values(const Word* mask, const std::int16_t* values, std::size_t n_words, bool compacts, std::int16_t* out) {
    for (std::size_t w = 0; w < n_words; ++w, values += kWordBits) {
        if (!compacts) std::fill_n(out + w * kWordBits, kWordBits, std::int16_t{0});
        for (Word left = mask[w]; left != 0; left &= left - 1) {
            const int bit = __builtin_ctzll(left);
            if (compacts)
                *out++ = values[bit];
            else
                out[w * kWordBits + static_cast<std::size_t>(bit)] = values[bit];
        }
    }
    return compacts ? out : out + n_words * kWordBits;
}

void restrict_numbers(const Strata& table, const std::vector<const Word*>& masks, Strata& part) {
    const bool compacts = instruction_set().compacts;
    RowNumbers& numbers = part.numbers;
    numbers.digits = table.numbers.digits;
    numbers.n_channels = table.numbers.n_channels;
    numbers.n_paired = table.numbers.n_paired;
    numbers.stride = part.starts.back() * kWordBits;
    numbers.storage.grow(numbers.digits.size() * numbers.stride);
    numbers.values = numbers.storage.data();
    for (std::size_t d = 0; d < numbers.digits.size(); ++d)
        for (std::size_t m = 0; m < part.size(); ++m) {
            const std::size_t s = m % table.size(), from = table.starts[s];
            const std::int16_t* values = table.numbers.values + d * table.numbers.stride + from * kWordBits;
            std::int16_t* out = numbers.storage.data() + d * numbers.stride;
            std::int16_t* end = restrict_values(masks[m / table.size()] + from, values, table.starts[s + 1] - from, compacts,
                                                out + part.starts[m] * kWordBits);
            std::fill(end, out + part.starts[m + 1] * kWordBits, std::int16_t{0});
        }
}

}  // namespace

void count_singles(Strata& table, std::size_t n_threads) {
    table.singles.resize(table.size() * table.n_planes);
    const auto count = [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = 0; s < table.size(); ++s)
            for (std::size_t p = begin; p < end; ++p)
                table.singles[s * table.n_planes + p] = static_cast<std::uint32_t>(
                    marked_rows(table.planes + p * table.stride, table.starts[s], table.starts[s + 1]));
    };
    const std::size_t n_words = table.n_planes * table.starts.back();
    if (n_threads == 1 || n_words < kWordsWorthAThread)
        count(0, table.n_planes);
    else
        for_each_job((table.n_planes + kPlanesPerJob - 1) / kPlanesPerJob, n_threads, [&](Interrupt&) {
            return [&](std::size_t job) {
                count(job * kPlanesPerJob, std::min((job + 1) * kPlanesPerJob, table.n_planes));
            };
        });
    if (!table.numbers.digits.empty()) sum_singles(table);
}

void restrict_to(const Strata& table, const std::vector<const Word*>& masks, std::size_t origin, Strata& part) {
    const InstructionSet& isa = instruction_set();
    part.origin = origin;
    part.n_planes = table.origin + table.n_planes - origin;
    part.starts.assign(1, 0);
    part.totals.clear();
    for (const Word* mask : masks)
        for (std::size_t s = 0; s < table.size(); ++s) {
            const std::size_t rows = marked_rows(mask, table.starts[s], table.starts[s + 1]);
            const std::size_t words = isa.compacts ? padded_words(rows) : table.starts[s + 1] - table.starts[s];
            part.totals.push_back(static_cast<std::uint32_t>(rows));
            part.starts.push_back(part.starts.back() + words);
        }
    part.stride = part.starts.back() + kLineWords;  // squeeze() may write a word more than it has to
    part.storage.grow((part.n_planes + 1) * part.stride);
    Word* planes = part.storage.data();
    Word* valid = planes + part.n_planes * part.stride;
    part.planes = planes;
    part.valid = valid;
    for (std::size_t m = 0; m < part.size(); ++m) {
        const std::size_t from = table.starts[m % table.size()], to = table.starts[m % table.size() + 1];
        const Word* mask = masks[m / table.size()] + from;
        isa.squeeze({table.plane(origin) + from, table.stride, part.n_planes, mask, to - from, planes + part.starts[m],
                     part.stride});
        isa.squeeze({table.valid + from, table.stride, 1, mask, to - from, valid + part.starts[m], part.stride});
        const std::size_t filled = isa.compacts ? words_of(part.totals[m]) : to - from;
        for (std::size_t p = 0; p <= part.n_planes; ++p)
            std::fill(planes + p * part.stride + part.starts[m] + filled, planes + p * part.stride + part.starts[m + 1],
                      Word{0});
    }
    restrict_numbers(table, masks, part);
    count_singles(part);
}

}  // namespace paclearn
