/* Registers and TCAM of the RX classifier: see eth_classifier.h. */
#include "tile/eth_classifier.h"

#include <string.h>

#include "base/bits.h"

#define BASE UINT32_C(0xFFB9C000)

/* Offsets of registers that do something, or of which some values are refused. */
enum {
    ROW_MAPPING = 0xC00,
    NO_MATCH_ACTIONS = ETH_CLASSIFIER_NO_MATCH + 4,
    ROW_UPDATE = 0xD40,
    ROW_STATUS = 0xD44,
    FLUSH = 0xD60,
    TYPE_WRITE = 0xD80,
    FIELDS_WRITE = 0xD90,
    UPDATE = 0xDF0,
    TYPE_READ = 0xE00,
    FIELDS_READ = 0xE10, /* fields up to the source port; the others are at DST_PORT_READ */
    DST_PORT_READ = 0xE48,
    FLOW_LABELS = 0xE80,
    FLOW_ACTIONS = 0xE84,
    FLOW_UPDATE = 0xEA0,
};

enum { FIELDS_FIRST = 10 }; /* number of fields at FIELDS_READ */

enum use { KEEPS, SHOWS, ACTS };

/* Consecutive registers of the same use. */
struct range {
    uint16_t offset, count;
    uint8_t use;   /* enum use */
    uint8_t index; /* index in eth_classifier.word of the first register */
};

static const struct range ranges[] = {
    { 0x000, 2, KEEPS, 0 },
    { 0x400, 28, KEEPS, 2 },
    { 0x800, 13, KEEPS, 30 },
    { 0x840, 19, KEEPS, 43 },
    { 0x8A0, 9, KEEPS, 62 },
    { 0x900, 32, KEEPS, 71 },
    { ROW_MAPPING, 64, KEEPS, 103 },
    { 0xD00, 4, KEEPS, 167 },
    { ROW_UPDATE, 1, ACTS, 0 },
    { ROW_STATUS, 1, SHOWS, 171 },
    { FLUSH, 1, ACTS, 0 },
    { TYPE_WRITE, 1, KEEPS, 172 },
    { FIELDS_WRITE, 14, KEEPS, 173 },
    { UPDATE, 1, ACTS, 0 },
    { TYPE_READ, 1, SHOWS, 187 },
    { FIELDS_READ, 10, SHOWS, 188 },
    { DST_PORT_READ, 4, SHOWS, 198 },
    { FLOW_LABELS, 4, KEEPS, 202 },
    { FLOW_UPDATE, 1, ACTS, 0 },
    { ETH_CLASSIFIER_OVERRIDE, 2, KEEPS, 206 },
};
_Static_assert(ETH_CLASSIFIER_WORDS == 206 + 2, "the last range");

/* Returns NULL if there is no register at this offset. */
static const struct range *range_at(uint32_t offset) {
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (offset - ranges[i].offset < 4u * ranges[i].count)
            return &ranges[i];
    return NULL;
}

static unsigned index_at(uint32_t offset) {
    const struct range *range = range_at(offset);
    return range->index + (offset - range->offset) / 4;
}

bool eth_classifier_has(uint32_t address) {
    return range_at(address - BASE) != NULL;
}

uint32_t eth_classifier_word(const struct eth_classifier *c, uint32_t offset) {
    return c->word[index_at(offset)];
}

uint32_t eth_classifier_read(const struct eth_classifier *c, uint32_t address) {
    return range_at(address - BASE)->use == ACTS ? 0 : eth_classifier_word(c, address - BASE);
}

/* ---- Commands ------------------------------------------------------------------------------------------------- */

enum { ROW = 63, GO = 31 };

static struct access undefined(const char *why) {
    return access_refused(BH_FAULT_UNDEFINED, why);
}

static void update_enable(struct eth_classifier *c, uint32_t value) {
    unsigned row = value & ROW;
    if (!(value >> GO))
        return;
    if (value >> 16 & 1)
        c->enabled = (c->enabled & ~(UINT64_C(1) << row)) | (uint64_t)(value >> 8 & 1) << row;
    else
        c->word[index_at(ROW_STATUS)] = row | (uint32_t)(c->enabled >> row & 1) << 8;
}

/* Disables all rows and sets them to match anything. */
static void flush(struct eth_classifier *c) {
    c->enabled = 0;
    memset(c->pattern, 0xFF, sizeof c->pattern);
}

