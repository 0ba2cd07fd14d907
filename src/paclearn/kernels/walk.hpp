// The inner loop of the online learner of halfspaces.
#pragma once

#include <cstddef>

namespace paclearn {

// A block of rows, one after another, and what all rows before it add up to. Matrices are stored row by row.
struct WalkBlock {
    const double* gram;     // rows x rows: kernel values within the block
    const double* before;   // rows x outputs: predictions by all coefficients as they were when the block began
    const double* targets;  // rows x outputs
    const double* counts;   // rows: how many times each one occurs
    std::size_t rows;
    std::size_t outputs;
    bool one_sided;  // whether predictions beyond a target of 0 or 1 cost nothing
};

// One number an output.
struct WalkState {
    const double* radius;  // B, the most that the squared norm may be
    const double* rate;    // the length of a step
    double* norm;          // squared norm of the classifier
    double* shrink;        // out: what all coefficients from before the block are to be multiplied by
    double* weight;        // out: what those coefficients add to the sum of all classifiers, as multiples of themselves
};

// changes[row, output] and sums[row, output]: what is added to the coefficients and to the sum of all classifiers.
void walk(const WalkBlock& block, const WalkState& state, double* changes, double* sums);

// out[row, output] += sum over j of coefficients[output, j] / (offset - slope * base[row, j])
void expand(const double* base, std::size_t rows, std::size_t columns, double slope, double offset,
            const double* coefficients, std::size_t outputs, double* out);

}  // namespace paclearn
