/* Messages that streams send to streams of other tiles (WormholeB0/NoC/Overlay/TransferBetweenTiles.md) and to buffers
 * in DRAM (TransmitToDRAMBuffer.md).
 *
 *     transmitter                                                  receiver
 *        phase starts                                                 phase starts
 *           |  <------------- DEST_PHASE_READY_UPDATE: phase -------------  at once, and for
 *           |  -------------- SRC_READY_UPDATE -------------------------->  one request
 *        messages  ---- posted writes with PACKET_TAG, header stored twice --->  receive buffer, header array
 *        REMOTE_DEST_BUF_SPACE_AVAILABLE  <-- ..._UPDATE: words ----------  room
 *
 * The three kinds of packets other than data are inline writes to registers of the other stream, as Blackhole's
 * noc_overlay_parameters.h describes these registers. All packets use static virtual channels.
 *
 * Assumed, where the pages leave it open: a message is sent in as few packets as space at the destination, the ends of
 * both buffers and 16 KiB allow, as soon as there is any space. A stream that passes messages on sends what has
 * arrived, or waits for PARTIAL_SEND_WORDS_THR words of a longer message unless its buffer is full. At the end of a
 * phase, with NEXT_PHASE_DEST_CHANGE, the transmitter waits until all words that it has sent are free again. Packets of
 * a stream that has become idle are expected if the source does not change. Flow control packets use the channel of
 * handshake responses. The NIUs count these packets, with transaction id 0. */
#include "noc/stream.h"

#include "base/check.h"
#include "isa/memmap.h"
#include "noc/packet.h"

enum { XY = 0xFFF, PACKET_WORDS = NOC_PACKET_MAX / 16, PHASE = 0xFFFFF };
/* Bits of DEST_PHASE_READY_UPDATE. */
enum { READY_NUM_SHIFT = 6, READY_MCAST_SHIFT = 26, READY_TWO_WAY = 1 << 27 };
enum { REQUEST_TOKEN = 1 << 18 }; /* bit of SRC_READY_UPDATE */
/* Fields of SCRATCH_0 in streams that can send to DRAM. */
enum { TRANS_EN = 1 << 0, TRANS_EN_BLOB_END = 1 << 1, TO_DRAM = 1 << 2 };

/* ---- Both ends ------------------------------------------------------------------------------------------- */

static bool is_mcast(const struct step *s) {
    return s->own[OVERLAY_SLOT_MCAST_DEST] & STREAM_MCAST_EN;
}

static bool is_to_dram(const struct step *s) {
    return s->own[OVERLAY_SLOT_SCRATCH_0] & TO_DRAM && s->own[OVERLAY_SLOT_SCRATCH_0] & (TRANS_EN | TRANS_EN_BLOB_END);
}

unsigned transfer_destinations(const struct step *s) {
    return is_mcast(s) ? s->own[OVERLAY_SLOT_MCAST_DEST_NUM] : 1;
}

static uint32_t all_ready(const struct step *s) {
    return UINT32_MAX >> (32 - transfer_destinations(s));
}

static unsigned data_noc(const struct step *s) {
    return (stream_mode(s) & STREAM_DATA_NOC) != 0;
}

static unsigned site_at(const struct step *s, unsigned noc, uint32_t xy) {
    return niu_overlay_site(&s->wire->niu[noc], s->wire->wire->grid, xy & XY);
}

static unsigned own_site(const struct step *s) {
    return s->wire->niu[0].site;
}

static bool is_tensix(const struct step *s, unsigned site) {
    return site != NOC_NOWHERE && s->wire->wire->grid->kind[site] == BH_TILE_TENSIX;
}

/* ---- Checks ---------------------------------------------------------------------------------------------- */

static struct access check_area(const struct step *s) {
    struct noc_area area = { 0 };
    if (s->own[OVERLAY_SLOT_MCAST_DEST] & STREAM_MCAST_LINKED)
        return stream_unmodelled("STREAM_MCAST_LINKED (overlay register 24) is not modelled");
    if (!niu_overlay_area(&s->wire->niu[data_noc(s)], s->own[OVERLAY_SLOT_REMOTE_DEST], s->own[OVERLAY_SLOT_MCAST_DEST],
                          &area))
        return stream_undefined("STREAM_REMOTE_DEST and STREAM_MCAST_DEST (overlay registers 7 and 24) name no area");
    if (transfer_destinations(s) - 1 >= OVERLAY_DESTINATIONS - 1)
        return stream_undefined("STREAM_MCAST_DEST_NUM (overlay register 25) takes 1 to 31");
    return access_done();
}

