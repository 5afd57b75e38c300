/* src/chip/departures.c: packets leave by time and order, wherever they wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "chip/departures.h"

enum { MOST = 4096 };

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*seed >> 33) % below);
}

static int by_time(const void *left, const void *right) {
    const struct arrival *a = left, *b = right;
    return arrival_earlier(a, b) ? -1 : arrival_earlier(b, a);
}

/* The packets that wait, sorted by hand. */
struct model {
    struct arrival list[MOST];
    uint32_t count;
};

static void put(struct departures *list, struct model *model, uint64_t time, uint64_t order) {
    const struct arrival sent = { .time = time, .order = order, .block = (uint32_t)order };
    assert_true(departures_put(list, &sent));
    model->list[model->count++] = sent;
    qsort(model->list, model->count, sizeof *model->list, by_time);
}

/* Takes all packets before `until`, and keeps some of them. */
static void compare_until(struct departures *list, struct model *model, uint64_t until, uint64_t *seed) {
    const struct arrival *sent;
    uint32_t at = 0, kept = 0;
    for (; (sent = departures_next(list, until)) != NULL; at++) {
        assert_true(at < model->count);
        assert_int_equal(sent->time, model->list[at].time);
        assert_int_equal(sent->order, model->list[at].order);
        assert_int_equal(sent->block, model->list[at].block);
        if (draw(seed, 3))
            continue;
        assert_true(departures_keep(list, sent));
        model->list[kept++] = model->list[at];
    }
    assert_true(at == model->count || model->list[at].time >= until);
    for (uint32_t i = at; i < model->count; i++)
        model->list[kept + i - at] = model->list[i];
    model->count -= at - kept;
    assert_int_equal(departures_count(list), model->count);
    departures_begin(list, until);
    assert_int_equal(departures_count(list), model->count);
    assert_int_equal(departures_due(list), model->count ? model->list[0].time : UINT64_MAX);
}

/* Of a random mix of packets: near ones, ones beyond the calendar, ones that are late, and ones that are kept. */
static void packets_leave_in_order(void **state) {
    static struct model model;
    struct departures list = { 0 };
    uint64_t seed = 1, order = 0, time = 1000;
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        for (unsigned i = draw(&seed, 12); i && model.count < MOST; i--) {
            uint32_t kind = draw(&seed, 10);
            uint64_t ahead = kind < 7 ? draw(&seed, 40) : kind < 9 ? draw(&seed, 2 * DEPARTURES_DAYS) : 0;
            uint64_t site = (uint64_t)draw(&seed, 4) << ORDER_SITE_SHIFT;
            put(&list, &model, kind == 9 ? time - draw(&seed, 900) : time + ahead, site | order++);
        }
        if (round % 50 == 49) /* as for a save */
            assert_int_equal(departures_list(&list)->count, model.count);
        time += draw(&seed, 100) ? draw(&seed, 48) : 5 * DEPARTURES_DAYS;
        compare_until(&list, &model, time, &seed);
    }
    departures_free(&list);
    assert_int_equal(departures_count(&list), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(packets_leave_in_order) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
