"""The C interface of libbhemu, from include/bhemu.h. Made by python/prototypes.py: do not edit."""

from ctypes import *  # noqa: F403
from enum import IntEnum

BH_ALL_CORES = 31
BH_ERISC0 = 0
BH_ERISC1 = 4
BH_THREADS = 3
BH_VERSION_MAJOR = 0
BH_VERSION_MINOR = 1
BH_VERSION_PATCH = 0


class bh_status(IntEnum):
    BH_OK = 0
    BH_ERR_ARGUMENT = 1
    BH_ERR_COORDINATE = 2
    BH_ERR_ADDRESS = 3
    BH_ERR_ALIGNMENT = 4
    BH_ERR_ELF = 5
    BH_ERR_MEMORY = 6
    BH_ERR_STATE = 7
    BH_ERR_UNMODELLED = 8
    BH_ERR_FILE = 9
    BH_ERR_INTERNAL = 10
    BH_STATUS_COUNT = 11


class bh_fault_kind(IntEnum):
    BH_FAULT_ILLEGAL_INSTRUCTION = 0
    BH_FAULT_UNMAPPED = 1
    BH_FAULT_MISALIGNED = 2
    BH_FAULT_RUNAWAY = 3
    BH_FAULT_UNDEFINED = 4
    BH_FAULT_UNMODELLED = 5
    BH_FAULT_DEADLOCK = 6
    BH_FAULT_KIND_COUNT = 7


class bh_stop_reason(IntEnum):
    BH_STOP_CYCLES = 0
    BH_STOP_IDLE = 1
    BH_STOP_FAULT = 2
    BH_STOP_DEADLOCK = 3
    BH_STOP_REASON_COUNT = 4


class bh_core(IntEnum):
    BH_BRISC = 0
    BH_TRISC0 = 1
    BH_TRISC1 = 2
    BH_TRISC2 = 3
    BH_NCRISC = 4
    BH_CORE_COUNT = 5


class bh_tile_kind(IntEnum):
    BH_TILE_TENSIX = 0
    BH_TILE_DRAM = 1
    BH_TILE_ETH = 2
    BH_TILE_PCIE = 3
    BH_TILE_ARC = 4
    BH_TILE_L2CPU = 5
    BH_TILE_SECURITY = 6
    BH_TILE_ROUTER = 7
    BH_TILE_KIND_COUNT = 8


class bh_board(IntEnum):
    BH_BOARD_P150 = 0
    BH_BOARD_P100A = 1
    BH_BOARD_P300 = 2
    BH_BOARD_GALAXY = 3


class bh_timing(IntEnum):
    BH_TIMING_CYCLES = 0
    BH_TIMING_LOOSE = 1

BH_THREADS_MAX = 64
BH_SKEW_MAX = 128
BH_EPOCH_MAX = 256
BH_SYSTEM_CHIPS = 2048
BH_SYSTEM_LINKS = 16384
BH_SYSTEM_RANKS = 256
BH_LINK_LATENCY_MIN = 16
BH_INSTRUCTION_TEXT = 320


class bh_run_flags(IntEnum):
    BH_RUN_STOP_ON_FAULT = 1
    BH_RUN_STOP_ON_IDLE = 2


class bh_core_state(IntEnum):
    BH_CORE_IN_RESET = 0
    BH_CORE_RUNNING = 1
    BH_CORE_POLLING = 2
    BH_CORE_BLOCKED = 3
    BH_CORE_PAUSED = 4
    BH_CORE_FAULTED = 5


class bh_register(IntEnum):
    BH_REG_X0 = 0
    BH_REG_F0 = 32
    BH_REG_PC = 64
    BH_REG_CSR = 4096
    BH_REG_V0 = 8192


class bh_thread_state(IntEnum):
    BH_THREAD_IDLE = 0
    BH_THREAD_RUNNING = 1
    BH_THREAD_WAITING = 2
    BH_THREAD_FAULTED = 3


class bh_adc_user(IntEnum):
    BH_ADC_UNPACKER0 = 0
    BH_ADC_UNPACKER1 = 1
    BH_ADC_PACKER = 2
    BH_ADC_USERS = 3


class bh_src_file(IntEnum):
    BH_SRC_A = 0
    BH_SRC_B = 1
    BH_SRC_FILES = 2


class bh_src_owner(IntEnum):
    BH_SRC_UNPACKERS = 0
    BH_SRC_MATRIX = 1


class bh_replay_state(IntEnum):
    BH_REPLAY_IDLE = 0
    BH_REPLAY_RECORDING = 1
    BH_REPLAY_PLAYING = 2


