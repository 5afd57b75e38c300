/* The DMA engine: transfers between host memory and the windows of BAR 0. */
#ifndef HOST_DMA_H
#define HOST_DMA_H

#include "host/host.h"

/* Carries out the transfer that the channel's registers describe. Returns BH_OK, or the error of the first access that
 * failed. */
bh_status dma_run(struct host *host, enum hdma_direction direction);

#endif
