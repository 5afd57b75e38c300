/* Boots firmware on tiles: see firmware.h. The steps are those of tt-metal's host with TT_METAL_SLOW_DISPATCH_MODE, but
 * tile by tile instead of by multicast. */
#include "firmware/firmware.h"
#include "machine/addresses.h"
#include "report/landmarks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"

#define SOFT_RESET   0xFFB121B0u
#define HOLD_ALL     0x47800u
#define HOLD_SUBS    0x47000u    /* all cores except BRISC */
#define TRISC_PC     0xFFB12228u /* reset pcs of TRISC0, 1 and 2 */
#define NCRISC_PC    0xFFB12238u
#define JUMP_REACH   0x100000u
#define LOGICAL_COLS 20 /* entries of the table from logical to virtual coordinates */
#define LOGICAL_ROWS 12
#define TABLE_MAX    4096

bool write_word(struct machine *m, struct bh_xy tile, uint32_t address, uint32_t value) {
    uint8_t b[4];
    put_word(b, value);
    return machine_write(m, tile, address, b, sizeof b);
}

/* ---- Layouts ----------------------------------------------------------------------------------- */

static bool layout_error(struct machine *m, const char *name, const struct ini *ini) {
    return machine_fail(m, "%s:%u: %s", name, ini->errors[0].line, ini->errors[0].text);
}

static bool built_in(struct machine *m, const struct layout_text *text, struct firmware *f) {
    struct ini ini;
    snprintf(f->layout_name, sizeof f->layout_name, "%s", text->name);
    return layout_parse(&ini, text->text, strlen(text->text), &f->layout) || layout_error(m, text->name, &ini);
}

static bool from_file(struct machine *m, struct span path, struct firmware *f) {
    struct ini ini;
    size_t size;
    char *text = (char *)file_read(path, &size, m->message, sizeof m->message);
    if (!text)
        return false;
    snprintf(f->layout_name, sizeof f->layout_name, "%.*s", SPAN(path));
    bool ok = layout_parse(&ini, text, size, &f->layout) || layout_error(m, f->layout_name, &ini);
    free(text);
    return ok;
}

static bool named_layout(struct machine *m, struct span name, struct firmware *f) {
    for (const struct layout_text *text = layout_texts; text->name; text++)
        if (span_is(name, text->name))
            return built_in(m, text, f);
    return from_file(m, name, f);
}

/* Returns whether the layout has the addresses of the programs. If not, *core is the first core whose address
 * differs. */
static bool layout_fits(const struct firmware *f, unsigned *core) {
    for (*core = 0; *core < BH_CORE_COUNT; ++*core)
        if (program_entry(f->program[*core]) != f->layout.firmware[*core])
            return false;
    return true;
}

static bool find_layout(struct machine *m, struct firmware *f) {
    unsigned core;
    for (const struct layout_text *text = layout_texts; text->name; text++) {
        if (!built_in(m, text, f))
            return false;
        if (layout_fits(f, &core))
            return true;
    }
    return machine_fail(m,
                        "no layout that is built in has firmware at 0x%x (brisc) and 0x%x (trisc2): describe it in a "
                        "file and give that as the layout",
                        program_entry(f->program[BH_BRISC]), program_entry(f->program[BH_TRISC2]));
}

static bool check_layout(struct machine *m, struct firmware *f) {
    struct firmware other = *f;
    unsigned core, ignored;
    if (layout_fits(f, &core))
        return true;
    uint32_t entry = program_entry(f->program[core]), base = f->layout.firmware[core];
    const char *path = program_path(f->program[core]);
    bool found = find_layout(m, &other) && layout_fits(&other, &ignored);
    return machine_fail(m, "'%s' begins at 0x%x, but layout '%s' has %s firmware at 0x%x%s%s%s", path, entry,
                        f->layout_name, bh_core_name((enum bh_core)core), base, found ? "; these files are '" : "",
                        found ? other.layout_name : "", found ? "'" : "");
}

/* ---- Files ------------------------------------------------------------------------------------- */

