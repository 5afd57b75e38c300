/* src/tensix/mover/tdma.c: the command queue against a machine that is ticked cycle by cycle, every register, what is
 * refused, and loops of cores that wait for it. */
#include "support/tensix_scene.h"

#include "isa/memmap.h"
#include "isa/regs.h"
#include "numeric/random.h"

enum { L1_SIZE = 1536 * 1024 };

enum {
    SRC = 0x00,
    DST = 0x04,
    SIZE = 0x08,
    DIRECTION = 0x0C,
    COMMAND = 0x10,
    STATUS = 0x14,
    PACKED_SIZE = 0x18,
    ACC_SIZE = 0x1C,
    ZERO_FLAGS = 0x20,
    GATE_EN = 0x24,
    GATE_HYST = 0x28,
    L1_BASE = 0x2C,
    FIFO_SIZE = 0x30,
    FIFO_FLAGS = 0x34,
    FIFO_STATUS = 0x38,
    SCALERS0 = 0x3C,
    SCALERS1 = 0x13C,
};

enum { MOVE = 0x40, WAIT = 0x46, WRITE4 = 0x666, WRITE8 = 0x766 };
#define SHORT_NOP 0x80000089u

#define TDMA 0xFFB11000u

static int make(void **state) {
    *state = tb_create();
    return 0;
}

static int unmake(void **state) {
    tb_destroy(*state);
    return 0;
}

/* A store in the cycle before tb->now, by default of BRISC. */
static struct access store_by(struct tensix_box *tb, enum bh_core core, uint32_t offset, uint32_t value) {
    struct access access = tensix_tdma_write(tb->x, core, offset, tb->now, value);
    if (access.result == ACCESS_DONE)
        tb_step(tb, tb->now + 1);
    return access;
}

static void store(struct tensix_box *tb, uint32_t offset, uint32_t value) {
    struct access access = store_by(tb, BH_BRISC, offset, value);
    if (access.result != ACCESS_DONE)
        fail_msg("%s", access.text);
}

static uint32_t load_by(struct tensix_box *tb, enum bh_core core, uint32_t offset) {
    uint32_t value = 0xDEADBEEF;
    assert_int_equal(tensix_tdma_read(tb->x, core, offset, tb->now, &value).result, ACCESS_DONE);
    return value;
}

static uint32_t load(struct tensix_box *tb, uint32_t offset) {
    return load_by(tb, BH_BRISC, offset);
}

static void parameters(struct tensix_box *tb, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    store(tb, SRC, a);
    store(tb, DST, b);
    store(tb, SIZE, c);
    store(tb, DIRECTION, d);
}

static void fill(struct tensix *x, uint32_t from, uint32_t size, uint64_t *seed) {
    for (uint32_t at = from; at < from + size; at += 8) {
        uint64_t word = random_next(seed);
        memcpy(&x->l1[at], &word, sizeof word);
    }
}

/* ---- The queue, ticked --------------------------------------------------------------------------------------------
 */

struct model {
    struct {
        uint32_t word, units, to, from, data;
        bool copies;
    } queue[4], running;
    unsigned count, credits;
    unsigned left;       /* cycles of the mover's task */
    uint64_t last_taken; /* the cycle in which a command was taken, plus one */
    unsigned to_write;   /* cycles until a word is written to L1 */
    uint32_t write_to, write_data;
    uint8_t l1[0x2000];
};

static unsigned cycles(uint32_t units, bool copies) {
    return copies ? units / 8 * 11 + (units % 8 ? 3 + units % 8 : 0) : units;
}

/* What the mover has done of its task when it has so many cycles left. */
static void move(struct model *m) {
    uint32_t all = m->running.units, done = cycles(all, m->running.copies) - m->left;
    for (uint32_t upto = 8; upto < all + 8; upto += 8) {
        uint32_t end = upto < all ? upto : all, from = (upto - 8) * 16;
        if (cycles(end, m->running.copies) != done)
            continue;
        if (m->running.copies)
            memcpy(&m->l1[m->running.to + from], &m->l1[m->running.from + from], end * 16 - from);
        else
            memset(&m->l1[m->running.to + from], 0, end * 16 - from);
    }
}

static void take(struct model *m, uint64_t now) {
    if (!m->count || m->last_taken > now)
        return;
    uint8_t opcode = (uint8_t)m->queue[0].word;
    if ((opcode == MOVE || opcode == WAIT) && m->left)
        return;
    m->running = opcode == MOVE ? m->queue[0] : m->running;
    if (opcode == MOVE)
        m->left = cycles(m->queue[0].units, m->queue[0].copies);
    if (opcode == 0x66) {
        m->to_write = 2;
        m->write_to = m->queue[0].to;
        m->write_data = m->queue[0].data;
    }
    m->credits += !(m->queue[0].word >> 31);
    m->last_taken = now + 1;
    m->count--;
    memmove(&m->queue[0], &m->queue[1], m->count * sizeof m->queue[0]);
}