class bh_part(IntEnum):
    BH_PART_CHIP = 0
    BH_PART_ARC = 1
    BH_PART_TILE = 2
    BH_PART_PACKETS = 3
    BH_PART_L1 = 4
    BH_PART_DRAM = 5
    BH_PART_COUNT = 6


class bh_diff_flags(IntEnum):
    BH_DIFF_VALUES = 1


class bh_track(IntEnum):
    BH_TRACK_BRISC = 0
    BH_TRACK_TRISC0 = 1
    BH_TRACK_TRISC1 = 2
    BH_TRACK_TRISC2 = 3
    BH_TRACK_NCRISC = 4
    BH_TRACK_T0 = 5
    BH_TRACK_T1 = 6
    BH_TRACK_T2 = 7
    BH_TRACK_UNPACK0 = 8
    BH_TRACK_UNPACK1 = 9
    BH_TRACK_MATRIX = 10
    BH_TRACK_VECTOR = 11
    BH_TRACK_PACK = 12
    BH_TRACK_SCALAR = 13
    BH_TRACK_CONFIG = 14
    BH_TRACK_SYNC = 15
    BH_TRACK_MISC = 16
    BH_TRACK_MOVER = 17
    BH_TRACK_NOC0 = 18
    BH_TRACK_NOC1 = 19
    BH_TRACK_ETH = 20
    BH_TRACK_COUNT = 21


class bh_event_kind(IntEnum):
    BH_EVENT_WORK = 0
    BH_EVENT_WAIT = 1
    BH_EVENT_PACKET = 2
    BH_EVENT_REQUEST = 3
    BH_EVENT_INSTRUCTION = 4


class bh_access(IntEnum):
    BH_ACCESS_WRITE = 1
    BH_ACCESS_READ = 2


class bh_watch(IntEnum):
    BH_WATCH_STATS = 1
    BH_WATCH_PROFILE = 2
    BH_WATCH_EVENTS = 4
    BH_WATCH_INSTRUCTIONS = 8


class bh_hazard_kind(IntEnum):
    BH_HAZARD_READ_IN_FLIGHT = 0
    BH_HAZARD_READ_OVERWRITES = 1
    BH_HAZARD_SOURCE_IN_FLIGHT = 2
    BH_HAZARD_STORE_ON_ITS_WAY = 3
    BH_HAZARD_STALE_LINE = 4
    BH_HAZARD_REMOTE_WRITE = 5
    BH_HAZARD_REMOTE_OVERWRITES = 6
    BH_HAZARD_L1_BY_UNITS = 7
    BH_HAZARD_DST = 8
    BH_HAZARD_GPR = 9
    BH_HAZARD_LOST_COUNT = 10
    BH_HAZARD_LOST_MESSAGE = 11
    BH_HAZARD_SRC = 12
    BH_HAZARD_SEMAPHORE = 13
    BH_HAZARD_MOP = 14
    BH_HAZARD_REPLAY = 15
    BH_HAZARD_UNWRITTEN = 16
    BH_HAZARD_AT_END = 17
    BH_HAZARD_CONFIG_IN_USE = 18
    BH_HAZARD_CONFIG_ON_ITS_WAY = 19
    BH_HAZARD_CB_SHARED = 20
    BH_HAZARD_CB_COUNT = 21
    BH_HAZARD_CB_PAGE = 22
    BH_HAZARD_CB_OVERLAP = 23
    BH_HAZARD_COMMAND = 24
    BH_HAZARD_LREG = 25
    BH_HAZARD_LOST_FIELD = 26
    BH_HAZARD_KIND_COUNT = 27


class bh_verdict(IntEnum):
    BH_VERDICT_RACE = 0
    BH_VERDICT_LATENT = 1
    BH_VERDICT_BENIGN = 2
    BH_VERDICT_UNCERTAIN = 3
    BH_VERDICT_SUSPECT = 4
    BH_VERDICT_COUNT = 5


class bh_hazard_memory(IntEnum):
    BH_HAZARD_IN_NOTHING = 0
    BH_HAZARD_IN_L1 = 1
    BH_HAZARD_IN_DRAM = 2
    BH_HAZARD_IN_GPRS = 3
    BH_HAZARD_IN_CONFIG = 4
    BH_HAZARD_IN_DST = 5
    BH_HAZARD_IN_SRC = 6
    BH_HAZARD_IN_MOP = 7
    BH_HAZARD_IN_SEMAPHORES = 8
    BH_HAZARD_IN_REPLAY = 9
    BH_HAZARD_IN_LREGS = 10
    BH_HAZARD_IN_BUFFERS = 11
    BH_HAZARD_IN_COMMANDS = 12
    BH_HAZARD_IN_THREAD_CONFIG = 13
    BH_HAZARD_MEMORY_COUNT = 14


