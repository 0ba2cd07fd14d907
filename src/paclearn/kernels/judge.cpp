// Not contracted to fused products and sums: numpy rounds after each of them, and so must this.
#include "judge.hpp"

#include <cmath>
#include <limits>

namespace paclearn {
namespace {

constexpr double kTooFew = -1e300;
constexpr double kLaneError = 1e-6;  // of sums of two layers; counts are exact until they are added up

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

double total_of(const std::vector<std::uint32_t>& totals, const std::vector<double>& weights) {
    double sum = 0;
    for (std::size_t layer = 0; layer < totals.size(); ++layer) sum += totals[layer] * weights[layer];
    return sum;
}

bool is_statistic(QualityKind kind) { return kind == QualityKind::chi_square || kind == QualityKind::likelihood_ratio; }

}  // namespace

Judge::Judge(const std::vector<std::uint32_t>& totals, const LayerWeights& weights, const Ranking& ranking)
    : weights_(weights), ranking_(ranking), rows_(total_of(totals, weights.rows)), sums_(total_of(totals, weights.target)),
      mean_(sums_ / rows_), turned_(is_statistic(ranking.kind) && mean_ > 0.5) {
    for (std::size_t layer = 0; layer < n_layers(); ++layer) {
        const double target = turned_ ? weights.rows[layer] - weights.target[layer] : weights.target[layer];
        row_weights_.push_back(static_cast<float>(weights.rows[layer]));
        target_weights_.push_back(static_cast<float>(target));
    }
}

double Judge::measure(const std::int64_t* counts) const {
    double rows = 0, sums = 0;
    for (std::size_t layer = 0; layer < n_layers(); ++layer) {
        rows += static_cast<double>(counts[layer]) * weights_.rows[layer];
        sums += static_cast<double>(counts[layer]) * weights_.target[layer];
    }
    if (rows < ranking_.min_rows || !(rows > 0)) return kTooFew;
    const double value = of(rows, sums);
    return ranking_.two_sided ? std::abs(value) : value;
}

double Judge::of(double rows, double sums) const {
    if (ranking_.kind == QualityKind::precision) return sums / rows;
    if (ranking_.kind == QualityKind::likelihood_ratio) return mutual_information(rows, sums);
    const double beyond = sums - rows * mean_;
    if (ranking_.kind == QualityKind::accuracy) return beyond / rows_;
    if (ranking_.kind == QualityKind::shift) return beyond * std::abs(beyond) / rows / ranking_.squares;
    const double variance = rows * (rows_ - rows) * (mean_ * (1 - mean_));
    return variance > 0 ? beyond * beyond / variance : 0;
}

double Judge::mutual_information(double rows, double sums) const {
    const double inside = x_log_x(sums) + x_log_x(rows - sums) - x_log_x(rows);
    const double outside =
        x_log_x(sums_ - sums) + x_log_x((rows_ - sums_) - (rows - sums)) - x_log_x(rows_ - rows);
    const double whole = x_log_x(sums_) + x_log_x(rows_ - sums_) - x_log_x(rows_);
    return (inside + outside - whole) / rows_;
}

QualityRow Judge::row() const {
    QualityRow row{};
    row.kind = ranking_.kind;
    row.two_sided = ranking_.two_sided;
    row.n_layers = n_layers();
    row.plain = weights_.rows == std::vector<double>{1, 1} && weights_.target == std::vector<double>{0, 1};
    row.mine = turned_ ? 0 : 1;
    row.row_weights = row_weights_.data();
    row.target_weights = target_weights_.data();
    row.table = {static_cast<float>(rows_), static_cast<float>(turned_ ? 1 - mean_ : mean_),
                 static_cast<float>(ranking_.squares)};
    // rounded down: lanes must not lose what has exactly as many rows as it takes
    row.min_rows = static_cast<float>(ranking_.min_rows * (1 - kLaneError * static_cast<double>(n_layers())));
    return row;
}

// Of a mean far from nought, a shift is the small difference of large sums.
double Judge::lane_error() const {
    const double error = kLaneError * static_cast<double>(n_layers());
    if (ranking_.kind != QualityKind::shift) return error;
    return error * (1 + mean_ * std::sqrt(rows_ / ranking_.squares));
}

}  // namespace paclearn
