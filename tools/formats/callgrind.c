/* The profile format of callgrind (valgrind.org/docs/manual/cl-format.html), for kcachegrind and callgrind_annotate:
 * instructions, cycles and waiting for each source line, and calls with their inclusive cost. A call is a jump that
 * writes ra or t0; it ends when the core reaches the instruction after it. Any other jump to the beginning of another
 * function is a tail call, which ends together with the call around it. Functions are the symbols of the programs. */
#include <stdlib.h>
#include <string.h>

#include "formats/costs.h"
#include "formats/formats.h"

enum { DEPTH = 128 };

/* An instruction of a program. */
struct place {
    const struct program *program;
    uint32_t pc; /* address in the file */
};

/* A call in progress. */
struct frame {
    struct place from, to;
    uint32_t back;      /* address after the call, on the tile */
    struct cost before; /* total cost of the core when it made the call */
    bool tail;          /* a tail call: it ends together with the frame below */
};

struct stack {
    struct cost spent;
    struct frame frame[DEPTH];
    unsigned depth;
    struct place last; /* the previous instruction */
    uint32_t last_pc;  /* its address on the tile */
    bool calls;        /* the previous instruction is a call */
    bool jumps;        /* the previous instruction is another jump */
};

/* Calls from one instruction to one function. */
struct edge {
    struct place from, to; /* to.pc: beginning of the function */
    uint64_t calls;        /* 0: a free entry */
    struct cost cost;
};

struct profile {
    struct output *output;
    struct costs costs;
    struct stack *stack[COSTS_CORES];
    struct edge *edge; /* a hash table; sort_edges turns it into an array */
    size_t edges, room;
};

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static bool is_same(struct place a, struct place b) {
    return a.program == b.program && a.pc == b.pc;
}

static struct edge *slot_of(struct edge *edge, size_t room, struct place from, struct place to) {
    uint64_t h =
        ((uint64_t)(uintptr_t)from.program ^ (uint64_t)from.pc << 24 ^ (uint64_t)to.pc) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(h >> 32) & (room - 1);
    while (edge[i].calls && !(is_same(edge[i].from, from) && is_same(edge[i].to, to)))
        i = (i + 1) & (room - 1);
    return &edge[i];
}

static bool grow(struct profile *p) {
    size_t room = p->room ? 2 * p->room : 1024;
    struct edge *edge = calloc(room, sizeof *edge);
    if (!edge)
        return output_fail(p->output, "out of memory");
    for (size_t i = 0; i < p->room; i++)
        if (p->edge[i].calls)
            *slot_of(edge, room, p->edge[i].from, p->edge[i].to) = p->edge[i];
    free(p->edge);
    p->edge = edge;
    p->room = room;
    return true;
}

static void add_call(struct profile *p, const struct frame *f, const struct cost *now) {
    if (2 * (p->edges + 1) > p->room && !grow(p))
        return;
    struct edge *e = slot_of(p->edge, p->room, f->from, f->to);
    if (!e->calls) {
        *e = (struct edge){ .from = f->from, .to = f->to };
        p->edges++;
    }
    e->calls++;
    e->cost.count += now->count - f->before.count;
    e->cost.cycles += now->cycles - f->before.cycles;
    e->cost.waited += now->waited - f->before.waited;
}

static void pop_to(struct profile *p, struct stack *s, unsigned depth) {
    while (s->depth > depth)
        add_call(p, &s->frame[--s->depth], &s->spent);
}

/* Returns the first instruction of the function around an instruction. */
static struct place function_of(struct place at) {
    uint32_t offset;
    if (at.program && program_symbol(at.program, at.pc, &offset))
        at.pc -= offset;
    return at;
}

static void push(struct profile *p, struct stack *s, struct place to, bool tail) {
    if (s->depth == DEPTH) { /* drop the outermost call */
        add_call(p, &s->frame[0], &s->spent);
        memmove(s->frame, s->frame + 1, (DEPTH - 1) * sizeof *s->frame);
        s->depth--;
    }
    uint32_t back = !tail ? s->last_pc + 4 : s->depth ? s->frame[s->depth - 1].back : 0;
    s->frame[s->depth++] = (struct frame){ s->last, function_of(to), back, s->spent, tail };
}

