// The threads that share the launches of a process on the CPU, called by texsamp/device/threads.py.
//
// A queue holds launches of one caller, which run one after the other; kernels of one launch run at once. Helpers take
// slabs of tile rows from all queues; who waits for a queue takes slabs of that one. Nobody needs Python's lock for it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

using Kernel = void (*)(const void* params, int tiles_x, int begin, int end);

// As Python writes it, with its params behind it, padded to a multiple of its alignment.
struct Job {
    std::uint64_t kernel;
    std::int32_t tiles_x, tiles_y;
    std::uint64_t params_B;
};

// Where so many jobs end.
const char* behind(const char* jobs, int count) {
    for (int n = 0; n < count; ++n) jobs += sizeof(Job) + reinterpret_cast<const Job*>(jobs)->params_B;
    return jobs;
}

struct Slab {
    Kernel kernel;
    const void* params;
    int tiles_x, begin, end;
    double place;  // of its first row, from 0 to 1
};

struct Share {
    std::size_t begin, end;  // of its slabs, those that nobody has taken
};

enum { PIECES = 8 };  // of a kernel's rows, for each thread
const auto SPIN = std::chrono::microseconds(50);  // waking a thread takes about as long

struct Launch {
    std::vector<std::uint64_t> params;
    std::vector<Slab> slabs;
    std::vector<Share> shares;  // by the thread that comes to them first
    std::size_t left;           // slabs that are not done

    // What a thread reads then is mostly in its own cache: the same part of all planes, of every launch and frame.
    Launch(const char* jobs, int count, int threads)
        : params(reinterpret_cast<const std::uint64_t*>(jobs),
                 reinterpret_cast<const std::uint64_t*>(behind(jobs, count))) {
        const char* at = reinterpret_cast<const char*>(params.data());
        for (int n = 0; n < count; ++n) {
            const Job& job = *reinterpret_cast<const Job*>(at);
            const std::int64_t rows = job.tiles_y, pieces = std::min<std::int64_t>(rows, PIECES * threads);
            for (std::int64_t i = 0; i < pieces; ++i)
                slabs.push_back({reinterpret_cast<Kernel>(job.kernel), at + sizeof(Job), job.tiles_x, int(rows * i / pieces),
                                 int(rows * (i + 1) / pieces), double(i) / double(pieces)});
            at = behind(at, 1);
        }
        std::stable_sort(slabs.begin(), slabs.end(), [](const Slab& a, const Slab& b) { return a.place < b.place; });
        left = slabs.size();
        for (std::size_t i = 0; i < std::size_t(threads); ++i)
            shares.push_back({left * i / std::size_t(threads), left * (i + 1) / std::size_t(threads)});
    }

    // The next slab for a thread; of another's share the one that it would come to last.
    const Slab* take(std::size_t number) {
        for (std::size_t turn = 0; turn < shares.size(); ++turn) {
            Share& share = shares[(number + turn) % shares.size()];
            if (share.begin < share.end) return &slabs[turn == 0 ? share.begin++ : --share.end];
        }
        return nullptr;
    }
};

using Queue = std::deque<std::unique_ptr<Launch>>;

struct Pool {
    std::mutex mutex;
    std::condition_variable news;
    std::atomic<unsigned> changes{0};  // for who looks out for news a little before going to sleep
    int sleeping = 0;
    bool ended = false;
    std::vector<Queue*> busy;
    std::vector<std::thread> helpers;

    void tell() {
        changes.fetch_add(1, std::memory_order_release);
        if (sleeping > 0) news.notify_all();
    }

    // One slab of a queue, if one can be begun; the lock is held before and after.
    bool work(Queue& queue, std::size_t number, std::unique_lock<std::mutex>& lock) {
        Launch& launch = *queue.front();
        const Slab* slab = launch.take(number);
        if (slab == nullptr) return false;
        lock.unlock();
        slab->kernel(slab->params, slab->tiles_x, slab->begin, slab->end);
        lock.lock();
        if (--launch.left == 0) {
            queue.pop_front();
            if (queue.empty()) busy.erase(std::find(busy.begin(), busy.end(), &queue));
            tell();
        }
        return true;
    }

    bool work_anywhere(std::size_t number, std::unique_lock<std::mutex>& lock) {
        for (std::size_t i = 0; i < busy.size(); ++i)
            if (work(*busy[i], number, lock)) return true;
        return false;
    }

    void sleep(std::unique_lock<std::mutex>& lock) {
        const unsigned seen = changes.load(std::memory_order_relaxed);
        lock.unlock();
        const auto end = std::chrono::steady_clock::now() + SPIN;
        while (changes.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < end)
            for (int i = 0; i < 16; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
        lock.lock();
        ++sleeping;
        news.wait(lock, [&] { return changes.load(std::memory_order_relaxed) != seen; });
        --sleeping;
    }

    void help(std::size_t number) {
        std::unique_lock<std::mutex> lock(mutex);
        while (!ended)
            if (!work_anywhere(number, lock) && !ended) sleep(lock);
    }
};

}  // namespace

// Threads to share work with, beside the callers.
API Pool* pool_new(int helpers) {
    Pool* pool = new Pool;
    for (int i = 1; i <= helpers; ++i) pool->helpers.emplace_back([=] { pool->help(std::size_t(i)); });
    return pool;
}

// Ends them, when no queue is in use any more.
API void pool_end(Pool* pool) {
    {
        const std::lock_guard<std::mutex> lock(pool->mutex);
        pool->ended = true;
        pool->tell();
    }
    for (std::thread& each : pool->helpers) each.join();
    delete pool;
}

API Queue* queue_new() { return new Queue; }
API void queue_end(Queue* queue) { delete queue; }

// Has launches of so many jobs each run, one after the other, when all before them in the queue are done.
API void queue_begin(Pool* pool, Queue* queue, const char* jobs, const std::int32_t* counts, int launches) {
    Queue coming;
    for (int n = 0; n < launches; jobs = behind(jobs, counts[n]), ++n) {
        auto launch = std::make_unique<Launch>(jobs, counts[n], int(pool->helpers.size()) + 1);
        if (launch->left != 0) coming.push_back(std::move(launch));
    }
    if (coming.empty()) return;
    const std::lock_guard<std::mutex> lock(pool->mutex);
    const bool idle = queue->empty();
    if (idle) pool->busy.push_back(queue);
    for (auto& launch : coming) queue->push_back(std::move(launch));
    if (idle) pool->tell();
}

// Runs jobs one after the other, where there is no pool.
API void jobs_run(const char* jobs, int count) {
    for (int n = 0; n < count; jobs = behind(jobs, 1), ++n) {
        const Job& job = *reinterpret_cast<const Job*>(jobs);
        if (job.tiles_y > 0)
            reinterpret_cast<Kernel>(job.kernel)(jobs + sizeof(Job), job.tiles_x, 0, job.tiles_y);
    }
}

// Returns when everything in the queue is done, and helps with it.
API void queue_wait(Pool* pool, Queue* queue) {
    std::unique_lock<std::mutex> lock(pool->mutex);
    while (!queue->empty())
        if (!pool->work(*queue, 0, lock)) pool->sleep(lock);
}
