/* Semaphores and mutexes. Semaphores saturate at 15 and 0; their maximum matters to SEMWAIT alone. */
#include "tensix/sync/sync.h"

#include "tensix/tensix.h"

void sync_init(struct sync *sync) {
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        sync->mutex[i].held_by = sync->mutex[i].promised = SYNC_NOBODY;
}

const char *sync_semaphore_name(unsigned i) {
#define NAME(number, name) [number] = name,
    static const char *const names[SYNC_SEMAPHORES] = { SYNC_SEMAPHORE_NAMES(NAME) };
#undef NAME
    return names[i];
}

uint64_t sync_take_slot(struct tensix *x, unsigned thread, uint64_t now) {
    if (x->sync.slot_free > now)
        return tensix_hold(x, thread, x->sync.slot_free, WAIT_SEMAPHORE_SLOT);
    x->sync.slot_free = now + TENSIX_OCCUPANCY_SEMPOST;
    BH_ASSERT(x->thread[thread].gate.free_at != TENSIX_NEVER || x->undecided >> thread & 1);
    return TENSIX_PASSED;
}

/* ---- Semaphores ---------------------------------------------------------------------------------- */

void sync_post(struct sync_semaphore *semaphore, unsigned who) {
    semaphore->posted_by |= (uint16_t)(1u << who);
    if (semaphore->value < SYNC_SEMAPHORE_TOP)
        semaphore->value++;
}

void sync_get(struct sync_semaphore *semaphore, unsigned who) {
    semaphore->got_by |= (uint16_t)(1u << who);
    if (semaphore->value > 0)
        semaphore->value--;
}

uint64_t execute_SEMINIT(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_SEMINIT op = tensix_decode_SEMINIT(word);
    uint64_t again = sync_take_slot(x, thread, now);
    if (again)
        return again;
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++) {
        if (!(op.sem_sel >> i & 1))
            continue;
        struct sync_semaphore *semaphore = &x->sync.semaphore[i];
        semaphore->value = (uint8_t)op.init_value;
        semaphore->max = (uint8_t)op.max_value;
        semaphore->set_by |= (uint16_t)(1u << thread);
    }
    tensix_wake(x, now + 1);
    return TENSIX_PASSED;
}

static uint64_t each_semaphore(struct tensix *x, unsigned thread, uint32_t selected, uint64_t now,
                               void (*change)(struct sync_semaphore *, unsigned)) {
    uint64_t again = sync_take_slot(x, thread, now);
    if (again)
        return again;
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        if (selected >> i & 1)
            change(&x->sync.semaphore[i], thread);
    tensix_wake(x, now + 1);
    return TENSIX_PASSED;
}

uint64_t execute_SEMPOST(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return each_semaphore(x, thread, tensix_decode_SEMPOST(word).sem_sel, now, sync_post);
}

uint64_t execute_SEMGET(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return each_semaphore(x, thread, tensix_decode_SEMGET(word).sem_sel, now, sync_get);
}

/* ---- Mutexes ------------------------------------------------------------------------------------- */

/* Takes the mutex's slot of this cycle. Each mutex accepts one operation a cycle, so three threads can use three of
 * them. Returns 0, or holds the word and returns as a handler does. */
static uint64_t reach_mutex(struct tensix *x, unsigned thread, uint32_t index, uint64_t now) {
    if (index == 1 || index >= SYNC_MUTEXES)
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_NO_MUTEX);
    if (x->sync.mutex[index].usable_at > now)
        return tensix_hold(x, thread, x->sync.mutex[index].usable_at, WAIT_MUTEX_OPERATION);
    return TENSIX_PASSED;
}

static bool may_take(const struct sync_mutex *mutex, unsigned thread) {
    if (mutex->held_by == thread)
        return true;
    return mutex->held_by == SYNC_NOBODY && (mutex->promised == SYNC_NOBODY || mutex->promised == thread);
}

uint64_t execute_ATGETM(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    uint32_t index = tensix_decode_ATGETM(word).mutex_index;
    uint64_t again = reach_mutex(x, thread, index, now);
    if (again)
        return again;
    struct sync_mutex *mutex = &x->sync.mutex[index];
    if (!may_take(mutex, thread)) {
        mutex->wanted |= (uint8_t)(1u << thread);
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_MUTEX);
    }
    BH_ASSERT(mutex->held_by == SYNC_NOBODY || mutex->held_by == thread);
    mutex->held_by = (uint8_t)thread;
    mutex->promised = SYNC_NOBODY;
    mutex->wanted &= (uint8_t) ~(1u << thread);
    mutex->usable_at = now + TENSIX_OCCUPANCY_ATGETM;
    return TENSIX_PASSED;
}

/* If both other threads wait, the next one in cyclic order gets the mutex (ATRELM.md). */
uint64_t execute_ATRELM(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    uint32_t index = tensix_decode_ATRELM(word).mutex_index;
    uint64_t again = reach_mutex(x, thread, index, now);
    if (again)
        return again;
    struct sync_mutex *mutex = &x->sync.mutex[index];
    mutex->usable_at = now + TENSIX_OCCUPANCY_ATRELM;
    if (mutex->held_by != thread)
        return TENSIX_PASSED;
    mutex->held_by = SYNC_NOBODY;
    if (__builtin_popcount(mutex->wanted) == 2)
        mutex->promised = (uint8_t)((thread + 1) % TENSIX_THREADS);
    tensix_wake(x, now + 1);
    return TENSIX_PASSED;
}