static struct access check_dram(const struct step *s) {
    unsigned site = site_at(s, data_noc(s), s->own[OVERLAY_SLOT_REMOTE_DEST]);
    if (site == NOC_NOWHERE ||
        (s->wire->wire->grid->kind[site] != BH_TILE_DRAM && s->wire->wire->grid->kind[site] != BH_TILE_PCIE))
        return stream_undefined("STREAM_REMOTE_DEST (overlay register 7) names no DRAM or PCI Express tile, but "
                                "STREAM_SCRATCH_0 (36) has NCRISC_CMD_ID");
    if (!(stream_mode(s) & STREAM_DEST_NO_FLOW))
        return stream_undefined("STREAM_MISC_CFG (overlay register 3) needs DEST_DATA_BUF_NO_FLOW_CTRL for a buffer in "
                                "DRAM");
    return access_done();
}

static struct access check_receiver(const struct step *s) {
    uint64_t end = (uint64_t)s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_START] + s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_SIZE];
    if (!s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_SIZE])
        return stream_undefined("STREAM_REMOTE_DEST_BUF_SIZE (overlay register 10) is 0");
    if (s->own[OVERLAY_SLOT_REMOTE_DEST_TRAFFIC] >> 4 >= NIU_VCS)
        return stream_undefined("STREAM_REMOTE_DEST_TRAFFIC (overlay register 16): UNICAST_VC_REG takes 0 to 5");
    if (is_to_dram(s))
        return check_dram(s);
    if (s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_START_HI] || end * 16 > memmap[MEMMAP_ROW_L1].size)
        return stream_undefined("STREAM_REMOTE_DEST_BUF_START and _SIZE (overlay registers 8 to 10) are not in L1");
    if (is_mcast(s))
        return check_area(s);
    unsigned site = site_at(s, data_noc(s), s->own[OVERLAY_SLOT_REMOTE_DEST]);
    if (!is_tensix(s, site))
        return stream_undefined("STREAM_REMOTE_DEST (overlay register 7) names no Tensix tile");
    if (site == own_site(s))
        return stream_unmodelled("STREAM_REMOTE_DEST (overlay register 7) names the stream's own tile: a transfer "
                                 "within a tile over the NoC is not modelled");
    return access_done();
}

static struct access check_sender(const struct step *s) {
    uint32_t mode = stream_mode(s);
    uint64_t end = (uint64_t)s->own[OVERLAY_SLOT_BUF_START] + s->own[OVERLAY_SLOT_BUF_SIZE];
    if (!s->own[OVERLAY_SLOT_BUF_SIZE] || end * 16 > memmap[MEMMAP_ROW_L1].size)
        return stream_undefined("STREAM_BUF_START and STREAM_BUF_SIZE (overlay registers 17 and 18) are not in L1");
    if (s->own[OVERLAY_SLOT_REMOTE_SRC] >> 18 >= OVERLAY_DESTINATIONS)
        return stream_undefined("STREAM_REMOTE_SRC (overlay register 4): STREAM_REMOTE_SRC_DEST_INDEX is above 31");
    if ((s->own[OVERLAY_SLOT_ONETIME_MISC_CFG] >> STREAM_UPDATE_VC_SHIFT & 7) >= NIU_VCS)
        return stream_undefined("STREAM_ONETIME_MISC_CFG (overlay register 2): REG_UPDATE_VC_REG takes 0 to 5");
    unsigned site = site_at(s, (mode & STREAM_UPDATE_NOC) != 0, s->own[OVERLAY_SLOT_REMOTE_SRC]);
    if (!is_tensix(s, site))
        return stream_undefined("STREAM_REMOTE_SRC (overlay register 4) names no Tensix tile");
    if (site == own_site(s))
        return stream_unmodelled(
            "STREAM_REMOTE_SRC (overlay register 4) names the stream's own tile: a transfer within "
            "a tile over the NoC is not modelled");
    if (s->m->reads && mode & STREAM_NO_FLUSH && !(s->m->flags & STREAM_SAME_SOURCE))
        return stream_undefined("NO_PREV_PHASE_OUTGOING_DATA_FLUSH (overlay register 3): messages of the phase before "
                                "are still in the receive buffer, but the source changes");
    return access_done();
}