/* One cycle. */
static void tick(struct model *m, uint64_t now) {
    if (m->left) {
        m->left--;
        move(m);
    }
    if (m->to_write && --m->to_write == 0)
        memcpy(&m->l1[m->write_to], &m->write_data, 4);
    take(m, now);
    if (m->to_write == 2)
        m->to_write = 1;
}

static uint32_t model_status(const struct model *m) {
    return (m->left > 0 ? 1u : 0) + (m->count == 4 ? 4u : 0) + (m->count == 0 ? 8u : 0) + (m->credits == 0 ? 16u : 0) +
           (m->credits == 2 ? 32u : 0) + (4 - m->count) * 256;
}

/* Draws a command that is defined as things are; its parameters are set by the caller. */
static bool draw_command(struct model *m, uint64_t *seed) {
    unsigned kind = random_below(seed, 6), i = m->count;
    if (m->count == 4)
        return false;
    memset(&m->queue[i], 0, sizeof m->queue[i]);
    m->queue[i].units = random_below(seed, 4) ? random_below(seed, 12) : random_below(seed, 60);
    m->queue[i].to = 0x1000 + random_below(seed, 0x40) * 16;
    m->queue[i].from = random_below(seed, 0x40) * 16;
    m->queue[i].data = (uint32_t)random_next(seed);
    switch (kind) {
    case 0: m->queue[i].word = SHORT_NOP; break;
    case 1: m->queue[i].word = 0x80000000 | WAIT; break;
    case 2: m->queue[i].word = WRITE4; break;
    case 3:
        m->queue[i].to = 0xFF0; /* as far as eight bits go */
        m->queue[i].word = 0xC0000000 | m->queue[i].units << 24 | 0xFFu << 16 | m->queue[i].from / 16 << 8 | MOVE;
        m->queue[i].copies = true;
        break;
    default:
        m->queue[i].word = MOVE;
        m->queue[i].copies = random_below(seed, 2);
        break;
    }
    if (m->queue[i].word >> 31)
        return true;
    return m->credits > 0;
}

static void written_like_the_model(struct tensix_box *tb, struct model *m) {
    struct tdma *tdma = &tb->x->mover.tdma;
    unsigned i = m->count;
    uint8_t opcode = (uint8_t)m->queue[i].word;
    tdma->parameter[0] = opcode == 0x66 ? m->queue[i].to : m->queue[i].from / 16;
    tdma->parameter[1] = m->queue[i].to / 16;
    tdma->parameter[2] = opcode == 0x66 ? m->queue[i].data : m->queue[i].units;
    tdma->parameter[3] = m->queue[i].copies ? 3 : 0;
    assert_int_equal(tensix_tdma_write(tb->x, BH_BRISC, COMMAND, tb->now, m->queue[i].word).result, ACCESS_DONE);
    m->credits -= !(m->queue[i].word >> 31);
    m->count++;
}

/* Every cycle of random commands: status and L1. */
static void like_a_ticked_machine(void **state) {
    enum { SEEDS = 20, CYCLES = 3000 };
    (void)state;
    for (uint64_t s = 0; s < SEEDS; s++) {
        struct tensix_box *tb = tb_create();
        struct model m = { .credits = 2 };
        uint64_t seed = s;
        unsigned density = 1 + (unsigned)(s % 5) * 6;
        fill(tb->x, 0, sizeof m.l1, &seed);
        memcpy(m.l1, tb->x->l1, sizeof m.l1);
        while (tb->now < CYCLES) {
            uint64_t now = tb->now;
            if (!random_below(&seed, density) && draw_command(&m, &seed))
                written_like_the_model(tb, &m);
            tick(&m, now);
            tb_step(tb, now + 1);
            assert_int_equal(load(tb, STATUS), model_status(&m));
            assert_memory_equal(m.l1, tb->x->l1, sizeof m.l1);
        }
        tb_destroy(tb);
    }
}

/* ---- Commands
 * ---------------------------------------------------------------------------------------------------------- */

static void with_parameters(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    fill(tb->x, 0x10000, 0x1000, &seed);
    parameters(tb, 0x1000, 0x2000, 0xABC0010, 3);
    store(tb, COMMAND, MOVE);
    assert_int_equal(load(tb, STATUS), 0x428 | 1);
    tb_step(tb, tb->now + 21);
    assert_int_equal(load(tb, STATUS), 0x428 | 1);
    tb_step(tb, tb->now + 1);
    assert_int_equal(load(tb, STATUS), 0x428);
    assert_memory_equal(&tb->x->l1[0x20000], &tb->x->l1[0x10000], 0x100);
    assert_int_equal(tb->x->l1[0x20100], 0);
    /* The parameters stay, and only two bits of the direction count. */
    store(tb, DIRECTION, 0xFFFFFFFC);
    store(tb, COMMAND, MOVE);
    tb_step(tb, tb->now + 16);
    for (unsigned i = 0; i < 0x100; i++)
        assert_int_equal(tb->x->l1[0x20000 + i], 0);
}

