/* Stages of the frontend. */
#include "tensix/frontend/frontend.h"

#include <stddef.h>

void frontend_init(struct frontend *f) {
    ttsync_init(&f->ttsync);
}
void frontend_push(struct frontend *f, const uint32_t *words, unsigned count, uint32_t pc, uint64_t time,
                   const uint16_t *config) {
    (void)f, (void)words, (void)count, (void)pc, (void)time, (void)config;
}
bool frontend_push_behind_mop(struct frontend *f, uint32_t word, uint32_t pc, uint64_t time) {
    (void)f, (void)word, (void)pc, (void)time;
    return true;
}
const struct frontend_word *frontend_head(struct frontend *f, uint64_t until) {
    (void)f, (void)until;
    return NULL;
}
void frontend_pop(struct frontend *f, uint64_t now) {
    (void)f, (void)now;
}
void frontend_advance(struct frontend *f, uint64_t until) {
    (void)f, (void)until;
}
bool frontend_empty(const struct frontend *f) {
    (void)f;
    return true;
}
bool frontend_mop_busy(const struct frontend *f) {
    (void)f;
    return false;
}
bool frontend_middle_full(const struct frontend *f) {
    (void)f;
    return false;
}
bool frontend_middle_empty(const struct frontend *f) {
    (void)f;
    return true;
}
unsigned frontend_types(const struct frontend *f) {
    (void)f;
    return 0;
}
uint16_t frontend_resources(const struct frontend *f) {
    (void)f;
    return 0;
}
void frontend_reset_core(struct frontend *f) {
    (void)f;
}
