/* Packets of gdb's remote protocol: see packet.h. */
#include "gdb/packet.h"

enum state { OUTSIDE, DATA, ESCAPED, SUM_HIGH, SUM_LOW };

static int digit_of(uint8_t c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void begin(struct packet_reader *r) {
    r->state = DATA;
    r->size = 0;
    r->sum = 0;
    r->bad = false;
}

static void put(struct packet_reader *r, uint8_t byte) {
    if (r->size < PACKET_MAX)
        r->data[r->size++] = (char)byte;
    else
        r->bad = true;
}

static enum packet_result take_outside(struct packet_reader *r, uint8_t byte) {
    enum { CONTROL_C = 3 };
    if (byte == '$')
        begin(r);
    return byte == CONTROL_C ? PACKET_INTERRUPT : byte == '-' ? PACKET_REPEAT : PACKET_MORE;
}

static void take_data(struct packet_reader *r, uint8_t byte) {
    if (byte == '$') { /* the sender has started a new packet */
        begin(r);
        return;
    }
    if (byte == '#') {
        r->state = SUM_HIGH;
        return;
    }
    r->sum = (uint8_t)(r->sum + byte);
    if (byte == '}')
        r->state = ESCAPED;
    else
        put(r, byte);
}

static enum packet_result end(struct packet_reader *r, uint8_t byte) {
    int low = digit_of(byte);
    r->state = OUTSIDE;
    r->data[r->size] = '\0';
    bool good = !r->bad && low >= 0 && (uint8_t)(r->given | low) == r->sum;
    return good ? PACKET_READY : PACKET_BAD;
}

enum packet_result packet_take(struct packet_reader *r, uint8_t byte) {
    enum { FLIP = 0x20 };
    switch ((enum state)r->state) {
    case OUTSIDE: return take_outside(r, byte);
    case DATA: take_data(r, byte); return PACKET_MORE;
    case ESCAPED:
        r->sum = (uint8_t)(r->sum + byte);
        put(r, byte ^ FLIP);
        r->state = DATA;
        return PACKET_MORE;
    case SUM_HIGH:
        r->bad |= digit_of(byte) < 0;
        r->given = (uint8_t)((unsigned)digit_of(byte) << 4);
        r->state = SUM_LOW;
        return PACKET_MORE;
    case SUM_LOW: break;
    }
    return end(r, byte);
}

size_t packet_make(const char *data, size_t size, char *packet) {
    static const char digits[] = "0123456789abcdef";
    char *at = packet;
    uint8_t sum = 0;
    *at++ = '$';
    for (size_t i = 0; i < size; i++) {
        char c = data[i];
        bool special = c == '$' || c == '#' || c == '}' || c == '*';
        if (special) {
            *at++ = '}';
            sum = (uint8_t)(sum + '}');
            c = (char)(c ^ 0x20);
        }
        *at++ = c;
        sum = (uint8_t)(sum + (uint8_t)c);
    }
    *at++ = '#';
    *at++ = digits[sum >> 4];
    *at++ = digits[sum & 15];
    return (size_t)(at - packet);
}

bool packet_number(const char **at, uint64_t *value) {
    unsigned count = 0;
    *value = 0;
    for (int digit; (digit = digit_of((uint8_t) * *at)) >= 0; (*at)++) {
        if (count++ == 16)
            return false;
        *value = *value << 4 | (unsigned)digit;
    }
    return count;
}

bool packet_skip(const char **at, char c) {
    if (**at != c || !c)
        return false;
    (*at)++;
    return true;
}

bool packet_bytes(const char **at, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++, *at += 2) {
        int high = digit_of((uint8_t)(*at)[0]), low = high < 0 ? -1 : digit_of((uint8_t)(*at)[1]);
        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

char *packet_hex(char *text, const void *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        *text++ = digits[byte[i] >> 4];
        *text++ = digits[byte[i] & 15];
    }
    *text = '\0';
    return text;
}
