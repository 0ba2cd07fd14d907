#include "masked_sums.hpp"

#include <algorithm>
#include <cmath>

namespace paclearn {
namespace {

constexpr std::size_t kBlockWords = 16;  // the values of their rows stay in the nearest cache
constexpr int kExactBits = 53;

}  // namespace

// Whether all values of each kind are multiples of a step of which their sizes together have less than 2^53.
bool MaskedSums::are_exact(const double* values, std::size_t n_rows, std::size_t n_values) {
    for (std::size_t v = 0; v < n_values; ++v) {
        double total = 0;
        for (std::size_t row = 0; row < n_rows; ++row) total += std::abs(values[row * n_values + v]);
        if (!std::isfinite(total)) return false;
        int exponent = 0;
        std::frexp(total * (1 + 1e-6), &exponent);
        const double step = std::ldexp(1.0, exponent - kExactBits);
        if (!(step > 0)) return false;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const double steps = values[row * n_values + v] / step;
            if (steps != std::nearbyint(steps)) return false;
        }
    }
    return true;
}

MaskedSums::MaskedSums(const std::int32_t* row_class, const double* values, std::size_t n_rows, std::size_t n_values,
                       const Strata& table)
    : starts_(table.starts), n_values_(n_values), stride_(table.starts.back() * kWordBits), values_(n_values * stride_),
      totals_(table.size() * n_values) {
    std::vector<std::size_t> next;
    for (std::size_t y = 0; y < table.size(); ++y) next.push_back(starts_[y] * kWordBits);
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto y = static_cast<std::size_t>(row_class[row]);
        const std::size_t place = next[y]++;
        for (std::size_t v = 0; v < n_values; ++v) {
            values_[v * stride_ + place] = values[row * n_values + v];
            totals_[y * n_values + v] += values[row * n_values + v];
        }
    }
}

// Sums where all of some members are set, for every choice of them; then each code that is nought is what the one leaves.
void MaskedSums::sum(const std::vector<const Word*>& planes, double* sums) const {
    const std::size_t n_cells = std::size_t{1} << planes.size(), n_sums = totals_.size();
    std::copy(totals_.begin(), totals_.end(), sums);
    for (std::size_t y = 0; y + 1 < starts_.size(); ++y)
        for (std::size_t word = starts_[y]; word < starts_[y + 1]; word += kBlockWords)
            add_block(planes, word, std::min(kBlockWords, starts_[y + 1] - word), y, sums);
    for (std::size_t bit = 1; bit < n_cells; bit *= 2)
        for (std::size_t cell = 0; cell < n_cells; ++cell)
            for (std::size_t s = 0; s < n_sums && !(cell & bit); ++s) sums[cell * n_sums + s] -= sums[(cell | bit) * n_sums + s];
}

void MaskedSums::add_block(const std::vector<const Word*>& planes, std::size_t word, std::size_t n_words, std::size_t y,
                           double* sums) const {
    Word masks[std::size_t{1} << kMostMembers][kBlockWords];
    std::fill_n(masks[0], n_words, ~Word{0});
    for (std::size_t t = 0; t < planes.size(); ++t) {
        const std::size_t before = std::size_t{1} << t;  // choices among the last t members
        const Word* plane = planes[planes.size() - 1 - t] + word;
        for (std::size_t choice = 0; choice < before; ++choice) {
            const std::size_t with = choice | before;
            for (std::size_t w = 0; w < n_words; ++w) masks[with][w] = masks[choice][w] & plane[w];
            instruction_set().add_masked(masks[with], values_.data() + word * kWordBits, stride_, n_values_, n_words,
                                         sums + with * totals_.size() + y * n_values_);
        }
    }
}

}  // namespace paclearn
