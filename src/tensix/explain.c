/* Explains in words why a thread waits, for reports of deadlocks. Changes no state.
 *
 * Inexact: the agents that may still post a semaphore are not known; the text names those that have ever posted it. */
#include <string.h>

#include "base/line.h"
#include "isa/memmap.h"
#include "isa/overlay.h"
#include "isa/text.h"
#include "tensix/tensix.h"

/* Advances the stages in a copy. */
bool tensix_at_gate(const struct tensix *x, unsigned thread, struct frontend_word *head) {
    struct frontend copy = x->thread[thread].frontend;
    const struct frontend_word *found = frontend_head(&copy, x->time);
    if (found)
        *head = *found;
    return found != NULL;
}

bool tensix_waits(const struct tensix *x, unsigned thread) {
    const struct tensix_thread *t = &x->thread[thread];
    struct frontend_word head;
    return !t->faulted && t->due == TENSIX_NEVER && tensix_at_gate(x, thread, &head);
}

/* ---- Agents ----------------------------------------------------------------------------------------- */

/* Writes names such as "T0, T1 and brisc". who: bits as in struct sync_semaphore. */
static void put_names(struct text *out, unsigned who) {
    for (unsigned bit = 0; who; bit++) {
        if (!(who >> bit & 1))
            continue;
        who &= ~(1u << bit);
        if (bit < TENSIX_THREADS)
            text_put(out, "T%u", bit);
        else
            text_put(out, "%s", bh_core_name((enum bh_core)(bit - SYNC_CORE)));
        if (who)
            text_put(out, "%s", who & (who - 1) ? ", " : " and ");
    }
}

/* Writes text such as ", and T1 waits at ..." */
static void put_what_it_does(struct text *out, const struct tensix *x, unsigned thread) {
    struct frontend_word head;
    char instruction[TENSIX_DISASM_SIZE];
    if (x->thread[thread].faulted) {
        text_put(out, ", and T%u has faulted", thread);
    } else if (!tensix_at_gate(x, thread, &head)) {
        text_put(out, ", and T%u has nothing to do", thread);
    } else {
        tensix_disasm(head.word, instruction, sizeof instruction);
        text_put(out, ", and T%u %s %s", thread, tensix_waits(x, thread) ? "waits at" : "is at", instruction);
    }
}

/* Writes text such as "only T1 has posted it, and T1 waits at ..." */
static void put_doers(struct text *out, const struct tensix *x, unsigned self, unsigned who, const char *done) {
    if (!who) {
        text_put(out, "nobody has ever %s it", done);
        return;
    }
    bool one = !(who & (who - 1));
    text_put(out, one ? "only " : "");
    put_names(out, who);
    text_put(out, " %s %s it", one ? "has" : "have", done);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if ((who >> i & 1) && i != self)
            put_what_it_does(out, x, i);
}

/* ---- The latched wait -------------------------------------------------------------------------------- */

static void put_semaphore(struct text *out, const struct tensix *x, unsigned thread, unsigned i, unsigned conditions) {
    const struct sync_semaphore *semaphore = &x->sync.semaphore[i];
    text_put(out, "semaphore %u (%s) is %u", i, sync_semaphore_name(i), semaphore->value);
    if ((conditions & GATE_SEM_MAX) && semaphore->value >= semaphore->max) {
        text_put(out, ", and its maximum %u", semaphore->max);
        text_put(out, semaphore->set_by ? "; " : ", as nobody has ever initialised it; ");
        put_doers(out, x, thread, semaphore->got_by, "taken");
    } else {
        text_put(out, "; ");
        put_doers(out, x, thread, semaphore->posted_by, "posted");
    }
}

static void put_semaphores(struct text *out, const struct tensix *x, unsigned thread) {
    const struct gate *gate = &x->thread[thread].gate;
    const char *between = "";
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++) {
        if (!(gate->semaphores >> i & 1) || !gate_semaphore_waits(&x->sync.semaphore[i], gate->condition))
            continue;
        text_put(out, "%s", between);
        put_semaphore(out, x, thread, i, gate->condition);
        between = "; ";
    }
}

#define CONDITIONS(C) \
    C(0, "the Scalar Unit has memory requests outstanding") \
    C(1, "unpacker 0 is busy") \
    C(2, "unpacker 1 is busy") \
    C(3, "the packer is busy") \
    C(4, "the Matrix Unit is busy") \
    C(5, "the Matrix Unit has not handed SrcA back to the unpackers") \
    C(6, "the Matrix Unit has not handed SrcB back to the unpackers") \
    C(7, "no unpacker has handed SrcA to the Matrix Unit") \
    C(8, "no unpacker has handed SrcB to the Matrix Unit") \
    C(9, "the mover is busy") \
    C(10, "its core's access to the configuration has not been processed") \
    C(11, "the Vector Unit is busy") \
    C(12, "the Configuration Unit is busy")
