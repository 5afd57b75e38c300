/* Requests that tiles have put off: see loose.h. */
#include "chip/loose.h"

#include <string.h>

#include "base/check.h"
#include "base/order.h"
#include "chip/chip.h"
#include "noc/counters.h"
#include "tile/doze.h"
#include "tile/loose.h"
#include "tile/noc.h"
#include "tile/watch.h"

const uint8_t *loose_memory(void *owner, unsigned site, uint64_t address, uint32_t size) {
    const struct bh_chip *chip = owner;
    const struct bh_tile_info *info = &chip->topology.site[site];
    if (info->kind != BH_TILE_DRAM || info->harvested || address >= NOC_MMIO - size)
        return NULL;
    return chip->dram.bytes + info->index * DRAM_BANK_SIZE + address;
}

/* ---- Where requests and answers go ------------------------------------------------------------------------------ */

struct end {
    struct tile *tile; /* NULL: an endpoint */
    struct endpoint endpoint;
    struct place own; /* of an endpoint */
    const struct place *place;
    struct doze_views before;
};

static inline void begin(struct bh_chip *chip, unsigned site, struct end *end) {
    unsigned index = chip->exchange.live_tile[site];
    end->tile = index == NOC_NOWHERE ? NULL : chip_made(chip, index);
    if (!end->tile) {
        end->endpoint = (struct endpoint){ chip, site };
        end->own = exchange_endpoint(&end->endpoint);
        end->place = &end->own;
        return;
    }
    chip->touched[index] = true;
    end->tile->time = later(end->tile->time, chip->time);
    end->place = &end->tile->place;
    doze_look(end->tile, &end->before);
}

static void finish(struct end *end) {
    if (end->tile)
        doze_wake(end->tile, &end->before, end->tile->time);
}

/* ---- One request ------------------------------------------------------------------------------------------------ */

static void fail(struct bh_chip *chip, const struct place *place, const struct parcel *parcel, struct access why) {
    mail_fault(place, parcel, chip->time, why);
    exchange_raise(chip, place->mail);
}

/* The answer as a parcel of its own, for those who tell of it. */
static struct parcel answer_to(const struct bh_chip *chip, const struct parcel *parcel, unsigned site) {
    struct parcel answer = *parcel;
    answer.is_response = true;
    answer.to = parcel->request.reply;
    answer.response = noc_response_to(&parcel->request, site, chip->time);
    answer.loan = PARCEL_OWN_BYTES;
    return answer;
}

static void come_back(struct bh_chip *chip, const struct parcel *parcel, unsigned site, const uint8_t *data) {
    const struct noc_request *request = &parcel->request;
    struct noc_response response = noc_response_to(request, site, chip->time);
    struct end back;
    begin(chip, request->reply, &back);
    struct access access = place_take(back.place, &response, data, chip->time);
    if (BH_UNLIKELY(access.result != ACCESS_DONE)) {
        struct parcel answer = answer_to(chip, parcel, site);
        fail(chip, back.place, &answer, access);
    }
    finish(&back);
}

/* Whoever watches is told of the request at this receiver, and of the answer at both ends. */
static void watch(struct bh_chip *chip, const struct parcel *parcel, unsigned site) {
    struct end at, back;
    begin(chip, site, &at);
    watch_came(at.place, parcel, chip->time);
    if (!loose_is_answered(&parcel->request))
        return;
    struct parcel answer = answer_to(chip, parcel, site);
    watch_sent(at.place->mail, at.place->grid, &answer);
    begin(chip, parcel->request.reply, &back);
    watch_came(back.place, &answer, chip->time);
}

static void carry_to(struct bh_chip *chip, const struct parcel *parcel, const uint8_t *bytes, unsigned site) {
    const struct noc_request *request = &parcel->request;
    uint8_t room[NOC_PACKET_MAX];
    const uint8_t *data = NULL;
    struct end at;
    if (BH_UNLIKELY(chip->observers))
        watch(chip, parcel, site);
    if (parcel->done)
        return;
    begin(chip, site, &at);
    struct access access = loose_arrive(at.place, request, bytes, room, &data);
    if (BH_UNLIKELY(access.result != ACCESS_DONE))
        fail(chip, at.place, parcel, access);
    finish(&at);
    if (access.result == ACCESS_DONE && !parcel->settled)
        come_back(chip, parcel, site, data);
}

/* What a parcel brings, after so many that the tile has put off before, maybe in the room that there is for it. */
static const uint8_t *bytes_of(const struct tile *from, uint32_t index, const struct parcel *parcel, uint8_t *room) {
    uint32_t source = (uint32_t)parcel->request.source_address;
    if (!parcel->lent)
        return parcel->bytes;
    if (!from->mail.loose.kept_count)
        return from->l1 + source;
    loose_copy(from, index, source, parcel->request.length, room);
    return room;
}

