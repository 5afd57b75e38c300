/* The clock of the coprocessor: finds what happens next, in one place.
 *
 * Due times, and the function that keeps each:
 *
 *     thread[].due          the thread's first word tries to pass (turn.c, tensix_wake, push.c)
 *     unpack.due, pack.due  a job of the unpackers or the packer ends; data_due is the earlier (tensix_data_due)
 *     mover.due             the mover writes or TDMA-RISC takes a command (mover_set_due)
 *     config.request_due    the first waiting store of a core enters the Configuration Unit (config/requests.c)
 *     alarm                 cores that wait are woken (tensix_alarm)
 *     next_landing          the first result lands (tensix_land)
 *     look_at               a latched wait may be met (gate.c)
 *
 * Three bounds follow from them while a thread has its turn, so that a word that passes costs one comparison:
 *
 *     until                the end of the run
 *     next_other_event     the next event of another thread, a unit or an alarm; at most `until`
 *     handler_only_until   before this cycle a word needs nothing but its handler: there is no other event, nothing
 *                          lands, no latched wait is tested, the thread's gate is open, and it is not frozen
 *
 * A bound may be too early, which only costs host time, but never too late. Code that makes a due time earlier
 * announces it with the functions below. In check builds, clock_verify recomputes all bounds. */
#ifndef TENSIX_CLOCK_H
#define TENSIX_CLOCK_H

#include "tensix/tensix.h"

/* ---- Announcements ------------------------------------------------------------------------------ */

/* Announces that from this cycle on a word needs more than its handler. */
static inline void clock_end_handler_only(struct tensix *x, uint64_t time) {
    if (time < x->handler_only_until)
        x->handler_only_until = time;
}

/* Announces an event of an agent other than the thread whose turn it is. */
static inline void clock_other_event(struct tensix *x, uint64_t time) {
    if (time < x->next_other_event)
        x->next_other_event = time;
    clock_end_handler_only(x, time);
}

/* Lets no instruction of the thread pass before this cycle. */
static inline void tensix_freeze(struct tensix *x, unsigned thread, uint64_t until) {
    x->thread[thread].frozen_until = until;
    clock_end_handler_only(x, 0);
}

/* Returns whether nothing but the current instruction happens before the end of the next cycle. */
static inline bool clock_nothing_else_next(const struct tensix *x, uint64_t now) {
    return x->next_other_event > now + 1 && x->next_landing > now + 1 && x->look_at > now + 1;
}

/* Announces a change of unpack.due or pack.due. */
static inline void tensix_data_due(struct tensix *x) {
    x->data_due = x->unpack.due < x->pack.due ? x->unpack.due : x->pack.due;
    clock_other_event(x, x->data_due);
}

/* Sets an alarm: waiting cores are woken at this time, or now if it is in the past. */
static inline void tensix_alarm(struct tensix *x, uint64_t time) {
    if (time < x->time)
        time = x->time;
    if (time < x->alarm)
        x->alarm = time;
    clock_other_event(x, time);
}

/* ---- Landings ------------------------------------------------------------------------------------ */

/* Returns element i of the ring, counted from the first landing. */
static inline struct tensix_landing *tensix_landing_place(struct tensix *x, unsigned i) {
    return &x->landing[(x->landing_at + i) % TENSIX_LANDINGS];
}

/* Removes the first landing from the ring. */
static inline void tensix_landed(struct tensix *x) {
    BH_ASSERT(x->landings && tensix_landing_place(x, 0)->time == x->next_landing);
    x->landing_at = (x->landing_at + 1) % TENSIX_LANDINGS;
    x->next_landing = --x->landings ? tensix_landing_place(x, 0)->time : TENSIX_NEVER;
}

/* Moves the last landing to its place in the order of time. */
void tensix_sort_landing(struct tensix *x);

/* Adds a landing of the first bytes of a value; key: landing_key. The landing is written in place, because to copy one
 * that has just been written in smaller pieces makes the processor wait. One slot of the ring always stays free. */
