/* State of a coprocessor, as text and as JSON: see inside.h. */
#include "machine/inside.h"

#include <stdio.h>
#include <string.h>

enum { BANKS = 2, ROWS = 64, COLUMNS = 16, AXES = 4 };

static const char *const adc_names[BH_ADC_USERS] = { "unpacker0", "unpacker1", "packer" };
static const char *const owner_names[] = { "unpackers", "matrix" };
static const char *const replay_names[] = { "idle", "recording", "playing" };

static enum bh_src_file file_of(const struct inside *inside) {
    return inside->what == INSIDE_SRCA ? BH_SRC_A : BH_SRC_B;
}

/* Writes "T1.wait" or "tensix.srca". */
static void put_name(const struct inside *inside, char *text, size_t size) {
    const char *what = inside_names[inside->what];
    if (inside_is_shared(inside->what))
        snprintf(text, size, "tensix.%s", what);
    else
        snprintf(text, size, "T%u.%s", inside->thread, what);
}

/* ---- Reading -------------------------------------------------------------------------------------- */

static bh_status read_src(const bh_chip *chip, struct bh_xy tile, struct inside *inside) {
    enum bh_src_file file = file_of(inside);
    bh_status status = bh_src_query(chip, tile, file, &inside->src.info);
    for (unsigned i = 0; status == BH_OK && i < BANKS * ROWS * COLUMNS; i++) {
        unsigned bank = i / COLUMNS / ROWS, row = i / COLUMNS % ROWS, column = i % COLUMNS;
        status = bh_src_get(chip, tile, file, bank, row, column, &inside->src.datum[bank][row][column]);
    }
    return status;
}

static bh_status read_adc(const bh_chip *chip, struct bh_xy tile, struct inside *inside) {
    bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < BH_ADC_USERS; i++)
        status = bh_adc_get(chip, tile, inside->thread, (enum bh_adc_user)i, &inside->adc[i]);
    return status;
}

bh_status inside_read(const bh_chip *chip, struct bh_xy tile, struct inside *inside) {
    switch (inside->what) {
    case INSIDE_WAIT: return bh_wait_get(chip, tile, inside->thread, &inside->wait);
    case INSIDE_ADC: return read_adc(chip, tile, inside);
    case INSIDE_RWC: return bh_rwc_get(chip, tile, inside->thread, &inside->rwc);
    case INSIDE_MOP: return bh_mop_get(chip, tile, inside->thread, &inside->mop);
    case INSIDE_REPLAY: return bh_replay_get(chip, tile, inside->thread, &inside->replay);
    case INSIDE_SRCA:
    case INSIDE_SRCB: return read_src(chip, tile, inside);
    default: return BH_ERR_ARGUMENT;
    }
}

/* ---- Instruction words ---------------------------------------------------------------------------- */

static const char *name_of(uint8_t opcode) {
    struct bh_isa_row row;
    for (unsigned i = 0; bh_isa_at(i, &row) == BH_OK; i++)
        if (row.opcode == opcode)
            return row.name;
    return "";
}

/* Disassembles a pushed word; "" if the word is no instruction. */
static const char *instruction(uint32_t word, char *text, size_t size) {
    static const char prefix[] = ".ttinsn ";
    *text = 0;
    if (word >> 30 == 3)
        return text;
    bh_disassemble(0, word << 2 | word >> 30, text, size);
    const char *name = text + sizeof prefix - 1;
    return strncmp(text, prefix, sizeof prefix - 1) == 0 && *name >= 'A' && *name <= 'Z' ? name : "";
}

static void word_line(unsigned index, uint32_t word) {
    char text[BH_INSTRUCTION_TEXT];
    const char *what = instruction(word, text, sizeof text);
    printf("  %2u  %08x%s%s\n", index, word, *what ? "  " : "", what);
}

/* ---- Text ----------------------------------------------------------------------------------------- */