static void read_row(struct eth_classifier *c, unsigned row, bool mask) {
    const uint32_t *from = c->pattern[row][mask];
    c->word[index_at(TYPE_READ)] = c->kind[row];
    memcpy(&c->word[index_at(FIELDS_READ)], from, FIELDS_FIRST * sizeof *from);
    memcpy(&c->word[index_at(DST_PORT_READ)], from + FIELDS_FIRST, (ETH_PATTERN_WORDS - FIELDS_FIRST) * sizeof *from);
}

/* Writes the fields of a row that bits 16 to 23 of TCAM_UPDATE select. The flags belong to the addresses, and count in
 * rows that are not IP. */
static void write_row(uint32_t *to, const uint32_t *from, uint32_t command) {
    enum { AUGMENTED_DESTINATION = 0xF, AUGMENTED_SOURCE = 0xF0000 };
    static const struct {
        uint8_t bit, field, count;
    } parts[] = { { 16, ETH_FIELD_PROTOCOL, 1 },    { 17, ETH_FIELD_DST_PORT, 1 }, { 18, ETH_FIELD_SRC_PORT, 1 },
                  { 19, ETH_FIELD_DESTINATION, 4 }, { 20, ETH_FIELD_SOURCE, 4 },   { 22, ETH_FIELD_ETHERTYPE, 1 },
                  { 23, ETH_FIELD_PRIORITY, 1 } };
    uint32_t flags = (command >> 19 & 1 ? AUGMENTED_DESTINATION : 0) | (command >> 20 & 1 ? AUGMENTED_SOURCE : 0);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (command >> parts[i].bit & 1)
            memcpy(to + parts[i].field, from + parts[i].field, parts[i].count * sizeof *to);
    to[ETH_FIELD_FLAGS] = (to[ETH_FIELD_FLAGS] & ~flags) | (from[ETH_FIELD_FLAGS] & flags);
}

static struct access update_row(struct eth_classifier *c, uint32_t value) {
    unsigned row = value & ROW, mask = value >> 8 & 1, kind = c->word[index_at(TYPE_WRITE)] & 3;
    if (!(value >> GO))
        return access_done();
    if (!(value >> 9 & 1)) {
        read_row(c, row, mask);
        return access_done();
    }
    if (value >> 21 & 1) {
        if (kind == ETH_KIND_RESERVED)
            return undefined("TCAM_UPDATE: TCAM_TUPLE_TYPE_WRITE is 2, which is reserved");
        if ((kind == ETH_KIND_OTHER) != (value >> 10 & 1))
            return undefined("TCAM_UPDATE: write_is_not_ip contradicts TCAM_TUPLE_TYPE_WRITE");
        c->kind[row] = (uint8_t)kind;
    }
    write_row(c->pattern[row][mask], &c->word[index_at(FIELDS_WRITE)], value);
    return access_done();
}

static void update_flow(struct eth_classifier *c, uint32_t value) {
    uint32_t *row = c->flow[value & ROW], *word = &c->word[index_at(FLOW_LABELS)];
    if (!(value >> GO))
        return;
    if (value >> 8 & 1)
        memcpy(row, word, sizeof c->flow[0]);
    else
        memcpy(word, row, sizeof c->flow[0]);
}

/* ---- Writes ---------------------------------------------------------------------------------------------------- */

static struct access check(uint32_t offset, uint32_t value) {
    enum { REMOVES = 1 << 3, STAMPS = 1 << 4, ADDS = 3 << 5 };
    bool actions = offset == NO_MATCH_ACTIONS || offset == FLOW_ACTIONS;
    unsigned mode = bits_get(value, 24, 3);
    if ((offset == ETH_CLASSIFIER_NO_MATCH || offset == FLOW_LABELS) && value)
        return access_refused(BH_FAULT_UNMODELLED, "LABELS of the RX classifier: no document says what they count");
    if (actions && value & STAMPS)
        return access_refused(BH_FAULT_UNMODELLED,
                              "ACTIONS of the RX classifier: no document describes the FIFO of time stamps (bit 4)");
    if (actions && value & REMOVES && value & ADDS)
        return undefined("ACTIONS of the RX classifier: headers cannot be removed (bit 3) and metadata added (5, 6)");
    if (offset - ETH_CLASSIFIER_VLAN_TAG < 8 && bits_get(value, 16, 2) == 2)
        return undefined("USER_DEFINED_VLAN_TAG: mode 2 is reserved");
    if (offset - ETH_CLASSIFIER_L3_HEADER < 8 && (mode == 4 || mode == 6))
        return undefined("USER_DEFINED_L3_HDR: modes 4 and 6 are reserved");
    if (offset == ETH_CLASSIFIER_OVERRIDE && (value & 3) == 3)
        return undefined("OVERRIDE_DECISION: 3 is reserved");
    return access_done();
}

