// Long work can be ended: by a person who has had enough, or because another thread has failed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "words.hpp"

namespace paclearn {

// Asked a few times a second in the thread that was called; it throws if the work is to end. The bindings set it.
inline void (*poll_interrupt)() = [] {};

// Thrown in the other threads; the one that failed knows why.
struct Stopped {};

// What threads write stands on cache lines apart from what others read.
class Interrupt {
public:
    // To be called from inside long loops, by any thread: most calls do nothing at all.
    void check() {
        if (stopped_.load(std::memory_order_relaxed)) throw Stopped{};
        if (std::this_thread::get_id() != caller_ || --until_look_ > 0) return;
        const auto now = Clock::now();
        calls_a_look_ = now - last_look_ < kBetweenLooks ? std::min(2 * calls_a_look_, kMostCallsALook)
                                                         : std::max(calls_a_look_ / 2, 1);
        until_look_ = calls_a_look_;
        last_look_ = now;
        poll_interrupt();
    }

    void stop() { stopped_ = true; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kBetweenLooks{25};
    static constexpr int kMostCallsALook = 1 << 20;

    alignas(kLineBytes) std::atomic<bool> stopped_{false};  // all threads read it
    const std::thread::id caller_ = std::this_thread::get_id();
    alignas(kLineBytes) int until_look_ = 1;  // the caller alone writes this at every call
    int calls_a_look_ = 1;
    Clock::time_point last_look_ = Clock::now();
};

}  // namespace paclearn
