// One thread of a scan of conjunctions: what it counts, and what of that is close enough to the best to be looked at.
#pragma once

#include "best.hpp"
#include "interrupt.hpp"
#include "judge.hpp"
#include "pair_counts.hpp"

namespace paclearn {

// A plane is a question, and each of its answers (no, yes) may be a condition: its number, or -1. Planes stand in the order
// of their groups; conditions of one group do not go together.
struct Conditions {
    std::vector<std::size_t> behind;      // of every plane, the first one of the next group
    std::vector<std::int32_t> number[2];  // number[answer][plane]

    std::size_t count() const { return behind.size(); }
    bool asked(std::size_t plane, std::size_t answer) const { return number[answer][plane] >= 0; }
};

// An answer to a question.
struct Literal {
    std::size_t plane, answer;
};

// What all threads read. The table has one stratum a layer; `pairs` are of all of it, where triples are scanned.
struct ConjunctionTable {
    const Strata& rows;
    const Conditions& conditions;
    const Judge& judge;
    const PairTable* pairs = nullptr;
};

class ConjunctionWorker {
public:
    ConjunctionWorker(const ConjunctionTable& table, Interrupt& interrupt);
    ConjunctionWorker(const ConjunctionWorker&) = delete;

    // All conjunctions whose first plane lies in [begin, end), of one, two or three conditions.
    void singles(std::size_t begin, std::size_t end, Best& best);
    void pairs(std::size_t begin, std::size_t end, Best& best);
    void triples(std::size_t begin, std::size_t end, Best& best);

private:
    void triples_of(std::size_t plane, Best& best);
    void scan_pairs(const PairRows& rows, std::size_t begin, std::size_t end, Best& best);
    void tabulate(const PairRows& rows);
    void score(std::size_t j, std::size_t k_begin, std::size_t k_end, Best& best);
    void offer_cell(std::size_t group, Literal j, Literal k, Best& best);
    void offer(double measure, const Literal* members, std::size_t n, Best& best);

    // Counted in the table, layer by layer.
    double measure(Literal member);
    double measure(Literal first, Literal second);
    double best_shorter_form(const Literal* members, std::size_t n);

    const ConjunctionTable& table_;
    Interrupt& interrupt_;
    const std::size_t n_layers_;
    PairCounts counts_;
    QualityRow row_;
    Strata part_;
    std::vector<Literal> prefix_;  // of triples: the first member, as it is counted
    std::vector<std::uint32_t> singles_, singles_j_, totals_;
    std::vector<float> answers_k_[2];
    std::vector<std::int64_t> cell_;
    std::vector<std::int32_t> numbers_;
    LineBuffer<std::uint32_t> buffer_, found_;
};

}  // namespace paclearn
