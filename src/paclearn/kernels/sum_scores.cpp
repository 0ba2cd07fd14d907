#include "sum_scores.hpp"

#include <algorithm>
#include <cmath>

namespace paclearn {
namespace {

constexpr double kSlack = 1e-11;  // scores are equal to twelve digits, and what is computed of whole numbers is better
constexpr std::size_t kMostPutOff = 1 << 16;

double square(double x) { return x * x; }

}  // namespace

void SumScorer::tabulate(const PairRows& rows, std::vector<std::int32_t> prefix) {
    finish();
    counts_.tabulate(rows);
    sums_.tabulate(rows);
    prefix.resize(prefix.size() + 2);
    members_ = std::move(prefix);
    n_groups_ = rows.strata() / rule_.n_classes;
    n_channels_ = sums_.n_channels();
}

void SumScorer::count(PlaneRange a, PlaneRange b) {
    counts_.count(a, b, units_.all_bits, buffers_.counts);
    sums_.sum(a, b, counts_, buffers_.panels, buffers_.sums);
}

void SumScorer::score(std::size_t j, std::size_t k_begin, std::size_t k_end) {
    if (k_begin >= k_end) return;
    const std::size_t first = counts_.b().first;
    if (units_.all_bits) bound_bits(j, k_begin - first, k_end - first);
    const double bar = best_.bar() - kSlack;
    for (std::size_t k = k_begin; k < k_end; ++k) {
        const double found = rule_.scale * (units_.all_bits ? bounds_[k - first] : bound(j, k));
        if (found >= bar) hopeful_.push_back({found, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(k)});
    }
    if (hopeful_.size() >= kMostPutOff) finish();
}

void SumScorer::finish() {
    std::sort(hopeful_.begin(), hopeful_.end(), [](const Hopeful& x, const Hopeful& y) { return x.bound > y.bound; });
    for (const Hopeful& pair : hopeful_) {
        if (pair.bound < best_.bar() - kSlack) break;
        members_[members_.size() - 2] = static_cast<std::int32_t>(pair.j);
        members_[members_.size() - 1] = static_cast<std::int32_t>(pair.k);
        best_.offer(rule_.exact.score(members_, interrupt_), members_);
    }
    hopeful_.clear();
}

// Of a row of pairs of bits; planes and units have the same numbers.
void SumScorer::bound_bits(std::size_t j, std::size_t first, std::size_t end) {
    const PairRows& rows = counts_.rows();
    const std::size_t b = counts_.b().first;
    bounds_.resize(counts_.row_length());
    singles_j_.clear();
    for (std::size_t s = 0; s < rows.strata(); ++s)
        for (std::size_t channel = 0; channel <= n_channels_; ++channel) singles_j_.push_back(*sums_.singles(s, channel, j));
    instruction_set().bound_row({rule_.kind == SumKind::votes,
                                 rows.counted->size() / rule_.n_classes,
                                 rule_.n_classes,
                                 n_channels_,
                                 sums_.n_paired(),
                                 std::as_const(counts_).row(0, j),
                                 rows.pairs ? rows.pairs->row(0, j, b) : nullptr,
                                 sums_.row(0, 0, j),
                                 rows.pairs ? rows.pairs->sums(0, 0, j, b) : nullptr,
                                 counts_.stratum_stride(),
                                 rows.pairs ? rows.pairs->stratum_stride() : 0,
                                 sums_.singles(0, 0, b),
                                 sums_.singles_stride(),
                                 singles_j_.data(),
                                 sums_.totals().data(),
                                 rule_.rounded.step.data(),
                                 rule_.rounded.error.data(),
                                 rule_.rounded.own,
                                 rule_.rounded.peak,
                                 first,
                                 end,
                                 bounds_.data()});
}

// No score of a pair of units is larger. All channels are summed over pairs here.
double SumScorer::bound(std::size_t j, std::size_t k) {
    const std::size_t n_cells = units_.size(j) * units_.size(k);
    cells_.resize(rule_.n_classes * (n_channels_ + 1) * n_cells);
    double bound = 0;
    for (std::size_t g = 0; g < n_groups_; ++g) {
        double* cells = cells_.data();
        for (std::size_t y = 0; y < rule_.n_classes; ++y)
            for (std::size_t channel = 0; channel <= n_channels_; ++channel, cells += n_cells)
                sums_.fill(units_, g * rule_.n_classes + y, channel, j, k, cells);
        bound += bound_of_group(n_cells);
    }
    return bound;
}

double SumScorer::bound_of_group(std::size_t n_cells) const {
    double bound = 0;
    for (std::size_t cell = 0; cell < n_cells; ++cell)
        bound += rule_.kind == SumKind::votes ? bound_of_votes(cell, n_cells)
                 : n_channels_ == 2           ? bound_of_squares(cell, n_cells)
                                              : bound_of_weighted(cell, n_cells);
    return bound;
}

double SumScorer::sum(std::size_t stratum, std::size_t channel, std::size_t cell, std::size_t n_cells) const {
    return rule_.rounded.step[channel] * cells_[(stratum * (n_channels_ + 1) + channel) * n_cells + cell];
}

double SumScorer::rows(std::size_t stratum, std::size_t cell, std::size_t n_cells) const {
    return cells_[(stratum * (n_channels_ + 1) + n_channels_) * n_cells + cell];
}

// (s^2 - q) / (n - 1), and nought for a single row.
double SumScorer::bound_of_squares(std::size_t cell, std::size_t n_cells) const {
    const double n = rows(0, cell, n_cells);
    if (n < 2) return 0;
    const double s = std::abs(sum(0, 0, cell, n_cells)) + n * rule_.rounded.error[0];
    const double q = sum(0, 1, cell, n_cells) - n * rule_.rounded.error[1];
    return (s * s - std::max(q, 0.0)) / (n - 1);
}

// (s^2 - q) / (w - o / w) with o, the sum of the rows' weights in their own means, from nought to `own` times w. Of few rows,
// products of different ones are no more than the largest square.
double SumScorer::bound_of_weighted(std::size_t cell, std::size_t n_cells) const {
    const Rounded& rounded = rule_.rounded;
    const double n = rows(0, cell, n_cells), w = sum(0, 0, cell, n_cells);
    if (n == 0) return 0;  // a single row may be several of one kind
    const double most = w + n * rounded.error[0], least = w - n * rounded.error[0] - rounded.own;
    const double s = std::abs(sum(0, 1, cell, n_cells)) + n * rounded.error[1];
    const double q = sum(0, 2, cell, n_cells) - n * rounded.error[2];
    const double squares = square(s) - std::max(q, 0.0), top = rounded.peak * most;
    if (least < kFewOthers * most) return top;
    return squares <= 0 ? squares / most : std::min(squares / least, top);
}

// |s| - sign(s) o / w for every class against the rest, with o the sum of signed weights in rows' own votes: s itself where
// weights are counts, and so nothing is added. Where the sign is not known, or the cell is light, that is `own` at most.
double SumScorer::bound_of_votes(std::size_t cell, std::size_t n_cells) const {
    const Rounded& rounded = rule_.rounded;
    const std::size_t n_classes = rule_.n_classes;
    double n = 0, weight = 0, own = 0, bound = 0;
    for (std::size_t y = 0; y < n_classes; ++y) {
        n += rows(y, cell, n_cells);
        weight += sum(y, 0, cell, n_cells);
        if (n_channels_ == 2) own += sum(y, 1, cell, n_cells);
    }
    if (n == 0) return 0;
    const double off = n * rounded.error[0], least = weight - off;
    for (std::size_t y = n_classes == 2 ? 1 : 0; y < n_classes; ++y) {
        const double s = 2 * sum(y, 0, cell, n_cells) - weight;
        const bool known = std::abs(s) > off && least > kFewOthers * weight;
        double more = known ? 0 : rounded.own;
        if (known && n_channels_ == 2) {
            const double signs = 2 * sum(y, 1, cell, n_cells) - own, top = (s > 0 ? -signs : signs) + n * rounded.error[1];
            more = std::min(top / (top > 0 ? least : weight + off), rounded.own);
        }
        bound += std::max(std::abs(s) + off + more, 0.0);
    }
    return bound;
}

}  // namespace paclearn
