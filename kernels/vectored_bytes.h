// The lines a field lacks where vectors lead, of bytes, on processors with instructions for pairs of bytes. What is only
// compared with a limit that a byte holds is added up in bytes, which keep white where a sum is larger.
#pragma once
#include "vectored.h"
#include "window_bytes.h"

#if HAS_BYTE_PAIRS
enum { VECTORED_PARTS_PITCH = VECTORED_PITCH + LANE_BYTES, VECTORED_RING = 3 };  // loads and stores reach so far beyond a line
enum { VECTORED_LEAST = 15, VECTORED_MUCH = 240, STRIP_BLOCKS = LANE_BYTES / VECTOR_BLOCK };
enum { VECTORED_TABLES = VECTORED_WIDTH / VECTOR_BLOCK, VECTORED_BLOCK_ROWS = VECTORED_LINES / VECTOR_LINES };

// Of a line, or added up over three; column VECTORED_SPARE is the first.
struct VectoredParts {
    u16 comb[VECTORED_PARTS_PITCH], bend[VECTORED_PARTS_PITCH];
    u8 doubt[VECTORED_PARTS_PITCH], own[VECTORED_PARTS_PITCH], other[VECTORED_PARTS_PITCH], apart[VECTORED_PARTS_PITCH];
};
struct VectoredLine {
    u16 comb[VECTORED_PARTS_PITCH], bend[VECTORED_PARTS_PITCH], doubt[VECTORED_PARTS_PITCH], apart[VECTORED_PARTS_PITCH];
    u8 own[VECTORED_PARTS_PITCH], other[VECTORED_PARTS_PITCH];
};

struct VectoredBytes {
    u8 to[VECTORED_ROWS * VECTORED_PITCH + LANE_BYTES], from[VECTORED_ROWS * VECTORED_PITCH + LANE_BYTES];
    VectoredParts parts[VECTORED_RING];
    VectoredLine sums;
    const u8* tables[VECTORED_BLOCK_ROWS][VECTORED_TABLES];
    u32 led[VECTORED_BLOCK_ROWS];  // sets of strips that vectors may change
    BorderSums border[2][BORDER_BLOCKS];
};

// Twice a sample against the sum of the two around it, at most white.
FN BytePairs combed(BytePairs sample, BytePairs above, BytePairs below) {
    return difference(limited_sum(excess(sample, above), excess(sample, below)),
                      limited_sum(excess(above, sample), excess(below, sample)));
}

template <BytePairs mixed(BytePairs, BytePairs)> FN PairWords comb_of(BytePairs mean, BytePairs above, BytePairs below) {
    return sum_of_pair(mixed(mean, mean)) - sum_of_pair(mixed(above, below));
}

template <BytePairs mixed(BytePairs, BytePairs)> FN PairWords bend_of(BytePairs near, BytePairs next, BytePairs far) {
    return size_of(sum_with_second_twice(mixed(far, near)) - sum_with_second_twice(mixed(next, next)));
}

// Whether lines of a strip show what both fields do already. So it stays, as most of what stands still does.
FN bool is_strip_there(const VectoredParams& p, const u8* to, const u8* from, s32 line, s32 lines, s32 first, s32 x, s32 count) {
    for (s32 n = 0; n < lines; ++n, to += VECTORED_PITCH, from += VECTORED_PITCH) {
        const BytePairs made = bytes_at(row_of<u8>(p.target, 2 * (line + n) + 1 - p.parity) + first + x, count - x);
        const BytePairs apart = unlike_bits(made, bytes_at(to + x)) | unlike_bits(made, bytes_at(from + x));
        if (has_bits(first_bytes(apart, count - x))) return false;
    }
    return true;
}