static bool open_one(struct machine *m, const struct firmware_files *what, struct firmware *f, enum bh_core core) {
    const char *name = bh_core_name(core);
    struct span file = what->file[core], dir = what->directory;
    size_t room = file.n + dir.n + strlen(name) + 8;
    f->path[core] = malloc(room);
    if (!f->path[core])
        return machine_fail(m, "out of memory");
    if (file.n)
        snprintf(f->path[core], room, "%.*s", (int)file.n, file.p);
    else if (dir.n)
        snprintf(f->path[core], room, "%.*s/%s.elf", (int)dir.n, dir.p, name);
    else
        return machine_fail(m, "there is no firmware for %s", name);
    f->program[core] = machine_open_program(m, span_of(f->path[core]), program_open_elf);
    return f->program[core] != NULL;
}

/* Sets *count to the number of items in the variable into which the firmware copies a table, if BRISC's program has
 * it. */
static void count_from_symbol(const struct firmware *f, const char *name, unsigned item, uint32_t max,
                              uint32_t *count) {
    uint32_t address, size;
    if (program_find(f->program[BH_BRISC], span_of(name), &address, &size) && size >= item && size / item <= max)
        *count = size / item;
}

/* Numbers of live DRAM banks and Tensix tiles of a board. */
struct board_counts {
    unsigned dram_banks, tensix_tiles;
};

static struct board_counts count_board(const bh_chip *chip) {
    struct board_counts counts = { 0, 0 };
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++) {
        counts.dram_banks += info.kind == BH_TILE_DRAM && !info.harvested && info.port == 0;
        counts.tensix_tiles += info.kind == BH_TILE_TENSIX && !info.harvested;
    }
    return counts;
}

static bool is_large_enough(const bh_chip *chip, const void *what) {
    const struct layout *l = what;
    struct board_counts has = count_board(chip);
    return has.dram_banks >= l->dram_banks && has.tensix_tiles >= l->l1_banks;
}

static bool check_board(struct machine *m, struct firmware *f) {
    struct board_counts has = count_board(m->chip);
    count_from_symbol(f, "dram_bank_to_noc_xy", 4, 8, &f->layout.dram_banks);
    count_from_symbol(f, "l1_bank_to_noc_xy", 4, TENSIX_MAX, &f->layout.l1_banks);
    count_from_symbol(f, "cb_interface", 32, 64, &f->layout.cb_count);
    if (is_large_enough(m->chip, &f->layout))
        return true;
    const char *other = machine_other_board(m, is_large_enough, &f->layout);
    return machine_fail(m, "wrong board: the firmware is for %u DRAM banks and %u Tensix tiles, a %s has %u and %u%s%s",
                        f->layout.dram_banks, f->layout.l1_banks, board_name(m->config.board), has.dram_banks,
                        has.tensix_tiles, other ? "; it fits a " : "; no board has that many", other ? other : "");
}

/* Returns the number of bytes of the table of banks (bank_table). */
static uint32_t bank_table_size(const struct layout *l) {
    return 8 * (l->dram_banks + l->l1_banks);
}

/* A range of L1, [low, high), and what uses it. */
struct stretch {
    uint32_t low, high;
    const char *name;
};

#define STRETCHES 48

struct stretches {
    struct stretch all[STRETCHES];
    unsigned count;
};

static bool place_of(const struct firmware *f, enum bh_core core, const struct segment *s, struct stretch *at) {
    bool local = address_is_local(s->address);
    uint32_t low = local ? f->layout.staging[core] + (s->address - LOCAL_BASE) : s->address;
    if (low >= L1_SIZE || s->memory_size > L1_SIZE - low)
        return false;
    *at = (struct stretch){ low, low + (uint32_t)s->memory_size, f->path[core] };
    return true;
}

static bool add_stretch(struct machine *m, struct stretches *list, uint32_t low, uint32_t high, const char *name) {
    for (unsigned i = 0; i < list->count; i++) {
        const struct stretch *other = &list->all[i];
        if (low < other->high && other->low < high)
            return machine_fail(m, "L1 overlap: '%s' takes 0x%x to 0x%x, '%s' takes 0x%x to 0x%x", other->name,
                                other->low, other->high, name, low, high);
    }
    if (list->count == STRETCHES)
        return machine_fail(m, "the firmware has too many segments");
    list->all[list->count++] = (struct stretch){ low, high, name };
    return true;
}

