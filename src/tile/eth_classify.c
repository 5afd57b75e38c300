/* What the RX classifier does with a frame: see eth_classifier.h. Section headings give the stages of
 * EthernetRxClassifier.md. */
#include <string.h>

#include "base/bits.h"
#include "tile/eth_port.h"

/* Offsets of registers. */
enum {
    USER_DEFINED_ETHERTYPE = 0x000,
    USER_DEFINED_STAG = 0x408,
    USER_DEFINED_CTAG = 0x410,
    USER_DEFINED_SRC_IP_ADDR = 0x420,
    USER_DEFINED_DST_IP_ADDR = 0x440,
    USER_DEFINED_L4_FIELDS = 0x460,
    USER_DEFINED_L4_PORT = 0x468,
    USER_MAC_DA = 0x800,
    USER_REDUCED_DA = 0x810,
    REDUCED_DA = 0x818,
    USER_ETHERTYPE = 0x840,
    USER_REDUCED_ETHERTYPE = 0x848,
    REDUCED_ETHERTYPE = 0x850,
    USER_PROTOCOL = 0x8A0,
    USER_REDUCED_PROTOCOL = 0x8A8,
    REDUCED_PROTOCOL = 0x8B0,
    USER_PORT_REDUCTION_PORT = 0x900,
    USER_PORT_REDUCTION_RULE = 0x940,
    HEADER_ERROR_CONTROL = 0x1004,
};

enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86DD, TYPE_Q = 0x8100, TYPE_AD = 0x88A8, TYPE_AE = 0x88E5 };
enum { TYPE_CONTROL = 0x8808, LEAST_TYPE = 0x0600, TCP = 6, UDP = 17 };
enum { ADDRESSES = 12, TAG = 4, IPV4 = 20, IPV6 = 40, UDP_HEADER = 8, PORTS = 4, TCP_OFFSET = 13 };
enum { OTHERS = 2 }; /* registers of each kind in which software defines values of its own */

/* What has been extracted from a frame so far. */
struct extract {
    const struct eth_classifier *c;
    const uint8_t *at; /* the bytes of the frame that are known */
    uint32_t known;
    bool whole; /* `known` bytes are the whole frame; no page shows what follows the known bytes of a TT-link packet */
    uint32_t behind; /* offset of the first byte after the EtherType */
    uint32_t l4;     /* offset of the L4 header */
    uint16_t type;
    bool has_s, has_c; /* VLAN tags that the frame has, or that a register gives it */
    uint32_t s_tag, c_tag;
    enum eth_kind kind;
    bool in_frame;    /* the L3 header is in the frame, not defined by a register */
    bool udp_follows; /* a UDP header follows the L3 header in the frame */
    uint8_t protocol;
    uint8_t errors; /* bits of HEADER_ERROR_CONTROL */
    uint32_t source[4], destination[4];
    uint32_t port[2];    /* source, destination */
    bool is_tcp, is_udp; /* which rules for ports apply */
    const char *refused;
    uint32_t field[ETH_PATTERN_WORDS];
};

static uint32_t word(const struct extract *x, uint32_t offset) {
    return eth_classifier_word(x->c, offset);
}

static uint32_t be16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t be32(const uint8_t *at) {
    return be16(at) << 16 | be16(at + 2);
}

/* Returns whether these bytes of the frame are known. */
static bool has(const struct extract *x, uint32_t at, uint32_t size) {
    return at <= x->known && size <= x->known - at;
}

/* ---- Stage 3: tags and EtherType --------------------------------------------------------------------------------- */

static void replace_tags(struct extract *x) {
    for (unsigned i = 0; i < OTHERS; i++) {
        uint32_t rule = word(x, ETH_CLASSIFIER_VLAN_TAG + 4 * i), mode = bits_get(rule, 16, 2);
        if (!mode || (rule & 0xFFFF) != x->type)
            continue;
        x->has_c = true;
        x->c_tag = word(x, USER_DEFINED_CTAG + 4 * i);
        if (mode == 3) {
            x->has_s = true;
            x->s_tag = word(x, USER_DEFINED_STAG + 4 * i);
        }
        return;
    }
}

