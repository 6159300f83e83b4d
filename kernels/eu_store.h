// Results into threads' registers.
#pragma once
#include "eu_compute.h"

struct EuScratch {
    u32 mask[EU_THREADS];                            // channels that are worked on
    u8 outcome[EU_THREADS * EU_CHANNELS + 8];        // of condition modifiers, as cells lie; vectors are read whole
    u32 rows[EU_THREADS][EU_CHANNELS];               // results for elements at addresses of their own
};

// Vectors' neighbors that are not worked on keep what they hold, without a branch.
// Elements that are narrower than the steps between them, with the bytes behind them, which keep what they hold.
template <int N, typename T, typename Step> FN void store_within(u8* to, u32 mask, const EuCells<u32>& bits, int at) {
    FOR_LINE(i, N) {
        const Step held = element_at<Step>(to + i * sizeof(Step));
        const Step value = (Step)((held & ~(Step)(T)~0u) | (T)bits[at + i]);
        put_element<Step>(to + i * sizeof(Step), mask >> i & 1 ? value : held);
    }
}
template <int N, typename T> FN void store_elements(u8* to, int stride, u32 mask, int channels, const EuCells<u32>& bits, int at) {
    const int size = (int)sizeof(T);
    if (stride == size && channels == N && mask == lowest(N)) {
        FOR_LINE(i, N) put_element<T>(to + i * size, (T)bits[at + i]);
    } else if (stride == size && channels == N) {
        FOR_LINE(i, N) put_element<T>(to + i * size, mask >> i & 1 ? (T)bits[at + i] : element_at<T>(to + i * size));
    } else if (ON_DEVICE(size < 4 && stride == 4 && channels == N, false)) {
        store_within<N, T, u32>(to, mask, bits, at);
    } else if (ON_DEVICE(size < 2 && stride == 2 && channels == N, false)) {
        store_within<N, T, u16>(to, mask, bits, at);
    } else if (ON_DEVICE(channels == N && mask == lowest(N), false)) {
        for (int i = 0; i < N; ++i) put_element<T>(to + i * stride, (T)bits[at + i]);
    } else {
        FOR_LINE(i, channels) if (mask >> i & 1) put_element<T>(to + i * stride, (T)bits[at + i]);
    }
}

// Elements at addresses of their own, one after the other: they may be the same. all: of the line's channels.
template <typename T>
FN void store_rows(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u32* all) {
    FOR_LINE(j, 1) {
        for (int i = 0; i < op.channels; ++i) {
            const s32 address = row_address(p, t, op.to_list, op.to, i);
            if ((mask >> i & 1) && is_legal(address, op.to_type)) put_element<T>(t.registers + address, (T)all[i]);
        }
    }
}

template <int N, typename T>
FN void store_as(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuCells<u32>& bits, EuScratch& scratch) {
    if (op.to_place == EU_ROWED) {
        FOR_LINES_OF(line, tile.grid) FOR_LINE(i, op.channels) scratch.rows[line][i] = bits[line * N + i];
        BARRIER();
    }
    FOR_LINES_OF(line, tile.grid) {
        const EuThread t = tile.thread(p, line);
        const u32 mask = tile.mask[line] & op.enabled;
        if (!mask) continue;
        if (op.to_place == EU_ROWED) {
            check_rows(p, t, op.to_list, op.to, op.channels, op.to_type);
            store_rows<T>(p, t, op, mask, scratch.rows[line]);
            continue;
        }
        const s32 to = op.to_address ? addressed(p, t, op.to_address, op.to, op.to_span_B, op.to_type) : op.to;
        store_elements<N, T>(t.registers + to, op.to_stride, mask, op.channels, bits, line * N);
    }
}

template <int N>
FN_OF_CELLS void store(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuCells<u32>& bits, EuScratch& scratch) {
    const s32 size = size_of(op.to_type);
    if (size == 1)
        store_as<N, u8>(p, tile, op, bits, scratch);
    else if (size == 2)
        store_as<N, u16>(p, tile, op, bits, scratch);
    else
        store_as<N, u32>(p, tile, op, bits, scratch);
}

// a0.2 to a0.7 have 12 bits (volume 4 part 3, page 41).
FN void trim_addresses(const EuRunParams& p, const EuThread& t) {
    FOR_LINE(i, 1) {
        for (int k = 2; k < 8; ++k) {
            u8* word = t.registers + p.addresses_at + 2 * k;
            put_element<u16>(word, element_at<u16>(word) & 0xFFF);
        }
    }
}

template <typename W> FN s64 kept_value(const EuOperation& op, W v) {
    return op.saturate ? clamp_to<s64>(v, (s64)lowest_of(op.to_type), (s64)highest_of(op.to_type)) : v;
}

// What acc0 holds beyond its registers, as texsamp/emulator/eu/registers/accumulators.py keeps it. mask: not 0.
template <typename W>
FN_OF_CELLS void keep_wide(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const EuCells<W>& values, int at) {
    u8* words = p.known_words + (s64)t.number * 16;
    u8* dwords = p.known_dwords + (s64)t.number * 8;
    if (op.keeping != EU_WORDS) FOR_LINE(i, 16) words[i] = 0;
    if (op.keeping != EU_DWORDS) FOR_LINE(i, 8) dwords[i] = 0;
    if (op.keeping == EU_FORGETS) return;
    u8* known = op.keeping == EU_WORDS ? words : dwords;
    s64* kept = op.keeping == EU_WORDS ? p.kept_words + (s64)t.number * 16 : p.kept_dwords + (s64)t.number * 8;
    const int spare = op.whole_product ? 0 : 31;
    FOR_LINE(i, op.channels) {
        const int lane = op.to_list + i * op.to_stride / op.keeping;
        if (mask >> i & 1) known[lane] = 1, kept[lane] = (s64)((u64)kept_value(op, values[at + i]) << spare) >> spare;
    }
}