struct access eth_classifier_write(struct eth_classifier *c, uint32_t address, uint32_t value) {
    uint32_t offset = address - BASE;
    struct access access = check(offset, value);
    if (access.result != ACCESS_DONE)
        return access;
    switch (offset) {
    case ROW_UPDATE: update_enable(c, value); break;
    case UPDATE: return update_row(c, value);
    case FLOW_UPDATE: update_flow(c, value); break;
    case FLUSH:
        if (value & 1)
            flush(c);
        break;
    default:
        if (range_at(offset)->use == KEEPS)
            c->word[index_at(offset)] = value;
        break;
    }
    return access;
}

/* ---- The TCAM ---------------------------------------------------------------------------------------------------- */

/* The bits of each field that are compared, for each kind of row. */
static const uint32_t used[][ETH_PATTERN_WORDS] = {
    [ETH_KIND_OTHER] = { [ETH_FIELD_SOURCE] = UINT32_MAX,
                         [ETH_FIELD_SOURCE + 1] = 0xFFFF,
                         [ETH_FIELD_DESTINATION] = UINT32_MAX,
                         [ETH_FIELD_DESTINATION + 1] = 0xFFFF,
                         [ETH_FIELD_FLAGS] = 0xF000F,
                         [ETH_FIELD_ETHERTYPE] = 0xFFFFF,
                         [ETH_FIELD_PRIORITY] = 7 },
    [ETH_KIND_IPV4] = { [ETH_FIELD_SOURCE] = UINT32_MAX,
                        [ETH_FIELD_DESTINATION] = UINT32_MAX,
                        [ETH_FIELD_SRC_PORT] = 0xFFFFF,
                        [ETH_FIELD_DST_PORT] = 0xFFFFF,
                        [ETH_FIELD_PROTOCOL] = 0xF00FF },
    [ETH_KIND_IPV6] = { [ETH_FIELD_SOURCE] = UINT32_MAX,
                        [ETH_FIELD_SOURCE + 1] = UINT32_MAX,
                        [ETH_FIELD_SOURCE + 2] = UINT32_MAX,
                        [ETH_FIELD_SOURCE + 3] = UINT32_MAX,
                        [ETH_FIELD_DESTINATION] = UINT32_MAX,
                        [ETH_FIELD_DESTINATION + 1] = UINT32_MAX,
                        [ETH_FIELD_DESTINATION + 2] = UINT32_MAX,
                        [ETH_FIELD_DESTINATION + 3] = UINT32_MAX,
                        [ETH_FIELD_SRC_PORT] = 0xFFFFF,
                        [ETH_FIELD_DST_PORT] = 0xFFFFF,
                        [ETH_FIELD_PROTOCOL] = 0xF00FF },
};

static bool matches(const struct eth_classifier *c, unsigned row, enum eth_kind kind, const uint32_t *field) {
    const uint32_t *value = c->pattern[row][0], *mask = c->pattern[row][1];
    for (unsigned i = 0; i < ETH_PATTERN_WORDS; i++)
        if ((field[i] ^ value[i]) & ~mask[i] & used[kind][i])
            return false;
    return true;
}

/* The row with the greatest priority wins; of equals, the lowest row. */
const uint32_t *eth_classifier_match(const struct eth_classifier *c, enum eth_kind kind,
                                     const uint32_t field[ETH_PATTERN_WORDS]) {
    const uint32_t *mapping = &c->word[index_at(ROW_MAPPING)];
    unsigned best = ETH_FLOWS;
    for (unsigned row = 0; row < ETH_FLOWS; row++) {
        if (!(c->enabled >> row & 1) || c->kind[row] != kind || !matches(c, row, kind, field))
            continue;
        if (best == ETH_FLOWS || (mapping[row] & 7) > (mapping[best] & 7))
            best = row;
    }
    return best == ETH_FLOWS ? NULL : c->flow[bits_get(mapping[best], 16, 6)];
}