struct access transfer_check(const struct step *s) {
    uint32_t mode = stream_mode(s);
    struct access access = access_done();
    if (!(mode & (STREAM_FROM_NOC | STREAM_TO_NOC)))
        return access;
    if (!s->wire->wire)
        return stream_unmodelled("STREAM_PHASE_ADVANCE (overlay register 267): this tile has no NoC");
    if (mode & STREAM_FROM_NOC)
        access = check_sender(s);
    return mode & STREAM_TO_NOC && access.result == ACCESS_DONE ? check_receiver(s) : access;
}

/* ---- Handshakes ------------------------------------------------------------------------------------------- */

/* Takes a response that came before the stream waited for one. Returns a mask of the destinations that have sent it. */
static uint32_t take_early_response(const struct step *s) {
    uint32_t destinations = 0;
    for (unsigned i = 0; i < OVERLAY_READY + OVERLAY_READY_MCAST; i++) {
        struct overlay_ready *entry = &s->overlay->ready[i];
        if (!entry->destinations || entry->stream != s->stream || entry->phase != s->own[OVERLAY_SLOT_CURR_PHASE])
            continue;
        destinations |= entry->destinations;
        *entry = (struct overlay_ready){ 0 };
    }
    return destinations;
}

/* Returns the stream's entry; if it has none, a free one; if none is free, the oldest one. */
static struct overlay_ready *entry_for(const struct step *s, bool mcast) {
    struct overlay_ready *first = s->overlay->ready + (mcast ? OVERLAY_READY : 0);
    unsigned count = mcast ? OVERLAY_READY_MCAST : OVERLAY_READY;
    uint8_t *next = &s->overlay->next_ready[mcast];
    for (unsigned i = 0; i < count; i++)
        if (first[i].destinations && first[i].stream == s->stream)
            return &first[i];
    for (unsigned i = 0; i < count; i++)
        if (!first[i].destinations)
            return &first[i];
    struct overlay_ready *oldest = &first[*next];
    *next = (uint8_t)((*next + 1) % count);
    *oldest = (struct overlay_ready){ 0 };
    return oldest;
}

static void keep_response(const struct step *s, uint32_t phase, uint32_t destination, bool mcast) {
    struct overlay_ready *entry = entry_for(s, mcast);
    if (entry->phase != phase)
        entry->destinations = 0;
    entry->phase = phase;
    entry->stream = s->stream;
    entry->destinations |= destination;
}

static void note_ready(const struct step *s, uint32_t destinations) {
    s->m->ready |= destinations;
    if ((s->m->ready & all_ready(s)) == all_ready(s))
        s->m->flags &= (uint8_t) ~(STREAM_AWAITS | STREAM_REQUESTS);
}

struct access transfer_ready(const struct step *s, uint32_t value) {
    uint32_t phase = value >> READY_NUM_SHIFT & PHASE, destination = value & 63;
    if (destination >= OVERLAY_DESTINATIONS)
        return stream_undefined(
            "STREAM_DEST_PHASE_READY_UPDATE (overlay register 268): PHASE_READY_DEST_NUM is above 31");
    if (s->m->flags & STREAM_AWAITS && phase == s->own[OVERLAY_SLOT_CURR_PHASE])
        note_ready(s, UINT32_C(1) << destination);
    else
        keep_response(s, phase, UINT32_C(1) << destination, value >> READY_MCAST_SHIFT & 1);
    return access_done();
}

/* A stream that does not expect a request ignores it. */
struct access transfer_requested(const struct step *s, uint32_t value) {
    if (value & REQUEST_TOKEN)
        return stream_unmodelled("STREAM_SRC_READY_UPDATE (overlay register 269): tokens are not modelled");
    if (!(s->m->flags & STREAM_ANSWERS))
        return access_done();
    s->m->flags = (uint8_t)((s->m->flags & ~STREAM_ANSWERS) | STREAM_RESPONDS);
    return access_done();
}

