// The filter of denoise=fast and hq (texsamp's own; docs/denoise.md H4 to H10): blocks of 8x8 samples, each stacked with where
// it is in seven other pictures, are transformed in time and space; what does not stand out of the noise goes.
//
// Vector loops go over lanes, the columns of all blocks of a row, which are 4 samples apart: [picture][line][lane]. Blocks
// with even numbers come first, so that lanes of either half lie side by side in the picture. Rows are 2 lines apart, every
// other one 2 samples to the left.
#pragma once
#include "denoise_hq_planes.h"
#include "denoise_hq_transform.h"

enum { HQ_PICTURES = 8, HQ_NOW = 4, HQ_BLOCKS = ON_DEVICE(16, 8), HQ_FIRST_ROW = -6, HQ_VARIANCES = 65 };
enum { HQ_WIDTH = 4 * (HQ_BLOCKS - 2), HQ_HEIGHT = ON_DEVICE(56, 28) };
enum { HQ_LANES = 8 * HQ_BLOCKS, HQ_HALF = HQ_LANES / 2, HQ_SAMPLES = 8 * HQ_LANES };
enum { HQ_ROWS = ON_DEVICE(1, 8) };  // of a block, that are loaded apart

struct DenoiseHqStackParams {
    const void* pictures[HQ_PICTURES];    // padded: the sample at the origin; null where there is none
    const void* guides[HQ_PICTURES];      // what they were without noise, as far as is known; of guided kernels alone
    const s16* vectors[HQ_PICTURES];      // to them, of cells of 8x8 samples of luma
    SamplePlane plane;                    // where the result goes; nothing is read
    s32 pitch_B;                          // of the pictures
    s32 vector_columns, vector_rows;      // of cells
    s32 across, down;                     // log2 of how many samples of luma one sample is
    s32 width, height;
    s32 limit;                            // sum of differences over a block up to which it is the same
    s32 thresholds[HQ_VARIANCES];         // 4 times what noise reaches, by the variance of a coefficient in time
    s32 frequencies[64];                  // noise of a coefficient in space, in 1/8192; down and across may be swapped
    float noise;                          // of guided kernels: variance of the noise of a coefficient in its units
};
static_assert(sizeof(DenoiseHqStackParams) == 792, "parameter layout");

// Whether picture `time` has sign - in function `which` of the transform in time.
FN s32 hq_sign(s32 which, s32 time) {
    const s32 common = which & time;
    return 1 - 2 * ((common ^ common >> 1 ^ common >> 2) & 1);
}

// Of the blocks of a row, how many samples a block, or the one of a lane, lies to the right of the first one.
FN s32 hq_place(s32 block) { return (block & (HQ_BLOCKS / 2 - 1)) * 8 + (block / (HQ_BLOCKS / 2)) * 4; }

// Phase: where all blocks of a row are in their pictures, whose first is at x0, y0 now: elements from the origin on.
template <typename T> FN void find_hq_blocks(const DenoiseHqStackParams& p, s32 x0, s32 y0, s32* places) {
    const s32 pitch = p.pitch_B / (s32)sizeof(T), y = min_of(y0, p.height);
    FOR_ITEMS(i, HQ_PICTURES * HQ_BLOCKS) {
        const s32 time = i / HQ_BLOCKS, x = min_of(x0 + hq_place(i & (HQ_BLOCKS - 1)), p.width);
        s32 vector_x = 0, vector_y = 0;
        if (time != HQ_NOW && p.pictures[time]) {
            const s32 column = clamp_to((x + 4) * (1 << p.across) >> 3, 0, p.vector_columns - 1);
            const s32 row = clamp_to((y + 4) * (1 << p.down) >> 3, 0, p.vector_rows - 1);
            const s16* vector = p.vectors[time] + 2 * ((s64)row * p.vector_columns + column);
            vector_x = vector[0] >> p.across;
            vector_y = vector[1] >> p.down;
        }
        places[i] = (y + vector_y) * pitch + x + vector_x;
    }
}

// Phase: their samples.
template <typename T, typename S>
FN void load_hq_blocks(const DenoiseHqStackParams& p, const void* const* pictures, const s32* places, S* __restrict__ values) {
    const s32 pitch = p.pitch_B / (s32)sizeof(T);
    FOR_ITEMS(i, HQ_PICTURES * HQ_BLOCKS * HQ_ROWS) {
        const s32 stack = i / HQ_ROWS, time = stack / HQ_BLOCKS, first = i % HQ_ROWS * (8 / HQ_ROWS);
        const T* in = (const T*)pictures[pictures[time] ? time : HQ_NOW];
        const T* __restrict__ from = in + places[stack] + (s64)first * pitch;
        S* __restrict__ out = values + time * HQ_SAMPLES + first * HQ_LANES + 8 * (stack & (HQ_BLOCKS - 1));
        UNROLL for (int j = 0; j < 8 / HQ_ROWS; ++j) copy_hq_eight(from + (s64)j * pitch, out + j * HQ_LANES);
    }
}

