// Test build (TEXSAMP_THREADED_TILES, C++20): each tile runs on real threads the way a CUDA block does, with the device's
// tile sizes, so that a thread sanitizer sees a missing BARRIER() and a bounds checker sees the device's scratch.
// portable.h includes it in place of the CPU's macros; nothing that is installed is built this way.
#pragma once
#include <barrier>
#include <mutex>
#include <thread>
#include <vector>

namespace threaded_tiles {

struct Index {
    int x, y;
};
inline constexpr Index block = {4, 2};
inline thread_local Index thread;
inline std::barrier<> barrier(block.x* block.y);
inline std::mutex one_launch;  // scratch is static: only one tile may exist at a time

// A thread of the block goes through every tile; scratch is used again only when all have left the tile before.
template <typename Params>
void run_thread(Index id, const Params& params, void (*tile)(const Params&, int, int), int tiles_x, int begin, int end) {
    thread = id;
    for (int y = begin; y < end; ++y)
        for (int x = 0; x < tiles_x; ++x) {
            tile(params, x, y);
            barrier.arrive_and_wait();
        }
}

template <typename Params>
void launch(const Params& params, void (*tile)(const Params&, int, int), int tiles_x, int begin, int end) {
    const std::lock_guard<std::mutex> guard(one_launch);
    std::vector<std::thread> threads;
    for (int y = 0; y < block.y; ++y)
        for (int x = 0; x < block.x; ++x)
            threads.emplace_back(run_thread<Params>, Index{x, y}, std::cref(params), tile, tiles_x, begin, end);
    for (std::thread& each : threads) each.join();
}

}  // namespace threaded_tiles

#define FN static inline
#define FN_MEMBER inline
#define FN_APART static
#define FN_ONCE static
#define SHARED static
#define BARRIER() threaded_tiles::barrier.arrive_and_wait()
#define FOR_EACH(i, n)                                                                        \
    for (int i = threaded_tiles::thread.y * threaded_tiles::block.x + threaded_tiles::thread.x; i < (n); \
         i += threaded_tiles::block.x * threaded_tiles::block.y)
#define FOR_ITEMS(i, n) FOR_EACH(i, n)
#define FOR_LINES(i, n) for (int i = threaded_tiles::thread.y; i < (n); i += threaded_tiles::block.y)
#define FOR_LINE(i, n) for (int i = threaded_tiles::thread.x; i < (n); i += threaded_tiles::block.x)
#define FOR_CELLS(at, g)                                                                            \
    FOR_LINES(at##_line, (g).lines)                                                                 \
    for (int at = at##_line * (g).pitch + threaded_tiles::thread.x; at < at##_line * (g).pitch + (g).n; \
         at += threaded_tiles::block.x)
#define ON_DEVICE(host, device) (device)
#define KERNEL(name, Params, ...)                                                                             \
    extern "C" __attribute__((visibility("default"))) void name(const Params* params, int tiles_x, int begin, \
                                                                int end) {                                    \
        threaded_tiles::launch<Params>(*params, __VA_ARGS__, tiles_x, begin, end);                           \
    }
