/* Calls of a program on BRISC to the host (semihosting.c). */
#ifndef ABI_SEMIHOSTING_H
#define ABI_SEMIHOSTING_H

#include "bhemu.h"

struct semihosting_error {
    const char *category, *why;
    struct bh_xy tile;
    uint32_t number; /* of the call */
};

/* Answers the calls made since the last time. Returns false if a call has no answer. May end the process. */
bool semihosting_serve(bh_chip *chip, struct semihosting_error *error);

#endif
