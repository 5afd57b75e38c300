/* Overlay streams as the coprocessor and the circular buffers use them: numbers of registers within a stream. */
#ifndef ISA_OVERLAY_H
#define ISA_OVERLAY_H

enum { OVERLAY_STREAMS = 64, OVERLAY_STREAM_SIZE = 0x1000 };

enum overlay_register {
    OVERLAY_CURR_PHASE = 29,
    OVERLAY_NUM_MSGS_RECEIVED = 259,
};

#endif
