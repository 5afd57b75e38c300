/* The defines that tt-metal's host gives its dispatch kernels: here with the addresses and sizes of our own kernels
 * (guest/kernels/dispatch/queue.h), so that one host can talk to both. KERNEL_... selects one of the three.
 */
#pragma once

#include <stdint.h>

#define _Static_assert static_assert
namespace queue {
#include "kernels/dispatch/queue.h"
}
#undef _Static_assert

/* Semaphores: 16 bytes each, from here on. The first two count pages. */
#define SEMAPHORES 0x17200
static_assert(SEMAPHORES == queue::DISPATCH_FREED && SEMAPHORES == queue::DISPATCH_CAME, "semaphore 0");
static_assert(SEMAPHORES + 16 == queue::SUBORDINATE_FREED && SEMAPHORES + 16 == queue::SUBORDINATE_CAME, "semaphore 1");
static_assert(SEMAPHORES + 32 == queue::SYNC, "semaphore 2");

#if KERNEL_SUBORDINATE
#define PAGES_SEMAPHORE 1
#else
#define PAGES_SEMAPHORE 0
#endif

/* ---- Tiles --------------------------------------------------------------------------------------------------- */

#if KERNEL_PREFETCH
#define MY_NOC_X           queue::PREFETCH_X
#define MY_NOC_Y           queue::PREFETCH_Y
#define UPSTREAM_NOC_INDEX 0
#else
#define MY_NOC_X           queue::DISPATCH_X
#define MY_NOC_Y           queue::DISPATCH_Y
#define UPSTREAM_NOC_INDEX 1
#endif
#define UPSTREAM_NOC_X               queue::PREFETCH_X
#define UPSTREAM_NOC_Y               queue::PREFETCH_Y
#define DOWNSTREAM_NOC_X             queue::DISPATCH_X
#define DOWNSTREAM_NOC_Y             queue::DISPATCH_Y
#define DOWNSTREAM_SUBORDINATE_NOC_X queue::DISPATCH_X
#define DOWNSTREAM_SUBORDINATE_NOC_Y queue::DISPATCH_Y
#define IS_D_VARIANT                 1
#define IS_H_VARIANT                 1
#define DISTRIBUTED_DISPATCHER       0
#define SPLIT_PREFETCH               0

/* ---- The host's memory ------------------------------------------------------------------------------------------ */

#define IS_CQ_DRAM_BACKED          0
#define COMMAND_QUEUE_BASE_ADDR    0
#define PCIE_BASE                  queue::HOST_ISSUE
#define PCIE_SIZE                  (queue::HOST_ISSUE_END - queue::HOST_ISSUE)
#define HOST_COMPLETION_Q_WR_PTR   queue::HOST_COMPLETION_WRITE
#define COMPLETION_QUEUE_BASE_ADDR queue::HOST_COMPLETION
#define COMPLETION_QUEUE_SIZE      (queue::HOST_COMPLETION_END - queue::HOST_COMPLETION)

/* ---- The prefetcher ---------------------------------------------------------------------------------------------- */

#define PREFETCH_Q_ENTRY_BITS           16
#define PREFETCH_Q_BASE                 queue::FETCH_QUEUE
#define PREFETCH_Q_SIZE                 (2 * queue::FETCH_ENTRIES)
#define PREFETCH_Q_RD_PTR_ADDR          queue::FETCH_READ
#define PREFETCH_Q_PCIE_RD_PTR_ADDR     queue::ISSUE_READ
#define CMDDAT_Q_BASE                   queue::COMMANDS
#define CMDDAT_Q_SIZE                   (queue::COMMANDS_END - queue::COMMANDS)
#define CMDDAT_Q_PAGES                  (CMDDAT_Q_SIZE >> CMDDAT_Q_LOG_PAGE_SIZE)
#define CMDDAT_Q_LOG_PAGE_SIZE          12
#define SCRATCH_DB_BASE                 queue::SCRATCH
#define SCRATCH_DB_SIZE                 (2 * queue::SCRATCH_HALF)
#define RINGBUFFER_SIZE                 SCRATCH_DB_SIZE
#define DOWNSTREAM_SYNC_SEM_ID          2
#define MY_UPSTREAM_CB_SEM_ID           4
#define UPSTREAM_CB_SEM_ID              4
#define MY_DISPATCH_S_CB_SEM_ID         1
#define DISPATCH_S_BUFFER_BASE          queue::SUBORDINATE_PAGES
#define DISPATCH_S_BUFFER_SIZE          (queue::SUBORDINATE_PAGE_COUNT * queue::SUBORDINATE_PAGE_BYTES)
#define DISPATCH_S_CB_LOG_PAGE_SIZE     8
#define DOWNSTREAM_CB_BASE              queue::DISPATCH_PAGES
#define DOWNSTREAM_CB_LOG_PAGE_SIZE     12
#define DOWNSTREAM_CB_PAGES             queue::DISPATCH_PAGE_COUNT
#define DOWNSTREAM_CB_SIZE              0
#define MY_DOWNSTREAM_CB_SEM_ID         0
#define DOWNSTREAM_CB_SEM_ID            0
#define DOWNSTREAM_DISPATCH_S_CB_SEM_ID 1

/* ---- The dispatcher and its subordinate -------------------------------------------------------------------------- */

