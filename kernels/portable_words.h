// What portable.h offers for four words that are moved together and in pieces; it knows the device, too.
#pragma once
#include "portable.h"

#if !defined(__CUDACC__) && !defined(TEXSAMP_THREADED_TILES) && defined(__SSE2__)
#include <emmintrin.h>

typedef __m128i Words;

FN Words load_words(const u8* bytes) { return _mm_loadu_si128((const __m128i*)bytes); }
FN void store_words(u8* bytes, Words w) { _mm_storeu_si128((__m128i*)bytes, w); }

// Halves of words, of each pair: a0 a1 b0 b1 as a0 b0 a1 b1.
FN Words swap_middle_halves(Words w) { return _mm_shufflehi_epi16(_mm_shufflelo_epi16(w, 0xd8), 0xd8); }

// a0 b0 a1 b1 and a2 b2 a3 b3.
FN Words mix_first_words(Words a, Words b) { return _mm_unpacklo_epi32(a, b); }
FN Words mix_last_words(Words a, Words b) { return _mm_unpackhi_epi32(a, b); }

// a0 a1 b0 b1 and a2 a3 b2 b3.
FN Words join_first_pairs(Words a, Words b) { return _mm_unpacklo_epi64(a, b); }
FN Words join_last_pairs(Words a, Words b) { return _mm_unpackhi_epi64(a, b); }
#else
struct Words {
    u64 first, last;  // pairs of words
};

// Addresses are multiples of 8 on a GPU.
struct alignas(ON_DEVICE(1, 8)) PairOfWords {
    u8 bytes[8];
};

FN u64 load_pair(const u8* bytes) {
    u64 pair;
    *(PairOfWords*)&pair = *(const PairOfWords*)bytes;
    return pair;
}
FN Words load_words(const u8* bytes) { return {load_pair(bytes), load_pair(bytes + 8)}; }
FN void store_words(u8* bytes, Words w) {
    *(PairOfWords*)bytes = *(const PairOfWords*)&w.first;
    *(PairOfWords*)(bytes + 8) = *(const PairOfWords*)&w.last;
}

FN u64 swap_middle_halves(u64 pair) {
    return (pair & 0xffff00000000ffff) | (pair & 0xffff0000) << 16 | (pair >> 16 & 0xffff0000);
}
FN Words swap_middle_halves(Words w) { return {swap_middle_halves(w.first), swap_middle_halves(w.last)}; }

FN Words mix_pairs(u64 a, u64 b) { return {(a & 0xffffffff) | b << 32, a >> 32 | (b & 0xffffffff00000000)}; }
FN Words mix_first_words(Words a, Words b) { return mix_pairs(a.first, b.first); }
FN Words mix_last_words(Words a, Words b) { return mix_pairs(a.last, b.last); }

FN Words join_first_pairs(Words a, Words b) { return {a.first, b.first}; }
FN Words join_last_pairs(Words a, Words b) { return {a.last, b.last}; }
#endif
