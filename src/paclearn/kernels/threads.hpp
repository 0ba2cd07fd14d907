// Jobs handed out one by one to a few threads. Every job writes to its own place, so the result does not
// depend on how many threads there are.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

#include "interrupt.hpp"

namespace paclearn {

// make_worker(interrupt) is called once in every thread and returns the function that does one job.
template <class MakeWorker>
void for_each_job(std::size_t n_jobs, std::size_t n_threads, MakeWorker make_worker) {
    std::atomic<std::size_t> next{0};
    Interrupt interrupt;
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto work = [&] {
        try {
            auto worker = make_worker(interrupt);
            for (std::size_t job = next++; job < n_jobs; job = next++) {
                interrupt.check();
                worker(job);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
            interrupt.stop();
        }
    };
    std::vector<std::thread> helpers;
    try {
        for (std::size_t t = 1; t < std::min(n_threads, n_jobs); ++t) helpers.emplace_back(work);
    } catch (const std::system_error&) {
        // no more threads to be had: go on with those there are
    }
    work();
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace paclearn
