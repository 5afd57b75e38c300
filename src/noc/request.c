/* Makes a request that can be sent from the registers of an initiator, or says what is wrong with them.
 *
 * Sources: BlackholeA0/NoC/MemoryMap.md; WormholeB0/NoC/Alignment.md, with 64 bytes where the wider NoC of Blackhole
 * needs them. Every refusal names the field.
 *
 *     CTRL:  type[1:0] be[2] inline[3] marked[4] multicast[5] linked[6] static[7] reserve[8] drop-ack[9] vc[15:13]
 *            y-major[16] include-source[17] priority[30:27] accumulate[31]
 *     TAG:   stream[5:0] to-overlay[6] first[7] last[8] header-store[9] id[13:10]
 *     HI:    x[5:0] y[11:6], multicast: end x[5:0] y[11:6], start x[17:12] y[23:18] */
#include "noc/initiator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/line.h"
#include "isa/memmap.h"
#include "noc/atomic.h"

enum { TYPE_READ, TYPE_ATOMIC, TYPE_WRITE };

enum {
    CTRL_BYTE_ENABLE = 1 << 2,
    CTRL_INLINE = 1 << 3,
    CTRL_MARKED = 1 << 4,
    CTRL_MULTICAST = 1 << 5,
    CTRL_LINKED = 1 << 6,
    CTRL_STATIC = 1 << 7,
    CTRL_RESERVE = 1 << 8,
    CTRL_Y_MAJOR = 1 << 16,
    CTRL_INCLUDE_SOURCE = 1 << 17,
    CTRL_RESERVED = 7 << 10 | 0x1FF << 18,
    TAG_TO_OVERLAY = 1 << 6,
    TAG_HEADER_STORE = 1 << 9,
};

enum { ETH_L1_SIZE = 0x80000, LINE = 16, PACKETS_MAX = 255 };

/* The inputs of a request, and the request itself. */
struct making {
    struct niu *niu;
    const struct noc_grid *grid;
    const uint32_t *word;
    unsigned initiator;
    uint64_t total; /* in bytes */
    struct noc_request *request;
};

/* The kind of memory at one end of a transfer. MEMORY_NARROW is connected by a bus of 16 bytes or less. */
enum memory { MEMORY_L1, MEMORY_REGISTER, MEMORY_WIDE, MEMORY_NARROW };
struct end {
    const char *field; /* TARG or RET */
    unsigned site;
    uint64_t address;
    enum memory memory;
};

/* ---- Refusals ------------------------------------------------------------------------------------------- */

struct access niu_refuse(struct niu *niu, unsigned initiator, enum bh_fault_kind kind, const char *format, ...) {
    va_list list;
    line_put(niu->why, sizeof niu->why, "NoC %u command buffer %u: ", niu->noc, initiator);
    va_start(list, format);
    line_add_list(niu->why, sizeof niu->why, format, list);
    va_end(list);
    return access_refused(kind, niu->why);
}

#define REFUSE(kind, ...) niu_refuse(m->niu, m->initiator, BH_FAULT_##kind, __VA_ARGS__)

/* Returns from the calling function if the expression is a refusal. */
#define TRY(expression) \
    do { \
        struct access tried = (expression); \
        if (tried.result != ACCESS_DONE) \
            return tried; \
    } while (0)

static const char *kind_name(unsigned kind) {
    static const char *const name[BH_TILE_KIND_COUNT] = {
        [BH_TILE_TENSIX] = "Tensix",     [BH_TILE_DRAM] = "DRAM",
        [BH_TILE_ETH] = "Ethernet",      [BH_TILE_PCIE] = "PCI Express",
        [BH_TILE_ARC] = "ARC",           [BH_TILE_L2CPU] = "L2CPU",
        [BH_TILE_SECURITY] = "security", [BH_TILE_ROUTER] = "router-only",
    };
    return name[kind];
}

/* ---- Coordinates ---------------------------------------------------------------------------------------- */

struct corner {
    unsigned x, y;
};

