// On a CPU, unsigned words and bytes at an address, moved as they are or with a constant added: in one pass, where other
// operations gather, compute, convert and scatter (eu_near.h). A sixth of what kernels of drivers that scale do is such.
#pragma once
#include "eu_near.h"

#if HAS_EIGHTS
// S, D: of the size of the steps from element to element, of the source and of the destination.
template <int CHANNELS, typename T, typename S, typename D>
FN_APART void move_addressed(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    const EuSource& s = op.sources[0];
    const u32 most = (T)~0u, added = op.opcode == EU_ADD ? element_at<T>(p.constants + op.sources[1].at) : 0;
    for (s32 line = 0; line < tile.grid.lines; ++line) {
        const EuThread t = tile.thread(p, line);
        const u8* from = t.registers + addressed(p, t, s.address, s.at, s.span, s.type);
        u8* to = t.registers + (op.to_address ? addressed(p, t, op.to_address, op.to, op.to_span_B, op.to_type) : op.to);
        PREFETCH(from + EU_THREADS * p.pitch);
        u32 made[CHANNELS];
        FOR_LINE(i, CHANNELS) made[i] = min_of<u32>((T)element_at<S>(from + i * sizeof(S)) + added, most);
        FOR_LINE(i, CHANNELS) {  // what is between elements keeps what it holds
            const u32 held = sizeof(D) > sizeof(T) ? element_at<D>(to + i * sizeof(D)) & ~most : 0;
            put_element<D>(to + i * sizeof(D), (D)(held | made[i]));
        }
    }
}

template <int CHANNELS, typename T, typename S>
FN bool move_from_steps(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    if (op.to_stride == (s32)sizeof(T))
        move_addressed<CHANNELS, T, S, T>(p, tile, op);
    else if (op.to_stride == 2)
        move_addressed<CHANNELS, T, S, u16>(p, tile, op);
    else if (op.to_stride == 4)
        move_addressed<CHANNELS, T, S, u32>(p, tile, op);
    else
        return false;
    return true;
}
template <int CHANNELS, typename T>
FN bool move_elements(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    const EuSource& s = op.sources[0];
    const s32 step = s.place == EU_LISTED ? even_step<CHANNELS>(p.offsets + s.list) : (s32)sizeof(T);
    if (step == 2) return move_from_steps<CHANNELS, T, u16>(p, tile, op);
    return step == 4 && move_from_steps<CHANNELS, T, u32>(p, tile, op);
}

// Whether an operation was one of these, and is done.
template <int CHANNELS> FN bool run_addressed(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    const EuSource &s = op.sources[0], &other = op.sources[1];
    const auto is_as_it_is = [&](const EuSource& source) {
        return source.type == op.to_type && !source.absolute && !source.negate;
    };
    if (!s.address || s.place == EU_SHARED || op.arithmetic != EU_LOW || !is_as_it_is(s)) return false;
    if (p.here || op.predicate >= 0 || op.flags >= 0 || op.trims || op.keeping || !has_destination(op)) return false;
    const bool adds = op.opcode == EU_ADD && op.saturate && other.is_constant && other.place == EU_SHARED && is_as_it_is(other);
    if (!adds && op.opcode != EU_MOV) return false;
    if (s.type == EU_UW) return move_elements<CHANNELS, u16>(p, tile, op);
    return s.type == EU_UB && move_elements<CHANNELS, u8>(p, tile, op);
}
#endif
