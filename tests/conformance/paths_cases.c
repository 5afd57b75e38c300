/* Every operation in every format that it is for, some shapes, and what the packer can do besides. */
#include "paths_cases.h"

#include <stdio.h>
#include <string.h>

#include "kit/tile.h"

/* The enums of the kit's headers for the cores, which the host cannot include. */
enum { ADD, SUB, MUL };
enum { BY_ROWS, BY_COLUMNS, TO_SCALAR };
enum { NONE, COLUMN, ROW, SCALAR };
enum { BY_MOVA2D, BY_ELWADD, BY_SRCB, BY_DST };

struct kind {
    const char *name;
    enum tile_format in, dst, out;
    unsigned copy; /* the way for copies */
    double low, high, exact, rounded;
};

#define BITS(n) (1.0 / (1 << (n)))

/* rounded: tolerance for what is computed; exact: for what is only moved. */
static const struct kind kinds[] = {
    { "bf16", BF16, BF16, BF16, BY_MOVA2D, -4, 4, 0, BITS(7) },
    { "fp16", FP16, FP16, FP16, BY_MOVA2D, -4, 4, 0, BITS(9) },
    { "fp32", FP32, FP32, FP32, BY_DST, -4, 4, 0, BITS(9) },
    { "bfp8", BFP8, BF16, BFP8, BY_MOVA2D, -4, 4, 0, BITS(6) },
    { "int8", INT8, INT32, INT8, BY_ELWADD, -127, 127, 0, 0 },
};
enum { KINDS = sizeof kinds / sizeof *kinds, K_BF16 = 0, K_FP16, K_FP32, K_BFP8, K_INT8 };

struct list {
    struct path_case *cases;
    unsigned count;
};

static struct path_case *add(struct list *list, const struct kind *kind, unsigned operation, unsigned variant,
                             unsigned rows, unsigned columns, const char *name) {
    struct path_case *one = &list->cases[list->count++];
    *one = (struct path_case){
        .path = { .operation = operation,
                  .variant = variant,
                  .rows = rows,
                  .columns = columns,
                  .inner = 1,
                  .fidelity = 4,
                  .passes = 1,
                  .a_format = kind->in,
                  .b_format = kind->in,
                  .dst_format = kind->dst,
                  .out_format = kind->out },
        .tolerance = operation <= PATH_TRANSPOSE && operation ? kind->exact : kind->rounded,
        .low = kind->low,
        .high = kind->high,
        .seed = list->count,
    };
    snprintf(one->name, sizeof one->name, "%s %s %ux%u", name, kind->name, rows, columns);
    return one;
}

static void add_moves(struct list *list) {
    for (unsigned k = 0; k < KINDS; k++) {
        const struct kind *kind = &kinds[k];
        unsigned source = kind->copy == BY_DST ? BY_DST : BY_MOVA2D;
        add(list, kind, PATH_COPY, kind->copy, 2, 2, "copy");
        if (k != K_BFP8) {
            add(list, kind, PATH_TILIZE, source, 2, 3, "tilize");
            add(list, kind, PATH_UNTILIZE, source, 2, 3, "untilize");
        }
        struct path_case *turned =
            add(list, kind, PATH_TRANSPOSE, kind->copy == BY_DST ? BY_ELWADD : kind->copy, 2, 3, "transpose");
        if (k == K_FP32)
            turned->tolerance = BITS(10); /* by SrcA, which has TF32 */
        if (k == K_BFP8)
            turned->tolerance = BITS(6); /* blocks are others then */
    }
    for (unsigned broadcast = NONE; broadcast <= SCALAR; broadcast++)
        for (unsigned k = K_BF16; k <= K_FP16; k++) {
            static const char *const names[] = { "copy of SrcB", "copy of its column", "copy of its row",
                                                 "copy of its datum" };
            add(list, &kinds[k], PATH_COPY, BY_SRCB, 1, 2, names[broadcast])->path.broadcast = broadcast;
        }
}

static void add_eltwise(struct list *list) {
    static const char *const operations[] = { "add", "sub", "mul" };
    static const char *const broadcasts[] = { "", " column", " row", " datum" };
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned operation = ADD; operation <= MUL; operation++)
            for (unsigned broadcast = NONE; broadcast <= SCALAR; broadcast++) {
                char name[32];
                if (broadcast != NONE && operation != (k + broadcast) % 3)
                    continue; /* one operation for each broadcast and kind */
                snprintf(name, sizeof name, "%s%s", operations[operation], broadcasts[broadcast]);
                struct path_case *one = add(list, &kinds[k], PATH_ELTWISE, operation, 2, 2, name);
                one->path.broadcast = broadcast;
                if (operation == MUL)
                    one->tolerance *= 2; /* SrcA's last bit does not count, and phases are rounded one by one */
                if (k == K_INT8)
                    one->low = -11, one->high = 11; /* products fit into eight bits, if just */
            }
}