static void text_wait(const struct bh_wait *wait) {
    if (!wait->opcode) {
        printf("  none\n");
        return;
    }
    const char *name = name_of(wait->opcode);
    printf("  %s since cycle %llu, holds 0x%03x, condition 0x%x", name, (unsigned long long)wait->since, wait->block,
           wait->condition);
    if (wait->semaphores)
        printf(", semaphores 0x%02x", wait->semaphores);
    if (strcmp(name, "STREAMWAIT") == 0)
        printf(", stream %u, target %u", wait->stream, wait->target);
    printf(", unmet 0x%x", wait->unmet);
    if (wait->until != UINT64_MAX)
        printf(", ends in cycle %llu", (unsigned long long)wait->until);
    printf("\n");
    if (*wait->text)
        printf("  %s\n", wait->text);
}

static void text_adc(const struct bh_adc adc[BH_ADC_USERS]) {
    printf("  %-12s%8s%8s%8s%8s%10s%8s%8s%8s\n", "", "X", "Y", "Z", "W", "X CR", "Y CR", "Z CR", "W CR");
    for (unsigned i = 0; i < 2 * BH_ADC_USERS; i++) {
        const struct bh_adc_channel *channel = &adc[i / 2].channel[i % 2];
        printf("  %-9s %u ", adc_names[i / 2], i % 2);
        for (unsigned axis = 0; axis < AXES; axis++)
            printf("%8u", channel->value[axis]);
        for (unsigned axis = 0; axis < AXES; axis++)
            printf(axis ? "%8u" : "%10u", channel->cr[axis]);
        printf("\n");
    }
}

static void text_rwc(const struct bh_rwc *rwc) {
    printf("  dst %u (CR %u), srca %u (CR %u), srcb %u (CR %u), fidelity %u, sp %u\n", rwc->dst, rwc->dst_cr,
           rwc->src_a, rwc->src_a_cr, rwc->src_b, rwc->src_b_cr, rwc->fidelity, rwc->sp);
}

static void text_mop(const struct bh_mop_info *mop) {
    char text[BH_INSTRUCTION_TEXT];
    if (mop->expanding) {
        printf("  expanding %s (pushed at pc 0x%x)\n", instruction(mop->word, text, sizeof text), mop->pc);
        printf("  outer %u of %u, inner %u of %u, step %u, mask 0x%08x\n", mop->outer, mop->outer_count, mop->inner,
               mop->inner_count, mop->step, mop->mask);
        printf("  next %08x  %s\n", mop->next, instruction(mop->next, text, sizeof text));
    } else {
        printf("  idle\n");
    }
    printf("  %u queued, zmask_high 0x%04x\n", mop->queued, mop->zmask_high);
    for (unsigned i = 0; i < sizeof mop->config / sizeof *mop->config; i++)
        word_line(i, mop->config[i]);
}

/* Prints the Replay buffer, without words that are 0, their value at power-on. */
static void text_replay(const struct bh_replay_info *replay) {
    printf("  %s", replay_names[replay->state]);
    if (replay->state != BH_REPLAY_IDLE)
        printf(" at %u, %u left%s", replay->at, replay->left, replay->executing ? ", executing" : "");
    if (replay->state == BH_REPLAY_PLAYING)
        printf(" (pushed at pc 0x%x)", replay->pc);
    printf("\n");
    for (unsigned i = 0; i < sizeof replay->word / sizeof *replay->word; i++)
        if (replay->word[i])
            word_line(i, replay->word[i]);
}

static bool is_zero(const uint32_t row[COLUMNS]) {
    uint32_t any = 0;
    for (unsigned i = 0; i < COLUMNS; i++)
        any |= row[i];
    return any == 0;
}

/* Prints a bank of SrcA or SrcB, without rows of zeros. */
static void text_bank(const struct inside *inside, unsigned bank) {
    const struct bh_src_info *info = &inside->src.info;
    printf("  bank %u: owner %s, format %u%s%s\n", bank, owner_names[info->owner[bank]], info->format[bank],
           bank == info->unpacker_bank ? ", the unpackers' next" : "",
           bank == info->matrix_bank ? ", the Matrix Unit's" : "");
    for (unsigned row = 0; row < ROWS; row++) {
        if (is_zero(inside->src.datum[bank][row]))
            continue;
        printf("  %2u ", row);
        for (unsigned column = 0; column < COLUMNS; column++)
            printf(" %05x", inside->src.datum[bank][row][column]);
        printf("\n");
    }
}

