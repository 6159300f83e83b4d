// The filter of denoise=hq and best (texsamp's own; docs/denoise.md H4 to H10): blocks of 8x8 samples, each stacked with
// where it is in seven other pictures, are transformed in time and space; what does not stand out of the noise goes.
//
// The blocks of a row, 4 samples apart, are the lanes of all vector loops: [picture][sample][block]. Rows are 2 lines
// apart, every other one 2 samples to the left.
#pragma once
#include "denoise_hq_planes.h"

enum { HQ_PICTURES = 8, HQ_NOW = 4, HQ_LANES = 16, HQ_WIDTH = 4 * (HQ_LANES - 2), HQ_HEIGHT = ON_DEVICE(28, 12) };
enum { HQ_SAMPLES = 64 * HQ_LANES, HQ_VARIANCES = 65, HQ_FIRST_ROW = -6 };

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
    s32 thresholds[HQ_VARIANCES];         // by the variance of a coefficient in time
    s32 frequencies[64];                  // noise of a coefficient in space, 64 if it is white
    float noise;                          // of guided kernels: deviation in 1/64 of the transform's units, squared
};
static_assert(sizeof(DenoiseHqStackParams) == 792, "parameter layout");

// Whether picture `time` has sign - in function `which` of the transform in time.
FN s32 hq_sign(s32 which, s32 time) {
    const s32 common = which & time;
    return 1 - 2 * ((common ^ common >> 1 ^ common >> 2) & 1);
}

// Phase: the samples of all blocks of a row, whose first begins at x0, y0.
template <typename T>
FN void load_hq_blocks(const DenoiseHqStackParams& p, const void* const* pictures, s32 x0, s32 y0, s32* __restrict__ values) {
    const s32 pitch = p.pitch_B / (s32)sizeof(T), y = min_of(y0, p.height);
    FOR_ITEMS(i, HQ_PICTURES * HQ_LANES * 8) {
        const s32 time = i >> 7, lane = i >> 3 & (HQ_LANES - 1), j = i & 7, x = min_of(x0 + 4 * lane, p.width);
        const T* in = (const T*)pictures[HQ_NOW];
        s32 vector_x = 0, vector_y = 0;
        if (time != HQ_NOW && pictures[time]) {
            const s32 column = clamp_to((x + 4) * (1 << p.across) >> 3, 0, p.vector_columns - 1);
            const s32 row = clamp_to((y + 4) * (1 << p.down) >> 3, 0, p.vector_rows - 1);
            const s16* vector = p.vectors[time] + 2 * ((s64)row * p.vector_columns + column);
            in = (const T*)pictures[time];
            vector_x = vector[0] >> p.across;
            vector_y = vector[1] >> p.down;
        }
        const T* __restrict__ line = in + (s64)(y + j + vector_y) * pitch + x + vector_x;
        s32* __restrict__ out = values + (time * 64 + 8 * j) * HQ_LANES + lane;
        for (int k = 0; k < 8; ++k) out[k * HQ_LANES] = line[k];
    }
}

// Phase: which blocks are not the same as now, all ones.
FN void judge_hq_blocks(const DenoiseHqStackParams& p, const s32* values, s32* others) {
    const s32 limit = p.limit;
    FOR_LINES(time, HQ_PICTURES) {
        const s32* __restrict__ now = values + HQ_NOW * HQ_SAMPLES;
        const s32* __restrict__ then = values + time * HQ_SAMPLES;
        s32* __restrict__ out = others + time * HQ_LANES;
        const s32 none = p.pictures[time] ? 0 : -1;
        FOR_LINE(lane, HQ_LANES) out[lane] = 0;
        for (int k = 0; k < 64; ++k) {
            const s32 *__restrict__ a = now + k * HQ_LANES, *__restrict__ b = then + k * HQ_LANES;
            FOR_LINE(lane, HQ_LANES) out[lane] += max_of(a[lane] - b[lane], b[lane] - a[lane]);
        }
        FOR_LINE(lane, HQ_LANES) out[lane] = less(limit, out[lane]) | none;
    }
}

