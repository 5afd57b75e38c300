/* src/noc/planned.c: requests that run by a plan. Each comes out as if it were the first and only one, whatever was
 * made before it. */
#include "bench.h"

#include "noc/initiator.h"
#include "support/random.h"

enum { ROUNDS = 300000, INITIATORS = 4, HEADER_STORE = 1 << 9 };

static uint64_t seed;
static struct niu_plan plan[2][INITIATORS];

static uint32_t below(uint32_t n) {
    return random_below(&seed, n);
}

static bool rarely(void) {
    return below(40) == 0;
}

static uint32_t draw_coordinates(void) {
    return rarely()   ? below(1 << 12)
           : below(3) ? (1 + below(16)) | (2 + below(10)) << 6
                      : (17 + below(2)) | (12 + below(12)) << 6;
}

static uint32_t draw_address(void) {
    static const uint32_t ends[] = { 0x180000, 0x80000, 0xFFFFFFFF, 0xFFB20000 };
    uint32_t at = rarely() ? ends[below(4)] - below(3000) : below(0x200) * 0x1000 + below(4) * 64;
    return rarely() ? at + below(64) : at;
}

static uint32_t draw_length(void) {
    static const uint32_t lengths[] = { 0, 1, 4, 16, 64, 1000, 16383, 16384, 16385, 40000 };
    return rarely() ? (uint32_t)random_next(&seed) : below(2) ? 1 + below(16384) : lengths[below(10)];
}

static uint32_t draw_control(void) {
    static const uint32_t kinds[] = { 0x2090, 0x2092, 0x2082, 0x0010, 0x0012, 0x2096, 0x209A, 0x2091, 0x80B2, 0x20D2 };
    return kinds[below(10)] ^ (rarely() ? 1u << below(32) : 0);
}

/* Most fields stay from one request to the next. */
static void draw(uint32_t *word) {
    const struct {
        unsigned word, of;
        uint32_t (*draw)(void);
    } fields[] = {
        { NIU_TARG_LO, 2, draw_address },    { NIU_RET_LO, 2, draw_address },   { NIU_TARG_HI, 3, draw_coordinates },
        { NIU_RET_HI, 3, draw_coordinates }, { NIU_AT_LEN_BE, 3, draw_length }, { NIU_CTRL, 6, draw_control },
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!below(fields[i].of))
            word[fields[i].word] = fields[i].draw();
    word[NIU_TARG_MID] = rarely();
    word[NIU_RET_MID] = rarely();
    word[NIU_AT_LEN_BE_1] = rarely();
    word[NIU_SEC_CTRL] = rarely();
    word[NIU_AT_DATA] = rarely() ? 0x18000 : below(0x200);
    if (!below(8))
        word[NIU_PACKET_TAG] = rarely() ? 1u << below(16) : below(16) << 10 | (below(3) ? 0 : HEADER_STORE);
}

struct made {
    struct noc_request request;
    unsigned packets;
    struct access access;
    char why[sizeof bench.niu.why];
};

static void make(struct made *made, const struct niu_wire *wire, unsigned initiator) {
    memset(made, 0, sizeof *made);
    bench.niu.why[0] = 0;
    made->access = request_make(&bench.niu, wire, initiator, &made->request, &made->packets);
    memcpy(made->why, bench.niu.why, sizeof made->why);
}

static void assert_same(const struct made *a, const struct made *b) {
    assert_int_equal(a->access.result, b->access.result);
    assert_string_equal(a->why, b->why);
    if (a->access.result != ACCESS_DONE)
        return;
    assert_int_equal(a->packets, b->packets);
    assert_memory_equal(&a->request, &b->request, sizeof a->request);
}

static void as_if_it_was_the_first(void **state) {
    unsigned good = 0;
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bench_init(noc);
        struct niu_wire keeps = bench.wire;
        keeps.plan = plan;
        for (unsigned i = 0; i < ROUNDS; i++) {
            struct made want, got;
            unsigned initiator = below(INITIATORS);
            bench.niu.own_tables = below(50) == 0;
            bench.niu.config[0] = bench.niu.own_tables ? 0 : ROUTE_TRANSLATE;
            draw(bench.niu.initiator[initiator]);
            make(&want, &bench.wire, initiator);
            make(&got, &keeps, initiator);
            assert_same(&want, &got);
            good += want.access.result == ACCESS_DONE;
        }
    }
    assert_in_range(good, ROUNDS / 2, 2 * ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_if_it_was_the_first) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