static void text_src(const struct inside *inside) {
    const struct bh_src_info *info = &inside->src.info;
    printf("  %s, %s, unpacks begin at rows %u, %u and %u\n", info->valid ? "valid" : "not valid",
           info->free ? "free" : "not free", info->unpacker_row[0], info->unpacker_row[1], info->unpacker_row[2]);
    for (unsigned bank = 0; bank < BANKS; bank++)
        text_bank(inside, bank);
}

void inside_text(const struct inside *inside, struct bh_xy tile) {
    char name[24];
    put_name(inside, name, sizeof name);
    printf("tile %u,%u %s\n", tile.x, tile.y, name);
    switch (inside->what) {
    case INSIDE_WAIT: text_wait(&inside->wait); break;
    case INSIDE_ADC: text_adc(inside->adc); break;
    case INSIDE_RWC: text_rwc(&inside->rwc); break;
    case INSIDE_MOP: text_mop(&inside->mop); break;
    case INSIDE_REPLAY: text_replay(&inside->replay); break;
    default: text_src(inside); break;
    }
}

/* ---- JSON ----------------------------------------------------------------------------------------- */

static void json_words(struct json *j, const char *key, const uint32_t *words, size_t count) {
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(j, NULL, words[i]);
    json_close(j, ']');
}

