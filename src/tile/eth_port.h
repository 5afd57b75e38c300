/* An Ethernet tile's end of a cable: its TX queues, the frames on their way out and in, and the time of the wire.
 *
 * A tile without a cable has no port (tile.eth_port is NULL). A command of a TX queue makes one frame, or several if
 * the transfer is longer than ETH_TXQ_MAX_PKT_SIZE_BYTES. The bytes are read from L1 when the command is written. The
 * wire sends one frame after the other, in the order of the commands of all three queues. A queue takes commands ahead
 * of the wire (ETH_TXQ_DATA_PACKET_ACCEPT_AHEAD), and then shows that its last command is under way until there is room
 * again.
 *
 * Frames that have been sent wait in `out` until the owner of both ends moves them to `in` of the peer (src/system/),
 * which has to happen before they arrive. While the cable is cut, frames wait in `held`; frames of TT-link that were on
 * the wire go there too, and are sent again when the cable is back (EthernetTxRx.md: packets are sent until they are
 * acknowledged). Raw frames on the wire are lost.
 *
 * Sources: EthernetTile/EthernetTxRx.md; tt-metal's tt_eth_ss_regs.h for ACCEPT_AHEAD and RESEND_CNT.
 * Inexact: queues take turns on the wire by command, not by frame. Packets that only carry sequence numbers take no
 * time and are not counted; an acknowledgement comes as soon as the wire allows. A frame that is sent again has the
 * bytes of the first time. Nothing on the wire is damaged. Assumed: ETH_LATCH_CYCLES; raw frames arrive without their
 * CRC.
 */
#ifndef TILE_ETH_PORT_H
#define TILE_ETH_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/access.h"
#include "tile/eth.h"

struct tile;
struct state_table;

/* Times of a link. LATENCY and RATE are defaults; docs/system.md compares them with published figures. */
enum {
    ETH_CLOCK_MHZ = 1350, /* cycles of a microsecond (BabyRISCV/README.md) */
    ETH_RATE_GBPS = 400,  /* EthernetTile/README.md: 400 GbE */
    ETH_LATENCY = 425,    /* cycles from the last bit of a frame on the wire to its effect in the peer's tile: fitted
                             to golden_latency_summary_blackhole_p150_x4.csv of tt-metal */
    ETH_LATCH_CYCLES = 2, /* from a command to the end of ETH_TXQ_STATUS_CMD_ONGOING_BIT in a queue with room */
    ETH_AHEAD_MAX = 62,   /* commands that a queue takes ahead of the wire, at most */
    ETH_RING = ETH_AHEAD_MAX + 2,
    ETH_PACKET_BYTES = 1500, /* ETH_TXQ_MAX_PKT_SIZE_BYTES at start (tt_eth_ss_regs.h) */
};

/* Bytes of a frame besides its payload. */
enum {
    ETH_MAC_HEADER = 14,  /* both addresses, and the type or length */
    ETH_LINK_HEADER = 18, /* of TT-link */
    ETH_CRC = 4,
    ETH_FRAME_MIN = 64, /* IEEE 802.3: with CRC */
    ETH_GAP = 20,       /* preamble and inter-frame gap */
    ETH_WORD = 96,      /* bytes that WORD_CNT counts as one */
};

enum eth_frame_kind {
    ETH_FRAME_RAW,
    ETH_FRAME_DATA,     /* TT-link: a write to L1 */
    ETH_FRAME_REGISTER, /* TT-link: a write to a register */
};

enum eth_mac_class { ETH_BROADCAST, ETH_MULTICAST, ETH_UNICAST };

struct eth_frame {
    struct eth_frame *next;
    uint64_t start, end; /* cycles of its first and last bit on the wire */
    uint64_t arrives;    /* cycle of its effect */
    uint32_t address;    /* TT-link: where it writes */
    uint32_t size;       /* bytes of data */
    uint32_t length;     /* bytes of the frame, without CRC */
    uint16_t head;       /* TT-link: bytes of the headers before that of TT-link, which follow the data */
    uint8_t kind;        /* enum eth_frame_kind */
    uint8_t mac_class;   /* of its destination: enum eth_mac_class */
    uint8_t queue;       /* of the sender */
    uint8_t sequence;    /* TT-link */
    bool last;           /* of its command */
    bool again;          /* its command is no longer in the queue */
    uint8_t data[];      /* TT-link: the payload, then its headers; raw: the whole frame */
};

/* Returns the bytes of `data`. */
static inline size_t eth_frame_bytes(const struct eth_frame *frame) {
    return (size_t)frame->size + frame->head;
}

/* A list of frames in the order of their sending. */
struct eth_frames {
    struct eth_frame *first, *last;
    uint64_t count;
};