/* Returns the coordinates at a bit position of a HI register, translated to those of the NoC. */
static struct access find_corner(struct making *m, const char *field, uint32_t hi, unsigned shift, struct corner *at) {
    unsigned x = bits_get(hi, shift, 6), y = bits_get(hi, shift + 6, 6);
    *at = (struct corner){ x, y };
    route_translate(m->niu->config, &at->x, &at->y);
    if (at->x >= NOC_WIDTH || at->y >= NOC_HEIGHT)
        return REFUSE(UNMAPPED, "%s_ADDR_HI names (%u,%u), where no tile is", field, x, y);
    return access_done();
}

/* Translates coordinates by the tables of the NIU. Refuses coordinates without a live tile. */
static __attribute__((noinline)) struct access translate_site(struct making *m, const char *field, uint32_t hi,
                                                              unsigned *site) {
    struct corner at;
    TRY(find_corner(m, field, hi, 0, &at));
    *site = route_site(m->niu->noc, at.x, at.y);
    if (m->grid->dead[*site])
        return REFUSE(UNDEFINED, "%s_ADDR_HI names (%u,%u), which is harvested (%s tile)", field, bits_get(hi, 0, 6),
                      bits_get(hi, 6, 6), kind_name(m->grid->kind[*site]));
    return access_done();
}

static inline struct access find_site(struct making *m, const char *field, uint32_t hi, unsigned *site) {
    *site = m->grid->site[m->niu->noc][bits_get(hi, 0, 12)];
    if (BH_LIKELY(!m->niu->own_tables && *site != NOC_NOWHERE && !m->grid->dead[*site]))
        return access_done();
    return translate_site(m, field, hi, site);
}

unsigned niu_overlay_site(const struct niu *niu, const struct noc_grid *grid, uint32_t xy) {
    unsigned x = bits_get(xy, 0, 6), y = bits_get(xy, 6, 6);
    route_translate(niu->config, &x, &y);
    if (x >= NOC_WIDTH || y >= NOC_HEIGHT)
        return NOC_NOWHERE;
    unsigned site = route_site(niu->noc, x, y);
    return grid->dead[site] ? NOC_NOWHERE : site;
}

bool niu_overlay_area(const struct niu *niu, uint32_t start, uint32_t end, struct noc_area *area) {
    unsigned x = bits_get(start, 0, 6), y = bits_get(start, 6, 6), end_x = bits_get(end, 0, 6);
    unsigned end_y = bits_get(end, 6, 6);
    route_translate(niu->config, &x, &y);
    route_translate(niu->config, &end_x, &end_y);
    area->start_x = (uint8_t)x;
    area->start_y = (uint8_t)y;
    area->end_x = (uint8_t)end_x;
    area->end_y = (uint8_t)end_y;
    return x < NOC_WIDTH && end_x < NOC_WIDTH && y < NOC_HEIGHT && end_y < NOC_HEIGHT;
}

static struct access find_area(struct making *m, const char *field, uint32_t hi) {
    struct noc_area *area = &m->request->area;
    struct corner end, start;
    TRY(find_corner(m, field, hi, 0, &end));
    TRY(find_corner(m, field, hi, 12, &start));
    *area = (struct noc_area){
        .exclude = m->word[NIU_BRCST_EXCLUDE],
        .start_x = (uint8_t)start.x,
        .start_y = (uint8_t)start.y,
        .end_x = (uint8_t)end.x,
        .end_y = (uint8_t)end.y,
        .y_major = m->word[NIU_CTRL] & CTRL_Y_MAJOR,
        .include_source = m->word[NIU_CTRL] & CTRL_INCLUDE_SOURCE,
    };
    const char *wrong = route_area_check(area);
    return wrong ? REFUSE(UNDEFINED, "%s", wrong) : access_done();
}

/* Finds the receivers. A multicast goes to Tensix tiles, and any of them is representative of all. */
static inline struct access find_receivers(struct making *m, struct end *end, uint32_t hi) {
    struct noc_request *request = m->request;
    if (!request->multicast) {
        TRY(find_site(m, end->field, hi, &end->site));
        request->target = (uint8_t)end->site;
        return access_done();
    }
    end->site = NOC_NOWHERE;
    request->target = NOC_NOWHERE;
    return find_area(m, end->field, hi);
}

