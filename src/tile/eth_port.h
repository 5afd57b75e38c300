/* An Ethernet tile's end of a cable: its TX queues, the frames in both directions, and the time that frames take on the
 * wire.
 *
 * A tile without a cable has no port (tile.eth_port is NULL). A command of a TX queue makes one frame, or several if
 * the transfer is longer than ETH_TXQ_MAX_PKT_SIZE_BYTES. The bytes have the values that L1 holds when the command is
 * written. A frame leaves when all its bytes have been read from L1, while the wire may still send the frame before it
 * (ETH_READ_BYTES). The wire sends one frame after the other, in the order of the commands of all three queues. A queue
 * accepts commands before the wire is free (ETH_TXQ_DATA_PACKET_ACCEPT_AHEAD); when it has no more room, it shows its
 * last command as ongoing until there is room again.
 *
 * Sent frames stay in `out` until the owner of both ends (src/system/) moves them to `in` of the peer, which it must do
 * before they arrive. While the cable is cut, frames wait in `held`. Frames of TT-link that were on the wire then go
 * there, too, and are sent again when the cable is back (EthernetTxRx.md: packets are sent until they are
 * acknowledged). Raw frames on the wire are lost.
 *
 * Sources: EthernetTile/EthernetTxRx.md; tt-metal's tt_eth_ss_regs.h for ACCEPT_AHEAD and RESEND_CNT.
 * Inexact: queues take turns on the wire by command, not by frame. Packets that carry only sequence numbers take no
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

/* Times of a link. ETH_LATENCY and ETH_RATE_GBPS are defaults; docs/system.md compares them with published figures. */
enum {
    ETH_CLOCK_MHZ = 1350, /* cycles in a microsecond (BabyRISCV/README.md) */
    ETH_RATE_GBPS = 400,  /* EthernetTile/README.md: 400 GbE */
    ETH_LATENCY = 425,    /* cycles from the last bit of a frame on the wire to its effect in the peer's tile: fitted to
                             golden_latency_summary_blackhole_p150_x4.csv of tt-metal */
    ETH_READ_BYTES = 96,  /* bytes of a frame that are read from L1 in a cycle before the frame leaves: fitted to the
                             round trips of 16 to 8192 bytes in tt-metal's pull request 36074 */
    ETH_LATCH_CYCLES = 2, /* from a command to the end of ETH_TXQ_STATUS_CMD_ONGOING_BIT, if the queue has room */
    ETH_AHEAD_MAX = 62,   /* most commands that a queue accepts before the wire is free */
    ETH_RING = ETH_AHEAD_MAX + 2,
    ETH_PACKET_BYTES = 1500, /* ETH_TXQ_MAX_PKT_SIZE_BYTES after a reset (tt_eth_ss_regs.h) */
    ETH_LINK_BYTES = 4096,   /* the same in queues 0 and 1 once firmware has put them into the mode of TT-link */
};

/* Bytes of a frame besides its payload. */
enum {
    ETH_MAC_HEADER = 14,  /* both addresses, and the type or length */
    ETH_LINK_HEADER = 18, /* the header of TT-link */
    ETH_CRC = 4,
    ETH_FRAME_MIN = 64, /* IEEE 802.3, including the CRC */
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
    uint64_t start, end; /* cycles of the first and last bit on the wire */
    uint64_t arrives;    /* cycle in which the frame takes effect */
    uint32_t address;    /* TT-link: address to which the frame writes */
    uint32_t size;       /* bytes of the payload (raw: of the whole frame) in `data` */
    uint32_t length;     /* bytes of the frame, without CRC */
    uint16_t head;       /* TT-link: bytes of the headers before that of TT-link; in `data` they follow the payload */
    uint8_t kind;        /* enum eth_frame_kind */
    uint8_t mac_class;   /* class of the destination: enum eth_mac_class */
    uint8_t queue;       /* TX queue of the sender */
    uint8_t sequence;    /* TT-link: sequence number */
    bool last;           /* the last frame of its command */
    bool again;          /* its command has left the queue; the frame waits to be sent again */
    uint8_t data[];      /* TT-link: the payload, then its headers; raw: the whole frame */
};

/* Returns the number of bytes in `data`. */
static inline size_t eth_frame_bytes(const struct eth_frame *frame) {
    return (size_t)frame->size + frame->head;
}

/* A list of frames in the order in which they are sent. */
struct eth_frames {
    struct eth_frame *first, *last;
    uint64_t count;
};

/* What the sender keeps of a frame until it knows that the frame has arrived: the cycles of its first and last bit, its
 * arrival and its acknowledgement. */
struct eth_record {
    uint64_t start, end, arrives, acknowledged;
    uint32_t words;
    uint8_t queue, sequence;
};

struct eth_queue {
    uint64_t latched;        /* first cycle in which the queue accepts a command; UINT64_MAX: unknown (cable cut) */
    uint64_t ends[ETH_RING]; /* a ring: for each command with frames still to be sent, the cycle in which the last one
                                will have been sent; UINT64_MAX: unknown */
    uint8_t first, count;    /* position and number of the entries in `ends` */
    uint8_t sequence;        /* of the next TT-link packet */
    bool raw;                /* the last command was a raw one */
};

