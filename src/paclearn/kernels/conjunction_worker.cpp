#include "conjunction_worker.hpp"

namespace paclearn {
namespace {

constexpr float kNoCondition = -4, kLowest = -2;  // qualities in lanes lie between -1 and 1
constexpr double kTieDigits = 1e12;

// Rows with these answers to two questions, of which so many have yes for an answer to both, to either, or at all.
std::int64_t rows_in_cell(std::size_t answer_j, std::size_t answer_k, std::int64_t both, std::int64_t j, std::int64_t k,
                          std::int64_t total) {
    if (answer_j == 1) return answer_k == 1 ? both : j - both;
    return answer_k == 1 ? k - both : total - j - (k - both);
}

// Every row that answers yes, or no.
void mask_of(const Strata& table, Literal literal, LineBuffer<Word>& mask) {
    const Word* plane = table.plane(literal.plane);
    for (std::size_t w = 0; w < table.starts.back(); ++w)
        mask.data()[w] = literal.answer == 1 ? plane[w] : table.valid[w] & ~plane[w];
}

}  // namespace

ConjunctionWorker::ConjunctionWorker(const ConjunctionTable& table, Interrupt& interrupt)
    : table_(table), interrupt_(interrupt), n_layers_(table.judge.n_layers()), row_(table.judge.row()),
      cell_(n_layers_) {
    for (std::size_t answer = 0; answer < 2; ++answer) {
        answers_k_[answer].assign(table.conditions.count() + kMostLanes, kNoCondition);
        for (std::size_t plane = 0; plane < table.conditions.count(); ++plane)
            if (table.conditions.asked(plane, answer)) answers_k_[answer][plane] = 0;
    }
}

void ConjunctionWorker::singles(std::size_t begin, std::size_t end, Best& best) {
    for (std::size_t plane = begin; plane < end; ++plane)
        for (std::size_t answer = 0; answer < 2; ++answer) {
            const Literal member{plane, answer};
            if (table_.conditions.asked(plane, answer)) offer(measure(member), &member, 1, best);
        }
}

void ConjunctionWorker::pairs(std::size_t begin, std::size_t end, Best& best) {
    prefix_.clear();
    row_.counted = true;
    scan_pairs({&table_.rows, nullptr, nullptr, {}}, begin, end, best);
}

void ConjunctionWorker::triples(std::size_t begin, std::size_t end, Best& best) {
    for (std::size_t plane = begin; plane < end; ++plane) triples_of(plane, best);
}

// The rarer answer is counted; what it leaves of the pairs of the table is the other.
void ConjunctionWorker::triples_of(std::size_t plane, Best& best) {
    const std::size_t behind = table_.conditions.behind[plane], end = table_.conditions.count();
    if (behind + 1 >= end) return;
    const Strata& rows = table_.rows;
    std::size_t yes = 0, all = 0;
    for (std::size_t layer = 0; layer < n_layers_; ++layer) {
        yes += rows.single(layer, plane);
        all += rows.totals[layer];
    }
    const std::size_t counted = 2 * yes <= all ? 1 : 0;
    prefix_.assign(1, {plane, counted});
    LineBuffer<Word> mask(rows.starts.back());
    mask_of(rows, prefix_[0], mask);
    restrict_to(rows, {mask.data()}, behind, part_);
    row_.counted = table_.conditions.asked(plane, counted);
    const bool rest = table_.conditions.asked(plane, 1 - counted);
    scan_pairs({&part_, rest ? &rows : nullptr, rest ? table_.pairs : nullptr, {}}, behind, end, best);
}

// Pairs with j in [begin, end) and k of a later group.
void ConjunctionWorker::scan_pairs(const PairRows& rows, std::size_t begin, std::size_t end, Best& best) {
    tabulate(rows);
    const std::size_t n = table_.conditions.count();
    for (std::size_t j = begin; j < end; j += kPairBlockRows) {
        const PlaneRange js{j, std::min(kPairBlockRows, end - j)};
        for (std::size_t k = j; k < n; k += kPairBlockColumns) {
            const std::size_t k_end = std::min(k + kPairBlockColumns, n);
            if (k_end <= table_.conditions.behind[j]) continue;
            interrupt_.check();
            counts_.count(js, {k, k_end - k}, true, buffer_);
            for (std::size_t first = j; first < j + js.n; ++first)
                score(first, std::max(table_.conditions.behind[first], k), k_end, best);
        }
    }
}

void ConjunctionWorker::tabulate(const PairRows& rows) {
    counts_.tabulate(rows);
    const std::size_t n = rows.strata(), stride = counts_.singles_stride(), origin = rows.counted->origin;
    totals_.resize(n);
    singles_j_.resize(n);
    singles_.assign(n * stride, 0);
    for (std::size_t s = 0; s < n; ++s) {
        totals_[s] = rows.total(s);
        for (std::size_t p = 0; p < rows.counted->n_planes; ++p) singles_[s * stride + p] = rows.single(s, origin + p);
    }
    row_.totals = totals_.data();
    row_.singles_j = singles_j_.data();
    row_.singles_stride = stride;
}

void ConjunctionWorker::score(std::size_t j, std::size_t k_begin, std::size_t k_end, Best& best) {
    if (k_begin >= k_end) return;
    const PairRows& rows = counts_.rows();
    const std::size_t first = counts_.b().first, origin = rows.counted->origin, stride = counts_.singles_stride();
    for (std::size_t s = 0; s < rows.strata(); ++s) singles_j_[s] = singles_[s * stride + j - origin];
    found_.grow(8 * (counts_.row_length() + kMostLanes));
    row_.pairs = std::as_const(counts_).row(0, j);
    row_.layer_stride = counts_.stratum_stride();
    row_.whole = rows.pairs ? rows.pairs->row(0, j, first) : nullptr;
    row_.whole_stride = rows.pairs ? rows.pairs->stratum_stride() : 0;
    row_.singles = singles_.data() + (first - origin);
    for (std::size_t answer = 0; answer < 2; ++answer) {
        row_.answers_j[answer] = table_.conditions.asked(j, answer);
        row_.answers_k[answer] = answers_k_[answer].data() + first;
    }
    row_.close = std::max(static_cast<float>(best.bar() - table_.judge.lane_error()), kLowest);
    row_.first = k_begin - first;
    row_.end = k_end - first;
    row_.found = found_.data();
    const std::size_t n_found = instruction_set().quality_row(row_);
    for (std::size_t i = 0; i < n_found; ++i) {
        const std::uint32_t place = found_.data()[i];
        offer_cell(place / 4 % 2, {j, place / 2 % 2}, {first + place / 8, place % 2}, best);
    }
}

// Of group 0, which was counted, or 1, which is what that leaves.
void ConjunctionWorker::offer_cell(std::size_t group, Literal j, Literal k, Best& best) {
    const std::size_t stride = counts_.singles_stride(), origin = counts_.rows().counted->origin;
    for (std::size_t layer = 0; layer < n_layers_; ++layer) {
        const std::size_t s = group * n_layers_ + layer;
        const std::uint32_t* singles = singles_.data() + s * stride;
        cell_[layer] = rows_in_cell(j.answer, k.answer, counts_.shared(s, j.plane, k.plane), singles[j.plane - origin],
                                    singles[k.plane - origin], totals_[s]);
    }
    const double measure = table_.judge.measure(cell_.data());
    if (measure < best.bar() - 1e-11) return;
    if (prefix_.empty()) {
        const Literal members[2] = {j, k};
        return offer(measure, members, 2, best);
    }
    const std::size_t answer = group == 0 ? prefix_[0].answer : 1 - prefix_[0].answer;
    const Literal members[3] = {{prefix_[0].plane, answer}, j, k};
    offer(measure, members, 3, best);
}

void ConjunctionWorker::offer(double measure, const Literal* members, std::size_t n, Best& best) {
    if (measure < kLowest) return;  // too few rows
    if (table_.judge.ranking().minimal && n > 1 &&
        std::llround(measure * kTieDigits) <= std::llround(best_shorter_form(members, n) * kTieDigits))
        return;
    numbers_.clear();
    for (std::size_t i = 0; i < n; ++i)
        numbers_.push_back(table_.conditions.number[members[i].answer][members[i].plane]);
    std::sort(numbers_.begin(), numbers_.end());
    best.offer(measure, numbers_);
}

double ConjunctionWorker::measure(Literal member) {
    for (std::size_t layer = 0; layer < n_layers_; ++layer) {
        const std::int64_t yes = table_.rows.single(layer, member.plane);
        cell_[layer] = member.answer == 1 ? yes : table_.rows.totals[layer] - yes;
    }
    return table_.judge.measure(cell_.data());
}

double ConjunctionWorker::measure(Literal first, Literal second) {
    for (std::size_t layer = 0; layer < n_layers_; ++layer)
        cell_[layer] = rows_in_cell(first.answer, second.answer, *table_.pairs->row(layer, first.plane, second.plane),
                                    table_.rows.single(layer, first.plane), table_.rows.single(layer, second.plane),
                                    table_.rows.totals[layer]);
    return table_.judge.measure(cell_.data());
}

double ConjunctionWorker::best_shorter_form(const Literal* members, std::size_t n) {
    double best = measure(members[0]);
    for (std::size_t i = 1; i < n; ++i) best = std::max(best, measure(members[i]));
    for (std::size_t i = 0; n == 3 && i < 2; ++i)
        for (std::size_t j = i + 1; j < 3; ++j) best = std::max(best, measure(members[i], members[j]));
    return best;
}

}  // namespace paclearn
