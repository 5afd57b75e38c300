/* The expected output of a path, computed on the host from its input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "paths_cases.h"

struct tensor tensor_make(unsigned rows, unsigned columns) {
    struct tensor tensor = { rows, columns, calloc((size_t)rows * columns, sizeof(double)) };
    if (!tensor.value) {
        perror("calloc");
        exit(3);
    }
    return tensor;
}

void tensor_free(struct tensor *tensor) {
    free(tensor->value);
    tensor->value = NULL;
}

static double *at(const struct tensor *tensor, unsigned row, unsigned column) {
    return &tensor->value[(size_t)row * tensor->columns + column];
}

bool path_is_plain(const struct path *path, bool output) {
    return path->operation == (output ? PATH_UNTILIZE : PATH_TILIZE);
}

struct tensor path_output_shape(const struct path *path) {
    struct tensor shape = { path->rows * 32, path->columns * 32, NULL };
    bool reduces = path->operation == PATH_REDUCE;
    if (path->operation == PATH_TRANSPOSE)
        shape = (struct tensor){ path->columns * 32, path->rows * 32, NULL };
    if (path->operation == PATH_ROW_SUMS || (reduces && path->variant != 1))
        shape.columns = 32;
    if (reduces && path->variant != 0)
        shape.rows = 32;
    return shape;
}

/* The second operand: a tensor, the factors of pools, or a column of ones. */
static struct tensor second_operand(const struct path *path) {
    if (path->operation == PATH_MATMUL)
        return tensor_make(path->inner * 32, path->columns * 32);
    if (path->operation != PATH_REDUCE && path->operation != PATH_ROW_SUMS)
        return tensor_make(path->rows * 32, path->columns * 32);
    struct tensor ones = tensor_make(32, 32);
    for (unsigned i = 0; i < (path->operation == PATH_REDUCE ? 16 : 32); i++)
        *(path->operation == PATH_REDUCE ? at(&ones, 0, i) : at(&ones, i, 0)) = 1;
    return ones;
}

static void fill(struct tensor *tensor, const struct path_case *one, uint64_t *state) {
    bool whole = format_is_integer((enum tile_format)one->path.a_format);
    for (size_t i = 0; i < (size_t)tensor->rows * tensor->columns; i++) {
        double unit = draw_next(state) / 4294967296.0;
        double value = one->low + (one->high - one->low) * unit;
        tensor->value[i] = whole ? nearbyint(value) : value;
    }
}

/* ---- Results: what, and of which size the numbers were that went into it ------------------------------------ */

static void unary(const struct path *path, const struct tensor *a, struct tensor *want, struct tensor *scale) {
    for (unsigned row = 0; row < a->rows; row++)
        for (unsigned column = 0; column < a->columns; column++) {
            unsigned from_row = path->broadcast & 2 ? row & ~31u : row;
            unsigned from_column = path->broadcast & 1 ? column & ~31u : column;
            double x = *at(a, from_row, from_column), y = x, size = fabs(x);
            if (path->operation == PATH_SFPU) {
                y = path->variant ? exp(x) : x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
                size = path->variant ? y * (1 + fabs(x)) : size;
            }
            bool turned = path->operation == PATH_TRANSPOSE;
            *(turned ? at(want, column, row) : at(want, row, column)) = y;
            *(turned ? at(scale, column, row) : at(scale, row, column)) = size;
        }
}

static void binary(const struct path *path, const struct tensor *a, const struct tensor *b, struct tensor *want,
                   struct tensor *scale) {
    double lost = path->dst_format == FP16 ? 1.0 / 16 : 0; /* parts of products that are too small for FP16 */
    for (unsigned row = 0; row < a->rows; row++)
        for (unsigned column = 0; column < a->columns; column++) {
            double x = *at(a, row, column);
            double y = *at(b, path->broadcast & 2 ? row & ~31u : row, path->broadcast & 1 ? column & ~31u : column);
            *at(want, row, column) = path->variant == 0 ? x + y : path->variant == 1 ? x - y : x * y;
            *at(scale, row, column) = path->variant == 2 ? fabs(x * y) + lost : fabs(x) + fabs(y);
        }
}

static void reduce(const struct path *path, const struct tensor *a, struct tensor *want, struct tensor *scale) {
    bool by_rows = path->variant == 0 || path->operation == PATH_ROW_SUMS, by_columns = path->variant == 1 && !by_rows;
    for (unsigned row = 0; row < a->rows; row++)
        for (unsigned column = 0; column < a->columns; column++) {
            unsigned to_row = by_rows ? row : 0, to_column = by_columns ? column : 0;
            double x = *at(a, row, column), *to = at(want, to_row, to_column);
            bool first = (by_rows || row == 0) && (by_columns || column == 0);
            if (path->maximum)
                *to = first || x > *to ? x : *to;
            else
                *to += x;
            *at(scale, to_row, to_column) += fabs(x);
        }
}