static __attribute__((noinline)) void carry_away(struct bh_chip *chip, const struct tile *from, uint32_t index,
                                                 const struct parcel *parcel) {
    uint8_t room[NOC_PACKET_MAX];
    carry_to(chip, parcel, bytes_of(from, index, parcel, room), parcel->to);
}

static void carry_everywhere(struct bh_chip *chip, const struct parcel *parcel) {
    const struct noc_request *request = &parcel->request;
    struct noc_sites sites = route_area(request->noc, request->source, &request->area);
    for (unsigned site; (site = noc_sites_next(&sites)) != NOC_NOWHERE;)
        if (niu_takes_multicast(exchange_niu(chip, site) + request->noc))
            carry_to(chip, parcel, parcel->bytes, site);
}

/* ---- A write to L1 ---------------------------------------------------------------------------------------------- */

/* Of so many bytes, either those given or what the sender has lent. */
struct plain_write {
    uint64_t address;
    const uint8_t *bytes; /* NULL: lent */
    uint32_t source, length;
    uint8_t to, noc;
    bool marked;
};

/* Of what a tile has put off, the one after so many others. False: it is none to L1. */
static inline bool write_l1(struct bh_chip *chip, const struct tile *from, uint32_t index,
                            const struct plain_write *write) {
    struct end at;
    if (chip->observers || chip->exchange.live_tile[write->to] == NOC_NOWHERE)
        return false;
    begin(chip, write->to, &at);
    uint8_t *to = noc_begin_l1(at.tile, write->address, write->length);
    if (!to)
        return false;
    if (write->bytes)
        memcpy(to, write->bytes, write->length);
    else
        loose_copy(from, index, write->source, write->length, to);
    noc_end_l1(at.tile, write->address, write->length);
    const struct noc_tally tally = { NOC_KIND_WRITE, 0, write->marked, 1, noc_data_flits(write->length) };
    niu_count(&at.tile->niu[write->noc], NOC_ARRIVED, &tally);
    niu_count(&at.tile->niu[write->noc], NOC_ANSWERED, &tally);
    finish(&at);
    return true;
}

/* Most parcels that are put off, with nobody who watches them or waits for them. */
static inline bool is_plain_write(const struct parcel *parcel) {
    const struct noc_request *request = &parcel->request;
    return request->kind == NOC_KIND_WRITE && parcel->settled && !request->header_store && !parcel->done;
}

static inline bool write_parcel(struct bh_chip *chip, const struct tile *from, uint32_t index,
                                const struct parcel *parcel) {
    const struct noc_request *request = &parcel->request;
    const struct plain_write write = {
        .address = request->address,
        .bytes = parcel->lent ? NULL : parcel->bytes,
        .source = (uint32_t)request->source_address,
        .length = request->length,
        .to = parcel->to,
        .noc = request->noc,
        .marked = request->marked,
    };
    return is_plain_write(parcel) && write_l1(chip, from, index, &write);
}

/* The same as a parcel, for what is not L1. */
static __attribute__((noinline)) void carry_write(struct bh_chip *chip, const struct tile *from, uint32_t index,
                                                  const struct loose_write *write) {
    const struct parcel parcel = {
        .pc = write->pc,
        .insn = write->insn,
        .to = write->to,
        .sender = from->site,
        .core = write->core,
        .settled = true,
        .lent = true,
        .request = {
            .kind = NOC_KIND_WRITE,
            .noc = write->noc,
            .initiator = write->initiator,
            .id = write->id,
            .source = from->site,
            .target = write->to,
            .reply = write->marked ? from->site : NOC_NOWHERE,
            .marked = write->marked,
            .length = write->length,
            .source_address = write->source,
            .address = write->address,
        },
    };
    carry_away(chip, from, index, &parcel);
}

static inline void do_write(struct bh_chip *chip, const struct tile *from, uint32_t index,
                            const struct loose_write *write) {
    const struct plain_write plain = {
        .address = write->address,
        .source = write->source,
        .length = write->length,
        .to = write->to,
        .noc = write->noc,
        .marked = write->marked,
    };
    if (!write_l1(chip, from, index, &plain))
        carry_write(chip, from, index, write);
}

/* ---- One tile --------------------------------------------------------------------------------------------------- */

/* What it has read of DRAM counts there too. */
static __attribute__((noinline)) void count_reads(struct bh_chip *chip, struct loose_mail *loose) {
    for (unsigned site; (site = noc_sites_next(&loose->read_at)) != NOC_NOWHERE;)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct loose_reads *reads = &loose->read[site][noc];
            const struct noc_tally tally = { NOC_KIND_READ, 0, true, reads->requests, reads->words };
            struct niu *niu = &exchange_niu(chip, site)[noc];
            niu_count(niu, NOC_ARRIVED, &tally);
            niu_count(niu, NOC_ANSWERED, &tally);
            *reads = (struct loose_reads){ 0 };
        }
    loose->read_count = 0;
}

