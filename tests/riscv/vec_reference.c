/* See vec_reference.h. */
#include "vec_reference.h"

#include <stdlib.h>

__extension__ typedef __int128 wide;

#define MAX 128 /* elements of a group, at most */

struct numbers {
    uint64_t a[MAX], b[MAX], d[MAX]; /* unsigned values of the elements */
    bool mask[MAX], a_bit[MAX], b_bit[MAX], d_bit[MAX];
};

static bool is(const char *name, const char *text) {
    return strcmp(name, text) == 0;
}

static bool starts(const char *name, const char *text) {
    return strncmp(name, text, strlen(text)) == 0;
}

static bool ends(const char *name, const char *text) {
    size_t n = strlen(name), t = strlen(text);
    return n >= t && strcmp(name + n - t, text) == 0;
}

static wide to_signed(uint64_t value, unsigned bits) {
    wide limit = (wide)1 << bits;
    wide v = (wide)value % limit;
    return v >= limit / 2 ? v - limit : v;
}

static uint64_t to_bits(wide value, unsigned bits) {
    wide limit = (wide)1 << bits;
    return (uint64_t)(((value % limit) + limit) % limit);
}

static wide floor_div(wide value, wide by) {
    wide q = value / by;
    return q * by > value ? q - 1 : q;
}

static wide rounded_div(wide value, wide by, unsigned vxrm) {
    wide low = floor_div(value, by), rest = value - low * by;
    bool odd = low % 2 != 0;
    switch (vxrm) {
    case 0: return 2 * rest >= by ? low + 1 : low;
    case 1: return 2 * rest > by || (2 * rest == by && odd) ? low + 1 : low;
    case 2: return low;
    default: return rest != 0 && !odd ? low + 1 : low;
    }
}

static wide bounded(wide value, wide least, wide most, uint32_t *vxsat) {
    if (value < least || value > most)
        *vxsat = 1;
    return value < least ? least : value > most ? most : value;
}

static uint64_t read_element(const struct machine *m, unsigned reg, unsigned index, unsigned bits) {
    uint64_t value = 0;
    for (unsigned k = 0; k < bits / 8; k++) {
        unsigned byte = index * (bits / 8) + k;
        if (reg * 16 + byte < 512)
            value |= (uint64_t)m->v.v[reg + byte / 16][byte % 16] << (8 * k);
    }
    return value;
}

static void write_element(struct machine *m, unsigned reg, unsigned index, unsigned bits, uint64_t value) {
    for (unsigned k = 0; k < bits / 8; k++) {
        unsigned byte = index * (bits / 8) + k;
        m->v.v[reg + byte / 16][byte % 16] = (uint8_t)(value >> (8 * k));
    }
}

static bool read_bit(const struct machine *m, unsigned reg, unsigned index) {
    return (m->v.v[reg][index / 8] & (1 << (index % 8))) != 0;
}

static void write_bit(struct machine *m, unsigned reg, unsigned index, bool bit) {
    if (bit)
        m->v.v[reg][index / 8] |= (uint8_t)(1 << (index % 8));
    else
        m->v.v[reg][index / 8] &= (uint8_t) ~(1 << (index % 8));
}

