/* Executes launch files step by step: see session.h. */
#include "launch/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"

#define WRONG_MAX 8 /* most differences that are printed */
#define ROW       16

bool session_open(struct session *s, struct machine *m, const struct launch *launch) {
    *s = (struct session){ .machine = m, .launch = launch };
    s->address = malloc((launch->count + 1) * sizeof *s->address);
    if (!s->address)
        return machine_fail(m, "out of memory");
    for (size_t i = 0; i < launch->count; i++)
        s->address[i] = UINT64_MAX;
    return true;
}

void session_close(struct session *s) {
    firmware_close(&s->firmware);
    free(s->address);
    free(s->ran);
    free(s->seen);
}

/* Adds an entry for the result of a boot or run. */
static struct ran *new_ran(struct session *s, size_t step) {
    if (!machine_reserve(s->machine, &s->ran, s->ran_count, sizeof *s->ran))
        return NULL;
    s->ran[s->ran_count] = (struct ran){ .step = step, .start = bh_cycle(s->machine->chip) };
    return &s->ran[s->ran_count++];
}

static void end_ran(struct session *s, struct ran *ran) {
    ran->end = bh_cycle(s->machine->chip);
    s->stopped = ran->answers.done < ran->answers.count || (s->machine->fault_count && !s->machine->keep_going);
}

static bool boot(struct session *s, size_t step) {
    struct firmware_files what = s->launch->steps[step].firmware;
    struct ran *ran = new_ran(s, step);
    if (!what.tiles.count)
        what.tiles = (struct tile_list){ 1, { { .all = true } } };
    if (!ran || !firmware_open(s->machine, &what, &s->firmware))
        return false;
    s->next_l1 = s->firmware.layout.free_l1;
    if (!firmware_boot(s->machine, &s->firmware, &what.tiles, s->machine->max_cycles, &ran->answers))
        return false;
    end_ran(s, ran);
    s->booted = true;
    return true;
}

/* Checks that all tiles have firmware: others could not answer. */
static bool check_booted(struct session *s, const struct answers *tiles) {
    for (unsigned i = 0; i < tiles->count; i++) {
        bool booted = false;
        for (unsigned j = 0; j < s->ran[0].answers.count; j++)
            booted |= memcmp(&s->ran[0].answers.tile[j].tile, &tiles->tile[i].tile, sizeof(struct bh_xy)) == 0;
        if (!booted)
            return machine_fail(s->machine, "tile %u,%u has no firmware: add it to the tiles of [firmware]",
                                tiles->tile[i].tile.x, tiles->tile[i].tile.y);
    }
    return true;
}

static bool merge(struct session *s, struct answers *all, const struct answers *more) {
    for (unsigned i = 0; i < more->count; i++) {
        for (unsigned j = 0; j < all->count; j++)
            if (memcmp(&all->tile[j].tile, &more->tile[i].tile, sizeof(struct bh_xy)) == 0)
                return machine_fail(s->machine, "tile %u,%u has two programs in one run", more->tile[i].tile.x,
                                    more->tile[i].tile.y);
        all->tile[all->count++] = more->tile[i];
    }
    return true;
}

/* Places the programs of the file since the last run, and starts them together. */
static bool run(struct session *s, size_t step) {
    uint64_t limit = s->launch->steps[step].max_cycles;
    struct ran *ran = new_ran(s, step);
    if (!ran)
        return false;
    for (size_t i = s->first_program; i < step; i++) {
        struct answers tiles;
        if (s->launch->steps[i].kind != STEP_PROGRAM)
            continue;
        s->line = s->launch->steps[i].line;
        if (!answers_expect(s->machine, &s->launch->steps[i].program.tiles, &tiles) || !check_booted(s, &tiles) ||
            !merge(s, &ran->answers, &tiles) || !dispatch_place(s, i)) {
            s->line = s->line ? s->line : s->launch->steps[i].line;
            return false;
        }
    }
    s->line = 0;
    s->first_program = step;
    if (ran->answers.count == 0)
        return machine_fail(s->machine, "there is nothing to run: no [program] since the last [run]");
    s->runs++;
    s->machine->op = (unsigned)s->runs;
    if (!dispatch_go(s, &ran->answers) ||
        !answers_wait(s->machine, &s->firmware, SIGNAL_GO, limit ? limit : s->machine->max_cycles, &ran->answers))
        return false;
    end_ran(s, ran);
    return true;
}

