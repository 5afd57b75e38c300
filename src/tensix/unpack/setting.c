/* The usual UNPACR: all but counts and addresses is as in the one before it with the same word, as programs configure
 * an unpacker once for many tiles. The words of the configuration that decide are compared when any word has changed;
 * base addresses are not among them. What is compressed, tilized, transposed, spread or searched for is never usual.
 * Sources: as address.c. */
#include "tensix/tensix.h"

/* What an instruction says itself: AddrMode, SetDatValid, ZeroWrite2, and Last, which nobody looks at. */
enum { HANDS_OVER = 1 << 6, ZEROS = 1 << 4, OWN_BITS = 0xFF << 15 | HANDS_OVER | ZEROS | 1 };

/* Words of an unpacker's section of which the plan takes something, two at a time. */
static const uint8_t section_words[] = {
    CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor,       CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 2,
    CONFIG_WORD_THCON_SEC0_REG1_Out_data_format,      CONFIG_WORD_THCON_SEC0_REG2_Out_data_format,
    CONFIG_WORD_THCON_SEC0_REG2_Unpack_limit_address, CONFIG_WORD_THCON_SEC0_REG5_Dest_cntx0_address,
    CONFIG_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx0,     CONFIG_WORD_THCON_SEC0_REG7_Offset_address,
    CONFIG_WORD_THCON_SEC0_REG7_Offset_cntx2_address,
};
enum { SECTION_WORDS = sizeof section_words };
_Static_assert(sizeof section_words + 3 == UNPACK_KEYS, "and three others");
_Static_assert(CONFIG_WORD_THCON_SEC0_REG1_Unp_LF8_4b_exp == CONFIG_WORD_THCON_SEC0_REG1_Out_data_format + 1, "");
_Static_assert(CONFIG_WORD_THCON_SEC0_REG1_ovrd_default_throttle_mode ==
                   CONFIG_WORD_THCON_SEC0_REG1_Out_data_format + 0,
               "");
_Static_assert(CONFIG_WORD_THCON_SEC0_REG2_Force_shared_exp == CONFIG_WORD_THCON_SEC0_REG2_Out_data_format + 1, "");
_Static_assert(CONFIG_WORD_THCON_SEC0_REG2_Unpack_fifo_size == CONFIG_WORD_THCON_SEC0_REG2_Unpack_limit_address + 1,
               "");

/* The output's base with what is behind it, and its strides; SRCA_SET and SRCB_SET. */
enum { TO_UNPACKER_1 = CONFIG_WORD_UNP1_ADDR_BASE_REG_1_Base - CONFIG_WORD_UNP0_ADDR_BASE_REG_1_Base };
_Static_assert(CONFIG_WORD_UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr == CONFIG_WORD_UNP0_ADDR_BASE_REG_1_Base + 1, "");
_Static_assert(CONFIG_WORD_UNP1_FORCED_SHARED_EXP_shared_exp == CONFIG_WORD_UNP1_ADDR_BASE_REG_1_Base + 1, "");
_Static_assert(CONFIG_WORD_SRCB_SET_Base == CONFIG_WORD_SRCA_SET_Base + 1, "");

static uint64_t pair(const uint32_t *words) {
    uint64_t value;
    memcpy(&value, words, sizeof value);
    return value;
}

static inline void read_key(uint64_t *key, const struct tensix *x, unsigned thread, unsigned unpacker) {
    const uint32_t *config = x->config.bank[tensix_bank(x, thread)], *section = config + UNPACK_SECTION * unpacker;
    const uint16_t *own = x->config.thread[thread];
#pragma GCC unroll 16
    for (unsigned i = 0; i < SECTION_WORDS; i++)
        *key++ = pair(section + section_words[i]);
    *key++ = pair(config + CONFIG_WORD_UNP0_ADDR_BASE_REG_1_Base + TO_UNPACKER_1 * unpacker);
    *key++ = pair(config + CONFIG_WORD_UNP0_ADDR_CTRL_XY_REG_1_Xstride + 2 * unpacker);
    *key = own[CONFIG_WORD_SRCA_SET_Base] | (uint64_t)own[CONFIG_WORD_SRCB_SET_Base] << 16;
}

static inline struct unpack_setting *setting_of(struct tensix *x, unsigned unpacker, unsigned context) {
    return &x->unpack.setting[unpacker][context % UNPACK_SETTINGS];
}

void unpack_keep(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context,
                 const struct unpack_setting *setting) {
    struct unpack_setting *kept = setting_of(x, unpacker, context);
    *kept = *setting;
    kept->version = x->config.version;
    kept->context = (uint8_t)context;
    read_key(kept->key, x, thread, unpacker);
}

/* Has none of its words changed? */
__attribute__((noinline)) static bool is_as_before(const struct tensix *x, unsigned thread, unsigned unpacker,
                                                   struct unpack_setting *setting) {
    uint64_t key[UNPACK_KEYS];
    if (!setting->version)
        return false;
    read_key(key, x, thread, unpacker);
    if (memcmp(key, setting->key, sizeof key) != 0)
        return false;
    setting->version = x->config.version;
    return true;
}

/* The first datum's number in the tile. */
static inline uint64_t first_datum(const struct unpack_setting *setting, const struct adc *xy, const struct adc *zw) {
    const uint32_t *counter = zw->channel[0].value;
    uint64_t plane = (uint64_t)(counter[ADC_W] & 0xFF) * setting->z_dim + (counter[ADC_Z] & 0xFF);
    return (plane * setting->y_dim + xy->channel[0].value[ADC_Y]) * setting->x_dim + xy->channel[0].value[ADC_X];
}

static inline void find_input(struct unpack_input *in, const struct unpack_setting *setting, uint32_t base,
                              uint64_t first) {
    uint64_t at = ((uint64_t)base + setting->header) * 16;
    in->exponents = at * 16 + first;
    in->data = (at + setting->exponents) * 8 + first * in->bits;
    unpack_wrap(in);
}

static inline bool is_like(const struct unpack_setting *setting, unsigned thread, unsigned context, uint32_t word) {
    return setting->job.thread == thread && setting->context == context &&
           !((setting->job.word ^ word) & ~(uint32_t)OWN_BITS);
}

bool unpack_plan_usual(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                       struct unpack_job *job) {
    struct unpack_setting *setting = setting_of(x, unpacker, context);
    if (BH_UNLIKELY(!is_like(setting, thread, context, word)) ||
        (setting->version != x->config.version && !is_as_before(x, thread, unpacker, setting)))
        return false;
    const uint32_t *section = x->config.bank[tensix_bank(x, thread)] + UNPACK_SECTION * unpacker;
    const struct adc *zw = &x->adc[thread][unpacker], *xy = &x->adc[setting->xy][unpacker];
    uint32_t from = xy->channel[0].value[ADC_X], to = xy->channel[1].value[ADC_X] + 1;
    uint32_t sum = unpack_output_sum(setting, zw->channel[1].value);
    if (BH_UNLIKELY(to < from || unpack_is_odd(setting, sum)))
        return false;
    *job = setting->job;
    job->word = word;
    job->flip = word & HANDS_OVER;
    job->out.zero = word & ZEROS;
    job->straight = setting->straight && !job->out.zero;
    job->in.count = to - from;
    job->units = ((to - from) * job->in.bits + 127) / 128;
    job->out.address = unpack_output_address(setting, sum);
    find_input(&job->in, setting, section[setting->base], first_datum(setting, xy, zw));
    return !(job->out.transpose && job->in.data % 128);
}