// Tables of a row of blocks, and the strips of it in which a vector is believed and shows something else than there is.
FN void find_led(const VectoredParams& p, VectoredBytes& s, s32 row, s32 line0, s32 lines, s32 first, s32 count) {
    const u8** tables = s.tables[row];
    for (s32 n = 0; n < VECTORED_TABLES; ++n)
        tables[n] = n * VECTOR_BLOCK < count ? weights_of_block(p, line0 / VECTOR_LINES + row, first / VECTOR_BLOCK + n) : VECTORED_NOTHING;
    const s32 begin = row * VECTOR_LINES, end = min_of<s32>(begin + VECTOR_LINES, lines);
    const s32 at = (begin + 1) * VECTORED_PITCH + VECTORED_SPARE;
    s.led[row] = 0;
    for (s32 x = 0; x < count; x += LANE_BYTES) {
        bool any = false;
        UNROLL for (s32 n = 0; n < STRIP_BLOCKS; ++n) any |= tables[x / VECTOR_BLOCK + n] != VECTORED_NOTHING;
        const bool led = any && !is_strip_there(p, s.to + at, s.from + at, line0 + begin, end - begin, first, x, count);
        s.led[row] |= (u32)led << x / LANE_BYTES;
    }
}

// The strips whose windows a row of a tile's scratch is in: that of the line itself, the one above and the one below.
FN u32 strips_seen(const VectoredBytes& s, s32 i, s32 lines) {
    u32 strips = 0;
    for (s32 line = max_of<s32>(i - 2, 0); line <= min_of<s32>(i, lines - 1); ++line) strips |= s.led[line / VECTOR_LINES];
    return strips | strips << 1;  // windows begin two columns before their strip, and end two behind it
}

// What add_parts() finds, of strips of a line that begin two samples before those of the picture.
FN void parts_of_line(const VectoredParams& p, const u8* to, const u8* from, s32 line, s32 first, s32 count, u32 strips, VectoredParts& out) {
    const s64 pitch = p.guide_pitch_B, start = line * pitch + first;
    const u8 *own = (const u8*)p.own + start, *other = (const u8*)p.other + start;
    const u8* above = (const u8*)p.field + start - p.parity * pitch;
    const u8* below = above + pitch;
    prefetch_line(own + VECTORED_WIDTH, VECTORED_WIDTH);
    prefetch_line(other + VECTORED_WIDTH, VECTORED_WIDTH);
    prefetch_line(below + VECTORED_WIDTH, VECTORED_WIDTH);
    for (s32 x = -2; x < count + 2; x += LANE_BYTES, strips >>= 1) {
        if (!(strips & 1)) continue;
        const BytePairs a = bytes_at(above + x), b = bytes_at(below + x), t = bytes_at(to + x), f = bytes_at(from + x);
        const BytePairs mean = average(t, f);
        const s32 k = VECTORED_SPARE + x;
        store_in_order(out.comb + k, comb_of<mixed_low>(mean, a, b), comb_of<mixed_high>(mean, a, b));
        store(out.doubt + k, difference(t, f));
        store(out.own + k, combed(bytes_at(own + x), a, b));
        store(out.other + k, combed(bytes_at(other + x), a, b));
        store(out.apart + k, difference(a, b));
        const BytePairs near = average(a, b), next = average(bytes_at(above + x - pitch), bytes_at(below + x + pitch));
        const BytePairs far = average(bytes_at(above + x - 2 * pitch), bytes_at(below + x + 2 * pitch));
        store_in_order(out.bend + k, bend_of<mixed_low>(near, next, far), bend_of<mixed_high>(near, next, far));
    }
}

// The sums of three lines, of such strips.
FN void add_lines(const VectoredParts* parts, s32 count, u32 strips, VectoredLine& out) {
    const VectoredParts &a = parts[0], &b = parts[1], &c = parts[2];
    for (s32 k = VECTORED_SPARE - 2; k < VECTORED_SPARE + count + 2; k += LANE_BYTES, strips >>= 1) {
        if (!(strips & 1)) continue;
        store(out.own + k, limited_sum(limited_sum(bytes_at(a.own + k), bytes_at(b.own + k)), bytes_at(c.own + k)));
        store(out.other + k, limited_sum(limited_sum(bytes_at(a.other + k), bytes_at(b.other + k)), bytes_at(c.other + k)));
        for (s32 n = k; n < k + LANE_BYTES; n += LANE_PAIRS) {
            store(out.comb + n, size_of(words_at(a.comb + n)) + size_of(words_at(b.comb + n)) + size_of(words_at(c.comb + n)));
            store(out.bend + n, words_at(a.bend + n) + words_at(b.bend + n) + words_at(c.bend + n));
            store(out.doubt + n, sum_of_three(a.doubt + n, b.doubt + n, c.doubt + n));
            store(out.apart + n, sum_of_three(a.apart + n, b.apart + n, c.apart + n));
        }
    }
}

