/* Plays sessions: every verb of session.def as calls of bhemu.h. See session.h.
 *
 * An answer is a hash over the status, the message behind it, what was written through pointers, and what callbacks
 * heard meanwhile. Buffers are as large as they are said to be, up to LARGEST, so that a sanitizer sees a byte too far.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"
#include "session.h"

enum { HOST_MEMORY = 1 << 16, LARGEST = 1 << 22, GUARD = 0xA5 };
enum { EXACT_EPOCH = 19 }; /* longest one with which every packet arrives in its cycle (bh_config.epoch) */

enum { CALLBACK_FAULT = 1, CALLBACK_WARNING = 2, CALLBACK_READ = 4, CALLBACK_WRITE = 8 };

struct play;

struct player {
    struct play *play;
    bh_chip *chip;
    bool lockstep;
    uint8_t *host;
    unsigned looks; /* of a debugger */
};

struct play {
    const struct session_call *call;
    unsigned change;
    uint64_t *mixed; /* one of the following */
    uint64_t answer, heard, events;
    struct player player[SESSION_CHIPS];
};

static void fail(const struct play *play, const char *what) {
    fprintf(stderr, "fuzz session: %s: %s\n", session_verbs[play->call->verb].name, what);
    abort();
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

static void mix(struct play *play, uint64_t value) {
    *play->mixed = (*play->mixed ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    *play->mixed ^= *play->mixed >> 29;
}

static void mix_bytes(struct play *play, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        mix(play, bytes[i]);
}

static void mix_text(struct play *play, const char *text) {
    if (!text)
        fail(play, "a text that is NULL");
    mix_bytes(play, text, strlen(text));
}

static uint64_t get(const struct play *play, const char *name) {
    return session_get(play->call, name);
}

static unsigned number(const struct play *play, const char *name) {
    return (unsigned)session_get(play->call, name);
}

static struct player *player_of(struct play *play) {
    return &play->player[get(play, "chip") % SESSION_CHIPS];
}

static bh_chip *chip_of(struct play *play) {
    return player_of(play)->chip;
}

static struct bh_xy tile_of(const struct play *play) {
    return (struct bh_xy){ (uint8_t)get(play, "x"), (uint8_t)get(play, "y") };
}

static enum bh_core core_of(const struct play *play) {
    return (enum bh_core)(int)get(play, "core");
}

static bool is_null(const struct play *play, unsigned pointer) {
    return get(play, "null") >> pointer & 1;
}

/* The pointer, or NULL where the log says so. */
static void *given(const struct play *play, unsigned pointer, void *at) {
    return is_null(play, pointer) ? NULL : at;
}

/* Returns whether a call succeeded. A failed call must leave its message. */
static bool done(struct play *play, bh_status status) {
    const bh_chip *chip = chip_of(play);
    mix(play, status);
    if ((unsigned)status >= BH_STATUS_COUNT)
        fail(play, "a status that there is not");
    if (status == BH_OK)
        return true;
    if (chip && !*bh_message(chip))
        fail(play, "a refusal without a message");
    mix_text(play, bh_message(chip));
    return false;
}

static void mix_fault(struct play *play, const struct bh_fault *fault) {
    mix(play, fault->kind);
    mix(play, (uint64_t)fault->tile.x << 8 | fault->tile.y);
    mix(play, (uint64_t)(unsigned)fault->core << 32 | (unsigned)fault->thread);
    mix(play, (uint64_t)fault->pc << 32 | fault->insn);
    mix(play, fault->address);
    mix(play, fault->cycle);
    mix_text(play, fault->text);
}

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

struct buffer {
    uint8_t *bytes;
    size_t size;
};

static struct buffer make_buffer(const struct play *play, size_t size) {
    struct buffer buffer = { .size = size <= LARGEST ? size : LARGEST };
    if (!(buffer.bytes = malloc(buffer.size ? buffer.size : 1)))
        exit(3);
    memset(buffer.bytes, GUARD, buffer.size);
    const uint8_t *data = (const uint8_t *)play->call->data;
    for (size_t i = 0; data && play->call->words && i < buffer.size; i++)
        buffer.bytes[i] = data[i % (4 * play->call->words)];
    return buffer;
}

static void finish_access(struct play *play, struct buffer *buffer, bh_status status, bool reads) {
    if (done(play, status) && reads && !is_null(play, 0))
        mix_bytes(play, buffer->bytes, buffer->size);
    free(buffer->bytes);
}

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

static struct play *begin_hearing(const struct player *player) {
    player->play->mixed = &player->play->heard;
    return player->play;
}

static void end_hearing(struct play *play) {
    play->mixed = &play->answer;
}

/* A callback may look. */
static void look_from(const struct player *player, const struct bh_fault *fault) {
    struct bh_core_info info;
    uint32_t word = 0;
    struct play *play = begin_hearing(player);
    mix_fault(play, fault);
    mix(play, bh_peek(player->chip, fault->tile, fault->pc & ~3u, &word, sizeof word));
    mix(play, word);
    mix(play, bh_core_query(player->chip, fault->tile, BH_BRISC, &info));
    mix(play, bh_cycle(player->chip));
    end_hearing(play);
}

static void hear_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    const struct player *player = user;
    if (chip != player->chip)
        fail(player->play, "a fault of another chip");
    look_from(player, fault);
}

/* Of the guest's addresses only the low bits matter. */
static uint8_t *host_byte(struct player *player, uint64_t address) {
    return &player->host[address % HOST_MEMORY];
}

static void read_host(void *user, uint64_t address, void *data, size_t size) {
    struct player *player = user;
    struct play *play = begin_hearing(player);
    mix(play, address ^ size << 48);
    end_hearing(play);
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)data)[i] = *host_byte(player, address + i);
}