class bh_delay_kind(IntEnum):
    BH_DELAY_STORE = 0
    BH_DELAY_GAP = 1
    BH_DELAY_CONFIG = 2
    BH_DELAY_GATE = 3
    BH_DELAY_UNPACK = 4
    BH_DELAY_PACK = 5
    BH_DELAY_MOVE = 6
    BH_DELAY_LOAD = 7
    BH_DELAY_SEND = 8
    BH_DELAY_EVICT = 9
    BH_DELAY_REQUEST = 10
    BH_DELAY_RESPONSE = 11
    BH_DELAY_DRAM = 12
    BH_DELAY_KIND_COUNT = 13


class bh_debug_kind(IntEnum):
    BH_DEBUG_BREAK = 0
    BH_DEBUG_STEP = 1
    BH_DEBUG_WRITE = 2
    BH_DEBUG_READ = 3
    BH_DEBUG_FAULT = 4
    BH_DEBUG_TIME = 5


class bh_system_kind(IntEnum):
    BH_SYSTEM_P150 = 0
    BH_SYSTEM_P300 = 1
    BH_SYSTEM_QUIETBOX = 2
    BH_SYSTEM_GALAXY = 3
    BH_SYSTEM_QUIETBOX_2 = 4
    BH_SYSTEM_KIND_COUNT = 5


class bh_xy(Structure):
    _fields_ = [
        ("x", c_uint8),
        ("y", c_uint8),
    ]


class bh_tile_info(Structure):
    _fields_ = [
        ("kind", c_int),
        ("harvested", c_bool),
        ("index", c_uint8),
        ("port", c_uint8),
        ("noc0", bh_xy),
        ("noc1", bh_xy),
        ("translated", bh_xy),
        ("logical", bh_xy),
    ]


class bh_region(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("base", c_uint32),
        ("size", c_uint32),
        ("cores", c_uint),
        ("noc", c_bool),
        ("load_latency", c_uint),
    ]


class bh_fault(Structure):
    _fields_ = [
        ("kind", c_int),
        ("tile", bh_xy),
        ("core", c_int),
        ("thread", c_int),
        ("pc", c_uint32),
        ("insn", c_uint32),
        ("address", c_uint64),
        ("cycle", c_uint64),
        ("text", c_char * 200),
    ]


class bh_config(Structure):
    _fields_ = [
        ("board", c_int),
        ("tensix_harvest", c_uint16),
        ("eth_harvest", c_uint16),
        ("dram_harvest", c_uint8),
        ("location", c_uint8),
        ("serial", c_uint32),
        ("number", c_uint32),
        ("threads", c_uint),
        ("timing", c_int),
        ("skew", c_uint),
        ("epoch", c_uint),
        ("debug_flaws", c_bool),
        ("on_fault", CFUNCTYPE(None, c_void_p, c_void_p, POINTER(bh_fault))),
        ("on_warning", CFUNCTYPE(None, c_void_p, c_void_p, POINTER(bh_fault))),
        ("host_read", CFUNCTYPE(None, c_void_p, c_uint64, c_void_p, c_size_t)),
        ("host_write", CFUNCTYPE(None, c_void_p, c_uint64, c_void_p, c_size_t)),
        ("user", c_void_p),
    ]


class bh_image_info(Structure):
    _fields_ = [
        ("entry", c_uint32),
        ("low", c_uint32),
        ("high", c_uint32),
    ]


class bh_stop(Structure):
    _fields_ = [
        ("reason", c_int),
        ("cycle", c_uint64),
        ("waiting", c_uint),
        ("fault", bh_fault),
    ]


class bh_core_info(Structure):
    _fields_ = [
        ("state", c_int),
        ("pc", c_uint32),
        ("cycle", c_uint64),
        ("retired", c_uint64),
        ("waits_on", c_char_p),
        ("waits_at", c_uint32),
    ]


class bh_thread_info(Structure):
    _fields_ = [
        ("state", c_int),
        ("word", c_uint32),
        ("pc", c_uint32),
        ("queued", c_uint),
        ("passed", c_uint64),
        ("waits_on", c_char_p),
    ]


