/* Tests of src/chip/hash.c: the hash sees the first and the last byte of every field that programs can observe. */
#include "support/noc_stage.h"

/* A field of the state: the hash differs while its lowest bit is another, and is the same again afterwards. */
static void assert_seen(bh_chip *chip, const char *name, void *field, size_t size) {
    uint8_t *byte = field;
    uint64_t before = bh_state_hash(chip);
    for (unsigned end = 0; end < 2; end++) {
        uint8_t *at = end ? byte + size - 1 : byte;
        *at ^= 1;
        if (bh_state_hash(chip) == before)
            fail_msg("%s, byte %u: the hash does not see it", name, (unsigned)(at - byte));
        *at ^= 1;
    }
    assert_true(bh_state_hash(chip) == before);
}
#define SEEN(field)  assert_seen(chip, #field, &(field), sizeof(field))
#define EDGES(field) assert_seen(chip, #field, (field), sizeof(field))

/* A tile that was never used: nothing of it runs while the hash looks. */
static struct tile *tile_of(bh_chip *chip) {
    return chip_made(chip, 5);
}

static void cores_are_seen(void **state) {
    bh_chip *chip = *state;
    struct core *core = &tile_of(chip)->core[BH_TRISC2];
    EDGES(core->f);
    SEEN(core->x[1]);
    SEEN(core->x[31]);
    SEEN(core->vec.v);
    SEEN(core->vec.vl);
    SEEN(core->vec.vtype);
    SEEN(core->vec.vxsat);
    SEEN(core->vec.vxrm);
    SEEN(core->cfg0);
    SEEN(core->fcsr);
    EDGES(core->pmacfg);
    EDGES(core->scratch);
    EDGES(core->sstatus);
    EDGES(core->frozen_status);
    EDGES(core->hpm_event);
    SEEN(core->mcountinhibit);
    SEEN(core->intp_restore_pc);
    SEEN(core->return_pc);
    SEEN(core->in_interrupt);
    SEEN(core->pc);
    assert_seen(chip, "ldm", core->ldm, core->ldm_size);
    core->state = BH_CORE_FAULTED;
    SEEN(core->fault.kind);
    SEEN(core->fault.address);
}

static void coprocessor_registers_are_seen(void **state) {
    bh_chip *chip = *state;
    struct tensix *x = &tile_of(chip)->tensix;
    EDGES(x->gpr);
    EDGES(x->config.bank);
    EDGES(x->config.thread);
    EDGES(x->adc);
    EDGES(x->rwc);
    EDGES(x->dst.invalid);
    SEEN(x->dst.touched);
    SEEN(x->dst.halves);
    x->dst.touched = UINT32_MAX;
    EDGES(x->dst.bits);
    SEEN(x->matrix.last_a_row);
    for (unsigned file = 0; file < SRC_FILES; file++) {
        x->src.touched[file] = true;
        EDGES(x->src.bank[file]);
        EDGES(x->src.allowed[file]);
        EDGES(x->src.format[file]);
        SEEN(x->src.unpacker_bank[file]);
        SEEN(x->src.matrix_bank[file]);
        SEEN(x->src.last_format[file]);
        EDGES(x->src.unpacker_row[file]);
    }
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++) {
        SEEN(x->sync.semaphore[i].value);
        SEEN(x->sync.semaphore[i].max);
    }
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        SEEN(x->sync.mutex[i].held_by);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        EDGES(x->thread[i].frontend.mop.config);
        EDGES(x->thread[i].frontend.replay.word);
        SEEN(x->thread[i].frontend.passes);
        SEEN(x->thread[i].frontend.in_flight);
        SEEN(x->thread[i].faulted);
    }
}

static void vector_unit_is_seen(void **state) {
    bh_chip *chip = *state;
    struct vector *v = &tile_of(chip)->tensix.vector;
    SEEN(v->lreg[0]);
    SEEN(v->lreg[VECTOR_LREGS - 1]);
    EDGES(v->random);
    SEEN(v->flags);
    SEEN(v->use_flags);
    EDGES(v->stack);
    EDGES(v->lane_config);
    SEEN(v->macro);
}

