// Tables of the cells of small subsets of units: counts in cells.cpp, sums in sums.cpp.
#pragma once

#include "interrupt.hpp"
#include "words.hpp"

namespace paclearn {

// A list of subsets of equal size; member t of subset i is members[i * k + t].
struct Subsets {
    const std::int32_t* members;
    std::size_t count;
    std::size_t k;  // one or more

    const std::int32_t* operator[](std::size_t i) const { return members + i * k; }
};

// Packed code planes. A unit with q codes has q - 1 planes; code 0 is what no plane covers.
struct Planes {
    const Word* words;
    std::size_t words_per_plane;
    std::vector<std::size_t> first_plane;  // per unit
    const std::int64_t* sizes;             // codes per unit
    std::vector<ClassRange> classes;
    std::vector<Word> valid;  // one bit for every real row: the padding is zero

    const Word* plane(std::int32_t unit, std::size_t code) const {
        return words + (first_plane[static_cast<std::size_t>(unit)] + code - 1) * words_per_plane;
    }
};

// Row-wise codes, one column after another, with the values to be summed.
template <class Code>
struct CodedRows {
    const Code* codes;
    std::size_t n_rows;
    const std::int64_t* sizes;
    const std::int32_t* row_class;
    std::size_t n_classes;
    const double* values;
    std::size_t n_values;
};

// Consecutive subsets that differ in the last member only share all the work on the others.
struct Run {
    std::size_t begin;
    std::size_t end;
};
std::vector<Run> runs_of_equal_prefix(const Subsets& subsets);

// counts[subset, cell, class]; the caller hands in zeros.
void count_cells(const Planes& planes, const Subsets& subsets, std::size_t cells, std::int64_t* counts,
                 std::size_t n_threads);

// sums[subset, cell, class, value]; the caller hands in zeros.
template <class Code>
void sum_cells(const CodedRows<Code>& rows, const Subsets& subsets, std::size_t cells, double* sums,
               std::size_t n_threads);

// The same of a single subset, in this thread.
template <class Code>
void sum_subset(const CodedRows<Code>& rows, const Subsets& subset, double* sums, Interrupt& interrupt);

}  // namespace paclearn