class bh_wait(Structure):
    _fields_ = [
        ("opcode", c_uint8),
        ("semaphores", c_uint8),
        ("stream", c_uint8),
        ("block", c_uint16),
        ("condition", c_uint16),
        ("unmet", c_uint16),
        ("target", c_uint32),
        ("since", c_uint64),
        ("until", c_uint64),
        ("text", c_char * 256),
    ]


class bh_adc_channel(Structure):
    _fields_ = [
        ("value", c_uint32 * 4),
        ("cr", c_uint32 * 4),
    ]


class bh_adc(Structure):
    _fields_ = [
        ("channel", bh_adc_channel * 2),
    ]


class bh_rwc(Structure):
    _fields_ = [
        ("dst", c_uint16),
        ("dst_cr", c_uint16),
        ("sp", c_uint16),
        ("src_a", c_uint8),
        ("src_a_cr", c_uint8),
        ("src_b", c_uint8),
        ("src_b_cr", c_uint8),
        ("fidelity", c_uint8),
    ]


class bh_src_info(Structure):
    _fields_ = [
        ("owner", c_int * 2),
        ("format", c_uint8 * 2),
        ("unpacker_bank", c_uint8),
        ("matrix_bank", c_uint8),
        ("valid", c_bool),
        ("free", c_bool),
        ("unpacker_row", c_uint8 * 3),
    ]


class bh_mop_info(Structure):
    _fields_ = [
        ("config", c_uint32 * 9),
        ("zmask_high", c_uint16),
        ("queued", c_uint8),
        ("expanding", c_bool),
        ("step", c_uint8),
        ("outer", c_uint16),
        ("outer_count", c_uint16),
        ("inner", c_uint16),
        ("inner_count", c_uint16),
        ("word", c_uint32),
        ("pc", c_uint32),
        ("mask", c_uint32),
        ("next", c_uint32),
    ]


class bh_replay_info(Structure):
    _fields_ = [
        ("word", c_uint32 * 32),
        ("state", c_int),
        ("executing", c_bool),
        ("at", c_uint8),
        ("left", c_uint8),
        ("pc", c_uint32),
    ]


class bh_difference(Structure):
    _fields_ = [
        ("part", c_int),
        ("tile", bh_xy),
        ("bank", c_uint),
        ("address", c_uint64),
        ("size", c_uint32),
        ("time", c_bool),
        ("value", c_uint64 * 2),
        ("name", c_char * 160),
        ("text", c_char * 120 * 2),
    ]


class bh_instruction(Structure):
    _fields_ = [
        ("number", c_uint64),
        ("issued", c_uint64),
        ("done", c_uint64),
        ("waited", c_uint64),
        ("access", c_uint),
        ("address", c_uint32),
        ("size", c_uint32),
        ("stored", c_uint32),
        ("reg", c_int),
        ("value", c_uint32),
        ("csr", c_int),
        ("csr_value", c_uint32),
        ("vectors", c_uint32),
        ("vector", POINTER(c_uint8)),
        ("vtype", c_uint32),
        ("vl", c_uint32),
    ]


class bh_event(Structure):
    _fields_ = [
        ("kind", c_int),
        ("track", c_int),
        ("tile", bh_xy),
        ("start", c_uint64),
        ("end", c_uint64),
        ("name", c_char_p),
        ("count", c_uint32),
        ("word", c_uint32),
        ("pc", c_uint32),
        ("at", c_uint64),
        ("bytes", c_uint32),
        ("peer", bh_xy),
        ("from", bh_xy),
        ("to", bh_xy),
        ("asked", c_uint32),
        ("core", c_int8),
        ("vc", c_uint8),
        ("posted", c_bool),
        ("instruction", POINTER(bh_instruction)),
    ]


class bh_track_stats(Structure):
    _fields_ = [
        ("busy", c_uint64),
        ("stalled", c_uint64),
        ("instructions", c_uint64),
        ("packets_in", c_uint64),
        ("bytes_in", c_uint64),
        ("bytes_out", c_uint64),
    ]


class bh_stall(Structure):
    _fields_ = [
        ("why", c_char_p),
        ("at", c_uint32),
        ("cycles", c_uint64),
    ]


class bh_mix(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("count", c_uint64),
    ]


class bh_profile(Structure):
    _fields_ = [
        ("pc", c_uint32),
        ("word", c_uint32),
        ("count", c_uint64),
        ("cycles", c_uint64),
        ("waited", c_uint64),
    ]