// Phase: H5, the variance of every coefficient in time: those that are not the same are copies of their neighbor.
FN void count_hq_copies(const DenoiseHqStackParams& p, const s32* others, s32* variances, s32* limits) {
    FOR_LINES(which, HQ_PICTURES) {
        s32* __restrict__ out = variances + which * HQ_LANES;
        s32* __restrict__ thresholds = limits + which * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            s32 run = 0, variance = 0;
            for (int time = 0; time < HQ_PICTURES; ++time) {
                const s32 copied = time == 0 ? 0 : others[(time <= HQ_NOW ? time - 1 : time) * HQ_LANES + lane];
                variance += pick(copied, 0, run * run);
                run = hq_sign(which, time) + (run & copied);
            }
            variance += run * run;
            out[lane] = variance;
            thresholds[lane] = p.thresholds[variance];
        }
    }
}

// Phase: H4 and H6.
FN void transform_hq_time(const s32* others, s32* values) {
    FOR_LINES(k, 64) {
        s32* __restrict__ v = values + k * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            const s32* other = others + lane;
            const s32 a4 = v[4 * HQ_SAMPLES + lane];
            const s32 a3 = pick(other[3 * HQ_LANES], a4, v[3 * HQ_SAMPLES + lane]);
            const s32 a2 = pick(other[2 * HQ_LANES], a3, v[2 * HQ_SAMPLES + lane]);
            const s32 a1 = pick(other[HQ_LANES], a2, v[HQ_SAMPLES + lane]);
            const s32 a0 = pick(other[0], a1, v[lane]);
            const s32 a5 = pick(other[5 * HQ_LANES], a4, v[5 * HQ_SAMPLES + lane]);
            const s32 a6 = pick(other[6 * HQ_LANES], a5, v[6 * HQ_SAMPLES + lane]);
            const s32 a7 = pick(other[7 * HQ_LANES], a6, v[7 * HQ_SAMPLES + lane]);
            const s32 b0 = a0 + a1, b1 = a0 - a1, b2 = a2 + a3, b3 = a2 - a3;
            const s32 b4 = a4 + a5, b5 = a4 - a5, b6 = a6 + a7, b7 = a6 - a7;
            const s32 c0 = b0 + b2, c1 = b1 + b3, c2 = b0 - b2, c3 = b1 - b3;
            const s32 c4 = b4 + b6, c5 = b5 + b7, c6 = b4 - b6, c7 = b5 - b7;
            v[lane] = c0 + c4;
            v[HQ_SAMPLES + lane] = c1 + c5;
            v[2 * HQ_SAMPLES + lane] = c2 + c6;
            v[3 * HQ_SAMPLES + lane] = c3 + c7;
            v[4 * HQ_SAMPLES + lane] = c0 - c4;
            v[5 * HQ_SAMPLES + lane] = c1 - c5;
            v[6 * HQ_SAMPLES + lane] = c2 - c6;
            v[7 * HQ_SAMPLES + lane] = c3 - c7;
        }
    }
}

// Phase: the transform of eight values `step` apart, `lines` times, each `distance` from the one before.
FN void transform_hq_space(s32* values, s32 lines, s32 distance, s32 step, s32 shift) {
    const s32 half = 1 << (shift - 1);
    FOR_LINES(line, lines) {
        s32* __restrict__ v = values + ((line >> 3) * 64 + (line & 7) * distance) * HQ_LANES;
        const s32 s = step * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            s32* at = v + lane;
            const s32 s0 = at[0] + at[7 * s], s1 = at[s] + at[6 * s], s2 = at[2 * s] + at[5 * s], s3 = at[3 * s] + at[4 * s];
            const s32 d0 = at[0] - at[7 * s], d1 = at[s] - at[6 * s], d2 = at[2 * s] - at[5 * s], d3 = at[3 * s] - at[4 * s];
            const s32 e0 = s0 + s3, e1 = s1 + s2, f0 = s0 - s3, f1 = s1 - s2;
            at[0] = (64 * (e0 + e1) + half) >> shift;
            at[4 * s] = (64 * (e0 - e1) + half) >> shift;
            at[2 * s] = (83 * f0 + 36 * f1 + half) >> shift;
            at[6 * s] = (36 * f0 - 83 * f1 + half) >> shift;
            at[s] = (89 * d0 + 75 * d1 + 50 * d2 + 18 * d3 + half) >> shift;
            at[3 * s] = (75 * d0 - 18 * d1 - 89 * d2 - 50 * d3 + half) >> shift;
            at[5 * s] = (50 * d0 - 89 * d1 + 18 * d2 + 75 * d3 + half) >> shift;
            at[7 * s] = (18 * d0 - 50 * d1 + 75 * d2 - 89 * d3 + half) >> shift;
        }
    }
}

