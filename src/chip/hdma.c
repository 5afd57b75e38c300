/* Registers of the DMA engine: see hdma.h. */
#include "chip/hdma.h"

/* Registers of a channel, by word. */
enum {
    ENABLE = 0x00 / 4,
    DOORBELL = 0x04 / 4,
    BYTES = 0x1C / 4,
    SOURCE = 0x20 / 4,
    DESTINATION = 0x28 / 4,
    CONTROL = 0x34 / 4,
    QOS = 0x3C / 4, /* last register of the first group */
    STATUS = 0x80 / 4,
    INTERRUPTS = 0x84 / 4,
    SETUP = 0x88 / 4,
    CLEAR = 0x8C / 4,
    DONE_ADDRESS = 0x90 / 4,
    MESSAGE = 0xA8 / 4, /* last register */
};

enum { START = 1, STOP = 2 };                                       /* bits of DOORBELL */
enum { LINKED_LIST = 1 };                                           /* bits of CONTROL */
enum { STOPPED = 3 };                                               /* value of STATUS; 1: running, 2: aborted */
enum { DONE = 1 };                                                  /* bits of INTERRUPTS and CLEAR */
enum { MASK_ALL = 7, MASK_DONE = 1 << 0, SEND_WHEN_DONE = 1 << 3 }; /* bits of SETUP */

void hdma_init(struct hdma *hdma) {
    *hdma = (struct hdma){ 0 };
    for (unsigned i = 0; i < HDMA_CHANNELS; i++) {
        hdma->word[i][SETUP] = MASK_ALL;
        hdma->word[i][STATUS] = STOPPED;
    }
}

static bool exists(unsigned word) {
    return word <= QOS || (word >= STATUS && word <= MESSAGE);
}

static struct access missing(void) {
    return access_refused(BH_FAULT_UNMAPPED, "the DMA channel has no such register");
}

struct access hdma_read(const struct hdma *hdma, uint32_t offset, uint32_t *value) {
    unsigned word = offset % HDMA_CHANNEL_SIZE / 4;
    if (!exists(word))
        return missing();
    *value = hdma->word[offset / HDMA_CHANNEL_SIZE][word];
    return access_done();
}

/* Handles a write to the doorbell. A stop never finds a running transfer. */
static struct access ring(const uint32_t *channel, uint32_t value, bool *rings) {
    if (value & ~(uint32_t)(START | STOP))
        return access_refused(BH_FAULT_UNDEFINED, "a DMA doorbell has two bits: start and stop");
    if (!(value & START))
        return access_done();
    if (!(channel[ENABLE] & 1))
        return access_refused(BH_FAULT_UNDEFINED, "the DMA doorbell rang while the channel is disabled");
    if (channel[CONTROL] & LINKED_LIST)
        return access_refused(BH_FAULT_UNMODELLED, "DMA by linked lists is not modelled");
    *rings = true;
    return access_done();
}

struct access hdma_write(struct hdma *hdma, uint32_t offset, uint32_t value, bool *rings) {
    uint32_t *channel = hdma->word[offset / HDMA_CHANNEL_SIZE];
    unsigned word = offset % HDMA_CHANNEL_SIZE / 4;
    *rings = false;
    if (!exists(word))
        return missing();
    switch (word) {
    case DOORBELL: return ring(channel, value, rings); /* reads as zero */
    case STATUS:
    case INTERRUPTS: return access_refused(BH_FAULT_UNDEFINED, "this register of the DMA channel is read-only");
    case CLEAR: channel[INTERRUPTS] &= ~value; break; /* reads as zero */
    default: channel[word] = value; break;
    }
    return access_done();
}

static uint64_t pair(const uint32_t *low) {
    return low[0] | (uint64_t)low[1] << 32;
}

struct hdma_transfer hdma_pending(const struct hdma *hdma, enum hdma_direction direction) {
    const uint32_t *channel = hdma->word[direction];
    return (struct hdma_transfer){
        .direction = direction,
        .source = pair(&channel[SOURCE]),
        .destination = pair(&channel[DESTINATION]),
        .size = channel[BYTES],
    };
}

bool hdma_finish(struct hdma *hdma, enum hdma_direction direction, uint64_t *address, uint32_t *data) {
    uint32_t *channel = hdma->word[direction];
    channel[BYTES] = 0; /* bytes left */
    channel[STATUS] = STOPPED;
    channel[INTERRUPTS] |= DONE;
    *address = pair(&channel[DONE_ADDRESS]);
    *data = channel[MESSAGE];
    return channel[SETUP] & SEND_WHEN_DONE && !(channel[SETUP] & MASK_DONE);
}