static void matmul(const struct tensor *a, const struct tensor *b, struct tensor *want, struct tensor *scale) {
    for (unsigned row = 0; row < a->rows; row++)
        for (unsigned k = 0; k < a->columns; k++)
            for (unsigned column = 0; column < b->columns; column++) {
                double product = *at(a, row, k) * *at(b, k, column);
                *at(want, row, column) += product;
                *at(scale, row, column) += fabs(product);
            }
}

static void compute(const struct path *path, const struct tensor *a, const struct tensor *b, struct tensor *want,
                    struct tensor *scale) {
    switch (path->operation) {
    case PATH_ELTWISE: binary(path, a, b, want, scale); break;
    case PATH_REDUCE:
    case PATH_ROW_SUMS: reduce(path, a, want, scale); break;
    case PATH_MATMUL: matmul(a, b, want, scale); break;
    default: unary(path, a, want, scale); break;
    }
}

/* ReLU with a threshold of 2, several passes, clamped bytes. */
static void after_math(const struct path *path, struct tensor *want, struct tensor *scale) {
    for (size_t i = 0; i < (size_t)want->rows * want->columns; i++) {
        double x = want->value[i];
        if (path->relu && (x < 0 || (path->relu == 2 && x <= 2)))
            x = 0;
        if (path->relu == 3 && x > 2)
            x = 2;
        if (path->out_format == INT8)
            x = fmax(fmin(x, 127), -127);
        want->value[i] = x * path->passes;
        scale->value[i] *= path->passes;
    }
}

/* In a block the largest one sets the step of all. */
static void spread_over_blocks(struct tensor *scale) {
    for (size_t i = 0; i < (size_t)scale->rows * scale->columns; i += 16) {
        double largest = 0;
        for (unsigned j = 0; j < 16; j++)
            largest = fmax(largest, scale->value[i + j]);
        for (unsigned j = 0; j < 16; j++)
            scale->value[i + j] = largest;
    }
}

/* ---- The image in L1 ------------------------------------------------------------------------------------------ */

/* Encodes an operand, and takes what its format made of it as what it is. */
static uint8_t *encode(struct tensor *tensor, enum tile_format format, bool plain, size_t *size) {
    *size = numbers_size(tensor, format);
    uint8_t *bytes = calloc(1, *size);
    if (!bytes) {
        perror("calloc");
        exit(3);
    }
    numbers_encode(tensor, format, plain, bytes);
    numbers_decode(tensor, format, plain, bytes);
    return bytes;
}

static void make_wild(uint8_t *bytes, size_t size, uint64_t *state) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)draw_next(state);
}

static uint32_t align(size_t address) {
    return (uint32_t)((address + 255) & ~(size_t)255);
}

void path_image_make(struct path_case *one, struct path_image *image, struct tensor *want, struct tensor *scale) {
    struct path *path = &one->path;
    struct tensor shape = path_output_shape(path);
    uint64_t state = one->seed;
    struct tensor a = tensor_make(path->rows * 32, (path->operation == PATH_MATMUL ? path->inner : path->columns) * 32);
    struct tensor b = second_operand(path);
    fill(&a, one, &state);
    if (path->operation == PATH_ELTWISE || path->operation == PATH_MATMUL)
        fill(&b, one, &state);
    image->a = encode(&a, (enum tile_format)path->a_format, path_is_plain(path, false), &image->a_size);
    image->b = encode(&b, (enum tile_format)path->b_format, false, &image->b_size);
    if (one->wild)
        make_wild(image->a, image->a_size, &state);
    if (one->wild && (path->operation == PATH_ELTWISE || path->operation == PATH_MATMUL))
        make_wild(image->b, image->b_size, &state);
    image->out_size = numbers_size(&shape, (enum tile_format)path->out_format);
    path->a = PATH_DATA;
    path->b = align(path->a + image->a_size);
    path->out = align(path->b + image->b_size);
    *want = tensor_make(shape.rows, shape.columns);
    *scale = tensor_make(shape.rows, shape.columns);
    compute(path, &a, &b, want, scale);
    after_math(path, want, scale);
    if (format_is_block((enum tile_format)path->out_format))
        spread_over_blocks(scale);
    tensor_free(&a);
    tensor_free(&b);
}

void path_image_free(struct path_image *image) {
    free(image->a);
    free(image->b);
}

unsigned path_check(const struct path_case *one, const struct tensor *want, const struct tensor *scale,
                    const uint8_t *bytes, char *text, size_t size) {
    struct tensor got = tensor_make(want->rows, want->columns);
    unsigned off = 0;
    numbers_decode(&got, (enum tile_format)one->path.out_format, path_is_plain(&one->path, true), bytes);
    for (size_t i = 0; i < (size_t)want->rows * want->columns; i++) {
        if (fabs(got.value[i] - want->value[i]) <= one->tolerance * scale->value[i])
            continue;
        if (off++ == 0)
            snprintf(text, size, "row %zu column %zu is %.9g, should be %.9g", i / want->columns, i % want->columns,
                     got.value[i], want->value[i]);
    }
    tensor_free(&got);
    return off;
}
