/* PCBufs (PCBufs.md). TRISC_PC_BUF_OVERRIDE has ten bits for each: enable, busy, and eight bits of value. */
#include "tile/pcbuf.h"

#include <string.h>

#include "base/bits.h"

static bool override_enabled(uint32_t override, unsigned i) {
    return bits_get(override, 10 * i, 1);
}

static bool override_busy(uint32_t override, unsigned i) {
    return bits_get(override, 10 * i + 1, 1);
}

bool pcbuf_override_busy(uint32_t override, unsigned i) {
    return override_enabled(override, i) && override_busy(override, i);
}

struct access pcbuf_push(struct pcbufs *pcbufs, unsigned i, uint32_t value) {
    static const uint8_t full[PCBUF_COUNT] = {
        WAIT_PCBUF_FULL_TRISC0,
        WAIT_PCBUF_FULL_TRISC1,
        WAIT_PCBUF_FULL_TRISC2,
    };
    struct pcbuf *buf = &pcbufs->buf[i];
    if (buf->count == PCBUF_DEPTH)
        return access_wait(full[i]);
    buf->word[buf->count++] = value;
    return access_done();
}

struct access pcbuf_wait(const struct pcbufs *pcbufs, unsigned i, uint32_t override, bool idle) {
    static const uint8_t busy[PCBUF_COUNT] = {
        WAIT_PCBUF_BUSY_TRISC0,
        WAIT_PCBUF_BUSY_TRISC1,
        WAIT_PCBUF_BUSY_TRISC2,
    };
    const struct pcbuf *buf = &pcbufs->buf[i];
    if (pcbuf_override_busy(override, i))
        return access_done();
    if (buf->count == 0 && buf->reader_waits && idle)
        return access_done();
    return access_wait(busy[i]);
}

struct access pcbuf_pop(struct pcbufs *pcbufs, unsigned i, uint32_t override, uint32_t *value) {
    struct pcbuf *buf = &pcbufs->buf[i];
    buf->reader_waits = buf->count == 0 && !override_enabled(override, i);
    if (buf->reader_waits)
        return access_wait(WAIT_PCBUF_EMPTY);
    if (buf->count == 0) {
        *value = bits_get(override, 10 * i + 2, 8);
        return access_done();
    }
    *value = buf->word[0];
    buf->count--;
    memmove(&buf->word[0], &buf->word[1], buf->count * sizeof buf->word[0]);
    buf->word[buf->count] = 0; /* equal states must not differ in stale words */
    return access_done();
}

void pcbuf_reader_gone(struct pcbufs *pcbufs, unsigned i) {
    pcbufs->buf[i].reader_waits = false;
}

void pcbuf_clear(struct pcbufs *pcbufs, unsigned i) {
    memset(&pcbufs->buf[i], 0, sizeof pcbufs->buf[i]);
}
