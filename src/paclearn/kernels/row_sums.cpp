#include "row_sums.hpp"

#include <algorithm>
#include <cmath>

namespace paclearn {
namespace {

constexpr double kEnough = 1e-9;  // of the weight of all pairs of rows, the part that pairs of different rows must have

// What one class has in a cell: a row's part in its own vote is taken off.
double votes_of(double weight, double own, double in_cell, double own_in_cell) {
    const double sign = 2 * weight - in_cell, own_sign = 2 * own - own_in_cell;
    if (sign == 0) return own_in_cell;
    return std::max(in_cell * std::abs(sign) - (sign > 0 ? own_sign : -own_sign), 0.0);
}

}  // namespace

RowSums::RowSums(Rows rows, const Strata& table, const Units& units, SumKind kind, double scale)
    : rows_(rows), kind_(kind), scale_(scale) {
    for (std::size_t u = 0; u < units.count(); ++u)
        bits_.push_back(units.size(u) == 2 ? table.plane(units.first_plane[u]) : nullptr);
    auto masked = std::visit([&](const auto& of) { return MaskedSums::of(of, table); }, rows_);
    if (masked) masked_ = std::make_shared<const MaskedSums>(std::move(*masked));
}

bool RowSums::are_few_bits(const std::vector<std::int32_t>& members) const {
    return members.size() <= MaskedSums::kMostMembers &&
           std::all_of(members.begin(), members.end(), [&](std::int32_t unit) { return plane_of(unit) != nullptr; });
}

template <class Code>
std::vector<double> RowSums::sums_of(const CodedRows<Code>& rows, const std::vector<std::int32_t>& members,
                                     Interrupt& interrupt) const {
    std::size_t cells = 1;
    for (const std::int32_t unit : members) cells *= static_cast<std::size_t>(rows.sizes[unit]);
    std::vector<double> sums(cells * rows.n_classes * rows.n_values);
    if (masked_ && are_few_bits(members)) {
        std::vector<const Word*> planes;
        for (const std::int32_t unit : members) planes.push_back(plane_of(unit));
        interrupt.check();
        masked_->sum(planes, sums.data());
    } else {
        sum_subset(rows, {members.data(), 1, members.size()}, sums.data(), interrupt);
    }
    return sums;
}

double RowSums::score(const std::vector<std::int32_t>& members, Interrupt& interrupt) const {
    return std::visit(
        [&](const auto& rows) {
            const std::vector<double> sums = sums_of(rows, members, interrupt);
            return scale_ * (kind_ == SumKind::squares ? squares(sums, rows.n_values)
                                                       : votes(sums, rows.n_classes, rows.n_values));
        },
        rows_);
}

double RowSums::squares(const std::vector<double>& sums, std::size_t n_values) const {
    const bool weighted = n_values > 3;
    double explained = 0;
    for (std::size_t cell = 0; cell < sums.size(); cell += n_values) {
        const double* sum = &sums[cell];
        const double pairs = sum[0] * sum[0] - sum[weighted ? 3 : 0];
        if (pairs > kEnough * sum[0] * sum[0]) explained += (sum[1] * sum[1] - sum[weighted ? 4 : 2]) * sum[0] / pairs;
    }
    return explained;
}

double RowSums::votes(const std::vector<double>& sums, std::size_t n_classes, std::size_t n_values) const {
    const std::size_t own = n_values > 1 ? 1 : 0;
    double total = 0;
    for (std::size_t cell = 0; cell < sums.size(); cell += n_classes * n_values) {
        double in_cell = 0, own_in_cell = 0, votes = 0;
        for (std::size_t c = cell; c < cell + n_classes * n_values; c += n_values) {
            in_cell += sums[c];
            own_in_cell += sums[c + own];
        }
        for (std::size_t y = n_classes == 2 ? 1 : 0; y < n_classes; ++y)
            votes += votes_of(sums[cell + y * n_values], sums[cell + y * n_values + own], in_cell, own_in_cell);
        if (in_cell > 0) total += votes / in_cell;
    }
    return total;
}

}  // namespace paclearn