/* The base is the core's own; of accesses by the coprocessor, T0's. */
static void short_form(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 2;
    fill(tb->x, 0x10000, 0x8000, &seed);
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++)
        assert_int_equal(store_by(tb, core, L1_BASE, 0x1000 + 0x100 * core).result, ACCESS_DONE);
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++) {
        assert_int_equal(load_by(tb, core, L1_BASE), 0x1000 + 0x100 * core);
        /* five units from base + 3 to word 64 of Config, 16 units on */
        assert_int_equal(store_by(tb, core, COMMAND, 0x80000000 | 5u << 24 | 16u << 16 | 3u << 8 | MOVE).result,
                         ACCESS_DONE);
        tb_step(tb, tb->now + 20);
        assert_memory_equal(&tb->x->config.bank[0][64], &tb->x->l1[(0x1003 + 0x100 * core) * 16], 80);
        /* two units to L1 */
        assert_int_equal(store_by(tb, core, COMMAND, 0xC0000000 | 2u << 24 | 0xA0u << 16 | 7u << 8 | MOVE).result,
                         ACCESS_DONE);
        tb_step(tb, tb->now + 20);
        assert_memory_equal(&tb->x->l1[0xA00], &tb->x->l1[(0x1007 + 0x100 * core) * 16], 32);
    }
}

static void writes_to_l1(void **state) {
    struct tensix_box *tb = *state;
    uint64_t word;
    parameters(tb, L1_SIZE - 8, 0, 0x11223344, 0x55667788);
    store(tb, COMMAND, WRITE8);
    memcpy(&word, &tb->x->l1[L1_SIZE - 8], 8);
    assert_true(word == 0); /* from the next but one cycle on */
    tb_step(tb, tb->now + 1);
    memcpy(&word, &tb->x->l1[L1_SIZE - 8], 8);
    assert_true(word == UINT64_C(0x5566778811223344));
    parameters(tb, 0x9004, 0, 0xAABBCCDD, 0xFFFFFFFF);
    store(tb, COMMAND, WRITE4);
    tb_step(tb, tb->now + 1);
    memcpy(&word, &tb->x->l1[0x9004], 8);
    assert_true(word == 0xAABBCCDD);
    assert_int_equal(load(tb, STATUS), 0x428);
}

/* A core that finds the queue full is told when there is room. */
static void full(void **state) {
    struct tensix_box *tb = *state;
    parameters(tb, 0x1000, 0x2000, 100, 0);
    store(tb, COMMAND, MOVE);
    uint64_t done = tb->now + 100;
    store(tb, COMMAND, 0x80000000 | WAIT);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, SHORT_NOP);
    assert_int_equal(load(tb, STATUS), 1 | 4 | 32);
    struct access access = store_by(tb, BH_BRISC, COMMAND, SHORT_NOP);
    assert_int_equal(access.result, ACCESS_WAIT);
    assert_non_null(strstr(access.text, "queue"));
    tb_step(tb, done - 1);
    assert_int_equal(store_by(tb, BH_BRISC, COMMAND, SHORT_NOP).result, ACCESS_DONE);
    tb_step(tb, done + 10);
    assert_int_equal(load(tb, STATUS), 0x428);
}

/* Four cores store faster than commands are taken. */
static void crowded(struct tensix_box *tb) {
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++) {
        tb_li(tb, core, 10, TDMA + COMMAND);
        tb_li(tb, core, 11, SHORT_NOP);
        for (unsigned i = 0; i < 10; i++)
            tb_rv(tb, core, asm_s(RV_SW, 11, 0, 10));
        tb_cycle(tb, core, 12);
    }
}

static void cores_that_wait_for_room(void **state) {
    struct tensix_box *tb = scene_play(crowded);
    (void)state;
    assert_ended(tb);
    uint32_t last = 0;
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++)
        last = core_of(tb, core)->x[12] > last ? core_of(tb, core)->x[12] : last;
    assert_in_range(last, 40, 50); /* one of the forty a cycle */
    assert_int_equal(tensix_tdma_peek(tb->x, BH_BRISC, STATUS, tb->now, &last).result, ACCESS_DONE);
    assert_int_equal(last, 0x428);
    tb_destroy(tb);
}

static void refused(struct tensix_box *tb, uint32_t command, const char *text) {
    struct access access = tensix_tdma_write(tb->x, BH_BRISC, COMMAND, tb->now, command);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    if (!strstr(access.text, text))
        fail_msg("%s", access.text);
    tb_step(tb, tb->now + 1);
    assert_int_equal(load(tb, STATUS), 0x428);
}