// Phase: its inverse, of one block of every lane.
FN void restore_hq_space(s32* values, s32 distance, s32 step, s32 shift) {
    const s32 half = 1 << (shift - 1);
    FOR_LINES(line, 8) {
        s32* __restrict__ v = values + line * distance * HQ_LANES;
        const s32 s = step * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            s32* at = v + lane;
            const s32 c1 = at[s], c2 = at[2 * s], c3 = at[3 * s], c5 = at[5 * s], c6 = at[6 * s], c7 = at[7 * s];
            const s32 e0 = 64 * (at[0] + at[4 * s]) + half, e1 = 64 * (at[0] - at[4 * s]) + half;
            const s32 f0 = 83 * c2 + 36 * c6, f1 = 36 * c2 - 83 * c6;
            const s32 s0 = e0 + f0, s3 = e0 - f0, s1 = e1 + f1, s2 = e1 - f1;
            const s32 d0 = 89 * c1 + 75 * c3 + 50 * c5 + 18 * c7, d1 = 75 * c1 - 18 * c3 - 89 * c5 - 50 * c7;
            const s32 d2 = 50 * c1 - 89 * c3 + 18 * c5 + 75 * c7, d3 = 18 * c1 - 50 * c3 + 75 * c5 - 89 * c7;
            at[0] = (s0 + d0) >> shift;
            at[s] = (s1 + d1) >> shift;
            at[2 * s] = (s2 + d2) >> shift;
            at[3 * s] = (s3 + d3) >> shift;
            at[4 * s] = (s3 - d3) >> shift;
            at[5 * s] = (s2 - d2) >> shift;
            at[6 * s] = (s1 - d1) >> shift;
            at[7 * s] = (s0 - d0) >> shift;
        }
    }
}

// The transform of the blocks of a row in time and space.
FN void transform_hq(const s32* others, s32* values) {
    transform_hq_time(others, values);
    BARRIER();
    transform_hq_space(values, 8 * HQ_PICTURES, 1, 8, 5);
    BARRIER();
    transform_hq_space(values, 8 * HQ_PICTURES, 8, 1, 5);
}

// Phase: H7; what is left of the picture that is filtered goes into the first one's place, and its noise into the next.
FN void shrink_hq(const DenoiseHqStackParams& p, const s32* variances, const s32* limits, s32* values) {
    FOR_LINES(k, 64) {
        s32* __restrict__ all = values + k * HQ_LANES;
        const s32 share = p.frequencies[k];
        FOR_LINE(lane, HQ_LANES) {
            s32 sum = 0, variance = 0;
            UNROLL for (int which = 0; which < HQ_PICTURES; ++which) {
                const s32 c = all[which * HQ_SAMPLES + lane];
                const s32 stays = less((limits[which * HQ_LANES + lane] * share) >> 6, max_of(c, -c)) | (which + k == 0 ? -1 : 0);
                const s32 part = c & stays;
                sum += hq_sign(which, HQ_NOW) < 0 ? -part : part;
                variance += variances[which * HQ_LANES + lane] & stays;
            }
            all[lane] = (sum + 4) >> 3;
            all[HQ_SAMPLES + lane] = variance;
        }
    }
}

// Phase: H10; how much of every coefficient is noise, in 1/256, by what the guides have there.
FN void share_hq(const DenoiseHqStackParams& p, const s32* variances, const s32* values, u8* shares) {
    FOR_LINES(i, 64 * HQ_PICTURES) {
        const s32* __restrict__ v = variances + (i >> 6) * HQ_LANES;
        const s32* __restrict__ guide = values + i * HQ_LANES;
        u8* __restrict__ out = shares + i * HQ_LANES;
        const s32 share = p.frequencies[i & 63], most = i ? 255 : 0;
        const float unit = p.noise;
        FOR_LINE(lane, HQ_LANES) {
            const float c = (float)guide[lane], noise = unit * (float)(v[lane] * share * share + 1);
            out[lane] = (u8)min_of((s32)(256.0f * (noise / (c * c + noise)) + 0.5f), most);
        }
    }
}