static void mover_is_seen(void **state) {
    bh_chip *chip = *state;
    struct mover *mover = &tile_of(chip)->tensix.mover;
    SEEN(mover->task.units);
    mover->busy_until = 1000;
    SEEN(mover->busy_until);
    EDGES(mover->tdma.parameter);
    EDGES(mover->tdma.base);
    mover->tdma.commands = 2;
    SEEN(mover->tdma.queue[0].word);
    SEEN(mover->tdma.queue[1].word);
    SEEN(mover->tdma.unpack_address);
    SEEN(mover->tdma.scaler);
    SEEN(mover->tdma.pack_address);
}

static void unpackers_are_seen(void **state) {
    bh_chip *chip = *state;
    for (unsigned i = 0; i < UNPACKERS; i++) {
        struct unpacker *u = &tile_of(chip)->tensix.unpack.unit[i];
        struct unpack_job *job = &u->job[0]; /* the second: the first one is the last of the ring */
        u->first = UNPACK_JOBS - 1;
        u->count = 2;
        job->ready = 1000;
        SEEN(job->ready);
        SEEN(job->word);
        SEEN(job->thread);
        SEEN(job->bank);
        SEEN(job->path);
        SEEN(job->units);
        SEEN(job->rate);
        SEEN(job->row);
        SEEN(job->format);
        SEEN(job->in.data);
        SEEN(job->in.exponents);
        SEEN(job->in.deltas);
        SEEN(job->in.count);
        SEEN(job->in.stride);
        SEEN(job->in.drop);
        SEEN(job->in.emit);
        SEEN(job->out.address);
        SEEN(job->out.shift);
        SEEN(job->out.zeros);
        SEEN(job->out.dst);
        SEEN(u->job[UNPACK_JOBS - 1].word);
        u->phase = UNPACK_RUNS;
        SEEN(u->end);
    }
}

static void jobs_of_the_packer_are_seen(void **state) {
    bh_chip *chip = *state;
    struct pack *pack = &tile_of(chip)->tensix.pack;
    struct pack_job *job = &pack->job[0];
    pack->first = PACK_JOBS - 1;
    pack->count = 2;
    SEEN(pack->job[PACK_JOBS - 1].word);
    SEEN(job->end);
    SEEN(job->word);
    SEEN(job->thread);
    SEEN(job->task);
    SEEN(job->in.wide);
    SEEN(job->in.take);
    job->in.rows = 2;
    job->in.source = PACK_FROM_DST;
    SEEN(job->in.row[0]);
    SEEN(job->in.row[1]);
    job->in.masked = true;
    SEEN(job->in.keep[0]);
    SEEN(job->in.keep[1]);
    job->in.source = PACK_FROM_L1;
    SEEN(job->in.address);
    SEEN(job->in.count);
    SEEN(job->path.early);
    SEEN(job->path.open.kind);
    SEEN(job->path.open.out);
    SEEN(job->path.relu);
    SEEN(job->path.threshold);
    SEEN(job->path.below);
    SEEN(job->path.shift);
    SEEN(job->path.edge);
    SEEN(job->path.random);
    SEEN(job->path.open.random);
    SEEN(job->path.open.add);
    SEEN(job->path.open.compress);
    EDGES(job->out.address);
    EDGES(job->out.new);
    SEEN(job->out.fifo);
    SEEN(job->out.header);
    SEEN(job->out.flags);
}