static void write_host(void *user, uint64_t address, const void *data, size_t size) {
    struct player *player = user;
    struct play *play = begin_hearing(player);
    mix(play, address ^ size << 48);
    end_hearing(play);
    for (size_t i = 0; i < size; i++)
        *host_byte(player, address + i) = ((const uint8_t *)data)[i];
}

static void hear_event(void *user, const struct bh_event *event) {
    const struct player *player = user;
    struct play *play = player->play;
    if ((unsigned)event->track >= BH_TRACK_COUNT || event->end < event->start || !event->name)
        fail(play, "an event that cannot be");
    play->mixed = &play->events;
    mix(play,
        (uint64_t)event->kind << 32 | (uint64_t)event->track << 16 | (uint64_t)event->tile.x << 8 | event->tile.y);
    mix(play, event->start);
    mix(play, event->end);
    mix(play, (uint64_t)event->word << 32 | event->pc);
    mix(play, (uint64_t)event->count << 32 | event->bytes);
    mix(play, event->at);
    mix_text(play, event->name);
    end_hearing(play);
}

/* ---- Life ------------------------------------------------------------------------------------------------------- */

static void end(struct player *player) {
    bh_destroy(player->chip);
    free(player->host);
    *player = (struct player){ .play = player->play };
}

static struct bh_config drawn_config(struct play *play, struct player *player) {
    unsigned callbacks = number(play, "callbacks"), threads = number(play, "threads");
    struct bh_config config = {
        .board = (enum bh_board)(int)get(play, "board"),
        .tensix_harvest = (uint16_t)get(play, "tensix_harvest"),
        .eth_harvest = (uint16_t)get(play, "eth_harvest"),
        .dram_harvest = (uint8_t)get(play, "dram_harvest"),
        .threads = threads,
        .timing = (enum bh_timing)(int)get(play, "timing"),
        .skew = number(play, "skew"),
        .epoch = number(play, "epoch"),
        .on_fault = callbacks & CALLBACK_FAULT ? hear_fault : NULL,
        .on_warning = callbacks & CALLBACK_WARNING ? hear_fault : NULL,
        .host_read = callbacks & CALLBACK_READ ? read_host : NULL,
        .host_write = callbacks & CALLBACK_WRITE ? write_host : NULL,
        .user = player,
    };
    if (play->change == CHECK_THREADS && threads <= BH_THREADS_MAX)
        config.threads = threads == 1 ? 2 : 1;
    return config;
}

static void watch_all(struct player *player) {
    if (bh_observe(player->chip, BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS, hear_event, player) != BH_OK)
        exit(3);
}

static void hear_nothing(void *user, const struct bh_event *event) {
    (void)user, (void)event;
}