// Phase: H10; as shrink_hq.
FN void shrink_guided_hq(const s32* variances, const u8* shares, s32* values) {
    FOR_LINES(k, 64) {
        s32* __restrict__ all = values + k * HQ_LANES;
        const u8* __restrict__ go = shares + k * HQ_LANES;
        FOR_LINE(lane, HQ_LANES) {
            s32 sum = 0, variance = 0;
            UNROLL for (int which = 0; which < HQ_PICTURES; ++which) {
                const s32 c = all[which * HQ_SAMPLES + lane], goes = go[which * HQ_SAMPLES + lane];
                const s32 part = c - ((c * goes + 128) >> 8);
                sum += hq_sign(which, HQ_NOW) < 0 ? -part : part;
                variance += variances[which * HQ_LANES + lane] * (256 - goes) * (256 - goes);
            }
            all[lane] = (sum + 4) >> 3;
            all[HQ_SAMPLES + lane] = variance;
        }
    }
}

// What a sample counts by its place across or down in its block, in 1/8.
FN s32 hq_window(s32 place) { return 8 - (4 >> min_of(place, 7 - place)); }

// Phase: the finished blocks of a row, weighted, onto the lines of the tile that they cover.
FN void add_hq_blocks(const s32* values, const s32* weights, s32 top, s32 lines, s32* sums, s32* totals) {
    const s32 shift = top & 2;
    FOR_LINES(j, 8) {
        const s32 y = top + j;
        if (y >= 0 && y < lines) {
            FOR_LINE(x, HQ_WIDTH) {
                const s32 left = (x + shift) >> 2, right = left + 1, inside = (x + shift) & 3;
                const s32 left_weight = weights[left] * (hq_window(inside + 4) * hq_window(j)) >> 6;
                const s32 right_weight = weights[right] * (hq_window(inside) * hq_window(j)) >> 6;
                const s32* line = values + 8 * j * HQ_LANES;
                sums[y * HQ_WIDTH + x] += left_weight * line[(inside + 4) * HQ_LANES + left] +
                                          right_weight * line[inside * HQ_LANES + right];
                totals[y * HQ_WIDTH + x] += left_weight + right_weight;
            }
        }
    }
}

template <typename T, bool GUIDED> FN void denoise_hq_stack_tile(const DenoiseHqStackParams& p, s32 tile_x, s32 tile_y) {
    SHARED s32 values[HQ_PICTURES * HQ_SAMPLES];
    SHARED s32 sums[HQ_HEIGHT * HQ_WIDTH], totals[HQ_HEIGHT * HQ_WIDTH];
    SHARED s32 others[HQ_PICTURES * HQ_LANES], limits[HQ_PICTURES * HQ_LANES];
    SHARED s32 variances[HQ_PICTURES * HQ_LANES], weights[HQ_LANES];
    SHARED u8 shares[GUIDED ? HQ_PICTURES * HQ_SAMPLES : 1];
    const s32 x0 = tile_x * HQ_WIDTH, y0 = tile_y * HQ_HEIGHT;
    const s32 width = min_of<s32>(HQ_WIDTH, p.width - x0), height = min_of<s32>(HQ_HEIGHT, p.height - y0);
    FOR_EACH(i, HQ_HEIGHT * HQ_WIDTH) {
        sums[i] = 0;
        totals[i] = 0;
    }
    for (s32 top = HQ_FIRST_ROW; top < height; top += 2) {
        const s32 left = x0 - 4 - (top & 2);
        BARRIER();
        load_hq_blocks<T>(p, GUIDED ? p.guides : p.pictures, left, y0 + top, values);
        BARRIER();
        judge_hq_blocks(p, values, others);
        BARRIER();
        count_hq_copies(p, others, variances, limits);
        transform_hq(others, values);
        BARRIER();
        if constexpr (GUIDED) {
            share_hq(p, variances, values, shares);
            BARRIER();
            load_hq_blocks<T>(p, p.pictures, left, y0 + top, values);
            BARRIER();
            transform_hq(others, values);
            BARRIER();
            shrink_guided_hq(variances, shares, values);
        } else {
            shrink_hq(p, variances, limits, values);
        }
        BARRIER();
        FOR_ITEMS(lane, HQ_LANES) {
            s32 variance = 0;
            for (int k = 0; k < 64; ++k) variance += values[HQ_SAMPLES + k * HQ_LANES + lane];
            weights[lane] = 1 + (GUIDED ? (32768 << 8) / (variance >> 8) : 32768 / variance);
        }
        restore_hq_space(values, 8, 1, 7);
        BARRIER();
        restore_hq_space(values, 1, 8, 9);
        BARRIER();
        add_hq_blocks(values, weights, top, height, sums, totals);
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
