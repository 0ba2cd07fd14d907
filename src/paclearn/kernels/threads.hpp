// Jobs handed out one by one to a few threads. Every job writes to its own place, so the result does not
// depend on how many threads there are.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

#include "interrupt.hpp"

namespace paclearn {

// Does some work, which must not throw, here and in up to so many helpers at once; they wait for more of it for a second, so
// that short scans do not pay for the start of threads.
void do_together(std::size_t n_helpers, const std::function<void()>& work);

// make_worker(interrupt) is called once in every thread and returns the function that does one job.
template <class MakeWorker>
void for_each_job(std::size_t n_jobs, std::size_t n_threads, MakeWorker make_worker) {
    if (n_jobs == 0) return;
    alignas(kLineBytes) std::atomic<std::size_t> next{0};
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
    do_together(std::min(n_threads, n_jobs) - 1, work);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace paclearn