static void what_is_refused(void **state) {
    struct tensix_box *tb = *state;
    refused(tb, 0, "no such command");
    refused(tb, 0x80000041, "no such command");
    refused(tb, 0x466, "bits 9 and 10");
    refused(tb, 0x266, "bits 9 and 10");
    refused(tb, 0x80000666, "bit 31");
    parameters(tb, L1_SIZE, 0, 0, 0);
    refused(tb, WRITE4, "outside L1");
    parameters(tb, 2, 0, 0, 0);
    refused(tb, WRITE4, "multiple");
    parameters(tb, 4, 0, 0, 0);
    refused(tb, WRITE8, "multiple");
    parameters(tb, 0, 0x18000, 1, 3);
    refused(tb, MOVE, "target lies outside L1");
    parameters(tb, 0x18000, 0x4000, 1, 3);
    refused(tb, MOVE, "source lies outside L1");
    parameters(tb, 0x1000, 0x4000, 1, 1);
    refused(tb, MOVE, "instruction RAM");
    store(tb, L1_BASE, 0x17FFF);
    refused(tb, 0x82000040, "source lies outside L1");
    refused(tb, 0x80FF0040 | 63u << 24, "source lies outside L1");
    store(tb, L1_BASE, 0);
    refused(tb, 0x80FF0040 | 63u << 24, "ThreadConfig");
}

/* Two with parameters may wait behind one that is under way, a third is undefined. */
static void credits(void **state) {
    struct tensix_box *tb = *state;
    parameters(tb, 0x1000, 0x2000, 200, 0);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, MOVE);
    assert_int_equal(load(tb, STATUS), 1 | 16 | 0x200);
    struct access access = store_by(tb, BH_BRISC, COMMAND, MOVE);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_non_null(strstr(access.text, "0x80000089"));
    store(tb, COMMAND, SHORT_NOP);
    assert_int_equal(load(tb, STATUS), 1 | 16 | 0x100);
    tb_step(tb, tb->now + 700);
    assert_int_equal(load(tb, STATUS), 0x428);
}

/* C9 sees a command's task, and the next one's without a gap; XMOV comes behind them. */
static void threads_see_commands(void **state) {
    struct tensix_box *tb = *state;
    uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
    words[1] = 0x3000;
    words[2] = 5; /* zeros to L1 */
    parameters(tb, 0x1000, 0x2000, 60, 0);
    store(tb, COMMAND, MOVE);
    uint64_t start = tb->now;
    store(tb, COMMAND, MOVE);
    scene_push(tb, BH_TRISC1, 1, (const uint32_t[]){ TT(STALLWAIT, 1 << 7, GATE_C_MOVER), TT(SETC16, 1, 5) }, 2,
               tb->now);
    scene_push(tb, BH_TRISC0, 0, (const uint32_t[]){ TT(XMOV, 0, 0) }, 1, tb->now);
    tb_step(tb, tb->now + 300);
    assert_int_equal(tb->at[0][0], start + 120);
    assert_int_equal(tb->at[1][1], start + 120 + 1); /* met in the only cycle without a task */
    assert_int_equal(tb->x->thread[0].busy[TENSIX_BUSY_MOVER], start + 126);
    assert_int_equal(tb->x->thread[1].busy[TENSIX_BUSY_MOVER], 0);
}

/* STOREREG of a thread; it waits in the Scalar Unit for room. */
static void by_the_coprocessor(void **state) {
    struct tensix_box *tb = *state;
    const unsigned reg = (TDMA - 0xFFB00000 + COMMAND) / 4;
    uint64_t seed = 4;
    fill(tb->x, 0x10000, 0x4000, &seed);
    tb->x->mover.tdma.base[BH_BRISC] = 0x1300;
    tb->x->mover.tdma.base[BH_TRISC0] = 0x1000;
    tb->x->mover.tdma.base[BH_TRISC2] = 0x1200;
    for (unsigned i = 0; i < 6; i++) /* 32 units each to L1, as far as there is room for six */
        tb->x->gpr[2][i] = 0xC0000000 | 32u << 24 | (32 * i) << 16 | (i * 32) << 8 | MOVE;
    for (unsigned i = 0; i < 6; i++)
        tb_push(tb, 2, TT(STOREREG, i, reg));
    tb_start(tb);
    tb_step(tb, 400);
    assert_int_equal(tb->passes[2], 6);
    assert_int_equal(tb->at[2][1], tb->at[2][0] + 3);
    assert_int_equal(tb->at[2][5], tb->at[2][0] + 45); /* the first task has ended, the second left the queue */
    assert_memory_equal(&tb->x->l1[0], &tb->x->l1[0x10000], 6 * 32 * 16);
    assert_int_equal(tb->x->mover.busy_until, tb->at[2][0] + 1 + 6 * 44);
}

