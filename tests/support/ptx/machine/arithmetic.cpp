// What computes: rows in, a row out. Integers wrap around; floats are IEEE, NaN results are the one that PTX makes.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "machine.h"

namespace {

template <auto F> struct Rows;
template <class D, class... S, D (*F)(S...)> struct Rows<F> {
    static void execute(Machine& m, const Instruction& i) { run(m, i, std::index_sequence_for<S...>()); }
    static constexpr Operation operation{&execute, {sizeof(D), sizeof(S)...}, 1 + (int)sizeof...(S)};

  private:
    template <size_t... N> static void run(Machine& m, const Instruction& i, std::index_sequence<N...>) {
        apply(m, m.row<D>(i.a[0]), m.row<const S>(i.a[N + 1])...);
    }
    static void apply(Machine& m, D* d, const S*... s) {
        m.group.each([=](int k) { d[k] = F(s[k]...); });
    }
};
template <auto F> constexpr Operation op = Rows<F>::operation;

template <class T> using unsigned_of = std::make_unsigned_t<T>;
template <class T> constexpr int BITS = 8 * (int)sizeof(T);

f32 canonical(f32 x) { return x != x ? std::bit_cast<f32>(0x7fffffffu) : x; }
f32 flushed(f32 x) {
    u32 bits = std::bit_cast<u32>(x);
    return (bits & 0x7f800000) == 0 ? std::bit_cast<f32>(bits & 0x80000000) : x;
}

template <class T> T add(T a, T b) { return (T)(a + b); }
template <class T> T sub(T a, T b) { return (T)(a - b); }
template <class T> T mul(T a, T b) { return (T)((std::conditional_t<sizeof(T) == 8, u64, u32>)a * b); }
template <class T> T mad(T a, T b, T c) { return (T)(mul<T>(a, b) + c); }
template <class T> T and_(T a, T b) { return a & b; }
template <class T> T or_(T a, T b) { return a | b; }
template <class T> T xor_(T a, T b) { return a ^ b; }
template <class T> T not_(T a) { return (T)~a; }
bool not_bool(bool a) { return !a; }
bool truth(u8 a) { return a != 0; }  // constants of predicates are 0 and -1
template <class T> T neg(T a) { return (T)(0 - a); }
template <class T> T abs_(T a) { return (T)(a < 0 ? 0 - (unsigned_of<T>)a : a); }
template <class T> T min_(T a, T b) { return a < b ? a : b; }
template <class T> T max_(T a, T b) { return a > b ? a : b; }
template <class T> T min_relu(T a, T b) { return max_<T>(min_(a, b), 0); }
template <class T> T max_relu(T a, T b) { return max_<T>(max_(a, b), 0); }
template <class T, class W> W wide(T a, T b) { return (W)((W)a * (W)b); }
template <class T> T high(T a, T b) {
    if constexpr (sizeof(T) == 8)
        return (T)(((std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>)a * b) >> 64);
    else
        return (T)(((std::conditional_t<std::is_signed_v<T>, i64, u64>)a * b) >> BITS<T>);
}
template <class T> T shl(T a, u32 n) { return n < BITS<T> ? (T)(a << n) : T(0); }
template <class T> T shr(T a, u32 n) {
    if constexpr (std::is_signed_v<T>) return (T)(a >> min_<u32>(n, BITS<T> - 1));
    return n < BITS<T> ? (T)(a >> n) : T(0);
}
template <class T> T mov(T a) { return a; }
template <class T> T select(T a, T b, bool c) { return c ? a : b; }

template <class T> bool eq(T a, T b) { return a == b; }
template <class T> bool ne(T a, T b) { return a != b; }
template <class T> bool lt(T a, T b) { return a < b; }
template <class T> bool le(T a, T b) { return a <= b; }
template <class T> bool gt(T a, T b) { return a > b; }
template <class T> bool ge(T a, T b) { return a >= b; }
template <class T> bool ordered_ne(T a, T b) { return a < b || a > b; }
template <class T> bool equ(T a, T b) { return !ordered_ne(a, b); }
template <class T> bool ltu(T a, T b) { return !(a >= b); }
template <class T> bool leu(T a, T b) { return !(a > b); }
template <class T> bool gtu(T a, T b) { return !(a <= b); }
template <class T> bool geu(T a, T b) { return !(a < b); }
template <class T> bool num(T a, T b) { return a == a && b == b; }
template <class T> bool nan_(T a, T b) { return !num(a, b); }

template <class T> T bfi(T a, T b, u32 position, u32 length) {
    position &= 255, length &= 255;
    if (position >= BITS<T> || length == 0) return b;
    T mask = (T)((length >= BITS<T> ? ~T(0) : (T)((T(1) << length) - 1)) << position);
    return (T)((b & ~mask) | ((T)(a << position) & mask));
}
template <class T> T bfe(T a, u32 position, u32 length) {
    using U = unsigned_of<T>;
    position &= 255, length &= 255;
    if (length == 0) return 0;
    u32 last = min_<u32>(position + length - 1, BITS<T> - 1);
    u32 count = position < BITS<T> ? last + 1 - position : 0;
    U mask = count == BITS<T> ? ~U(0) : (U)((U(1) << count) - 1);
    U field = count ? (U)((U)a >> position & mask) : U(0);
    return (T)(std::is_signed_v<T> && ((U)a >> last & 1) ? field | (U)~mask : field);
}
template <class T> T brev(T a) {
    T r = 0;
    for (int k = 0; k < BITS<T>; ++k) r = (T)(r << 1 | (a >> k & 1));
    return r;
}
template <class T> u32 popc(T a) { return (u32)std::popcount(a); }
template <class T> u32 clz(T a) { return (u32)std::countl_zero(a); }
u32 funnel_left(u32 low, u32 high, u32 n) { return (u32)(((u64)high << 32 | low) << (n & 31) >> 32); }
u32 funnel_right(u32 low, u32 high, u32 n) { return (u32)(((u64)high << 32 | low) >> (n & 31)); }
u32 prmt(u32 a, u32 b, u32 selector) {
    u64 bytes = (u64)b << 32 | a;
    u32 r = 0;
    for (int k = 0; k < 4; ++k) {
        u32 s = selector >> (4 * k), byte = (u32)(bytes >> (8 * (s & 7))) & 255;
        r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
    }
    return r;
}
// Products of 16 bits and the low bytes, of A's and of B's sign.
template <class A, class B> u32 dp2a(u32 a, u32 b, u32 c) {
    for (int k = 0; k < 2; ++k) c += (u32)((i32)(A)(a >> (16 * k)) * (i32)(B)(b >> (8 * k)));
    return c;
}

// Products of bytes, of A's and of B's sign.
template <class A, class B> u32 dp4a(u32 a, u32 b, u32 c) {
    for (int k = 0; k < 4; ++k) c += (u32)((i32)(A)(a >> (8 * k)) * (i32)(B)(b >> (8 * k)));
    return c;
}

// How far bytes without a sign are apart, added up.
u32 vabsdiff4(u32 a, u32 b, u32 c) {
    for (int k = 0; k < 4; ++k) c += (u32)std::abs((i32)(u8)(a >> (8 * k)) - (i32)(u8)(b >> (8 * k)));
    return c;
}

f32 add_f(f32 a, f32 b) { return canonical(a + b); }
f32 sub_f(f32 a, f32 b) { return canonical(a - b); }
f32 mul_f(f32 a, f32 b) { return canonical(a * b); }
f32 div_f(f32 a, f32 b) { return canonical(a / b); }
f32 fma_f(f32 a, f32 b, f32 c) { return canonical(std::fmaf(a, b, c)); }
f32 rcp_f(f32 a) { return canonical(1.0f / a); }
f32 sqrt_f(f32 a) { return canonical(std::sqrt(a)); }
f32 abs_f(f32 a) { return std::bit_cast<f32>(std::bit_cast<u32>(a) & 0x7fffffff); }
f32 neg_f(f32 a) { return std::bit_cast<f32>(std::bit_cast<u32>(a) ^ 0x80000000); }
f32 min_f(f32 a, f32 b) {
    if (a == b) return std::bit_cast<f32>(std::bit_cast<u32>(a) | std::bit_cast<u32>(b));  // -0 is below 0
    return canonical(a != a ? b : b != b || a < b ? a : b);
}
f32 max_f(f32 a, f32 b) {
    if (a == b) return std::bit_cast<f32>(std::bit_cast<u32>(a) & std::bit_cast<u32>(b));
    return canonical(a != a ? b : b != b || a > b ? a : b);
}
f32 copysign_f(f32 sign, f32 size) {
    return std::bit_cast<f32>((std::bit_cast<u32>(sign) & 0x80000000) | (std::bit_cast<u32>(size) & 0x7fffffff));
}
template <auto F> struct Flushing;
template <class D, class... S, D (*F)(S...)> struct Flushing<F> {
    static D call(S... s) {
        if constexpr (std::is_same_v<D, f32>)
            return flushed(F(flushed(s)...));
        else
            return F(flushed(s)...);
    }
};

template <class T> i32 to_i32(f32 x) {
    if (x != x) return 0;
    return x >= 2147483648.0f ? INT32_MAX : x < -2147483648.0f ? INT32_MIN : (i32)x;
}
f32 floor_f(f32 x) { return canonical(std::floor(x)); }
f32 ceil_f(f32 x) { return canonical(std::ceil(x)); }
f32 trunc_f(f32 x) { return canonical(std::trunc(x)); }
f32 nearest_f(f32 x) { return canonical(std::nearbyint(x)); }
i32 truncated(f32 x) { return to_i32<f32>(x); }
i64 truncated_to_64(f32 x) {
    if (x != x || x < -9223372036854775808.0f) return INT64_MIN;
    return x >= 9223372036854775808.0f ? INT64_MAX : (i64)x;
}
f64 quiet(f64 x) { return x != x ? std::bit_cast<f64>(0x7fffffffffffffffull) : x; }
f64 add_d(f64 a, f64 b) { return quiet(a + b); }
f64 sub_d(f64 a, f64 b) { return quiet(a - b); }
f64 mul_d(f64 a, f64 b) { return quiet(a * b); }
f64 fma_d(f64 a, f64 b, f64 c) { return quiet(std::fma(a, b, c)); }
f64 div_d(f64 a, f64 b) { return quiet(a / b); }
f64 rcp_d(f64 a) { return quiet(1 / a); }
f64 sqrt_d(f64 a) { return quiet(std::sqrt(a)); }
f64 neg_d(f64 a) { return quiet(-a); }
f64 abs_d(f64 a) { return quiet(std::fabs(a)); }
f64 widened(f32 x) { return quiet(x); }
f32 narrowed(f64 x) { return canonical((f32)x); }
i64 truncated_d(f64 x) {
    if (x != x || x < -9223372036854775808.0) return INT64_MIN;
    return x >= 9223372036854775808.0 ? INT64_MAX : (i64)x;
}
i32 narrowed_d(f64 x) {
    if (x != x || x <= -2147483649.0) return INT32_MIN;
    return x >= 2147483648.0 ? INT32_MAX : (i32)x;
}
i32 floored(f32 x) { return to_i32<f32>(std::floor(x)); }
i32 ceiled(f32 x) { return to_i32<f32>(std::ceil(x)); }
i32 rounded(f32 x) { return to_i32<f32>(std::nearbyint(x)); }
template <class D, class S, class R> D convert(R x) { return (D)(S)x; }  // of a register that may be wider than S

// Divisions by zero fail by name: PTX leaves their results open.
template <class T, bool REMAINDER> void divide(Machine& m, const Instruction& i) {
    T *d = m.row<T>(i.a[0]), *a = m.row<T>(i.a[1]), *b = m.row<T>(i.a[2]);
    m.group.each([&](int k) {
        if (b[k] == 0) m.fail(DIVISION, i, k);
        i64 quotient = (i64)a[k] / (i64)b[k];
        d[k] = (T)(REMAINDER ? (i64)a[k] - quotient * (i64)b[k] : quotient);
    });
}
template <class T> void divide_u64(Machine& m, const Instruction& i) {
    T *d = m.row<T>(i.a[0]), *a = m.row<T>(i.a[1]), *b = m.row<T>(i.a[2]);
    m.group.each([&](int k) {
        if (b[k] == 0) m.fail(DIVISION, i, k);
        d[k] = a[k] / b[k];
    });
}
template <class T, bool REMAINDER> constexpr Operation division{&divide<T, REMAINDER>, {sizeof(T), sizeof(T), sizeof(T)}, 3};

template <class S, class P> void unpack(Machine& m, const Instruction& i) {
    constexpr int N = sizeof(S) / sizeof(P);
    const S* s = m.row<S>(i.a[N]);
    m.group.each([&](int k) {
        S v = s[k];
        for (int n = 0; n < N; ++n) m.row<P>(i.a[n])[k] = (P)(v >> (BITS<P> * n));
    });
}
template <class D, class P> void pack(Machine& m, const Instruction& i) {
    constexpr int N = sizeof(D) / sizeof(P);
    m.group.each([&](int k) {
        D v = 0;
        for (int n = 0; n < N; ++n) v |= (D)m.row<P>(i.a[n + 1])[k] << (BITS<P> * n);
        m.row<D>(i.a[0])[k] = v;
    });
}

}  // namespace

