/* A hash over everything that software can observe.
 *
 * What enters: chip time; L1, DRAM and local memories; registers, CSRs, pc and state of cores; registers of tiles; the
 * host interface's registers in the PCIe tile. What does not: anything that only makes the host faster (decoded code,
 * marks, whether a polling core is parked or still going round) and how far a core has run ahead of chip time.
 * Memory counts page by page and zero pages do not count, so that untouched and zero are the same.
 */
#include <stddef.h>
#include <string.h>

#include "chip/chip.h"

enum { PAGE = 4096 };

#define MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * MULTIPLIER;
    return hash ^ hash >> 29;
}

/* Four lanes, so that the multiplications overlap. Bytes past the last full 32 go one by one. */
static uint64_t mix_bytes(uint64_t hash, const void *data, size_t size) {
    const uint8_t *at = data;
    uint64_t lane[4] = { hash, hash + 1, hash + 2, hash + 3 };
    for (; size >= sizeof lane; at += sizeof lane, size -= sizeof lane) {
        uint64_t word[4];
        memcpy(word, at, sizeof word);
        for (unsigned i = 0; i < 4; i++)
            lane[i] = mix(lane[i], word[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        hash = mix(hash, lane[i]);
    for (; size; at++, size--)
        hash = mix(hash, *at);
    return hash;
}

static bool is_zero(const uint8_t *page) {
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static uint64_t mix_memory(uint64_t hash, uint64_t name, const uint8_t *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PAGE)
        if (!is_zero(bytes + at))
            hash = mix_bytes(mix(hash, name + at), bytes + at, PAGE);
    return hash;
}

/* ---- Cores and tiles ------------------------------------------------------------------------------- */

static uint64_t mix_vector(uint64_t hash, const struct vec_state *vec) {
    hash = mix_bytes(hash, vec->v, sizeof vec->v);
    hash = mix(hash, vec->vl | (uint64_t)vec->vtype << 32);
    return mix(hash, vec->vxsat | (uint64_t)vec->vxrm << 32);
}

static uint64_t mix_csrs(uint64_t hash, const struct core *core) {
    hash = mix(hash, core->cfg0 | (uint64_t)core->fcsr << 32);
    hash = mix_bytes(hash, core->pmacfg, sizeof core->pmacfg);
    hash = mix_bytes(hash, core->scratch, sizeof core->scratch);
    hash = mix_bytes(hash, core->sstatus, sizeof core->sstatus);
    hash = mix_bytes(hash, core->frozen_status, sizeof core->frozen_status);
    hash = mix_bytes(hash, core->hpm_event, sizeof core->hpm_event);
    hash = mix(hash, core->mcountinhibit | (uint64_t)core->intp_restore_pc << 32);
    return mix(hash, core->return_pc | (uint64_t)core->in_interrupt << 32);
}

/* A core in a polling loop, parked or not, is 'running'; where in the loop it stands depends on when it was parked. */
static uint64_t mix_core(uint64_t hash, const struct core *core) {
    bool polling = core->state == BH_CORE_POLLING;
    hash = mix(hash, polling ? BH_CORE_RUNNING : core->state);
    hash = mix_bytes(hash, core->x, 32 * sizeof core->x[0]);
    hash = mix_bytes(hash, core->f, sizeof core->f);
    hash = mix_csrs(hash, core);
    if (core->id == BH_TRISC2)
        hash = mix_vector(hash, &core->vec);
    if (!polling)
        hash = mix(hash, core->pc);
    if (core->state == BH_CORE_FAULTED)
        hash = mix(mix(hash, core->fault.kind), core->fault.address);
    return mix_bytes(hash, core->ldm, core->ldm_size);
}

/* Only what has ever been written to. */
static uint64_t mix_dst(uint64_t hash, const struct dst *dst) {
    enum { GROUP = 32 };
    hash = mix_bytes(hash, dst->invalid, sizeof dst->invalid);
    hash = mix(hash, dst->touched | (uint64_t)dst->halves << 32);
    for (unsigned i = 0; i < DST_ROWS / GROUP; i++)
        if (dst->touched >> i & 1)
            hash = mix_bytes(hash, dst->bits[i * GROUP], GROUP * sizeof dst->bits[0]);
    return hash;
}

static uint64_t mix_src(uint64_t hash, const struct src *src) {
    for (unsigned file = 0; file < SRC_FILES; file++) {
        if (!src->touched[file])
            continue;
        hash = mix_bytes(mix(hash, file), src->bank[file], sizeof src->bank[file]);
        hash = mix_bytes(mix_bytes(hash, src->allowed[file], SRC_BANKS), src->format[file], SRC_BANKS);
        hash = mix(mix(hash, src->unpacker_bank[file]), (uint64_t)src->matrix_bank[file] << 8 | src->last_format[file]);
        hash = mix_bytes(hash, src->unpacker_row[file], sizeof src->unpacker_row[file]);
    }
    return hash;
}

/* Results that nobody has taken in yet count as if they had been, if they could. */
static uint64_t mix_lregs(uint64_t hash, const struct vector *v, uint64_t now) {
    if (!v->lates && !v->open)
        return mix_bytes(hash, v->lreg, VECTOR_LREGS * sizeof v->lreg[0]);
    for (unsigned i = 0; i < VECTOR_LREGS; i++) {
        uint32_t value[LANES];
        for (unsigned lane = 0; lane < LANES; lane++)
            value[lane] = vector_peek(v, i, lane, now);
        hash = mix_bytes(hash, value, sizeof value);
    }
    return hash;
}

/* Results that can only be read later. */
static uint64_t mix_lates(uint64_t hash, const struct vector *v, uint64_t now) {
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->at <= now)
            continue;
        hash = mix(mix(hash, late->at), late->lanes | (uint64_t)late->lreg << 32);
        for (unsigned lane = 0; lane < LANES; lane++)
            hash = mix(hash, late->lanes >> lane & 1 ? late->value[lane] : 0);
    }
    return hash;
}

/* Instructions that SFPLOADMACRO has scheduled. */
static uint64_t mix_schedule(uint64_t hash, const struct vector_schedule *s) {
    hash = mix(hash, s->waiting | (uint64_t)s->by_instruction << 32);
    for (unsigned i = 0; i < VECTOR_SCHEDULED * VECTOR_DELAYS; i++) {
        const struct vector_scheduled *one = &s->ring[i / VECTOR_DELAYS][(s->first + i) % VECTOR_DELAYS];
        if (!(s->waiting >> i & 1))
            continue;
        hash = mix(hash, one->word | (uint64_t)one->address << 32 | (uint64_t)one->thread << 48);
        hash = mix(hash, one->vb | (uint64_t)one->vc << 8 | (uint64_t)one->vd << 16 | (uint64_t)one->mod << 24);
    }
    return hash;
}

static uint64_t mix_vector_unit(uint64_t hash, const struct vector *v, uint64_t now) {
    hash = mix_lates(mix_lregs(hash, v, now), v, now);
    hash = mix_bytes(hash, v->random, sizeof v->random);
    hash = mix(hash, v->flags | (uint64_t)v->use_flags << 32);
    hash = mix_bytes(hash, v->stack, sizeof v->stack);
    hash = mix_bytes(hash, v->lane_config, sizeof v->lane_config);
    for (unsigned i = 0; v->macros && i < v->schedules; i++)
        hash = mix_schedule(hash, &v->schedule[i]);
    return mix_bytes(hash, v->macro, sizeof v->macro);
}

static uint64_t mix_mover(uint64_t hash, const struct mover *mover, uint64_t now) {
    const struct tdma *tdma = &mover->tdma;
    hash = mix(mix(hash, mover->task.units), mover->busy_until > now ? mover->busy_until - now : 0);
    hash = mix_bytes(hash, tdma->parameter, sizeof tdma->parameter);
    hash = mix_bytes(hash, tdma->base, sizeof tdma->base);
    for (unsigned i = 0; i < tdma->commands; i++)
        hash = mix(hash, tdma->queue[i].word);
    hash = mix(hash, tdma->unpack_address | (uint64_t)tdma->scaler << 32);
    return mix(hash, tdma->pack_address);
}

/* What programs can reach of the coprocessor, and the words that are on their way through it. */
static uint64_t mix_tensix(uint64_t hash, const struct tensix *x) {
    hash = mix_bytes(hash, x->gpr, sizeof x->gpr);
    hash = mix_bytes(hash, x->config.bank, sizeof x->config.bank);
    hash = mix_bytes(hash, x->config.thread, sizeof x->config.thread);
    hash = mix_bytes(hash, x->adc, sizeof x->adc);
    hash = mix_bytes(hash, x->rwc, sizeof x->rwc);
    hash = mix_dst(hash, &x->dst);
    hash = mix(mix_src(hash, &x->src), x->matrix.last_a_row);
    hash = mix_mover(hash, &x->mover, x->time);
    hash = mix_vector_unit(hash, &x->vector, x->time);
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        hash = mix(hash, (uint64_t)x->sync.semaphore[i].value << 8 | x->sync.semaphore[i].max);
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        hash = mix(hash, x->sync.mutex[i].held_by);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *t = &x->thread[i];
        hash = mix_bytes(hash, t->frontend.mop.config, sizeof t->frontend.mop.config);
        hash = mix_bytes(hash, t->frontend.replay.word, sizeof t->frontend.replay.word);
        hash = mix(mix(hash, t->passed), (uint64_t)t->frontend.in_flight << 8 | t->faulted);
    }
    return hash;
}

