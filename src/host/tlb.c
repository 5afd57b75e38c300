/* Window descriptors: see tlb.h. */
#include "host/tlb.h"

enum { COORDINATE = 63 };

static struct bh_xy xy(uint64_t x, uint64_t y) {
    return (struct bh_xy){ (uint8_t)(x & COORDINATE), (uint8_t)(y & COORDINATE) };
}

static struct tlb_target decode_small(uint64_t low, uint32_t high) {
    return (struct tlb_target){
        .address = low << TLB_SMALL_SHIFT,
        .end = xy(low >> 43, low >> 49),
        .start = xy(low >> 55, low >> 61 | (uint64_t)high << 3),
        .noc = high >> 3 & 3,
        .multicast = high >> 5 & 1,
    };
}

static struct tlb_target decode_large(uint64_t low) {
    return (struct tlb_target){
        .address = low << TLB_LARGE_SHIFT,
        .end = xy(low >> 32, low >> 38),
        .start = xy(low >> 44, low >> 50),
        .noc = low >> 56 & 3,
        .multicast = low >> 58 & 1,
    };
}

struct tlb_target tlb_decode(const struct tlb *tlb, unsigned window) {
    const uint32_t *word = &tlb->word[window * 3];
    uint64_t low = word[0] | (uint64_t)word[1] << 32;
    return window < TLB_SMALL ? decode_small(low, word[2]) : decode_large(low);
}