#define CONDITION_TEXT(number, text) [number] = text,
#define CONDITION_NAME(number, text) [number] = "STALLWAIT: " text " (C" #number ")",
static const char *const conditions[] = { CONDITIONS(CONDITION_TEXT) };
static const char *const condition_names[] = { CONDITIONS(CONDITION_NAME) };
_Static_assert((1u << sizeof conditions / sizeof *conditions) - 1 == GATE_C_ALL, "a phrase for each condition");

static void put_conditions(struct text *out, const struct tensix *x, unsigned thread) {
    const char *between = "";
    for (unsigned left = x->thread[thread].gate.condition & GATE_C_ALL; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        if (gate_condition(x, thread, 1u << number, x->time) <= x->time)
            continue;
        text_put(out, "%s%s (C%u)", between, conditions[number], number);
        enum wait why =
            1u << number & (GATE_C_UNPACK0 | GATE_C_UNPACK1) ? unpack_waits_for(&x->unpack, number - 1) : WAIT_NONE;
        if (why)
            text_put(out, ": it waits for %s", wait_text(why));
        between = ", ";
    }
}

static void put_stream(struct text *out, const struct tensix *x, unsigned thread) {
    const struct gate *gate = &x->thread[thread].gate;
    unsigned id = tensix_stream(x, thread, gate->stream_select);
    bool phase = gate->condition == 1;
    uint32_t value = 0;
    x->port->stream(x->owner, id, phase ? OVERLAY_CURR_PHASE : OVERLAY_NUM_MSGS_RECEIVED, &value);
    text_put(out, "%s of stream %u (register %d) is %u, not yet %u", phase ? "the phase" : "the message count", id,
             phase ? OVERLAY_CURR_PHASE : OVERLAY_NUM_MSGS_RECEIVED, value, gate->target);
}

static void put_latch(struct text *out, const struct tensix *x, unsigned thread) {
    switch (x->thread[thread].gate.opcode) {
    case TENSIX_STALLWAIT: put_conditions(out, x, thread); break;
    case TENSIX_SEMWAIT: put_semaphores(out, x, thread); break;
    case TENSIX_STREAMWAIT: put_stream(out, x, thread); break;
    default: break;
    }
}

static void put_latched(struct text *out, const struct tensix *x, unsigned thread) {
    text_put(out, "held by %s: ", tensix_rows[tensix_row_index(x->thread[thread].gate.opcode)].name);
    put_latch(out, x, thread);
}

void tensix_explain_latch(const struct tensix *x, unsigned thread, char *text, size_t size) {
    struct text out = text_init(text, size);
    bool met = gate_ends_at(x, thread, x->time) != TENSIX_NEVER;
    if (!met || x->thread[thread].gate.opcode != TENSIX_STREAMWAIT) /* other waits list only unmet conditions */
        put_latch(&out, x, thread);
    line_fit(text, size, out.length);
}

static bool latch_holds(const struct gate *gate, uint32_t word) {
    const struct tensix_row *row = tensix_decode(word);
    return row && gate->opcode && gate->free_at == TENSIX_NEVER && tensix_gate_holds(row->gate, gate->block);
}

/* ---- What holds an instruction, in one constant ------------------------------------------------------- */

#define EMPTY_NAME(number, name) "SEMWAIT: semaphore " #number " (" name ") is 0",
#define FULL_NAME(number, name)  "SEMWAIT: semaphore " #number " (" name ") is at its maximum",
static const char *const empty_names[SYNC_SEMAPHORES] = { SYNC_SEMAPHORE_NAMES(EMPTY_NAME) };
static const char *const full_names[SYNC_SEMAPHORES] = { SYNC_SEMAPHORE_NAMES(FULL_NAME) };
static const char met[] = "the cycle in which a latched wait ends";

static const char *longest_condition(const struct tensix *x, unsigned thread, uint64_t now) {
    const char *name = met;
    uint64_t longest = now;
    for (unsigned left = x->thread[thread].gate.condition & GATE_C_ALL; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        uint64_t until = gate_condition(x, thread, 1u << number, now);
        if (until <= longest)
            continue;
        longest = until;
        name = condition_names[number];
    }
    return name;
}

static const char *first_semaphore(const struct tensix *x, unsigned thread) {
    const struct gate *gate = &x->thread[thread].gate;
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        if ((gate->semaphores >> i & 1) && gate_semaphore_waits(&x->sync.semaphore[i], gate->condition))
            return (gate->condition & GATE_SEM_ZERO) && !x->sync.semaphore[i].value ? empty_names[i] : full_names[i];
    return met;
}