/* The chip and the channel at one end of a cable, as the other end sees them. */
struct eth_identity {
    uint64_t board_id, asic_id;
    uint8_t location; /* position of the chip on its board */
    uint8_t channel, live_channel;
};

struct eth_traffic {
    uint64_t frames, bytes; /* bytes of whole frames, including the CRC */
};

struct eth_port {
    /* Configuration */
    uint32_t latency; /* cycles */
    uint32_t rate;    /* Gb/s */
    struct eth_identity peer;

    /* State */
    bool up;
    uint64_t wire_free; /* when the wire is free, in 1/ETH_PARTS of a cycle */
    uint64_t read_free; /* when the bytes of all frames have been read from L1, likewise */
    struct eth_queue queue[ETH_QUEUES];
    struct eth_frames out;  /* sent, and not moved to the peer yet */
    struct eth_frames held; /* waiting for the cable */
    struct eth_frames in;   /* on their way to this tile */
    struct eth_record *record;
    uint32_t record_count, record_room;
    struct eth_traffic sent, received;
    uint64_t resent, lost, dropped; /* numbers of frames */
    uint32_t trainings, cuts;       /* how often the link has come up, and gone down */
};

enum { ETH_PARTS = 1024 };

/* The tables of state (eth_table.c). */
extern const struct state_table eth_port_state, eth_frame_state, eth_record_state;

/* Initialises a port whose link is down. latency: in cycles; rate: in Gb/s. */
void eth_port_init(struct eth_port *port, uint32_t latency, uint32_t rate);
/* Discards all frames and forgets the state of the queues, as a reset of the chip does. */
void eth_port_clear(struct eth_port *port);

/* Add a frame at the end of a list, which then owns it; take the first frame from a list (NULL if it is empty), which
 * the caller then owns; move all frames of `more` to the end of a list; free all frames of a list. */
void eth_frames_put(struct eth_frames *list, struct eth_frame *frame);
struct eth_frame *eth_frames_take(struct eth_frames *list);
void eth_frames_append(struct eth_frames *list, struct eth_frames *more);
void eth_frames_free(struct eth_frames *list);

/* ---- Sending (eth_send.c) ---- */

/* Executes a write of ETH_TXQ_CMD of the TX queue with this number. Precondition: the tile has a port. */
struct access eth_command(struct tile *tile, unsigned number, uint32_t value, uint64_t time);
/* Return the value that a word of a TX or RX queue has in this cycle. kept: the value that the tile keeps for the word,
 * which leaves out what the records hold. */
uint32_t eth_txq_word(const struct eth_port *port, unsigned queue, unsigned offset, uint32_t kept, uint64_t time);
uint32_t eth_rxq_word(const struct eth_port *port, unsigned queue, unsigned offset, uint32_t kept, uint64_t time);
/* Returns whether this word of the TX queue will not change by itself from this time on. */
bool eth_txq_steady(const struct eth_port *port, unsigned queue, unsigned offset, uint64_t time);
/* Adds the frames that were sent and acknowledged by this time to the kept words, and forgets their records. */
void eth_settle(struct tile *tile, uint64_t time);
/* Cut a cable, and connect it again, at this time, for the frames from this tile to its peer. eth_cut returns the
 * number of lost frames. */
uint64_t eth_cut(struct tile *tile, struct eth_port *peer, uint64_t time);
void eth_join(struct tile *tile, uint64_t time);
/* Forgets frames, queues and sequence numbers, as both ends do when one of them is reset. Returns the number of frames
 * that were still to be sent. */
uint64_t eth_restart(struct tile *tile);

/* ---- Headers (eth_header.c) ---- */

enum { ETH_HEADER_MAX = ETH_MAC_HEADER + 8 + 40 + 20 };

/* Writes the header that an entry of the TX header table puts before this payload. payload: NULL if its bytes are not
 * known; then the checksum of a UDP or TCP header is not computed. Returns the length of the header. Sets *refused to
 * NULL, or to the reason why there is no header, and returns 0 then. */
uint32_t eth_header_write(const struct eth *eth, unsigned entry, const uint8_t *payload, uint32_t size, uint8_t *header,
                          const char **refused);
/* Returns the class of an address, given in the byte order of frames. */
enum eth_mac_class eth_address_class(const uint8_t address[6]);

/* ---- Receiving (eth_receive.c) ---- */

/* Returns the cycle in which the next frame arrives; UINT64_MAX if none is coming. */
static inline uint64_t eth_due(const struct eth_port *port) {
    return port && port->in.first ? port->in.first->arrives : UINT64_MAX;
}
/* Delivers all frames that arrive up to the time of the tile. */
void eth_receive(struct tile *tile);
/* Updates the tile's due time, because frames are coming or the link has changed. Precondition: the tile does not
 * run. */
void eth_touched(struct tile *tile);

#endif
