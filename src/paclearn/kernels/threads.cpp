#include "threads.hpp"

#include <condition_variable>
#include <system_error>
#include <vector>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace paclearn {
namespace {

constexpr std::chrono::seconds kWaitForMore{1};
constexpr std::size_t kMostHelpers = 1024;

class Helpers {
public:
    void run(std::size_t n, const std::function<void()>& work) {
        Call call{&work, 0};
        invite(n, call);
        work();
        std::unique_lock<std::mutex> lock(lock_);
        std::erase(waiting_, &call);  // nobody took these up, and nothing is left to do
        done_.wait(lock, [&] { return call.running == 0; });
    }

private:
    struct Call {
        const std::function<void()>* work;
        std::size_t running;
    };

    void invite(std::size_t n, Call& call) {
        const std::lock_guard<std::mutex> guard(lock_);
        waiting_.insert(waiting_.end(), n, &call);
        try {
            for (; n_idle_ < waiting_.size() && n_helpers_ < kMostHelpers; ++n_helpers_, ++n_idle_)
                std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            // no more threads to be had: go on with those there are
        }
        wake_.notify_all();
    }

    void serve() {
        std::unique_lock<std::mutex> lock(lock_);
        while (wake_.wait_for(lock, kWaitForMore, [&] { return !waiting_.empty(); })) {
            Call& call = *waiting_.back();
            waiting_.pop_back();
            ++call.running;
            --n_idle_;
            lock.unlock();
            (*call.work)();
            lock.lock();
            ++n_idle_;
            if (--call.running == 0) done_.notify_all();
        }
        --n_idle_;
        --n_helpers_;
    }

    std::mutex lock_;
    std::condition_variable wake_, done_;
    std::vector<Call*> waiting_;  // as often as helpers are wanted
    std::size_t n_helpers_ = 0, n_idle_ = 0;
};

// Never destroyed: helpers may outlive everything else. A forked process has none of them, and begins anew.
Helpers& helpers() {
    static std::atomic<Helpers*> current{new Helpers};
#if !defined(_WIN32)
    static const int registered = pthread_atfork(nullptr, nullptr, [] { current = new Helpers; });
    static_cast<void>(registered);
#endif
    return *current;
}

}  // namespace

void do_together(std::size_t n_helpers, const std::function<void()>& work) {
    if (n_helpers == 0) return work();
    helpers().run(n_helpers, work);
}

}  // namespace paclearn