static struct access find_reply(struct making *m, const char *field, uint32_t hi) {
    unsigned site;
    TRY(find_site(m, field, hi, &site));
    m->request->reply = (uint8_t)site;
    return access_done();
}

/* ---- Addresses ------------------------------------------------------------------------------------------ */

static enum bh_tile_kind kind_of(const struct making *m, const struct end *end) {
    return end->site == NOC_NOWHERE ? BH_TILE_TENSIX : (enum bh_tile_kind)m->grid->kind[end->site];
}

static bool has_l1(enum bh_tile_kind kind) {
    return kind == BH_TILE_TENSIX || kind == BH_TILE_ETH;
}

static bool is_wide(enum bh_tile_kind kind) {
    return kind == BH_TILE_DRAM || kind == BH_TILE_PCIE || kind == BH_TILE_L2CPU;
}

static uint64_t l1_size(enum bh_tile_kind kind) {
    return kind == BH_TILE_ETH ? ETH_L1_SIZE : memmap[MEMMAP_ROW_L1].size;
}

/* Accepts an address beyond L1 that is a register. */
static __attribute__((noinline)) struct access find_register(struct making *m, struct end *end, uint64_t length) {
    enum bh_tile_kind kind = kind_of(m, end);
    if (end->address >> 32)
        return REFUSE(UNMAPPED, "%s_ADDR_MID is 0x%x, but addresses there have 32 bits (%s tile)", end->field,
                      (unsigned)(end->address >> 32), kind_name(kind));
    if (end->address < NOC_MMIO)
        return REFUSE(UNMAPPED, "%s_ADDR_LO: 0x%" PRIx64 " + %" PRIu64 " bytes are not all in L1 (%s tile)", end->field,
                      end->address, length, kind_name(kind));
    end->memory = MEMORY_REGISTER;
    return access_done();
}

/* Finds the kind of memory. Refuses addresses at which there are fewer than `length` bytes. */
static inline struct access find_memory(struct making *m, struct end *end, uint64_t length) {
    enum bh_tile_kind kind = kind_of(m, end);
    uint64_t size = l1_size(kind);
    if (!has_l1(kind)) {
        end->memory = is_wide(kind) ? MEMORY_WIDE : MEMORY_NARROW;
        return access_done();
    }
    end->memory = MEMORY_L1;
    return BH_LIKELY(end->address < size && length <= size - end->address) ? access_done()
                                                                           : find_register(m, end, length);
}

void request_measure(struct noc_grid *grid) {
    for (unsigned site = 0; site < NOC_SITES; site++) {
        enum bh_tile_kind kind = (enum bh_tile_kind)grid->kind[site];
        grid->memory[site] = grid->dead[site] ? 0 : has_l1(kind) ? (uint32_t)l1_size(kind) : UINT32_MAX;
        grid->unit[site] = is_wide(kind) ? NOC_FLIT : LINE;
    }
}

static struct end end_of(const struct making *m, bool targ) {
    unsigned lo = targ ? NIU_TARG_LO : NIU_RET_LO;
    return (struct end){
        .field = targ ? "TARG" : "RET",
        .site = m->niu->site,
        .address = m->word[lo] | (uint64_t)m->word[lo + 1] << 32,
    };
}

/* ---- Alignment ------------------------------------------------------------------------------------------ */

static inline struct access congruent(struct making *m, const struct end *from, const struct end *to,
                                      unsigned modulus) {
    if (from->address % modulus == to->address % modulus)
        return access_done();
    return REFUSE(MISALIGNED, "TARG_ADDR_LO 0x%x and RET_ADDR_LO 0x%x must be equal modulo %u here",
                  m->word[NIU_TARG_LO], m->word[NIU_RET_LO], modulus);
}

static struct access register_word(struct making *m, const struct end *end, uint64_t length) {
    if (length != 4)
        return REFUSE(UNDEFINED, "AT_LEN_BE is %" PRIu64 ", but %s_ADDR_LO 0x%x is a register of 4 bytes", length,
                      end->field, (unsigned)end->address);
    if (end->address % 4)
        return REFUSE(MISALIGNED, "%s_ADDR_LO 0x%x is a register, but not aligned", end->field, (unsigned)end->address);
    return access_done();
}

