/* Places programs like tt-metal's slow dispatch: see session.h. The parts of a program follow each other from the base
 * of the kernel configuration on, each aligned to 16 bytes: runtime arguments and common arguments of each processor,
 * semaphores (16 bytes each), circular buffers (16 bytes each, up to the last one in use), kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/kernel.h"
#include "machine/addresses.h"
#include "report/landmarks.h"
#include "launch/session.h"
#include "text/file.h"

#define ITEM        16u /* bytes of a semaphore, and of the description of a circular buffer */
#define MESSAGE_MAX 4096

struct placement {
    struct session *session;
    const struct launch_program *program;
    uint32_t rta[PROCESSORS], crta[PROCESSORS], semaphores, cbs, remote, text[PROCESSORS]; /* offsets from the base */
    uint32_t size;
    unsigned cb_end;
    uint32_t cb_address[CB_MAX]; /* addresses of the circular buffers for which the file gives none */
    struct kernel kernel[PROCESSORS];
    struct answers tiles;
};

static uint32_t align16(size_t n) {
    return ((uint32_t)n + 15) & ~15u;
}

/* ---- Values ------------------------------------------------------------------------------------- */

struct scope {
    struct placement *placement;
    unsigned index;
    struct bh_tile_info tile;
};

static bool find_tile_name(const struct scope *scope, struct span name, int64_t *value) {
    const struct bh_tile_info *t = &scope->tile;
    const int64_t values[] = { scope->index,    scope->placement->tiles.count,
                               t->translated.x, t->translated.y,
                               t->logical.x,    t->logical.y };
    for (unsigned i = 0; launch_tile_names[i]; i++) {
        if (span_is(name, launch_tile_names[i])) {
            *value = values[i];
            return true;
        }
    }
    return false;
}

/* Finds the value of a name. For buffers, NAME is the address; NAME.size, NAME.page and NAME.pages are properties. */
static bool find(const void *user, struct span name, int64_t *value) {
    const struct scope *scope = user;
    const struct session *s = scope->placement->session;
    struct span member = name, head = name;
    if (find_tile_name(scope, name, value))
        return true;
    bool whole = !span_cut(&member, '.', &head);
    size_t step = launch_find_buffer(s->launch, s->launch->count, head);
    if (step == s->launch->count)
        return false;
    const struct launch_buffer *b = &s->launch->steps[step].buffer;
    uint64_t page = b->page ? b->page : b->size;
    *value = whole                     ? (int64_t)s->address[step]
             : span_is(member, "size") ? (int64_t)b->size
             : span_is(member, "page") ? (int64_t)page
                                       : (int64_t)((b->size + page - 1) / page);
    return true;
}

/* Finds an item of a comma-separated list. Returns false past the last. */
static bool item_at(struct span list, unsigned index, struct span *item) {
    while (index-- > 0)
        if (!span_cut(&list, ',', item))
            return false;
    if (!span_cut(&list, ',', item))
        *item = list;
    return true;
}

static unsigned item_count(struct span list) {
    unsigned count = list.n != 0;
    for (size_t i = 0; i < list.n; i++)
        count += list.p[i] == ',';
    return count;
}

static bool value_at(const struct scope *scope, const struct setting *setting, unsigned index, uint32_t *value) {
    struct session *s = scope->placement->session;
    struct expr_scope names = { .find = find, .user = scope };
    struct parse_error error = { 0 };
    struct span item = { "", 0 };
    s->line = setting->line;
    return (item_at(setting->text, index, &item) && expr_word(item, &names, value, &error)) ||
           machine_fail(s->machine, "%s", error.text);
}

/* ---- Placement ---------------------------------------------------------------------------------- */

static uint32_t reserve(struct placement *p, size_t size) {
    uint32_t at = p->size;
    p->size = align16(at + size);
    return at;
}

static bool in_local(const struct segment *s) {
    return address_is_local(s->address);
}

/* Checks that the variables of a kernel in local memory do not overlap those of the firmware: they follow them if the
 * kernel was linked with the symbols of this firmware. */
