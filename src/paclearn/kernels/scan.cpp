#include "scan.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "threads.hpp"

namespace paclearn {
namespace {

// Blocks are wide, so that scores come in long rows; planes and counts of one still fit the second cache.
constexpr std::size_t kBlockRows = 64, kBlockColumns = 128;
constexpr std::size_t kUnitsPerJob = 64, kFewestUnitsPerJob = 4, kJobsPerThread = 4;
constexpr double kTieDigits = 1e12;
constexpr double kLaneError = 2e-5;  // relative; sums of a few dozen 24-bit numbers are far better than that

std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// The best n subsets seen, a heap with the worst on top. Equal scores (to twelve digits) go to the first in order, so
// the outcome depends neither on the order of the offers nor on how they were shared out among threads.
class Best {
public:
    Best(std::size_t n, double floor) : n_(n), floor_(floor) {}

    double bar() const { return heap_.size() < n_ ? floor_ : std::max(floor_, heap_.front().score); }

    void offer(double score, const std::vector<std::int32_t>& members) {
        if (score < floor_ - 1e-12 || (heap_.size() == n_ && !before({score, members}, heap_.front()))) return;
        if (heap_.size() == n_) {
            std::pop_heap(heap_.begin(), heap_.end(), before);
            heap_.pop_back();
        }
        heap_.push_back({score, members});
        std::push_heap(heap_.begin(), heap_.end(), before);
    }

    void merge(const Best& other) {
        for (const Scored& entry : other.heap_) offer(entry.score, entry.members);
    }

    std::vector<Scored> sorted() && {
        std::sort_heap(heap_.begin(), heap_.end(), before);
        return std::move(heap_);
    }

private:
    static bool before(const Scored& x, const Scored& y) {
        const auto a = std::llround(x.score * kTieDigits), b = std::llround(y.score * kTieDigits);
        return a != b ? a > b : x.members < y.members;
    }

    std::size_t n_;
    double floor_;
    std::vector<Scored> heap_;
};

// Rows that have both bits, for all pairs of planes of a table: pairs[stratum][plane][plane], for planes in order.
struct PairTable {
    std::vector<std::uint32_t> counts;
    std::size_t origin, n_planes, row_length;

    explicit PairTable(const Strata& table, std::size_t n_threads = 1)
        : origin(table.origin), n_planes(table.n_planes), row_length(round_up(table.n_planes, kMostLanes)) {
        counts.resize(table.size() * n_planes * row_length + kMostLanes);
        std::vector<std::pair<std::size_t, std::size_t>> blocks;
        for (std::size_t a = 0; a < n_planes; a += kBlockRows)
            for (std::size_t b = a; b < n_planes; b += kBlockColumns) blocks.push_back({a, b});
        for_each_job(blocks.size(), n_threads, [&] {
            return [&](std::size_t job) {
                const auto [a, b] = blocks[job];
                instruction_set().count_pairs({table.planes, table.stride, a, std::min(kBlockRows, n_planes - a), b,
                                               std::min(kBlockColumns, n_planes - b), table.starts.data(), table.size(),
                                               counts.data() + a * row_length + b, row_length, n_planes * row_length});
            };
        });
    }

    const std::uint32_t* row(std::size_t stratum, std::size_t plane_a, std::size_t plane_b) const {
        return counts.data() + (stratum * n_planes + plane_a - origin) * row_length + plane_b - origin;
    }
};

// The rows of a pair scan, in groups. Some groups are counted; the last one may be what they leave of another table.
struct Rows {
    const Strata* counted;
    const Strata* whole = nullptr;      // with `pairs`: the last group is this less the counted ones
    const PairTable* pairs = nullptr;
    std::vector<double> group_weight;   // inverse probability of the group's cell, over n