static struct access within_word(struct making *m, const struct end *end, uint64_t length) {
    if (length <= 4 - end->address % 4)
        return access_done();
    return REFUSE(UNDEFINED, "AT_LEN_BE is %" PRIu64 ", which goes beyond the register at %s_ADDR_LO 0x%x", length,
                  end->field, (unsigned)end->address);
}

static inline struct access check_alignment(struct making *m, const struct end *from, const struct end *to) {
    if (to->memory == MEMORY_REGISTER)
        TRY(register_word(m, to, m->total));
    if (from->memory == MEMORY_REGISTER) {
        TRY(within_word(m, from, m->total));
        return congruent(m, from, to, 4);
    }
    return congruent(m, from, to, from->memory == MEMORY_WIDE && to->memory != MEMORY_REGISTER ? NOC_FLIT : LINE);
}

/* ---- Lengths -------------------------------------------------------------------------------------------- */

static inline struct access check_length(struct making *m) {
    m->total = m->word[NIU_AT_LEN_BE] | (uint64_t)m->word[NIU_AT_LEN_BE_1] << 32;
    if (m->total == 0)
        return REFUSE(UNDEFINED, "AT_LEN_BE is 0: nothing to read or write");
    if (m->total > (uint64_t)PACKETS_MAX * NOC_PACKET_MAX)
        return REFUSE(UNDEFINED, "AT_LEN_BE is %" PRIu64 " bytes, more than the counters of packets hold", m->total);
    m->request->length = m->total < NOC_PACKET_MAX ? (uint32_t)m->total : NOC_PACKET_MAX;
    if (m->total > NOC_PACKET_MAX && (m->word[NIU_TARG_LO] | m->word[NIU_RET_LO]) % NOC_FLIT)
        return REFUSE(MISALIGNED,
                      "AT_LEN_BE is above 16384, but TARG_ADDR_LO 0x%x or RET_ADDR_LO 0x%x is not aligned to 64",
                      m->word[NIU_TARG_LO], m->word[NIU_RET_LO]);
    return access_done();
}

uint64_t request_length(const struct niu *niu, const struct noc_request *request) {
    const uint32_t *word = niu->initiator[request->initiator];
    if (request->kind != NOC_KIND_READ && request->kind != NOC_KIND_WRITE)
        return request->length;
    return word[NIU_AT_LEN_BE] | (uint64_t)word[NIU_AT_LEN_BE_1] << 32;
}

void request_advance(struct noc_request *request, uint64_t total, unsigned packet) {
    uint64_t left = total - (uint64_t)packet * NOC_PACKET_MAX;
    if (packet == 0)
        return;
    request->length = left < NOC_PACKET_MAX ? (uint32_t)left : NOC_PACKET_MAX;
    request->address += NOC_PACKET_MAX;
    if (request->kind == NOC_KIND_READ)
        request->reply_address += NOC_PACKET_MAX;
    else
        request->source_address += NOC_PACKET_MAX;
}

/* ---- Kinds ---------------------------------------------------------------------------------------------- */

static struct access make_read(struct making *m) {
    struct end from = end_of(m, true), to = end_of(m, false);
    TRY(check_length(m));
    TRY(find_receivers(m, &from, m->word[NIU_TARG_HI]));
    TRY(find_site(m, to.field, m->word[NIU_RET_HI], &to.site));
    TRY(find_memory(m, &from, m->total));
    TRY(find_memory(m, &to, m->total));
    m->request->address = from.address;
    m->request->reply = (uint8_t)to.site;
    m->request->reply_address = to.address;
    return check_alignment(m, &from, &to);
}

