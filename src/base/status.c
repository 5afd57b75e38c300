/* Texts of the public enumerations, from the one list in bhemu_status.def. */
#include "bhemu.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

const char *bh_version(void) {
    return STRING(BH_VERSION_MAJOR) "." STRING(BH_VERSION_MINOR) "." STRING(BH_VERSION_PATCH);
}

const char *bh_status_text(bh_status status) {
    switch (status) {
#define BH_STATUS(name, text) \
    case BH_##name: return text;
#include "bhemu_status.def"
    case BH_STATUS_COUNT: break;
    }
    return "unknown status";
}

const char *bh_fault_kind_text(enum bh_fault_kind kind) {
    switch (kind) {
#define BH_FAULT_KIND(name, text) \
    case BH_FAULT_##name: return text;
#include "bhemu_status.def"
    case BH_FAULT_KIND_COUNT: break;
    }
    return "unknown fault";
}

const char *bh_stop_reason_text(enum bh_stop_reason reason) {
    switch (reason) {
#define BH_STOP_REASON(name, text) \
    case BH_STOP_##name: return text;
#include "bhemu_status.def"
    case BH_STOP_REASON_COUNT: break;
    }
    return "unknown reason";
}
