/* Works out the path of a datum from the configuration: its conversions and the steps between them.
 *
 *     Dst --[IntermediateFormat, PCK_DEST_RD_CTRL]--> early --[In_data_format]--> late --[Out_data_format]--> L1
 *
 * The early conversion must produce the format that the late conversion expects, except where the bits mean the same in
 * both. If the late conversion expects FP16 and the early one gives TF32, a last step before the late conversion makes
 * it FP16. Inexact: random rounding uses generators like the Vector Unit's; the hardware's are not documented. Sources:
 * Packers/FormatConversion.md, ReLU.md, EdgeMasking.md, ExponentThresholding.md (WH). */
#include "isa/formats.h"
#include "tensix/tensix.h"

/* Returns the kind of data that the late conversion expects for a format; PACK_KINDS if it accepts no such format. */
static unsigned kind_of(unsigned format) {
    switch (format) {
    case FORMAT_FP32: return PACK_FP32;
    case FORMAT_TF32: return PACK_TF32;
    case FORMAT_INT32: return PACK_INT32;
    case FORMAT_BF16:
    case FORMAT_BFP8: return PACK_BF16;
    case FORMAT_FP16: return PACK_FP16;
    case FORMAT_BFP8A: return PACK_E5M7;
    case FORMAT_FP8: return PACK_E5M2;
    case FORMAT_INT16: return PACK_INT16;
    case FORMAT_INT8: return PACK_INT8;
    default: return PACK_KINDS;
    }
}

/* ---- Early ------------------------------------------------------------------------------------------------------ */

static unsigned intermediate(const uint32_t *config) {
    return CONFIG_GET(config, ALU_FORMAT_SPEC_REG_Dstacc_override) ? CONFIG_GET(config, ALU_FORMAT_SPEC_REG_Dstacc_val)
                                                                   : CONFIG_GET(config, ALU_FORMAT_SPEC_REG2_Dstacc);
}

static struct pack_refusal set_shift(const uint32_t *config, struct pack_path *path) {
    if (!CONFIG_GET(config, INT_DESCALE_Enable) || (path->early != PACK_32_INT8 && path->early != PACK_32_UINT8))
        return pack_fine();
    if (CONFIG_GET(config, INT_DESCALE_Mode))
        return pack_unmodelled("INT_DESCALE_Mode: no document says which of its values a datum gets");
    path->shift = CONFIG_GET(config, INT_DESCALE_VALUES_SEC0_Value) & 31;
    return pack_fine();
}

/* Returns the kind that the late conversion expects (told) if the early conversion may produce `kind` for it; else
 * PACK_KINDS. Sets *narrow if TF32 has to become FP16 in between. */
static unsigned late_kind(unsigned kind, unsigned told, bool *narrow) {
    bool words = kind == PACK_FP32 || kind == PACK_INT32;
    *narrow = kind == PACK_TF32 && told == PACK_FP16;
    if (kind == told || *narrow || (kind == PACK_TF32 && told == PACK_FP32) ||
        (kind == PACK_UINT8 && told == PACK_INT8))
        return told;
    return words && (told == PACK_FP32 || told == PACK_INT32) ? told : PACK_KINDS;
}

/* BF16 with Round_10b_mant is FP16 already. */
static struct pack_refusal choose_early(const uint32_t *config, unsigned from, unsigned to, struct pack_path *path) {
    struct pack_read read = {
        .wide = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data),
        .raw = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_int8),
        .is_unsigned = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_unsigned),
        .ten_bits = CONFIG_GET(config, PCK_DEST_RD_CTRL_Round_10b_mant),
        .format = intermediate(config),
        .out = to,
    };
    if (read.ten_bits && !read.raw && read.format == FORMAT_BF16 && from == FORMAT_FP16)
        read.format = FORMAT_FP16;
    int early = pack_early_path(&read);
    if (early < 0)
        return pack_undefined("PCK_DEST_RD_CTRL and the intermediate format: there is no such conversion from Dst");
    path->early = (uint8_t)early;
    path->kind = (uint8_t)pack_early_kind((enum pack_early)early, read.format);
    path->open.kind = (uint8_t)late_kind(path->kind, kind_of(from), &path->narrow);
    if (path->open.kind == PACK_KINDS)
        return pack_undefined("In_data_format is not what the conversion from Dst gives");
    return set_shift(config, path);
}

/* ---- Between the conversions ------------------------------------------------------------------------------------ */

static bool is_integer(unsigned kind) {
    return kind == PACK_INT32 || kind == PACK_INT16 || kind == PACK_INT8 || kind == PACK_UINT8;
}

static struct pack_refusal set_edge(const uint32_t *config, bool edges, struct pack_path *path) {
    if (!edges || !CONFIG_GET(config, PCK_EDGE_MODE_mode))
        return pack_fine();
    if (is_integer(path->kind))
        return pack_undefined("PCK_EDGE_MODE_mode: integers have no minus infinity");
    path->edge = pack_minus_infinity((enum pack_kind)path->kind);
    return pack_fine();
}

