/* Carries out a DMA transfer between host memory and an address in BAR 0, as if the host had read or written there, in
 * pieces that end with each page: a transfer may cross from one window to the next. The transfer is complete when the
 * write to the doorbell register returns (chip/hdma.h). */
#include "host/dma.h"

enum { PIECE = 4096 };

static bh_status move_piece(struct host *host, const struct hdma_transfer *transfer, uint32_t at, size_t size) {
    const struct bh_config *config = &host->chip.config;
    uint8_t bytes[PIECE];
    if (transfer->direction == HDMA_TO_DEVICE) {
        config->host_read(config->user, transfer->source + at, bytes, size);
        return bh_bar_write(&host->chip, 0, transfer->destination + at, bytes, size);
    }
    bh_status status = bh_bar_read(&host->chip, 0, transfer->source + at, bytes, size);
    if (status == BH_OK)
        config->host_write(config->user, transfer->destination + at, bytes, size);
    return status;
}

/* Returns the number of bytes up to the end of the page of BAR 0. */
static uint32_t piece_at(const struct hdma_transfer *transfer, uint32_t at) {
    bool to_device = transfer->direction == HDMA_TO_DEVICE;
    uint64_t address = (to_device ? transfer->destination : transfer->source) + at;
    uint32_t left = transfer->size - at, page = PIECE - (uint32_t)(address % PIECE);
    return left < page ? left : page;
}

bh_status dma_run(struct host *host, enum hdma_direction direction) {
    struct hdma_transfer transfer = hdma_pending(&host->chip.pcie.hdma, direction);
    const struct bh_config *config = &host->chip.config;
    uint64_t address;
    uint32_t data;
    if (direction == HDMA_TO_DEVICE ? !config->host_read : !config->host_write)
        return chip_fail(&host->chip, BH_ERR_STATE, "DMA: there is no host memory behind PCI Express");
    for (uint32_t at = 0, size; at < transfer.size; at += size) {
        size = piece_at(&transfer, at);
        bh_status status = move_piece(host, &transfer, at, size);
        if (status != BH_OK)
            return status;
    }
    if (hdma_finish(&host->chip.pcie.hdma, direction, &address, &data) && config->host_write)
        config->host_write(config->user, address, &data, sizeof data);
    return BH_OK;
}
