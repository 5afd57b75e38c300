/* The registers of the NoC overlay's streams: register r of stream s is at 0xFFB40000 + 0x1000 * s + 4 * r.
 *
 * Sources of the numbers: tt-metal's noc_overlay_parameters.h for Blackhole. Sources of the widths:
 * WormholeB0/NoC/Overlay/AsGeneralUse.md; but the fields of that header where they occupy other bits on Blackhole (2,
 * 3, 16, 19, 20, 24, 26, 33, 35), and for registers that Wormhole's pages leave out (12, 15, 21, 206, 499). The width
 * of 27 is unknown. */
#ifndef ISA_OVERLAY_H
#define ISA_OVERLAY_H

#include <stdint.h>

enum { OVERLAY_STREAMS = 64, OVERLAY_STREAM_SIZE = 0x1000, OVERLAY_DESTINATIONS = 32 };

/* The streams that have a register. In the others it reads as zero and ignores writes. */
#define OVERLAY_IN_ALL      UINT64_MAX
#define OVERLAY_IN_MCAST    UINT64_C(0x00F) /* streams that can transmit to a multicast group */
#define OVERLAY_IN_GATHER   UINT64_C(0x03F) /* streams that can receive from streams of the same overlay */
#define OVERLAY_IN_DRAM     UINT64_C(0xF0F) /* streams that can transmit to buffers in DRAM */
#define OVERLAY_IN_ENDPOINT UINT64_C(0xF3F) /* all of these, and streams with copies of message headers */
#define OVERLAY_IN_FIRST    UINT64_C(0x001) /* one register for all streams */

/* X(name, number, bits, streams): registers that store what is written to them, whether or not a write has further
 * effects. */
#define OVERLAY_STORED(X) \
    X(ONETIME_MISC_CFG, 2, 11, OVERLAY_IN_ALL) \
    X(MISC_CFG, 3, 23, OVERLAY_IN_ALL) \
    X(REMOTE_SRC, 4, 24, OVERLAY_IN_ALL) \
    X(REMOTE_SRC_PHASE, 5, 20, OVERLAY_IN_ALL) \
    X(MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD, 6, 4, OVERLAY_IN_ALL) \
    X(REMOTE_DEST, 7, 18, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_BUF_START, 8, 17, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_BUF_START_HI, 9, 15, OVERLAY_IN_DRAM) \
    X(REMOTE_DEST_BUF_SIZE, 10, 17, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_WR_PTR, 11, 17, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_MSG_INFO_BUF_SIZE, 12, 3, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_MSG_INFO_WR_PTR, 13, 17, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_MSG_INFO_WR_PTR_HI, 14, 15, OVERLAY_IN_DRAM) \
    X(REMOTE_DEST_MSG_INFO_WRAP_WR_PTR, 15, 9, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_TRAFFIC, 16, 7, OVERLAY_IN_ALL) \
    X(BUF_START, 17, 17, OVERLAY_IN_ALL) \
    X(BUF_SIZE, 18, 17, OVERLAY_IN_ALL) \
    X(RD_PTR, 19, 18, OVERLAY_IN_ALL) \
    X(WR_PTR, 20, 18, OVERLAY_IN_ALL) \
    X(MSG_INFO_BUF_SIZE, 21, 3, OVERLAY_IN_ALL) \
    X(MSG_INFO_PTR, 22, 17, OVERLAY_IN_ALL) \
    X(MSG_INFO_WR_PTR, 23, 17, OVERLAY_IN_ALL) \
    X(MCAST_DEST, 24, 19, OVERLAY_IN_MCAST) \
    X(MCAST_DEST_NUM, 25, 6, OVERLAY_IN_MCAST) \
    X(GATHER, 26, 18, OVERLAY_IN_GATHER) \
    X(MSG_SRC_IN_ORDER_FWD_NUM_MSGS, 27, 24, OVERLAY_IN_ALL) \
    X(CURR_PHASE_BASE, 28, 20, OVERLAY_IN_ALL) \
    X(CURR_PHASE, 29, 20, OVERLAY_IN_ALL) \
    X(PHASE_AUTO_CFG_PTR_BASE, 30, 17, OVERLAY_IN_ALL) \
    X(PHASE_AUTO_CFG_PTR, 31, 17, OVERLAY_IN_ALL) \
    X(MSG_HEADER_FORMAT, 33, 21, OVERLAY_IN_FIRST) \
    X(PHASE_AUTO_CFG_HEADER, 34, 32, OVERLAY_IN_ALL) \
    X(PERF_CONFIG, 35, 16, OVERLAY_IN_FIRST) \
    X(SCRATCH_0, 36, 24, OVERLAY_IN_DRAM) \
    X(SCRATCH_1, 37, 24, OVERLAY_IN_DRAM) \
    X(SCRATCH_2, 38, 24, OVERLAY_IN_DRAM) \
    X(SCRATCH_3, 39, 24, OVERLAY_IN_DRAM) \
    X(SCRATCH_4, 40, 24, OVERLAY_IN_DRAM) \
    X(SCRATCH_5, 41, 24, OVERLAY_IN_DRAM) \
    X(MSG_BLOB_BUF_START, 206, 17, OVERLAY_IN_ALL) \
    X(LOCAL_SRC_MASK_0, 224, 24, OVERLAY_IN_GATHER) \
    X(LOCAL_SRC_MASK_1, 225, 24, OVERLAY_IN_GATHER) \
    X(LOCAL_SRC_MASK_2, 226, 16, OVERLAY_IN_GATHER) \
    X(SCRATCH32, 256, 32, OVERLAY_IN_ENDPOINT) \
    X(NEXT_RECEIVED_MSG_ADDR, 262, 17, OVERLAY_IN_ALL) \
    X(NEXT_RECEIVED_MSG_SIZE, 263, 17, OVERLAY_IN_ALL) \
    X(REMOTE_DEST_BUF_SPACE_AVAILABLE, 297, 17, OVERLAY_IN_ALL) \
    X(DEBUG_STATUS_SEL, 499, 8, OVERLAY_IN_FIRST)

