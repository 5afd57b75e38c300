/* Not there yet. */
#include "tensix/tensix.h"
struct access tensix_config_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value) {
    (void)x, (void)core, (void)offset, (void)time, (void)value;
    return access_done();
}
struct access tensix_config_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value) {
    (void)x, (void)core, (void)offset, (void)time, (void)value;
    return access_done();
}
void tensix_l1_written(struct tensix *x, uint32_t address, uint32_t size, uint64_t time) {
    (void)x, (void)address, (void)size, (void)time;
}
