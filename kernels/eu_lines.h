// On a CPU, of an operation that runs in one step (eu_direct.h): the channels of each thread, what it reads of flags, and
// what it leaves beside its result.
#pragma once
#include "eu_masks.h"
#include "portable_eights.h"

#if HAS_EIGHTS
// Of every thread: channels that are worked on, those that a selection takes from its first source, and outcomes.
struct EuLines {
    bool is_whole;  // all channels are, and `mask` is not set
    u32 mask[EU_THREADS], chosen[EU_THREADS], found[EU_THREADS];
    template <int CHANNELS> FN_MEMBER u32 of(s32 line) const {
        return is_whole ? lowest(CHANNELS) : mask[line] & lowest(CHANNELS);
    }
};

FN_APART void look_at_lines(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuLines& lines) {
    const s32 count = tile.grid.lines, pitch = p.pitch;
    u32* flags = op.opcode == EU_SEL ? lines.chosen : lines.mask;
    if (op.predicate >= 0 && op.group == 1 && !op.vertical) {
        const u8* word = tile.registers + p.flags_at + op.predicate / 32 * 4;
        const u32 shift = op.predicate % 32, flipped = op.inverted ? ~0u : 0;
        for (s32 line = 0; line < count; ++line, word += pitch) flags[line] = (element_at<u32>(word) ^ flipped) >> shift;
    } else if (op.predicate >= 0) {
        for (s32 line = 0; line < count; ++line) flags[line] = predicate_of(p, tile.thread(p, line), op);
    }
    if (lines.is_whole) return;
    if (op.predicate < 0 || op.opcode == EU_SEL)
        for (s32 line = 0; line < count; ++line) lines.mask[line] = ~0u;
    if (!p.here) return;
    for (s32 line = 0; line < count; ++line) {
        const u32 here = p.here[tile.begin + line];
        lines.mask[line] &= op.no_mask ? 0 - (u32)(here != 0) : here >> op.first_channel;
    }
}
FN_APART void put_outcomes(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuLines& at) {
    u8* word = tile.registers + p.flags_at + op.flags / 32 * 4;
    const u32 shift = op.flags % 32, all = lowest(op.channels);
    const s32 lines = tile.grid.lines, pitch = p.pitch;
    for (s32 line = 0; line < lines; ++line, word += pitch) {
        const u32 mask = (at.is_whole ? ~0u : at.mask[line]) & all;
        put_element<u32>(word, (element_at<u32>(word) & ~(mask << shift)) | (at.found[line] & mask) << shift);
    }
}
// What else a destination asks for: an address register, or what acc0 holds beyond its registers.
template <int CHANNELS>
FN_APART void finish_lines(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuLines& at) {
    for (s32 line = 0; line < tile.grid.lines; ++line) {
        const EuThread t = tile.thread(p, line);
        if (op.trims) trim_addresses(p, t);
        if (!op.keeping || !at.of<CHANNELS>(line)) continue;
        put_element(p.known_words + (s64)t.number * 16, Words2{});
        put_element(p.known_dwords + (s64)t.number * 8, (u64)0);
    }
}

FN EuLines lines_of(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    EuLines lines;
    lines.is_whole = !p.here && (op.predicate < 0 || op.opcode == EU_SEL);
    if (op.predicate >= 0 || p.here) look_at_lines(p, tile, op, lines);
    return lines;
}
#endif
