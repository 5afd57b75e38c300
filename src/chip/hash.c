/* A hash over everything that software can observe.
 *
 * What enters: chip time; L1, DRAM and local memories; registers, CSRs, pc and state of cores; registers of tiles;
 * packets on their way; the host interface's registers in the PCIe tile. What does not: anything that only makes the
 * host faster (decoded code, marks, whether a polling core is parked or still going round) and how far a core has run
 * ahead of chip time. Memory counts page by page and zero pages do not count, so that untouched and zero are the same.
 */
#include <stddef.h>
#include <string.h>

#include "base/mix.h"
#include "chip/chip.h"

enum { PAGE = 4096 };

static bool is_zero(const uint8_t *page) {
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static uint64_t mix_memory(uint64_t hash, uint64_t name, const uint8_t *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PAGE)
        if (!is_zero(bytes + at))
            hash = mix_bytes(mix(hash, name + at), bytes + at, PAGE);
    return hash;
}

/* ---- Packets --------------------------------------------------------------------------------------- */

static uint64_t mix_request(uint64_t hash, const struct noc_request *r) {
    hash = mix(hash, r->kind | (uint64_t)r->noc << 8 | (uint64_t)r->initiator << 16 | (uint64_t)r->id << 24 |
                         (uint64_t)r->source << 32 | (uint64_t)r->reply << 40 | (uint64_t)r->marked << 48);
    hash = mix(hash, r->data | (uint64_t)r->length << 32);
    hash = mix(mix(hash, r->atomic | (uint64_t)r->header_store << 16 | (uint64_t)r->vc << 24), r->mask);
    return mix(mix(mix(hash, r->address), r->reply_address), r->area.exclude);
}

static uint64_t mix_transaction(uint64_t hash, const struct transaction *t, const uint8_t *bytes) {
    hash = mix(mix(hash, t->order), t->to | (uint64_t)transaction_is_response(t) << 8);
    if (transaction_is_response(t))
        hash = mix(hash, t->receiver);
    return mix_bytes(mix_request(hash, &t->request), bytes, transaction_length(t));
}

static uint64_t hash_arrival(const struct mail *mail, const struct arrival *arrival) {
    const struct transaction *transaction = mail_read(mail, arrival);
    uint64_t time = arrival->time;
    bool taken_in = arrival->taken_in;
    return mix_transaction(mix(mix(0, time), taken_in), transaction, mail_bytes(mail, transaction));
}

static uint64_t mix_deferred(uint64_t hash, const struct tile *tile) {
    const struct loose_mail *loose = &tile->mail.loose;
    uint8_t room[NOC_PACKET_MAX];
    for (uint32_t i = loose->done; i < loose->count; i++)
        hash = mix_transaction(hash, &loose->list[i], loose_bytes(tile, i, &loose->list[i], room));
    return hash;
}

/* Where a transaction lies in a box does not matter, only when it arrives: a sum. */
static uint64_t mix_mail(uint64_t hash, const struct mail *mail) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < mail->inbox.count; i++)
        sum += hash_arrival(mail, &mail->inbox.heap[i]);
    for (uint32_t i = 0; i < mail->outbox.count; i++)
        sum += hash_arrival(mail, &mail->outbox.list[i]);
    return sum ? mix(hash, sum) : hash;
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
    if (!v->lates && !v->open && !vector_is_early(v, now))
        return mix_bytes(hash, v->lreg, VECTOR_LREGS * sizeof v->lreg[0]);
    uint32_t value[VECTOR_LREGS][LANES];
    for (unsigned i = 0; i < VECTOR_LREGS; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            value[i][lane] = vector_peek(v, i, lane, now);
    return mix_bytes(hash, value, sizeof value);
}

static uint64_t mix_late(uint64_t hash, uint64_t at, unsigned lreg, uint32_t lanes, const uint32_t *value) {
    hash = mix(mix(hash, at), lanes | (uint64_t)lreg << 32);
    for (unsigned lane = 0; lane < LANES; lane++)
        hash = mix(hash, lanes >> lane & 1 ? value[lane] : 0);
    return hash;
}