static void buffers_of_the_packer_are_seen(void **state) {
    bh_chip *chip = *state;
    struct pack *pack = &tile_of(chip)->tensix.pack;
    struct packer *packer = &tile_of(chip)->tensix.packer;
    SEEN(pack->position);
    SEEN(pack->plane);
    SEEN(pack->placed);
    for (unsigned i = 0; i < PACK_SECTIONS; i++) {
        SEEN(pack->stream[i].address);
        pack->stream[i].filled = 3;
        assert_seen(chip, "stream", pack->stream[i].byte, 3);
    }
    pack->rests = 2;
    assert_seen(chip, "rest", &pack->rest, 4);
    SEEN(pack->open.out);
    SEEN(pack->open.add);
    SEEN(pack->compressed.data);
    SEEN(pack->compressed.in_group);
    SEEN(pack->compressed.rows);
    EDGES(pack->compressed.zeros);
    SEEN(pack->compressed.run.zeros);
    SEEN(pack->compressed.run.open);
    SEEN(pack->compressed.run.some);
    EDGES(pack->random);
    SEEN(pack->packed);
    SEEN(pack->units);
    SEEN(pack->register_data);
    EDGES(packer->acc_tile_size);
    SEEN(packer->last_tile_size);
    SEEN(packer->last_thread);
    SEEN(packer->all_zero_flags);
    EDGES(packer->exponent_histogram);
    SEEN(packer->max_exponent);
    SEEN(packer->l1_dest_addr_offset);
    packer->tiles = 2;
    SEEN(packer->tile[1].size);
    SEEN(packer->tile[1].zero_flags);
    EDGES(packer->set_reg_base);
    EDGES(packer->set_reg_scaler);
}

static void blocks_of_a_tile_are_seen(void **state) {
    bh_chip *chip = *state;
    struct tile *tile = tile_of(chip);
    SEEN(tile->control.value[REG_CONTROL_DISABLE_RESET]);
    SEEN(tile->mailboxes);
    for (unsigned i = 0; i < PCBUF_COUNT; i++) {
        EDGES(tile->pcbufs.buf[i].word);
        SEEN(tile->pcbufs.buf[i].count);
    }
    SEEN(tile->pic);
    EDGES(tile->niu);
    assert_seen(chip, "link", tile->link, 2 * sizeof tile->link[0]);
    SEEN(tile->overlay);
    SEEN(chip->time);
    EDGES(chip->small_niu);
    EDGES(chip->exchange.link);
    EDGES(chip->exchange.channel);
    SEEN(chip->pcie);
}

/* Runs until a packet lies in the inbox of a tile. */
static struct transaction *transaction_to(bh_chip *chip, struct bh_xy tile) {
    struct tile *to;
    assert_int_equal(chip_tile(chip, tile, &to), BH_OK);
    for (unsigned i = 0; i < 3000 && !to->mail.inbox.count; i++)
        assert_int_equal(bh_run(chip, 1, 0, NULL), BH_OK);
    assert_int_equal(to->mail.inbox.count, 1);
    return (struct transaction *)(uintptr_t)mail_read(&to->mail, &to->mail.inbox.heap[0]);
}

static void requests_on_their_way_are_seen(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    request(&script, 0, write_to(here, DATA, there, DATA, 4096));
    start(chip, here, BH_BRISC, &script);
    struct transaction *transaction = transaction_to(chip, there);
    struct noc_request *r = &transaction->request;
    SEEN(transaction->order);
    SEEN(transaction->to);
    SEEN(r->noc);
    SEEN(r->initiator);
    SEEN(r->id);
    SEEN(r->source);
    SEEN(r->reply);
    SEEN(r->marked);
    SEEN(r->data);
    SEEN(r->atomic);
    SEEN(r->header_store);
    SEEN(r->vc);
    SEEN(r->mask);
    SEEN(r->address);
    SEEN(r->reply_address);
    SEEN(r->area.exclude);
}

static void responses_on_their_way_are_seen(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    request(&script, 0, read_from(there, DATA, here, DATA, 4096));
    start(chip, here, BH_BRISC, &script);
    struct transaction *transaction = transaction_to(chip, here);
    struct noc_request *r = &transaction->request;
    assert_int_equal(transaction->stage, TRANSACTION_RESPONSE);
    SEEN(r->kind);
    SEEN(r->noc);
    SEEN(r->id);
    SEEN(r->reply_address);
    SEEN(transaction->receiver);
}

int main(void) {
#define EACH(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)
    const struct CMUnitTest tests[] = {
        EACH(cores_are_seen),
        EACH(coprocessor_registers_are_seen),
        EACH(vector_unit_is_seen),
        EACH(mover_is_seen),
        EACH(unpackers_are_seen),
        EACH(jobs_of_the_packer_are_seen),
        EACH(buffers_of_the_packer_are_seen),
        EACH(blocks_of_a_tile_are_seen),
        EACH(requests_on_their_way_are_seen),
        EACH(responses_on_their_way_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