struct ref_widths reference_widths(const char *name, unsigned sew) {
    struct ref_widths w = { .d = sew, .a = sew, .b = sew };
    if (ends(name, ".mm"))
        return (struct ref_widths){ .d = 1, .a = 1, .b = 1 };
    if (starts(name, "vmv1r") || starts(name, "vmv2r") || starts(name, "vmv4r") || starts(name, "vmv8r"))
        return (struct ref_widths){ .d = 8, .a = 8 };
    if (is(name, "vcpop.m") || is(name, "vfirst.m"))
        return (struct ref_widths){ .a = 1 };
    if (is(name, "vmsbf.m") || is(name, "vmsif.m") || is(name, "vmsof.m"))
        return (struct ref_widths){ .d = 1, .a = 1 };
    if (is(name, "viota.m"))
        return (struct ref_widths){ .d = sew, .a = 1 };
    if (is(name, "vid.v"))
        return (struct ref_widths){ .d = sew };
    if (is(name, "vmv.x.s"))
        return (struct ref_widths){ .a = sew };
    if (is(name, "vmv.s.x") || starts(name, "vmv.v."))
        return (struct ref_widths){ .d = sew, .b = sew, .d_scalar = is(name, "vmv.s.x") };
    if (is(name, "vcompress.vm"))
        return (struct ref_widths){ .d = sew, .a = sew, .b = 1 };
    if (is(name, "vrgatherei16.vv"))
        w.b = 16;
    if (starts(name, "vms") || starts(name, "vmadc"))
        w.d = 1;
    if (starts(name, "vw"))
        w.d = 2 * sew;
    if (ends(name, ".wv") || ends(name, ".wx") || ends(name, ".wi"))
        w.a = 2 * sew;
    if (ends(name, ".vf2") || ends(name, ".vf4"))
        w = (struct ref_widths){ .d = sew, .a = ends(name, "2") ? sew / 2 : sew / 4 };
    if (ends(name, ".vs")) {
        w.d_scalar = w.b_scalar = true;
        w.b = w.d;
    }
    return w;
}

/* The values that single elements give. */
static wide arithmetic(const char *n, const struct ref_widths *w, unsigned sew, uint64_t a, uint64_t b, uint64_t d,
                       bool *known) {
    wide ua = (wide)a, ub = (wide)b, ud = (wide)d, sa = to_signed(a, w->a), sb = to_signed(b, w->b ? w->b : 8);
    wide shift = (wide)1 << (b % w->a);
    *known = true;
    if (is(n, "vadd") || is(n, "vwaddu"))
        return ua + ub;
    if (is(n, "vwadd"))
        return sa + sb;
    if (is(n, "vsub") || is(n, "vwsubu"))
        return ua - ub;
    if (is(n, "vwsub"))
        return sa - sb;
    if (is(n, "vrsub"))
        return ub - ua;
    if (is(n, "vand"))
        return (wide)(a & b);
    if (is(n, "vor"))
        return (wide)(a | b);
    if (is(n, "vxor"))
        return (wide)(a ^ b);
    if (is(n, "vminu"))
        return ua < ub ? ua : ub;
    if (is(n, "vmaxu"))
        return ua < ub ? ub : ua;
    if (is(n, "vmin"))
        return sa < sb ? sa : sb;
    if (is(n, "vmax"))
        return sa < sb ? sb : sa;
    if (is(n, "vsll"))
        return ua * shift;
    if (is(n, "vsrl") || is(n, "vnsrl"))
        return floor_div(ua, shift);
    if (is(n, "vsra") || is(n, "vnsra"))
        return floor_div(sa, shift);
    if (is(n, "vzext"))
        return ua;
    if (is(n, "vsext"))
        return sa;
    if (is(n, "vmul") || is(n, "vwmul"))
        return sa * sb;
    if (is(n, "vwmulu"))
        return ua * ub;
    if (is(n, "vwmulsu"))
        return sa * ub;
    if (is(n, "vmulh"))
        return floor_div(sa * sb, (wide)1 << sew);
    if (is(n, "vmulhu"))
        return floor_div(ua * ub, (wide)1 << sew);
    if (is(n, "vmulhsu"))
        return floor_div(sa * ub, (wide)1 << sew);
    if (is(n, "vmacc") || is(n, "vwmaccu"))
        return ud + ua * ub;
    if (is(n, "vwmacc"))
        return ud + sa * sb;
    if (is(n, "vwmaccsu"))
        return ud + ua * sb;
    if (is(n, "vwmaccus"))
        return ud + sa * ub;
    if (is(n, "vnmsac"))
        return ud - ua * ub;
    if (is(n, "vmadd"))
        return ud * ub + ua;
    if (is(n, "vnmsub"))
        return ua - ud * ub;
    *known = false;
    return 0;
}