FN BytePairs bytes_of_five(const u8* at) {
    return limited_sum(limited_sum(limited_sum(bytes_at(at - 2), bytes_at(at - 1)), limited_sum(bytes_at(at), bytes_at(at + 1))),
                       bytes_at(at + 2));
}

// Keys of choose_keys() but for trust.
FN PairWords keys_of_words(const VectoredLine& sums, s32 k) {
    const PairWords comb = words_of_five(sums.comb + k), doubt = words_of_five(sums.doubt + k);
    const PairWords apart = words_of_five(sums.apart + k), twice = comb + comb, apart2 = apart + apart, apart3 = apart2 + apart;
    const PairWords moved = comb + every_word(VECTORED_LEAST), doubt2 = doubt + doubt;
    const PairWords below = less(comb, apart + every_word(VECTORED_LEAST)) +
                            less(twice, apart3 + every_word(4 * VECTORED_LEAST)) +
                            less(twice, apart3 + apart2 + every_word(8 * VECTORED_LEAST));  // -1 for each limit that it is below
    const PairWords trusted = less(doubt2 + doubt2, moved) + less(doubt2, moved) + less(doubt, moved);
    const PairWords surer = less(words_of_five(sums.bend + k), doubt2) & every_word(32);
    return every_word(8 * 3 + 3) + times_8(below) + trusted + surer;
}

FN BytePairs keys_of_strip(const VectoredLine& sums, s32 k) {
    const BytePairs woven = min_of(bytes_of_five(sums.own + k), bytes_of_five(sums.other + k));
    const BytePairs far = not_more(every_byte(VECTORED_MUCH), woven) & every_byte(4);
    return put_in_order(keys_of_words(sums, k), keys_of_words(sums, k + LANE_PAIRS)) + far;
}

// The weights of a strip, which may be of two blocks.
FN BytePairs weights_of_strip(BytePairs keys, const u8* const* tables) {
    const BytePairs places = keys & every_byte(15);
    BytePairs found[VECTORED_KEYS / 16];
    UNROLL for (s32 n = 0; n < VECTORED_KEYS / 16; ++n) {
        const u8* quarters[STRIP_BLOCKS];
        UNROLL for (s32 m = 0; m < STRIP_BLOCKS; ++m) quarters[m] = tables[m] + 16 * n;
        found[n] = looked_up(of_parts(quarters), places);
    }
    const BytePairs first = not_more(keys & every_byte(16), every_byte(0)), lower = not_more(keys, every_byte(31));
    return pick(lower, pick(first, found[0], found[1]), pick(first, found[2], found[3]));
}

FN PairWords words_of_one(const u16* at) { return words_at(at); }

// How far words of three lines comb in one sense, each of five pixels or by itself.
template <PairWords words(const u16*)> FN PairWords combed_alike(const VectoredParts* parts, s32 k) {
    const PairWords a = words(parts[0].comb + k), b = words(parts[1].comb + k), c = words(parts[2].comb + k);
    return max_of(min_of(min_of(a, b), c), every_word(0) - max_of(max_of(a, b), c));
}

// What doubt_chance() does, of a strip.
FN BytePairs without_chance(const VectoredParams& p, const VectoredParts* parts, s32 line, s32 first, s32 x, s32 count,
                            BytePairs keys, BytePairs weights) {
    const BytePairs no_ratio = not_more(keys & every_byte(KEY_RATIOS), every_byte(0));
    const BytePairs asked = pick(no_ratio, every_byte(0), weights);
    if (!has_bits(asked)) return weights;
    const s32 k = VECTORED_SPARE + x;
    const PairWords low = combed_alike<words_of_five>(parts, k), high = combed_alike<words_of_five>(parts, k + LANE_PAIRS);
    const auto reach = [&](s32 least) { return put_in_order(less(every_word(least - 1), low), less(every_word(least - 1), high)); };
    const PairWords one = combed_alike<words_of_one>(parts, k), other = combed_alike<words_of_one>(parts, k + LANE_PAIRS);
    const PairWords alone = every_word(CHANCE_ALONE - 1);
    const BytePairs combed = (reach(CHANCE_LEAST) | put_in_order(less(alone, one), less(alone, other))) & asked;
    if (!has_bits(combed)) return weights;
    const BytePairs among_even = not_more(every_byte(KEY_RATIOS), keys & every_byte(KEY_RATIOS)) & reach(CHANCE_EVEN);
    alignas(64) u8 doubted[LANE_BYTES];
    store(doubted, pick(among_even, every_byte(0), combed));
    for (s32 n = 0; n < LANE_BYTES; ++n) {
        if (!doubted[n]) continue;
        doubted[n] = x + n < count && apart_from_beyond<u8>(p, line, first + x + n) >= CHANCE_LEAST ? 255 : 0;
    }
    return pick(bytes_at(doubted), every_byte(0), pick(among_even, every_byte(0), weights));
}

