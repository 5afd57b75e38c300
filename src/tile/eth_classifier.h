/* The RX classifier of an Ethernet tile: what happens to a frame before it reaches an RX queue.
 *
 * A frame whose end is not good (EOP_STATUS_GOOD_LO) is dropped. The classifier extracts the headers of the frame, and
 * the TCAM, which has 64 rows of values and masks, finds a row of the flow table for them, or else the row
 * NO_MATCH_.... That row says whether the frame is dropped, whether its VLAN tags and its IP and UDP headers are
 * removed, whether metadata is put before it, and which RX queue takes it if MAC_RX_ROUTING is 2.
 *
 *   0xFFB9C000  words to recognise, and what they are replaced by or augmented with (stage 3), up to 0xFFB9C97F
 *   0xFFB9CC00  priority and row of the flow table of each TCAM row      0xFFB9CD00  row 64 of the flow table
 *   0xFFB9CD40  commands for the TCAM: enable a row, flush; CDF0: read or write a row
 *   0xFFB9CD80  fields of the row to write                              0xFFB9CE00  fields of the row that was read
 *   0xFFB9CE80  a row of the flow table, CEA0: reads or writes it        0xFFB9D000  OVERRIDE_DECISION, and the next
 *
 * Source: EthernetTile/EthernetRxClassifier.md. Refused, because the page does not describe them: LABELS (counters of
 * flows), time stamps, reserved values. Assumed: everything is zero at start and no row of the TCAM is enabled;
 * commands take no time and read 0; an address is a number whose first word has the low bits; ports that a frame does
 * not have are 0; a frame that is too short for an IP or UDP header has none; a MAC control frame is one of the
 * EtherType 0x8808.
 */
#ifndef TILE_ETH_CLASSIFIER_H
#define TILE_ETH_CLASSIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct eth;
struct eth_frame;

enum {
    ETH_FLOWS = 64,         /* rows of the TCAM, and of the flow table without its last */
    ETH_PATTERN_WORDS = 14, /* words of a TCAM row: its fields, in the order of TCAM_SA_WRITE to TCAM_PRIORITY_WRITE */
    ETH_FLOW_WORDS = 4,     /* labels, actions, VLAN, software metadata */
    ETH_CLASSIFIER_WORDS = 208,
};

struct eth_classifier {
    uint32_t word[ETH_CLASSIFIER_WORDS]; /* registers that keep what is written, or that a command fills */
    uint64_t enabled;                    /* bit mask of the rows of the TCAM */
    uint32_t pattern[ETH_FLOWS][2][ETH_PATTERN_WORDS]; /* [row][0: value, 1: mask] */
    uint8_t kind[ETH_FLOWS];                           /* enum eth_kind of each row */
    uint32_t flow[ETH_FLOWS][ETH_FLOW_WORDS];
};

/* Fields of a row. Each is one word, except for the addresses, which have four. */
enum eth_field {
    ETH_FIELD_SOURCE = 0,
    ETH_FIELD_DESTINATION = 4,
    ETH_FIELD_FLAGS = 8, /* codes of augmented addresses */
    ETH_FIELD_SRC_PORT,
    ETH_FIELD_DST_PORT,
    ETH_FIELD_PROTOCOL,
    ETH_FIELD_ETHERTYPE,
    ETH_FIELD_PRIORITY,
};

/* Kinds of rows and frames, as TCAM_TUPLE_TYPE_WRITE has them. */
enum eth_kind { ETH_KIND_OTHER, ETH_KIND_IPV4, ETH_KIND_RESERVED, ETH_KIND_IPV6 };

/* ---- Registers (eth_classifier.c) ---- */

/* Returns whether the address is a register of the classifier. */
bool eth_classifier_has(uint32_t address);
/* Read and write a register. Precondition: the address is a register of the classifier. */
uint32_t eth_classifier_read(const struct eth_classifier *c, uint32_t address);
struct access eth_classifier_write(struct eth_classifier *c, uint32_t address, uint32_t value);
/* Returns the value of a register that keeps what is written to it. Precondition: there is one at this offset. */
uint32_t eth_classifier_word(const struct eth_classifier *c, uint32_t offset);
/* Offsets of registers that have refused values and that decide about frames. */
enum {
    ETH_CLASSIFIER_VLAN_TAG = 0x400,
    ETH_CLASSIFIER_L3_HEADER = 0x418,
    ETH_CLASSIFIER_NO_MATCH = 0xD00,
    ETH_CLASSIFIER_OVERRIDE = 0x1000,
};
/* Returns the row of the flow table for a frame with these fields; NULL: the row NO_MATCH_.... */
const uint32_t *eth_classifier_match(const struct eth_classifier *c, enum eth_kind kind,
                                     const uint32_t field[ETH_PATTERN_WORDS]);

/* ---- Frames (eth_classify.c) ---- */

/* What happens to a frame. */
struct eth_verdict {
    bool dropped;
    const char *refused; /* NULL, or the reason why the classifier cannot decide: no document says what happens */
    uint8_t queue;       /* RX queue that the row of the flow table names */
    uint8_t added;       /* bytes of metadata */
    uint8_t metadata[8];
    uint32_t tags, headers; /* bytes that are removed after the addresses, and after the EtherType */
};

/* Classifies a frame that has arrived. */
struct eth_verdict eth_classify(const struct eth *eth, const struct eth_frame *frame);

#endif
