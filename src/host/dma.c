/* Carries out a DMA transfer between host memory and an address in BAR 0, as if the host had read or written there. The
 * transfer is complete when the write to the doorbell register returns (chip/hdma.h). */
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

bh_status dma_run(struct host *host, enum hdma_direction direction) {
    struct hdma_transfer transfer = hdma_pending(&host->chip.pcie.hdma, direction);
    const struct bh_config *config = &host->chip.config;
    uint64_t address;
    uint32_t data;
    if (direction == HDMA_TO_DEVICE ? !config->host_read : !config->host_write)
        return chip_fail(&host->chip, BH_ERR_STATE, "DMA: there is no host memory behind PCI Express");
    for (uint32_t at = 0, size; at < transfer.size; at += size) {
        size = transfer.size - at < PIECE ? transfer.size - at : PIECE;
        bh_status status = move_piece(host, &transfer, at, size);
        if (status != BH_OK)
            return status;
    }
    if (hdma_finish(&host->chip.pcie.hdma, direction, &address, &data) && config->host_write)
        config->host_write(config->user, address, &data, sizeof data);
    return BH_OK;
}