static bool check_local(struct placement *p, unsigned processor, const struct program *program) {
    const struct program *firmware = p->session->firmware.program[processor_core[processor]];
    struct segment own, other;
    for (size_t i = 0; program_segment(program, i, &own); i++)
        for (size_t j = 0; in_local(&own) && program_segment(firmware, j, &other); j++)
            if (in_local(&other) && own.address < other.address + other.memory_size &&
                other.address < own.address + own.memory_size)
                return machine_fail(
                    p->session->machine,
                    "local memory overlap: '%s' takes 0x%x to 0x%zx, '%s' takes 0x%x to 0x%zx: they are "
                    "not of one build",
                    program_path(program), own.address, own.address + own.memory_size, program_path(firmware),
                    other.address, other.address + other.memory_size);
    return true;
}

static bool open_kernel(struct placement *p, unsigned processor) {
    struct session *s = p->session;
    struct machine *m = s->machine;
    const struct setting *setting = &p->program->kernel[processor];
    struct span rest = setting->text, word;
    s->line = setting->line;
    bool raw = span_word(&rest, &word) && span_is(word, "raw") && span_trim(rest).n;
    struct program *program =
        machine_open_program(m, raw ? span_trim(rest) : setting->text, raw ? program_open_raw : program_open_elf);
    if (!program)
        return false;
    uint32_t run = s->firmware.layout.config_base + p->size;
    struct kernel *k = &p->kernel[processor];
    if (!kernel_make(program, run, k, m->message, sizeof m->message) || (!raw && !check_local(p, processor, program)))
        return false;
    uint8_t *copy = malloc(k->size ? k->size : 1);
    if (!copy)
        return machine_fail(m, "out of memory");
    memcpy(copy, k->bytes, k->size);
    struct image image = { .program = program,
                           .tiles = p->program->tiles,
                           .core = processor_core[processor],
                           .low = run,
                           .high = run + (uint32_t)k->size,
                           .shift = run - k->link,
                           .bytes = copy,
                           .own = copy };
    p->text[processor] = reserve(p, k->size);
    if (machine_add_image(m, &image))
        return true;
    free(copy);
    return false;
}

/* Fails with a message that lists the sizes of the parts. */
static bool too_large(struct placement *p) {
    const struct layout *l = &p->session->firmware.layout;
    char kernels[160];
    int used = 0;
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (p->kernel[i].size && used >= 0 && (size_t)used < sizeof kernels)
            used += snprintf(kernels + used, sizeof kernels - (size_t)used, ", %s's kernel 0x%zx",
                             bh_core_name(processor_core[i]), p->kernel[i].size);
    return machine_fail(
        p->session->machine,
        "L1 overlap: arguments, circular buffers and kernels take 0x%x to 0x%x, but what follows begins "
        "at 0x%x: arguments and the like 0x%x bytes%s",
        l->config_base, l->config_base + p->size, l->config_base + l->config_size, p->remote, kernels);
}

static bool lay_out(struct placement *p) {
    const struct launch_program *program = p->program;
    unsigned semaphores = 0;
    for (unsigned i = 0; i < PROCESSORS; i++)
        p->rta[i] = reserve(p, 4 * item_count(program->args[i].text));
    for (unsigned i = 0; i < PROCESSORS; i++)
        p->crta[i] = reserve(p, 4 * item_count(program->common_args[i].text));
    for (unsigned i = 0; i < SEMAPHORE_MAX; i++)
        semaphores = program->semaphore[i].text.n ? i + 1 : semaphores;
    p->semaphores = reserve(p, ITEM * semaphores);
    for (unsigned i = 0; i < CB_MAX; i++)
        p->cb_end = program->cb[i].text.n ? i + 1 : p->cb_end;
    p->cbs = reserve(p, ITEM * p->cb_end);
    p->remote = p->size;
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (program->kernel[i].text.n && !open_kernel(p, i))
            return false;
    p->session->line = 0;
    const struct layout *l = &p->session->firmware.layout;
    if (p->cb_end > l->cb_count)
        return machine_fail(p->session->machine, "circular buffer %u: the firmware has only %u", p->cb_end - 1,
                            l->cb_count);
    return p->size <= l->config_size || too_large(p);
}

/* ---- Circular buffers --------------------------------------------------------------------------- */