/* ---- Dumps and expectations ---------------------------------------------------------------------- */

static bool keep(struct session *s, const struct seen *seen) {
    if (!machine_reserve(s->machine, &s->seen, s->seen_count, sizeof *s->seen))
        return false;
    s->seen[s->seen_count++] = *seen;
    return true;
}

static void hex_dump(const uint8_t *bytes, size_t size) {
    for (size_t row = 0; row < size; row += ROW) {
        printf("%08zx ", row);
        for (size_t i = row; i < row + ROW && i < size; i++)
            printf(i % 4 ? "%02x" : " %02x", bytes[i]);
        putchar('\n');
    }
}

static bool dump(struct session *s, size_t step) {
    const struct launch_look *look = &s->launch->steps[step].look;
    struct seen seen = { .step = step };
    uint8_t *bytes = data_read(s, look->buffer, &seen.size);
    bool ok = bytes;
    if (ok && look->file.n)
        ok = file_write(look->file, bytes, seen.size, s->machine->message, sizeof s->machine->message);
    else if (ok && !s->machine->json)
        hex_dump(bytes, seen.size);
    free(bytes);
    return ok && keep(s, &seen);
}

/* Returns a word of a buffer. The last word may have fewer bytes, and is padded with zeros. */
static uint32_t padded_word(const uint8_t *bytes, size_t size, size_t at) {
    uint32_t word = 0;
    for (unsigned i = 0; i < 4 && at + i < size; i++)
        word |= (uint32_t)bytes[at + i] << 8 * i;
    return word;
}

static void print_wrong(struct session *s, size_t step, size_t offset, uint32_t is, uint32_t expected) {
    const struct step *look = &s->launch->steps[step];
    struct span name = s->launch->steps[look->look.buffer].buffer.name;
    struct bh_xy tile = { 0 };
    uint64_t address = 0;
    data_where(s, look->look.buffer, offset, &tile, &address);
    fprintf(stderr, "%s:%u: %.*s+0x%zx (tile %u,%u address 0x%llx) is 0x%08x, not 0x%08x\n", s->machine->script_name,
            look->line, SPAN(name), offset, tile.x, tile.y, (unsigned long long)address, is, expected);
}

static bool expect(struct session *s, size_t step) {
    const struct launch_look *look = &s->launch->steps[step].look;
    struct machine *m = s->machine;
    struct seen seen = { .step = step };
    size_t one = (size_t)s->launch->steps[look->buffer].buffer.size;
    uint8_t *bytes = data_read(s, look->buffer, &seen.size), *expected = NULL;
    s->line = look->fill.line;
    if (bytes)
        expected = fill_bytes(&look->fill, one, seen.size, m->message, sizeof m->message);
    for (size_t i = 0; expected && i < seen.size; i += 4) {
        uint32_t is = padded_word(bytes, seen.size, i), should = padded_word(expected, seen.size, i);
        if (is != should && seen.wrong++ < WRONG_MAX)
            print_wrong(s, step, i, is, should);
    }
    if (seen.wrong > WRONG_MAX)
        fprintf(stderr, "%s:%u: ... and %zu more words differ\n", m->script_name, s->launch->steps[step].line,
                seen.wrong - WRONG_MAX);
    m->expectation_failed |= seen.wrong != 0;
    bool ok = expected != NULL;
    free(expected);
    free(bytes);
    return ok && keep(s, &seen);
}

bool session_run(struct session *s) {
    for (size_t i = 0; i < s->launch->count && !s->stopped; i++) {
        bool ok = true;
        s->line = 0;
        switch (s->launch->steps[i].kind) {
        case STEP_FIRMWARE: ok = boot(s, i); break;
        case STEP_BUFFER: ok = data_place(s, i); break;
        case STEP_PROGRAM: break; /* placed by its [run] */
        case STEP_RUN: ok = run(s, i); break;
        case STEP_DUMP: ok = dump(s, i); break;
        case STEP_EXPECT: ok = expect(s, i); break;
        }
        if (!ok && !s->line)
            s->line = s->launch->steps[i].line;
        if (!ok)
            return false;
    }
    return true;
}