/* Precondition: the frame has both addresses and a type. */
static void extract_type(struct extract *x) {
    uint32_t at = ADDRESSES;
    if (be16(x->at + at) == TYPE_AD && has(x, at, 2 * TAG + 2) && be16(x->at + at + TAG) == TYPE_Q) {
        x->has_s = true;
        x->s_tag = be32(x->at + at);
        at += TAG;
    }
    if (be16(x->at + at) == TYPE_Q && has(x, at, TAG + 2)) {
        x->has_c = true;
        x->c_tag = be32(x->at + at);
        at += TAG;
    }
    x->type = (uint16_t)be16(x->at + at);
    x->behind = at + 2;
    if (x->type == TYPE_AE && !x->has_s)
        return;
    for (unsigned i = 0; i < OTHERS; i++) {
        uint32_t rule = word(x, USER_DEFINED_ETHERTYPE + 4 * i);
        if ((rule & 0xFFFF) == x->type) {
            x->type = (uint16_t)(rule >> 16);
            return;
        }
    }
}

/* ---- Stage 3: L3 and L4 headers ---------------------------------------------------------------------------------- */

static const char link_is_no_header[] =
    "a TT-link packet has a type of IP or UDP without such a header, and no page shows the header of TT-link";

/* An address of four words is a number. Its low bits come last in the frame, and first in the registers. */
static void take_address(uint32_t to[4], const uint8_t *at) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = be32(at + 4 * (3 - i));
}

static void take_ipv4(struct extract *x) {
    const uint8_t *at = x->at + x->behind;
    enum { IHL = 5, PROTOCOL = 9, SOURCE = 12, DESTINATION = 16 };
    x->kind = ETH_KIND_IPV4;
    x->in_frame = true;
    x->protocol = at[PROTOCOL];
    x->source[0] = be32(at + SOURCE);
    x->destination[0] = be32(at + DESTINATION);
    x->l4 = x->behind + IPV4;
    if ((at[0] & 15) != IHL)
        x->errors |= 1 << 0;
}

static bool is_extension(uint8_t next) {
    static const uint8_t extensions[] = { 0, 43, 44, 50, 51, 60, 135, 139, 140, 253, 254 };
    return memchr(extensions, next, sizeof extensions) != NULL;
}

static void take_ipv6(struct extract *x) {
    const uint8_t *at = x->at + x->behind;
    enum { NEXT = 6, SOURCE = 8, DESTINATION = 24 };
    x->kind = ETH_KIND_IPV6;
    x->in_frame = true;
    x->protocol = at[NEXT];
    take_address(x->source, at + SOURCE);
    take_address(x->destination, at + DESTINATION);
    x->l4 = x->behind + IPV6;
    if (is_extension(x->protocol))
        x->errors |= 1 << 1;
}

/* Takes the L3 header from a register, if one defines it for frames with this type. Returns whether one does. */
static bool take_defined_l3(struct extract *x) {
    for (unsigned i = 0; i < OTHERS; i++) {
        uint32_t rule = word(x, ETH_CLASSIFIER_L3_HEADER + 4 * i), mode = bits_get(rule, 24, 3);
        if ((rule & 0xFFFF) != x->type)
            continue;
        if (mode < 4)
            return true;
        x->kind = mode == 7 ? ETH_KIND_IPV6 : ETH_KIND_IPV4;
        x->protocol = (uint8_t)(rule >> 16);
        for (unsigned k = 0; k < (mode == 7 ? 4 : 1); k++) {
            x->source[k] = word(x, USER_DEFINED_SRC_IP_ADDR + 4 * i + 8 * (3 - k));
            x->destination[k] = word(x, USER_DEFINED_DST_IP_ADDR + 4 * i + 8 * (3 - k));
        }
        return true;
    }
    return false;
}

static void extract_l3(struct extract *x) {
    if (take_defined_l3(x))
        return;
    if (x->type == TYPE_IPV4 && has(x, x->behind, IPV4))
        take_ipv4(x);
    else if (x->type == TYPE_IPV6 && has(x, x->behind, IPV6))
        take_ipv6(x);
    else if ((x->type == TYPE_IPV4 || x->type == TYPE_IPV6) && !x->whole)
        x->refused = link_is_no_header;
}

static bool take_defined_l4(struct extract *x) {
    for (unsigned i = 0; i < OTHERS; i++) {
        uint32_t rule = word(x, USER_DEFINED_L4_FIELDS + 4 * i), ports = word(x, USER_DEFINED_L4_PORT + 4 * i);
        if ((rule & 0xFF) != x->protocol)
            continue;
        x->port[0] = ports >> 16;
        x->port[1] = ports & 0xFFFF;
        x->is_tcp = rule >> 8 & 1;
        x->is_udp = rule >> 12 & 1;
        return true;
    }
    return false;
}