#define DISPATCH_CB_BASE                   queue::DISPATCH_PAGES
#define DISPATCH_CB_LOG_PAGE_SIZE          12
#define DISPATCH_CB_PAGES                  queue::DISPATCH_PAGE_COUNT
#define DISPATCH_CB_BLOCKS                 4
#define MY_DISPATCH_CB_SEM_ID              PAGES_SEMAPHORE
#define UPSTREAM_DISPATCH_CB_SEM_ID        PAGES_SEMAPHORE
#define CB_BASE                            queue::SUBORDINATE_PAGES
#define CB_LOG_PAGE_SIZE                   8
#define CB_SIZE                            DISPATCH_S_BUFFER_SIZE
#define DISPATCH_D_SHUTDOWN_SEM_ID         3
#define UPSTREAM_SYNC_SEM                  2
#define DEV_COMPLETION_Q_WR_PTR            queue::COMPLETION_WRITE
#define DEV_COMPLETION_Q_RD_PTR            queue::COMPLETION_READ
#define DEV_DISPATCH_PROGRESS_PTR          0x17320
#define DISPATCH_S_SYNC_SEM_BASE_ADDR      queue::GO_SAFE
#define MAX_NUM_WORKER_SEMS                8
#define MAX_NUM_GO_SIGNAL_NOC_DATA_ENTRIES 64
#define MCAST_GO_SIGNAL_ADDR               queue::GO
#define UNICAST_GO_SIGNAL_ADDR             queue::GO
#define FIRST_STREAM_USED                  queue::FIRST_STREAM
#define COMPLETION_COUNTER_OFFSET          0
#define PACKED_WRITE_MAX_UNICAST_SUB_CMDS  108
#define VIRTUALIZE_UNICAST_CORES           0
#define NUM_VIRTUAL_UNICAST_CORES          0
#define NUM_PHYSICAL_UNICAST_CORES         0
#define NUM_WORKER_CORES_TO_MCAST          queue::GRID_TILES
/* The rectangle as the NoC goes: the other way round on NoC 1. */
#define CORNERS(x0, y0, x1, y1) ((x1) | (y1) << 6 | (x0) << 12 | (y0) << 18)
#define WORKER_MCAST_GRID \
    (NOC_INDEX ? CORNERS(queue::GRID_X1, queue::GRID_Y1, queue::GRID_X0, queue::GRID_Y0) \
               : CORNERS(queue::GRID_X0, queue::GRID_Y0, queue::GRID_X1, queue::GRID_Y1))
#define PREFETCH_H_NOC_XY                    0
#define PREFETCH_H_LOCAL_DOWNSTREAM_SEM_ADDR 0
#define PREFETCH_H_MAX_CREDITS               0

/* ---- Disabled features ------------------------------------------------------------------------------------------- */

#define REALTIME_PROFILER_MSG_ADDR              0x19000
#define DISPATCH_TELEMETRY_ADDR                 0x18000
#define DISPATCH_TELEMETRY_CONTROL_ADDR         0x18800
#define DISPATCH_TELEMETRY_DISABLED             1
#define DEVICE_PRINT_DISPATCH_ENABLED           0
#define DEVICE_PRINT_MAX_NOC_LOCATIONS          0
#define DEVICE_PRINT_NOC_LOCATIONS_ADDR         0
#define DEVICE_PRINT_NOC_LOCATIONS_COUNT        0
#define DEVICE_PRINT_L1_CACHE_ADDR              0
#define DEVICE_PRINT_L1_CACHE_SIZE              0
#define DEVICE_PRINT_DRAM_X                     0
#define DEVICE_PRINT_DRAM_Y                     0
#define DEVICE_PRINT_DRAM_RW_PTRS               0ULL
#define DEVICE_PRINT_DRAM_BUF_ADDR              0ULL
#define DEVICE_PRINT_DRAM_BUF_SIZE              0
#define DEVICE_PRINT_CYCLES_FOR_STALL           0
#define DEVICE_PRINT_CYCLES_FOR_FULL            0
#define FABRIC_HEADER_RB_BASE                   0
#define FABRIC_HEADER_RB_ENTRIES                1
#define MY_FABRIC_SYNC_STATUS_ADDR              0
#define FABRIC_MUX_X                            0
#define FABRIC_MUX_Y                            0
#define FABRIC_MUX_NUM_BUFFERS_PER_CHANNEL      0
#define FABRIC_MUX_CHANNEL_BUFFER_SIZE_BYTES    0
#define FABRIC_MUX_CHANNEL_BASE_ADDRESS         0
#define FABRIC_MUX_CONNECTION_INFO_ADDRESS      0
#define FABRIC_MUX_CONNECTION_HANDSHAKE_ADDRESS 0
#define FABRIC_MUX_FLOW_CONTROL_ADDRESS         0
#define FABRIC_MUX_BUFFER_INDEX_ADDRESS         0
#define FABRIC_MUX_STATUS_ADDRESS               0
#define FABRIC_MUX_TERMINATION_SIGNAL_ADDRESS   0
#define FABRIC_WORKER_FLOW_CONTROL_SEM          0
#define FABRIC_WORKER_TEARDOWN_SEM              0
#define FABRIC_WORKER_BUFFER_INDEX_SEM          0
#define FABRIC_2D                               0
#define WORKER_CREDITS_STREAM_ID                0
#define NUM_HOPS                                0
#define EW_DIM                                  0
#define TO_MESH_ID                              0
#define OFFSETOF_MY_DEV_ID                      0
#define OFFSETOF_TO_DEV_ID                      1
#define OFFSETOF_ROUTER_DIRECTION               2