/* Adds the ranges that the host writes before the firmware runs. */
static bool add_mailbox(struct machine *m, const struct layout *l, struct stretches *list) {
    const struct {
        uint32_t low, size;
        const char *name;
    } parts[] = {
        { 0, 4, "the jump to brisc's firmware" },
        { l->sync, 4, "sync" },
        { l->rd_ptr, 4, "rd_ptr" },
        { l->launch, l->launch_size * l->launch_count, "launch" },
        { l->go, 4 * l->go_count, "go" },
        { l->go_index, 4, "go_index" },
        { l->bank_table, bank_table_size(l), "table of banks" },
        { l->logical_table, l->logical_table ? LOGICAL_COLS + LOGICAL_ROWS : 0, "logical_to_virtual" },
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].size && !add_stretch(m, list, parts[i].low, parts[i].low + parts[i].size, parts[i].name))
            return false;
    return true;
}

static bool check_segments(struct machine *m, const struct firmware *f) {
    struct stretches list = { .count = 0 };
    if (!add_mailbox(m, &f->layout, &list))
        return false;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct segment s;
        struct stretch one;
        for (size_t i = 0; program_segment(f->program[core], i, &s); i++) {
            if (!place_of(f, (enum bh_core)core, &s, &one))
                return machine_fail(m, "'%s' has a segment at 0x%x that does not fit into L1", f->path[core],
                                    s.address);
            if (one.low < one.high && !add_stretch(m, &list, one.low, one.high, one.name))
                return false;
        }
    }
    return true;
}

bool firmware_open(struct machine *m, const struct firmware_files *what, struct firmware *f) {
    *f = (struct firmware){ 0 };
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (!open_one(m, what, f, (enum bh_core)core))
            return false;
    bool ok = what->layout.n ? named_layout(m, what->layout, f) && check_layout(m, f) : find_layout(m, f);
    return ok && check_board(m, f) && check_segments(m, f);
}

void firmware_close(struct firmware *f) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        free(f->path[core]);
    *f = (struct firmware){ 0 };
}

/* ---- Tables ------------------------------------------------------------------------------------ */

/* Returns the port that kernels use to access a bank; to spread the load, it differs between the two NoCs. The numbers
 * are tt-metal's. */
static unsigned dram_port(unsigned bank, unsigned noc) {
    static const uint8_t noc0[8] = { 2, 0, 0, 0, 2, 2, 2, 2 };
    return noc ? 1 : noc0[bank & 7];
}

bool dram_tile(const bh_chip *chip, unsigned bank, unsigned noc, struct bh_xy *tile) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++) {
        if (info.kind != BH_TILE_DRAM || info.harvested || info.logical.x != bank || info.port != dram_port(bank, noc))
            continue;
        *tile = info.translated;
        return true;
    }
    return false;
}

struct table {
    uint8_t bytes[TABLE_MAX];
    size_t size;
};

static void put(struct table *t, uint32_t value, unsigned width) {
    for (unsigned i = 0; i < width && t->size < TABLE_MAX; i++)
        t->bytes[t->size++] = (uint8_t)(value >> 8 * i);
}

static uint32_t packed_xy(struct bh_xy tile) {
    return (uint32_t)tile.y << 6 | tile.x;
}

/* Makes the table u16 dram_xy[2][banks], u16 l1_xy[2][tiles], i32 dram_offset[banks], i32 l1_offset[tiles], where xy is
 * y << 6 | x. Both NoCs use translated coordinates. */
static void bank_table(const struct machine *m, const struct layout *l, struct table *t) {
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned bank = 0; bank < l->dram_banks; bank++) {
            struct bh_xy tile = { 0 };
            dram_tile(m->chip, bank, noc, &tile);
            put(t, packed_xy(tile), 2);
        }
    }
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned i = 0; i < l->l1_banks; i++)
            put(t, packed_xy(m->tensix[i]), 2);
    for (unsigned i = 0; i < l->dram_banks + l->l1_banks; i++)
        put(t, 0, 4);
}

