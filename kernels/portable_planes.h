// On CUDA: launches of a KERNEL_OF_PLANES that may run at once, those of a frame's planes, are one launch of blocks in a
// row. blocks: how many are to fit into a multiprocessor at once, by their registers.
// __grid_constant__, here and in KERNEL: a function called apart gets the parameters' address, not copies. (KERNEL's rows
// beyond a grid's y go on in z.)
#pragma once

template <typename Params> struct Batch {
    enum { SIZE = 4 };
    Params params[SIZE];
    u32 first[SIZE], tiles_x[SIZE];
};
#undef KERNEL_OF_PLANES
#define KERNEL_OF_PLANES(name, Params, blocks, ...)                                                               \
    extern "C" __global__ void __launch_bounds__(256, blocks) name(const __grid_constant__ Batch<Params> batch) { \
        int k = 0;                                                                                                \
        UNROLL for (int i = 1; i < Batch<Params>::SIZE; ++i) k += blockIdx.x >= batch.first[i];                   \
        const u32 tile = blockIdx.x - batch.first[k];                                                             \
        __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);                                         \
        __VA_ARGS__(batch.params[k], (int)(tile % batch.tiles_x[k]), (int)(tile / batch.tiles_x[k]));             \
    }