/* Handles a jump that is no call: a return to a caller, or a tail call to another function. */
static void jumped(struct profile *p, struct stack *s, uint32_t pc, struct place at) {
    for (unsigned i = s->depth; i-- > 0;)
        if (s->frame[i].back == pc) {
            while (i && s->frame[i].tail)
                i--;
            pop_to(p, s, i);
            return;
        }
    uint32_t offset = 1;
    bool begins = at.program && program_symbol(at.program, at.pc, &offset) && offset == 0;
    if (begins && !is_same(function_of(s->last), at))
        push(p, s, at, true);
}

static void follow(struct profile *p, struct stack *s, const struct bh_event *e, struct place at) {
    if (s->calls)
        push(p, s, at, false);
    else if (s->jumps)
        jumped(p, s, e->pc, at);
    enum { JAL = 0x6F, JALR = 0x67, RA = 1, T0 = 5 };
    unsigned opcode = e->word & 0x7F, rd = e->word >> 7 & 31;
    bool jump = opcode == JAL || opcode == JALR;
    s->calls = jump && (rd == RA || rd == T0);
    s->jumps = jump && !s->calls;
    s->last = at;
    s->last_pc = e->pc;
    s->spent.count++;
    s->spent.cycles += e->end - e->start - e->instruction->waited;
    s->spent.waited += e->instruction->waited;
}

static void put_event(struct output *o, const struct bh_event *e) {
    struct profile *p = o->state;
    if ((unsigned)e->track >= BH_CORE_COUNT)
        return;
    const struct cost_row *row = costs_event(&p->costs, e) && e->instruction ? costs_row(&p->costs, e) : NULL;
    struct stack **stack = &p->stack[costs_core_number(e)];
    if (!e->instruction)
        return;
    if (!row || (!*stack && !(*stack = calloc(1, sizeof **stack)))) {
        output_fail(o, "out of memory");
        return;
    }
    follow(p, *stack, e, (struct place){ row->program, row->pc });
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

struct edge_order {
    struct edge edge;
    size_t from, to;
};

static int by_place(const void *left, const void *right) {
    const struct edge_order *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->edge.from.pc != b->edge.from.pc)
        return a->edge.from.pc < b->edge.from.pc ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->edge.to.pc < b->edge.to.pc ? -1 : a->edge.to.pc > b->edge.to.pc;
}

/* Turns p->edge into an array in the order of the rows of costs. */
static bool sort_edges(struct profile *p) {
    struct edge_order *list = malloc((p->edges + 1) * sizeof *list);
    size_t count = 0;
    if (!list)
        return false;
    for (size_t i = 0; i < p->room; i++)
        if (p->edge[i].calls)
            list[count++] = (struct edge_order){ p->edge[i], costs_order(p->output->machine, p->edge[i].from.program),
                                                 costs_order(p->output->machine, p->edge[i].to.program) };
    if (count)
        qsort(list, count, sizeof *list, by_place);
    for (size_t i = 0; i < count; i++)
        p->edge[i] = list[i].edge;
    free(list);
    return true;
}

static const char *object_of(struct place at) {
    return at.program ? program_path(at.program) : "???";
}

static const char *file_of(struct place at, unsigned *line) {
    const char *file = at.program ? program_line(at.program, at.pc, line) : NULL;
    if (!file)
        *line = 0;
    return file ? file : "???";
}

/* Returns the source file and the line in which a function is declared. */
static const char *home_of(struct place function, unsigned *line) {
    const char *file = function.program ? program_declared(function.program, function.pc, line) : NULL;
    if (!file)
        *line = 0;
    return file ? file : "???";
}

static const char *name_of(struct place at) {
    uint32_t offset;
    const char *name = at.program ? program_symbol(at.program, at.pc, &offset) : NULL;
    return name ? name : "(no symbol)";
}

static void put_cost(FILE *out, unsigned line, const struct cost *c) {
    fprintf(out, "%u %llu %llu %llu\n", line, (unsigned long long)c->count, (unsigned long long)c->cycles,
            (unsigned long long)c->waited);
}