/* l1: can there be anything in it? */
static uint64_t mix_tile(uint64_t hash, const struct tile *tile, bool l1) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        hash = mix_core(hash, &tile->core[core]);
    hash = mix_bytes(hash, &tile->control, sizeof tile->control);
    hash = mix_bytes(hash, &tile->mailboxes, sizeof tile->mailboxes);
    for (unsigned i = 0; i < PCBUF_COUNT; i++) {
        const struct pcbuf *buf = &tile->pcbufs.buf[i];
        hash = mix(mix_bytes(hash, buf->word, sizeof buf->word), buf->count);
    }
    hash = mix_bytes(hash, &tile->pic, sizeof tile->pic);
    hash = mix_bytes(hash, tile->niu, sizeof tile->niu);
    hash = mix_bytes(hash, &tile->overlay, sizeof tile->overlay);
    hash = mix_tensix(hash, &tile->tensix);
    if (tile->kind == TILE_KIND_ETH)
        hash = mix_bytes(hash, &tile->eth, sizeof tile->eth);
    return l1 ? mix_memory(hash, 0, tile->l1, tile_l1_size(tile)) : hash;
}

/* ---- The rest --------------------------------------------------------------------------------------- */

static void mix_chunk(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size) {
    uint64_t *hash = user;
    *hash = mix_memory(*hash, (uint64_t)(bank + 1) << 32 | address, bytes, size);
}

static uint64_t mix_arc(uint64_t hash, const bh_chip *chip) {
    const struct arc *arc = &chip->arc;
    const uint8_t *csm = arc_memory((struct arc *)(uintptr_t)arc, ARC_CSM_BASE, ARC_CSM_SIZE, chip->time);
    hash = mix_bytes(hash, arc, offsetof(struct arc, csm));
    return mix_memory(hash, 0, csm, ARC_CSM_SIZE);
}

uint64_t bh_state_hash(const bh_chip *chip) {
    uint64_t hash = mix(0, chip->time);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (chip->touched[i])
            chip_catch_up(chip, chip->tile[i]);
        hash = mix_tile(mix(hash, i), chip->tile[i], chip->touched[i]);
    }
    dram_visit(&chip->dram, mix_chunk, &hash);
    hash = mix_bytes(hash, chip->small_niu, sizeof chip->small_niu);
    hash = mix_arc(hash, chip);
    return mix_bytes(hash, &chip->pcie, sizeof chip->pcie);
}