/* ---- Registers
 * -------------------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t offset;
    enum reg_class class;
    uint32_t reset;
} rows[] = {
#define ROW_CONTROL(offset, class, reset)
#define ROW_TDMA(offset, class, reset)                  { offset, REG_##class, reset },
#define REG(block, offset, name, class, reset, meaning) ROW_##block(offset, class, reset)
#include "isa/regs.def"
};

static int row_at(uint32_t offset) {
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].offset == offset)
            return (int)i;
    return -1;
}

/* What the table has is there, and of the columns of packers and threads nothing else. */
static void every_offset(void **state) {
    struct tensix_box *tb = *state;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        uint32_t value = 0xDEAD, low = offset & 0x3F, thread = offset >> 6 & 3, packer = offset >> 8;
        struct access access = tensix_tdma_read(tb->x, BH_BRISC, offset, 0, &value);
        int row = row_at(offset);
        bool sizes = low == PACKED_SIZE || low == ACC_SIZE;
        bool of_packer = sizes || low == ZERO_FLAGS || low == FIFO_SIZE || low == FIFO_FLAGS;
        if (offset == FIFO_SIZE) {
            assert_int_equal(access.result, ACCESS_WAIT);
        } else if (offset == FIFO_FLAGS) {
            assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
        } else if (row >= 0 && rows[row].class == REG_MODELLED) {
            assert_int_equal(access.result, ACCESS_DONE);
            assert_int_equal(value, rows[row].reset);
        } else {
            bool known = packer > 0 && packer < 4 && of_packer && thread < (sizes ? 3 : 1);
            assert_int_equal(access.result, ACCESS_REFUSED);
            assert_int_equal(access.kind, known ? BH_FAULT_UNDEFINED : BH_FAULT_UNMAPPED);
            assert_true(row < 0 || known);
            assert_int_equal(tensix_tdma_write(tb->x, BH_BRISC, offset, 0, 1).kind, access.kind);
        }
    }
}

static void kept_bits(void **state) {
    struct tensix_box *tb = *state;
    store(tb, GATE_EN, 0xFFFFFFFF);
    assert_int_equal(load(tb, GATE_EN), 0xFFFFFF7F);
    store(tb, GATE_HYST, 0xFFFFFFFF);
    assert_int_equal(load(tb, GATE_HYST), 0x01FF007F);
    assert_int_equal(tb->x->packer.set_reg_scaler[3], 0x1FF);
    store(tb, GATE_HYST, 0x00A50003);
    assert_int_equal(tb->x->packer.set_reg_scaler[3], 0xA5);
    parameters(tb, 1, 2, 3, 4);
    for (uint32_t offset = SRC; offset <= COMMAND; offset += 4)
        assert_int_equal(load(tb, offset), 0);
    store(tb, STATUS, 0xFFFFFFFF);
    assert_int_equal(load(tb, STATUS), 0x428);
    store(tb, ZERO_FLAGS, 5);
    assert_int_equal(load(tb, ZERO_FLAGS), 0);
    store(tb, PACKED_SIZE, 5);
    assert_int_equal(load(tb, PACKED_SIZE), 0);
}

/* The fields of PACR_SETREG, against the formulas of the page. */
static void register_writes_of_the_packer(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 8;
    for (unsigned i = 0; i < 200; i++) {
        uint32_t value = (uint32_t)random_next(&seed);
        store(tb, FIFO_STATUS, value);
        assert_int_equal(load(tb, FIFO_STATUS), value << 8 | 0x55);
        assert_int_equal(tb->x->packer.set_reg_base[0], (value >> 20 & 3) * 0x40000 + (value & 0x3FF) * 4);
        assert_int_equal(tb->x->packer.set_reg_base[1], (value >> 22 & 3) * 0x40000 + (value >> 10 & 0x3FF) * 4);
        store(tb, i % 2 ? SCALERS0 : SCALERS1, value);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(tb->x->packer.set_reg_scaler[n], value >> (9 * n) & 0x1FF);
        assert_int_equal(load(tb, SCALERS0), value & 0x7FFFFFF);
        assert_int_equal(load(tb, SCALERS1), value & 0x7FFFFFF);
    }
    tensix_busy_until(tb->x, 1, TENSIX_BUSY_PACK, tb->now + 100);
    assert_int_equal(load(tb, SCALERS0) >> 27, 0);
    tensix_busy_until(tb->x, 2, TENSIX_BUSY_PACK, tb->now + 100);
    assert_int_equal(load(tb, SCALERS0) >> 27, 1);
    tb->x->mover.tdma.set_reg_acc[1] = 0x1ABCD;
    assert_int_equal(load(tb, SCALERS0) >> 27, 1);
    assert_int_equal(load(tb, SCALERS1) >> 27, 17);
    tb->x->mover.tdma.set_reg_acc[0] = 0x15678;
    assert_int_equal(load(tb, ACC_SIZE), 0x56780000);
}

