/* Fields of ThreadConfig that are lost: see hazard.h.
 *
 * A SETC16 writes all 16 bits of a word. If the word has parts (isa/config.def), an author may think of one part only
 * and write zeros to the others. Nothing is out of order then, because one thread executes both instructions, so this
 * is a guess at what was meant. It is made if
 * - another SETC16 has set the part that becomes 0, and that one only: an instruction that sets several parts treats
 * the word as one value, and so may the others of the program;
 * - no field of the part has a value in the new word: a command for the part shows that the author thought of it;
 * - another part gets a new value: an instruction that only clears means to clear.
 */
#include "hazard/search.h"

/* Returns whether a SETC16 that changes a word from `old` to `value` sets a part of it. */
static bool sets(const struct config_part *part, unsigned old, unsigned value) {
    return (value & part->all) && ((old ^ value) & part->all);
}

/* Returns how many parts of its word the SETC16 sets. */
static unsigned parts_set(unsigned word, unsigned old, unsigned value) {
    unsigned count = 0;
    for (unsigned i = 0; i < CONFIG_PART_COUNT; i++)
        count += config_parts[i].word == word && sets(&config_parts[i], old, value);
    return count;
}

/* Reports a part that the SETC16 `second` has cleared. */
static void lose(struct hazard_tile *t, unsigned thread, const struct config_part *part,
                 const struct hazard_access *setting, const struct hazard_access *second) {
    struct hazard_access first = *setting;
    first.suspect = true;
    if (first.pc != second->pc && first.cycle >= t->search->ordered_until)
        hazard_found(t->search, t, HAZARD_THREAD_CONFIG,
                     SHADOW_WORD * (16 * (CONFIG_THREAD_WORDS * thread + part->word) + part->shift), &first, second);
}

void hazard_thread_config(struct hazard_tile *t, unsigned thread, unsigned word, unsigned old, unsigned value) {
    const struct hazard_actor actor = hazard_thread_as(t, thread);
    const struct hazard_access access = hazard_access_of(t, HAZARD_WRITES, &actor);
    unsigned count = parts_set(word, old, value);
    for (unsigned i = 0; i < CONFIG_PART_COUNT; i++) {
        const struct config_part *part = &config_parts[i];
        struct hazard_access *setting = &t->thread[thread].set[i];
        if (part->word != word)
            continue;
        if (count && setting->epoch.tick && !(value & part->all))
            lose(t, thread, part, setting, &access);
        if (sets(part, old, value) && (value & part->kept) && count == 1)
            *setting = access;
        else if ((old ^ value) & part->kept)
            setting->epoch.tick = 0;
    }
}

void hazard_forget_fields(struct hazard_tile *t, unsigned thread) {
    for (unsigned i = 0; i < CONFIG_PART_COUNT; i++)
        t->thread[thread].set[i].epoch.tick = 0;
}