static struct pack_refusal set_relu(const uint32_t *config, struct pack_path *path) {
    unsigned mode = CONFIG_GET(config, STACC_RELU_ApplyRelu) & 3, threshold;
    if (!mode)
        return pack_fine();
    threshold = CONFIG_GET(config, STACC_RELU_ReluThreshold);
    if (mode > 1 && threshold >> 15)
        return pack_undefined("STACC_RELU_ReluThreshold: a negative threshold is undefined");
    if (mode > 1 && is_integer(path->kind))
        return pack_undefined("STACC_RELU_ApplyRelu: integers have no threshold");
    path->relu = (uint8_t)mode;
    path->threshold = (uint16_t)threshold;
    return pack_fine();
}

/* The page says nothing about integers, which stay unchanged here, and BFP2a, which is refused. */
static struct pack_refusal set_below(const uint32_t *config, unsigned from, struct pack_path *path) {
    if (!CONFIG_GET(config, THCON_SEC0_REG1_Exp_threshold_en) || is_integer(path->kind))
        return pack_fine();
    if (from == FORMAT_BFP2A)
        return pack_undefined("Exp_threshold_en: undefined with an In_data_format of BFP2a");
    path->below = (uint8_t)CONFIG_GET(config, THCON_SEC0_REG1_Exp_threshold);
    return pack_fine();
}

static struct pack_refusal from_dst(const uint32_t *config, unsigned from, unsigned to, bool edges,
                                    struct pack_path *path) {
    struct pack_refusal refusal = choose_early(config, from, to, path);
    path->random = CONFIG_GET(config, ALU_ROUNDING_MODE_Gasket_srnd_en);
    if (!refusal.text)
        refusal = set_edge(config, edges, path);
    if (!refusal.text)
        refusal = set_relu(config, path);
    if (!refusal.text)
        refusal = set_below(config, from, path);
    return refusal;
}

static struct pack_refusal from_l1(unsigned from, unsigned to, struct pack_path *path) {
    int load = pack_load_path(from, to);
    if (load < 0)
        return pack_undefined("In_data_format: no document says how such data are read from L1");
    path->early = (uint8_t)load;
    path->open.kind = (uint8_t)pack_load_kind((enum pack_load)load, from);
    return pack_fine();
}

static struct pack_refusal from_nothing(unsigned from, struct pack_path *path) {
    path->open.kind = (uint8_t)kind_of(from);
    return path->open.kind == PACK_KINDS ? pack_undefined("In_data_format is none that the late conversion takes")
                                         : pack_fine();
}

/* ---- Late ------------------------------------------------------------------------------------------------------- */

static struct pack_refusal choose_late(const struct pack_kernels *kernels, const uint32_t *config, unsigned to,
                                       struct pack_open *open) {
    bool e4m3 = to == FORMAT_FP8 && CONFIG_GET(config, THCON_SEC0_REG1_Pac_LF8_4b_exp);
    enum pack_out out = e4m3 ? PACK_TO_E4M3 : (enum pack_out)to;
    if (!kernels->late[open->kind][out])
        return pack_undefined("In_data_format and Out_data_format: there is no such conversion");
    open->out = (uint8_t)out;
    open->bits = (uint8_t)pack_bits(out);
    open->shared = pack_shares_exponents(out);
    open->random = CONFIG_GET(config, ALU_ROUNDING_MODE_Packer_srnd_en);
    open->add = CONFIG_GET(config, THCON_SEC0_REG1_Pack_L1_Acc);
    open->compress = !CONFIG_GET(config, THCON_SEC0_REG1_Disable_zero_compress);
    if (open->add && !kernels->add[out])
        return pack_undefined("Pack_L1_Acc: L1 cannot add data of this Out_data_format");
    if (open->compress && open->add)
        return pack_undefined("Pack_L1_Acc: compressed data cannot be added");
    if (open->compress && open->bits < 4)
        return pack_undefined("Disable_zero_compress: compressed data have four bits or more");
    if (open->shared && CONFIG_GET(config, THCON_SEC0_REG1_Dis_shared_exp_assembler))
        return pack_unmodelled("Dis_shared_exp_assembler: no document says which exponents there are then");
    return pack_fine();
}

/* Returns whether the early conversion alone produces the bytes in L1. */
static bool takes_one_step(const struct pack_kernels *kernels, const struct pack_path *path) {
    unsigned same = path->kind == PACK_BF16 ? PACK_TO_BF16 : PACK_TO_FP16;
    return kernels->one_step[path->early] && path->as_it_is && !path->random && path->open.out == same &&
           !path->open.add;
}

struct pack_refusal pack_choose_path(const struct pack_kernels *kernels, const uint32_t *config, unsigned source,
                                     bool edges, struct pack_path *path) {
    unsigned from = CONFIG_GET(config, THCON_SEC0_REG1_In_data_format);
    unsigned to = CONFIG_GET(config, THCON_SEC0_REG1_Out_data_format);
    *path = (struct pack_path){ .early = 0 };
    struct pack_refusal refusal = source == PACK_FROM_DST  ? from_dst(config, from, to, edges, path)
                                  : source == PACK_FROM_L1 ? from_l1(from, to, path)
                                                           : from_nothing(from, path);
    path->as_it_is = !edges && !path->relu && !path->below && !path->narrow;
    if (!refusal.text)
        refusal = choose_late(kernels, config, to, &path->open);
    path->one_step = source == PACK_FROM_DST && takes_one_step(kernels, path);
    return refusal;
}