    std::size_t strata() const { return counted->size() + (whole ? whole->size() : 0); }
    std::uint32_t total(std::size_t s) const { return derive(s, counted->totals, whole ? &whole->totals : nullptr); }
    std::uint32_t single(std::size_t s, std::size_t p) const {
        if (s < counted->size()) return counted->single(s, p);
        std::uint32_t rest = whole->single(s - counted->size(), p);
        for (std::size_t c = s - counted->size(); c < counted->size(); c += whole->size()) rest -= counted->single(c, p);
        return rest;
    }

private:
    std::uint32_t derive(std::size_t s, const std::vector<std::uint32_t>& own,
                         const std::vector<std::uint32_t>* all) const {
        if (s < own.size()) return own[s];
        std::uint32_t rest = (*all)[s - own.size()];
        for (std::size_t c = s - own.size(); c < own.size(); c += all->size()) rest -= own[c];
        return rest;
    }
};

// What a pair scan writes to; it outlives the scan, so that a thread allocates it once and not for every job.
struct Buffers {
    LineBuffer<std::uint32_t> counts;
    LineBuffer<std::uint32_t> close;
    std::vector<Strata> parts;  // the rows with the members so far, one for every number of them
};

// Scores all pairs (j, k) of units behind a prefix of members, block by block.
class PairScan {
public:
    PairScan(const Units& units, std::size_t n_classes, ScoreKind kind, double scale, double n_rows, Best& best,
             Buffers& buffers)
        : units_(units), n_classes_(n_classes), kind_(kind), scale_(scale), n_rows_(n_rows), best_(best),
          counts_(buffers.counts), close_(buffers.close) {}

    // Pairs with j in [begin, end) and k behind j.
    void run(const Rows& rows, std::vector<std::int32_t> prefix, std::size_t begin, std::size_t end) {
        if (begin >= end) return;
        prefix.resize(prefix.size() + 2);
        members_ = std::move(prefix);
        rows_ = &rows;
        tabulate(rows);
        for (std::size_t j = begin; j < end;) {
            const std::size_t j_end = std::min(block_end(j, kBlockRows), end);
            for (std::size_t k = j; k < units_.count(); k = block_end(k, kBlockColumns))
                scan_block(j, j_end, k, block_end(k, kBlockColumns));
            j = j_end;
        }
    }

private:
    // Where a block ends that begins with this unit: it has at most so many planes, but one unit at least.
    std::size_t block_end(std::size_t begin, std::size_t planes) const {
        std::size_t end = begin + 1;
        while (end < units_.count() && units_.first_plane[end + 1] - units_.first_plane[begin] <= planes) ++end;
        return end;
    }

    // Totals and singles of all strata, as the lanes want them.
    void tabulate(const Rows& rows) {
        const Strata& table = *rows.counted;
        const std::size_t n = rows.strata();
        totals_.resize(n);
        singles_j_.resize(n);
        group_weight_.assign(rows.group_weight.begin(), rows.group_weight.end());
        singles_length_ = table.n_planes + kMostLanes;
        singles_.assign(n * singles_length_, 0.0f);
        for (std::size_t s = 0; s < n; ++s) {
            totals_[s] = static_cast<float>(rows.total(s));
            for (std::size_t p = 0; p < table.n_planes; ++p)
                singles_[s * singles_length_ + p] = static_cast<float>(rows.single(s, table.origin + p));
        }
        if (has_bound(kind_, n_classes_)) tabulate_excess(n / 2);
        for (std::size_t code = 0; code < 2 && units_.all_bits; ++code) {
            weights_[code].assign(singles_length_, 1.0f);
            for (std::size_t p = 0; p < table.n_planes; ++p)
                weights_[code][p] = static_cast<float>(units_.inverse[table.origin + p][code]);
        }
    }

    // How much more of everything the second class has than the first.
    void tabulate_excess(std::size_t n_groups) {
        excess_.resize(n_groups * singles_length_);
        excess_total_.resize(n_groups);
        excess_j_.resize(n_groups);
        for (std::size_t g = 0; g < n_groups; ++g) {
            const float* first = singles_.data() + 2 * g * singles_length_;
            for (std::size_t p = 0; p < singles_length_; ++p)
                excess_[g * singles_length_ + p] = first[singles_length_ + p] - first[p];
            excess_total_[g] = totals_[2 * g + 1] - totals_[2 * g];
        }
    }

