// Test build (TEXSAMP_THREADED_TILES): each tile runs on real threads the way a CUDA block does, with the device's tile
// sizes, so that a thread sanitizer sees a missing BARRIER() and a bounds checker sees the device's scratch.
// portable.h includes it in place of the CPU's macros; nothing that is installed is built this way.
#pragma once
#include <pthread.h>  // what C++ has for threads takes longer to read than most modules to compile

namespace threaded_tiles {

struct Index {
    int x, y;
};
inline constexpr Index block = {4, 2};
inline constexpr int COUNT = block.x * block.y;
inline thread_local Index thread;
inline pthread_mutex_t one_launch = PTHREAD_MUTEX_INITIALIZER;  // scratch is static: only one tile may exist at a time

// Two in turn: a thread sanitizer takes who leaves a barrier late for ordered behind all who have come to it again.
inline struct Barriers {
    pthread_barrier_t both[2];
    Barriers() {
        for (pthread_barrier_t& each : both) pthread_barrier_init(&each, nullptr, COUNT);
    }
    void wait() {
        static thread_local int turn;
        pthread_barrier_wait(&both[turn]);
        turn = !turn;
    }
} barriers;

template <typename Params> struct Launch {
    const Params& params;
    void (*tile)(const Params&, int, int);
    int tiles_x, begin, end;
};

template <typename Params> struct Thread {
    const Launch<Params>* launch;
    Index id;
    pthread_t handle;
};

// A thread of the block goes through every tile; scratch is used again only when all have left the tile before.
template <typename Params> void* run_thread(void* started) {
    const Thread<Params>& self = *(const Thread<Params>*)started;
    const Launch<Params>& launch = *self.launch;
    thread = self.id;
    for (int y = launch.begin; y < launch.end; ++y)
        for (int x = 0; x < launch.tiles_x; ++x) {
            launch.tile(launch.params, x, y);
            barriers.wait();
        }
    return nullptr;
}

template <typename Params> void run(const Launch<Params>& launch) {
    pthread_mutex_lock(&one_launch);
    Thread<Params> threads[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        threads[i] = {&launch, {i % block.x, i / block.x}, {}};
        if (pthread_create(&threads[i].handle, nullptr, run_thread<Params>, &threads[i])) __builtin_trap();
    }
    for (Thread<Params>& each : threads) pthread_join(each.handle, nullptr);
    pthread_mutex_unlock(&one_launch);
}

}  // namespace threaded_tiles

#define FN static inline
#define FN_MEMBER inline
#define FN_APART static
#define FN_ONCE static
#define SHARED static
#define BARRIER() threaded_tiles::barriers.wait()
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
        threaded_tiles::run<Params>({*params, __VA_ARGS__, tiles_x, begin, end});                             \
    }
