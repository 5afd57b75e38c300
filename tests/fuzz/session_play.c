/* Plays sessions: every verb of session.def as calls of bhemu.h. See session.h. */
#include <stdlib.h>
#include <string.h>

#include "session_player.h"

/* ---- Life ------------------------------------------------------------------------------------------------------- */

static void play_destroy(struct play *play) {
    player_end(player_of(play));
}

static void play_reset(struct play *play) {
    bh_reset(chip_of(play));
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static void play_access(struct play *play) {
    struct buffer buffer = player_buffer(play, (size_t)get(play, "size"));
    bh_chip *chip = chip_of(play);
    struct bh_xy tile = tile_of(play);
    uint64_t address = get(play, "address");
    void *data = given(play, 0, buffer.bytes);
    bh_status status = BH_OK;
    switch (play->call->verb) {
    case VERB_read: status = bh_read(chip, tile, address, data, buffer.size); break;
    case VERB_write: status = bh_write(chip, tile, address, data, buffer.size); break;
    case VERB_peek: status = bh_peek(chip, tile, address, data, buffer.size); break;
    default: status = bh_poke(chip, tile, address, data, buffer.size); break;
    }
    player_finish_access(play, &buffer, status, play->call->verb == VERB_read || play->call->verb == VERB_peek);
}

static void play_forbid(struct play *play) {
    uint32_t word = 0;
    if (bh_peek(chip_of(play), tile_of(play), get(play, "address"), &word, sizeof word) == BH_OK &&
        word == number(play, "value"))
        player_fail(play, "the word has the value");
}

static void play_pci(struct play *play) {
    struct buffer buffer = player_buffer(play, (size_t)get(play, "size"));
    bh_chip *chip = chip_of(play);
    void *data = given(play, 0, buffer.bytes);
    bh_status status = BH_OK;
    switch (play->call->verb) {
    case VERB_bar_read: status = bh_bar_read(chip, number(play, "bar"), get(play, "offset"), data, buffer.size); break;
    case VERB_bar_write:
        status = bh_bar_write(chip, number(play, "bar"), get(play, "offset"), data, buffer.size);
        break;
    case VERB_pci_read: status = bh_pci_read(chip, get(play, "address"), data, buffer.size); break;
    default: status = bh_pci_write(chip, get(play, "address"), data, buffer.size); break;
    }
    player_finish_access(play, &buffer, status, play->call->verb == VERB_bar_read || play->call->verb == VERB_pci_read);
}

static void play_pci_config_read(struct play *play) {
    uint32_t value = 0;
    if (player_done(play, bh_pci_config_read(chip_of(play), number(play, "offset"), given(play, 0, &value))))
        player_mix(play, value);
}

static void play_pci_config_write(struct play *play) {
    player_done(play, bh_pci_config_write(chip_of(play), number(play, "offset"), number(play, "value")));
}

/* ---- Programs --------------------------------------------------------------------------------------------------- */

static void play_load(struct play *play) {
    struct buffer buffer = player_buffer(play, 4 * (size_t)play->call->words);
    player_done(play, bh_load_raw(chip_of(play), tile_of(play), core_of(play), number(play, "address"),
                                  given(play, 0, buffer.bytes), buffer.size));
    free(buffer.bytes);
}

/* A file with the words at the address, and so many bytes of local memory; then shorter, and with a bit changed. */
enum { ELF_HEADER = 52, ELF_ROW = 32, ELF_HEAD = ELF_HEADER + 2 * ELF_ROW };

static void put_word(uint8_t *file, size_t at, uint32_t value) {
    memcpy(file + at, &value, sizeof value);
}

static void put_row(uint8_t *file, size_t at, uint32_t offset, uint32_t address, uint32_t file_size, uint32_t size) {
    const uint32_t row[ELF_ROW / 4] = { 1, offset, address, address, file_size, size, 7, 4 };
    memcpy(file + at, row, sizeof row);
}

static struct buffer make_elf(const struct play *play) {
    uint32_t size = 4 * play->call->words, address = number(play, "address"), local = number(play, "local");
    struct buffer file = player_buffer(play, ELF_HEAD + size);
    memset(file.bytes, 0, ELF_HEAD);
    memcpy(file.bytes, "\177ELF\1\1\1", 7);
    put_word(file.bytes, 16, 2 | 243u << 16); /* executable, RISC-V */
    put_word(file.bytes, 20, 1);
    put_word(file.bytes, 24, address);
    put_word(file.bytes, 28, ELF_HEADER);
    put_word(file.bytes, 40, ELF_HEADER | ELF_ROW << 16);
    put_word(file.bytes, 44, local ? 2 : 1);
    put_row(file.bytes, ELF_HEADER, ELF_HEAD, address, size, size + local % 64);
    put_row(file.bytes, ELF_HEADER + ELF_ROW, ELF_HEAD, 0xFFB00000, size < local ? size : local, local);
    if (size)
        memcpy(file.bytes + ELF_HEAD, play->call->data, size);
    return file;
}

static void play_elf(struct play *play) {
    struct buffer file = make_elf(play);
    struct bh_image_info info = { 0 };
    uint64_t change = get(play, "change"), cut = get(play, "cut");
    if (change)
        file.bytes[change / 8 % file.size] ^= (uint8_t)(1u << change % 8);
    size_t size = cut < file.size ? file.size - (size_t)cut : 0;
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        exit(3);
    memcpy(exact, file.bytes, size);
    if (player_done(play, bh_load_elf(chip_of(play), tile_of(play), core_of(play), given(play, 0, exact), size,
                                      given(play, 1, &info))))
        player_mix_bytes(play, &info, sizeof info);
    free(exact);
    free(file.bytes);
}

static void play_release(struct play *play) {
    player_done(play, bh_release(chip_of(play), tile_of(play), number(play, "cores")));
}

static void play_hold(struct play *play) {
    player_done(play, bh_hold(chip_of(play), tile_of(play), number(play, "cores")));
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

static void play_vary(struct play *play) {
    player_done(play, bh_vary(chip_of(play), get(play, "seed")));
}

/* Pieces of 1, 2, 4 ... cycles and then the rest. */
static bh_status run_cut(bh_chip *chip, uint64_t cycles, struct bh_stop *stop) {
    bh_status status = BH_OK;
    for (uint64_t piece = 1; status == BH_OK && piece < cycles && piece <= 1024; piece *= 2) {
        status = bh_run(chip, piece, 0, NULL);
        cycles -= piece;
    }
    return status == BH_OK ? bh_run(chip, cycles, 0, stop) : status;
}

static void play_run(struct play *play) {
    struct player *player = player_of(play);
    struct bh_stop stop = { 0 };
    uint64_t cycles = get(play, "cycles"), before = bh_cycle(player->chip);
    unsigned flags = number(play, "flags");
    bool cut = play->change == CHECK_CUT && player->lockstep && !flags && cycles;
    bh_status status = cut ? run_cut(player->chip, cycles, given(play, 0, &stop))
                           : bh_run(player->chip, cycles, flags, given(play, 0, &stop));
    if (!player_done(play, status))
        return;
    player_mix(play, stop.reason);
    player_mix(play, stop.waiting);
    player_mix(play, stop.cycle);
    if (stop.reason == BH_STOP_FAULT || stop.reason == BH_STOP_DEADLOCK)
        player_mix_fault(play, &stop.fault);
    if (flags == 0 && bh_cycle(player->chip) != before + cycles)
        player_fail(play, "other cycles have passed than were asked for");
}

static void play_look(struct play *play) {
    const bh_chip *chip = chip_of(play);
    struct buffer buffer = player_buffer(play, (size_t)get(play, "size") % 4096);
    player_mix(play, bh_cycle(chip));
    player_mix(play, bh_epoch(chip));
    player_mix(play, bh_unsettled(chip));
    player_mix(play, bh_deadlocked(chip));
    player_mix(play, bh_report(chip, buffer.size ? (char *)buffer.bytes : NULL, buffer.size));
    if (buffer.size && !memchr(buffer.bytes, 0, buffer.size))
        player_fail(play, "a report without an end");
    if (buffer.size)
        player_mix_text(play, (const char *)buffer.bytes);
    free(buffer.bytes);
}

static void play_hash(struct play *play) {
    player_mix(play, bh_state_hash(chip_of(play)));
}

/* ---- Tiles and cores -------------------------------------------------------------------------------------------- */

static void play_tile(struct play *play) {
    struct bh_tile_info info = { 0 };
    if (player_done(play, bh_tile_at(chip_of(play), number(play, "index"), given(play, 0, &info))))
        player_mix_text(play, bh_tile_kind_name(info.kind));
    if (player_done(play, bh_tile_find(chip_of(play), tile_of(play), given(play, 1, &info))))
        player_mix(play, info.index | (uint64_t)info.harvested << 8 | (uint64_t)info.kind << 16);
}

static void play_core_query(struct play *play) {
    struct bh_core_info info = { 0 };
    if (!player_done(play, bh_core_query(chip_of(play), tile_of(play), core_of(play), given(play, 0, &info))))
        return;
    player_mix(play, (uint64_t)info.state << 32 | info.pc);
    player_mix(play, info.retired);
    player_mix(play, info.waits_at);
    player_mix_text(play, info.waits_on);
}

static void play_core_get(struct play *play) {
    uint32_t value = 0;
    if (player_done(play, bh_core_get(chip_of(play), tile_of(play), core_of(play), number(play, "reg"),
                                      given(play, 0, &value))))
        player_mix(play, value);
}

static void play_core_set(struct play *play) {
    player_done(play,
                bh_core_set(chip_of(play), tile_of(play), core_of(play), number(play, "reg"), number(play, "value")));
}

static void play_core_resume(struct play *play) {
    player_done(play, bh_core_resume(chip_of(play), tile_of(play), core_of(play)));
}

static void play_core_fault(struct play *play) {
    struct bh_fault fault = { 0 };
    if (player_done(play, bh_core_fault(chip_of(play), tile_of(play), core_of(play), given(play, 0, &fault))))
        player_mix_fault(play, &fault);
}

/* ---- The coprocessor -------------------------------------------------------------------------------------------- */

static void play_thread_query(struct play *play) {
    struct bh_thread_info info = { 0 };
    if (!player_done(play,
                     bh_thread_query(chip_of(play), tile_of(play), number(play, "thread"), given(play, 0, &info))))
        return;
    player_mix(play, (uint64_t)info.state << 32 | info.word);
    player_mix(play, (uint64_t)info.queued << 32 | info.pc);
    player_mix(play, info.passed);
    player_mix_text(play, info.waits_on);
}

static void play_thread_fault(struct play *play) {
    struct bh_fault fault = { 0 };
    if (player_done(play,
                    bh_thread_fault(chip_of(play), tile_of(play), number(play, "thread"), given(play, 0, &fault))))
        player_mix_fault(play, &fault);
}

static void play_gpr_set(struct play *play) {
    player_done(play, bh_gpr_set(chip_of(play), tile_of(play), number(play, "thread"), number(play, "index"),
                                 number(play, "value")));
}

/* A register of the coprocessor by two numbers. */
static void play_register(struct play *play) {
    const bh_chip *chip = chip_of(play);
    struct bh_xy tile = tile_of(play);
    unsigned first = (unsigned)play->call->argument[3], second = (unsigned)play->call->argument[4];
    uint32_t word = 0, *value = given(play, 0, &word);
    bh_status status = BH_OK;
    switch (play->call->verb) {
    case VERB_gpr_get: status = bh_gpr_get(chip, tile, first, second, value); break;
    case VERB_config_get: status = bh_tensix_config_get(chip, tile, first, second, value); break;
    case VERB_thread_config_get: status = bh_thread_config_get(chip, tile, first, second, value); break;
    case VERB_dst_get: status = bh_dst_get(chip, tile, first, second, value); break;
    default: status = bh_lreg_get(chip, tile, first, second, value); break;
    }
    if (player_done(play, status))
        player_mix(play, word);
}

static void play_semaphore_get(struct play *play) {
    uint32_t value = 0, max = 0;
    if (player_done(play, bh_semaphore_get(chip_of(play), tile_of(play), number(play, "index"), given(play, 0, &value),
                                           given(play, 1, &max))))
        player_mix(play, (uint64_t)value << 32 | max);
}

/* ---- Watching --------------------------------------------------------------------------------------------------- */

static void play_observe(struct play *play) {
    struct player *player = player_of(play);
    player_done(play,
                bh_observe(player->chip, number(play, "what"), is_null(play, 0) ? NULL : player_hear_event, player));
}

static void play_flush(struct play *play) {
    player_done(play, bh_observe_flush(chip_of(play)));
}

static void play_stats(struct play *play) {
    const bh_chip *chip = chip_of(play);
    enum bh_track track = (enum bh_track)(int)get(play, "track");
    struct bh_track_stats stats = { 0 };
    struct bh_stall stall = { 0 };
    struct bh_mix row = { 0 };
    if (player_done(play, bh_stats_get(chip, tile_of(play), track, given(play, 0, &stats))))
        player_mix_bytes(play, &stats, sizeof stats);
    if (player_done(play, bh_stall_at(chip, tile_of(play), track, number(play, "index"), given(play, 1, &stall))) &&
        stall.why)
        player_mix_text(play, stall.why);
    if (player_done(play, bh_mix_at(chip, tile_of(play), track, number(play, "index"), given(play, 2, &row))) &&
        row.name)
        player_mix_text(play, row.name);
    if (player_done(play, bh_endpoint_stats(chip, given(play, 3, &stats))))
        player_mix_bytes(play, &stats, sizeof stats);
}

static void play_profile(struct play *play) {
    struct bh_profile row = { 0 };
    if (player_done(play, bh_profile_from(chip_of(play), tile_of(play), core_of(play), number(play, "pc"),
                                          given(play, 0, &row))))
        player_mix(play, row.count ^ (uint64_t)row.pc << 32);
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static void mix_names(struct play *play, int index) {
    player_mix_text(play, bh_status_text((bh_status)index));
    player_mix_text(play, bh_fault_kind_text((enum bh_fault_kind)index));
    player_mix_text(play, bh_stop_reason_text((enum bh_stop_reason)index));
    player_mix_text(play, bh_core_name((enum bh_core)index));
    player_mix_text(play, bh_tile_kind_name((enum bh_tile_kind)index));
    player_mix_text(play, bh_track_name((enum bh_track)index));
}

static void play_tables(struct play *play) {
    unsigned index = number(play, "index");
    struct bh_isa_row row;
    struct bh_isa_config field;
    struct bh_region region;
    struct bh_coverage coverage = { 0 };
    struct buffer buffer = player_buffer(play, (size_t)get(play, "size") % 256);
    mix_names(play, (int)index);
    player_mix(play, bh_isa_at(index, given(play, 0, &row)));
    player_mix(play, bh_isa_config_at(index, given(play, 1, &field)));
    player_mix(play, bh_region_at(index, given(play, 2, &region)));
    if (player_done(play, bh_coverage_at(chip_of(play), index, given(play, 3, &coverage))) && coverage.name)
        player_mix(play, coverage.words);
    player_mix(play,
               bh_disassemble(index, number(play, "word"), buffer.size ? (char *)buffer.bytes : NULL, buffer.size));
    free(buffer.bytes);
}

/* ---- Sessions --------------------------------------------------------------------------------------------------- */

static void (*const verbs[VERB_COUNT])(struct play *) = {
    [VERB_create] = play_create,
    [VERB_destroy] = play_destroy,
    [VERB_reset] = play_reset,
    [VERB_read] = play_access,
    [VERB_write] = play_access,
    [VERB_peek] = play_access,
    [VERB_poke] = play_access,
    [VERB_load] = play_load,
    [VERB_elf] = play_elf,
    [VERB_release] = play_release,
    [VERB_hold] = play_hold,
    [VERB_run] = play_run,
    [VERB_look] = play_look,
    [VERB_hash] = play_hash,
    [VERB_tile] = play_tile,
    [VERB_core_query] = play_core_query,
    [VERB_core_get] = play_core_get,
    [VERB_core_set] = play_core_set,
    [VERB_core_resume] = play_core_resume,
    [VERB_core_fault] = play_core_fault,
    [VERB_thread_query] = play_thread_query,
    [VERB_thread_fault] = play_thread_fault,
    [VERB_gpr_get] = play_register,
    [VERB_gpr_set] = play_gpr_set,
    [VERB_config_get] = play_register,
    [VERB_thread_config_get] = play_register,
    [VERB_dst_get] = play_register,
    [VERB_lreg_get] = play_register,
    [VERB_semaphore_get] = play_semaphore_get,
    [VERB_observe] = play_observe,
    [VERB_flush] = play_flush,
    [VERB_stats] = play_stats,
    [VERB_profile] = play_profile,
    [VERB_pci_config_read] = play_pci_config_read,
    [VERB_pci_config_write] = play_pci_config_write,
    [VERB_bar_read] = play_pci,
    [VERB_bar_write] = play_pci,
    [VERB_pci_read] = play_pci,
    [VERB_pci_write] = play_pci,
    [VERB_forbid] = play_forbid,
    [VERB_tables] = play_tables,
    [VERB_vary] = play_vary,
};

void session_play(const struct session *session, unsigned change, struct session_outcome *outcome) {
    struct play play = { .change = change };
    for (unsigned i = 0; i < SESSION_CHIPS; i++)
        play.player[i].play = &play;
    for (unsigned i = 0; i < session->count; i++) {
        play.call = &session->call[i];
        play.answer = play.heard = play.events = 1;
        play.mixed = &play.answer;
        bool watches = session_verbs[play.call->verb].watches;
        if (!watches || !(change & (CHECK_OBSERVED | CHECK_DEBUGGED)))
            verbs[play.call->verb](&play);
        outcome->compared[i] = !watches || !(change & (CHECK_OBSERVED | CHECK_CUT | CHECK_DEBUGGED));
        outcome->answer[i] = play.answer;
        outcome->heard[i] = play.heard;
        outcome->events[i] = play.events;
    }
    for (unsigned i = 0; i < SESSION_CHIPS; i++) {
        outcome->state[i] = play.player[i].chip ? bh_state_hash(play.player[i].chip) : 0;
        player_end(&play.player[i]);
    }
}
