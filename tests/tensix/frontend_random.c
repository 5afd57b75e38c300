/* Random streams through the frontend against a model that goes cycle by cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "frontend_reference.h"
#include "frontend_words.h"
#include "support/random.h"

enum { CYCLES = 3000, RUNS = 1200 };

static unsigned below(uint64_t *state, unsigned n) {
    return (unsigned)(random_next(state) % n);
}

/* The actions of a cycle, and the state at its beginning. */
struct moment {
    uint32_t word[4], brisc, config;
    uint8_t count, config_at;
    bool gate_open, brisc_pushes, brisc_fits, config_written;
    bool mop_busy, full, blank, idle;
    uint16_t resources;
    unsigned in_flight, lost;
};

struct pass {
    struct ref_word word;
    uint64_t time;
};

struct trace {
    struct moment at[CYCLES];
    struct pass pass[CYCLES];
    unsigned passes;
};

static uint32_t random_replay(uint64_t *r) {
    return replay(below(r, 32), below(r, 8) ? below(r, 6) + 1 : below(r, 64), below(r, 3) == 0, below(r, 2));
}

static uint32_t random_declaration(uint64_t *r) {
    return (uint32_t)TENSIX_RESOURCEDECL << 24 | below(r, 1 << 13) << 4 | below(r, 16);
}

static uint32_t random_word(uint64_t *r) {
    static const uint8_t some[] = { TENSIX_NOP, TENSIX_ADDDMAREG, TENSIX_UNPACR, TENSIX_WRCFG, TENSIX_LOADREG };
    switch (below(r, 16)) {
    case 0: return random_replay(r);
    case 1: return (uint32_t)TENSIX_MOP_CFG << 24 | below(r, 65536);
    case 2: return mop_list(below(r, 4) ? below(r, 6) + 1 : 40, below(r, 65536));
    case 3: return 0x01800000u | (below(r, 4) ? 0 : below(r, 4) << 10 | below(r, 4));
    case 4: return below(r, 3) ? plain(0) : random_declaration(r);
    case 5: return (uint32_t)TENSIX_SETC16 << 24 | below(r, 2);
    case 6:
    case 7: return (uint32_t)some[below(r, sizeof some)] << 24 | below(r, 65536);
    default: return plain(below(r, 65536));
    }
}

static uint32_t random_config(uint64_t *r, unsigned index) {
    if (index < 2)
        return below(r, 4);
    switch (below(r, 8)) {
    case 0:
    case 1: return (uint32_t)TENSIX_NOP << 24;
    case 2: return random_replay(r);
    case 3: return below(r, 4) ? plain(index) : random_declaration(r);
    default: return plain(index);
    }
}

/* How a stream is: rates in per mille of cycles. */
struct manner {
    unsigned pushes, gate_opens, gate_stays, brisc, writes;
    unsigned dull; /* in per mille of words: plain ones, whatever else there may be */
};

static void decide(struct ref *r, struct moment *m, const struct manner *how, bool was_open, uint64_t *random) {
    unsigned rate = was_open ? 1000 - how->gate_stays : how->gate_opens;
    m->gate_open = was_open ^ (below(random, 1000) < rate);
    if (r->in_flight <= FRONTEND_ACCEPTS && below(random, 1000) < how->pushes) {
        m->count = (uint8_t)(1 + below(random, 4));
        for (unsigned i = 0; i < m->count; i++)
            m->word[i] = below(random, 1000) < how->dull ? plain(below(random, 65536)) : random_word(random);
    }
    if (below(random, 1000) < how->brisc) {
        m->brisc_pushes = true;
        m->brisc_fits = r->middle.count < FRONTEND_MIDDLE;
        m->brisc = random_word(random);
    }
    if (below(random, 1000) < how->writes) {
        m->config_written = true;
        m->config_at = (uint8_t)below(random, MOP_WORDS);
        m->config = random_config(random, m->config_at);
    }
}

static void observe(const struct ref *r, struct moment *m) {
    m->mop_busy = ref_mop_busy(r);
    m->full = r->middle.count == FRONTEND_MIDDLE;
    m->blank = r->middle.count == 0;
    m->idle = ref_empty(r);
    m->in_flight = r->in_flight;
    m->lost = r->lost;
    m->resources = ref_resources(r);
}

static void record(struct trace *t, const uint32_t *config, const struct manner *how, uint64_t *random) {
    struct ref *r = calloc(1, sizeof *r);
    bool open = true;
    ttsync_init(&r->ttsync);
    memcpy(r->mop.config, config, sizeof r->mop.config);
    for (uint64_t now = 1; now < CYCLES; now++) {
        struct moment *m = &t->at[now];
        observe(r, m);
        decide(r, m, how, open, random);
        open = m->gate_open;
        if (m->config_written)
            r->mop.config[m->config_at] = m->config;
        r->ttsync.requests = (uint16_t)now;
        ref_push(r, m->word, m->count, tracked, now);
        if (m->brisc_pushes && m->brisc_fits) {
            r->brisc = true;
            r->brisc_word = (struct ref_word){ .word = m->brisc };
        }
        struct pass *pass = &t->pass[t->passes];
        pass->time = now;
        if (ref_cycle(r, open, now, &pass->word))
            t->passes++;
    }
    free(r);
}