/* ---- Phases ------------------------------------------------------------------------------------------------ */

static void begin_to_receive(const struct step *s) {
    struct messages *m = s->m;
    uint32_t mode = stream_mode(s), vc = s->own[OVERLAY_SLOT_ONETIME_MISC_CFG] >> STREAM_UPDATE_VC_SHIFT & 7;
    m->source = s->own[OVERLAY_SLOT_REMOTE_SRC];
    m->source_how =
        (uint8_t)((mode & STREAM_UPDATE_NOC ? STREAM_HOW_NOC : 0) | vc << STREAM_HOW_VC_SHIFT |
                  (mode & STREAM_NO_FLOW ? 0 : STREAM_HOW_FLOW) | (mode & STREAM_IS_MCAST ? STREAM_HOW_MCAST : 0));
    if (!(m->flags & STREAM_SAME_SOURCE)) {
        s->own[OVERLAY_SLOT_WR_PTR] = s->own[OVERLAY_SLOT_RD_PTR] = 0;
        m->load_offset = m->arrived = m->freed = 0;
        m->early = 0;
        m->flags |= STREAM_RESPONDS | STREAM_ANSWERS;
    }
    m->to_receive = (uint16_t)(m->to_receive > m->early ? m->to_receive - m->early : 0);
    m->early = 0;
}

static void begin_to_transmit(const struct step *s) {
    if (s->m->flags & STREAM_SAME_DEST)
        return;
    s->own[OVERLAY_SLOT_REMOTE_DEST_WR_PTR] = 0;
    s->m->ready = 0;
    s->m->flags |= STREAM_AWAITS | (is_to_dram(s) ? 0 : STREAM_REQUESTS);
    note_ready(s, take_early_response(s));
}

void transfer_begin(const struct step *s) {
    if (stream_mode(s) & STREAM_FROM_NOC)
        begin_to_receive(s);
    else
        s->m->source_how = 0;
    if (stream_mode(s) & STREAM_TO_NOC)
        begin_to_transmit(s);
}

bool transfer_is_over(const struct step *s) {
    uint32_t mode = stream_mode(s);
    if (!(mode & STREAM_TO_NOC) || !(mode & STREAM_DEST_CHANGE) || mode & STREAM_DEST_NO_FLOW)
        return true;
    for (unsigned i = 0; i < transfer_destinations(s); i++)
        if (overlay_space_at(s->overlay, s->stream, i) != s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_SIZE])
            return false;
    return true;
}

/* ---- Arrivals ----------------------------------------------------------------------------------------------- */

/* Returns whether the stream expects data, now or for its next phase. */
static bool expects_data(const struct step *s) {
    if (!(stream_mode(s) & STREAM_FROM_NOC))
        return false;
    return s->m->state == MESSAGES_FORWARD || s->m->flags & STREAM_SAME_SOURCE;
}

/* Counts a complete message. */
static struct access count_message(const struct step *s) {
    struct messages *m = s->m;
    if (m->state == MESSAGES_FORWARD && m->to_receive)
        m->to_receive--;
    else if (m->flags & STREAM_SAME_SOURCE || !(stream_mode(s) & STREAM_SRC_CHANGE))
        m->early++;
    else
        return stream_undefined("a packet has arrived for a stream whose phase does not expect as many messages");
    return access_done();
}

struct access transfer_arrived(const struct step *s, unsigned tag, uint32_t words) {
    uint32_t *info = &s->own[OVERLAY_SLOT_MSG_INFO_WR_PTR], *data = &s->own[OVERLAY_SLOT_WR_PTR];
    bool passes_on = stream_mode(s) & STREAM_TO_NOC, first = tag & NOC_TAG_FIRST, last = tag & NOC_TAG_LAST;
    if (!expects_data(s))
        return stream_undefined("a packet has arrived for a stream that has not been started, or does not receive from "
                                "the NoC (REMOTE_SOURCE in STREAM_MISC_CFG, overlay register 3)");
    if (words > stream_room(s->own))
        return stream_undefined("a packet has arrived for a stream whose receive buffer has no room for it");
    if (first && !passes_on && *info * 16 + 16 <= memmap[MEMMAP_ROW_L1].size &&
        stream_length_at(s, *info) > s->own[OVERLAY_SLOT_BUF_SIZE])
        return stream_undefined("a message has arrived that is longer than the receive buffer, in a stream that does "
                                "not pass it on");
    *data = stream_advance(*data, words, s->own[OVERLAY_SLOT_BUF_SIZE]);
    s->m->flags &= (uint8_t)~STREAM_ANSWERS;
    if (passes_on)
        s->m->arrived += words;
    if (passes_on ? first : last)
        *info = (*info + 1) & STREAM_BITS_17;
    return last ? count_message(s) : access_done();
}