static void json_bytes(struct json *j, const char *key, const uint8_t *bytes, size_t count) {
    json_open(j, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(j, NULL, bytes[i]);
    json_close(j, ']');
}

static void json_wait(struct json *j, const struct bh_wait *wait) {
    json_bool(j, "latched", wait->opcode != 0);
    if (!wait->opcode)
        return;
    json_string(j, "by", name_of(wait->opcode));
    json_number(j, "opcode", wait->opcode);
    json_number(j, "since", wait->since);
    if (wait->until != UINT64_MAX)
        json_number(j, "until", wait->until);
    json_number(j, "block", wait->block);
    json_number(j, "condition", wait->condition);
    json_number(j, "semaphores", wait->semaphores);
    json_number(j, "stream", wait->stream);
    json_number(j, "target", wait->target);
    json_number(j, "unmet", wait->unmet);
    json_string(j, "text", wait->text);
}

static void json_adc(struct json *j, const struct bh_adc adc[BH_ADC_USERS]) {
    for (unsigned i = 0; i < BH_ADC_USERS; i++) {
        json_open(j, adc_names[i], '[');
        for (unsigned channel = 0; channel < 2; channel++) {
            json_open(j, NULL, '{');
            json_words(j, "value", adc[i].channel[channel].value, AXES);
            json_words(j, "cr", adc[i].channel[channel].cr, AXES);
            json_close(j, '}');
        }
        json_close(j, ']');
    }
}

static void json_rwc(struct json *j, const struct bh_rwc *rwc) {
    json_number(j, "dst", rwc->dst);
    json_number(j, "dst_cr", rwc->dst_cr);
    json_number(j, "srca", rwc->src_a);
    json_number(j, "srca_cr", rwc->src_a_cr);
    json_number(j, "srcb", rwc->src_b);
    json_number(j, "srcb_cr", rwc->src_b_cr);
    json_number(j, "fidelity", rwc->fidelity);
    json_number(j, "sp", rwc->sp);
}

static void json_mop(struct json *j, const struct bh_mop_info *mop) {
    char text[BH_INSTRUCTION_TEXT];
    json_words(j, "config", mop->config, sizeof mop->config / sizeof *mop->config);
    json_number(j, "zmask_high", mop->zmask_high);
    json_number(j, "queued", mop->queued);
    json_bool(j, "expanding", mop->expanding);
    if (!mop->expanding)
        return;
    json_number(j, "word", mop->word);
    json_string(j, "instruction", instruction(mop->word, text, sizeof text));
    json_number(j, "pc", mop->pc);
    json_number(j, "outer", mop->outer);
    json_number(j, "outer_count", mop->outer_count);
    json_number(j, "inner", mop->inner);
    json_number(j, "inner_count", mop->inner_count);
    json_number(j, "step", mop->step);
    json_number(j, "mask", mop->mask);
    json_number(j, "next", mop->next);
}

static void json_replay(struct json *j, const struct bh_replay_info *replay) {
    json_string(j, "state", replay_names[replay->state]);
    json_bool(j, "executing", replay->executing);
    json_number(j, "at", replay->at);
    json_number(j, "left", replay->left);
    json_number(j, "pc", replay->pc);
    json_words(j, "words", replay->word, sizeof replay->word / sizeof *replay->word);
}

static void json_src(struct json *j, const struct inside *inside) {
    const struct bh_src_info *info = &inside->src.info;
    json_number(j, "unpacker_bank", info->unpacker_bank);
    json_number(j, "matrix_bank", info->matrix_bank);
    json_bool(j, "valid", info->valid);
    json_bool(j, "free", info->free);
    json_bytes(j, "unpacker_rows", info->unpacker_row, BH_THREADS);
    json_open(j, "banks", '[');
    for (unsigned bank = 0; bank < BANKS; bank++) {
        json_open(j, NULL, '{');
        json_string(j, "owner", owner_names[info->owner[bank]]);
        json_number(j, "format", info->format[bank]);
        json_open(j, "rows", '[');
        for (unsigned row = 0; row < ROWS; row++)
            json_words(j, NULL, inside->src.datum[bank][row], COLUMNS);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

void inside_json(struct json *j, const struct inside *inside) {
    char name[24];
    put_name(inside, name, sizeof name);
    json_string(j, "name", name);
    switch (inside->what) {
    case INSIDE_WAIT: json_wait(j, &inside->wait); break;
    case INSIDE_ADC: json_adc(j, inside->adc); break;
    case INSIDE_RWC: json_rwc(j, &inside->rwc); break;
    case INSIDE_MOP: json_mop(j, &inside->mop); break;
    case INSIDE_REPLAY: json_replay(j, &inside->replay); break;
    default: json_src(j, inside); break;
    }
}

/* ---- Threads -------------------------------------------------------------------------------------- */

struct seen_thread {
    struct bh_xy tile;
    unsigned thread;
    struct bh_thread_info info;
    struct bh_wait wait;
};

static bool read_thread(const bh_chip *chip, struct seen_thread *seen) {
    return bh_thread_query(chip, seen->tile, seen->thread, &seen->info) == BH_OK &&
           bh_wait_get(chip, seen->tile, seen->thread, &seen->wait) == BH_OK &&
           (seen->info.state != BH_THREAD_IDLE || seen->wait.opcode);
}

static void json_thread(struct json *j, const struct machine *m, const struct seen_thread *seen) {
    static const char *const states[] = { "idle", "running", "waiting", "faulted" };
    const struct bh_thread_info *info = &seen->info;
    char text[BH_INSTRUCTION_TEXT];
    snprintf(text, sizeof text, "%u,%u", seen->tile.x, seen->tile.y);
    json_open_line(j, NULL, '{');
    json_string(j, "tile", text);
    json_number(j, "thread", seen->thread);
    json_string(j, "state", states[info->state]);
    json_number(j, "queued", info->queued);
    json_number(j, "passed", info->passed);
    json_open(j, "wait", '{');
    json_wait(j, &seen->wait);
    json_close(j, '}');
    if (info->word) {
        uint32_t at = info->pc;
        const struct program *program = machine_program(m, seen->tile, (enum bh_core)(BH_TRISC0 + seen->thread), &at);
        json_number(j, "word", info->word);
        json_string(j, "instruction", instruction(info->word, text, sizeof text));
        json_string(j, "waits_on", info->waits_on);
        json_number(j, "pc", info->pc);
        program_json(j, program, at, true);
    }
    json_close_line(j, '}');
}

void inside_json_threads(struct json *j, const struct machine *m) {
    bool any = false;
    for (unsigned i = 0; i < m->tensix_count * BH_THREADS; i++) {
        struct seen_thread seen = { .tile = m->tensix[i / BH_THREADS], .thread = i % BH_THREADS };
        if (!read_thread(m->chip, &seen))
            continue;
        if (!any)
            json_open(j, "threads", '[');
        any = true;
        json_thread(j, m, &seen);
    }
    if (any)
        json_close(j, ']');
}
