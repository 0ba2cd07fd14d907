// What the compiled core offers. One kernel a file; bindings.cpp alone knows about Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace paclearn {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;

// Half-open range of words that holds the rows of one class (or, for the sums, nothing but a size).
struct ClassRange {
    std::size_t first_word;
    std::size_t end_word;
    std::size_t n_rows;
};

// A list of subsets of equal size; member t of subset i is members[i * k + t].
struct Subsets {
    const std::int32_t* members;
    std::size_t count;
    std::size_t k;

    const std::int32_t* operator[](std::size_t i) const { return members + i * k; }
};

// Packed code planes. A unit with q codes has q - 1 planes; code 0 is what no plane covers.
struct Planes {
    const Word* words;
    std::size_t words_per_plane;
    const std::int64_t* first_plane;  // per unit
    const std::int64_t* sizes;        // codes per unit
    const Word* valid;                // one bit for every real row: the padding is zero
    std::vector<ClassRange> classes;

    const Word* plane(std::int32_t unit, std::int64_t code) const {
        return words + static_cast<std::size_t>(first_plane[unit] + code - 1) * words_per_plane;
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

// Says whether it could: not every processor can squeeze. class_masks[class] has a bit for every row of the class.
bool pack_by_squeezing(const std::uint8_t* codes, std::size_t n_rows, const Word* class_masks,
                       const std::vector<ClassRange>& classes, std::size_t n_planes, std::size_t words_per_plane,
                       Word* planes);

// The same for a matrix stored row by row, of one code column each: all planes in one pass over the memory.
bool pack_rows(const std::uint8_t* codes, std::size_t n_rows, const std::vector<std::int64_t>& sizes,
               const Word* class_masks, const std::vector<ClassRange>& classes, std::size_t words_per_plane,
               Word* planes);

// Planes of one class, sorted by other classes.
bool sort_planes(const Word* unsorted, std::size_t stride, std::size_t n_planes, std::size_t n_rows,
                 const Word* class_masks, const std::vector<ClassRange>& classes, std::size_t words_per_plane,
                 Word* planes);

// The same as the first for any processor and for codes of two bytes; `order` lists the rows class by class.
template <class Code>
void pack_codes(const Code* codes, const std::int64_t* order, const std::vector<ClassRange>& classes,
                std::size_t n_planes, std::size_t words_per_plane, Word* planes);

// counts[subset, cell, class]; the caller hands in zeros.
void count_cells(const Planes& planes, const Subsets& subsets, std::size_t cells, std::int64_t* counts,
                 std::size_t n_threads);

// sums[subset, cell, class, value]; the caller hands in zeros.
template <class Code>
void sum_cells(const CodedRows<Code>& rows, const Subsets& subsets, std::size_t cells, double* sums,
               std::size_t n_threads);

}  // namespace paclearn