/* X(name, number, count): read-only registers. number is that of the first, count how many follow each other. */
#define OVERLAY_SHOWN(X) \
    X(WAIT_STATUS, 257, 1) \
    X(NUM_MSGS_RECEIVED_IN_BUF_AND_MEM, 258, 1) \
    X(NUM_MSGS_RECEIVED, 259, 1) \
    X(BUF_SPACE_AVAILABLE, 260, 1) \
    X(MSG_INFO_BUF_SPACE_AVAILABLE, 261, 1) \
    X(MSG_GROUP_ZERO_MASK_AND, 272, 1) \
    X(MSG_INFO_FULL, 273, 1) \
    X(MSG_INFO_FULLY_LOADED, 274, 1) \
    X(MSG_INFO_CAN_PUSH_NEW_MSG, 275, 1) \
    X(MSG_GROUP_COMPRESS, 276, 1) \
    X(PHASE_ALL_MSGS_PUSHED, 277, 1) \
    X(READY_FOR_MSG_PUSH, 278, 1) \
    X(GLOBAL_OFFSET_TABLE_RD, 279, 8) \
    X(BLOB_NEXT_AUTO_CFG_DONE, 290, 1) \
    X(RECEIVER_MSG_INFO, 329, 96) \
    X(DEBUG_STATUS, 501, 10)

/* X(name, number, count): registers in which a write has an effect. They read as zero, except BLOB_AUTO_CFG_DONE. */
#define OVERLAY_COMMANDS(X) \
    X(SOURCE_ENDPOINT_NEW_MSG_INFO, 0, 1) \
    X(NUM_MSGS_RECEIVED_INC, 1, 1) \
    X(MULTI_MSG_CLEAR, 264, 1) \
    X(MSG_INFO_CLEAR, 265, 1) \
    X(MSG_DATA_CLEAR, 266, 1) \
    X(PHASE_ADVANCE, 267, 1) \
    X(DEST_PHASE_READY_UPDATE, 268, 1) \
    X(SRC_READY_UPDATE, 269, 1) \
    X(REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE, 270, 1) \
    X(RESET, 271, 1) \
    X(BLOB_AUTO_CFG_DONE, 288, 2) \
    X(RECEIVER_ENDPOINT_SET_MSG_HEADER, 291, 4)

/* X(name, number, count): registers that read as zero and ignore writes: a scratch register that does not exist, and
 * one in which ones clear bits that are never set here. */
#define OVERLAY_IDLE(X) \
    X(FIRMWARE_SCRATCH, 208, 1) \
    X(DEBUG_ASSERTIONS, 500, 1)

/* X(name, number, count): registers that read as zero, and in which a write would start something that is not
 * modelled. */
#define OVERLAY_UNMODELLED(X) \
    X(RELOAD_PHASE_BLOB, 32, 1) \
    X(GLOBAL_OFFSET_TABLE, 207, 1) \
    X(MSG_HEADER_FETCH, 254, 1)

/* OVERLAY_REMOTE_SRC = 4 ... */
#define OVERLAY_NUMBER(name, number, count)            OVERLAY_##name = (number),
#define OVERLAY_NUMBER_OF(name, number, bits, streams) OVERLAY_##name = (number),
enum overlay_register {
    OVERLAY_STORED(OVERLAY_NUMBER_OF) OVERLAY_SHOWN(OVERLAY_NUMBER) OVERLAY_COMMANDS(OVERLAY_NUMBER)
        OVERLAY_IDLE(OVERLAY_NUMBER) OVERLAY_UNMODELLED(OVERLAY_NUMBER)
};
#undef OVERLAY_NUMBER
#undef OVERLAY_NUMBER_OF

enum { OVERLAY_REGISTERS = 512 /* bound of all register numbers */ };

#endif
