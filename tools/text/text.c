/* Spans, numbers and suggestions: see text.h. */
#include "text/text.h"

#include <string.h>

struct span span_of(const char *text) {
    return (struct span){ text, strlen(text) };
}

bool span_same(struct span a, struct span b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool span_is(struct span s, const char *text) {
    return span_same(s, span_of(text));
}

bool span_cut(struct span *s, char c, struct span *head) {
    const char *at = s->n ? memchr(s->p, c, s->n) : NULL;
    if (!at)
        return false;
    *head = (struct span){ s->p, (size_t)(at - s->p) };
    *s = (struct span){ at + 1, s->n - head->n - 1 };
    return true;
}

/* After a mismatch only the last * takes one more character: every earlier * has matched the shortest possible text,
 * and a longer one could not help. */
bool span_matches(struct span s, struct span pattern) {
    size_t i = 0, j = 0, star = SIZE_MAX, taken = 0;
    while (i < s.n) {
        if (j < pattern.n && pattern.p[j] == '*') {
            star = j++;
            taken = i;
        } else if (j < pattern.n && (pattern.p[j] == '?' || pattern.p[j] == s.p[i])) {
            i++;
            j++;
        } else if (star != SIZE_MAX) {
            i = ++taken;
            j = star + 1;
        } else {
            return false;
        }
    }
    while (j < pattern.n && pattern.p[j] == '*')
        j++;
    return j == pattern.n;
}

static unsigned digit_of(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 99;
}

bool span_number(struct span s, uint64_t max, uint64_t *value) {
    unsigned base = 10;
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X'))
        base = 16;
    else if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'b' || s.p[1] == 'B'))
        base = 2;
    size_t i = base == 10 ? 0 : 2;
    if (i >= s.n || s.p[i] == '_' || s.p[s.n - 1] == '_')
        return false;
    uint64_t n = 0;
    for (; i < s.n; i++) {
        if (s.p[i] == '_')
            continue;
        unsigned digit = digit_of(s.p[i]);
        if (digit >= base || n > (UINT64_MAX - digit) / base)
            return false;
        n = n * base + digit;
    }
    if (n > max)
        return false;
    *value = n;
    return true;
}

bool span_count(struct span s, uint64_t *value) {
    uint64_t unit = 1;
    if (s.n > 1 && s.p[s.n - 1] == 'k')
        unit = 1000;
    else if (s.n > 1 && s.p[s.n - 1] == 'M')
        unit = 1000000;
    else if (s.n > 1 && s.p[s.n - 1] == 'G')
        unit = 1000000000;
    if (unit != 1)
        s.n--;
    if (!span_number(s, UINT64_MAX / unit, value))
        return false;
    *value *= unit;
    return true;
}

/* Returns the edit distance of two words (insert, delete, replace, swap of neighbours). Words longer than WORD_MAX
 * count as far apart. */
#define WORD_MAX 40
static unsigned distance(struct span a, struct span b) {
    unsigned d[WORD_MAX + 1][WORD_MAX + 1];
    if (a.n > WORD_MAX || b.n > WORD_MAX)
        return WORD_MAX;
    for (unsigned i = 0; i <= a.n; i++)
        d[i][0] = i;
    for (unsigned j = 0; j <= b.n; j++)
        d[0][j] = j;
    for (unsigned i = 1; i <= a.n; i++) {
        for (unsigned j = 1; j <= b.n; j++) {
            unsigned best = d[i - 1][j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[a.n][b.n];
}

const char *closest(struct span s, const char *const *names) {
    const char *best = NULL;
    unsigned best_distance = s.n <= 4 ? 2 : 3; /* a suggestion must be closer than this */
    for (; *names; names++) {
        unsigned d = distance(s, span_of(*names));
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best;
}

const char *grouped(uint64_t n, char text[GROUPED_SIZE]) {
    char reversed[GROUPED_SIZE];
    size_t length = 0;
    for (unsigned digits = 0; digits == 0 || n; digits++, n /= 10) {
        if (digits && digits % 3 == 0)
            reversed[length++] = ',';
        reversed[length++] = (char)('0' + n % 10);
    }
    for (size_t i = 0; i < length; i++)
        text[i] = reversed[length - 1 - i];
    text[length] = 0;
    return text;
}
