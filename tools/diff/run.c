/* Running the two sides of a search in step: see seek.h. */
#include "diff/seek.h"

bool run_take_snapshots(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++) {
        bh_snapshot_free(s->last[i]);
        s->last[i] = NULL;
        if (bh_snapshot_take(chip_of(s, i), &s->last[i]) != BH_OK)
            return seek_fail(s, bh_message(chip_of(s, i)));
    }
    s->last_cycle = bh_cycle(chip_of(s, 0));
    return true;
}

bool run_go_back(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++) {
        side_of(s, i)->driver.repeats = true;
        if (bh_snapshot_restore(chip_of(s, i), s->last[i]) != BH_OK)
            return seek_fail(s, bh_message(chip_of(s, i)));
    }
    return true;
}

uint64_t run_piece_end(const struct seeker *s, uint64_t epochs) {
    uint64_t epoch = bh_epoch(chip_of(s, 0)), from = bh_cycle(chip_of(s, 0)) / epoch;
    return epochs < UINT64_MAX / epoch - from ? (from + epochs) * epoch : UINT64_MAX;
}

bool run_to(struct seeker *s, uint64_t cycle) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = side_of(s, i);
        side->until = cycle < side->end ? cycle : side->end;
    }
    meeting_go_both(s->meeting);
    for (unsigned i = 0; i < SIDES; i++)
        if (side_of(s, i)->result != BH_OK)
            return seek_fail(s, bh_message(chip_of(s, i)));
    return true;
}

bool run_has_stopped(const struct side *side) {
    return side->stop.reason != BH_STOP_CYCLES || bh_cycle(side->machine->chip) >= side->end;
}

/* ---- Debugging both sides -----------------------------------------------------------------------------------------
 */

static void watch_time(struct side *side) {
    if (side->event.kind == BH_DEBUG_TIME)
        bh_debug_at(side->machine->chip, side->event.cycle + 1);
}

bool run_debug(struct seeker *s, bool on) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = side_of(s, i);
        bh_chip *chip = chip_of(s, i);
        side->on_event = watch_time;
        side->unheard = false;
        if (bh_debug(chip, on ? side_on_debug : NULL, side) != BH_OK || (on && bh_debug_at(chip, 0) != BH_OK))
            return seek_fail(s, bh_message(chip));
    }
    return true;
}

bool run_are_at_events(const struct seeker *s) {
    return side_of(s, 0)->state == SIDE_EVENT && side_of(s, 1)->state == SIDE_EVENT;
}

bool run_to_end(struct seeker *s) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = side_of(s, i);
        side->unheard = true;
        while (side->state == SIDE_EVENT)
            meeting_go(s->meeting, side);
    }
    return run_debug(s, false);
}

bool run_start(struct seeker *s, uint64_t end) {
    return run_go_back(s) && run_debug(s, true) && run_to(s, end);
}

void run_to_epoch(struct seeker *s, struct side *side, uint64_t cycle) {
    while (side->state == SIDE_EVENT && (side->event.kind != BH_DEBUG_TIME || side->event.cycle < cycle))
        meeting_go(s->meeting, side);
}