static wide fixed_point(const char *n, const struct ref_widths *w, unsigned sew, uint64_t a, uint64_t b, unsigned vxrm,
                        uint32_t *vxsat, bool *known) {
    wide ua = (wide)a, ub = (wide)b, sa = to_signed(a, w->a), sb = to_signed(b, sew), shift = (wide)1 << (b % w->a);
    wide top = ((wide)1 << sew) - 1, stop = top / 2, sleast = -stop - 1;
    *known = true;
    if (is(n, "vsaddu"))
        return bounded(ua + ub, 0, top, vxsat);
    if (is(n, "vssubu"))
        return bounded(ua - ub, 0, top, vxsat);
    if (is(n, "vsadd"))
        return bounded(sa + sb, sleast, stop, vxsat);
    if (is(n, "vssub"))
        return bounded(sa - sb, sleast, stop, vxsat);
    if (is(n, "vaaddu"))
        return rounded_div(ua + ub, 2, vxrm);
    if (is(n, "vaadd"))
        return rounded_div(sa + sb, 2, vxrm);
    if (is(n, "vasubu"))
        return rounded_div(ua - ub, 2, vxrm);
    if (is(n, "vasub"))
        return rounded_div(sa - sb, 2, vxrm);
    if (is(n, "vsmul"))
        return bounded(rounded_div(sa * sb, (wide)1 << (sew - 1), vxrm), sleast, stop, vxsat);
    if (is(n, "vssrl"))
        return rounded_div(ua, shift, vxrm);
    if (is(n, "vssra"))
        return rounded_div(sa, shift, vxrm);
    if (is(n, "vnclipu"))
        return bounded(rounded_div(ua, shift, vxrm), 0, top, vxsat);
    if (is(n, "vnclip"))
        return bounded(rounded_div(sa, shift, vxrm), sleast, stop, vxsat);
    *known = false;
    return 0;
}

/* Results of one bit. */
static bool predicate(const char *n, const struct ref_widths *w, uint64_t a, uint64_t b, bool carry, bool *known) {
    wide sa = to_signed(a, w->a), sb = to_signed(b, w->b ? w->b : 8);
    *known = true;
    if (is(n, "vmseq"))
        return a == b;
    if (is(n, "vmsne"))
        return a != b;
    if (is(n, "vmsltu"))
        return a < b;
    if (is(n, "vmslt"))
        return sa < sb;
    if (is(n, "vmsleu"))
        return a <= b;
    if (is(n, "vmsle"))
        return sa <= sb;
    if (is(n, "vmsgtu"))
        return a > b;
    if (is(n, "vmsgt"))
        return sa > sb;
    if (is(n, "vmadc"))
        return (wide)a + (wide)b + carry >= (wide)1 << w->a;
    if (is(n, "vmsbc"))
        return (wide)a - (wide)b - carry < 0;
    *known = false;
    return false;
}

static bool mask_logic(const char *n, bool a, bool b) {
    const char *const order[] = { "vmand", "vmnand", "vmandn", "vmxor", "vmor", "vmnor", "vmorn", "vmxnor" };
    const bool value[] = { a & b, !(a & b), a & !b, a ^ b, a | b, !(a | b), a | !b, !(a ^ b) };
    for (unsigned i = 0; i < 8; i++)
        if (is(n, order[i]))
            return value[i];
    abort();
}

