/* Fakes of the core and of the tile's scheduler, for tests of the blocks between them. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

#include "riscv/ops.h"

struct fake fake;

const char *bh_core_name(enum bh_core core) {
    static const char *const names[] = { "brisc", "trisc0", "trisc1", "trisc2", "ncrisc" };
    return names[core];
}

void core_hold(struct core *core) {
    core->state = BH_CORE_IN_RESET;
    fake.core[core->id].held++;
}

void core_release(struct core *core, uint32_t pc, uint64_t time, bool keep_ldm) {
    struct fake_core *note = &fake.core[core->id];
    core->state = BH_CORE_RUNNING;
    core->pc = note->pc = pc;
    note->time = time;
    note->keep_ldm = keep_ldm;
    note->released++;
}

void core_interrupt(struct core *core, uint32_t handler_pc, uint64_t time) {
    assert_int_equal(time, core_time(core));
    core->in_interrupt = true;
    core->pc = fake.core[core->id].pc = handler_pc;
    fake.core[core->id].interrupted++;
}

void core_fault(struct core *core, enum bh_fault_kind kind, uint32_t insn, uint64_t address, const char *format, ...) {
    core->fault = (struct bh_fault){ .kind = kind, .core = core->id, .pc = core->pc, .insn = insn, .address = address };
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(core->fault.text, sizeof core->fault.text, format, arguments);
    va_end(arguments);
    /* The real one puts core and pc in front, for which there must be room. */
    assert_in_range(length, 1, sizeof core->fault.text - 40);
    core->state = BH_CORE_FAULTED;
    core->port->fault(core->owner, core, &core->fault);
}

void tile_event(struct tile *tile, uint64_t time) {
    assert_ptr_equal(tile, &fake.tile);
    fake.events++;
    fake.event_time = time;
}

void tile_event_at(struct tile *tile, uint64_t time, unsigned cores) {
    (void)cores;
    tile_event(tile, time);
}

void tile_niu_event(struct tile *tile, uint64_t time, unsigned cores) {
    tile_event_at(tile, time, cores);
}

void tile_tensix_event(struct tile *tile, uint64_t time, unsigned cores) {
    tile_event_at(tile, time, cores);
}

void tile_stream_event(struct tile *tile, uint64_t time, uint32_t address) {
    (void)address;
    tile_event(tile, time);
}

void tile_reschedule(struct tile *tile) {
    tile->port->awake(tile->owner, tile);
}

void tile_code_cached(struct tile *tile, struct core *core) {
    (void)tile, (void)core;
}

void tile_invalidate(struct tile *tile, unsigned cores) {
    (void)tile, (void)cores;
}

void tile_tensix_awake(struct tile *tile) {
    tile_reschedule(tile);
}

void tile_l1_notify(struct tile *tile, uint32_t address, uint32_t size, uint64_t time) {
    assert_ptr_equal(tile, &fake.tile);
    fake.written_address = address;
    fake.written_size = size;
    fake.event_time = time;
}

static void note_fault(void *owner, struct tile *tile, const struct bh_fault *fault) {
    assert_ptr_equal(owner, &fake);
    assert_ptr_equal(tile, &fake.tile);
    fake.fault = *fault;
    fake.faults++;
}

static void note_awake(void *owner, struct tile *tile) {
    assert_ptr_equal(owner, &fake);
    assert_ptr_equal(tile, &fake.tile);
    fake.awakes++;
}

static const struct tile_port port = { .fault = note_fault, .awake = note_awake };

int fake_setup(void **state) {
    static const uint32_t default_pc[BH_CORE_COUNT] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };
    (void)state;
    memset(&fake, 0, sizeof fake);
    struct tile *tile = &fake.tile;
    tile->xy = (struct bh_xy){ 3, 4 };
    tile->noc0 = (struct bh_xy){ 2, 5 };
    tile->time = 1000;
    tile->l1 = fake.l1;
    tile->marks = fake.marks;
    memset(fake.marks, MARK_CODE, sizeof fake.marks);
    tile->port = &port;
    tile->owner = &fake;
    control_init(&tile->control);
    for (unsigned i = 0; i < 2; i++)
        niu_init(&tile->niu[i], i, tile->noc0, tile->xy, NIU_CLASS_TENSIX, 17);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        struct core *core = &tile->core[i];
        core->id = (uint8_t)i;
        core->ldm_size = i == BH_BRISC || i == BH_NCRISC ? 8192 : 4096;
        core->default_pc = default_pc[i];
        core->state = BH_CORE_RUNNING;
        core->l1 = fake.l1;
        core->port = &tile_core_port;
        core->owner = tile;
        core->stalled = 2000 + i; /* its time */
    }
    tile->tensix.l1 = fake.l1;
    tile->tensix.port = &tile_tensix_port;
    tile->tensix.owner = tile;
    tensix_init(&tile->tensix);
    return 0;
}

enum bus_result load_size(unsigned core, uint32_t address, unsigned size, uint32_t *value) {
    unsigned latency;
    return tile_core_port.load(&fake.tile, &fake.tile.core[core], address, size, value, &latency);
}

enum bus_result load(unsigned core, uint32_t address, uint32_t *value) {
    return load_size(core, address, 4, value);
}

enum bus_result store_size(unsigned core, uint32_t address, unsigned size, uint32_t value) {
    return tile_core_port.store(&fake.tile, &fake.tile.core[core], address, size, value);
}

enum bus_result store(unsigned core, uint32_t address, uint32_t value) {
    return store_size(core, address, 4, value);
}

uint32_t loaded(unsigned core, uint32_t address) {
    uint32_t value = 0xDEADDEAD;
    assert_int_equal(load(core, address, &value), BUS_OK);
    return value;
}

bool tile_in_turn(const struct tile *tile, const struct core *core) {
    (void)tile, (void)core;
    return true;
}

bool tile_is_first(const struct tile *tile, const struct core *core) {
    return tile_in_turn(tile, core);
}

void core_pushed(struct core *core, unsigned count, uint64_t time) {
    (void)core, (void)count, (void)time;
    fail();
}

void tile_row_pushed(struct tile *tile, unsigned thread, unsigned count, uint64_t time, bool last) {
    (void)tile, (void)thread, (void)count, (void)time, (void)last;
    fail();
}

/* For the debug interface (tests/chip/risc_debug.c), which needs a core that runs. */
void tile_rouse(struct tile *tile, unsigned number, uint64_t time) {
    (void)number;
    tile_event(tile, time);
}

enum bus_result slow_load(struct core *core, uint32_t address, unsigned size, uint32_t *value, unsigned *latency) {
    return core->port->load(core->owner, core, address, size, value, latency);
}

enum bus_result slow_store(struct core *core, uint32_t address, unsigned size, uint32_t value) {
    return core->port->store(core->owner, core, address, size, value);
}

void slow_push_one(struct core *core) {
    (void)core;
}
