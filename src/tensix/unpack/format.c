/* Formats of the unpackers: supported conversions, and the rates at which data come from L1.
 *
 * Blackhole fetches 16, 32, 64 or 128 bytes a cycle (x1, x2, x4, x8), and x4 is 128 bytes for data of 16 bits and more.
 * Unless ovrd_default_throttle_mode is set, data of eight bits are fetched at x8 and others at x4. Sources:
 * UNPACR_Regular.md, Unpackers/FormatConversion.md (WH); ttsim for the speeds of Blackhole. */
#include "tensix/tensix.h"

const struct unpack_format unpack_formats[16] = {
    [FORMAT_FP32] = { 32, false, UNPACK_WORD },  [FORMAT_FP16] = { 16, false, UNPACK_FP16 },
    [FORMAT_BFP8A] = { 8, true, UNPACK_BFP8A },  [FORMAT_BFP4A] = { 4, true, UNPACK_BFP4A },
    [FORMAT_TF32] = { 32, false, UNPACK_WORD },  [FORMAT_BF16] = { 16, false, UNPACK_BF16 },
    [FORMAT_BFP8] = { 8, true, UNPACK_BFP8 },    [FORMAT_BFP4] = { 4, true, UNPACK_BFP4 },
    [FORMAT_INT32] = { 32, false, UNPACK_WORD }, [FORMAT_INT16] = { 16, false, UNPACK_INT16 },
    [FORMAT_FP8] = { 8, false, UNPACK_E5M2 },    [FORMAT_BFP2A] = { 2, true, UNPACK_BFP2A },
    [FORMAT_INT8] = { 8, false, UNPACK_INT8 },   [FORMAT_BFP2] = { 2, true, UNPACK_BFP2 },
};

int unpack_path_of_fp32(unsigned out, bool to_dst) {
    switch (out) {
    case FORMAT_FP32: return to_dst ? UNPACK_WORD : -1;
    case FORMAT_TF32: return to_dst ? UNPACK_WORD : UNPACK_TF32;
    case FORMAT_BF16: return UNPACK_FP32_BF16;
    case FORMAT_FP16: return UNPACK_FP32_FP16;
    default: return -1;
    }
}

/* ---- Speed ------------------------------------------------------------------------------------------- */

enum speed { X1, X2, X4, X8 };

static const uint8_t units_of[] = { [X1] = TENSIX_PART_UNPACR_X1,
                                    [X2] = TENSIX_PART_UNPACR_X2,
                                    [X4] = TENSIX_PART_UNPACR_X4,
                                    [X8] = TENSIX_PART_UNPACR_X8 };

static enum speed wanted(const uint32_t *section, const struct unpack_job *job, bool tilize) {
    if (job->in.compressed || job->out.zeros >= 3 || job->in.bits == 2)
        return X1;
    if (tilize)
        return X4;
    if (!CONFIG_GET(section, THCON_SEC0_REG1_ovrd_default_throttle_mode))
        return job->in.bits == 8 ? X8 : X4;
    return (enum speed)CONFIG_GET(section, THCON_SEC0_REG2_Throttle_mode);
}

static bool at_most_x2(const struct unpack_job *job) {
    return job->out.zeros == 1 || (job->out.dst && job->in.bits == 4);
}

void unpack_speed(const uint32_t *section, struct unpack_job *job, bool tilize) {
    const struct unpack_input *in = &job->in;
    enum speed speed = wanted(section, job, tilize);
    if (speed > X2 && at_most_x2(job))
        speed = X2;
    if (speed == X4 && in->bits >= 16)
        speed = X8;
    uint64_t count = in->count == UINT32_MAX ? (uint64_t)in->emit + in->drop : in->count;
    uint64_t bits = count * (in->bits + (in->compressed ? 4u : 0));
    job->rate = units_of[speed];
    job->units = (uint32_t)((bits + 127) / 128);
}
