/* Tensix instructions for programs of the emulated cores, directly from the emulator's own table.
 *
 *     TT_OP_SETC16(reg, value)   the instruction word, a function of the fields in the order of tt-llk
 *     TTI_SETC16(2, 31)          the instruction in the core's own stream; the fields must be constants
 *     TT_SETC16(reg, value)      the instruction by a store to the core's instruction buffer; any values
 *
 * and so on for every row of tensix.def. TTI_ needs an optimising compiler (-O1 and up) to see that its arguments are
 * constant. For static tables, and without optimisation, there are constant expressions with the same meaning:
 *
 *     static const unsigned program[] = { TT_OP(SETC16, 2, 31), TT_OP(NOP), TT_OP(0xB2, 2 << 16 | 31) };
 *     TTI(SETC16, 2, 31);
 *
 * The last word of that table is tt-llk's form of TT_OP: the opcode, a hexadecimal number of one or two digits, and
 * the 24 bits below it. In C++ TT_OP_SETC16 is constexpr, too.
 *
 * As in tt-llk, a field is not cut to its width, because SETDMAREG relies on a value that spills into the field above;
 * but nothing reaches the opcode, and in the functions a constant that would reach it does not compile.
 *
 * Words are unsigned int, 32 bits on these cores, so that this header needs no other. Only TRISC0-2 may use TTI_ and
 * TT_. Include path: this folder and the one that contains isa/tensix.def. */
#ifndef BHEMU_GUEST_TENSIX_H
#define BHEMU_GUEST_TENSIX_H

#include "isa/each.h"

/* A store to this address pushes an instruction to the thread of the storing core. */
#define TT_INSTRN_BUF_BASE 0xFFE40000u