// Phase: how much the columns of all blocks differ from those now.
template <typename S> FN void compare_hq_columns(const S* values, S* differences) {
    FOR_LINES(time, HQ_PICTURES) {
        const S* __restrict__ now = values + HQ_NOW * HQ_SAMPLES;
        const S* __restrict__ then = values + time * HQ_SAMPLES;
        S* __restrict__ out = differences + time * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            S sum = 0;
            UNROLL for (int j = 0; j < 8; ++j) {
                const S a = now[j * HQ_LANES + lane], b = then[j * HQ_LANES + lane];
                sum = (S)(sum + (S)(max_of(a, b) - min_of(a, b)));
            }
            out[lane] = sum;
        }
    }
}

// Phase: which blocks are not the same as now, all ones.
template <typename S> FN void judge_hq_blocks(const DenoiseHqStackParams& p, const S* differences, S* others) {
    FOR_ITEMS(i, HQ_PICTURES * HQ_BLOCKS) {
        s32 sum = 0;
        UNROLL for (int k = 0; k < 8; ++k) sum += differences[8 * i + k];
        const S other = (S)(sum > p.limit || !p.pictures[i / HQ_BLOCKS] ? -1 : 0);
        UNROLL for (int k = 0; k < 8; ++k) others[8 * i + k] = other;
    }
}

template <typename S> FN S hq_pick(S mask, S a, S b) { return (S)((a & mask) | (b & ~mask)); }

// Phase: H5, the variance of every coefficient in time: those that are not the same are copies of their neighbor.
template <typename S> FN void count_hq_copies(const S* others, S* variances) {
    FOR_LINES(which, HQ_PICTURES) {
        FOR_LINE(lane, HQ_LANES) {
            S run = 1, variance = 0;  // of function `which` at time 0
            UNROLL for (int time = 1; time < HQ_PICTURES; ++time) {
                const S copied = others[(time <= HQ_NOW ? time - 1 : time) * HQ_LANES + lane];
                variance = (S)(variance + (run * run & ~copied));
                run = (S)(hq_sign(which, time) + (run & copied));
            }
            variances[which * HQ_LANES + lane] = (S)(variance + run * run);
        }
    }
}

// Phase: H7, what coefficients must exceed where noise is white.
template <typename S> FN void find_hq_limits(const DenoiseHqStackParams& p, const S* variances, S* limits) {
    FOR_ITEMS(i, HQ_PICTURES * HQ_BLOCKS) {
        const S limit = (S)p.thresholds[variances[8 * i]];
        UNROLL for (int k = 0; k < 8; ++k) limits[8 * i + k] = limit;
    }
}

// Phase: H4 and H6.
template <typename S> FN void transform_hq_time(const S* others, S middle, S* values) {
    FOR_LINES(j, 8) {
        S* __restrict__ v = values + j * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            const S* other = others + lane;
            const S a4 = v[4 * HQ_SAMPLES + lane];
            const S a3 = hq_pick(other[3 * HQ_LANES], a4, v[3 * HQ_SAMPLES + lane]);
            const S a2 = hq_pick(other[2 * HQ_LANES], a3, v[2 * HQ_SAMPLES + lane]);
            const S a1 = hq_pick(other[HQ_LANES], a2, v[HQ_SAMPLES + lane]);
            const S a0 = hq_pick(other[0], a1, v[lane]);
            const S a5 = hq_pick(other[5 * HQ_LANES], a4, v[5 * HQ_SAMPLES + lane]);
            const S a6 = hq_pick(other[6 * HQ_LANES], a5, v[6 * HQ_SAMPLES + lane]);
            const S a7 = hq_pick(other[7 * HQ_LANES], a6, v[7 * HQ_SAMPLES + lane]);
            const S b0 = (S)(a0 + a1), b1 = (S)(a0 - a1), b2 = (S)(a2 + a3), b3 = (S)(a2 - a3);
            const S b4 = (S)(a4 + a5), b5 = (S)(a4 - a5), b6 = (S)(a6 + a7), b7 = (S)(a6 - a7);
            const S c0 = (S)(b0 + b2), c1 = (S)(b1 + b3), c2 = (S)(b0 - b2), c3 = (S)(b1 - b3);
            const S c4 = (S)(b4 + b6), c5 = (S)(b5 + b7), c6 = (S)(b4 - b6), c7 = (S)(b5 - b7);
            v[lane] = (S)(c0 + c4 - middle);
            v[HQ_SAMPLES + lane] = (S)(c1 + c5);
            v[2 * HQ_SAMPLES + lane] = (S)(c2 + c6);
            v[3 * HQ_SAMPLES + lane] = (S)(c3 + c7);
            v[4 * HQ_SAMPLES + lane] = (S)(c0 - c4);
            v[5 * HQ_SAMPLES + lane] = (S)(c1 - c5);
            v[6 * HQ_SAMPLES + lane] = (S)(c2 - c6);
            v[7 * HQ_SAMPLES + lane] = (S)(c3 - c7);
        }
    }
}