/* Checks HEADER_STORE of PACKET_TAG, which also writes the first 16 bytes to a second address of the receivers. */
static struct access check_header_store(struct making *m, const struct end *to) {
    const struct noc_request *request = m->request;
    uint64_t second = (uint64_t)request->data << 4, size = l1_size(kind_of(m, to));
    if (!request->header_store)
        return access_done();
    if (request->kind != NOC_KIND_WRITE || request->marked)
        return REFUSE(UNDEFINED, "PACKET_TAG: HEADER_STORE is for posted writes of a length");
    if (to->address % LINE || m->total < LINE || m->total > NOC_PACKET_MAX || to->memory == MEMORY_REGISTER)
        return REFUSE(UNDEFINED, "PACKET_TAG: HEADER_STORE needs one packet of 16 aligned bytes at least");
    if (to->memory == MEMORY_L1 && second >= size)
        return REFUSE(UNMAPPED, "AT_DATA: HEADER_STORE at 0x%" PRIx64 " is not in L1 (%s tile)", second,
                      kind_name(kind_of(m, to)));
    return access_done();
}

/* Checks delivery to a stream, which counts words of 16 bytes. */
static struct access check_to_overlay(struct making *m, const struct end *to) {
    if (!m->request->to_overlay)
        return access_done();
    if (m->request->kind != NOC_KIND_WRITE || m->total > NOC_PACKET_MAX)
        return REFUSE(UNDEFINED, "PACKET_TAG: delivery to a stream (bit 6) is for writes of a length, of one packet");
    if (to->address % LINE || m->total % LINE || to->memory == MEMORY_REGISTER)
        return REFUSE(UNDEFINED, "PACKET_TAG: delivery to a stream (bit 6) needs whole words of 16 bytes in memory");
    return access_done();
}

static struct access finish_write(struct making *m, const struct end *from, const struct end *to) {
    m->request->source_address = from->address;
    m->request->address = to->address;
    if (m->request->marked)
        TRY(find_reply(m, "TARG", m->word[NIU_TARG_HI]));
    TRY(check_to_overlay(m, to));
    return check_header_store(m, to);
}

static struct access make_write(struct making *m) {
    struct end from = end_of(m, true), to = end_of(m, false);
    TRY(check_length(m));
    TRY(find_receivers(m, &to, m->word[NIU_RET_HI]));
    TRY(find_memory(m, &from, m->total));
    TRY(find_memory(m, &to, m->total));
    TRY(check_alignment(m, &from, &to));
    return finish_write(m, &from, &to);
}

/* The mask does not apply to a register: the request becomes a write of four bytes. */
static struct access make_masked_register(struct making *m, struct end *from, const struct end *to) {
    m->request->kind = NOC_KIND_WRITE;
    m->request->length = 4;
    m->total = 4;
    TRY(register_word(m, to, m->total));
    TRY(find_memory(m, from, m->total));
    if (from->memory == MEMORY_REGISTER)
        TRY(register_word(m, from, m->total));
    else
        TRY(congruent(m, from, to, LINE));
    return finish_write(m, from, to);
}

static struct access make_masked(struct making *m) {
    struct end from = end_of(m, true), to = end_of(m, false);
    uint64_t mask = m->word[NIU_AT_LEN_BE] | (uint64_t)m->word[NIU_AT_LEN_BE_1] << 32;
    TRY(find_receivers(m, &to, m->word[NIU_RET_HI]));
    TRY(find_memory(m, &to, 0));
    if (to.memory == MEMORY_REGISTER)
        return make_masked_register(m, &from, &to);
    m->request->mask = mask;
    m->request->length = NOC_MASKED_MAX;
    to.address &= ~(uint64_t)(LINE - 1);
    TRY(find_memory(m, &from, 0));
    if (from.memory == MEMORY_REGISTER)
        TRY(register_word(m, &from, 4));
    else
        from.address &= ~(uint64_t)(LINE - 1);
    TRY(find_memory(m, &from, from.memory == MEMORY_REGISTER ? 4 : noc_carried_bytes(m->request)));
    TRY(find_memory(m, &to, noc_carried_bytes(m->request)));
    return finish_write(m, &from, &to);
}

/* As on Wormhole, the request writes the line that contains the address. The mask may be shifted by the position of the
 * address within a flit. */
static struct access make_inline_l1(struct making *m, const struct end *to) {
    uint64_t mask = m->word[NIU_AT_LEN_BE] | (uint64_t)m->word[NIU_AT_LEN_BE_1] << 32;
    mask |= mask >> 32;
    m->request->mask = (mask | mask >> LINE) & 0xFFFF;
    m->request->address = to->address & ~(uint64_t)(LINE - 1);
    return access_done();
}