static void put_edge(FILE *out, const struct edge *e, unsigned line) {
    unsigned target;
    const char *file = home_of(e->to, &target);
    fprintf(out, "cob=%s\ncfi=%s\ncfn=%s\ncalls=%llu %u\n", object_of(e->to), file, name_of(e->to),
            (unsigned long long)e->calls, target);
    put_cost(out, line, &e->cost);
}

static void put_rows(struct profile *p) {
    FILE *out = p->output->file;
    struct place function = { NULL, UINT32_MAX };
    const char *file = NULL, *own_file = NULL;
    size_t edge = 0;
    for (size_t i = 0; i < p->costs.count; i++) {
        const struct cost_row *row = &p->costs.row[i];
        struct place at = { row->program, row->pc }, around = function_of(at);
        unsigned line;
        const char *here = file_of(at, &line);
        bool nameless = is_same(around, at) && strcmp(name_of(at), "(no symbol)") == 0;
        if (i == 0 ||
            (nameless ? function.program != at.program || function.pc != UINT32_MAX : !is_same(function, around))) {
            function = nameless ? (struct place){ at.program, UINT32_MAX } : around;
            unsigned declared;
            own_file = file = nameless ? here : home_of(around, &declared);
            fprintf(out, "\nob=%s\nfl=%s\nfn=%s\n", object_of(at), file, name_of(at));
        }
        if (strcmp(here, file) != 0) {
            file = here;
            fprintf(out, "%s=%s\n", strcmp(here, own_file) == 0 ? "fe" : "fi", file);
        }
        put_cost(out, line, &row->cost);
        for (; edge < p->edges && is_same(p->edge[edge].from, at); edge++)
            put_edge(out, &p->edge[edge], line);
    }
}

static bool has_names(const struct profile *p) {
    for (size_t i = 0; i < p->costs.count; i++) {
        struct place at = { p->costs.row[i].program, p->costs.row[i].pc };
        unsigned line;
        file_of(at, &line);
        if (line || strcmp(name_of(at), "(no symbol)") != 0)
            return true;
    }
    return false;
}

static bool put_all(struct profile *p) {
    FILE *out = p->output->file;
    struct cost sum = { 0 };
    if (!has_names(p))
        return output_nothing(p->output,
                              "no code that was executed has symbols or source lines; nothing to write to '%s'",
                              p->output->path);
    for (size_t i = 0; i < p->costs.count; i++) {
        sum.count += p->costs.row[i].cost.count;
        sum.cycles += p->costs.row[i].cost.cycles;
        sum.waited += p->costs.row[i].cost.waited;
    }
    fprintf(out, "# callgrind format\nversion: 1\ncreator: bhemu %s\npositions: line\n", bh_version());
    fputs("event: Ir : Instructions of RISC-V cores\nevent: Cy : Cycles\nevent: Wt : Cycles of waiting\n"
          "events: Ir Cy Wt\n",
          out);
    fprintf(out, "summary: %llu %llu %llu\n", (unsigned long long)sum.count, (unsigned long long)sum.cycles,
            (unsigned long long)sum.waited);
    put_rows(p);
    return true;
}

static bool begin(struct output *o) {
    struct profile *p = output_state(o, sizeof *p);
    if (!p)
        return false;
    p->output = o;
    return (costs_init(&p->costs, o->machine) && grow(p)) || output_fail(o, "out of memory");
}

static bool end(struct output *o) {
    struct profile *p = o->state;
    bool ok = p->edge;
    for (size_t i = 0; i < COSTS_CORES; i++) {
        if (p->stack[i])
            pop_to(p, p->stack[i], 0);
        free(p->stack[i]);
    }
    if (ok && !(costs_end(&p->costs) && costs_sort(&p->costs) && sort_edges(p)))
        output_fail(o, "out of memory");
    ok = ok && !*o->problem && put_all(p);
    costs_free(&p->costs);
    free(p->edge);
    return ok;
}

const struct format format_callgrind = {
    .name = "callgrind",
    .kind = OUTPUT_PROFILE,
    .begins = "callgrind.out",
    .ends = "",
    .reader = "kcachegrind and callgrind_annotate",
    .watch = BH_WATCH_INSTRUCTIONS,
    .open = begin,
    .event = put_event,
    .close = end,
};
