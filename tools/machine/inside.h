/* Dumps state of a tile's coprocessor, by names like T1.wait or tensix.srca (script.h). */
#ifndef TOOLS_INSIDE_H
#define TOOLS_INSIDE_H

#include "text/json.h"
#include "machine/machine.h"

/* State of one thread, or of SrcA or SrcB, at the time of inside_read. */
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

/* Reads the state that inside->what and inside->thread select. */
bh_status inside_read(const bh_chip *chip, struct bh_xy tile, struct inside *inside);
/* Prints the state as text: a heading and some lines. */
void inside_text(const struct inside *inside, struct bh_xy tile);
/* Writes the state as members of the open JSON object. */
void inside_json(struct json *json, const struct inside *inside);
/* Writes the JSON array "threads": every thread that is not idle or has latched a wait. Writes nothing if there is
 * none. */
void inside_json_threads(struct json *json, const struct machine *machine);

#endif