/* Looks at this and that of the tile of an event. */
static void look_around(void *user, bh_chip *chip, const struct bh_debug_event *event) {
    unsigned *count = user, turn = (*count)++;
    uint32_t value;
    char text[400];
    struct bh_thread_info thread;
    struct bh_core_info core;
    (void)bh_core_get(chip, event->tile, (enum bh_core)(turn % BH_CORE_COUNT), turn % 65, &value);
    (void)bh_core_query(chip, event->tile, (enum bh_core)(turn % BH_CORE_COUNT), &core);
    if (turn % 16)
        return;
    (void)bh_core_peek(chip, event->tile, BH_BRISC, turn * 4 % 0x20000, &value, sizeof value);
    (void)bh_peek(chip, event->tile, 0xFFB20000 + turn * 4 % 0x1000, &value, sizeof value);
    (void)bh_thread_query(chip, event->tile, turn / 16 % BH_THREADS, &thread);
    (void)bh_lreg_get(chip, event->tile, turn / 16 % 17, turn / 16 % 32, &value);
    (void)bh_dst_get(chip, event->tile, turn / 16 % 1024, turn / 16 % 16, &value);
    if (turn % 512 == 0)
        (void)bh_report(chip, text, sizeof text);
    if (turn % 4096 == 0)
        (void)bh_observe(chip, turn % 8192 ? 0 : BH_WATCH_EVENTS, hear_nothing, NULL);
    if (event->kind == BH_DEBUG_TIME)
        (void)bh_debug_at(chip, event->cycle + 100);
}

static void debug_all(struct player *player) {
    bh_status status = bh_debug(player->chip, look_around, &player->looks);
    for (uint8_t i = 0; i < 16 && status == BH_OK; i++) {
        const struct bh_xy tile = { (uint8_t)(1 + i % 4), (uint8_t)(2 + i / 4) };
        (void)bh_step(player->chip, tile, BH_ALL_CORES); /* the tile may be harvested */
        (void)bh_watchpoint(player->chip, tile, BH_BRISC, 0, 0x180000, BH_ACCESS_WRITE | BH_ACCESS_READ, true);
        (void)bh_watchpoint(player->chip, tile, BH_TRISC1, 0xFFB00000, 64, BH_ACCESS_WRITE, true);
    }
    if (status != BH_OK || bh_debug_at(player->chip, 100) != BH_OK)
        exit(3);
}

static void play_create(struct play *play) {
    struct player *player = player_of(play);
    char message[120] = "";
    end(player);
    struct bh_config config = drawn_config(play, player);
    player->lockstep = config.timing == BH_TIMING_CYCLES && config.skew == 1 && config.epoch <= EXACT_EPOCH;
    if (!(player->host = calloc(1, HOST_MEMORY)))
        exit(3);
    bh_status status =
        bh_create(given(play, 0, &config), given(play, 1, &player->chip), given(play, 2, message), sizeof message);
    mix(play, status);
    mix_text(play, message);
    if ((status == BH_OK) != (player->chip != NULL) || (status != BH_OK && !is_null(play, 2) && !*message))
        fail(play, "neither a chip nor a message");
    if (player->chip && play->change == CHECK_OBSERVED)
        watch_all(player);
    if (player->chip && play->change == CHECK_DEBUGGED)
        debug_all(player);
}

static void play_destroy(struct play *play) {
    end(player_of(play));
}