/* ---- Departures ---------------------------------------------------------------------------------------------- */

/* Returns the space that every destination has at least. */
static uint32_t space(const struct step *s) {
    uint32_t least = UINT32_MAX;
    if (is_to_dram(s))
        return s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_SIZE] - s->own[OVERLAY_SLOT_REMOTE_DEST_WR_PTR];
    for (unsigned i = 0; i < transfer_destinations(s); i++) {
        uint32_t one = overlay_space_at(s->overlay, s->stream, i);
        least = one < least ? one : least;
    }
    return least;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Returns the position of the next words of the first message in its receive buffer. Sets *words to the number of words
 * before the end of the buffer. */
static uint32_t source_at(const struct step *s, uint32_t *words) {
    const uint32_t *buffer = s->overlay->value[s->m->from[0]];
    uint32_t start = buffer[OVERLAY_SLOT_BUF_START], size = buffer[OVERLAY_SLOT_BUF_SIZE];
    uint32_t offset = s->m->address[0] + s->m->sent - start;
    *words = UINT32_MAX;
    if (offset > STREAM_BITS_17 || !size) /* an offset below 0: the message is not in the buffer */
        return s->m->address[0] + s->m->sent;
    offset %= size; /* a message that is being passed on may be longer than the buffer */
    *words = size - offset;
    return start + offset;
}

/* Returns the number of words of the first message that a stream which passes it on may send. */
static uint32_t passed_on(const struct step *s, uint32_t left) {
    uint32_t threshold = s->overlay->value[0][OVERLAY_SLOT_PERF_CONFIG] >> 8 & 0xFF, arrived = s->m->arrived;
    if (!(stream_mode(s) & STREAM_FROM_NOC) || arrived >= left)
        return left;
    bool waits = s->m->size[0] > threshold && arrived < threshold && stream_room(s->own);
    return waits ? 0 : arrived;
}

/* Returns the number of words of the next packet of data; 0 if none can be sent. */
static uint32_t next_words(const struct step *s) {
    const struct messages *m = s->m;
    uint32_t size = s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_SIZE], to = s->own[OVERLAY_SLOT_REMOTE_DEST_WR_PTR], contiguous;
    if (m->state != MESSAGES_FORWARD || !m->count || m->flags & STREAM_AWAITS ||
        m->reads >= stream_reads_capacity(s->stream))
        return 0;
    uint32_t words = least(passed_on(s, m->size[0] - m->sent), PACKET_WORDS);
    (void)source_at(s, &contiguous);
    return least(least(words, contiguous), least(space(s), size > to ? size - to : 0));
}

/* Returns whether the sender has to be told of free room: always at the end of a phase, otherwise from a threshold
 * on. */
static bool owes_room(const struct step *s) {
    uint32_t how = s->own[OVERLAY_SLOT_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD], size = s->own[OVERLAY_SLOT_BUF_SIZE];
    if (!s->m->freed || !(s->m->source_how & STREAM_HOW_FLOW))
        return false;
    if (s->m->state != MESSAGES_FORWARD || !s->m->to_receive || !(how & 7))
        return true;
    uint32_t threshold = size >> (how & 7);
    return stream_room(s->own) >= (how & 8 ? size - threshold : threshold);
}

unsigned transfer_wants(const struct step *s) {
    unsigned back = 1u << (s->m->source_how & STREAM_HOW_NOC), wants = 0;
    if (s->m->flags & STREAM_RESPONDS || owes_room(s))
        wants |= back;
    if (stream_mode(s) & STREAM_TO_NOC && (s->m->flags & STREAM_REQUESTS || next_words(s)))
        wants |= 1u << data_noc(s);
    return wants;
}