/* A frame that has been sent, until the sender knows that it has arrived. */
struct eth_record {
    uint64_t start, end, arrives, acknowledged;
    uint32_t words;
    uint8_t queue, sequence;
};

struct eth_queue {
    uint64_t latched;        /* first cycle in which the queue takes a command; UINT64_MAX: unknown, since the
                                cable is cut */
    uint64_t ends[ETH_RING]; /* commands whose frames have not all been sent: cycle in which they will be;
                                         UINT64_MAX: unknown. A ring */
    uint8_t first, count;    /* of ends */
    uint8_t sequence;        /* of the next TT-link packet */
    bool raw;                /* the last command is a raw one */
};

/* The chip and the channel at one end of a cable, as the other end learns them. */
struct eth_identity {
    uint64_t board_id, asic_id;
    uint8_t location; /* of the chip on its board */
    uint8_t channel, live_channel;
};

struct eth_traffic {
    uint64_t frames, bytes; /* bytes of whole frames, with CRC */
};

struct eth_port {
    /* Configuration */
    uint32_t latency; /* cycles */
    uint32_t rate;    /* Gb/s */
    struct eth_identity peer;

    /* State */
    bool up;
    uint64_t wire_free; /* in 1/ETH_PARTS of a cycle */
    struct eth_queue queue[ETH_QUEUES];
    struct eth_frames out;  /* sent, for the peer */
    struct eth_frames held; /* wait for the cable */
    struct eth_frames in;   /* on their way here */
    struct eth_record *record;
    uint32_t record_count, record_room;
    struct eth_traffic sent, received;
    uint64_t resent, lost, dropped; /* frames */
    uint32_t trainings, cuts;       /* how often the link came up, and went down */
};

enum { ETH_PARTS = 1024 };

/* Tables of state (eth_table.c). */
extern const struct state_table eth_port_state, eth_frame_state, eth_record_state;

void eth_port_init(struct eth_port *port, uint32_t latency, uint32_t rate);
/* Discards all frames and forgets the state of the queues, as a reset of the chip does. */
void eth_port_clear(struct eth_port *port);

/* Lists of frames. */
void eth_frames_put(struct eth_frames *list, struct eth_frame *frame);
struct eth_frame *eth_frames_take(struct eth_frames *list);
void eth_frames_append(struct eth_frames *list, struct eth_frames *more);
void eth_frames_free(struct eth_frames *list);

/* ---- Sending (eth_send.c) ---- */

/* A write of ETH_TXQ_CMD of the queue with this number. Precondition: the tile has a port. */
struct access eth_command(struct tile *tile, unsigned number, uint32_t value, uint64_t time);
/* Returns what a word of a TX or RX queue reads in this cycle, given the word that is kept for it. */
uint32_t eth_txq_word(const struct eth_port *port, unsigned queue, unsigned offset, uint32_t kept, uint64_t time);
uint32_t eth_rxq_word(const struct eth_port *port, unsigned queue, unsigned offset, uint32_t kept, uint64_t time);
/* Returns whether no word of the TX queue will change by itself. */
bool eth_txq_steady(const struct eth_port *port, unsigned queue, unsigned offset, uint64_t time);
/* Adds frames that were sent and acknowledged before this time to the kept words. */
void eth_settle(struct tile *tile, uint64_t time);
/* Both ends of a cable at this time, from the side of the sender: frames to the peer. Returns the number of lost
 * frames. */
uint64_t eth_cut(struct tile *tile, struct eth_port *peer, uint64_t time);
void eth_join(struct tile *tile, uint64_t time);
/* Forgets frames, queues and sequence numbers, as both ends do when one of them was reset. Returns the number of frames
 * that were to be sent. */
uint64_t eth_restart(struct tile *tile);

/* ---- Headers (eth_header.c) ---- */

enum { ETH_HEADER_MAX = ETH_MAC_HEADER + 8 + 40 + 20 };

/* Writes the header that an entry of the TX header table puts before this payload; NULL: unknown bytes, which leave the
 * checksum of a UDP or TCP header open. Returns its length, or the reason why there is none in *refused. */
uint32_t eth_header_write(const struct eth *eth, unsigned entry, const uint8_t *payload, uint32_t size, uint8_t *header,
                          const char **refused);
/* Returns the class of an address as frames have it. */
enum eth_mac_class eth_address_class(const uint8_t address[6]);

/* ---- Receiving (eth_receive.c) ---- */

/* Returns the cycle in which the next frame arrives; UINT64_MAX: none is on its way. */
static inline uint64_t eth_due(const struct eth_port *port) {
    return port && port->in.first ? port->in.first->arrives : UINT64_MAX;
}
/* Gives the tile all frames that arrive up to its time. */
void eth_receive(struct tile *tile);
/* Notes that frames are on their way to the tile, or that its link has changed. Precondition: the tile does not run. */
void eth_touched(struct tile *tile);

#endif