struct cb {
    uint32_t address, size, page;
};

static bool read_cb(const struct scope *scope, unsigned index, struct cb *cb) {
    struct placement *p = scope->placement;
    const struct setting *setting = &p->program->cb[index];
    struct machine *m = p->session->machine;
    unsigned own = item_count(setting->text) == 3;
    cb->address = p->cb_address[index];
    if ((own && !value_at(scope, setting, 0, &cb->address)) || !value_at(scope, setting, own, &cb->size) ||
        !value_at(scope, setting, own + 1, &cb->page))
        return false;
    if (cb->page == 0 || cb->size == 0 || cb->size % cb->page)
        return machine_fail(m, "circular buffer %u: 0x%x bytes are not a number of pages of 0x%x bytes", index,
                            cb->size, cb->page);
    if (cb->address % 16 || cb->page % 16)
        return machine_fail(m, "circular buffer %u: address and page must be multiples of 16", index);
    return true;
}

static bool choose_cb_addresses(struct placement *p) {
    struct session *s = p->session;
    struct scope scope = { .placement = p };
    if (bh_tile_find(s->machine->chip, p->tiles.tile[0].tile, &scope.tile) != BH_OK)
        return machine_fail(s->machine, "no such tile");
    for (unsigned i = 0; i < p->cb_end; i++) {
        struct cb cb;
        if (item_count(p->program->cb[i].text) != 2)
            continue;
        p->cb_address[i] = s->next_l1 = (s->next_l1 + 63) & ~63u;
        if (!read_cb(&scope, i, &cb))
            return false;
        s->next_l1 += cb.size < L1_SIZE ? cb.size : L1_SIZE;
    }
    return true;
}

static bool overlap(const struct cb *a, const struct cb *b) {
    return a->address < (uint64_t)b->address + b->size && b->address < (uint64_t)a->address + a->size;
}

static bool check_cb(const struct scope *scope, unsigned index, const struct cb *cb) {
    struct session *s = scope->placement->session;
    const struct layout *l = &s->firmware.layout;
    uint64_t end = (uint64_t)cb->address + cb->size;
    s->line = scope->placement->program->cb[index].line;
    if (cb->address < l->free_l1)
        return machine_fail(s->machine,
                            "L1 overlap: circular buffer %u (0x%x to 0x%llx) and what the firmware needs (0x0 to 0x%x)",
                            index, cb->address, (unsigned long long)end, l->free_l1);
    if (end > L1_SIZE)
        return machine_fail(s->machine, "circular buffer %u (0x%x to 0x%llx) goes beyond the end of L1 (0x%x)", index,
                            cb->address, (unsigned long long)end, L1_SIZE);
    for (size_t i = 0; i < s->launch->count; i++) {
        const struct launch_buffer *b = &s->launch->steps[i].buffer;
        if (s->launch->steps[i].kind != STEP_BUFFER || s->address[i] == UINT64_MAX ||
            !data_touches(s, i, scope->tile.translated, cb->address, end) ||
            (cb->address >= s->address[i] && end <= s->address[i] + b->size))
            continue;
        return machine_fail(s->machine,
                            "L1 overlap: circular buffer %u (0x%x to 0x%llx) and buffer '%.*s' (0x%llx to 0x%llx)",
                            index, cb->address, (unsigned long long)end, SPAN(b->name),
                            (unsigned long long)s->address[i], (unsigned long long)(s->address[i] + b->size));
    }
    return true;
}

static bool cbs_overlap(struct machine *m, unsigned a, const struct cb *cb_a, unsigned b, const struct cb *cb_b) {
    return machine_fail(m, "L1 overlap: circular buffers %u (0x%x to 0x%llx) and %u (0x%x to 0x%llx)", a, cb_a->address,
                        (unsigned long long)cb_a->address + cb_a->size, b, cb_b->address,
                        (unsigned long long)cb_b->address + cb_b->size);
}

