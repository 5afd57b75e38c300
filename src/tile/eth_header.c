/* Headers of frames: see eth_port.h. An entry of the TX header table has 0x80 bytes (EthernetTxRx.md, "TX Header Table
 * Memory Map"). The table has addresses in reverse byte order; other fields are sent in network byte order.
 *
 * Inexact: RoCE iCRC and the reserved types of L3 and L4 headers are refused.
 */
#include <string.h>

#include "tile/eth_port.h"

/* Offsets in an entry. */
enum { INSERT_CTL = 0x00, CUSTOM_L3 = 0x04, CUSTOM_L4 = 0x06, SOURCE = 0x10, DESTINATION = 0x18, USE_TYPE = 0x20 };
enum { TYPE = 0x22, VLAN1 = 0x24, VLAN2 = 0x28, L3 = 0x30, L4 = 0x60, ENTRY = 0x80 };
enum { ADDRESS = 6, L3_ROOM = 40, L4_ROOM = 20, IPV4 = 20, IPV6 = 40, UDP = 8, TCP = 20 };

/* Bits of INSERT_CTL. */
enum {
    INSERT_VLAN1 = 1 << 0,
    INSERT_VLAN2 = 1 << 4,
    INSERT_L3 = 1 << 8,
    L3_KIND = 12,
    INSERT_L4 = 1 << 16,
    L4_CHECKSUM = 1 << 18,
    L4_KIND = 20,
    INSERT_ICRC = 1 << 26,
};
enum { KIND_FIRST, KIND_SECOND, KIND_RESERVED, KIND_CUSTOM }; /* first and second: for L3 IPv4, IPv6; for L4 UDP, TCP */

static const uint8_t *entry_of(const struct eth *eth, unsigned entry) {
    return (const uint8_t *)eth->header + entry * ENTRY;
}

static uint32_t word_at(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value);
}

enum eth_mac_class eth_address_class(const uint8_t address[6]) {
    static const uint8_t all[ADDRESS] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    if (memcmp(address, all, sizeof all) == 0)
        return ETH_BROADCAST;
    return address[0] & 1 ? ETH_MULTICAST : ETH_UNICAST;
}

/* Adds 16-bit words in network byte order to an Internet checksum. Returns the new sum. */
static uint32_t add_words(uint32_t sum, const uint8_t *bytes, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

/* Each group of four bytes of the table is a number, which is sent in network byte order. */
static void put_words(uint8_t *to, const uint8_t *from, uint32_t size) {
    for (uint32_t i = 0; i < size; i += 2)
        put16(to + i, word_at(from + i / 4 * 4) >> (i % 4 ? 0 : 16));
}

/* The sizes of both headers, and which of them hardware completes. */
struct plan {
    uint32_t control, l3_size, l4_size;
    bool ip, v6, tcp, transport;
};

static const char *plan_headers(const uint8_t *entry, struct plan *plan) {
    static const char reserved[] = "the TX header table asks for a reserved type of header";
    uint32_t custom = word_at(entry + CUSTOM_L3);
    plan->control = word_at(entry + INSERT_CTL);
    unsigned l3 = plan->control >> L3_KIND & 3, l4 = plan->control >> L4_KIND & 3;
    if (plan->control & INSERT_L3) {
        if (plan->control & INSERT_ICRC) /* without an L3 header there is none */
            return "the RoCE iCRC is not modelled";
        plan->l3_size = l3 == KIND_FIRST ? IPV4 : l3 == KIND_SECOND ? IPV6 : custom & 0xFFFF;
        plan->ip = l3 != KIND_CUSTOM;
        plan->v6 = l3 == KIND_SECOND;
        if (l3 == KIND_RESERVED || plan->l3_size > L3_ROOM || plan->l3_size % 2)
            return reserved;
    }
    if (plan->control & INSERT_L4) {
        plan->l4_size = l4 == KIND_FIRST ? UDP : l4 == KIND_SECOND ? TCP : custom >> 16;
        plan->transport = l4 != KIND_CUSTOM;
        plan->tcp = l4 == KIND_SECOND;
        if (l4 == KIND_RESERVED || plan->l4_size > L4_ROOM || plan->l4_size % 2)
            return reserved;
    }
    return NULL;
}

static void complete_ip(uint8_t *l3, const struct plan *plan, uint32_t behind) {
    enum { V4_LENGTH = 2, V4_CHECKSUM = 10, V6_LENGTH = 4 };
    if (plan->v6) {
        put16(l3 + V6_LENGTH, behind);
        return;
    }
    put16(l3 + V4_LENGTH, plan->l3_size + behind);
    put16(l3 + V4_CHECKSUM, 0);
    put16(l3 + V4_CHECKSUM, ~add_words(0, l3, IPV4));
}

/* Writes the length and the checksum of a UDP or TCP header. TCP has no field for its length. */
static void complete_transport(uint8_t *l4, const uint8_t *l3, const struct plan *plan, const uint8_t *payload,
                               uint32_t size) {
    enum { UDP_LENGTH = 4, UDP_CHECKSUM = 6, TCP_CHECKSUM = 16, V4_ADDRESSES = 12, V6_ADDRESSES = 8 };
    enum { PROTOCOL_UDP = 17, PROTOCOL_TCP = 6 };
    uint32_t length = plan->l4_size + size, at = plan->tcp ? TCP_CHECKSUM : UDP_CHECKSUM;
    if (!plan->tcp)
        put16(l4 + UDP_LENGTH, length);
    if (!(plan->control & L4_CHECKSUM) || !plan->ip || !plan->l3_size || !payload)
        return;
    put16(l4 + at, 0);
    uint32_t sum = add_words(0, l3 + (plan->v6 ? V6_ADDRESSES : V4_ADDRESSES), plan->v6 ? 32 : 8);
    sum += (plan->tcp ? PROTOCOL_TCP : PROTOCOL_UDP) + (length & 0xFFFF) + (length >> 16);
    sum = add_words(add_words(sum, l4, plan->l4_size), payload, size) ^ 0xFFFF;
    put16(l4 + at, sum || plan->tcp ? sum : 0xFFFF);
}

static uint8_t *put_address(uint8_t *to, const uint8_t *from) {
    put16(to, word_at(from + 4));
    put32(to + 2, word_at(from));
    return to + ADDRESS;
}

uint32_t eth_header_write(const struct eth *eth, unsigned entry, const uint8_t *payload, uint32_t size, uint8_t *header,
                          const char **refused) {
    const uint8_t *from = entry_of(eth, entry);
    struct plan plan = { 0 };
    *refused = plan_headers(from, &plan);
    if (*refused)
        return 0;
    uint8_t *at = put_address(put_address(header, from + DESTINATION), from + SOURCE);
    if (plan.control & INSERT_VLAN1) {
        put32(at, word_at(from + VLAN1));
        at += 4;
        if (plan.control & INSERT_VLAN2) {
            put32(at, word_at(from + VLAN2));
            at += 4;
        }
    }
    uint32_t behind = plan.l3_size + plan.l4_size + size, type = (uint32_t)from[TYPE] | (uint32_t)from[TYPE + 1] << 8;
    put16(at, from[USE_TYPE] & 1 ? type : behind);
    uint8_t *l3 = at + 2, *l4 = l3 + plan.l3_size;
    put_words(l3, from + L3, plan.l3_size);
    put_words(l4, from + L4, plan.l4_size);
    if (plan.transport && plan.l4_size)
        complete_transport(l4, l3, &plan, payload, size);
    if (plan.ip && plan.l3_size)
        complete_ip(l3, &plan, plan.l4_size + size);
    return (uint32_t)(l4 + plan.l4_size - header);
}
