// Projected subgradient steps, one row at a time, on a block of rows whose kernel values are at hand.
//
// All coefficients shrink together when the classifier is put back into its ball, so a running factor is kept instead
// of touching them: a step costs one row of kernel values.
#include "walk.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "interrupt.hpp"

namespace paclearn {
namespace {

constexpr double kSmallest = 1e-100;  // a running factor below this is multiplied out
constexpr std::size_t kLanes = 8;
constexpr double kStepsACheck = 1024;

// The derivative of the loss in the prediction: the sign of what is too much, or nought beyond a target of 0 or 1.
double slope(double value, double target, bool one_sided) {
    const double sign = static_cast<double>((value > target) - (value < target));
    return one_sided && sign * (target - 0.5) > 0 ? 0.0 : sign;
}

// The steps of one output.
class Walker {
public:
    Walker(const WalkBlock& block, const WalkState& state, std::size_t output, double* changes, double* sums,
           Interrupt& interrupt)
        : interrupt_(interrupt), block_(block), output_(output), radius_(state.radius[output]), rate_(state.rate[output]),
          norm_(state.norm[output]), changes_(changes), sums_(sums), since_(block.rows, 0.0) {}

    void run() {
        for (std::size_t i = 0; i < block_.rows; ++i) visit(i);
        settle(block_.rows);
    }

    double norm() const { return norm_; }
    double shrink() const { return outer_; }
    double weight() const { return outer_weight_; }

private:
    double& at(double* matrix, std::size_t row) const { return matrix[row * block_.outputs + output_]; }
    double at(const double* matrix, std::size_t row) const { return matrix[row * block_.outputs + output_]; }

    double predict(std::size_t i) const {
        double sum = outer_ * at(block_.before, i);
        const double* gram = block_.gram + i * block_.rows;
        double inner = 0.0;
        for (std::size_t j = 0; j < i; ++j) inner += gram[j] * at(changes_, j);
        return sum + factor_ * inner;
    }

    // A row that occurs several times takes as many steps.
    void visit(std::size_t i) {
        const double steps = std::ceil(block_.counts[i]);
        const double share = block_.counts[i] / steps;
        double value = predict(i);
        for (double t = 0; t < steps;) {
            interrupt_.check();
            for (const double pause = std::min(t + kStepsACheck, steps); t < pause; ++t) value = step(i, value, share);
        }
        since_[i] = total_;
    }

    double step(std::size_t i, double value, double share) {
        const double self = block_.gram[i * block_.rows + i];
        const double change = -rate_ * share * slope(value, at(block_.targets, i), block_.one_sided);
        norm_ += 2 * change * value + self * change * change;
        at(changes_, i) += change / factor_;
        value += self * change;
        if (norm_ > radius_) {
            const double back = std::sqrt(radius_ / norm_);
            factor_ *= back;
            outer_ *= back;
            value *= back;
            norm_ = radius_;
        }
        total_ += share * factor_;
        outer_weight_ += share * outer_;
        at(sums_, i) += share * factor_ * at(changes_, i);
        if (factor_ < kSmallest) {
            since_[i] = total_;
            settle(i + 1);
        }
        return value;
    }

    // Multiply the running factor out of the rows seen so far, and bring their sums up to date.
    void settle(std::size_t seen) {
        for (std::size_t j = 0; j < seen; ++j) {
            at(sums_, j) += (total_ - since_[j]) * at(changes_, j);
            at(changes_, j) *= factor_;
            since_[j] = 0.0;
        }
        factor_ = 1.0;
        total_ = 0.0;
    }

    Interrupt& interrupt_;
    const WalkBlock& block_;
    std::size_t output_;
    double radius_, rate_, norm_;
    double* changes_;
    double* sums_;
    std::vector<double> since_;  // total_ when the row was left
    double factor_ = 1.0;        // of the changes within the block
    double total_ = 0.0;         // sum of factor_ over the steps
    double outer_ = 1.0;         // of the coefficients from before the block
    double outer_weight_ = 0.0;  // sum of outer_ over the steps
};

}  // namespace

void walk(const WalkBlock& block, const WalkState& state, double* changes, double* sums) {
    Interrupt interrupt;
    for (std::size_t output = 0; output < block.outputs; ++output) {
        Walker walker(block, state, output, changes, sums, interrupt);
        walker.run();
        state.norm[output] = walker.norm();
        state.shrink[output] = walker.shrink();
        state.weight[output] = walker.weight();
    }
}

void expand(const double* base, std::size_t rows, std::size_t columns, double slope, double offset,
            const double* coefficients, std::size_t outputs, double* out) {
    Interrupt interrupt;
    for (std::size_t i = 0; i < rows; ++i) {
        interrupt.check();
        const double* row = base + i * columns;
        for (std::size_t k = 0; k < outputs; ++k) {
            const double* weights = coefficients + k * columns;  // column by column, for the lanes' sake
            double lanes[kLanes] = {};
            std::size_t j = 0;
            for (; j + kLanes <= columns; j += kLanes)
                for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += weights[j + l] / (offset - slope * row[j + l]);
            double sum = 0.0;
            for (; j < columns; ++j) sum += weights[j] / (offset - slope * row[j]);
            for (double lane : lanes) sum += lane;
            out[i * outputs + k] += sum;
        }
    }
}

}  // namespace paclearn