static void play_reset(struct play *play) {
    bh_reset(chip_of(play));
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static void play_access(struct play *play) {
    struct buffer buffer = make_buffer(play, (size_t)get(play, "size"));
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
    finish_access(play, &buffer, status, play->call->verb == VERB_read || play->call->verb == VERB_peek);
}

static void play_forbid(struct play *play) {
    uint32_t word = 0;
    if (bh_peek(chip_of(play), tile_of(play), get(play, "address"), &word, sizeof word) == BH_OK &&
        word == number(play, "value"))
        fail(play, "the word has the value");
}

static void play_pci(struct play *play) {
    struct buffer buffer = make_buffer(play, (size_t)get(play, "size"));
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
    finish_access(play, &buffer, status, play->call->verb == VERB_bar_read || play->call->verb == VERB_pci_read);
}

static void play_pci_config_read(struct play *play) {
    uint32_t value = 0;
    if (done(play, bh_pci_config_read(chip_of(play), number(play, "offset"), given(play, 0, &value))))
        mix(play, value);
}

static void play_pci_config_write(struct play *play) {
    done(play, bh_pci_config_write(chip_of(play), number(play, "offset"), number(play, "value")));
}

/* ---- Programs --------------------------------------------------------------------------------------------------- */

static void play_load(struct play *play) {
    struct buffer buffer = make_buffer(play, 4 * (size_t)play->call->words);
    done(play, bh_load_raw(chip_of(play), tile_of(play), core_of(play), number(play, "address"),
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
    struct buffer file = make_buffer(play, ELF_HEAD + size);
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
    if (done(play, bh_load_elf(chip_of(play), tile_of(play), core_of(play), given(play, 0, exact), size,
                               given(play, 1, &info))))
        mix_bytes(play, &info, sizeof info);
    free(exact);
    free(file.bytes);
}

static void play_release(struct play *play) {
    done(play, bh_release(chip_of(play), tile_of(play), number(play, "cores")));
}

static void play_hold(struct play *play) {
    done(play, bh_hold(chip_of(play), tile_of(play), number(play, "cores")));
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

static void play_vary(struct play *play) {
    done(play, bh_vary(chip_of(play), get(play, "seed")));
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
    if (!done(play, status))
        return;
    mix(play, stop.reason);
    mix(play, stop.waiting);
    mix(play, stop.cycle);
    if (stop.reason == BH_STOP_FAULT || stop.reason == BH_STOP_DEADLOCK)
        mix_fault(play, &stop.fault);
    if (flags == 0 && bh_cycle(player->chip) != before + cycles)
        fail(play, "other cycles have passed than were asked for");
}

static void play_look(struct play *play) {
    const bh_chip *chip = chip_of(play);
    struct buffer buffer = make_buffer(play, (size_t)get(play, "size") % 4096);
    mix(play, bh_cycle(chip));
    mix(play, bh_epoch(chip));
    mix(play, bh_unsettled(chip));
    mix(play, bh_deadlocked(chip));
    mix(play, bh_report(chip, buffer.size ? (char *)buffer.bytes : NULL, buffer.size));
    if (buffer.size && !memchr(buffer.bytes, 0, buffer.size))
        fail(play, "a report without an end");
    if (buffer.size)
        mix_text(play, (const char *)buffer.bytes);
    free(buffer.bytes);
}

static void play_hash(struct play *play) {
    mix(play, bh_state_hash(chip_of(play)));
}

/* ---- Tiles and cores -------------------------------------------------------------------------------------------- */

static void play_tile(struct play *play) {
    struct bh_tile_info info = { 0 };
    if (done(play, bh_tile_at(chip_of(play), number(play, "index"), given(play, 0, &info))))
        mix_text(play, bh_tile_kind_name(info.kind));
    if (done(play, bh_tile_find(chip_of(play), tile_of(play), given(play, 1, &info))))
        mix(play, info.index | (uint64_t)info.harvested << 8 | (uint64_t)info.kind << 16);
}

static void play_core_query(struct play *play) {
    struct bh_core_info info = { 0 };
    if (!done(play, bh_core_query(chip_of(play), tile_of(play), core_of(play), given(play, 0, &info))))
        return;
    mix(play, (uint64_t)info.state << 32 | info.pc);
    mix(play, info.retired);
    mix(play, info.waits_at);
    mix_text(play, info.waits_on);
}

static void play_core_get(struct play *play) {
    uint32_t value = 0;
    if (done(play,
             bh_core_get(chip_of(play), tile_of(play), core_of(play), number(play, "reg"), given(play, 0, &value))))
        mix(play, value);
}

static void play_core_set(struct play *play) {
    done(play, bh_core_set(chip_of(play), tile_of(play), core_of(play), number(play, "reg"), number(play, "value")));
}

static void play_core_resume(struct play *play) {
    done(play, bh_core_resume(chip_of(play), tile_of(play), core_of(play)));
}

static void play_core_fault(struct play *play) {
    struct bh_fault fault = { 0 };
    if (done(play, bh_core_fault(chip_of(play), tile_of(play), core_of(play), given(play, 0, &fault))))
        mix_fault(play, &fault);
}

/* ---- The coprocessor -------------------------------------------------------------------------------------------- */

static void play_thread_query(struct play *play) {
    struct bh_thread_info info = { 0 };
    if (!done(play, bh_thread_query(chip_of(play), tile_of(play), number(play, "thread"), given(play, 0, &info))))
        return;
    mix(play, (uint64_t)info.state << 32 | info.word);
    mix(play, (uint64_t)info.queued << 32 | info.pc);
    mix(play, info.passed);
    mix_text(play, info.waits_on);
}

static void play_thread_fault(struct play *play) {
    struct bh_fault fault = { 0 };
    if (done(play, bh_thread_fault(chip_of(play), tile_of(play), number(play, "thread"), given(play, 0, &fault))))
        mix_fault(play, &fault);
}

static void play_gpr_set(struct play *play) {
    done(play, bh_gpr_set(chip_of(play), tile_of(play), number(play, "thread"), number(play, "index"),
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
    if (done(play, status))
        mix(play, word);
}

static void play_semaphore_get(struct play *play) {
    uint32_t value = 0, max = 0;
    if (done(play, bh_semaphore_get(chip_of(play), tile_of(play), number(play, "index"), given(play, 0, &value),
                                    given(play, 1, &max))))
        mix(play, (uint64_t)value << 32 | max);
}

/* ---- Watching --------------------------------------------------------------------------------------------------- */

static void play_observe(struct play *play) {
    struct player *player = player_of(play);
    done(play, bh_observe(player->chip, number(play, "what"), is_null(play, 0) ? NULL : hear_event, player));
}

static void play_flush(struct play *play) {
    done(play, bh_observe_flush(chip_of(play)));
}

static void play_stats(struct play *play) {
    const bh_chip *chip = chip_of(play);
    enum bh_track track = (enum bh_track)(int)get(play, "track");
    struct bh_track_stats stats = { 0 };
    struct bh_stall stall = { 0 };
    struct bh_mix row = { 0 };
    if (done(play, bh_stats_get(chip, tile_of(play), track, given(play, 0, &stats))))
        mix_bytes(play, &stats, sizeof stats);
    if (done(play, bh_stall_at(chip, tile_of(play), track, number(play, "index"), given(play, 1, &stall))) && stall.why)
        mix_text(play, stall.why);
    if (done(play, bh_mix_at(chip, tile_of(play), track, number(play, "index"), given(play, 2, &row))) && row.name)
        mix_text(play, row.name);
    if (done(play, bh_endpoint_stats(chip, given(play, 3, &stats))))
        mix_bytes(play, &stats, sizeof stats);
}

static void play_profile(struct play *play) {
    struct bh_profile row = { 0 };
    if (done(play,
             bh_profile_from(chip_of(play), tile_of(play), core_of(play), number(play, "pc"), given(play, 0, &row))))
        mix(play, row.count ^ (uint64_t)row.pc << 32);
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static void mix_names(struct play *play, int index) {
    mix_text(play, bh_status_text((bh_status)index));
    mix_text(play, bh_fault_kind_text((enum bh_fault_kind)index));
    mix_text(play, bh_stop_reason_text((enum bh_stop_reason)index));
    mix_text(play, bh_core_name((enum bh_core)index));
    mix_text(play, bh_tile_kind_name((enum bh_tile_kind)index));
    mix_text(play, bh_track_name((enum bh_track)index));
}

static void play_tables(struct play *play) {
    unsigned index = number(play, "index");
    struct bh_isa_row row;
    struct bh_isa_config field;
    struct bh_region region;
    struct bh_coverage coverage = { 0 };
    struct buffer buffer = make_buffer(play, (size_t)get(play, "size") % 256);
    mix_names(play, (int)index);
    mix(play, bh_isa_at(index, given(play, 0, &row)));
    mix(play, bh_isa_config_at(index, given(play, 1, &field)));
    mix(play, bh_region_at(index, given(play, 2, &region)));
    if (done(play, bh_coverage_at(chip_of(play), index, given(play, 3, &coverage))) && coverage.name)
        mix(play, coverage.words);
    mix(play, bh_disassemble(index, number(play, "word"), buffer.size ? (char *)buffer.bytes : NULL, buffer.size));
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
        end(&play.player[i]);
    }
}