/* Makes a table with one byte for each logical column, then one for each logical row. */
static void logical_table(const struct machine *m, struct table *t) {
    t->size = LOGICAL_COLS + LOGICAL_ROWS;
    memset(t->bytes, 0, t->size);
    for (unsigned i = 0; i < m->tensix_count; i++) {
        struct bh_tile_info info;
        if (bh_tile_find(m->chip, m->tensix[i], &info) != BH_OK || info.logical.x >= LOGICAL_COLS ||
            info.logical.y >= LOGICAL_ROWS)
            continue;
        t->bytes[info.logical.x] = info.translated.x;
        t->bytes[LOGICAL_COLS + info.logical.y] = info.translated.y;
    }
}

/* ---- Boot -------------------------------------------------------------------------------------- */

struct boot {
    const struct firmware *firmware;
    struct table banks, logical;
};

static bool load_segment(struct machine *m, struct bh_xy tile, const struct firmware *f, enum bh_core core,
                         const struct segment *s) {
    struct stretch at;
    if (!place_of(f, core, s, &at))
        return false;
    uint8_t *bytes = calloc(1, s->memory_size);
    if (!bytes)
        return machine_fail(m, "out of memory");
    memcpy(bytes, s->data, s->size < s->memory_size ? s->size : s->memory_size);
    bool ok = machine_write(m, tile, at.low, bytes, s->memory_size);
    free(bytes);
    return ok;
}

static bool load_core(struct machine *m, struct bh_xy tile, const struct firmware *f, enum bh_core core) {
    struct segment s;
    for (size_t i = 0; program_segment(f->program[core], i, &s); i++)
        if (!load_segment(m, tile, f, core, &s))
            return false;
    return true;
}

/* Writes empty launch messages whose mode is MODE_HOST, and a go message with the signal INIT. */
static bool write_mailbox(struct machine *m, struct bh_xy tile, const struct layout *l) {
    const struct message_field *mode = &l->message[MESSAGE_MODE];
    uint8_t message[4096] = { 0 };
    message[mode->offset] = MODE_HOST;
    for (unsigned i = 0; i < l->launch_count; i++)
        if (!machine_write(m, tile, l->launch + i * l->launch_size, message, l->launch_size))
            return false;
    return write_word(m, tile, l->rd_ptr, 0) && write_word(m, tile, l->go_index, 0) &&
           write_word(m, tile, l->go, (uint32_t)SIGNAL_INIT << 8 * SIGNAL_OFFSET);
}

static bool write_coordinates(struct machine *m, struct bh_xy tile, const struct layout *l) {
    struct bh_tile_info info;
    if (l->logical_x == 0 || bh_tile_find(m->chip, tile, &info) != BH_OK)
        return true;
    return machine_write(m, tile, l->logical_x, &info.logical.x, 1) &&
           machine_write(m, tile, l->logical_y, &info.logical.y, 1);
}

static uint32_t jump_to(uint32_t target) { /* the instruction jal x0, target, for address 0 */
    return (target & 0xFF000) | (target & 0x800) << 9 | (target & 0x7FE) << 20 | 0x6F;
}

/* Writes the addresses at which the other cores start. Some builds of BRISC's firmware leave this to the host. */
static bool write_reset_pcs(struct machine *m, struct bh_xy tile, const struct layout *l) {
    return write_word(m, tile, TRISC_PC, l->firmware[BH_TRISC0]) &&
           write_word(m, tile, TRISC_PC + 4, l->firmware[BH_TRISC1]) &&
           write_word(m, tile, TRISC_PC + 8, l->firmware[BH_TRISC2]) &&
           write_word(m, tile, NCRISC_PC, l->firmware[BH_NCRISC]);
}

static bool load_tile(struct machine *m, struct bh_xy tile, const void *what) {
    const struct boot *boot = what;
    const struct firmware *f = boot->firmware;
    const struct layout *l = &f->layout;
    if (!write_word(m, tile, SOFT_RESET, HOLD_ALL))
        return false;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (!load_core(m, tile, f, (enum bh_core)core))
            return false;
    if (l->logical_table && !machine_write(m, tile, l->logical_table, boot->logical.bytes, boot->logical.size))
        return false;
    return machine_write(m, tile, l->bank_table, boot->banks.bytes, boot->banks.size) &&
           write_coordinates(m, tile, l) && write_mailbox(m, tile, l) && write_reset_pcs(m, tile, l) &&
           write_word(m, tile, 0, jump_to(l->firmware[BH_BRISC]));
}