/* Precondition: there is an L3 header. */
static void extract_l4(struct extract *x) {
    bool tcp = x->protocol == TCP, udp = x->protocol == UDP;
    x->udp_follows = x->in_frame && udp && !x->errors && has(x, x->l4, UDP_HEADER);
    if (take_defined_l4(x) || x->errors || (!tcp && !udp))
        return;
    if (!x->in_frame) {
        x->refused = "no document says where a frame has its L4 header if USER_DEFINED_L3_HDR defines the L3 header";
        return;
    }
    if (!has(x, x->l4, tcp ? TCP_OFFSET : PORTS)) {
        x->refused = x->whole ? NULL : link_is_no_header;
        return;
    }
    x->is_tcp = tcp;
    x->is_udp = udp;
    x->port[0] = be16(x->at + x->l4);
    x->port[1] = be16(x->at + x->l4 + 2);
    if (tcp && x->at[x->l4 + TCP_OFFSET - 1] >> 4 != 5)
        x->errors |= 1 << 2;
}

/* ---- Stage 3: augmentation --------------------------------------------------------------------------------------- */

static uint32_t augment_type(const struct extract *x) {
    static const uint16_t known[] = { TYPE_IPV4, TYPE_IPV6, 0x0806, 0x8035, 0x0842, 0x8902, 0x22E7,
                                      0x22E9,    0x8940,    0x88F7, 0x888E, 0x88CC, 0x8915, 0x88B7 };
    for (unsigned i = 0; i < OTHERS; i++)
        if ((word(x, USER_ETHERTYPE + 4 * i) & 0xFFFF) == x->type)
            return word(x, USER_REDUCED_ETHERTYPE + 4 * i) & 15;
    if (x->type < LEAST_TYPE)
        return word(x, REDUCED_ETHERTYPE) & 15;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == x->type)
            return word(x, REDUCED_ETHERTYPE + 4 * (i + 1)) & 15;
    return 0;
}

static uint32_t augment_destination(const struct extract *x, uint64_t address) {
    static const struct {
        uint64_t address, mask;
    } known[] = {
        { 0x0180C200000E, 0 }, { 0x0180C2000000, 0xF },      { 0x0180C2000010, 0xF }, { 0x0180C2000020, 0xF },
        { 0x0180C2000030, 0 }, { 0x0180C2000000, 0xFFFFFF }, { 0x011B19000000, 0 },
    };
    for (unsigned i = 0; i < OTHERS; i++) {
        uint64_t other = word(x, USER_MAC_DA + 8 * i) | (uint64_t)(word(x, USER_MAC_DA + 8 * i + 4) & 0xFFFF) << 32;
        if (other == address)
            return word(x, USER_REDUCED_DA + 4 * i) & 15;
    }
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if ((address | known[i].mask) == (known[i].address | known[i].mask))
            return word(x, REDUCED_DA + 4 * i) & 15;
    return 0;
}

static uint32_t augment_protocol(const struct extract *x) {
    static const uint8_t known[] = { 0x01, 0x02, TCP, UDP, 0x3A };
    for (unsigned i = 0; i < OTHERS; i++)
        if ((word(x, USER_PROTOCOL + 4 * i) & 0xFF) == x->protocol)
            return word(x, USER_REDUCED_PROTOCOL + 4 * i) & 15;
    for (unsigned i = 0; i < sizeof known; i++)
        if (known[i] == x->protocol)
            return word(x, REDUCED_PROTOCOL + 4 * i) & 15;
    return 0;
}

static uint32_t augment_port(const struct extract *x, bool destination) {
    uint32_t port = x->port[destination];
    for (unsigned i = 0; i < 16; i++) {
        uint32_t rule = word(x, USER_PORT_REDUCTION_RULE + 4 * i), ports = word(x, USER_PORT_REDUCTION_PORT + 4 * i);
        uint32_t low = ports & 0xFFFF, high = ports >> 16;
        bool applies = (rule >> 12 & 1 ? x->is_tcp : x->is_udp) && (rule >> 8 & 1) == destination;
        if (applies && (rule >> 4 & 1 ? low <= port && port <= high : low == port || port == high))
            return rule & 15;
    }
    return 0;
}

