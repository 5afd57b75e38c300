/* Dumps of the state of a tile's coprocessor by the names T1.wait, tensix.srca ... (script.h). */
#ifndef TOOLS_INSIDE_H
#define TOOLS_INSIDE_H

#include "text/json.h"
#include "machine/machine.h"

/* State of one thread, or of SrcA or SrcB, at the time of reading. */
struct inside {
    enum inside_what what;
    unsigned thread; /* unused for SrcA and SrcB */
    union {
        struct bh_wait wait;
        struct bh_adc adc[BH_ADC_USERS];
        struct bh_rwc rwc;
        struct bh_mop_info mop;
        struct bh_replay_info replay;
        struct {
            struct bh_src_info info;
            uint32_t datum[2][64][16];
        } src;
    };
};

bh_status inside_read(const bh_chip *chip, struct bh_xy tile, struct inside *inside);
/* Prints a heading and some lines. */
void inside_text(const struct inside *inside, struct bh_xy tile);
/* Writes members of the open object. */
void inside_json(struct json *json, const struct inside *inside);
/* Writes "threads": every thread that is not idle or has latched a wait; nothing if there is none. */
void inside_json_threads(struct json *json, const struct machine *machine);

#endif
