/* The DMA engine: transfers between host memory and the windows of BAR 0. */
#ifndef HOST_DMA_H
#define HOST_DMA_H

#include "host/host.h"

/* Executes the transfer that the channel's registers describe. */
bh_status dma_run(struct host *host, enum hdma_direction direction);

#endif
