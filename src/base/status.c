/* Texts of the public enumerations, from the list in bhemu_status.def. */
#include "bhemu.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

static const char *const statuses[BH_STATUS_COUNT] = {
#define BH_STATUS(name, text) [BH_##name] = text,
#include "bhemu_status.def"
};

static const char *const fault_kinds[BH_FAULT_KIND_COUNT] = {
#define BH_FAULT_KIND(name, text) [BH_FAULT_##name] = text,
#include "bhemu_status.def"
};

static const char *const stop_reasons[BH_STOP_REASON_COUNT] = {
#define BH_STOP_REASON(name, text) [BH_STOP_##name] = text,
#include "bhemu_status.def"
};

const char *bh_version(void) {
    return STRING(BH_VERSION_MAJOR) "." STRING(BH_VERSION_MINOR) "." STRING(BH_VERSION_PATCH);
}

const char *bh_status_text(bh_status status) {
    return (unsigned)status < BH_STATUS_COUNT ? statuses[status] : "unknown status";
}

const char *bh_fault_kind_text(enum bh_fault_kind kind) {
    return (unsigned)kind < BH_FAULT_KIND_COUNT ? fault_kinds[kind] : "unknown fault";
}

const char *bh_stop_reason_text(enum bh_stop_reason reason) {
    return (unsigned)reason < BH_STOP_REASON_COUNT ? stop_reasons[reason] : "unknown reason";
}