static void sizes_of_tiles(void **state) {
    struct tensix_box *tb = *state;
    struct packer *packer = &tb->x->packer;
    *packer = (struct packer){
        .acc_tile_size = { 11, 12, 13 }, .last_tile_size = 0x44, .last_thread = 2, .all_zero_flags = 0xFACE
    };
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(load(tb, PACKED_SIZE + 0x40 * thread), thread == 2 ? 0x44 : 0);
        assert_int_equal(load(tb, ACC_SIZE + 0x40 * thread), 11 + thread);
    }
    assert_int_equal(load(tb, ZERO_FLAGS), 0xFACE);
    store(tb, ACC_SIZE, 0xE1234); /* packers 1 to 3 */
    assert_int_equal(load(tb, ACC_SIZE), 11);
    assert_int_equal(packer->l1_dest_addr_offset, 0);
    store(tb, ACC_SIZE + 0x80, 0x1BEEF);
    for (unsigned thread = 0; thread < 3; thread++)
        assert_int_equal(load(tb, ACC_SIZE + 0x40 * thread), 0);
    assert_int_equal(packer->l1_dest_addr_offset, 0xBEEF);
    assert_int_equal(load(tb, PACKED_SIZE + 0x80), 0x44);
}

static void fifo_of_tiles(void **state) {
    struct tensix_box *tb = *state;
    struct packer *packer = &tb->x->packer;
    for (unsigned i = 0; i < PACKER_TILES; i++) {
        assert_int_equal(load(tb, FIFO_STATUS) & 3, i == 0);
        assert_true(packer_push_tile(packer, (uint16_t)(100 + i), 200 + i));
    }
    assert_int_equal(load(tb, FIFO_STATUS), 0x56);
    assert_false(packer_push_tile(packer, 1, 2));
    for (unsigned i = 0; i < PACKER_TILES; i++) {
        assert_int_equal(load(tb, FIFO_SIZE), 100 + i);
        assert_int_equal(load(tb, FIFO_SIZE), 100 + i);
        if (i == 1)
            store(tb, FIFO_FLAGS, 0);
        else
            assert_int_equal(load(tb, FIFO_FLAGS), 200 + i);
    }
    assert_int_equal(load(tb, FIFO_STATUS), 0x55);
    assert_int_equal(store_by(tb, BH_BRISC, FIFO_FLAGS, 0).kind, BH_FAULT_UNDEFINED);
}

/* A core that asks for a tile waits until there is one. */
static void a_core_waits_for_a_tile(void **state) {
    struct tensix_box *tb = *state;
    tb_load(tb, BH_TRISC2, 10, TDMA + FIFO_SIZE);
    tb_load(tb, BH_TRISC2, 11, TDMA + FIFO_FLAGS);
    tb_start(tb);
    tb_step(tb, 200);
    assert_int_equal(core_of(tb, BH_TRISC2)->state, BH_CORE_BLOCKED);
    assert_non_null(strstr(core_of(tb, BH_TRISC2)->waits_on, "FIFO"));
    packer_push_tile(&tb->x->packer, 65, 0x1234);
    tensix_wake(tb->x, tb->now);
    tb_step(tb, 300);
    assert_int_equal(core_of(tb, BH_TRISC2)->x[10], 65);
    assert_int_equal(core_of(tb, BH_TRISC2)->x[11], 0x1234);
}

/* ---- Soft reset
 * ---------------------------------------------------------------------------------------------------------------- */

static void reset_of_tdma(void **state) {
    struct tensix_box *tb = *state;
    parameters(tb, 0x1000, 0x2000, 100, 0);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, MOVE);
    store(tb, FIFO_STATUS, 0xFFFFFF);
    store(tb, SCALERS0, 0xFFFFFF);
    store(tb, L1_BASE, 0x33);
    tensix_soft_reset(tb->x, 1 << 8, tb->now);
    tensix_soft_reset(tb->x, 0, tb->now + 1);
    tb_step(tb, tb->now + 3);
    assert_int_equal(load(tb, STATUS), 0x428 | 1); /* the mover goes on with what it has */
    assert_int_equal(load(tb, SCALERS0), 0);
    assert_int_equal(load(tb, L1_BASE), 0x33);
    assert_int_equal(tb->x->mover.tdma.parameter[2], 0);
    tb_step(tb, tb->now + 100);
    assert_int_equal(load(tb, STATUS), 0x428);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(tb->x->packer.set_reg_base[i], 0);
}

static void reset_of_the_mover(void **state) {
    struct tensix_box *tb = *state;
    memset(&tb->x->l1[0x20000], 0x5A, 0x1000);
    parameters(tb, 0x1000, 0x2000, 100, 0);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, MOVE);
    tensix_soft_reset(tb->x, 1 << 6, tb->now);
    tb_step(tb, tb->now + 1);
    assert_int_equal(load(tb, STATUS) & 1, 0);
    tb_step(tb, tb->now + 3);
    assert_int_equal(load(tb, STATUS), 0x428); /* discarded one by one */
    assert_int_equal(tb->x->l1[0x20080], 0x5A);
    store(tb, COMMAND, MOVE);
    assert_int_equal(load(tb, STATUS), 0x428);
    tensix_soft_reset(tb->x, 0, tb->now);
    tb_step(tb, tb->now + 1);
    store(tb, COMMAND, MOVE);
    tb_step(tb, tb->now + 100);
    assert_int_equal(tb->x->l1[0x2063F], 0);
}