static void set_fields(struct extract *x) {
    uint64_t destination = (uint64_t)be16(x->at) << 32 | be32(x->at + 2);
    if (x->kind == ETH_KIND_OTHER) {
        x->field[ETH_FIELD_SOURCE] = be32(x->at + 8);
        x->field[ETH_FIELD_SOURCE + 1] = be16(x->at + 6);
        x->field[ETH_FIELD_DESTINATION] = (uint32_t)destination;
        x->field[ETH_FIELD_DESTINATION + 1] = (uint32_t)(destination >> 32);
        x->field[ETH_FIELD_FLAGS] = augment_destination(x, destination);
        x->field[ETH_FIELD_ETHERTYPE] = x->type | augment_type(x) << 16;
        x->field[ETH_FIELD_PRIORITY] = x->has_s ? x->s_tag >> 13 & 7 : x->has_c ? x->c_tag >> 13 & 7 : 0;
        return;
    }
    memcpy(&x->field[ETH_FIELD_SOURCE], x->source, sizeof x->source);
    memcpy(&x->field[ETH_FIELD_DESTINATION], x->destination, sizeof x->destination);
    x->field[ETH_FIELD_PROTOCOL] = x->protocol | augment_protocol(x) << 16;
    x->field[ETH_FIELD_SRC_PORT] = x->port[0] | augment_port(x, false) << 16;
    x->field[ETH_FIELD_DST_PORT] = x->port[1] | augment_port(x, true) << 16;
}

/* ---- Stages 2, 5 and 6 ------------------------------------------------------------------------------------------- */

enum { LABELS, ACTIONS, VLAN, METADATA };

/* Returns the EOP code of the frame: 0 data, 1 flow control, 2 priority flow control, 5 another MAC control frame. */
static unsigned end_code(const struct extract *x) {
    if (be16(x->at + ADDRESSES) != TYPE_CONTROL || !has(x, ADDRESSES + 2, 2))
        return 0;
    uint32_t opcode = be16(x->at + ADDRESSES + 2);
    return opcode == 0x0001 ? 1 : opcode == 0x0101 ? 2 : 5;
}

static bool lacks_tags(const struct extract *x, uint32_t vlan) {
    bool c = x->has_c && (x->c_tag & 0xFFF) == bits_get(vlan, 0, 12);
    bool s = x->has_s && (x->s_tag & 0xFFF) == bits_get(vlan, 16, 12);
    return (vlan >> 15 & 1 && !c) || (vlan >> 31 && !s);
}

static bool drops(const struct extract *x, const uint32_t *flow) {
    uint32_t decision = word(x, ETH_CLASSIFIER_OVERRIDE) & 3;
    if (x->errors)
        return x->errors & ~word(x, HEADER_ERROR_CONTROL);
    return decision == 1 || (decision == 2 && (flow[ACTIONS] >> 2 & 1 || lacks_tags(x, flow[VLAN])));
}

static void add(struct eth_verdict *verdict, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        verdict->metadata[verdict->added++] = (uint8_t)(value >> (24 - 8 * i));
}

static void change(const struct extract *x, const uint32_t *flow, unsigned code, uint32_t length,
                   struct eth_verdict *verdict) {
    uint32_t actions = flow[ACTIONS];
    if (actions >> 3 & 1) {
        verdict->tags = x->behind - 2 - ADDRESSES;
        verdict->headers = x->in_frame ? x->l4 - x->behind + (x->udp_follows ? UDP_HEADER : 0) : 0;
    }
    if (actions >> 5 & 1)
        add(verdict, flow[METADATA]);
    if (actions >> 6 & 1)
        add(verdict, (length & 0x3FFF) | code << 14 | (actions & 3) << 20);
}

struct eth_verdict eth_classify(const struct eth *eth, const struct eth_frame *frame) {
    bool raw = frame->kind == ETH_FRAME_RAW;
    struct eth_verdict verdict = { .dropped = false };
    struct extract x = { .c = &eth->classifier,
                         .at = raw ? frame->data : frame->data + frame->size,
                         .known = raw ? frame->size : frame->head,
                         .whole = raw };
    if (!has(&x, 0, ETH_MAC_HEADER)) { /* software has sent less than a header */
        verdict.dropped = true;
        return verdict;
    }
    unsigned code = end_code(&x);
    extract_type(&x);
    replace_tags(&x);
    extract_l3(&x);
    if (x.kind != ETH_KIND_OTHER)
        extract_l4(&x);
    set_fields(&x);
    const uint32_t *flow = eth_classifier_match(x.c, x.kind, x.field);
    uint32_t last[ETH_FLOW_WORDS];
    for (unsigned i = 0; i < ETH_FLOW_WORDS && !flow; i++)
        last[i] = word(&x, ETH_CLASSIFIER_NO_MATCH + 4 * i);
    if (!flow)
        flow = last;
    verdict.refused = x.refused;
    verdict.dropped = !(eth->eop_good >> code & 1) || drops(&x, flow);
    verdict.queue = flow[ACTIONS] & 3;
    if (!x.errors)
        change(&x, flow, code, frame->length, &verdict);
    return verdict;
}