// The transform of the blocks of a row in time and space.
template <typename S> FN void transform_hq(const DenoiseHqStackParams& p, const S* others, S* values) {
    transform_hq_time(others, (S)(4 * (p.plane.src_max + 1)), values);
    BARRIER();
    transform_hq_space<S, HQ_LANES>(values, HQ_PICTURES);
}

// Phase: H7; what is left of the picture that is filtered goes into the first one's place, and its noise into the next.
template <typename S>
FN void shrink_hq(const S* variances, const S* limits, const S* shape, S* values) {
    FOR_LINES(j, 8) {
        S* all = values + j * HQ_LANES;
        const S* __restrict__ share = shape + j * HQ_LANES;
        const S mean = (S)(j == 0 ? 0 : 8);
        FOR_LINE(lane, HQ_LANES) {
            s32 sum = 4;
            S variance = 0;
            const S always = (S)(((lane & 7) | mean) == 0 ? -1 : 0);
            UNROLL for (int which = 0; which < HQ_PICTURES; ++which) {
                const S c = all[which * HQ_SAMPLES + lane];
                const S stays = (S)(less(hq_product(limits[which * HQ_LANES + lane], share[lane]), (S)max_of(c, (S)-c)) |
                                    (which == 0 ? always : (S)0));
                const S part = (S)(c & stays);
                sum += hq_sign(which, HQ_NOW) < 0 ? -part : part;
                variance = (S)(variance + (variances[which * HQ_LANES + lane] & stays));
            }
            all[lane] = (S)(sum >> 3);
            all[HQ_SAMPLES + lane] = variance;
        }
    }
}

// Phase: H10; how much of every coefficient is noise, in 1/256, by what the guides have there.
template <typename S>
FN void share_hq(const DenoiseHqStackParams& p, const S* variances, const S* shape, const S* values, u8* shares) {
    FOR_LINES(i, 8 * HQ_PICTURES) {
        const S* __restrict__ v = variances + (i >> 3) * HQ_LANES;
        const S* __restrict__ f = shape + (i & 7) * HQ_LANES;
        const S* __restrict__ guide = values + i * HQ_LANES;
        u8* __restrict__ out = shares + i * HQ_LANES;
        const s32 most = i ? 255 : 0;
        const float unit = p.noise;
        FOR_LINE(lane, HQ_LANES) {
            const float c = (float)guide[lane], noise = unit * (float)max_of((s32)v[lane], 1) * (float)(f[lane] * f[lane]);
            out[lane] = (u8)min_of((s32)(256.0f * (noise / (c * c + noise)) + 0.5f), (lane & 7) ? 255 : most);
        }
    }
}

// Phase: H10; as shrink_hq.
template <typename S> FN void shrink_guided_hq(const S* variances, const u8* shares, S* values) {
    FOR_LINES(j, 8) {
        S* all = values + j * HQ_LANES;
        const u8* __restrict__ go = shares + j * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            s32 sum = 4, variance = 0;
            UNROLL for (int which = 0; which < HQ_PICTURES; ++which) {
                const s32 c = all[which * HQ_SAMPLES + lane], goes = go[which * HQ_SAMPLES + lane];
                const s32 part = c - ((c * goes + 128) >> 8);
                sum += hq_sign(which, HQ_NOW) < 0 ? -part : part;
                variance += variances[which * HQ_LANES + lane] * (256 - goes) * (256 - goes) >> 9;
            }
            all[lane] = (S)(sum >> 3);
            all[HQ_SAMPLES + lane] = (S)variance;
        }
    }
}

// What a sample counts by its place across or down in its block, in 1/8.
FN s32 hq_window(s32 place) { return 8 - (4 >> min_of(place, 7 - place)); }

