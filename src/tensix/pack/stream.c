/* The buffers before L1: bytes of data, of exponents and of row starts are written in units of 16, the last one filled
 * up with zeros. Source: Packers/OutputAddressGenerator.md (WH). */
#include <string.h>

#include "isa/memmap.h"
#include "tensix/tensix.h"

/* Precondition: size is a multiple of PACK_UNIT. */
static void write_units(struct pack_turn *turn, struct pack_stream *stream, const uint8_t *bytes, unsigned size,
                        pack_add_pieces *add) {
    struct tensix *x = turn->x;
    uint32_t address = stream->address;
    if (turn->bad)
        return;
    if (address + (uint64_t)size > memmap[MEMMAP_ROW_L1].size) {
        turn->bad = "L1_Dest_addr and the size of the tile: it goes on beyond the end of L1";
        return;
    }
    tensix_l1_changes(x, address, size);
    if (add)
        add(x->l1 + address, bytes, size / PACK_UNIT);
    else
        memcpy(x->l1 + address, bytes, size);
    stream->address += size;
    x->pack.units += size / PACK_UNIT;
    x->port->l1_written(x->owner, BH_TRACK_PACK, address, size, turn->now + 1);
}

void pack_put(struct pack_turn *turn, struct pack_stream *stream, const uint8_t *bytes, unsigned size,
              pack_add_pieces *add) {
    unsigned whole;
    if (stream->filled) {
        unsigned some = PACK_UNIT - stream->filled;
        some = some < size ? some : size;
        memcpy(stream->byte + stream->filled, bytes, some);
        stream->filled = (uint8_t)(stream->filled + some);
        bytes += some;
        size -= some;
        if (stream->filled < PACK_UNIT)
            return;
        stream->filled = 0;
        write_units(turn, stream, stream->byte, PACK_UNIT, add);
    }
    whole = size & ~(PACK_UNIT - 1u);
    if (whole)
        write_units(turn, stream, bytes, whole, add);
    stream->filled = (uint8_t)(size - whole);
    memcpy(stream->byte, bytes + whole, size - whole);
}

void pack_fill(struct pack_turn *turn, struct pack_stream *stream, pack_add_pieces *add) {
    if (!stream->filled)
        return;
    memset(stream->byte + stream->filled, 0, PACK_UNIT - (size_t)stream->filled);
    stream->filled = 0;
    write_units(turn, stream, stream->byte, PACK_UNIT, add);
}