static inline void tensix_land(struct tensix *x, uint64_t time, uint64_t key, const void *value, unsigned size) {
    struct tensix_landing *landing = tensix_landing_place(x, x->landings++);
    BH_ASSERT(x->landings < TENSIX_LANDINGS && size <= sizeof landing->value);
    landing->time = time;
    landing->key = key;
    memcpy(landing->value, value, size);
    if (time < x->next_landing)
        x->next_landing = time;
    clock_end_handler_only(x, time);
    if (BH_LIKELY(time >= x->last_landing))
        x->last_landing = time;
    else
        tensix_sort_landing(x);
}

static inline void tensix_land_word(struct tensix *x, uint64_t time, uint64_t key, uint32_t value) {
    tensix_land(x, time, key, &value, sizeof value);
}

/* ---- Due times ------------------------------------------------------------------------------------ */

/* Returns the next cycle with an event of a unit or an alarm, or TENSIX_NEVER. */
static inline uint64_t clock_others_due(const struct tensix *x) {
    uint64_t due = x->config.request_due < x->alarm ? x->config.request_due : x->alarm;
    due = x->data_due < due ? x->data_due : due;
    return x->mover.due < due ? x->mover.due : due;
}

/* Returns the thread that is due first; if several are, the one that has waited longest. Sets *second to the due time
 * of the next thread. */
static inline unsigned clock_first_due(const struct tensix *x, uint64_t *second) {
    unsigned first = 0;
    *second = TENSIX_NEVER;
    for (unsigned i = 1; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *a = &x->thread[i], *b = &x->thread[first];
        bool before = a->due < b->due ||
                      (a->due == b->due && frontend_passed_at(&a->frontend) < frontend_passed_at(&b->frontend));
        uint64_t later = before ? b->due : a->due;
        *second = later < *second ? later : *second;
        first = before ? i : first;
    }
    return first;
}

/* ---- Checks --------------------------------------------------------------------------------------
 *
 * Every function here does nothing unless the build has checks. */

/* A digest of the state before the call of a handler: a handler that holds its word must not change that state. */
struct clock_mark {
    uint64_t sum;
    uint64_t others; /* next cycle in which anything but the word itself happens */
};

/* The functions below call these only in builds with checks (clock.c). */
void clock_verify_all(const struct tensix *x);
void clock_verify_call(const struct tensix *x, unsigned thread, uint64_t now, uint64_t again,
                       const struct clock_mark *before);
void clock_verify_bounds(const struct tensix *x, unsigned thread, uint64_t now);
struct clock_mark clock_take_mark(const struct tensix *x, unsigned thread);
void clock_verify_before(const struct tensix *x, unsigned thread, uint32_t word, uint64_t now);
void clock_verify_events(const struct tensix *x, uint64_t now);

/* Recomputes every due time and asserts that it is right. Precondition: no handler and no landing is being executed. */
static inline void clock_verify(const struct tensix *x) {
    if (BH_CHECKS)
        clock_verify_all(x);
}

/* Asserts what a handler may assume, and returns the mark for clock_verify_handler. Call it before the handler. */
static inline struct clock_mark clock_mark(const struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    if (BH_CHECKS)
        clock_verify_before(x, thread, word, now);
    return BH_CHECKS ? clock_take_mark(x, thread) : (struct clock_mark){ 0 };
}

/* Asserts the contract of tensix_handler after the call. before: the result of clock_mark before the call. */
static inline void clock_verify_handler(const struct tensix *x, unsigned thread, uint64_t now, uint64_t again,
                                        const struct clock_mark *before) {
    if (BH_CHECKS)
        clock_verify_call(x, thread, now, again, before);
}

/* Asserts that the state is consistent after a step of a unit, or a turn, that began in cycle `now`. */
static inline void clock_verify_step(const struct tensix *x, uint64_t now) {
    if (BH_CHECKS)
        clock_verify_events(x, now);
}

/* Asserts that the state is consistent after a core's access. Returns `access`. */
static inline struct access clock_verified(const struct tensix *x, struct access access) {
    clock_verify(x);
    return access;
}

/* Asserts that the thread's next word may pass in cycle `now` if only handler_only_until is tested. */
static inline void clock_verify_handler_only(const struct tensix *x, unsigned thread, uint64_t now) {
    if (BH_CHECKS)
        clock_verify_bounds(x, thread, now);
}

#endif