static void reduce(struct machine *m, const char *n, const struct ref_widths *w, const struct numbers *k, unsigned vd) {
    uint64_t sum = k->b[0];
    for (uint32_t i = 0; i < m->v.vl; i++) {
        if (!k->mask[i])
            continue;
        uint64_t a = k->a[i];
        wide signed_a = to_signed(a, w->a), signed_sum = to_signed(sum, w->d);
        if (is(n, "vredsum") || is(n, "vwredsumu"))
            sum = to_bits((wide)sum + (wide)a, w->d);
        else if (is(n, "vwredsum"))
            sum = to_bits((wide)sum + signed_a, w->d);
        else if (is(n, "vredand"))
            sum &= a;
        else if (is(n, "vredor"))
            sum |= a;
        else if (is(n, "vredxor"))
            sum ^= a;
        else if (is(n, "vredminu")   ? a < sum
                 : is(n, "vredmaxu") ? a > sum
                 : is(n, "vredmin")  ? signed_a < signed_sum
                                     : signed_a > signed_sum)
            sum = a;
    }
    if (m->v.vl)
        write_element(m, vd, 0, w->d, sum);
}

static bool permute(struct machine *m, const char *n, const struct ref_widths *w, const struct numbers *k, unsigned vd,
                    uint64_t scalar, bool has_vector_b, uint32_t vlmax) {
    uint32_t vl = m->v.vl, to = 0;
    for (uint32_t i = 0; i < vl; i++) {
        uint64_t from = UINT64_MAX, value; /* MAX: gives 0 */
        if (is(n, "vslideup")) {
            if (i < scalar)
                continue;
            from = i - scalar;
        } else if (is(n, "vslidedown"))
            from = i + scalar;
        else if (is(n, "vslide1up"))
            from = (uint64_t)i - 1;
        else if (is(n, "vslide1down"))
            from = i + 1;
        else if (starts(n, "vrgather"))
            from = has_vector_b ? k->b[i] : scalar;
        else if (is(n, "vcompress")) {
            if (k->b_bit[i])
                write_element(m, vd, to++, w->d, k->a[i]);
            continue;
        } else
            return false;
        value = from < vlmax ? k->a[from] : 0;
        if ((is(n, "vslide1up") && i == 0) || (is(n, "vslide1down") && i == vl - 1))
            value = scalar;
        if (k->mask[i])
            write_element(m, vd, i, w->d, value);
    }
    return is(n, "vslideup") || is(n, "vslidedown") || starts(n, "vslide1") || starts(n, "vrgather") ||
           is(n, "vcompress");
}

static bool masks(struct machine *m, const char *n, const struct ref_widths *w, const struct numbers *k, unsigned vd) {
    uint32_t vl = m->v.vl, first = vl, count = 0;
    for (uint32_t i = vl; i-- > 0;)
        if (k->a_bit[i] && k->mask[i]) {
            first = i;
            count++;
        }
    if (is(n, "vcpop"))
        m->x[vd ? vd : 32] = count;
    else if (is(n, "vfirst"))
        m->x[vd ? vd : 32] = first == vl ? (uint32_t)-1 : first;
    else if (is(n, "vmsbf") || is(n, "vmsif") || is(n, "vmsof")) {
        for (uint32_t i = 0; i < vl; i++)
            if (k->mask[i])
                write_bit(m, vd, i, is(n, "vmsbf") ? i < first : is(n, "vmsif") ? i <= first : i == first);
    } else if (is(n, "viota") || is(n, "vid")) {
        uint64_t before = 0;
        for (uint32_t i = 0; i < vl; i++)
            if (k->mask[i]) {
                write_element(m, vd, i, w->d, is(n, "vid") ? i : before);
                before += k->a_bit[i];
            }
    } else
        return false;
    return true;
}