/* Checks the circular buffers. Those with the same address share memory; others must not overlap. */
static bool check_cbs(const struct scope *scope, const struct cb *cbs) {
    struct placement *p = scope->placement;
    for (unsigned i = 0; i < p->cb_end; i++) {
        if (!cbs[i].size)
            continue;
        if (!check_cb(scope, i, &cbs[i]))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (cbs[j].size && cbs[i].address != cbs[j].address && overlap(&cbs[i], &cbs[j]))
                return cbs_overlap(p->session->machine, j, &cbs[j], i, &cbs[i]);
    }
    return true;
}

/* ---- A tile --------------------------------------------------------------------------------------- */

static bool put_args(const struct scope *scope, const struct setting *args, uint8_t *bytes) {
    for (unsigned i = 0, n = item_count(args->text); i < n; i++) {
        uint32_t value;
        if (!value_at(scope, args, i, &value))
            return false;
        put_word(bytes + 4 * i, value);
    }
    return true;
}

static bool put_cbs(const struct scope *scope, uint8_t *bytes) {
    struct placement *p = scope->placement;
    struct cb cbs[CB_MAX] = { 0 };
    for (unsigned i = 0; i < p->cb_end; i++) {
        uint8_t *at = bytes + ITEM * i;
        if (!p->program->cb[i].text.n)
            continue;
        if (!read_cb(scope, i, &cbs[i]))
            return false;
        put_word(at, cbs[i].address);
        put_word(at + 4, cbs[i].size);
        put_word(at + 8, cbs[i].size / cbs[i].page);
        put_word(at + 12, cbs[i].page);
        if (!landmark_add_tile(p->session->machine, scope->tile.translated, cbs[i].address, cbs[i].size,
                               "circular buffer %u", i))
            return false;
    }
    return check_cbs(scope, cbs);
}

static bool make_config(const struct scope *scope, uint8_t *bytes) {
    struct placement *p = scope->placement;
    for (unsigned i = 0; i < PROCESSORS; i++) {
        if (!put_args(scope, &p->program->args[i], bytes + p->rta[i]) ||
            !put_args(scope, &p->program->common_args[i], bytes + p->crta[i]))
            return false;
        if (p->kernel[i].bytes)
            memcpy(bytes + p->text[i], p->kernel[i].bytes, p->kernel[i].size);
    }
    for (unsigned i = 0; i < SEMAPHORE_MAX; i++) {
        uint32_t value = 0;
        if (!p->program->semaphore[i].text.n)
            continue;
        if (!value_at(scope, &p->program->semaphore[i], 0, &value))
            return false;
        put_word(bytes + p->semaphores + ITEM * i, value);
    }
    return put_cbs(scope, bytes + p->cbs);
}

struct message {
    uint8_t bytes[MESSAGE_MAX];
    const struct layout *layout;
    bool fits;
};

static void put_field(struct message *m, const struct message_field *field, unsigned index, uint64_t value) {
    uint8_t *at = m->bytes + field->offset + field->stride * index;
    if (index >= field->count)
        return;
    for (unsigned i = 0; i < field->width; i++, value >>= 8)
        at[i] = (uint8_t)value;
    if (value)
        m->fits = false;
}

static void put(struct message *m, enum message_field_id id, unsigned index, uint64_t value) {
    put_field(m, &m->layout->message[id], index, value);
}

static void put_processor(struct message *m, const struct placement *p, unsigned i) {
    put(m, MESSAGE_RTA_OFFSET, i, p->rta[i]);
    put(m, MESSAGE_CRTA_OFFSET, i, p->crta[i]);
    put(m, MESSAGE_TEXT_OFFSET, i, p->text[i]);
    put(m, MESSAGE_TEXT_SIZE, i, p->kernel[i].size);
}

