// What is compiled once for every instruction set. Everything else of the scans is ordinary code.
#pragma once

#include "qualities.hpp"
#include "scores.hpp"
#include "words.hpp"

namespace paclearn {

// Rows of the planes a (first..first+n_a) against the planes b, stratum by stratum:
// counts[stratum * stratum_stride + a * row_length + b]; up to three numbers behind a row are written, too.
struct PairBlock {
    const Word* planes;
    std::size_t stride;         // words a plane
    std::size_t first_a, n_a;
    std::size_t first_b, n_b;
    const std::size_t* strata;  // n_strata + 1 word offsets
    std::size_t n_strata;
    std::uint32_t* counts;
    std::size_t row_length, stratum_stride;
};

// Scores of one unit j with a row of units k, all of them bits, in every group of rows.
// A group is a cell of the members chosen before j; group g and class y make stratum g * n_classes + y.
// With `whole`, every group g stands for two: itself, and what it leaves of group g of a larger table. The latter's
// singles, totals and weight are those of group n_groups + g.
struct ScoreRow {
    ScoreKind kind;
    std::size_t n_groups, n_classes;
    const std::uint32_t* pairs;    // rows with j = k = 1: pairs[stratum * stratum_stride + lane]
    std::size_t stratum_stride;
    const std::uint32_t* whole;    // rows with j = k = 1 in the larger table, or null: whole[stratum * whole_stride + lane]
    std::size_t whole_stride;
    const float* singles;          // rows with k = 1: singles[stratum * singles_stride + lane]
    std::size_t singles_stride;
    const float* singles_j;        // rows with j = 1, per stratum
    const float* totals;           // rows, per stratum
    const float* group_weight;     // inverse probability of the group's cell over n, for the product measure
    float weight_j[2];             // inverse probability of j = 0 and j = 1
    const float* weights_k[2];     // the same of k, per lane
    const float* excess;           // two classes only: singles of the second less those of the first, per group
    const float* excess_j;         // the same of j, and of all rows
    const float* excess_total;
    float close;                   // only lanes that reach this matter
    std::size_t first, end;        // the lanes asked for; all rows have room for sixteen at a time
    std::uint32_t* found;          // the lanes that do; room for all of them
};

// Conjunctions of a condition j with a row of conditions k, of all answers to their questions, within the rows of a condition
// before them and, with `whole`, within those it leaves of the whole table. Rows lie in layers; singles and totals of what is
// left are those of layer n_layers and up.
struct QualityRow {
    QualityKind kind;
    bool two_sided;
    bool plain;                    // two layers, of two classes, each row once; `mine` is that of the class at hand
    std::size_t mine;
    std::size_t n_layers;
    const std::uint32_t* pairs;    // rows with j = k = 1: pairs[layer * layer_stride + lane]
    std::size_t layer_stride;
    const std::uint32_t* whole;    // the same in the whole table, or null: whole[layer * whole_stride + lane]
    std::size_t whole_stride;
    const std::uint32_t* singles;  // rows with k = 1: singles[layer * singles_stride + lane]
    std::size_t singles_stride;
    const std::uint32_t* singles_j;  // rows with j = 1, and all, per layer
    const std::uint32_t* totals;
    const float* row_weights;      // what a row of a layer adds to rows and to the sum of the target
    const float* target_weights;
    Whole<float> table;
    float min_rows;
    bool counted;                  // whether conjunctions within the counted rows are asked for
    bool answers_j[2];             // which answers to j are conditions
    const float* answers_k[2];     // per lane: nought where that answer to k is one, and far below any quality elsewhere
    float close;                   // only what reaches this matters
    std::size_t first, end;        // the lanes asked for; all rows have room for sixteen at a time
    std::uint32_t* found;          // 8 lane + 4 (what is left) + 2 j + k of those that do; room for all of them
};

// Some words of several planes, of which only the rows marked in `mask` are kept, strung together. How many words that
// makes is known from the mask; one word more may be written.
struct Squeeze {
    const Word* planes;
    std::size_t stride;
    std::size_t n_planes;
    const Word* mask;
    std::size_t n_words;
    Word* out;
    std::size_t out_stride;
};

// Eight words' worth of rows of a table of codes that is stored row by row, and where its columns hold this one: columns are
// taken in blocks of 64, and bit r of found[64 block + column in it][w] is that of row 64 w + r.
struct CodeRows {
    const std::uint8_t* codes;
    const std::uint8_t* end;  // of the whole table
    std::size_t n_rows;       // up to 512; there are none behind them
    std::size_t n_columns, n_blocks;
    std::uint8_t code;
    Word* found;              // on a cache line
};

// Numbers of a stretch of rows, summed over the rows that two planes share. Planes are widened to sixteen bits a row, each
// kSumRows numbers behind the one before: ones of the rows that a plane of a has, and the numbers of the rows that one of b
// has. Both have room for whole tiles, of kSumTile planes of b and of some that divide kSumPadding of a; `sums` is added to,
// up to three numbers behind a row, too.
constexpr std::size_t kSumRows = 2048, kSumTile = 4, kSumPadding = 12;
struct SumBlock {
    const std::int16_t *a, *b;
    std::size_t n_a, n_b;
    std::size_t n_rows;   // a multiple of 512
    bool diagonal;        // whether a and b are the same planes: the part below the diagonal is never asked for
    std::int64_t worth;   // what the numbers are multiplied by
    std::int64_t* sums;
    std::size_t row_length;
};

// Bounds of the scores of one unit j with a row of units k, all of them bits, from rows and sums of rounded numbers (see
// SumScorer). Groups, classes and `whole` as in ScoreRow; the channel behind the last one is that of the rows. Of the channels
// the first are summed over the rows of pairs, and the others are known of j and of k alone.
struct BoundRow {
    bool votes;
    std::size_t n_groups, n_classes, n_channels, n_paired;
    const std::uint32_t *pairs, *whole;      // rows with j = k = 1: [stratum][lane], in this table and in the larger one
    const std::int64_t *sums, *whole_sums;   // sums of their numbers: [stratum][channel][lane]
    std::size_t stratum_stride, whole_stride;
    const double* singles;                   // with k = 1: [stratum][channel, and rows][lane]
    std::size_t singles_stride;
    const double *singles_j, *totals;        // with j = 1, and all: [stratum][channel, and rows]
    const double *step, *error;
    double own, peak;
    std::size_t first, end;                  // the lanes asked for; all rows have room for sixteen at a time
    double* bounds;
};
constexpr double kFewOthers = 1e-6;  // of the weight of a cell: so few other rows, if any, that nothing is known of it

struct InstructionSet {
    const char* name;
    bool compacts;  // whether squeeze() leaves the unmarked rows out; otherwise it only clears them
    void (*count_pairs)(const PairBlock&);
    void (*squeeze)(const Squeeze&);
    // How many lanes were found.
    std::size_t (*score_row)(const ScoreRow&);
    std::int64_t (*popcount_of_and)(const Word*, const Word*, std::size_t);
    // How many conjunctions were found.
    std::size_t (*quality_row)(const QualityRow&);
    void (*sum_pairs)(const SumBlock&);
    void (*bound_row)(const BoundRow&);
    // out[row] is the number of the row if the plane has it, and nought elsewhere.
    void (*widen)(const Word* plane, const std::int16_t* numbers, std::size_t n_words, std::int16_t* out);
    // Adds up the values of the rows that a mask has: sums[v] += values[v * stride + row].
    void (*add_masked)(const Word* mask, const double* values, std::size_t stride, std::size_t n_values, std::size_t n_words,
                       double* sums);
    // The rest is there where rows are squeezed.
    // One bit for every code: is it this one? And the largest of all codes.
    std::uint8_t (*find_words)(const std::uint8_t* codes, std::size_t n_words, std::uint8_t code, Word* found) = nullptr;
    void (*find_in_rows)(const CodeRows&) = nullptr;
    // Whether a code is larger than the number beside it.
    bool (*any_beyond)(const std::uint8_t* codes, const std::uint8_t* last, std::size_t n) = nullptr;
};

// The best one that runs here; PACLEARN_ISA = avx512, avx2, popcnt or plain asks for one that is slower.
const InstructionSet& instruction_set();

extern const InstructionSet plain_set;
#if defined(__x86_64__)
extern const InstructionSet popcnt_set, avx2_set, avx512_set;
#elif defined(__aarch64__)
extern const InstructionSet neon_set;
#endif

}  // namespace paclearn