static void add_reductions(struct list *list) {
    static const char *const names[2][3] = { { "sums of rows", "sums of columns", "sum" },
                                             { "maxima of rows", "maxima of columns", "maximum" } };
    for (unsigned k = 0; k < K_INT8; k++)
        for (unsigned maximum = 0; maximum < 2; maximum++)
            for (unsigned variant = BY_ROWS; variant <= TO_SCALAR; variant++) {
                struct path_case *one = add(list, &kinds[k], PATH_REDUCE, variant, 2, 3, names[maximum][variant]);
                one->path.maximum = maximum;
                one->refused = maximum && k == K_FP16;
                if (maximum && k != K_FP32)
                    one->tolerance = k == K_BFP8 ? BITS(6) : 0;
            }
    add(list, &kinds[K_INT8], PATH_REDUCE, BY_COLUMNS, 2, 3, names[0][BY_COLUMNS])->path.out_format = INT32;
    add(list, &kinds[K_INT8], PATH_ROW_SUMS, 0, 2, 3, "sums of rows by a product")->path.out_format = INT32;
    add(list, &kinds[K_BF16], PATH_ROW_SUMS, 0, 2, 3, "sums of rows by a product");
}

static void add_matmuls(struct list *list) {
    static const struct { unsigned rows, inner, columns; } shapes[] = { { 1, 1, 1 }, { 2, 3, 2 }, { 4, 5, 4 } };
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned s = 0; s < (k == K_BF16 ? 3 : 2); s++) {
            char name[32];
            snprintf(name, sizeof name, "matmul by %u", shapes[s].inner);
            struct path_case *one = add(list, &kinds[k], PATH_MATMUL, 0, shapes[s].rows, shapes[s].columns, name);
            one->path.inner = shapes[s].inner;
            if (k == K_INT8)
                one->path.out_format = INT32;
        }
    for (unsigned fidelity = 1; fidelity < 4; fidelity++) {
        char name[32];
        snprintf(name, sizeof name, "matmul, %u phases", fidelity);
        struct path_case *one = add(list, &kinds[K_BF16], PATH_MATMUL, 0, 1, 1, name);
        one->path.inner = 2;
        one->path.fidelity = fidelity;
        one->tolerance = fidelity == 1 ? BITS(4) : BITS(6);
    }
}

static void add_functions(struct list *list) {
    for (unsigned k = 0; k <= K_BFP8; k++) {
        struct path_case *gelu = add(list, &kinds[k], PATH_SFPU, 0, 1, 2, "gelu");
        struct path_case *exponential = add(list, &kinds[k], PATH_SFPU, 1, 1, 2, "exp");
        gelu->low = -8, gelu->high = 8;
        gelu->refused = exponential->refused = k == K_FP16;
        if (k == K_FP32) /* by SrcA, which has TF32 */
            gelu->tolerance = exponential->tolerance = BITS(7);
    }
}

/* The packer's operation. */
static void add_pack_modes(struct list *list) {
    static const struct kind mixed[] = {
        { "bf16 as fp32", BF16, BF16, FP32, BY_MOVA2D, -4, 4, 0, 0 },
        { "fp16 as fp32", FP16, FP16, FP32, BY_MOVA2D, -4, 4, 0, 0 },
        { "fp16 as bf16", FP16, FP16, BF16, BY_MOVA2D, -4, 4, BITS(7), 0 },
        { "bf16 as bfp8", BF16, BF16, BFP8, BY_MOVA2D, -4, 4, BITS(6), 0 },
        { "fp32 as bf16", FP32, FP32, BF16, BY_DST, -4, 4, BITS(8), 0 },
        { "fp32 as fp16", FP32, FP32, FP16, BY_DST, -4, 4, BITS(11), 0 },
        { "fp32 as bfp8", FP32, FP32, BFP8, BY_DST, -4, 4, BITS(6), 0 },
        { "int32", INT32, INT32, INT32, BY_DST, -100000, 100000, 0, 0 },
        { "bfp8 as bf16", BFP8, BF16, BF16, BY_MOVA2D, -4, 4, BITS(7), 0 },
    };
    for (unsigned i = 0; i < sizeof mixed / sizeof *mixed; i++)
        add(list, &mixed[i], PATH_COPY, mixed[i].copy, 1, 2, "copy");
    add(list, &mixed[3], PATH_TILIZE, BY_MOVA2D, 2, 2, "tilize");
    add(list, &mixed[8], PATH_UNTILIZE, BY_MOVA2D, 2, 2, "untilize");
    for (unsigned relu = 1; relu <= 3; relu++) {
        static const char *const names[] = { "", "relu", "relu from a minimum", "relu to a maximum" };
        for (unsigned k = K_BF16; k <= K_FP32; k++) {
            struct path_case *one = add(list, &kinds[k], PATH_COPY, kinds[k].copy, 1, 1, names[relu]);
            one->path.relu = relu;
            one->path.threshold = 0x4000;                            /* 2, in all three */
            one->tolerance = k == K_FP32 && relu == 3 ? BITS(9) : 0; /* the lower 13 bits do not count */
        }
    }
    for (unsigned k = K_BF16; k <= K_FP32; k++) {
        struct path_case *one = add(list, &kinds[k], PATH_ELTWISE, ADD, 1, 2, "add, three times in L1");
        one->path.passes = 3;
    }
}

unsigned path_cases(struct path_case cases[PATH_CASES]) {
    struct list list = { cases, 0 };
    add_moves(&list);
    add_eltwise(&list);
    add_reductions(&list);
    add_matmuls(&list);
    add_functions(&list);
    add_pack_modes(&list);
    return list.count;
}