/* Results that can only be read later. */
static uint64_t mix_lates(uint64_t hash, const struct vector *v, uint64_t now) {
    for (unsigned i = 0; i < v->lates; i++) {
        const struct vector_late *late = &v->late[(v->late_at + i) % VECTOR_LATE];
        if (late->at > now)
            hash = mix_late(hash, late->at, late->lreg, late->lanes, late->value);
    }
    if (vector_is_early(v, now))
        hash = mix_late(hash, v->early_until, v->early, v->enabled, v->lreg[v->early]);
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

/* ---- Unpackers and packer: what they have been told, by fields, as structs have gaps ----------------- */

static uint64_t mix_unpack_job(uint64_t hash, const struct unpack_job *job, uint64_t now) {
    const struct unpack_input *in = &job->in;
    const struct unpack_output *out = &job->out;
    hash = mix(hash, job->ready > now ? job->ready - now : 0);
    hash = mix(hash, job->word | (uint64_t)job->thread << 32 | (uint64_t)job->bank << 40 | (uint64_t)job->way << 48);
    hash = mix(hash, job->units | (uint64_t)job->rate << 32 | (uint64_t)job->row << 40 | (uint64_t)job->format << 48);
    hash = mix(mix(mix(hash, in->data), in->exponents), in->deltas);
    hash = mix(mix(hash, in->count | (uint64_t)in->stride << 32), in->drop | (uint64_t)in->emit << 32);
    return mix(hash, out->address | (uint64_t)out->shift << 32 | (uint64_t)out->zeros << 40 | (uint64_t)out->dst << 48);
}

static uint64_t mix_unpack(uint64_t hash, const struct unpack *unpack, uint64_t now) {
    for (unsigned i = 0; i < UNPACKERS; i++) {
        const struct unpacker *u = &unpack->unit[i];
        for (unsigned k = 0; k < u->count; k++)
            hash = mix_unpack_job(mix(hash, i), &u->job[(u->first + k) % UNPACK_JOBS], now);
        if (u->phase == UNPACK_RUNS)
            hash = mix(hash, u->end - now);
    }
    return hash;
}

static uint64_t mix_pack_job(uint64_t hash, const struct pack_job *job, uint64_t now) {
    const struct pack_input *in = &job->in;
    const struct pack_way *way = &job->way;
    const struct pack_output *out = &job->out;
    hash = mix(mix(hash, job->end - now), job->word | (uint64_t)job->thread << 32 | (uint64_t)job->task << 40);
    hash = mix(hash, in->source | (uint64_t)in->wide << 8 | (uint64_t)in->rows << 16 | (uint64_t)in->take << 32);
    if (in->source == PACK_FROM_DST)
        hash = mix_bytes(hash, in->row, in->rows * sizeof in->row[0]);
    if (in->masked)
        hash = mix_bytes(hash, in->keep, in->rows * sizeof in->keep[0]);
    if (in->source == PACK_FROM_L1)
        hash = mix(hash, in->address | (uint64_t)in->count << 32);
    hash = mix(hash, way->early | (uint64_t)way->open.kind << 8 | (uint64_t)way->open.out << 16 |
                         (uint64_t)way->relu << 24 | (uint64_t)way->threshold << 32 | (uint64_t)way->below << 48 |
                         (uint64_t)way->shift << 56);
    hash = mix(hash, way->edge | (uint64_t)way->random << 32 | (uint64_t)way->open.random << 33);
    hash = mix_bytes(mix_bytes(hash, out->address, sizeof out->address), out->new, sizeof out->new);
    return mix(hash, way->open.add | (uint64_t)way->open.compress << 1 | (uint64_t)out->fifo << 2 |
                         (uint64_t)out->header << 3 | (uint64_t)out->flags << 4);
}

/* What waits in its buffers. */
static uint64_t mix_pack_data(uint64_t hash, const struct pack *pack) {
    for (unsigned i = 0; i < PACK_SECTIONS; i++) {
        const struct pack_stream *stream = &pack->stream[i];
        hash = mix_bytes(mix(hash, stream->address | (uint64_t)stream->filled << 32), stream->byte, stream->filled);
    }
    const struct pack_compressed *c = &pack->compressed;
    bool words = pack_is_words((enum pack_kind)pack->open.kind);
    hash = mix_bytes(mix(hash, pack->rests), &pack->rest, pack->rests * (words ? 4u : 2u));
    hash = mix(hash, pack->open.kind | (uint64_t)pack->open.out << 8 | (uint64_t)pack->open.add << 16);
    hash = mix_bytes(mix(hash, c->data | (uint64_t)c->in_group << 16 | (uint64_t)c->rows << 24), c->zeros,
                     sizeof c->zeros);
    hash = mix(hash, c->run.zeros | (uint64_t)c->run.open << 8 | (uint64_t)c->run.some << 16);
    hash = mix_bytes(hash, pack->random, sizeof pack->random);
    return mix(mix(hash, pack->packed | (uint64_t)pack->units << 32), pack->register_data);
}

static uint64_t mix_pack(uint64_t hash, const struct pack *pack, uint64_t now) {
    for (unsigned i = 0; i < pack->count; i++)
        hash = mix_pack_job(hash, &pack->job[(pack->first + i) % PACK_JOBS], now);
    hash = mix(hash, pack->position | (uint64_t)pack->plane << 8);
    return mix_pack_data(mix_bytes(hash, pack->placed, sizeof pack->placed), pack);
}

static uint64_t mix_packer(uint64_t hash, const struct packer *packer) {
    hash = mix_bytes(hash, packer->acc_tile_size, sizeof packer->acc_tile_size);
    hash = mix(hash,
               packer->last_tile_size | (uint64_t)packer->last_thread << 16 | (uint64_t)packer->all_zero_flags << 32);
    hash = mix_bytes(hash, packer->exponent_histogram, sizeof packer->exponent_histogram);
    hash = mix(hash, packer->max_exponent | (uint64_t)packer->tiles << 8 | (uint64_t)packer->l1_dest_addr_offset << 16);
    for (unsigned i = 0; i < packer->tiles; i++)
        hash = mix(hash, packer->tile[i].size | (uint64_t)packer->tile[i].zero_flags << 32);
    hash = mix_bytes(hash, packer->set_reg_base, sizeof packer->set_reg_base);
    return mix_bytes(hash, packer->set_reg_scaler, sizeof packer->set_reg_scaler);
}

/* Stages count as if brought forward to cycle `now`, as they are when somebody looks: how far they have been must not
 * show. */
static uint64_t mix_frontend(uint64_t hash, const struct frontend *f, uint64_t now) {
    struct frontend copy = *f;
    frontend_advance(&copy, now);
    hash = mix_bytes(hash, copy.mop.config, sizeof copy.mop.config);
    hash = mix_bytes(hash, copy.replay.word, sizeof copy.replay.word);
    return mix(mix(hash, copy.passes), copy.in_flight);
}

/* What programs can reach of the coprocessor, and the words that are on their way through it. now: every cycle before
 * this one is over. */
static uint64_t mix_tensix(uint64_t hash, const struct tensix *x, uint64_t now) {
    hash = mix_bytes(hash, x->gpr, sizeof x->gpr);
    hash = mix_bytes(hash, x->config.bank, sizeof x->config.bank);
    hash = mix_bytes(hash, x->config.thread, sizeof x->config.thread);
    hash = mix_bytes(hash, x->adc, sizeof x->adc);
    hash = mix_bytes(hash, x->rwc, sizeof x->rwc);
    hash = mix_dst(hash, &x->dst);
    hash = mix(mix_src(hash, &x->src), x->matrix.last_a_row);
    hash = mix_mover(hash, &x->mover, x->time);
    hash = mix_vector_unit(hash, &x->vector, x->time);
    hash = mix_unpack(hash, &x->unpack, x->time);
    hash = mix_pack(mix_packer(hash, &x->packer), &x->pack, x->time);
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        hash = mix(hash, (uint64_t)x->sync.semaphore[i].value << 8 | x->sync.semaphore[i].max);
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        hash = mix(hash, x->sync.mutex[i].held_by);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct tensix_thread *t = &x->thread[i];
        hash = mix(mix_frontend(hash, &t->frontend, now), t->faulted);
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
    hash = mix_mail(mix_bytes(hash, tile->niu, sizeof tile->niu), &tile->mail);
    hash = mix_deferred(hash, tile);
    hash = mix_bytes(hash, tile->link, 2 * sizeof tile->link[0]);
    hash = mix_bytes(hash, &tile->overlay, sizeof tile->overlay);
    hash = mix_tensix(hash, &tile->tensix, tile->time);
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
    if (!chip)
        return 0;
    uint64_t hash = mix(0, chip->time);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct tile *tile = chip_made(chip, i);
        if (chip->touched[i])
            chip_catch_up(chip, tile);
        hash = mix_tile(mix(hash, i), tile, chip->touched[i]);
    }
    dram_visit(&chip->dram, mix_chunk, &hash);
    hash = mix_mail(mix_bytes(hash, chip->small_niu, sizeof chip->small_niu), &chip->exchange.mail);
    hash = mix_bytes(hash, chip->exchange.link, sizeof chip->exchange.link);
    hash = mix_bytes(hash, chip->exchange.busy, sizeof chip->exchange.busy);
    hash = mix_arc(hash, chip);
    return mix_bytes(hash, &chip->pcie, sizeof chip->pcie);
}