    void scan_block(std::size_t j_begin, std::size_t j_end, std::size_t k_begin, std::size_t k_end) {
        const Strata& table = *rows_->counted;
        first_a_ = units_.first_plane[j_begin];
        n_a_ = units_.first_plane[j_end] - first_a_;
        first_b_ = units_.first_plane[k_begin];
        n_b_ = units_.first_plane[k_end] - first_b_;
        row_length_ = round_up(n_b_, kMostLanes);
        if (const std::size_t n = rows_->strata() * n_a_ * row_length_ + kMostLanes; counts_.size() < n) {
            counts_.grow(n);
            std::fill_n(counts_.data(), counts_.size(), 0u);
        }
        instruction_set().count_pairs({table.planes, table.stride, first_a_ - table.origin, n_a_, first_b_ - table.origin,
                                       n_b_, table.starts.data(), table.size(), counts_.data(), row_length_,
                                       n_a_ * row_length_});
        if (rows_->whole && !units_.all_bits) subtract_from_whole();
        for (std::size_t j = j_begin; j < j_end; ++j)
            units_.all_bits ? score_bits(j, std::max(j + 1, k_begin), k_end)
                            : score_units(j, std::max(j + 1, k_begin), k_end);
    }

    // For bits, score_row and fill_cells do that on the way.
    void subtract_from_whole() {
        const std::size_t n_counted = rows_->counted->size(), n_whole = rows_->whole->size();
        for (std::size_t s = 0; s < n_whole; ++s)
            for (std::size_t i = 0; i < n_a_; ++i) {
                const std::uint32_t* all = rows_->pairs->row(s, first_a_ + i, first_b_);
                std::uint32_t* rest = row(n_counted + s, i);
                for (std::size_t b = 0; b < n_b_; ++b) rest[b] = all[b];
                for (std::size_t c = s; c < n_counted; c += n_whole) {
                    const std::uint32_t* counted = row(c, i);
                    for (std::size_t b = 0; b < n_b_; ++b) rest[b] -= counted[b];
                }
            }
    }

    std::uint32_t* row(std::size_t stratum, std::size_t i) {
        return counts_.data() + (stratum * n_a_ + i) * row_length_;
    }

    void score_bits(std::size_t j, std::size_t k_begin, std::size_t k_end) {
        if (k_begin >= k_end) return;
        const std::size_t shift = first_b_ - rows_->counted->origin;
        const PairTable* whole = rows_->pairs;
        for (std::size_t s = 0; s < rows_->strata(); ++s)
            singles_j_[s] = singles_[s * singles_length_ + j - rows_->counted->origin];
        for (std::size_t g = 0; g < excess_j_.size(); ++g)
            excess_j_[g] = excess_[g * singles_length_ + j - rows_->counted->origin];
        close_.grow(row_length_);
        const double bar = best_.bar() / scale_;
        const float close = static_cast<float>(bar - kLaneError * std::max(n_rows_, std::abs(bar)));
        const ScoreRow task{kind_,
                            rows_->counted->size() / n_classes_,
                            n_classes_,
                            row(0, j - first_a_),
                            n_a_ * row_length_,
                            whole ? whole->row(0, j, first_b_) : nullptr,
                            whole ? whole->n_planes * whole->row_length : 0,
                            singles_.data() + shift,
                            singles_length_,
                            singles_j_.data(),
                            totals_.data(),
                            group_weight_.data(),
                            {static_cast<float>(units_.inverse[j][0]), static_cast<float>(units_.inverse[j][1])},
                            {weights_[0].data() + shift, weights_[1].data() + shift},
                            excess_.data() + shift,
                            excess_j_.data(),
                            excess_total_.data(),
                            close,
                            k_begin - first_b_,
                            k_end - first_b_,
                            close_.data()};
        const std::size_t n_close = instruction_set().score_row(task);
        for (std::size_t i = 0; i < n_close; ++i) offer(j, first_b_ + close_.data()[i]);
    }

    void score_units(std::size_t j, std::size_t k_begin, std::size_t k_end) {
        const bool bounded = has_bound(kind_, n_classes_);
        for (std::size_t k = k_begin; k < k_end; ++k)
            if (!bounded || scale_ * bound(j, k) >= best_.bar() - 1e-11) offer(j, k);
    }