static void reset_of_the_packer(void **state) {
    struct tensix_box *tb = *state;
    struct packer *packer = &tb->x->packer;
    packer_push_tile(packer, 1, 2);
    packer->last_tile_size = packer->acc_tile_size[1] = packer->l1_dest_addr_offset = 7;
    tensix_soft_reset(tb->x, 1 << 2, tb->now);
    assert_int_equal(packer->tiles + packer->last_tile_size + packer->acc_tile_size[1], 0);
    assert_int_equal(packer->l1_dest_addr_offset, 7);
    tensix_soft_reset(tb->x, 0, tb->now + 1);
    assert_int_equal(packer->l1_dest_addr_offset, 0);
}

/* ---- As software waits
 * ------------------------------------------------------------------------------------------------------------ */

/* tt-llk: store the command, then load the status while its lowest bit is set. */
static void wait_for_bit_0(struct tensix_box *tb) {
    memset(&tb->x->l1[0x30000], 0x77, 16 * 50);
    tb_store(tb, BH_TRISC1, TDMA + SRC, 0x3000);
    tb_store(tb, BH_TRISC1, TDMA + DST, 0x3800);
    tb_store(tb, BH_TRISC1, TDMA + SIZE, 50);
    tb_store(tb, BH_TRISC1, TDMA + DIRECTION, 3);
    tb_li(tb, BH_TRISC1, 10, TDMA + STATUS);
    tb_store(tb, BH_TRISC1, TDMA + COMMAND, MOVE);
    tb_cycle(tb, BH_TRISC1, 14);
    tb_rv(tb, BH_TRISC1, asm_i(RV_LW, 11, 10, 0));
    tb_rv(tb, BH_TRISC1, asm_i(RV_ANDI, 11, 11, 1));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BNE, 11, 0, -8));
    tb_cycle(tb, BH_TRISC1, 12);
    tb_load(tb, BH_TRISC1, 13, 0x38000 + 16 * 50 - 4);
}

/* tt-metal: until the status has the bit of the empty queue and not the mover's. */
static void wait_for_both(struct tensix_box *tb) {
    memset(&tb->x->l1[0x30000], 0x77, 16 * 50);
    tb_li(tb, BH_BRISC, 10, TDMA + STATUS);
    tb_li(tb, BH_BRISC, 9, 8);
    tb_store(tb, BH_BRISC, TDMA + L1_BASE, 0x3000);
    tb_store(tb, BH_BRISC, TDMA + COMMAND, 0x80000000 | 50u << 24 | 4u << 16 | MOVE);
    tb_store(tb, BH_BRISC, TDMA + COMMAND, 0xC0000000 | 50u << 24 | 0x10u << 16 | MOVE);
    tb_cycle(tb, BH_BRISC, 14);
    tb_rv(tb, BH_BRISC, asm_i(RV_LW, 11, 10, 0));
    tb_rv(tb, BH_BRISC, asm_i(RV_ANDI, 11, 11, 9));
    tb_rv(tb, BH_BRISC, asm_b(RV_BNE, 11, 9, -8));
    tb_cycle(tb, BH_BRISC, 12);
    tb_load(tb, BH_BRISC, 13, 0x100 + 16 * 50 - 4);
}

static void waiting(scene_program *program, enum bh_core core, unsigned least) {
    struct tensix_box *tb = scene_play(program);
    const uint32_t *x = core_of(tb, core)->x;
    assert_ended(tb);
    assert_int_equal(x[13], 0x77777777);
    assert_in_range(x[12] - x[14], least, least + 20);
    assert_in_range(x[12], tb->x->mover.busy_until, tb->x->mover.busy_until + 20);
    tb_destroy(tb);
}

static void as_tt_llk_waits(void **state) {
    (void)state;
    waiting(wait_for_bit_0, BH_TRISC1, 6 * 11 + 5 - 2);
}

static void as_tt_metal_waits(void **state) {
    (void)state;
    waiting(wait_for_both, BH_BRISC, 2 * (6 * 11 + 5) - 8);
}

/* ---- Steps of any size
 * -------------------------------------------------------------------------------------------------------------- */

enum { PLAY_END = 4000, AREA = 0x30000, AREA_SIZE = 0x8000 };

static uint32_t draw_unit(uint64_t *seed) {
    return AREA / 16 + random_below(seed, AREA_SIZE / 16 - 64);
}