// Phase: the finished blocks of a row, weighted, onto the lines of the tile that they cover.
FN void add_hq_blocks(const s32* values, const s32* weights, s32 top, s32 lines, s32 middle, s32* sums,
                      s32* totals) {
    const s32 shift = top & 2;
    FOR_LINES(j, 8) {
        const s32 y = top + j, down = hq_window(j);
        if (y >= 0 && y < lines) {
            const s32 *__restrict__ left = values + j * HQ_LANES + shift + 4, *__restrict__ right = left + HQ_HALF - 4;
            const s32* __restrict__ left_weights = weights + shift + 4;
            const s32* __restrict__ right_weights = left_weights + HQ_HALF - 4;
            s32 *__restrict__ sum = sums + y * HQ_WIDTH, *__restrict__ total = totals + y * HQ_WIDTH;
            FOR_LINE(x, HQ_WIDTH) {
                const s32 left_weight = left_weights[x] * down >> 6, right_weight = right_weights[x] * down >> 6;
                sum[x] += left_weight * (left[x] + middle) + right_weight * (right[x] + middle);
                total[x] += left_weight + right_weight;
            }
        }
    }
}

template <typename T> struct HqSums;
template <> struct HqSums<u8> { typedef s16 Type; };
template <> struct HqSums<u16> { typedef s32 Type; };

template <typename T, bool GUIDED> FN void denoise_hq_stack_tile(const DenoiseHqStackParams& p, s32 tile_x, s32 tile_y) {
    typedef typename HqSums<T>::Type S;
    SHARED S values[HQ_PICTURES * HQ_SAMPLES];
    SHARED s32 sums[HQ_HEIGHT * HQ_WIDTH], totals[HQ_HEIGHT * HQ_WIDTH], restored[HQ_SAMPLES];
    SHARED S others[HQ_PICTURES * HQ_LANES], limits[HQ_PICTURES * HQ_LANES], variances[HQ_PICTURES * HQ_LANES];
    SHARED S shape[HQ_SAMPLES];
    SHARED s32 weights[HQ_LANES], places[HQ_PICTURES * HQ_BLOCKS];
    SHARED u8 shares[GUIDED ? HQ_PICTURES * HQ_SAMPLES : 1];
    const s32 x0 = tile_x * HQ_WIDTH, y0 = tile_y * HQ_HEIGHT;
    const s32 width = min_of<s32>(HQ_WIDTH, p.width - x0), height = min_of<s32>(HQ_HEIGHT, p.height - y0);
    FOR_EACH(i, HQ_HEIGHT * HQ_WIDTH) {
        sums[i] = 0;
        totals[i] = 0;
    }
    FOR_EACH(i, HQ_SAMPLES) shape[i] = (S)p.frequencies[i / HQ_LANES * 8 + (i & 7)];
    for (s32 top = HQ_FIRST_ROW; top < height; top += 2) {
        const s32 left = x0 - 4 - (top & 2);
        BARRIER();
        find_hq_blocks<T>(p, left, y0 + top, places);
        BARRIER();
        load_hq_blocks<T>(p, GUIDED ? p.guides : p.pictures, places, values);
        BARRIER();
        compare_hq_columns(values, limits);
        BARRIER();
        judge_hq_blocks(p, limits, others);
        BARRIER();
        count_hq_copies(others, variances);
        transform_hq(p, others, values);
        BARRIER();
        if constexpr (GUIDED) {
            share_hq(p, variances, shape, values, shares);
            BARRIER();
            load_hq_blocks<T>(p, p.pictures, places, values);
            BARRIER();
            transform_hq(p, others, values);
            BARRIER();
            shrink_guided_hq(variances, shares, values);
        } else {
            find_hq_limits(p, variances, limits);
            BARRIER();
            shrink_hq(variances, limits, shape, values);
        }
        BARRIER();
        FOR_ITEMS(block, HQ_BLOCKS) {
            s32 variance = 0;
            for (int j = 0; j < 8; ++j) {
                UNROLL for (int k = 0; k < 8; ++k) variance += values[HQ_SAMPLES + j * HQ_LANES + 8 * block + k];
            }
            const s32 weight = 1 + (GUIDED ? (1 << 22) : 32768) / variance;
            for (int k = 0; k < 8; ++k) weights[8 * block + k] = weight * hq_window(k);
        }
        restore_hq_space<S, HQ_LANES>(values, restored);
        BARRIER();
        add_hq_blocks(restored, weights, top, height, 8 * (p.plane.src_max + 1), sums, totals);
    }
    BARRIER();
    const s32 max = p.plane.src_max;
    FOR_LINES(y, height) {
        T* __restrict__ out = picture_line<T>(p.plane, x0, y0 + y);
        FOR_LINE(x, width) {
            const s32 total = 16 * totals[y * HQ_WIDTH + x];
            const s32 value = max_of(sums[y * HQ_WIDTH + x] + (total >> 1), 0) / total;
            out[(s64)x * p.plane.dst_step] = element_of((T)min_of(value, max), p.plane.dst_shift);
        }
    }
}
