/* TENSIX_EACH(F, op, count, field...) expands to F(op, position, name, low, width, used) for each field of a row of
 * tensix.def. A wrong count does not compile. The C preprocessor has no loops, hence a macro for each count. */
#ifndef ISA_EACH_H
#define ISA_EACH_H

#define TENSIX_FIELDS_MAX 13

/* clang-format off */
#define TENSIX_EACH(F, op, ...)          TENSIX_EACH_N(F, op, __VA_ARGS__, ~)
#define TENSIX_EACH_N(F, op, count, ...) TENSIX_EACH_##count(F, op, __VA_ARGS__)
#define TENSIX_EACH_F(F, op, i, field)   TENSIX_EACH_A(F, op, i, TENSIX_EACH_U field)
#define TENSIX_EACH_A(F, op, i, ...)     F(op, i, __VA_ARGS__)
#define TENSIX_EACH_U(name, low, width, used) name, low, width, used
#define TENSIX_EACH_0(F, op, end)
#define TENSIX_EACH_1(F, op, a, end) \
    TENSIX_EACH_F(F, op, 0, a)
#define TENSIX_EACH_2(F, op, a, b, end) \
    TENSIX_EACH_1(F, op, a, end) TENSIX_EACH_F(F, op, 1, b)
#define TENSIX_EACH_3(F, op, a, b, c, end) \
    TENSIX_EACH_2(F, op, a, b, end) TENSIX_EACH_F(F, op, 2, c)
#define TENSIX_EACH_4(F, op, a, b, c, d, end) \
    TENSIX_EACH_3(F, op, a, b, c, end) TENSIX_EACH_F(F, op, 3, d)
#define TENSIX_EACH_5(F, op, a, b, c, d, e, end) \
    TENSIX_EACH_4(F, op, a, b, c, d, end) TENSIX_EACH_F(F, op, 4, e)
#define TENSIX_EACH_6(F, op, a, b, c, d, e, f, end) \
    TENSIX_EACH_5(F, op, a, b, c, d, e, end) TENSIX_EACH_F(F, op, 5, f)
#define TENSIX_EACH_7(F, op, a, b, c, d, e, f, g, end) \
    TENSIX_EACH_6(F, op, a, b, c, d, e, f, end) TENSIX_EACH_F(F, op, 6, g)
#define TENSIX_EACH_8(F, op, a, b, c, d, e, f, g, h, end) \
    TENSIX_EACH_7(F, op, a, b, c, d, e, f, g, end) TENSIX_EACH_F(F, op, 7, h)
#define TENSIX_EACH_9(F, op, a, b, c, d, e, f, g, h, i, end) \
    TENSIX_EACH_8(F, op, a, b, c, d, e, f, g, h, end) TENSIX_EACH_F(F, op, 8, i)
#define TENSIX_EACH_10(F, op, a, b, c, d, e, f, g, h, i, j, end) \
    TENSIX_EACH_9(F, op, a, b, c, d, e, f, g, h, i, end) TENSIX_EACH_F(F, op, 9, j)
#define TENSIX_EACH_11(F, op, a, b, c, d, e, f, g, h, i, j, k, end) \
    TENSIX_EACH_10(F, op, a, b, c, d, e, f, g, h, i, j, end) TENSIX_EACH_F(F, op, 10, k)
#define TENSIX_EACH_12(F, op, a, b, c, d, e, f, g, h, i, j, k, l, end) \
    TENSIX_EACH_11(F, op, a, b, c, d, e, f, g, h, i, j, k, end) TENSIX_EACH_F(F, op, 11, l)
#define TENSIX_EACH_13(F, op, a, b, c, d, e, f, g, h, i, j, k, l, m, end) \
    TENSIX_EACH_12(F, op, a, b, c, d, e, f, g, h, i, j, k, l, end) TENSIX_EACH_F(F, op, 12, m)

/* Expands to the number of fields of a row. */
#define TENSIX_COUNT(...)          TENSIX_COUNT_N(__VA_ARGS__, ~)
#define TENSIX_COUNT_N(count, ...) count

/* A comma before every field except the first, for lists. */
#define TENSIX_COMMA(i) TENSIX_COMMA_##i
#define TENSIX_COMMA_0
#define TENSIX_COMMA_1 ,
#define TENSIX_COMMA_2 ,
#define TENSIX_COMMA_3 ,
#define TENSIX_COMMA_4 ,
#define TENSIX_COMMA_5 ,
#define TENSIX_COMMA_6 ,
#define TENSIX_COMMA_7 ,
#define TENSIX_COMMA_8 ,
#define TENSIX_COMMA_9 ,
#define TENSIX_COMMA_10 ,
#define TENSIX_COMMA_11 ,
#define TENSIX_COMMA_12 ,

/* Expands to text if the row has no fields. C has no empty structs, and requires (void) for no parameters. */
#define TENSIX_IF_NONE(text, ...)           TENSIX_IF_NONE_N(text, __VA_ARGS__, ~)
#define TENSIX_IF_NONE_N(text, count, ...)  TENSIX_IF_NONE_##count(text)
#define TENSIX_IF_NONE_0(text) text
#define TENSIX_IF_NONE_1(text)
#define TENSIX_IF_NONE_2(text)
#define TENSIX_IF_NONE_3(text)
#define TENSIX_IF_NONE_4(text)
#define TENSIX_IF_NONE_5(text)
#define TENSIX_IF_NONE_6(text)
#define TENSIX_IF_NONE_7(text)
#define TENSIX_IF_NONE_8(text)
#define TENSIX_IF_NONE_9(text)
#define TENSIX_IF_NONE_10(text)
#define TENSIX_IF_NONE_11(text)
#define TENSIX_IF_NONE_12(text)
#define TENSIX_IF_NONE_13(text)
/* clang-format on */

#endif