/* ---- Packets ------------------------------------------------------------------------------------------------- */

static struct noc_request packet(const struct step *s, unsigned noc, unsigned vc) {
    return (struct noc_request){
        .kind = NOC_KIND_INLINE,
        .noc = (uint8_t)noc,
        .initiator = NOC_OVERLAY,
        .source = s->wire->niu[noc].site,
        .reply = s->wire->niu[noc].site,
        .vc = (uint8_t)vc,
        .static_vc = true,
        .length = 4,
        .tag = (uint16_t)(s->stream << NOC_TAG_SENDER_SHIFT),
    };
}

/* Sets the receivers of a packet: the destination or destinations of the stream. */
static struct access aim(const struct step *s, struct noc_request *request) {
    uint32_t to = s->own[OVERLAY_SLOT_REMOTE_DEST], mcast = s->own[OVERLAY_SLOT_MCAST_DEST];
    request->target = NOC_NOWHERE;
    if (!is_mcast(s)) {
        request->target = (uint8_t)site_at(s, request->noc, to);
        return request->target == NOC_NOWHERE
                   ? stream_undefined("STREAM_REMOTE_DEST (overlay register 7) names no tile")
                   : access_done();
    }
    request->multicast = true;
    request->vc = (uint8_t)(4 | (mcast >> STREAM_MCAST_VC_SHIFT & 1));
    request->reserve = !(mcast & STREAM_MCAST_NO_PATH_RES);
    request->area.y_major = mcast & STREAM_MCAST_Y_MAJOR;
    return niu_overlay_area(&s->wire->niu[request->noc], to, mcast, &request->area)
               ? access_done()
               : stream_undefined("STREAM_REMOTE_DEST and STREAM_MCAST_DEST (overlay registers 7 and 24) name no area");
}

static uint64_t register_of(unsigned stream, unsigned index) {
    return memmap[MEMMAP_ROW_OVERLAY].base + stream * OVERLAY_STREAM_SIZE + 4 * index;
}

/* Hands a packet to the NIU. If the packet has left at once, its bytes have been read, too. */
static struct access give(const struct step *s, struct noc_request *request) {
    bool data = request->kind == NOC_KIND_WRITE;
    unsigned stream = s->stream | (data ? NIU_STREAM_DATA : 0);
    if (niu_overlay_send(&s->wire->niu[request->noc], s->wire->wire, request, stream, s->wire->time) && data &&
        s->m->reads)
        stream_read_complete(s);
    return access_done();
}

/* Sends a write to a register of the stream from which messages come. */
static struct access send_back(const struct step *s, unsigned index, uint32_t value) {
    unsigned noc = s->m->source_how & STREAM_HOW_NOC, vc = s->m->source_how >> STREAM_HOW_VC_SHIFT & 7;
    struct noc_request request = packet(s, noc, vc);
    unsigned site = site_at(s, noc, s->m->source);
    if (site == NOC_NOWHERE)
        return stream_undefined("STREAM_REMOTE_SRC (overlay register 4) names no tile");
    request.target = (uint8_t)site;
    request.address = register_of(s->m->source >> 12 & 63, index);
    request.data = value;
    return give(s, &request);
}

static struct access send_response(const struct step *s) {
    uint32_t phase = s->own[OVERLAY_SLOT_REMOTE_SRC_PHASE], mcast = s->m->source_how & STREAM_HOW_MCAST ? 1 : 0;
    bool asked = !(s->m->flags & STREAM_ANSWERS);
    s->m->flags &= (uint8_t)~STREAM_RESPONDS;
    return send_back(s, OVERLAY_DEST_PHASE_READY_UPDATE,
                     s->m->source >> 18 | phase << READY_NUM_SHIFT | mcast << READY_MCAST_SHIFT |
                         (asked ? READY_TWO_WAY : 0));
}

static struct access send_room(const struct step *s) {
    uint32_t words = s->m->freed;
    s->m->freed = 0;
    return send_back(s, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, s->m->source >> 18 | words << 6);
}

static unsigned data_vc(const struct step *s) {
    return s->own[OVERLAY_SLOT_REMOTE_DEST_TRAFFIC] >> 4;
}