/* TT_OPCODE_SETC16, TT_LOW_SETC16_0 (the low bit of its first field), ... */
#define TT_LOW(op, i, name, low, width, used) TT_LOW_##op##_##i = (low),
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    enum { TENSIX_EACH(TT_LOW, name, __VA_ARGS__) TT_OPCODE_##name = (opcode) };
#include "isa/tensix.def"
#undef TT_LOW

/* The same for opcodes that are numbers, in every spelling: TT_OPCODE_0xb2, TT_LOW_0xb2_0 = 0. */
/* clang-format off */
#define TT_NUMBER(n) TT_OPCODE_##n = (n), TT_LOW_##n##_0 = 0,
#define TT_NUMBERS(n) \
    TT_NUMBER(n) TT_NUMBER(n##0) TT_NUMBER(n##1) TT_NUMBER(n##2) TT_NUMBER(n##3) TT_NUMBER(n##4) TT_NUMBER(n##5) \
    TT_NUMBER(n##6) TT_NUMBER(n##7) TT_NUMBER(n##8) TT_NUMBER(n##9) TT_NUMBER(n##a) TT_NUMBER(n##b) TT_NUMBER(n##c) \
    TT_NUMBER(n##d) TT_NUMBER(n##e) TT_NUMBER(n##f) TT_NUMBER(n##A) TT_NUMBER(n##B) TT_NUMBER(n##C) TT_NUMBER(n##D) \
    TT_NUMBER(n##E) TT_NUMBER(n##F)
enum {
    TT_NUMBERS(0x0) TT_NUMBERS(0x1) TT_NUMBERS(0x2) TT_NUMBERS(0x3) TT_NUMBERS(0x4) TT_NUMBERS(0x5) TT_NUMBERS(0x6)
    TT_NUMBERS(0x7) TT_NUMBERS(0x8) TT_NUMBERS(0x9) TT_NUMBERS(0xa) TT_NUMBERS(0xb) TT_NUMBERS(0xA) TT_NUMBERS(0xB)
};
/* clang-format on */
#undef TT_NUMBER
#undef TT_NUMBERS

#define TT_PLACE(value, low) ((unsigned)(value) << (low)&0x00FFFFFFu)

/* The word in the form that it has in the stream of RISC-V instructions. */
#define TT_ROTATE(word) ((unsigned)(word) << 2 | (unsigned)(word) >> 30)
#define TT_EMIT(word)   __asm__ volatile(".word %0" : : "i"(TT_ROTATE(word)))

/* TT_OP(name, field...) and TTI(name, field...) are constant expressions if the fields are. */
#define TTI(...)   TT_EMIT(TT_OP(__VA_ARGS__))
#define TT_OP(...) TT_OP_N(__VA_ARGS__, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)(__VA_ARGS__)
/* clang-format off */
#define TT_OP_N(op, a, b, c, d, e, f, g, h, i, j, k, l, m, n, ...) TT_ENCODE_##n
#define TT_ENCODE_0(op) ((unsigned)TT_OPCODE_##op << 24)
#define TT_ENCODE_1(op, a) \
    (TT_ENCODE_0(op) + TT_PLACE(a, TT_LOW_##op##_0))
#define TT_ENCODE_2(op, a, b) \
    (TT_ENCODE_1(op, a) + TT_PLACE(b, TT_LOW_##op##_1))
#define TT_ENCODE_3(op, a, b, c) \
    (TT_ENCODE_2(op, a, b) + TT_PLACE(c, TT_LOW_##op##_2))
#define TT_ENCODE_4(op, a, b, c, d) \
    (TT_ENCODE_3(op, a, b, c) + TT_PLACE(d, TT_LOW_##op##_3))
#define TT_ENCODE_5(op, a, b, c, d, e) \
    (TT_ENCODE_4(op, a, b, c, d) + TT_PLACE(e, TT_LOW_##op##_4))
#define TT_ENCODE_6(op, a, b, c, d, e, f) \
    (TT_ENCODE_5(op, a, b, c, d, e) + TT_PLACE(f, TT_LOW_##op##_5))
#define TT_ENCODE_7(op, a, b, c, d, e, f, g) \
    (TT_ENCODE_6(op, a, b, c, d, e, f) + TT_PLACE(g, TT_LOW_##op##_6))
#define TT_ENCODE_8(op, a, b, c, d, e, f, g, h) \
    (TT_ENCODE_7(op, a, b, c, d, e, f, g) + TT_PLACE(h, TT_LOW_##op##_7))
#define TT_ENCODE_9(op, a, b, c, d, e, f, g, h, i) \
    (TT_ENCODE_8(op, a, b, c, d, e, f, g, h) + TT_PLACE(i, TT_LOW_##op##_8))
#define TT_ENCODE_10(op, a, b, c, d, e, f, g, h, i, j) \
    (TT_ENCODE_9(op, a, b, c, d, e, f, g, h, i) + TT_PLACE(j, TT_LOW_##op##_9))
#define TT_ENCODE_11(op, a, b, c, d, e, f, g, h, i, j, k) \
    (TT_ENCODE_10(op, a, b, c, d, e, f, g, h, i, j) + TT_PLACE(k, TT_LOW_##op##_10))
#define TT_ENCODE_12(op, a, b, c, d, e, f, g, h, i, j, k, l) \
    (TT_ENCODE_11(op, a, b, c, d, e, f, g, h, i, j, k) + TT_PLACE(l, TT_LOW_##op##_11))
#define TT_ENCODE_13(op, a, b, c, d, e, f, g, h, i, j, k, l, m) \
    (TT_ENCODE_12(op, a, b, c, d, e, f, g, h, i, j, k, l) + TT_PLACE(m, TT_LOW_##op##_12))
/* clang-format on */

/* The functions. */
#define TT_INLINE __attribute__((always_inline, unused)) static inline
#ifdef __cplusplus
#define TT_CONSTANT TT_INLINE constexpr
#else
#define TT_CONSTANT TT_INLINE
#endif
extern void tt_field_reaches_the_opcode(void) __attribute__((error("a field's value reaches into the opcode")));

TT_CONSTANT unsigned tt_place(unsigned value, unsigned low) {
    if (__builtin_constant_p(value) && value >> (24 - low))
        tt_field_reaches_the_opcode();
    return TT_PLACE(value, low);
}

#define TT_PARAMETER(op, i, name, low, width, used) TENSIX_COMMA(i) unsigned name
#define TT_ARGUMENT(op, i, name, low, width, used)  TENSIX_COMMA(i) name
#define TT_ADD(op, i, name, low, width, used)       +tt_place(name, low)
#define TENSIX_OP(opcode, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    TT_CONSTANT unsigned TT_OP_##name(TENSIX_IF_NONE(void, __VA_ARGS__) \
                                          TENSIX_EACH(TT_PARAMETER, name, __VA_ARGS__)) { \
        return ((unsigned)(opcode) << 24) TENSIX_EACH(TT_ADD, name, __VA_ARGS__); \
    } \
    TT_INLINE void TTI_##name(TENSIX_IF_NONE(void, __VA_ARGS__) TENSIX_EACH(TT_PARAMETER, name, __VA_ARGS__)) { \
        TT_EMIT(TT_OP_##name(TENSIX_EACH(TT_ARGUMENT, name, __VA_ARGS__))); \
    } \
    TT_INLINE void TT_##name(TENSIX_IF_NONE(void, __VA_ARGS__) TENSIX_EACH(TT_PARAMETER, name, __VA_ARGS__)) { \
        *(volatile unsigned *)(__UINTPTR_TYPE__)TT_INSTRN_BUF_BASE = \
            TT_OP_##name(TENSIX_EACH(TT_ARGUMENT, name, __VA_ARGS__)); \
    }
#include "isa/tensix.def"
#undef TT_PARAMETER
#undef TT_ARGUMENT
#undef TT_ADD

#endif