// Of mixed(): sixteenths of a half of a strip.
template <BytePairs mixed(BytePairs, BytePairs)> FN PairWords mixed_words(BytePairs made, BytePairs to, BytePairs from, BytePairs weights) {
    const BytePairs rest = every_byte(8) - weights;
    return shifted_down(sum_of_products(mixed(to, from), mixed(weights, weights)) +
                            sum_of_products(mixed(made, made), mixed(rest, rest)) + every_word(8), 4);
}

// A line of a tile, by what its sums say.
FN void mix_line(const VectoredParams& p, const VectoredBytes& s, s32 line, s32 first, const u8* to, const u8* from, s32 count, u8* out) {
    const s32 row = line % VECTORED_LINES / VECTOR_LINES;
    for (s32 x = 0; x < count; x += LANE_BYTES) {
        if (!(s.led[row] >> x / LANE_BYTES & 1)) continue;
        const u8* const* found = s.tables[row] + x / VECTOR_BLOCK;
        const BytePairs keys = keys_of_strip(s.sums, VECTORED_SPARE + x);
        const BytePairs weights = without_chance(p, s.parts, line, first, x, count, keys, weights_of_strip(keys, found));
        if (!has_bits(weights)) continue;
        const BytePairs made = bytes_at(out + x, count - x), t = bytes_at(to + x), f = bytes_at(from + x);
        store_within(out, x, 0, count,
                     put_together(mixed_words<mixed_low>(made, t, f, weights), mixed_words<mixed_high>(made, t, f, weights)));
    }
}

FN void vectored_bytes_tile(const VectoredParams& p, s32 tile_x, s32 tile_y) {
    alignas(64) VectoredBytes s;
    const s32 first = tile_x * VECTORED_WIDTH, count = min_of<s32>(VECTORED_WIDTH, p.width - first);
    const s32 line0 = tile_y * VECTORED_LINES, missing = (p.height + p.parity) >> 1;
    const s32 lines = min_of<s32>(VECTORED_LINES, missing - line0);
    for (s32 i = 0; i < lines; ++i) prefetch_line(row_of<u8>(p.target, 2 * (line0 + i) + 1 - p.parity) + first, count);
    follow_vectors_of_tile(p, s.to, s.from, line0, lines, first, count);
    for (s32 row = 0; row * VECTOR_LINES < lines; ++row) find_led(p, s, row, line0, lines, first, count);
    for (s32 i = 0; i < lines + 2; ++i) {
        const u8 *to = s.to + i * VECTORED_PITCH + VECTORED_SPARE, *from = s.from + i * VECTORED_PITCH + VECTORED_SPARE;
        parts_of_line(p, to, from, vectored_line(p, line0, i), first, count, strips_seen(s, i, lines), s.parts[i % VECTORED_RING]);
        if (i < 2) continue;
        const s32 line = line0 + i - 2;
        const u32 led = s.led[(i - 2) / VECTOR_LINES];
        if (!led) continue;
        add_lines(s.parts, count, led | led << 1, s.sums);
        u8* out = row_of<u8>(p.target, 2 * line + 1 - p.parity) + first;
        mix_line(p, s, line, first, to - VECTORED_PITCH, from - VECTORED_PITCH, count, out);
    }
    add_borders<u8>(p, s, line0, lines, first, count);
    for (s32 n = 0; n < 2; ++n) mix_border<u8>(p, s, n != 0, line0, lines, first, count);
}
#endif

template <typename T> FN void vectored_tile(const VectoredParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && p.target.step == 1) return vectored_bytes_tile(p, tile_x, tile_y);
#endif
    plain_vectored_tile<T>(p, tile_x, tile_y);
}