static struct access make_inline(struct making *m) {
    struct end to = end_of(m, true);
    m->request->length = 4;
    m->request->reply = m->niu->site;
    TRY(find_receivers(m, &to, m->word[NIU_TARG_HI]));
    if (!has_l1(kind_of(m, &to)))
        return REFUSE(UNDEFINED, "CTRL: inline data, but TARG_ADDR_HI names no Tensix or Ethernet tile (%s tile)",
                      kind_name(kind_of(m, &to)));
    TRY(find_memory(m, &to, 4));
    m->request->address = to.address;
    TRY(check_to_overlay(m, &to));
    TRY(check_header_store(m, &to));
    if (to.memory == MEMORY_L1)
        return make_inline_l1(m, &to);
    return register_word(m, &to, 4);
}

static struct access check_atomic_end(struct making *m, struct end *end) {
    if (!has_l1(kind_of(m, end)))
        return REFUSE(UNDEFINED, "CTRL: an atomic, but %s_ADDR_HI names no Tensix or Ethernet tile (%s tile)",
                      end->field, kind_name(kind_of(m, end)));
    TRY(find_memory(m, end, 4));
    if (end->memory != MEMORY_L1)
        return REFUSE(UNDEFINED, "CTRL: an atomic, but %s_ADDR_LO 0x%x is not in L1", end->field,
                      (unsigned)end->address);
    if (end->address % 4)
        return REFUSE(MISALIGNED, "CTRL: an atomic, but %s_ADDR_LO 0x%x is not aligned to 4", end->field,
                      (unsigned)end->address);
    return access_done();
}

static struct access make_atomic(struct making *m) {
    struct end at = end_of(m, true), result = end_of(m, false);
    const char *wrong = atomic_check(m->word[NIU_AT_LEN_BE]);
    if (wrong)
        return REFUSE(UNDEFINED, "%s (0x%x)", wrong, m->word[NIU_AT_LEN_BE]);
    m->request->atomic = (uint16_t)m->word[NIU_AT_LEN_BE];
    m->request->length = 4;
    TRY(find_receivers(m, &at, m->word[NIU_TARG_HI]));
    TRY(check_atomic_end(m, &at));
    TRY(check_header_store(m, &at));
    m->request->address = at.address;
    if (!m->request->marked)
        return access_done();
    TRY(find_site(m, result.field, m->word[NIU_RET_HI], &result.site));
    TRY(check_atomic_end(m, &result));
    m->request->reply = (uint8_t)result.site;
    m->request->reply_address = result.address;
    return access_done();
}

/* ---- Entry points --------------------------------------------------------------------------------------- */

static unsigned kind_in(uint32_t ctrl) {
    switch (ctrl & 3) {
    case TYPE_READ: return NOC_KIND_READ;
    case TYPE_ATOMIC: return NOC_KIND_ATOMIC;
    default: return ctrl & CTRL_INLINE ? NOC_KIND_INLINE : ctrl & CTRL_BYTE_ENABLE ? NOC_KIND_MASKED : NOC_KIND_WRITE;
    }
}

/* Sets the members that follow from CTRL, PACKET_TAG and AT_DATA, one by one, because clearing the struct first costs
 * more. */
static void begin_request(struct noc_request *request, const struct niu *niu, unsigned initiator,
                          const uint32_t *word) {
    uint32_t ctrl = word[NIU_CTRL], tag = word[NIU_PACKET_TAG];
    bool multicast = ctrl & CTRL_MULTICAST;
    request->kind = (uint8_t)kind_in(ctrl);
    request->noc = niu->noc;
    request->initiator = (uint8_t)initiator;
    request->id = (uint8_t)bits_get(tag, 10, 4);
    request->source = niu->site;
    request->target = request->reply = NOC_NOWHERE;
    request->vc = (uint8_t)bits_get(ctrl, 13, 3);
    request->priority = (uint8_t)bits_get(ctrl, 27, 4);
    request->marked = ctrl & CTRL_MARKED || kind_in(ctrl) == NOC_KIND_READ;
    request->multicast = multicast;
    request->linked = ctrl & CTRL_LINKED;
    request->static_vc = ctrl & CTRL_STATIC;
    request->reserve = multicast && ctrl & CTRL_RESERVE;
    request->header_store = tag & TAG_HEADER_STORE;
    request->to_overlay = (ctrl & 3) == TYPE_WRITE && tag & TAG_TO_OVERLAY;
    request->tag = request->to_overlay ? (uint16_t)(tag & (NOC_TAG_STREAM | NOC_TAG_FIRST | NOC_TAG_LAST)) : 0;
    request->data = word[NIU_AT_DATA];
    request->length = 0;
    request->mask = request->address = request->source_address = request->time = 0;
    request->area = (struct noc_area){ 0 };
}

