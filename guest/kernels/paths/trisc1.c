/* T1: math. Goes through the tiles in the order of T0. */
#include "kit/math.h"
#include "kit/sfpu.h"
#include "path.h"

static void load(const struct path *p) {
    unsigned adding = p->variant == 1 || format_is_integer(p->a_format);
    switch (p->operation) {
    case PATH_ELTWISE: eltwise_init(p->variant, p->broadcast, p->fidelity); break;
    case PATH_REDUCE: reduce_init(p->variant, p->maximum, p->fidelity); break;
    case PATH_ROW_SUMS:
    case PATH_MATMUL: matmul_init(p->fidelity); break;
    default:
        if (p->variant == 2)
            copy_b_init(p->broadcast);
        else if (adding)
            copy_by_adding_init(p->operation == PATH_TRANSPOSE);
        else
            copy_init(p->operation == PATH_TRANSPOSE);
    }
}

/* Processes tiles one after another, `together` of them in a half of Dst. */
static void each_tile(unsigned count, unsigned together) {
    for (unsigned tile = 0; tile < count; tile += together) {
        math_wait_for_dst();
        for (unsigned i = 0; i < together; i++)
            math_run(i);
        math_dst_done();
    }
}

/* Passes on halves of Dst in which T0 has done the work. */
static void each_half(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        math_wait_for_dst();
        math_lend_dst();
        math_take_dst();
        math_dst_done();
    }
}

/* Adds `inputs` tiles up to one. */
static void each_sum(unsigned outputs, unsigned inputs) {
    for (unsigned out = 0; out < outputs; out++) {
        math_wait_for_dst();
        for (unsigned i = 0; i < inputs; i++)
            math_run(0);
        math_dst_done();
    }
}

static void each_reduction(unsigned outputs, unsigned inputs) {
    for (unsigned out = 0; out < outputs; out++) {
        math_wait_for_dst();
        for (unsigned i = 0; i < inputs; i++) {
            math_run(0);
            if (i + 1 < inputs)
                reduce_next();
        }
        reduce_done();
        math_dst_done();
    }
}

/* Applies a function. The program alternates between those of the two units. */
static void each_function(const struct path *p, unsigned count) {
    for (unsigned tile = 0; tile < count; tile++) {
        copy_init(0);
        math_wait_for_dst();
        math_run(0);
        if (p->variant == 0)
            gelu_init(p->dst_format);
        else
            exp_init(p->dst_format);
        sfpu_run(0);
        math_dst_done();
    }
}

static void run(const struct path *p) {
    unsigned tiles = p->rows * p->columns, together = p->operation == PATH_UNTILIZE ? p->columns : 1;
    if (p->operation == PATH_SFPU)
        each_function(p, tiles);
    else if (p->variant == 3)
        each_half(tiles / together);
    else if (p->operation == PATH_MATMUL)
        each_sum(tiles, p->inner);
    else if (p->operation == PATH_ROW_SUMS)
        each_sum(p->rows, p->columns);
    else if (p->operation == PATH_REDUCE && p->variant == REDUCE_ROWS)
        each_reduction(p->rows, p->columns);
    else if (p->operation == PATH_REDUCE && p->variant == REDUCE_COLUMNS)
        each_reduction(p->columns, p->rows);
    else if (p->operation == PATH_REDUCE)
        each_reduction(1, tiles);
    else
        each_tile(tiles, together);
}

int main(void) {
    const struct path *p = (const struct path *)PATH_AT;
    math_init(p->dst_format == FP32, p->dst_format == INT32 && p->a_format == INT8);
    if (p->variant != 3)
        load(p);
    for (unsigned pass = 0; pass < p->passes; pass++)
        run(p);
    tensix_sync();
    ((volatile uint32_t *)GUEST_SHARED)[1] = 1;
    for (;;)
        ;
}
