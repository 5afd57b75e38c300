/* Calls of a program on BRISC to the host (semihosting.c). */
#ifndef ABI_SEMIHOSTING_H
#define ABI_SEMIHOSTING_H

#include "bhemu.h"

struct semihosting_error {
    const char *category, *why;
    struct bh_xy tile;
    uint32_t number; /* of the call */
    int status;      /* the process ends with this status, as a program has asked for; -1: a call has no answer */
};

/* Answers the calls made since the last time. Returns false and error if one of them ends the process. */
bool semihosting_serve(bh_chip *chip, struct semihosting_error *error);

#endif