static void draw_brisc(struct tensix_box *tb, uint64_t *seed) {
    tb_store(tb, BH_BRISC, TDMA + L1_BASE, AREA / 16);
    for (unsigned i = 0; i < 12; i++) {
        unsigned kind = random_below(seed, 4);
        tb_nops(tb, BH_BRISC, random_below(seed, 12));
        if (kind < 2) {
            tb_store(tb, BH_BRISC, TDMA + SRC, draw_unit(seed));
            tb_store(tb, BH_BRISC, TDMA + DST, draw_unit(seed));
            tb_store(tb, BH_BRISC, TDMA + SIZE, random_below(seed, 40));
            tb_store(tb, BH_BRISC, TDMA + DIRECTION, kind ? 3 : 0);
            tb_store(tb, BH_BRISC, TDMA + COMMAND, MOVE);
            tb_store(tb, BH_BRISC, TDMA + COMMAND, SHORT_NOP);
            tb_store(tb, BH_BRISC, TDMA + COMMAND, 0x80000000 | WAIT);
        } else if (kind == 2) { /* words 32 on of Config */
            tb_store(tb, BH_BRISC, TDMA + COMMAND, 0x80080000 | random_below(seed, 8) << 24 | 5u << 8 | MOVE);
        } else {
            tb_load(tb, BH_BRISC, 10 + i, TDMA + STATUS);
        }
    }
}

static void draw_thread(struct tensix_box *tb, unsigned thread, uint64_t *seed) {
    for (unsigned i = 0; i < 15; i++) {
        tb_nops(tb, tb_core(thread), random_below(seed, 20));
        switch (random_below(seed, 5)) {
        case 0: tb_push(tb, thread, TT(XMOV, 0, 0)); break;
        case 1: TB_PUSH_ALL(tb, thread, TT(STALLWAIT, 0x1FF, GATE_C_MOVER), TT(SETC16, 1, i)); break;
        case 2: TB_PUSH_ALL(tb, thread, TT(WRCFG, 4, 0, 60), TT(WRCFG, 5, 0, 61), TT(WRCFG, 6, 0, 62)); break;
        case 3: TB_PUSH_ALL(tb, thread, TT(INCADCXY, 7, 1, 2, 3, 4), TT(RMWCIB0, 0xFF, i, 70)); break;
        default: tb_load(tb, tb_core(thread), 10 + i, AREA + random_below(seed, AREA_SIZE / 4) * 4); break;
        }
    }
}

static struct tensix_box *drawn(uint64_t seed) {
    struct tensix_box *tb = tb_create();
    uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
    fill(tb->x, AREA, AREA_SIZE, &seed);
    words[0] = draw_unit(&seed);
    words[1] = draw_unit(&seed);
    words[2] = random_below(&seed, 30) | (random_below(&seed, 2) ? 3u : 0) << 30;
    draw_brisc(tb, &seed);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        draw_thread(tb, thread, &seed);
    return tb;
}

static void in_one_step_as_in_many(void **state) {
    enum { SEEDS = 60 };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct tensix_box *stepped = drawn(seed), *whole = drawn(seed);
        tb_start(stepped);
        tb_step(stepped, PLAY_END);
        tb_start(whole);
        for (uint64_t until = 1; until <= PLAY_END; until += 37)
            tile_run(&whole->box->tile, until);
        tile_run(&whole->box->tile, PLAY_END);
        tensix_run(whole->x, PLAY_END);
        scene_assert_same(stepped, whole);
        assert_int_equal(stepped->box->faults, 0);
        assert_int_equal(stepped->x->mover.busy_until, whole->x->mover.busy_until);
        assert_memory_equal(stepped->x->l1 + AREA, whole->x->l1 + AREA, AREA_SIZE);
        assert_memory_equal(stepped->x->adc, whole->x->adc, sizeof whole->x->adc);
        for (enum bh_core core = BH_BRISC; core <= BH_TRISC2; core++)
            assert_int_equal(core_of(stepped, core)->state, BH_CORE_PAUSED);
        assert_int_equal(load(stepped, STATUS), 0x428);
        tb_destroy(stepped);
        tb_destroy(whole);
    }
}

#define BOXED(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_ticked_machine),
        BOXED(with_parameters),
        BOXED(short_form),
        BOXED(writes_to_l1),
        BOXED(full),
        cmocka_unit_test(cores_that_wait_for_room),
        BOXED(what_is_refused),
        BOXED(credits),
        BOXED(threads_see_commands),
        BOXED(by_the_coprocessor),
        BOXED(every_offset),
        BOXED(kept_bits),
        BOXED(register_writes_of_the_packer),
        BOXED(sizes_of_tiles),
        BOXED(fifo_of_tiles),
        BOXED(a_core_waits_for_a_tile),
        BOXED(reset_of_tdma),
        BOXED(reset_of_the_mover),
        BOXED(reset_of_the_packer),
        cmocka_unit_test(as_tt_llk_waits),
        cmocka_unit_test(as_tt_metal_waits),
        cmocka_unit_test(in_one_step_as_in_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
