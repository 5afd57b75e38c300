/* What every verb of a session needs: answers, buffers, callbacks, and the life of a chip. See session_player.h. */
#include "session_player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_MEMORY = 1 << 16, LARGEST = 1 << 22, GUARD = 0xA5 };
enum { EXACT_EPOCH = 19 }; /* longest one with which every packet arrives in its cycle (bh_config.epoch) */

enum { CALLBACK_FAULT = 1, CALLBACK_WARNING = 2, CALLBACK_READ = 4, CALLBACK_WRITE = 8 };

void player_fail(const struct play *play, const char *what) {
    fprintf(stderr, "fuzz session: %s: %s\n", session_verbs[play->call->verb].name, what);
    abort();
}

/* ---- Answers ---------------------------------------------------------------------------------------------------- */

void player_mix(struct play *play, uint64_t value) {
    *play->mixed = (*play->mixed ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    *play->mixed ^= *play->mixed >> 29;
}

void player_mix_bytes(struct play *play, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        player_mix(play, bytes[i]);
}

void player_mix_text(struct play *play, const char *text) {
    if (!text)
        player_fail(play, "a text that is NULL");
    player_mix_bytes(play, text, strlen(text));
}

/* Returns whether a call succeeded. A failed call must leave its message. */
bool player_done(struct play *play, bh_status status) {
    const bh_chip *chip = chip_of(play);
    player_mix(play, status);
    if ((unsigned)status >= BH_STATUS_COUNT)
        player_fail(play, "a status that there is not");
    if (status == BH_OK)
        return true;
    if (chip && !*bh_message(chip))
        player_fail(play, "a refusal without a message");
    player_mix_text(play, bh_message(chip));
    return false;
}

void player_mix_fault(struct play *play, const struct bh_fault *fault) {
    player_mix(play, fault->kind);
    player_mix(play, (uint64_t)fault->tile.x << 8 | fault->tile.y);
    player_mix(play, (uint64_t)(unsigned)fault->core << 32 | (unsigned)fault->thread);
    player_mix(play, (uint64_t)fault->pc << 32 | fault->insn);
    player_mix(play, fault->address);
    player_mix(play, fault->cycle);
    player_mix_text(play, fault->text);
}

/* ---- Buffers ---------------------------------------------------------------------------------------------------- */

struct buffer player_buffer(const struct play *play, size_t size) {
    struct buffer buffer = { .size = size <= LARGEST ? size : LARGEST };
    if (!(buffer.bytes = malloc(buffer.size ? buffer.size : 1)))
        exit(3);
    memset(buffer.bytes, GUARD, buffer.size);
    const uint8_t *data = (const uint8_t *)play->call->data;
    for (size_t i = 0; data && play->call->words && i < buffer.size; i++)
        buffer.bytes[i] = data[i % (4 * play->call->words)];
    return buffer;
}

void player_finish_access(struct play *play, struct buffer *buffer, bh_status status, bool reads) {
    if (player_done(play, status) && reads && !is_null(play, 0))
        player_mix_bytes(play, buffer->bytes, buffer->size);
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
    player_mix_fault(play, fault);
    player_mix(play, bh_peek(player->chip, fault->tile, fault->pc & ~3u, &word, sizeof word));
    player_mix(play, word);
    player_mix(play, bh_core_query(player->chip, fault->tile, BH_BRISC, &info));
    player_mix(play, bh_cycle(player->chip));
    end_hearing(play);
}

static void hear_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    const struct player *player = user;
    if (chip != player->chip)
        player_fail(player->play, "a fault of another chip");
    look_from(player, fault);
}

/* Of the guest's addresses only the low bits matter. */
static uint8_t *host_byte(struct player *player, uint64_t address) {
    return &player->host[address % HOST_MEMORY];
}

static void read_host(void *user, uint64_t address, void *data, size_t size) {
    struct player *player = user;
    struct play *play = begin_hearing(player);
    player_mix(play, address ^ size << 48);
    end_hearing(play);
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)data)[i] = *host_byte(player, address + i);
}

static void write_host(void *user, uint64_t address, const void *data, size_t size) {
    struct player *player = user;
    struct play *play = begin_hearing(player);
    player_mix(play, address ^ size << 48);
    end_hearing(play);
    for (size_t i = 0; i < size; i++)
        *host_byte(player, address + i) = ((const uint8_t *)data)[i];
}

void player_hear_event(void *user, const struct bh_event *event) {
    const struct player *player = user;
    struct play *play = player->play;
    if ((unsigned)event->track >= BH_TRACK_COUNT || event->end < event->start || !event->name)
        player_fail(play, "an event that cannot be");
    play->mixed = &play->events;
    player_mix(play, (uint64_t)event->kind << 32 | (uint64_t)event->track << 16 | (uint64_t)event->tile.x << 8 |
                         event->tile.y);
    player_mix(play, event->start);
    player_mix(play, event->end);
    player_mix(play, (uint64_t)event->word << 32 | event->pc);
    player_mix(play, (uint64_t)event->count << 32 | event->bytes);
    player_mix(play, event->at);
    player_mix_text(play, event->name);
    end_hearing(play);
}

/* ---- Life ------------------------------------------------------------------------------------------------------- */

void player_end(struct player *player) {
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
    if (bh_observe(player->chip, BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS, player_hear_event, player) !=
        BH_OK)
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

void play_create(struct play *play) {
    struct player *player = player_of(play);
    char message[120] = "";
    player_end(player);
    struct bh_config config = drawn_config(play, player);
    player->lockstep = config.timing == BH_TIMING_CYCLES && config.skew == 1 && config.epoch <= EXACT_EPOCH;
    if (!(player->host = calloc(1, HOST_MEMORY)))
        exit(3);
    bh_status status =
        bh_create(given(play, 0, &config), given(play, 1, &player->chip), given(play, 2, message), sizeof message);
    player_mix(play, status);
    player_mix_text(play, message);
    if ((status == BH_OK) != (player->chip != NULL) || (status != BH_OK && !is_null(play, 2) && !*message))
        player_fail(play, "neither a chip nor a message");
    if (player->chip && play->change == CHECK_OBSERVED)
        watch_all(player);
    if (player->chip && play->change == CHECK_DEBUGGED)
        debug_all(player);
}
