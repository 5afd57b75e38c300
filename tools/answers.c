/* Waiting for tiles, and what to say of those that do not answer: see firmware.h. */
#include <stdio.h>
#include <string.h>

#include "firmware.h"
#include "report.h"

#define SLICE       4 /* epochs between two looks at the mailboxes, and more the longer it takes */
#define EXPLAIN_MAX 4 /* tiles that are told in full */

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
    return machine_each_tile(m, tiles, true, add, &answers);
}

static uint8_t signal_of(const struct machine *m, const struct layout *l, struct bh_xy tile) {
    uint8_t signal = 0xFF;
    bh_peek(m->chip, tile, l->go + SIGNAL_OFFSET, &signal, 1);
    return signal;
}

static void look(struct machine *m, const struct layout *l, struct answers *answers) {
    for (unsigned i = 0; i < answers->count; i++) {
        struct answer *a = &answers->tile[i];
        if (a->done || signal_of(m, l, a->tile) != SIGNAL_DONE)
            continue;
        a->done = true;
        a->cycle = bh_cycle(m->chip);
        answers->done++;
    }
}

/* How long to run until the next look: no longer than an eighth of what has passed, so that it does not depend on the
 * host how exactly the end is found. */
static uint64_t next_slice(uint64_t epoch, uint64_t passed, uint64_t left) {
    uint64_t slice = SLICE * epoch;
    if (slice < passed / 8)
        slice = passed / 8 / epoch * epoch;
    return slice < left ? slice : left;
}

bool answers_wait(struct machine *m, const struct firmware *f, uint64_t max_cycles, struct answers *answers) {
    struct bh_stop stop = { .reason = BH_STOP_CYCLES };
    uint64_t start = bh_cycle(m->chip), passed = 0;
    for (unsigned i = 0; i < answers->count; i++)
        machine_log(m, "wait", answers->tile[i].tile, f->layout.go + SIGNAL_OFFSET, &(uint8_t){ SIGNAL_DONE }, 1);
    while (answers->done < answers->count && passed < max_cycles && stop.reason == BH_STOP_CYCLES && !m->interrupted) {
        machine_run(m, next_slice(bh_epoch(m->chip), passed, max_cycles - passed), &stop);
        look(m, &f->layout, answers);
        passed = bh_cycle(m->chip) - start;
    }
    bool all = answers->done == answers->count;
    m->limit_reached = !all && stop.reason == BH_STOP_CYCLES && !m->interrupted;
    m->deadlock = !all && (stop.reason == BH_STOP_DEADLOCK || stop.reason == BH_STOP_IDLE);
    return true;
}

/* ---- Explaining -------------------------------------------------------------------------------- */

static const char *signal_name(unsigned signal) {
    switch (signal) {
    case 0x00: return "done";
    case 0x01: return "load";
    case 0x02: return "waiting for reset";
    case 0x03: return "init sync registers";
    case 0x40: return "init";
    case 0x80: return "go";
    case 0xC0: return "reset read pointer";
    case 0xE0: return "reset read pointer from host";
    case 0xF0: return "replay trace";
    default: return "unknown";
    }
}

static void mailbox_line(const struct machine *m, const struct layout *l, struct bh_xy tile) {
    uint8_t sync[4] = { 0 }, signal = signal_of(m, l, tile);
    bh_peek(m->chip, tile, l->sync, sync, sizeof sync);
    fprintf(stderr, "  go signal 0x%02x (%s); sync", signal, signal_name(signal));
    for (unsigned i = 0; i < 4; i++)
        fprintf(stderr, "%s %s 0x%02x (%s)", i ? "," : "", bh_core_name(processor_core[i + 1]), sync[i],
                signal_name(sync[i]));
    fputc('\n', stderr);
}

static bool has_faulted(const struct machine *m, struct bh_xy tile) {
    for (size_t i = 0; i < m->fault_count; i++)
        if (m->faults[i].fault.tile.x == tile.x && m->faults[i].fault.tile.y == tile.y)
            return true;
    return false;
}

/* After a fault that ended the run only the tiles that faulted are to blame. */
void answers_explain(const struct machine *m, const struct firmware *f, const struct answers *answers,
                     const char *what) {
    unsigned told = 0, left = 0;
    for (unsigned i = 0; i < answers->count; i++) {
        const struct answer *a = &answers->tile[i];
        if (a->done || (m->fault_count && !m->keep_going && !has_faulted(m, a->tile)))
            continue;
        if (told == EXPLAIN_MAX) {
            left++;
            continue;
        }
        told++;
        fprintf(stderr, "tile %u,%u %s%s\n", a->tile.x, a->tile.y,
                has_faulted(m, a->tile) ? "faulted and has not answered " : "has not answered ", what);
        mailbox_line(m, &f->layout, a->tile);
        report_tile(m, a->tile, stderr);
    }
    if (left)
        fprintf(stderr, "... and %u more tiles have not answered\n", left);
}

void answers_json(struct json *j, const struct answers *answers) {
    json_open(j, "tiles", '[');
    for (unsigned i = 0; i < answers->count; i++) {
        const struct answer *a = &answers->tile[i];
        char name[12];
        snprintf(name, sizeof name, "%u,%u", a->tile.x, a->tile.y);
        json_open_line(j, NULL, '{');
        json_string(j, "tile", name);
        json_bool(j, "done", a->done);
        if (a->done)
            json_number(j, "cycle", a->cycle);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}