static bool release_tile(struct machine *m, struct bh_xy tile, const void *what) {
    (void)what;
    return write_word(m, tile, SOFT_RESET, HOLD_SUBS);
}

/* Records the code of each core for reports. */
static bool remember(struct machine *m, const struct firmware *f, const struct tile_list *tiles) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct segment s;
        for (size_t i = 0; program_segment(f->program[core], i, &s); i++) {
            struct image image = { .program = f->program[core],
                                   .tiles = *tiles,
                                   .core = (enum bh_core)core,
                                   .firmware = true,
                                   .low = s.address,
                                   .high = s.address + (uint32_t)s.memory_size,
                                   .bytes = s.size == s.memory_size ? s.data : NULL };
            if (s.code && !machine_add_image(m, &image))
                return false;
        }
    }
    return true;
}

/* Names the addresses of the mailbox for reports. */
static bool name_mailbox(struct machine *m, const struct layout *l, const struct tile_list *tiles) {
    bool ok = landmark_add(m, tiles, l->config_base, l->config_size, "arguments and kernels") &&
              landmark_add(m, tiles, l->bank_table, bank_table_size(l), "table of banks") &&
              landmark_add(m, tiles, l->launch, l->launch_size * l->launch_count, "launch messages") &&
              landmark_add(m, tiles, l->rd_ptr, 4, "which launch message is next") &&
              landmark_add(m, tiles, l->go_index, 4, "which go message counts") &&
              landmark_add(m, tiles, l->go, 4 * l->go_count, "go message: what the host tells brisc");
    for (unsigned i = 1; ok && i < PROCESSORS; i++)
        ok = landmark_add(m, tiles, l->sync + i - 1, 1, "what brisc and %s tell each other",
                          bh_core_name(processor_core[i]));
    return ok;
}

/* Names stream registers for reports. Registers 8 and 10 of a stream count the pages of a circular buffer; register 297
 * of streams from 48 on counts the workers that have answered a dispatcher. */
static bool name_streams(struct machine *m, const struct layout *l, const struct tile_list *tiles) {
    bool ok = true;
    for (unsigned i = 0; ok && i < l->cb_count; i++) {
        uint32_t stream = STREAMS + (l->cb_streams + i) * STREAM_SIZE;
        ok = landmark_add(m, tiles, stream + 4 * 8, 4, "pages of circular buffer %u that were taken", i) &&
             landmark_add(m, tiles, stream + 4 * 10, 4, "pages of circular buffer %u that were put in", i);
    }
    for (unsigned i = 0; ok && i < 8; i++)
        ok = landmark_add(m, tiles, STREAMS + (48 + i) * STREAM_SIZE + 4 * 297, 4,
                          "workers that have answered, counter %u", i);
    return ok;
}

/* Tells the hazard check where cores record the ends of kernels, and where circular buffers are described. */
static bool announce(struct machine *m, const struct layout *layout) {
    struct bh_check_firmware firmware;
    if (!m->check || !layout_for_check(layout, &firmware) || bh_check_firmware(m->chip, &firmware) == BH_OK)
        return true;
    return machine_fail(m, "--check: %s", bh_message(m->chip));
}

bool firmware_boot(struct machine *m, const struct firmware *f, const struct tile_list *tiles, uint64_t max_cycles,
                   struct answers *answers) {
    struct boot boot = { .firmware = f };
    if (f->layout.firmware[BH_BRISC] >= JUMP_REACH)
        return machine_fail(m, "the firmware of BRISC is out of reach of a jump from address 0");
    bank_table(m, &f->layout, &boot.banks);
    logical_table(m, &boot.logical);
    if (!announce(m, &f->layout) || !remember(m, f, tiles) || !name_mailbox(m, &f->layout, tiles) ||
        !name_streams(m, &f->layout, tiles) || !answers_expect(m, tiles, answers))
        return false;
    if (m->restore)
        return answers_found(m, f, answers);
    return machine_each_tile(m, tiles, TENSIX_TILE, load_tile, &boot) &&
           machine_each_tile(m, tiles, TENSIX_TILE, release_tile, NULL) &&
           answers_wait(m, f, SIGNAL_INIT, max_cycles, answers);
}