/* Brings the parcel of an entry of the outbox closer to the host's processor. */
static inline void prefetch_parcel(const struct mail *mail, uint32_t i) {
    const char *parcel = (const char *)mail_read(mail, &mail->outbox.list[i]);
    for (unsigned line = 0; line < 3; line++)
        __builtin_prefetch(parcel + 64 * line);
}

/* Writes that were sent before the parcel of this number in the outbox. Returns how many are done by then. */
static inline uint32_t do_writes(struct bh_chip *chip, const struct tile *tile, uint32_t done, uint32_t parcel) {
    const struct loose_mail *loose = &tile->mail.loose;
    for (; done < loose->write_count && loose->write[done].before <= parcel; done++)
        do_write(chip, tile, loose->write[done].before + done, &loose->write[done]);
    return done;
}

static inline void do_parcel(struct bh_chip *chip, struct tile *tile, uint32_t index, const struct parcel *parcel) {
    if (tile->mail.observer)
        watch_sent(&tile->mail, tile->grid, parcel);
    if (parcel->request.multicast)
        carry_everywhere(chip, parcel);
    else if (!write_parcel(chip, tile, index, parcel))
        carry_away(chip, tile, index, parcel);
}

/* What the requests make the tile itself send waits for the next time, and may move the list. */
static void empty(struct bh_chip *chip, struct tile *tile) {
    enum { AHEAD = 4 };
    struct mail *mail = &tile->mail;
    uint32_t count = mail->outbox.count, writes = 0;
    mail->loose.dram = mail->loose.bytes = 0;
    mail->loose.own = false;
    if (mail->loose.read_count)
        count_reads(chip, &mail->loose);
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        prefetch_parcel(mail, i);
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch_parcel(mail, i + AHEAD);
        writes = do_writes(chip, tile, writes, i);
        const struct arrival sent = mail->outbox.list[i];
        do_parcel(chip, tile, i + writes, mail_read(mail, &sent));
        store_release(mail->stores[sent.store], sent.block);
    }
    writes = do_writes(chip, tile, writes, count);
    (void)BH_CHECK(&chip->error, writes == mail->loose.write_count); /* only a core that runs adds to them */
    mail->outbox.count -= count;
    mail->loose.lent_first = mail->loose.lent_end = mail->loose.kept_count = mail->loose.write_count = 0;
    if (BH_UNLIKELY(mail->outbox.count))
        memmove(mail->outbox.list, mail->outbox.list + count, mail->outbox.count * sizeof *mail->outbox.list);
    if (mail->fault_count)
        exchange_raise(chip, mail);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static unsigned lowest(uint64_t word) {
    return (unsigned)__builtin_ctzll(word);
}

static unsigned highest(uint64_t word) {
    return 63 - (unsigned)__builtin_clzll(word);
}

/* Tiles that have something to be fetched, in turn. */
static unsigned list_posted(struct bh_chip *chip, bool backward, uint8_t list[TOPOLOGY_TILES]) {
    unsigned count = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++) {
        unsigned word = backward ? CHIP_AWAKE_WORDS - 1 - i : i;
        for (uint64_t left = chip->posted[word]; left;) {
            unsigned bit = backward ? highest(left) : lowest(left);
            left ^= UINT64_C(1) << bit;
            list[count++] = (uint8_t)(word * 64 + bit);
        }
        chip->posted[word] = 0; /* those who send something now are there again next time */
    }
    return count;
}

static void prefetch_mail(const struct bh_chip *chip, unsigned index) {
    const struct mail *mail = &chip->tile[index]->mail;
    __builtin_prefetch(&mail->outbox);
    __builtin_prefetch(&mail->loose);
}

void loose_exchange(struct bh_chip *chip) {
    uint8_t list[TOPOLOGY_TILES];
    unsigned count = list_posted(chip, chip->time / CHIP_EPOCH & 1, list);
    chip->muted = true;
    chip->arrival = chip->time;
    for (unsigned i = 0; i < count; i++) {
        if (i + 2 < count)
            prefetch_mail(chip, list[i + 2]);
        if (i + 1 < count) {
            __builtin_prefetch(chip->tile[list[i + 1]]->mail.outbox.list);
            __builtin_prefetch(chip->tile[list[i + 1]]->mail.loose.write);
        }
        empty(chip, chip->tile[list[i]]);
    }
    chip->muted = false;
}
