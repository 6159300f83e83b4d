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

// A word of every thread, of which the lowest bits after a shift are channels.
struct EuWords {
    u8* at;
    s64 step_B;
    u32 shift, flipped;
    FN_MEMBER u32 take() {
        const u32 word = (element_at<u32>(at) ^ flipped) >> shift;
        at += step_B;
        return word;
    }
};
FN EuWords flags_of(const EuRunParams& p, const EuTile& tile, s32 bit, bool inverted) {
    return {tile.registers + p.flags_at + bit / 32 * 4, p.pitch, (u32)bit % 32, inverted ? ~0u : 0};
}

FN_APART void look_at_lines(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuLines& lines) {
    const s32 count = tile.grid.lines;
    const bool selects = op.opcode == EU_SEL, simple = op.group == 1 && !op.vertical;
    u32* flags = selects ? lines.chosen : lines.mask;
    if (op.predicate >= 0 && simple && !selects) {
        EuWords words = flags_of(p, tile, op.predicate, op.inverted);
        for (s32 line = 0; line < count; ++line) flags[line] = words.take();
    } else if (op.predicate >= 0 && !simple) {
        for (s32 line = 0; line < count; ++line) flags[line] = predicate_of(p, tile.thread(p, line), op);
    }
    if (lines.is_whole) return;
    if (op.predicate < 0 || selects)
        for (s32 line = 0; line < count; ++line) lines.mask[line] = ~0u;
    if (!p.here) return;
    for (s32 line = 0; line < count; ++line) {
        const u32 here = p.here[tile.begin + line];
        lines.mask[line] &= op.no_mask ? 0 - (u32)(here != 0) : here >> op.first_channel;
    }
}
// Channels that a selection takes from its first source.
FN EuWords chosen_of(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuLines& lines) {
    if (op.group == 1 && !op.vertical) return flags_of(p, tile, op.predicate, op.inverted);
    return {(u8*)lines.chosen, 4, 0, 0};
}
// Outcomes of the masked channels into the flags of a thread.
FN void put_outcome(const EuWords& flags, u32 mask, u32 found) {
    put_element<u32>(flags.at, (element_at<u32>(flags.at) & ~(mask << flags.shift)) | (found & mask) << flags.shift);
}
FN_APART void put_outcomes(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuLines& at) {
    EuWords flags = flags_of(p, tile, op.flags, false);
    const u32 all = lowest(op.channels);
    for (s32 line = 0; line < tile.grid.lines; ++line, flags.at += flags.step_B)
        put_outcome(flags, (at.is_whole ? ~0u : at.mask[line]) & all, at.found[line]);
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
