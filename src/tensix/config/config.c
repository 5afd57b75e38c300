#include "tensix/config/config.h"
#include "tensix/tensix.h"
void config_init(struct config *config) {
    config->request_due = TENSIX_NEVER;
}
void config_store(struct tensix *x, unsigned bank, unsigned index, uint32_t value, bool by_rmw, uint64_t now) {
    (void)by_rmw, (void)now;
    x->config.bank[bank][index] = value;
}
void config_step(struct tensix *x, uint64_t now) {
    (void)x, (void)now;
}
uint64_t config_request_pending(const struct tensix *x, unsigned thread, uint64_t now) {
    (void)x, (void)thread, (void)now;
    return 0;
}
uint64_t config_request_holds(const struct tensix *x, unsigned thread, const struct frontend_word *word, uint64_t now) {
    (void)x, (void)thread, (void)word, (void)now;
    return 0;
}
uint32_t config_peek(const struct tensix *x, uint32_t offset) {
    (void)x, (void)offset;
    return 0;
}