    // No score of a pair of units is larger (see has_bound).
    double bound(std::size_t j, std::size_t k) {
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

    static std::int32_t bound_of_cell(std::int32_t s) { return std::max(std::abs(s), 1); }

    // Summed over all cells; s is what the second class has more than the first.
    template <std::size_t kPlanes>
    double bound_with(std::size_t j, std::size_t k) {
        const std::size_t n_a = units_.size(j) - 1, n_b = kPlanes ? kPlanes : units_.size(k) - 1;
        const std::size_t a = units_.first_plane[j], b = units_.first_plane[k], origin = rows_->counted->origin;
        std::int32_t few[kPlanes ? kPlanes : 1];
        if (!kPlanes) left_of_b_.resize(n_b);
        std::int32_t* left_of_b = kPlanes ? few : left_of_b_.data();
        std::int64_t sum = 0;
        for (std::size_t g = 0; g < excess_total_.size(); ++g) {
            const float* singles = excess_.data() + g * singles_length_;
            std::int32_t left = static_cast<std::int32_t>(excess_total_[g]), cells = 0;
            for (std::size_t v = 0; v < n_b; ++v) {
                left_of_b[v] = static_cast<std::int32_t>(singles[b - origin + v]);
                left -= left_of_b[v];
            }
            for (std::size_t u = 0; u < n_a; ++u) {
                const std::uint32_t* first = row(2 * g, a - first_a_ + u) + (b - first_b_);
                const std::uint32_t* second = first + n_a_ * row_length_;
                std::int32_t rest = static_cast<std::int32_t>(singles[a - origin + u]);
                for (std::size_t v = 0; v < n_b; ++v) {
                    const std::int32_t sign = static_cast<std::int32_t>(second[v] - first[v]);
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

    void offer(std::size_t j, std::size_t k) {
        const double score = scale_ * exact(j, k);
        if (score < best_.bar() - 1e-11) return;
        members_[members_.size() - 2] = static_cast<std::int32_t>(j);
        members_[members_.size() - 1] = static_cast<std::int32_t>(k);
        best_.offer(score, members_);
    }

    // The score of one pair of units, in double precision, from the counts of the block.
    double exact(std::size_t j, std::size_t k) {
        switch (kind_) {
            case ScoreKind::empirical: return exact_as<EmpiricalScore>(j, k);
            case ScoreKind::product: return exact_as<ProductScore>(j, k);
            default: return exact_as<L2Score>(j, k);
        }
    }

    template <class Score>
    double exact_as(std::size_t j, std::size_t k) {
        const std::size_t q_j = units_.size(j), q_k = units_.size(k), n_groups = rows_->strata() / n_classes_;
        cells_.resize(n_classes_ * q_j * q_k);
        in_cell_.resize(q_j * q_k);
        double score = 0;
        for (std::size_t g = 0; g < n_groups; ++g) {
            std::fill(in_cell_.begin(), in_cell_.end(), 0.0);
            for (std::size_t y = 0; y < n_classes_; ++y) fill_cells(g * n_classes_ + y, j, k, q_j, q_k, &cells_[y * q_j * q_k]);
            for (std::size_t y = 0; y < n_classes_; ++y)
                for (std::size_t c = 0; c < q_j * q_k; ++c) in_cell_[c] += cells_[y * q_j * q_k + c];
            for (std::size_t y = n_classes_ == 2 ? 1 : 0; y < n_classes_; ++y)
                for (std::size_t c = 0; c < q_j * q_k; ++c)
                    score += Score::cell(cells_[y * q_j * q_k + c], in_cell_[c],
                                         rows_->group_weight[g] * units_.inverse[j][c / q_k] * units_.inverse[k][c % q_k]);
        }
        return score;
    }

    // Rows of one stratum in all cells of two units; code 0 is what the other codes leave.
    void fill_cells(std::size_t s, std::size_t j, std::size_t k, std::size_t q_j, std::size_t q_k, double* cells) {
        const std::size_t plane_j = units_.first_plane[j], plane_k = units_.first_plane[k];
        const std::size_t origin = rows_->counted->origin;
        const float* singles = singles_.data() + s * singles_length_;
        double left = totals_[s];
        for (std::size_t b = 1; b < q_k; ++b) {
            cells[b] = singles[plane_k + b - 1 - origin];
            left -= cells[b];
        }
        cells[0] = left;
        for (std::size_t a = 1; a < q_j; ++a) {
            double rest = singles[plane_j + a - 1 - origin];
            for (std::size_t b = 1; b < q_k; ++b) {
                const double n = shared(s, plane_j + a - 1, plane_k + b - 1);
                cells[a * q_k + b] = n;
                cells[b] -= n;
                rest -= n;
            }
            cells[a * q_k] = rest;
            cells[0] -= rest;
        }
    }

    // Rows of a stratum that have both bits.
    std::uint32_t shared(std::size_t s, std::size_t plane_j, std::size_t plane_k) {
        const std::size_t n_counted = rows_->counted->size();
        if (s < n_counted || !units_.all_bits) return row(s, plane_j - first_a_)[plane_k - first_b_];
        // one code of a bit is counted, so its stratum is the only one to take away
        return *rows_->pairs->row(s - n_counted, plane_j, plane_k) - shared(s - n_counted, plane_j, plane_k);
    }

    const Units& units_;
    const std::size_t n_classes_;
    const ScoreKind kind_;
    const double scale_, n_rows_;
    Best& best_;
    const Rows* rows_ = nullptr;
    std::vector<std::int32_t> members_;
    std::size_t first_a_ = 0, n_a_ = 0, first_b_ = 0, n_b_ = 0, row_length_ = 0, singles_length_ = 0;
    LineBuffer<std::uint32_t>& counts_;
    LineBuffer<std::uint32_t>& close_;
    std::vector<float> singles_, singles_j_, totals_, group_weight_, weights_[2];
    std::vector<float> excess_, excess_j_, excess_total_;  // of the second class over the first
    std::vector<std::int32_t> left_of_b_;
    std::vector<double> cells_, in_cell_;
};

// One bit for every row with a code of a unit, for each of its codes.
std::vector<LineBuffer<Word>> code_masks(const Strata& table, const Units& units, std::size_t unit) {
    std::vector<LineBuffer<Word>> masks;
    for (std::size_t code = 0; code < units.size(unit); ++code) masks.emplace_back(table.starts.back());
    Word* rest = masks[0].data();
    std::copy(table.valid, table.valid + table.starts.back(), rest);
    for (std::size_t code = 1; code < units.size(unit); ++code) {
        const Word* plane = table.plane(units.first_plane[unit] + code - 1);
        for (std::size_t w = 0; w < table.starts.back(); ++w) {
            masks[code].data()[w] = plane[w];
            rest[w] &= ~plane[w];
        }
    }
    return masks;
}

std::int64_t rows_in(const LineBuffer<Word>& mask) {
    return instruction_set().popcount_of_and(mask.data(), mask.data(), mask.size());
}

// Fixes the members of a subset one after another until two are left, and hands those to a PairScan.
class SubsetScan {
public:
    SubsetScan(const Units& units, PairScan pair_scan, std::vector<Strata>& parts)
        : units_(units), pair_scan_(std::move(pair_scan)), parts_(parts) {}

    // All subsets that begin with `prefix` and `unit` and have two members more. All codes of the unit but the most
    // frequent one are counted; that one is what they leave of the pairs of the table.
    void triples(const Strata& table, const PairTable& pairs, const std::vector<double>& weights,
                 std::vector<std::int32_t> prefix, std::size_t unit) {
        const auto masks = code_masks(table, units_, unit);
        std::size_t implied = 0;
        for (std::size_t code = 1; code < masks.size(); ++code)
            if (rows_in(masks[code]) > rows_in(masks[implied])) implied = code;
        std::vector<const Word*> counted;
        std::vector<double> cell_weights;
        for (std::size_t code = 0; code < masks.size(); ++code)
            if (code != implied) {
                counted.push_back(masks[code].data());
                append(cell_weights, weights, units_.inverse[unit][code]);
            }
        append(cell_weights, weights, units_.inverse[unit][implied]);
        Strata& part = parts_[prefix.size()];
        restrict_to(table, counted, units_.first_plane[unit + 1], part);
        prefix.push_back(static_cast<std::int32_t>(unit));
        pair_scan_.run({&part, &table, &pairs, cell_weights}, std::move(prefix), unit + 1, units_.count());
    }

    // All subsets that begin with `prefix` and `unit` and have k - 1 members more, k >= 4.
    void deeper(const Strata& table, const std::vector<double>& weights, std::vector<std::int32_t> prefix,
                std::size_t unit, std::size_t k) {
        const auto masks = code_masks(table, units_, unit);
        std::vector<const Word*> counted;
        std::vector<double> cell_weights;
        for (std::size_t code = 0; code < masks.size(); ++code) {
            counted.push_back(masks[code].data());
            append(cell_weights, weights, units_.inverse[unit][code]);
        }
        Strata& part = parts_[prefix.size()];
        restrict_to(table, counted, units_.first_plane[unit + 1], part);
        prefix.push_back(static_cast<std::int32_t>(unit));
        if (k > 4) {
            for (std::size_t next = unit + 1; next + k - 2 < units_.count(); ++next)
                deeper(part, cell_weights, prefix, next, k - 1);
            return;
        }
        const PairTable pairs(part);
        for (std::size_t next = unit + 1; next + 2 < units_.count(); ++next)
            triples(part, pairs, cell_weights, prefix, next);
    }

    void pairs(const Strata& table, const std::vector<double>& weights, std::size_t begin, std::size_t end) {
        pair_scan_.run({&table, nullptr, nullptr, weights}, {}, begin, end);
    }

private:
    static void append(std::vector<double>& all, const std::vector<double>& weights, double factor) {
        for (const double weight : weights) all.push_back(weight * factor);
    }

    const Units& units_;
    PairScan pair_scan_;
    std::vector<Strata>& parts_;
};

// First members of a job of a pair scan: many, so that planes are used often, but jobs for all threads.
std::size_t units_per_job(std::size_t n_units, std::size_t n_threads) {
    if (n_threads < 2) return kUnitsPerJob;
    const std::size_t share = round_up(n_units / (n_threads * kJobsPerThread) + 1, kFewestUnitsPerJob);
    return std::min(share, kUnitsPerJob);
}

double sum(const std::vector<std::uint32_t>& totals) {
    double n = 0;
    for (const std::uint32_t total : totals) n += total;
    return n;
}

}  // namespace

struct Scanner::Pairs : PairTable {
    using PairTable::PairTable;
};

Scanner::Scanner(Strata table, Units units, std::size_t n_classes, ScoreKind kind, double scale)
    : table_(std::move(table)), units_(std::move(units)), n_classes_(n_classes), kind_(kind), scale_(scale),
      n_rows_(sum(table_.totals)) {
    count_singles(table_);
}

Scanner::~Scanner() = default;

std::vector<Scored> Scanner::scan(std::size_t k, std::size_t begin, std::size_t end, std::size_t n_best, double floor,
                                  std::size_t n_threads) {
    const std::vector<double> weights(table_.size() / n_classes_, 1 / n_rows_);
    if (k == 3 && !pairs_) pairs_ = std::make_unique<Pairs>(table_, n_threads);
    const std::size_t step = k == 2 ? units_per_job(end - begin, n_threads) : 1;
    Best best(n_best, floor);
    std::mutex lock;
    const auto bar_so_far = [&] {
        const std::lock_guard<std::mutex> guard(lock);
        return best.bar();
    };
    for_each_job((end - begin + step - 1) / step, n_threads, [&] {
        return [&, first = begin, buffers = Buffers()](std::size_t job) mutable {
            Best found(n_best, bar_so_far());
            buffers.parts.resize(k);
            SubsetScan scan(units_, PairScan(units_, n_classes_, kind_, scale_, n_rows_, found, buffers), buffers.parts);
            const std::size_t unit = first + job * step;
            if (k == 2)
                scan.pairs(table_, weights, unit, std::min(unit + step, end));
            else if (k == 3)
                scan.triples(table_, *pairs_, weights, {}, unit);
            else
                scan.deeper(table_, weights, {}, unit, k);
            const std::lock_guard<std::mutex> guard(lock);
            best.merge(found);
        };
    });
    return std::move(best).sorted();
}

}  // namespace paclearn
