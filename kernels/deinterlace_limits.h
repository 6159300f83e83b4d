// What was made of a field no farther from the mean of the fields beside it than these change, and from the field alone
// where only it shows something (texsamp's own, docs/deinterlace-hq.md (80)): for chroma, which follows no vectors in
// hq.
#pragma once
#include "deinterlace_lines.h"
#include "deinterlace_luma.h"
#include "magnitude.h"

enum { ONLY_HERE = 6, ONLY_HERE_SHIFT = 3 };  // levels that a field may differ by from what is beside it, and that it takes to believe it

// Lines beside a missing one: of the field and of its parity in the other frame, above and below; of the missing parity
// before and after, two above, here and two below.
template <typename T> struct LimitRows {
    const T *above, *below, *far_above, *far_below;
    const T *before[3], *after[3];
};

template <typename T> FN LimitRows<T> limit_rows(const DeinterlaceLumaParams& p, s32 line) {
    const auto in = [&](const FieldSamples& s, s32 by) { return row_of<T>(s, line_in_picture(line + by, p.height)); };
    return {in(p.current, -1),
            in(p.current, 1),
            in(p.reference, -1),
            in(p.reference, 1),
            {in(p.current, -2), in(p.current, 0), in(p.current, 2)},
            {in(p.reference, -2), in(p.reference, 0), in(p.reference, 2)}};
}

// a - b, or 0 if that is less.
template <typename T> FN T excess_of(T a, T b) { return (T)(max_of(a, b) - b); }

// Samples beside a missing one.
template <typename T> struct LimitSamples {
    T above, below, far_above, far_below, before[3], after[3];
};

// A sample that was made, by those beside it.
template <typename T> FN T limited_sample(T made, const LimitSamples<T>& s, s32 scale, T max) {
    const T changed = difference(s.before[1], s.after[1]), mean = average(s.before[1], s.after[1]);
    const T own = average(difference(s.above, s.far_above), difference(s.below, s.far_below));
    const T up = average(s.before[0], s.after[0]), down = average(s.before[2], s.after[2]);
    const T over = min_of(min_of(excess_of(mean, s.above), excess_of(mean, s.below)),
                          max_of(excess_of(up, s.above), excess_of(down, s.below)));
    const T under = min_of(min_of(excess_of(s.above, mean), excess_of(s.below, mean)),
                           max_of(excess_of(s.above, up), excess_of(s.below, down)));
    const T most = max_of(max_of(average(changed, (T)0), own), max_of(over, under));
    const s16 only_here = (s16)(max_of<s16>((s16)(own - (s16)(changed + (s16)(ONLY_HERE << scale))), 0) >> scale);
    const s16 weight = min_of<s16>(only_here, 1 << ONLY_HERE_SHIFT);
    const s16 apart = (s16)(average(s.above, s.below) - made);
    const s16 mixed = (s16)(made + (s16)((s16)(weight * apart) >> ONLY_HERE_SHIFT));
    const s16 low = max_of<s16>((s16)(mean - most), 0), high = min_of<s16>((s16)(mean + most), (s16)max);
    return (T)clamp_to<s16>(mixed, low, high);
}

// What has been made of a part of a missing line, by those beside it.
template <typename T, bool SPACED> FN void limit_samples(const DeinterlaceLumaParams& p, s32 line, s32 first, s32 count) {
    const s32 in = SPACED ? p.current.step : 1, to = SPACED ? p.target.step : 1;
    const s32 shift = p.current.shift, out_shift = p.target.shift, max = p.current.max, scale = max > 255 ? 2 : 0;
    const LimitRows<T> rows = limit_rows<T>(p, line);
    const auto begin = [&](const T* row) { return row + (s64)first * in; };
    const T* __restrict__ above = begin(rows.above);
    const T* __restrict__ below = begin(rows.below);
    const T* __restrict__ far_above = begin(rows.far_above);
    const T* __restrict__ far_below = begin(rows.far_below);
    const T* __restrict__ before0 = begin(rows.before[0]);
    const T* __restrict__ before1 = begin(rows.before[1]);
    const T* __restrict__ before2 = begin(rows.before[2]);
    const T* __restrict__ after0 = begin(rows.after[0]);
    const T* __restrict__ after1 = begin(rows.after[1]);
    const T* __restrict__ after2 = begin(rows.after[2]);
    T* __restrict__ out = row_of<T>(p.target, line) + (s64)first * to;
    FOR_LINE(k, count) {
        const auto at = [&](const T* row) { return (T)sample_of(row[(s64)k * in], shift, max); };
        const LimitSamples<T> beside = {at(above),
                                        at(below),
                                        at(far_above),
                                        at(far_below),
                                        {at(before0), at(before1), at(before2)},
                                        {at(after0), at(after1), at(after2)}};
        const T made = (T)sample_of(out[(s64)k * to], out_shift, max);
        out[(s64)k * to] = element_of(limited_sample(made, beside, scale, (T)max), out_shift);
    }
}

#if HAS_BYTE_PAIRS
// A strip from column x on.
FN BytePairs limited_bytes(BytePairs made, const LimitRows<u8>& rows, s32 x) {
    const auto at = [&](const u8* row) { return bytes_at(row + x); };
    const BytePairs above = at(rows.above), below = at(rows.below), before = at(rows.before[1]), after = at(rows.after[1]);
    const BytePairs mean = average(before, after), changed = difference(before, after);
    const BytePairs own = average(difference(above, at(rows.far_above)), difference(below, at(rows.far_below)));
    const BytePairs up = average(at(rows.before[0]), at(rows.after[0])), down = average(at(rows.before[2]), at(rows.after[2]));
    const BytePairs over = min_of(min_of(excess(mean, above), excess(mean, below)), max_of(excess(up, above), excess(down, below)));
    const BytePairs under = min_of(min_of(excess(above, mean), excess(below, mean)), max_of(excess(above, up), excess(below, down)));
    const BytePairs most = max_of(max_of(average(changed, every_byte(0)), own), max_of(over, under));
    const BytePairs only_here = excess(own, limited_sum(changed, every_byte(ONLY_HERE)));
    if (has_bits(only_here)) {
        const BytePairs weights = min_of(only_here, every_byte(1 << ONLY_HERE_SHIFT));
        made = blended(first_of_pair(weights), second_of_pair(weights), average(above, below), made, ONLY_HERE_SHIFT);
    }
    return min_of(max_of(made, excess(mean, most)), limited_sum(mean, most));
}
#endif