static void check(struct frontend *f, const struct moment *m, uint64_t now) {
    frontend_advance(f, now);
    if (f->in_flight != m->in_flight || f->lost != m->lost || frontend_mop_busy(f) != m->mop_busy ||
        frontend_middle_full(f) != m->full || !f->middle_count != m->blank || frontend_empty(f) != m->idle ||
        frontend_resources(f) != m->resources)
        fail_msg("cycle %lu: in flight %u (%u), lost %u (%u), MOP busy %d (%d), full %d (%d), empty %d (%d), idle %d "
                 "(%d), resources 0x%04x (0x%04x)",
                 (unsigned long)now, f->in_flight, m->in_flight, f->lost, m->lost, frontend_mop_busy(f), m->mop_busy,
                 frontend_middle_full(f), m->full, !f->middle_count, m->blank, frontend_empty(f), m->idle,
                 frontend_resources(f), m->resources);
}

/* Everything that passes before `until`. */
static unsigned pass_until(struct frontend *f, const struct trace *t, unsigned done, uint64_t from, uint64_t until) {
    for (uint64_t now = from; now < until; now++) {
        const struct frontend_word *head = frontend_head(f, until);
        const struct pass *pass = &t->pass[done];
        if (!head)
            return done;
        if (frontend_ready(f) > now || !t->at[now].gate_open)
            continue;
        if (done >= t->passes || head->word != pass->word.word || frontend_ready(f) != pass->word.arrived ||
            now != pass->time || head->resources != pass->word.resources || head->request != pass->word.request ||
            head->tracked != (pass->word.parent != REF_NO_PARENT))
            fail_msg("word %u: 0x%08x (0x%08x) at the gate in %lu (%lu), passes in %lu (%lu)", done, head->word,
                     pass->word.word, (unsigned long)frontend_ready(f), (unsigned long)pass->word.arrived,
                     (unsigned long)now, (unsigned long)pass->time);
        frontend_pop(f, now);
        done++;
    }
    return done;
}

/* The actions of cores in a cycle. Their order does not matter. */
static void act(struct frontend *f, const struct moment *m, uint64_t now, bool swapped) {
    f->ttsync.requests = (uint16_t)now;
    if (m->count && !swapped)
        frontend_push(f, m->word, m->count, 0, now, tracked);
    if (m->config_written || m->brisc_pushes)
        frontend_advance(f, now);
    if (m->config_written)
        frontend_configure_mop(f, m->config_at, m->config);
    if (m->brisc_pushes)
        assert_int_equal(frontend_push_after_mop(f, m->brisc, 0, now), m->brisc_fits);
    if (m->count && swapped)
        frontend_push(f, m->word, m->count, 0, now, tracked);
}

/* Plays the trace; looks one cycle in `every`, and brings nothing forward in between unless something happens. */
static void compare(const struct trace *t, const uint32_t *config, unsigned every, uint64_t *random) {
    struct frontend *f = create();
    unsigned done = 0;
    uint64_t from = 1;
    for (unsigned i = 0; i < MOP_WORDS; i++)
        frontend_configure_mop(f, i, config[i]);
    for (uint64_t now = 1; now < CYCLES; now++) {
        const struct moment *m = &t->at[now];
        bool looks = below(random, every) == 0;
        if (!m->count && !m->config_written && !m->brisc_pushes && !looks)
            continue;
        done = pass_until(f, t, done, from, now);
        from = now;
        if (looks)
            check(f, m, now);
        act(f, m, now, below(random, 2));
    }
    done = pass_until(f, t, done, from, CYCLES);
    assert_int_equal(done, t->passes);
    free(f);
}

static const struct manner manners[] = {
    { .pushes = 1000, .gate_opens = 1000, .gate_stays = 1000 },
    { .pushes = 300, .gate_opens = 1000, .gate_stays = 1000 },
    { .pushes = 1000, .gate_opens = 50, .gate_stays = 950 },
    { .pushes = 200, .gate_opens = 20, .gate_stays = 990 },
    { .pushes = 1000, .gate_opens = 300, .gate_stays = 300, .writes = 30 },
    { .pushes = 500, .gate_opens = 100, .gate_stays = 950, .brisc = 50, .writes = 10 },
    { .pushes = 50, .gate_opens = 200, .gate_stays = 900, .brisc = 200 },
    { .pushes = 1000, .gate_opens = 20, .gate_stays = 980, .brisc = 500, .writes = 100 },
    { .pushes = 1000, .gate_opens = 900, .gate_stays = 980, .dull = 1000 },
    { .pushes = 400, .gate_opens = 900, .gate_stays = 900, .dull = 1000 },
    { .pushes = 1000, .gate_opens = 500, .gate_stays = 950, .dull = 990 },
    { .pushes = 500, .gate_opens = 700, .gate_stays = 800, .dull = 995, .brisc = 3 },
};

static void test_random_streams(void **state) {
    struct trace *t = malloc(sizeof *t);
    unsigned passes = 0, lost = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        uint64_t random = run * 0x1234567;
        uint32_t config[MOP_WORDS];
        memset(t, 0, sizeof *t);
        for (unsigned i = 0; i < MOP_WORDS; i++)
            config[i] = random_config(&random, i);
        record(t, config, &manners[run % (sizeof manners / sizeof manners[0])], &random);
        compare(t, config, 1, &random);
        compare(t, config, 10, &random);
        compare(t, config, 1000, &random);
        passes += t->passes;
        lost += t->at[CYCLES - 1].lost;
    }
    assert_true(passes > 100000 && lost > 1000); /* or it has looked at nothing */
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
