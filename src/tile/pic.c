/* The interrupt controller (PIC.md). Layout of its registers, from 0xFFB13000:
 *
 *     000 004 008  B: SW_INT_EN, HW_INT_EN, INT_NO        00C 010 014  the same for NC
 *     018 .. 094   SW_INT[32]   098 .. 0A4  HW_INT[4]     0A8 .. 124   SW_INT_PC[32]   128 .. 134  HW_INT_PC[4]
 */
#include "tile/pic.h"

enum { SW_INT = 0x18, HW_INT = 0x98, INT_PC = 0xA8, END = 0x138, CORE_STRIDE = 0xC };

/* Returns the word at an offset; NULL for HW_INT, which stores none. */
static uint32_t *word_at(struct pic *pic, uint32_t offset) {
    if (offset >= INT_PC)
        return &pic->handler[(offset - INT_PC) / 4];
    if (offset >= HW_INT)
        return NULL;
    if (offset >= SW_INT)
        return &pic->raised[(offset - SW_INT) / 4];
    struct pic_core *core = &pic->core[offset / CORE_STRIDE];
    switch (offset % CORE_STRIDE) {
    case 0: return &core->software_enable;
    case 4: return &core->hardware_enable;
    default: return &core->number;
    }
}

static bool is_number(uint32_t offset) {
    return offset < SW_INT && offset % CORE_STRIDE == 8;
}

static bool is_software(uint32_t offset) {
    return offset >= SW_INT && offset < HW_INT;
}

/* Returns the hardware interrupts that are raised, as a mask. */
static uint32_t hardware_raised(const struct pic *pic) {
    return pic->hardware & ~pic->taken;
}

/* Clears an interrupt that has been read. */
static void take(struct pic *pic, uint32_t offset) {
    if (is_software(offset))
        *word_at(pic, offset) = 0;
    if (offset == HW_INT + 4 * PIC_WATCHDOG)
        pic->taken |= pic->hardware & 1u << PIC_WATCHDOG;
}

static struct access check(uint32_t offset) {
    if (offset >= END || offset % 4)
        return access_refused(BH_FAULT_UNMAPPED, "there is no register at this offset");
    return access_done();
}

struct access pic_peek(const struct pic *pic, uint32_t offset, uint32_t *value) {
    struct access access = check(offset);
    if (access.result != ACCESS_DONE)
        return access;
    const uint32_t *word = word_at((struct pic *)(uintptr_t)pic, offset);
    *value = word ? *word : hardware_raised(pic) >> (offset - HW_INT) / 4 & 1;
    return access;
}

struct access pic_poke(struct pic *pic, uint32_t offset, uint32_t value) {
    struct access access = check(offset);
    if (access.result != ACCESS_DONE)
        return access;
    uint32_t *word = word_at(pic, offset);
    if (!word)
        return access_refused(BH_FAULT_UNMODELLED, "the level of a hardware interrupt is its source's");
    *word = value;
    return access;
}

struct access pic_read(struct pic *pic, uint32_t offset, uint32_t *value) {
    struct access access = pic_peek(pic, offset, value);
    if (access.result == ACCESS_DONE)
        take(pic, offset);
    return access;
}

struct access pic_write(struct pic *pic, uint32_t offset, uint32_t value) {
    struct access access = check(offset);
    if (access.result != ACCESS_DONE)
        return access;
    uint32_t *word = word_at(pic, offset);
    if (word && !is_number(offset))
        *word = value;
    return access;
}

bool pic_steady(const struct pic *pic, uint32_t offset) {
    uint32_t value = 0;
    bool takes = is_software(offset) || offset == HW_INT + 4 * PIC_WATCHDOG;
    return pic_peek(pic, offset, &value).result == ACCESS_DONE && !(takes && value);
}

static const struct pic_core *core_of(const struct pic *pic, unsigned core) {
    switch (core) {
    case BH_BRISC: return &pic->core[0];
    case BH_NCRISC: return &pic->core[1];
    default: return NULL;
    }
}

void pic_hardware(struct pic *pic, unsigned number, bool raised) {
    pic->hardware = (pic->hardware & ~(1u << number)) | (uint32_t)raised << number;
    pic->taken &= pic->hardware;
}

static bool is_raised(const struct pic *pic, const struct pic_core *core, unsigned i) {
    if (i < PIC_SOFTWARE)
        return (core->software_enable >> i & 1) && pic->raised[i];
    return core->hardware_enable & hardware_raised(pic) & 1u << (i - PIC_SOFTWARE);
}

/* Returns the number of the next interrupt in turn; -1 if there is none. */
static int choose(const struct pic *pic, const struct pic_core *core) {
    if (!core->software_enable && !(core->hardware_enable & hardware_raised(pic)))
        return -1;
    for (unsigned step = 0; step < PIC_SOFTWARE + PIC_HARDWARE; step++) {
        unsigned i = (core->next + step) % (PIC_SOFTWARE + PIC_HARDWARE);
        if (is_raised(pic, core, i))
            return (int)i;
    }
    return -1;
}

bool pic_armed(const struct pic *pic) {
    uint32_t any = 0;
    for (unsigned i = 0; i < PIC_CORES; i++)
        any |= pic->core[i].software_enable | pic->core[i].hardware_enable;
    return any != 0;
}

bool pic_pending(const struct pic *pic, unsigned core) {
    const struct pic_core *state = core_of(pic, core);
    return state && choose(pic, state) >= 0;
}

void pic_deliver(struct pic *pic, struct core *core) {
    struct pic_core *state = (struct pic_core *)(uintptr_t)core_of(pic, core->id);
    if (!state || core->state != BH_CORE_RUNNING || core->in_interrupt || core_repeats(core))
        return;
    int number = choose(pic, state);
    if (number < 0)
        return;
    state->number = (uint32_t)number;
    state->next = ((uint32_t)number + 1) % (PIC_SOFTWARE + PIC_HARDWARE);
    core_interrupt(core, pic->handler[number], core_time(core));
}
