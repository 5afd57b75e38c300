/* Waits for tiles to answer: see firmware.h. */
#include <stdio.h>

#include "firmware/firmware.h"
#include "report/report.h"

#define SLICE 4 /* epochs between the first reads of the mailboxes; later reads are further apart */

static bool add(struct machine *m, struct bh_xy tile, const void *what) {
    struct answers *answers = *(struct answers *const *)what;
    for (unsigned i = 0; i < answers->count; i++)
        if (answers->tile[i].tile.x == tile.x && answers->tile[i].tile.y == tile.y)
            return true;
    if (answers->count == TENSIX_MAX)
        return machine_fail(m, "more tiles than a chip has");
    answers->tile[answers->count++] = (struct answer){ .tile = tile };
    return true;
}

bool answers_expect(struct machine *m, const struct tile_list *tiles, struct answers *answers) {
    *answers = (struct answers){ 0 };
    return machine_each_tile(m, tiles, TENSIX_TILE, add, &answers);
}

uint8_t answers_signal(const struct machine *m, const struct layout *l, struct bh_xy tile) {
    uint8_t signal = 0xFF;
    bh_peek(m->chip, tile, l->go + SIGNAL_OFFSET, &signal, 1);
    return signal;
}

/* Reads the go messages. A message keeps the value that the host wrote until the firmware changes it to DONE; any other
 * value means that something has overwritten it. */
static void look(struct machine *m, const struct layout *l, uint8_t sent, struct answers *answers) {
    for (unsigned i = 0; i < answers->count; i++) {
        struct answer *a = &answers->tile[i];
        uint8_t signal = answers_signal(m, l, a->tile);
        if (a->done || signal == sent)
            continue;
        a->done = signal == SIGNAL_DONE;
        a->strange = !a->done;
        a->cycle = bh_cycle(m->chip);
        answers->done += a->done;
        answers->strange |= a->strange;
    }
}

/* Returns the time until the next read: SLICE epochs, or an eighth of the time that has passed, whichever is longer.
 * The precision does not depend on the speed of the host. */
static uint64_t next_slice(uint64_t epoch, uint64_t passed, uint64_t left) {
    uint64_t slice = SLICE * epoch;
    if (slice < passed / 8)
        slice = passed / 8 / epoch * epoch;
    return slice < left ? slice : left;
}

bool answers_wait(struct machine *m, const struct firmware *f, uint8_t sent, uint64_t max_cycles,
                  struct answers *answers) {
    struct bh_stop stop = { .reason = BH_STOP_CYCLES };
    uint64_t start = bh_cycle(m->chip), passed = 0;
    for (unsigned i = 0; i < answers->count; i++)
        machine_log(m, "wait", answers->tile[i].tile, f->layout.go + SIGNAL_OFFSET, &(uint8_t){ SIGNAL_DONE }, 1);
    m->wait_until = max_cycles < UINT64_MAX - start ? start + max_cycles : UINT64_MAX;
    bool good = true;
    while (good && answers->done < answers->count && !answers->strange && passed < max_cycles &&
           stop.reason == BH_STOP_CYCLES && !m->interrupted) {
        good = machine_run(m, next_slice(bh_epoch(m->chip), passed, max_cycles - passed), &stop);
        look(m, &f->layout, sent, answers);
        passed = bh_cycle(m->chip) - start;
    }
    m->wait_until = 0;
    progress_erase(&m->progress);
    if (!good)
        return false;
    bool all = answers->done == answers->count;
    m->astray = answers->strange;
    m->limit_reached = !all && !m->astray && stop.reason == BH_STOP_CYCLES && !m->interrupted;
    m->deadlock = !all && !m->astray && (stop.reason == BH_STOP_DEADLOCK || stop.reason == BH_STOP_IDLE);
    return true;
}

bool answers_found(struct machine *m, const struct firmware *f, struct answers *answers) {
    look(m, &f->layout, SIGNAL_INIT, answers);
    for (unsigned i = 0; i < answers->count; i++)
        if (!answers->tile[i].done || answers_overwritten(m, answers->tile[i].tile))
            return machine_fail(m, "%s has no firmware that is ready on tile %u,%u", m->restore,
                                answers->tile[i].tile.x, answers->tile[i].tile.y);
    return true;
}

void answers_json(struct json *j, const struct answers *answers) {
    json_open(j, "tiles", '[');
    for (unsigned i = 0; i < answers->count; i++) {
        const struct answer *a = &answers->tile[i];
        json_open_line(j, NULL, '{');
        report_json_xy(j, a->tile);
        json_bool(j, "done", a->done);
        if (a->strange)
            json_bool(j, "strange", true);
        if (a->done)
            json_number(j, "cycle", a->cycle);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

void answers_json_stuck(struct json *j, const struct machine *m, const struct answers *answers) {
    if (answers->done == answers->count)
        return;
    json_open(j, "cores", '[');
    for (unsigned i = 0; i < answers->count; i++)
        if (!answers->tile[i].done)
            report_json_tile(j, m, answers->tile[i].tile);
    json_close(j, ']');
}
