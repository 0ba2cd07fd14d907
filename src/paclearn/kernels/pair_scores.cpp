#include "pair_scores.hpp"

#include <cstdlib>

namespace paclearn {
namespace {

constexpr double kLaneError = 2e-5;  // relative; sums of a few dozen 24-bit numbers are far better than that

// Signed counts, in arithmetic that wraps: planes that overlap, which only a liar packs, must do no harm either.
using SignedCount = std::uint32_t;

SignedCount bound_of_cell(SignedCount s) { return std::max(s >> 31 ? 0u - s : s, 1u); }

SignedCount whole(float count) { return static_cast<SignedCount>(static_cast<std::int64_t>(count)); }

}  // namespace

void PairScorer::tabulate(const PairRows& rows, std::vector<std::int32_t> prefix) {
    counts_.tabulate(rows);
    prefix.resize(prefix.size() + 2);
    members_ = std::move(prefix);
    group_weight_.assign(rows.group_weight.begin(), rows.group_weight.end());
    singles_j_.resize(rows.strata());
    if (wanted_.bounded()) tabulate_excess(rows.strata() / 2);
    if (units_.all_bits) tabulate_weights();
}

// How much more of everything the second class has than the first.
void PairScorer::tabulate_excess(std::size_t n_groups) {
    const std::size_t stride = counts_.singles_stride();
    excess_.resize(n_groups * stride);
    excess_total_.resize(n_groups);
    excess_j_.resize(n_groups);
    for (std::size_t g = 0; g < n_groups; ++g) {
        const float* first = counts_.singles(2 * g, counts_.rows().counted->origin);
        for (std::size_t p = 0; p < stride; ++p) excess_[g * stride + p] = first[stride + p] - first[p];
        excess_total_[g] = counts_.totals()[2 * g + 1] - counts_.totals()[2 * g];
    }
}

void PairScorer::tabulate_weights() {
    const Strata& table = *counts_.rows().counted;
    for (std::size_t code = 0; code < 2; ++code) {
        weights_[code].assign(counts_.singles_stride(), 1.0f);
        for (std::size_t p = 0; p < table.n_planes; ++p)
            weights_[code][p] = static_cast<float>(units_.inverse(table.origin + p)[code]);
    }
}

void PairScorer::score(std::size_t j, std::size_t k_begin, std::size_t k_end) {
    if (k_begin >= k_end) return;
    units_.all_bits ? score_bits(j, k_begin, k_end) : score_units(j, k_begin, k_end);
}

// What a score in lanes must reach for the exact one to be looked at.
float PairScorer::close_enough() const {
    const double bar = best_.bar() / wanted_.scale;
    return static_cast<float>(bar - kLaneError * std::max(wanted_.n_rows, std::abs(bar)));
}

void PairScorer::score_bits(std::size_t j, std::size_t k_begin, std::size_t k_end) {
    LineBuffer<std::uint32_t>& close = buffers_.close;
    const PairRows& rows = counts_.rows();
    const PairTable* whole = rows.pairs;
    const std::size_t first = counts_.b().first, origin = rows.counted->origin, stride = counts_.singles_stride();
    for (std::size_t s = 0; s < rows.strata(); ++s) singles_j_[s] = *counts_.singles(s, j);
    for (std::size_t g = 0; g < excess_j_.size(); ++g) excess_j_[g] = excess_[g * stride + j - origin];
    close.grow(counts_.row_length());
    const ScoreRow task{wanted_.kind,
                        rows.counted->size() / wanted_.n_classes,
                        wanted_.n_classes,
                        counts_.row(0, j),
                        counts_.stratum_stride(),
                        whole ? whole->row(0, j, first) : nullptr,
                        whole ? whole->stratum_stride() : 0,
                        counts_.singles(0, first),
                        stride,
                        singles_j_.data(),
                        counts_.totals().data(),
                        group_weight_.data(),
                        {static_cast<float>(units_.inverse(j)[0]), static_cast<float>(units_.inverse(j)[1])},
                        {weights_[0].data() + (first - origin), weights_[1].data() + (first - origin)},
                        excess_.data() + (first - origin),
                        excess_j_.data(),
                        excess_total_.data(),
                        close_enough(),
                        k_begin - first,
                        k_end - first,
                        close.data()};
    const std::size_t n_close = instruction_set().score_row(task);
    for (std::size_t i = 0; i < n_close; ++i) offer(j, first + close.data()[i]);
}

void PairScorer::score_units(std::size_t j, std::size_t k_begin, std::size_t k_end) {
    const bool bounded = wanted_.bounded();
    for (std::size_t k = k_begin; k < k_end; ++k)
        if (!bounded || wanted_.scale * bound(j, k) >= best_.bar() - 1e-11) offer(j, k);
}

void PairScorer::offer(std::size_t j, std::size_t k) {
    const double score = wanted_.scale * exact(j, k);
    if (score < best_.bar() - 1e-11) return;
    members_[members_.size() - 2] = static_cast<std::int32_t>(j);
    members_[members_.size() - 1] = static_cast<std::int32_t>(k);
    best_.offer(score, members_);
}

// No score of a pair of units is larger (see has_bound).
double PairScorer::bound(std::size_t j, std::size_t k) {
    switch (units_.size(k)) {  // loops of known length take half the time
        case 2: return bound_with<1>(j, k);
        case 3: return bound_with<2>(j, k);
        case 4: return bound_with<3>(j, k);
        case 5: return bound_with<4>(j, k);
        case 6: return bound_with<5>(j, k);
        case 7: return bound_with<6>(j, k);
        case 8: return bound_with<7>(j, k);
        default: return bound_with<0>(j, k);
    }
}

// Summed over all cells; s is what the second class has more than the first.
template <std::size_t kPlanes>
double PairScorer::bound_with(std::size_t j, std::size_t k) {
    const std::size_t n_a = units_.size(j) - 1, n_b = kPlanes ? kPlanes : units_.size(k) - 1;
    const std::size_t a = units_.first_plane[j], b = units_.first_plane[k], origin = counts_.rows().counted->origin;
    SignedCount few[kPlanes ? kPlanes : 1];
    if (!kPlanes) left_of_b_.resize(n_b);
    SignedCount* left_of_b = kPlanes ? few : left_of_b_.data();
    std::int64_t sum = 0;
    for (std::size_t g = 0; g < excess_total_.size(); ++g) {
        const float* singles = excess_.data() + g * counts_.singles_stride();
        SignedCount left = whole(excess_total_[g]), cells = 0;
        for (std::size_t v = 0; v < n_b; ++v) {
            left_of_b[v] = whole(singles[b - origin + v]);
            left -= left_of_b[v];
        }
        for (std::size_t u = 0; u < n_a; ++u) {
            const std::uint32_t* first = counts_.row(2 * g, a + u) + (b - counts_.b().first);
            const std::uint32_t* second = first + counts_.stratum_stride();
            SignedCount rest = whole(singles[a - origin + u]);
            for (std::size_t v = 0; v < n_b; ++v) {
                const SignedCount sign = second[v] - first[v];
                cells += bound_of_cell(sign);
                rest -= sign;
                left_of_b[v] -= sign;
            }
            cells += bound_of_cell(rest);
            left -= rest;
        }
        for (std::size_t v = 0; v < n_b; ++v) cells += bound_of_cell(left_of_b[v]);
        sum += cells + bound_of_cell(left);
    }
    return static_cast<double>(sum);
}

// The score of one pair of units, in double precision, from the counts of the block.
double PairScorer::exact(std::size_t j, std::size_t k) {
    switch (wanted_.kind) {
        case ScoreKind::empirical: return exact_as<EmpiricalScore>(j, k);
        case ScoreKind::product: return exact_as<ProductScore>(j, k);
        default: return exact_as<L2Score>(j, k);
    }
}

template <class Score>
double PairScorer::exact_as(std::size_t j, std::size_t k) {
    const PairRows& rows = counts_.rows();
    const std::size_t n_classes = wanted_.n_classes, q_k = units_.size(k), n_cells = units_.size(j) * q_k;
    cells_.resize(n_classes * n_cells);
    in_cell_.resize(n_cells);
    double score = 0;
    for (std::size_t g = 0; g < rows.strata() / n_classes; ++g) {
        std::fill(in_cell_.begin(), in_cell_.end(), 0.0);
        for (std::size_t y = 0; y < n_classes; ++y) counts_.fill(units_, g * n_classes + y, j, k, &cells_[y * n_cells]);
        for (std::size_t y = 0; y < n_classes; ++y)
            for (std::size_t c = 0; c < n_cells; ++c) in_cell_[c] += cells_[y * n_cells + c];
        for (std::size_t y = n_classes == 2 ? 1 : 0; y < n_classes; ++y)
            for (std::size_t c = 0; c < n_cells; ++c)
                score += Score::cell(cells_[y * n_cells + c], in_cell_[c],
                                     rows.group_weight[g] * units_.inverse(j)[c / q_k] * units_.inverse(k)[c % q_k]);
    }
    return score;
}

}  // namespace paclearn