class bh_hazard_side(Structure):
    _fields_ = [
        ("tile", bh_xy),
        ("agent", c_char * 32),
        ("core", c_int),
        ("writes", c_bool),
        ("pc", c_uint32),
        ("word", c_uint32),
        ("tensix", c_bool),
        ("cycle", c_uint64),
    ]


class bh_hazard(Structure):
    _fields_ = [
        ("kind", c_int),
        ("verdict", c_int),
        ("first", bh_hazard_side),
        ("second", bh_hazard_side),
        ("tile", bh_xy),
        ("place", c_char * 80),
        ("count", c_uint64),
        ("memory", c_int),
        ("address", c_uint64),
        ("buffer", c_char * 120),
    ]


class bh_check_firmware(Structure):
    _fields_ = [
        ("start", c_uint32 * 5),
        ("sync", c_uint32),
        ("sync_count", c_uint32),
        ("go", c_uint32),
        ("go_count", c_uint32),
        ("launch", c_uint32),
        ("launch_size", c_uint32),
        ("launch_count", c_uint32),
        ("launch_index", c_uint32),
        ("config_base", c_uint32),
        ("cb_offset", c_uint32),
        ("cb_mask", c_uint32),
        ("cb_mask_size", c_uint32),
        ("cb_count", c_uint32),
        ("cb_stream", c_uint32),
    ]


class bh_delay(Structure):
    _fields_ = [
        ("kind", c_int),
        ("tile", bh_xy),
        ("to", bh_xy),
        ("agent", c_uint8),
        ("number", c_uint64),
        ("cycles", c_uint32),
        ("cycle", c_uint64),
        ("core", c_int),
        ("pc", c_uint32),
    ]


class bh_debug_event(Structure):
    _fields_ = [
        ("kind", c_int),
        ("tile", bh_xy),
        ("core", c_int),
        ("pc", c_uint32),
        ("number", c_uint64),
        ("cycle", c_uint64),
        ("address", c_uint32),
        ("size", c_uint32),
        ("by", c_int),
        ("agent", c_char * 64),
        ("fault", POINTER(bh_fault)),
    ]


class bh_link(Structure):
    _fields_ = [
        ("chip", c_uint * 2),
        ("port", c_uint * 2),
        ("latency", c_uint),
        ("rate", c_uint),
    ]


class bh_system_stop(Structure):
    _fields_ = [
        ("reason", c_int),
        ("cycle", c_uint64),
        ("waiting", c_uint),
        ("chip", c_uint),
        ("fault", bh_fault),
    ]


class bh_transport(Structure):
    _fields_ = [
        ("rank", c_uint),
        ("ranks", c_uint),
        ("user", c_void_p),
        ("send", CFUNCTYPE(c_bool, c_void_p, c_uint, c_void_p, c_size_t)),
        ("receive", CFUNCTYPE(c_bool, c_void_p, c_uint, POINTER(c_void_p), POINTER(c_size_t))),
        ("message", CFUNCTYPE(c_char_p, c_void_p)),
        ("abort", CFUNCTYPE(None, c_void_p, c_int)),
        ("close", CFUNCTYPE(None, c_void_p)),
    ]


class bh_link_event(Structure):
    _fields_ = [
        ("link", c_uint),
        ("up", c_bool),
        ("cycle", c_uint64),
        ("lost", c_uint64),
    ]


class bh_link_stats(Structure):
    _fields_ = [
        ("up", c_bool),
        ("cuts", c_uint64),
        ("frames", c_uint64 * 2),
        ("bytes", c_uint64 * 2),
        ("received", c_uint64 * 2),
        ("dropped", c_uint64 * 2),
        ("resent", c_uint64 * 2),
        ("lost", c_uint64 * 2),
        ("in_flight", c_uint64 * 2),
    ]


class bh_isa_field(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("low", c_uint8),
        ("width", c_uint8),
        ("used", c_uint8),
    ]


class bh_isa_row(Structure):
    _fields_ = [
        ("opcode", c_uint8),
        ("implemented", c_bool),
        ("occupancy", c_uint8),
        ("latency", c_uint8),
        ("field_count", c_uint),
        ("fields", POINTER(bh_isa_field)),
        ("name", c_char_p),
        ("unit", c_char_p),
        ("gate", c_char_p),
        ("page", c_char_p),
        ("meaning", c_char_p),
    ]


class bh_isa_config(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("section", c_char_p),
        ("thread", c_bool),
        ("word", c_uint8),
        ("shift", c_uint8),
        ("width", c_uint8),
    ]


class bh_coverage(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("tensix", c_bool),
        ("words", c_uint64),
    ]