#define EVERY_SIZE(name, f) {name ".b16", op<f<u16>>}, {name ".b32", op<f<u32>>}, {name ".b64", op<f<u64>>}
#define SIGNED(name, f) {name ".s16", op<f<i16>>}, {name ".s32", op<f<i32>>}, {name ".s64", op<f<i64>>}
#define UNSIGNED(name, f) {name ".u16", op<f<u16>>}, {name ".u32", op<f<u32>>}, {name ".u64", op<f<u64>>}
#define BY_SIGN(name, f) SIGNED(name, f), UNSIGNED(name, f)
#define ANY_SIGN(name, f)                                                                                      \
    {name ".s16", op<f<u16>>}, {name ".s32", op<f<u32>>}, {name ".s64", op<f<u64>>}, UNSIGNED(name, f)
#define LOGIC(name, f) EVERY_SIZE(name, f), {name ".pred", op<f<bool>>}
#define FLOAT(name, f) {name ".f32", op<f>}, {name ".ftz.f32", op<&Flushing<&f>::call>}
#define COMPARE_FLOATS(name, f) FLOAT("setp." name, f<f32>), {"setp." name ".f64", op<f<f64>>}
#define COMPARE(name, f) BY_SIGN("setp." name, f), COMPARE_FLOATS(name, f)
#define CONVERT_FROM(type, D, R)                                                                                \
    {"cvt." type ".u8", op<convert<D, u8, R>>}, {"cvt." type ".s8", op<convert<D, i8, R>>},                     \
        {"cvt." type ".u16", op<convert<D, u16, R>>}, {"cvt." type ".s16", op<convert<D, i16, R>>},             \
        {"cvt." type ".u32", op<convert<D, u32, R>>}, {"cvt." type ".s32", op<convert<D, i32, R>>},             \
        {"cvt." type ".u64", op<convert<D, u64, R>>}, {"cvt." type ".s64", op<convert<D, i64, R>>}