/* The request names the transmitter; the receiver knows it by its own REMOTE_SRC. */
static struct access send_request(const struct step *s) {
    enum { ID_LOGICAL = (NIU_ID_LOGICAL - NIU_CONFIG_AT) / 4 };
    struct noc_request request = packet(s, data_noc(s), data_vc(s));
    struct access access = aim(s, &request);
    s->m->flags &= (uint8_t)~STREAM_REQUESTS;
    request.address = register_of(s->own[OVERLAY_SLOT_REMOTE_DEST] >> 12 & 63, OVERLAY_SRC_READY_UPDATE);
    request.data = (s->wire->niu[0].config[ID_LOGICAL] & XY) | s->stream << 12;
    return access.result == ACCESS_DONE ? give(s, &request) : access;
}

/* Advances the transmitter after a packet has been sent. */
static void note_sent(const struct step *s, uint32_t words, bool last) {
    struct messages *m = s->m;
    uint32_t *to = &s->own[OVERLAY_SLOT_REMOTE_DEST_WR_PTR], *info = &s->own[OVERLAY_SLOT_REMOTE_DEST_MSG_INFO_WR_PTR];
    uint32_t size = s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_SIZE];
    bool dram = is_to_dram(s);
    for (unsigned i = 0; i < transfer_destinations(s) && !dram; i++)
        *overlay_space(s->overlay, s->stream, i) -= words;
    *to = dram || *to + words < size ? *to + words : *to + words - size;
    m->read_from[m->reads] = m->from[0];
    m->read_size[m->reads++] = words;
    m->arrived -= least(m->arrived, words);
    m->sent += words;
    if (!last)
        return;
    m->sent = 0;
    *info = (*info + 1) & STREAM_BITS_17;
    (void)stream_take(s, 1);
}

static struct access send_data(const struct step *s) {
    uint32_t words = next_words(s), contiguous, from = source_at(s, &contiguous);
    bool first = !s->m->sent, last = s->m->sent + words == s->m->size[0];
    struct noc_request request = packet(s, data_noc(s), data_vc(s));
    struct access access = words ? aim(s, &request) : access_done();
    uint64_t to = s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_START] | (uint64_t)s->own[OVERLAY_SLOT_REMOTE_DEST_BUF_START_HI]
                                                                   << 17;
    uint32_t info =
        s->own[OVERLAY_SLOT_REMOTE_DEST_MSG_INFO_WR_PTR] | s->own[OVERLAY_SLOT_REMOTE_DEST_MSG_INFO_WR_PTR_HI] << 17;
    if (!words || access.result != ACCESS_DONE)
        return access;
    if (((uint64_t)from + words) * 16 > memmap[MEMMAP_ROW_L1].size)
        return stream_undefined("a message of the stream goes on beyond the end of L1");
    if (!is_to_dram(s) && first && (uint64_t)info * 16 + 16 > memmap[MEMMAP_ROW_L1].size)
        return stream_undefined("STREAM_REMOTE_DEST_MSG_INFO_WR_PTR (overlay register 13) is not in L1");
    request.kind = NOC_KIND_WRITE;
    request.priority = s->own[OVERLAY_SLOT_REMOTE_DEST_TRAFFIC] & 15;
    request.header_store = first;
    request.to_overlay = !is_to_dram(s);
    request.length = words * 16;
    request.data = info;
    request.address = (to + s->own[OVERLAY_SLOT_REMOTE_DEST_WR_PTR]) * 16;
    request.source_address = (uint64_t)from * 16;
    request.tag |= (uint16_t)((s->own[OVERLAY_SLOT_REMOTE_DEST] >> 12 & 63) | (first ? NOC_TAG_FIRST : 0) |
                              (last ? NOC_TAG_LAST : 0));
    note_sent(s, words, last);
    return give(s, &request);
}

struct access transfer_send(const struct step *s, unsigned noc) {
    if ((s->m->source_how & STREAM_HOW_NOC) == noc) {
        if (s->m->flags & STREAM_RESPONDS)
            return send_response(s);
        if (owes_room(s))
            return send_room(s);
    }
    return s->m->flags & STREAM_REQUESTS ? send_request(s) : send_data(s);
}