# name: (result, arguments)
FUNCTIONS = {
    "bh_version": (c_char_p, []),
    "bh_host_level": (c_char_p, []),
    "bh_status_text": (c_char_p, [c_int]),
    "bh_fault_kind_text": (c_char_p, [c_int]),
    "bh_stop_reason_text": (c_char_p, [c_int]),
    "bh_core_name": (c_char_p, [c_int]),
    "bh_tile_kind_name": (c_char_p, [c_int]),
    "bh_region_at": (c_int, [c_uint, POINTER(bh_region)]),
    "bh_config_init": (None, [POINTER(bh_config)]),
    "bh_config_board": (None, [POINTER(bh_config), c_int]),
    "bh_create": (c_int, [POINTER(bh_config), POINTER(c_void_p), c_char_p, c_size_t]),
    "bh_destroy": (None, [c_void_p]),
    "bh_reset": (None, [c_void_p]),
    "bh_message": (c_char_p, [c_void_p]),
    "bh_tile_at": (c_int, [c_void_p, c_uint, POINTER(bh_tile_info)]),
    "bh_tile_find": (c_int, [c_void_p, bh_xy, POINTER(bh_tile_info)]),
    "bh_core_name_at": (c_char_p, [c_void_p, bh_xy, c_int]),
    "bh_read": (c_int, [c_void_p, bh_xy, c_uint64, c_void_p, c_size_t]),
    "bh_write": (c_int, [c_void_p, bh_xy, c_uint64, c_void_p, c_size_t]),
    "bh_peek": (c_int, [c_void_p, bh_xy, c_uint64, c_void_p, c_size_t]),
    "bh_poke": (c_int, [c_void_p, bh_xy, c_uint64, c_void_p, c_size_t]),
    "bh_load_elf": (c_int, [c_void_p, bh_xy, c_int, c_void_p, c_size_t, POINTER(bh_image_info)]),
    "bh_load_raw": (c_int, [c_void_p, bh_xy, c_int, c_uint32, c_void_p, c_size_t]),
    "bh_release": (c_int, [c_void_p, bh_xy, c_uint]),
    "bh_hold": (c_int, [c_void_p, bh_xy, c_uint]),
    "bh_run": (c_int, [c_void_p, c_uint64, c_uint, POINTER(bh_stop)]),
    "bh_cycle": (c_uint64, [c_void_p]),
    "bh_epoch": (c_uint, [c_void_p]),
    "bh_unsettled": (c_bool, [c_void_p]),
    "bh_commanded": (c_bool, [c_void_p]),
    "bh_deadlocked": (c_bool, [c_void_p]),
    "bh_asleep": (c_uint64, [c_void_p, bh_xy]),
    "bh_report": (c_size_t, [c_void_p, c_char_p, c_size_t]),
    "bh_core_query": (c_int, [c_void_p, bh_xy, c_int, POINTER(bh_core_info)]),
    "bh_core_get": (c_int, [c_void_p, bh_xy, c_int, c_uint, POINTER(c_uint32)]),
    "bh_core_set": (c_int, [c_void_p, bh_xy, c_int, c_uint, c_uint32]),
    "bh_core_resume": (c_int, [c_void_p, bh_xy, c_int]),
    "bh_core_fault": (c_int, [c_void_p, bh_xy, c_int, POINTER(bh_fault)]),
    "bh_thread_query": (c_int, [c_void_p, bh_xy, c_uint, POINTER(bh_thread_info)]),
    "bh_thread_fault": (c_int, [c_void_p, bh_xy, c_uint, POINTER(bh_fault)]),
    "bh_gpr_get": (c_int, [c_void_p, bh_xy, c_uint, c_uint, POINTER(c_uint32)]),
    "bh_gpr_set": (c_int, [c_void_p, bh_xy, c_uint, c_uint, c_uint32]),
    "bh_tensix_config_get": (c_int, [c_void_p, bh_xy, c_uint, c_uint, POINTER(c_uint32)]),
    "bh_thread_config_get": (c_int, [c_void_p, bh_xy, c_uint, c_uint, POINTER(c_uint32)]),
    "bh_dst_get": (c_int, [c_void_p, bh_xy, c_uint, c_uint, POINTER(c_uint32)]),
    "bh_lreg_get": (c_int, [c_void_p, bh_xy, c_uint, c_uint, POINTER(c_uint32)]),
    "bh_semaphore_get": (c_int, [c_void_p, bh_xy, c_uint, POINTER(c_uint32), POINTER(c_uint32)]),
    "bh_wait_get": (c_int, [c_void_p, bh_xy, c_uint, POINTER(bh_wait)]),
    "bh_adc_get": (c_int, [c_void_p, bh_xy, c_uint, c_int, POINTER(bh_adc)]),
    "bh_rwc_get": (c_int, [c_void_p, bh_xy, c_uint, POINTER(bh_rwc)]),
    "bh_src_query": (c_int, [c_void_p, bh_xy, c_int, POINTER(bh_src_info)]),
    "bh_src_get": (c_int, [c_void_p, bh_xy, c_int, c_uint, c_uint, c_uint, POINTER(c_uint32)]),
    "bh_mop_get": (c_int, [c_void_p, bh_xy, c_uint, POINTER(bh_mop_info)]),
    "bh_replay_get": (c_int, [c_void_p, bh_xy, c_uint, POINTER(bh_replay_info)]),
    "bh_state_hash": (c_uint64, [c_void_p]),
    "bh_part_name": (c_char_p, [c_int]),
    "bh_state_diff": (c_int, [c_void_p, c_void_p, POINTER(bh_xy), c_uint, CFUNCTYPE(c_bool, c_void_p, POINTER(bh_difference)), c_void_p]),
    "bh_save": (c_int, [c_void_p, c_char_p]),
    "bh_load": (c_int, [c_void_p, c_char_p]),
    "bh_saved_config": (c_int, [c_char_p, POINTER(bh_config), c_char_p, c_size_t]),
    "bh_snapshot_take": (c_int, [c_void_p, POINTER(c_void_p)]),
    "bh_snapshot_restore": (c_int, [c_void_p, c_void_p]),
    "bh_snapshot_size": (c_size_t, [c_void_p]),
    "bh_snapshot_free": (None, [c_void_p]),
    "bh_track_name": (c_char_p, [c_int]),
    "bh_observe": (c_int, [c_void_p, c_uint, CFUNCTYPE(None, c_void_p, POINTER(bh_event)), c_void_p]),
    "bh_observe_flush": (c_int, [c_void_p]),
    "bh_stats_get": (c_int, [c_void_p, bh_xy, c_int, POINTER(bh_track_stats)]),
    "bh_stall_at": (c_int, [c_void_p, bh_xy, c_int, c_uint, POINTER(bh_stall)]),
    "bh_mix_at": (c_int, [c_void_p, bh_xy, c_int, c_uint, POINTER(bh_mix)]),
    "bh_profile_from": (c_int, [c_void_p, bh_xy, c_int, c_uint32, POINTER(bh_profile)]),
    "bh_endpoint_stats": (c_int, [c_void_p, POINTER(bh_track_stats)]),
    "bh_hazard_kind_name": (c_char_p, [c_int]),
    "bh_hazard_kind_text": (c_char_p, [c_int]),
    "bh_hazard_remedy": (c_char_p, [c_int]),
    "bh_verdict_name": (c_char_p, [c_int]),
    "bh_hazard_memory_name": (c_char_p, [c_int]),
    "bh_check": (c_int, [c_void_p, c_bool]),
    "bh_check_end": (c_int, [c_void_p, c_uint32, c_uint32, c_uint8]),
    "bh_check_firmware": (c_int, [c_void_p, POINTER(bh_check_firmware)]),
    "bh_check_buffer": (c_int, [c_void_p, bh_xy, c_char_p, c_uint32]),
    "bh_check_finish": (c_int, [c_void_p]),
    "bh_hazard_count": (c_size_t, [c_void_p]),
    "bh_hazard_at": (c_int, [c_void_p, c_size_t, POINTER(bh_hazard)]),
    "bh_check_incomplete": (c_bool, [c_void_p]),
    "bh_delay_kind_name": (c_char_p, [c_int]),
    "bh_delay_kind_text": (c_char_p, [c_int]),
    "bh_delay_kind_source": (c_char_p, [c_int]),
    "bh_delay_kind_most": (c_uint32, [c_int]),
    "bh_vary": (c_int, [c_void_p, c_uint64]),
    "bh_vary_only": (c_int, [c_void_p, POINTER(bh_delay), c_size_t]),
    "bh_vary_text": (c_int, [c_void_p, c_char_p]),
    "bh_delay_count": (c_size_t, [c_void_p]),
    "bh_delay_at": (c_int, [c_void_p, c_size_t, POINTER(bh_delay)]),
    "bh_delays_incomplete": (c_bool, [c_void_p]),
    "bh_delay_text": (c_size_t, [POINTER(bh_delay), c_char_p, c_size_t]),
    "bh_delay_parse": (c_char_p, [c_char_p, POINTER(bh_delay)]),
    "bh_debug": (c_int, [c_void_p, CFUNCTYPE(None, c_void_p, c_void_p, POINTER(bh_debug_event)), c_void_p]),
    "bh_breakpoint": (c_int, [c_void_p, bh_xy, c_uint, c_uint32, c_bool]),
    "bh_step": (c_int, [c_void_p, bh_xy, c_uint]),
    "bh_watchpoint": (c_int, [c_void_p, bh_xy, c_int, c_uint32, c_uint32, c_uint, c_bool]),
    "bh_debug_at": (c_int, [c_void_p, c_uint64]),
    "bh_core_peek": (c_int, [c_void_p, bh_xy, c_int, c_uint32, c_void_p, c_size_t]),
    "bh_core_poke": (c_int, [c_void_p, bh_xy, c_int, c_uint32, c_void_p, c_size_t]),
    "bh_host_changes": (c_uint64, [c_void_p]),
    "bh_pci_config_read": (c_int, [c_void_p, c_uint32, POINTER(c_uint32)]),
    "bh_pci_config_write": (c_int, [c_void_p, c_uint32, c_uint32]),
    "bh_bar_read": (c_int, [c_void_p, c_uint, c_uint64, c_void_p, c_size_t]),
    "bh_bar_write": (c_int, [c_void_p, c_uint, c_uint64, c_void_p, c_size_t]),
    "bh_pci_read": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "bh_pci_write": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "bh_system_create": (c_int, [POINTER(c_void_p)]),
    "bh_system_destroy": (None, [c_void_p]),
    "bh_system_message": (c_char_p, [c_void_p]),
    "bh_system_threads": (c_int, [c_void_p, c_uint]),
    "bh_system_defaults": (c_int, [c_void_p, POINTER(bh_config)]),
    "bh_system_kind_name": (c_char_p, [c_int]),
    "bh_system_add": (c_int, [c_void_p, c_int]),
    "bh_system_describe": (c_int, [c_void_p, c_char_p, c_size_t]),
    "bh_system_add_chip": (c_int, [c_void_p, POINTER(bh_config), POINTER(c_uint)]),
    "bh_system_add_link": (c_int, [c_void_p, POINTER(bh_link), POINTER(c_uint)]),
    "bh_system_chip_count": (c_uint, [c_void_p]),
    "bh_system_link_count": (c_uint, [c_void_p]),
    "bh_system_chip": (c_void_p, [c_void_p, c_uint]),
    "bh_system_link_at": (c_int, [c_void_p, c_uint, POINTER(bh_link)]),
    "bh_system_run": (c_int, [c_void_p, c_uint64, c_uint, POINTER(bh_system_stop)]),
    "bh_system_cycle": (c_uint64, [c_void_p]),
    "bh_system_quantum": (c_uint, [c_void_p]),
    "bh_system_hash": (c_uint64, [c_void_p]),
    "bh_system_save": (c_int, [c_void_p, c_char_p]),
    "bh_system_load": (c_int, [c_void_p, c_char_p]),
    "bh_system_snapshot_take": (c_int, [c_void_p, POINTER(c_void_p)]),
    "bh_system_snapshot_restore": (c_int, [c_void_p, c_void_p]),
    "bh_system_report": (c_size_t, [c_void_p, c_char_p, c_size_t]),
    "bh_system_ranks": (c_int, [c_void_p, POINTER(bh_transport)]),
    "bh_system_rank_of": (c_uint, [c_void_p, c_uint]),
    "bh_system_cut": (c_int, [c_void_p, c_uint]),
    "bh_system_join": (c_int, [c_void_p, c_uint]),
    "bh_system_reset_chip": (c_int, [c_void_p, c_uint]),
    "bh_system_on_link": (c_int, [c_void_p, CFUNCTYPE(None, c_void_p, c_void_p, POINTER(bh_link_event)), c_void_p]),
    "bh_system_link_stats": (c_int, [c_void_p, c_uint, POINTER(bh_link_stats)]),
    "bh_disassemble": (c_size_t, [c_uint32, c_uint32, c_char_p, c_size_t]),
    "bh_coverage_at": (c_int, [c_void_p, c_uint, POINTER(bh_coverage)]),
    "bh_isa_at": (c_int, [c_uint, POINTER(bh_isa_row)]),
    "bh_isa_config_at": (c_int, [c_uint, POINTER(bh_isa_config)]),
}
