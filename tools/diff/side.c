/* One of the two runs: see diff.h. A side is a host thread; the sides and the searcher take turns, so that only one
 * host thread uses a chip at a time. */
#include <string.h>

#include "diff/diff.h"

/* ---- In the host thread of a side --------------------------------------------------------------------------- */

/* Enters a state, and waits there until the searcher lets the side continue. */
static void wait_as(struct side *side, enum side_state state) {
    struct meeting *meeting = side->meeting;
    pthread_mutex_lock(&meeting->lock);
    side->state = state;
    side->go = false;
    pthread_cond_broadcast(&meeting->changed);
    while (!side->go)
        pthread_cond_wait(&meeting->changed, &meeting->lock);
    side->state = SIDE_HOST;
    pthread_mutex_unlock(&meeting->lock);
}

void side_on_debug(void *user, bh_chip *chip, const struct bh_debug_event *event) {
    struct side *side = user;
    (void)chip;
    side->event = *event;
    if (side->on_event)
        side->on_event(side);
    if (!side->unheard && !side->give_up)
        wait_as(side, SIDE_EVENT);
}

static bool run(struct machine_driver *driver, struct machine *machine, uint64_t cycles, unsigned flags,
                struct bh_stop *stop) {
    struct side *side = (struct side *)driver;
    uint64_t now = bh_cycle(machine->chip);
    side->machine = machine;
    side->end = cycles < UINT64_MAX - now ? now + cycles : UINT64_MAX;
    side->flags = flags;
    side->leave = false;
    for (wait_as(side, SIDE_RUN); !side->leave && !side->give_up; wait_as(side, SIDE_RUN)) {
        now = bh_cycle(machine->chip);
        side->result = bh_run(machine->chip, side->until > now ? side->until - now : 0, flags, &side->stop);
    }
    *stop = side->stop;
    if (side->give_up)
        return machine_fail(machine, "ended");
    return side->result == BH_OK ||
           machine_fail(machine, "%s: %s", bh_status_text(side->result), bh_message(machine->chip));
}

static void close_machine(struct machine_driver *driver, struct machine *machine) {
    struct side *side = (struct side *)driver;
    side->machine = machine;
    if (!side->give_up)
        wait_as(side, SIDE_CLOSING);
}

static void *live(void *user) {
    struct side *side = user;
    machine_drive(&side->driver);
    side->status = side->command(side->what);
    pthread_mutex_lock(&side->meeting->lock);
    side->state = SIDE_ENDED;
    side->machine = NULL;
    pthread_cond_broadcast(&side->meeting->changed);
    pthread_mutex_unlock(&side->meeting->lock);
    return NULL;
}

/* ---- In the host thread of the searcher --------------------------------------------------------------------- */

static bool moves(const struct side *side) {
    return side->state == SIDE_HOST || (side->state != SIDE_ENDED && side->go);
}

/* Waits until both sides wait or have ended. */
static void wait_for_both(struct meeting *meeting) {
    pthread_mutex_lock(&meeting->lock);
    while (moves(&meeting->side[0]) || moves(&meeting->side[1]))
        pthread_cond_wait(&meeting->changed, &meeting->lock);
    pthread_mutex_unlock(&meeting->lock);
}

static void let_go(struct meeting *meeting, struct side *side) {
    pthread_mutex_lock(&meeting->lock);
    if (side->state != SIDE_ENDED)
        side->go = true;
    pthread_cond_broadcast(&meeting->changed);
    pthread_mutex_unlock(&meeting->lock);
}

void meeting_go(struct meeting *meeting, struct side *side) {
    let_go(meeting, side);
    wait_for_both(meeting);
}

void meeting_go_both(struct meeting *meeting) {
    for (unsigned i = 0; i < SIDES; i++)
        let_go(meeting, &meeting->side[i]);
    wait_for_both(meeting);
}

/* Starts one side after the other, so that their output does not mix. */
bool meeting_begin(struct meeting *meeting) {
    pthread_mutex_init(&meeting->lock, NULL);
    pthread_cond_init(&meeting->changed, NULL);
    for (unsigned i = 0; i < SIDES; i++)
        meeting->side[i].state = SIDE_ENDED;
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = &meeting->side[i];
        side->meeting = meeting;
        side->driver = (struct machine_driver){ .run = run, .close = close_machine };
        side->state = SIDE_HOST;
        if (pthread_create(&side->thread, NULL, live, side) != 0) {
            side->state = SIDE_ENDED;
            side->meeting = NULL;
            return false;
        }
        wait_for_both(meeting);
    }
    return true;
}

void meeting_end(struct meeting *meeting) {
    for (unsigned i = 0; i < SIDES; i++) {
        struct side *side = &meeting->side[i];
        if (!side->meeting)
            continue;
        side->give_up = true;
        while (side->state != SIDE_ENDED)
            meeting_go(meeting, side);
        pthread_join(side->thread, NULL);
    }
    pthread_cond_destroy(&meeting->changed);
    pthread_mutex_destroy(&meeting->lock);
}