static bool make_message(struct placement *p, struct message *m) {
    const struct launch_program *program = p->program;
    const struct layout *l = &p->session->firmware.layout;
    uint64_t mask = 0, enables = 0;
    *m = (struct message){ .layout = l, .fits = true };
    for (unsigned i = 0; i < l->constant_count; i++)
        put_field(m, &l->constants[i].field, 0, l->constants[i].value);
    for (unsigned i = 0; i < l->message[MESSAGE_CONFIG_BASE].count; i++)
        put(m, MESSAGE_CONFIG_BASE, i, l->config_base);
    for (unsigned i = 0; i < l->message[MESSAGE_SEM_OFFSET].count; i++)
        put(m, MESSAGE_SEM_OFFSET, i, p->semaphores);
    for (unsigned i = 0; i < CB_MAX; i++)
        mask |= (uint64_t)(program->cb[i].text.n != 0) << i;
    for (unsigned i = 0; i < PROCESSORS; i++) {
        put_processor(m, p, i);
        enables |= (uint64_t)(program->kernel[i].text.n != 0) << i;
    }
    put(m, MESSAGE_CB_OFFSET, 0, p->cbs);
    put(m, MESSAGE_REMOTE_CB_OFFSET, 0, p->remote);
    put(m, MESSAGE_CB_MASK, 0, mask);
    put(m, MESSAGE_MIN_REMOTE_CB, 0, l->cb_count);
    put(m, MESSAGE_MODE, 0, MODE_HOST);
    put(m, MESSAGE_NOC_ID, 0, program->noc);
    put(m, MESSAGE_NOC_MODE, 0, program->dynamic_noc);
    put(m, MESSAGE_HOST_ID, 0, p->session->runs + 1);
    put(m, MESSAGE_ENABLES, 0, enables);
    return m->fits || machine_fail(p->session->machine, "a number does not fit into its field of the launch message");
}

static bool write_tile(const struct scope *scope, const struct message *message) {
    struct placement *p = scope->placement;
    struct machine *m = p->session->machine;
    const struct layout *l = &p->session->firmware.layout;
    struct bh_xy tile = scope->tile.translated;
    uint8_t rd_ptr[4] = { 0 };
    uint8_t *bytes = calloc(1, p->size + ITEM);
    bool ok = bytes ? make_config(scope, bytes) : machine_fail(m, "out of memory");
    ok = ok && machine_write(m, tile, l->config_base, bytes, p->size) && machine_peek(m, tile, l->rd_ptr, rd_ptr, 4);
    free(bytes);
    return ok && machine_write(m, tile, l->launch + rd_ptr[0] % l->launch_count * l->launch_size, message->bytes,
                               l->launch_size);
}

static bool write_tiles(struct placement *p) {
    struct message message;
    if (!make_message(p, &message))
        return false;
    for (unsigned i = 0; i < p->tiles.count; i++) {
        struct scope scope = { .placement = p, .index = i };
        if (bh_tile_find(p->session->machine->chip, p->tiles.tile[i].tile, &scope.tile) != BH_OK)
            return machine_fail(p->session->machine, "no such tile");
        if (!write_tile(&scope, &message))
            return false;
    }
    return true;
}

/* Names the addresses of the parts for reports. */
static bool name_config(struct placement *p) {
    struct machine *m = p->session->machine;
    const struct layout *l = &p->session->firmware.layout;
    const struct tile_list *tiles = &p->program->tiles;
    bool ok = landmark_add(m, tiles, l->config_base, l->config_size, "kernels") &&
              landmark_add(m, tiles, l->config_base, p->semaphores, "arguments") &&
              landmark_add(m, tiles, l->config_base + p->cbs, p->remote - p->cbs, "descriptions of circular buffers");
    for (unsigned i = 0; ok && i < SEMAPHORE_MAX; i++)
        if (p->program->semaphore[i].text.n)
            ok = landmark_add(m, tiles, l->config_base + p->semaphores + ITEM * i, ITEM, "semaphore %u", i);
    return ok;
}

bool dispatch_place(struct session *s, size_t step) {
    struct placement p = { .session = s, .program = &s->launch->steps[step].program };
    bool ok = answers_expect(s->machine, &p.program->tiles, &p.tiles) && lay_out(&p) && name_config(&p) &&
              choose_cb_addresses(&p) && write_tiles(&p);
    for (unsigned i = 0; i < PROCESSORS; i++)
        free(p.kernel[i].bytes);
    return ok;
}

bool dispatch_go(struct session *s, const struct answers *answers) {
    for (unsigned i = 0; i < answers->count; i++)
        if (!write_word(s->machine, answers->tile[i].tile, s->firmware.layout.go,
                        (uint32_t)SIGNAL_GO << 8 * SIGNAL_OFFSET))
            return false;
    return true;
}