static struct access check_control(struct making *m) {
    uint32_t ctrl = m->word[NIU_CTRL];
    const struct noc_request *request = m->request;
    unsigned class = request->vc >> 1;
    if ((ctrl & 3) == 3)
        return REFUSE(UNDEFINED, "CTRL: request type 3 is reserved");
    if (ctrl & CTRL_RESERVED)
        return REFUSE(UNDEFINED, "CTRL is 0x%x: bits 10 to 12 and 18 to 26 are reserved", ctrl);
    if (ctrl >> 31 && (ctrl & 3) != TYPE_ATOMIC)
        return REFUSE(UNDEFINED, "CTRL: accumulation into L1 (bit 31) cannot be used safely");
    if (m->word[NIU_SEC_CTRL])
        return REFUSE(UNMODELLED, "SEC_CTRL is 0x%x: security levels are not modelled", m->word[NIU_SEC_CTRL]);
    if (request->multicast && request->kind == NOC_KIND_READ)
        return REFUSE(UNDEFINED, "CTRL: a read cannot be a multicast");
    if (request->static_vc && (request->multicast ? class != 2 : class > 1))
        return REFUSE(UNDEFINED, "CTRL: virtual channel %u is not for %s", request->vc,
                      request->multicast ? "multicasts" : "unicasts");
    return access_done();
}

static struct access check_tag(struct making *m) {
    if (m->request->header_store && m->request->kind == NOC_KIND_READ)
        return REFUSE(UNDEFINED, "PACKET_TAG: HEADER_STORE is for posted writes of a length");
    return access_done();
}

static struct access make_kind(struct making *m) {
    switch (m->request->kind) {
    case NOC_KIND_READ: return make_read(m);
    case NOC_KIND_WRITE: return make_write(m);
    case NOC_KIND_MASKED: return make_masked(m);
    case NOC_KIND_INLINE: return make_inline(m);
    default: return make_atomic(m);
    }
}

static struct access make(struct niu *niu, const struct noc_grid *grid, unsigned initiator, struct noc_request *request,
                          unsigned *packets) {
    const uint32_t *word = niu->initiator[initiator];
    struct making made = { niu, grid, word, initiator, 0, request }, *m = &made;
    begin_request(request, niu, initiator, word);
    *packets = 1;
    TRY(check_control(m));
    TRY(check_tag(m));
    TRY(make_kind(m));
    if (m->total)
        *packets = (unsigned)((m->total + NOC_PACKET_MAX - 1) / NOC_PACKET_MAX);
    return access_done();
}

/* Stores the plan of a request that may be the first of many (planned.c). */
static void keep(struct niu_plan *plan, const uint32_t *word, const struct noc_request *request) {
    unsigned kind = kind_in(word[NIU_CTRL]); /* a masked write may have become a plain one */
    if ((kind != NOC_KIND_READ && kind != NOC_KIND_WRITE) || request->multicast || request->header_store ||
        request->to_overlay)
        return;
    *plan = (struct niu_plan){ .ctrl = word[NIU_CTRL], .tag = word[NIU_PACKET_TAG], .kept = true };
    memcpy(plan->bytes, request, sizeof plan->bytes);
}

struct access request_prepare(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                              struct noc_request *request, unsigned *packets) {
    struct access access = make(niu, wire->grid, initiator, request, packets);
    if (access.result == ACCESS_DONE && wire->plan)
        keep(&wire->plan[niu->noc][initiator], niu->initiator[initiator], request);
    return access;
}
