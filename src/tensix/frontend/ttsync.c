#include "tensix/frontend/ttsync.h"
void ttsync_init(struct ttsync *s) {
    (void)s;
}
uint16_t ttsync_of_word(const struct ttsync *s, uint32_t word, const uint16_t *config) {
    (void)s, (void)word, (void)config;
    return 0;
}
void ttsync_declare(struct ttsync *s, uint32_t word) {
    (void)s, (void)word;
}
uint16_t ttsync_of_gpr(const uint16_t *config) {
    (void)config;
    return 0;
}
uint16_t ttsync_of_tdma(const uint16_t *config) {
    (void)config;
    return 0;
}
uint16_t ttsync_of_config(const uint16_t *config, uint32_t offset) {
    (void)config, (void)offset;
    return 0;
}