static void elements(struct machine *m, const char *n, const struct ref_widths *w, const struct numbers *k, unsigned vd,
                     unsigned sew, bool masked) {
    bool carries = is(n, "vadc") || is(n, "vsbc") || is(n, "vmadc") || is(n, "vmsbc"), merges = is(n, "vmerge");
    for (uint32_t i = 0; i < m->v.vl; i++) {
        bool known, carry = carries && masked && k->mask[i];
        if (!carries && !merges && !k->mask[i])
            continue;
        if (carries && w->d != 1) {
            wide c = carry;
            wide value = is(n, "vadc") ? (wide)k->a[i] + (wide)k->b[i] + c : (wide)k->a[i] - (wide)k->b[i] - c;
            write_element(m, vd, i, w->d, to_bits(value, w->d));
            continue;
        }
        if (merges || is(n, "vmv")) {
            write_element(m, vd, i, w->d, merges && !k->mask[i] ? k->a[i] : k->b[i]);
            continue;
        }
        if (w->d == 1) {
            bool bit =
                w->a == 1 ? mask_logic(n, k->a_bit[i], k->b_bit[i]) : predicate(n, w, k->a[i], k->b[i], carry, &known);
            write_bit(m, vd, i, bit);
            continue;
        }
        wide value = arithmetic(n, w, sew, k->a[i], k->b[i], k->d[i], &known);
        if (!known)
            value = fixed_point(n, w, sew, k->a[i], k->b[i], m->v.vxrm, &m->v.vxsat, &known);
        if (!known)
            fail_msg("no reference for %s", n);
        write_element(m, vd, i, w->d, to_bits(value, w->d));
    }
}

void reference_execute(struct machine *m, const char *name, uint32_t word, unsigned sew, uint32_t vlmax) {
    static struct numbers k; /* tests have one thread */
    struct ref_widths w = reference_widths(name, sew);
    unsigned vd = word >> 7 & 31, rs1 = word >> 15 & 31, vs2 = word >> 20 & 31;
    bool masked = !(word >> 25 & 1);
    char n[24] = "";
    size_t stem = strcspn(name, ".");
    assert_true(stem < sizeof n);
    memcpy(n, name, stem);
    char form = name[strlen(name) - 1]; /* of .vv .vx .vi and their kin with m behind */
    if (form == 'm' && !ends(name, ".m") && !ends(name, ".mm") && !ends(name, "vcompress.vm"))
        form = name[strlen(name) - 2];
    bool vector_b = form == 'v' || ends(name, ".vs");
    uint64_t scalar = form == 'x' ? m->x[rs1] : rs1;
    bool unsigned_immediate = starts(n, "vslide") || starts(n, "vrgather");
    if (form == 'i' && !unsigned_immediate)
        scalar = (uint64_t)(uint32_t)((int32_t)(rs1 ^ 16) - 16);

    if (is(name, "vmv.x.s")) {
        m->x[vd ? vd : 32] = (uint32_t)to_bits(to_signed(read_element(m, vs2, 0, sew), sew), 32);
        return;
    }
    if (is(name, "vmv.s.x")) {
        if (m->v.vl)
            write_element(m, vd, 0, sew, m->x[rs1]);
        return;
    }
    if (n[0] == 'v' && n[1] == 'm' && n[2] == 'v' && n[3] >= '1' && n[3] <= '8') {
        uint8_t copy[128];
        memcpy(copy, m->v.v[vs2], 16 * (size_t)(n[3] - '0'));
        memcpy(m->v.v[vd], copy, 16 * (size_t)(n[3] - '0'));
        return;
    }
    for (uint32_t i = 0; i < vlmax; i++) {
        k.mask[i] = !masked || read_bit(m, 0, i);
        k.a_bit[i] = w.a == 1 && read_bit(m, vs2, i);
        k.b_bit[i] = w.b == 1 && read_bit(m, rs1, i);
        k.a[i] = w.a > 1 ? read_element(m, vs2, i, w.a) : 0;
        k.d[i] = w.d > 1 && !w.d_scalar ? read_element(m, vd, i, w.d) : 0;
        k.b[i] = w.b > 1 ? vector_b ? read_element(m, rs1, w.b_scalar ? 0 : i, w.b) : to_bits((wide)scalar, w.b) : 0;
    }
    if (ends(name, ".vs"))
        reduce(m, n, &w, &k, vd);
    else if (!masks(m, n, &w, &k, vd) && !permute(m, n, &w, &k, vd, scalar, vector_b, vlmax))
        elements(m, n, &w, &k, vd, sew, masked);
}
