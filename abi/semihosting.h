/* Calls to the host by a program on BRISC (semihosting.c). */
#ifndef ABI_SEMIHOSTING_H
#define ABI_SEMIHOSTING_H

#include "bhemu.h"

struct semihosting_error {
    const char *category, *why;
    struct bh_xy tile;
    uint32_t number; /* number of the call */
    int status;      /* exit status that the program has asked for; -1: the call is not supported */
};

/* Answers the calls made since the last time. Returns false and sets *error if one of them ends the process. */
bool semihosting_serve(bh_chip *chip, struct semihosting_error *error);

#endif