// The register of an 8-bit source may have any size: one row for each.
#define CONVERT(type, D) CONVERT_FROM(type "@2", D, u16), CONVERT_FROM(type "@4", D, u32), CONVERT_FROM(type "@8", D, u64)

std::vector<Named> arithmetic() {
    return {
        ANY_SIGN("add", add), ANY_SIGN("sub", sub), ANY_SIGN("mul.lo", mul), ANY_SIGN("mad.lo", mad),
        BY_SIGN("mul.hi", high), ANY_SIGN("neg", neg), SIGNED("abs", abs_),
        BY_SIGN("min", min_), BY_SIGN("max", max_),
        {"min.s32.relu", op<min_relu<i32>>}, {"max.s32.relu", op<max_relu<i32>>},
        {"min.relu.s32", op<min_relu<i32>>}, {"max.relu.s32", op<max_relu<i32>>},
        {"mul.wide.s16", op<wide<i16, i32>>}, {"mul.wide.u16", op<wide<u16, u32>>},
        {"mul.wide.s32", op<wide<i32, i64>>}, {"mul.wide.u32", op<wide<u32, u64>>},
        {"div.s32", division<i32, false>}, {"div.u32", division<u32, false>}, {"div.s64", division<i64, false>},
        {"rem.s32", division<i32, true>}, {"rem.u32", division<u32, true>}, {"rem.s64", division<i64, true>},
        {"div.u64", {&divide_u64<u64>, {8, 8, 8}, 3}},
        LOGIC("and", and_), LOGIC("or", or_), LOGIC("xor", xor_), EVERY_SIZE("not", not_), {"not.pred", op<not_bool>},
        EVERY_SIZE("shl", shl), BY_SIGN("shr", shr), EVERY_SIZE("shr", shr), EVERY_SIZE("mov", mov), ANY_SIGN("mov", mov),
        {"mov.f32", op<mov<u32>>}, {"mov.pred", op<truth>},
        EVERY_SIZE("selp", select), ANY_SIGN("selp", select), {"selp.f32", op<select<u32>>},
        {"bfi.b32", op<bfi<u32>>}, {"bfi.b64", op<bfi<u64>>}, BY_SIGN("bfe", bfe),
        {"brev.b32", op<brev<u32>>}, {"brev.b64", op<brev<u64>>}, {"popc.b32", op<popc<u32>>},
        {"popc.b64", op<popc<u64>>}, {"clz.b32", op<clz<u32>>}, {"clz.b64", op<clz<u64>>},
        {"shf.l.wrap.b32", op<funnel_left>}, {"shf.r.wrap.b32", op<funnel_right>}, {"prmt.b32", op<prmt>},
        {"dp4a.u32.u32", op<dp4a<u8, u8>>}, {"dp4a.u32.s32", op<dp4a<u8, i8>>}, {"dp4a.s32.u32", op<dp4a<i8, u8>>},
        {"dp4a.s32.s32", op<dp4a<i8, i8>>}, {"dp2a.lo.s32.u32", op<dp2a<i16, u8>>}, {"dp2a.lo.u32.u32", op<dp2a<u16, u8>>},
        {"dp2a.lo.s32.s32", op<dp2a<i16, i8>>}, {"dp2a.lo.u32.s32", op<dp2a<u16, i8>>},
        {"vabsdiff4.u32.u32.u32.add", op<vabsdiff4>},
        COMPARE("eq", eq), COMPARE("lt", lt), COMPARE("le", le), COMPARE("gt", gt), COMPARE("ge", ge),
        BY_SIGN("setp.ne", ne), EVERY_SIZE("setp.eq", eq), EVERY_SIZE("setp.ne", ne),
        COMPARE_FLOATS("ne", ordered_ne), COMPARE_FLOATS("neu", ne), COMPARE_FLOATS("equ", equ), COMPARE_FLOATS("ltu", ltu),
        COMPARE_FLOATS("leu", leu), COMPARE_FLOATS("gtu", gtu), COMPARE_FLOATS("geu", geu), COMPARE_FLOATS("num", num),
        COMPARE_FLOATS("nan", nan_), FLOAT("add.rn", add_f), FLOAT("sub.rn", sub_f), FLOAT("mul.rn", mul_f),
        FLOAT("div.rn", div_f), FLOAT("rcp.rn", rcp_f), FLOAT("fma.rn", fma_f), FLOAT("sqrt.rn", sqrt_f), FLOAT("min", min_f),
        FLOAT("max", max_f), FLOAT("abs", abs_f), FLOAT("neg", neg_f), {"copysign.f32", op<copysign_f>},
        FLOAT("cvt.rzi.f32", trunc_f), FLOAT("cvt.rmi.f32", floor_f), FLOAT("cvt.rpi.f32", ceil_f),
        FLOAT("cvt.rni.f32", nearest_f), FLOAT("cvt.rzi.s32", truncated), FLOAT("cvt.rmi.s32", floored),
        FLOAT("cvt.rzi.s64", truncated_to_64), {"add.rn.f64", op<add_d>}, {"sub.rn.f64", op<sub_d>},
        {"mul.rn.f64", op<mul_d>}, {"fma.rn.f64", op<fma_d>}, {"div.rn.f64", op<div_d>}, {"rcp.rn.f64", op<rcp_d>},
        {"sqrt.rn.f64", op<sqrt_d>}, {"cvt.f64.f32", op<widened>}, {"cvt.rn.f32.f64", op<narrowed>},
        {"cvt.rzi.s64.f64", op<truncated_d>}, {"cvt.rzi.s32.f64", op<narrowed_d>},
        {"mov.f64", op<mov<u64>>}, {"selp.f64", op<select<u64>>},
        {"neg.f64", op<neg_d>}, {"abs.f64", op<abs_d>},
        {"cvt.rn.f64.s32", op<convert<f64, i32, u32>>}, {"cvt.rn.f64.s64", op<convert<f64, i64, u64>>},
        FLOAT("cvt.rpi.s32", ceiled), FLOAT("cvt.rni.s32", rounded),
        {"cvt.rn.f32.s16", op<convert<f32, i16, u16>>}, {"cvt.rn.f32.u16", op<convert<f32, u16, u16>>},
        {"cvt.rn.f32.s32", op<convert<f32, i32, u32>>}, {"cvt.rn.f32.u32", op<convert<f32, u32, u32>>},
        {"cvt.rn.f32.s64", op<convert<f32, i64, u64>>}, {"cvt.rn.f32.u64", op<convert<f32, u64, u64>>},
        CONVERT("u16", u16), CONVERT("s16", i16), CONVERT("u32", u32), CONVERT("s32", i32), CONVERT("u64", u64),
        CONVERT("s64", i64),
        {"cvt.s8@2@4.s32", op<convert<i16, i8, u32>>},
        {"unpack.b32.2", {&unpack<u32, u16>, {2, 2, 4}, 3}}, {"unpack.b64.2", {&unpack<u64, u32>, {4, 4, 8}, 3}},
        {"unpack.b64.4", {&unpack<u64, u16>, {2, 2, 2, 2, 8}, 5}},
        {"pack.b32.2", {&pack<u32, u16>, {4, 2, 2}, 3}}, {"pack.b64.2", {&pack<u64, u32>, {8, 4, 4}, 3}},
        {"pack.b64.4", {&pack<u64, u16>, {8, 2, 2, 2, 2}, 5}},
    };
}