static const char *latched_name(const struct tensix *x, unsigned thread, uint64_t now) {
    const struct gate *gate = &x->thread[thread].gate;
    switch (gate->opcode) {
    case TENSIX_STALLWAIT: return longest_condition(x, thread, now);
    case TENSIX_SEMWAIT: return first_semaphore(x, thread);
    default:
        if (gate->free_at != TENSIX_NEVER)
            return met;
        return gate->condition == 1 ? "STREAMWAIT: the phase of a stream" : "STREAMWAIT: the messages of a stream";
    }
}

static const char *wait_name(const struct tensix_thread *t) {
    return t->waits_on ? wait_text(t->waits_on) : "an event";
}

const char *tensix_held_by(const struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const struct tensix_thread *t = &x->thread[thread];
    const struct tensix_row *row = tensix_decode(word);
    if (row && gate_holds(&t->gate, row->gate, now))
        return latched_name(x, thread, now);
    return wait_name(t);
}

/* ---- Instructions that wait by themselves ------------------------------------------------------------- */

static void put_mutex(struct text *out, const struct tensix *x, uint32_t index) {
    if (index == 1 || index >= SYNC_MUTEXES) {
        text_put(out, "mutex %u does not exist: for ever", index);
        return;
    }
    unsigned holder = x->sync.mutex[index].held_by;
    text_put(out, "mutex %u ", index);
    if (holder == SYNC_NOBODY) {
        text_put(out, "is promised to T%u", x->sync.mutex[index].promised);
        return;
    }
    text_put(out, "is held by T%u", holder);
    put_what_it_does(out, x, holder);
}

static void put_compare(struct text *out, const struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_ATCAS op = tensix_decode_ATCAS(word);
    uint64_t address = (uint64_t)x->gpr[thread][op.AddrRegIndex] * 16 + op.Sel32b * 4;
    uint32_t value;
    if (address >= memmap[MEMMAP_ROW_L1].size)
        return;
    memcpy(&value, x->l1 + address, sizeof value);
    text_put(out, "the word at 0x%x of L1 is 0x%x, not yet 0x%x", (unsigned)address, value, op.CmpVal);
}

static void put_scalar(struct text *out, const struct tensix *x) {
    unsigned owner = x->scalar.owner;
    struct frontend_word head;
    const struct tensix_row *row = tensix_at_gate(x, owner, &head) ? tensix_decode(head.word) : NULL;
    text_put(out, "the Scalar Unit is busy with T%u", owner);
    if (!row)
        return;
    text_put(out, "'s %s: ", row->name);
    if (row->opcode == TENSIX_ATCAS)
        put_compare(out, x, owner, head.word);
    else
        text_put(out, "%s", x->thread[owner].waits_on ? wait_text(x->thread[owner].waits_on) : "it is not done");
}

/* Explains why an unpacker has no room, if the wait of its first instruction is known. */
static void put_unpacker(struct text *out, const struct tensix *x, unsigned unpacker) {
    enum wait why = unpack_waits_for(&x->unpack, unpacker);
    if (why && unpack_full(&x->unpack.unit[unpacker]))
        text_put(out, "unpacker %u has all the instructions that it takes: it waits for %s", unpacker, wait_text(why));
}

static bool is_scalar(uint32_t word) {
    const struct tensix_row *row = tensix_decode(word);
    return row && row->unit == TENSIX_UNIT_SCALAR;
}

void tensix_explain(const struct tensix *x, unsigned thread, char *text, size_t size) {
    const struct tensix_thread *t = &x->thread[thread];
    struct text out = text_init(text, size);
    struct frontend_word head;
    if (!tensix_waits(x, thread) || !tensix_at_gate(x, thread, &head))
        return;
    uint32_t word = head.word;
    if (latch_holds(&t->gate, word))
        put_latched(&out, x, thread);
    else if (word >> 24 == TENSIX_ATGETM)
        put_mutex(&out, x, tensix_decode_ATGETM(word).mutex_index);
    else if (is_scalar(word) && x->scalar.owner != SCALAR_NOBODY && x->scalar.owner != thread)
        put_scalar(&out, x);
    else if (word >> 24 == TENSIX_ATCAS)
        put_compare(&out, x, thread, word);
    else if (word >> 24 == TENSIX_UNPACR || word >> 24 == TENSIX_UNPACR_NOP)
        put_unpacker(&out, x, word >> 23 & 1);
    if (!out.length)
        text_put(&out, "%s", wait_name(t));
    line_fit(text, size, out.length);
}
