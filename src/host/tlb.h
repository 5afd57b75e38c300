/* The windows through which the host reaches the NoC: 202 of 2 MiB in BAR 0 and 8 of 4 GiB in BAR 4.
 *
 * A window's descriptor is 96 bits, three 32-bit registers at BAR 0 + 0x1FC00000 + 12 * window. The columns give the
 * first bit of a field in both kinds of windows and its width:
 *
 *     field              2 MiB    4 GiB   bits
 *     local address / size   0        0   43, 32
 *     x_end                 43       32   6      unicast: the destination
 *     y_end                 49       38   6
 *     x_start               55       44   6      multicast: the other corner
 *     y_start               61       50   6
 *     NoC                   67       56   2
 *     multicast             69       58   1
 *     ordering              70       59   2      0 relaxed, 1 strict, 2 posted, 3 counted
 *     linked                72       61   1
 *     static VC             73       62   1      and further bits of the virtual channel
 *
 * Accesses are carried out at once and in order. Of the orderings only "posted" matters, and only to the counters of
 * the NIUs (chip/from_host.c); linking and virtual channels are stored without effect. The strided entries of windows
 * 0..31 (0x1FC009D8) are stored, too; a window whose entry is not 0 is refused. */
#ifndef HOST_TLB_H
#define HOST_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"

enum {
    TLB_SMALL = 202, /* windows of 2 MiB */
    TLB_LARGE = 8,   /* windows of 4 GiB */
    TLB_WINDOWS = TLB_SMALL + TLB_LARGE,
    TLB_STRIDED = 32,
    TLB_SMALL_SHIFT = 21,
    TLB_LARGE_SHIFT = 32,
    TLB_COORDINATE = 63, /* mask of a coordinate */
    TLB_POSTED = 2,      /* value of the field "ordering" */
    TLB_REGISTER_WORDS = TLB_WINDOWS * 3 + TLB_STRIDED,
};

struct tlb {
    uint32_t word[TLB_REGISTER_WORDS]; /* descriptors, followed by strided entries */
};

/* The NoC address that a window is set to. */
struct tlb_target {
    uint64_t address; /* of the window's first byte */
    struct bh_xy start, end;
    uint8_t noc;
    bool multicast;
    bool posted; /* writes request no acknowledgement */
};

/* Decode the descriptor of a window. Inline: clients rewrite a descriptor before each access, so every access decodes
 * it. */

static inline struct bh_xy tlb_xy(uint64_t x, uint64_t y) {
    return (struct bh_xy){ (uint8_t)(x & TLB_COORDINATE), (uint8_t)(y & TLB_COORDINATE) };
}

static inline struct tlb_target tlb_decode_small(uint64_t low, uint32_t high) {
    return (struct tlb_target){
        .address = low << TLB_SMALL_SHIFT,
        .end = tlb_xy(low >> 43, low >> 49),
        .start = tlb_xy(low >> 55, low >> 61 | (uint64_t)high << 3),
        .noc = high >> 3 & 3,
        .multicast = high >> 5 & 1,
        .posted = (high >> 6 & 3) == TLB_POSTED,
    };
}

static inline struct tlb_target tlb_decode_large(uint64_t low) {
    return (struct tlb_target){
        .address = low << TLB_LARGE_SHIFT,
        .end = tlb_xy(low >> 32, low >> 38),
        .start = tlb_xy(low >> 44, low >> 50),
        .noc = low >> 56 & 3,
        .multicast = low >> 58 & 1,
        .posted = (low >> 59 & 3) == TLB_POSTED,
    };
}

/* Returns whether the strided entry of a window is in use. */
static inline bool tlb_strides(const struct tlb *tlb, unsigned window) {
    return window < TLB_STRIDED && tlb->word[TLB_WINDOWS * 3 + window];
}
static inline struct tlb_target tlb_decode(const struct tlb *tlb, unsigned window) {
    const uint32_t *word = &tlb->word[window * 3];
    uint64_t low = word[0] | (uint64_t)word[1] << 32;
    return window < TLB_SMALL ? tlb_decode_small(low, word[2]) : tlb_decode_large(low);
}

#endif
