// On a CPU, pairs of operations of eight channels that compilers made of one of sixteen.
#pragma once
#include "eu_forms.h"

#if HAS_EIGHTS
// Two operations of eight channels as one of sixteen, unless the second one reads what the first one writes.
FN bool is_one_of_both(const EuRunParams& p, const EuOperation& one, const EuOperation& other, EuOperation& both) {
    const auto is_behind = [](s32 bit, s32 next) { return bit < 0 ? next < 0 : next == bit + 8; };
    if (one.opcode != other.opcode || one.first_channel + 8 != other.first_channel) return false;
    if (!is_behind(one.flags, other.flags) || !is_behind(one.predicate, other.predicate)) return false;
    if (one.arithmetic != other.arithmetic || one.to_type != other.to_type || one.no_mask != other.no_mask) return false;
    if (one.saturate != other.saturate || one.condition != other.condition || one.inverted != other.inverted) return false;
    if (one.keeps_denormals != other.keeps_denormals || has_destination(one) != has_destination(other)) return false;
    if (form_of(one, one.opcode == EU_CMP) == EU_APART) return false;
    both = one;
    both.channels = 16, both.path = EU_SIXTEEN, both.half = EU_BOTH, both.to_list = other.to - one.to;
    for (int k = 0; k < 3; ++k) {
        const EuSource &s = one.sources[k], &t = other.sources[k];
        if (s.place != t.place) return false;
        if (s.place == EU_NONE) continue;
        if (s.type != t.type || s.is_constant != t.is_constant || s.absolute != t.absolute || s.negate != t.negate) return false;
        const bool is_packed = s.place == EU_PACKED;
        if (s.is_constant) {
            if (element_at<u32>(p.constants + s.at) != element_at<u32>(p.constants + t.at)) return false;
        } else if (has_destination(one) && t.at < one.to + EU_REGISTER_B && one.to < t.at + (is_packed ? EU_REGISTER_B : 4)) {
            return false;
        } else if ((s.at == t.at) == is_packed) {
            return false;
        }
        if (is_packed) both.sources[k].place = EU_HALVES, both.sources[k].list = t.at - s.at;
    }
    return true;
}
#endif
