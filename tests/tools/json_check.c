/* Checks that stdin is one JSON value (RFC 8259). Exit status 0 if so; otherwise 1, with the position of the error. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct reader {
    const char *at;
    unsigned depth;
};

static bool value(struct reader *r);

static void blanks(struct reader *r) {
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(struct reader *r, char c) {
    blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool word(struct reader *r, const char *text) {
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool escape(struct reader *r) {
    if (*r->at == 'u') {
        for (int i = 1; i <= 4; i++)
            if (!isxdigit((unsigned char)r->at[i]))
                return false;
        r->at += 5;
        return true;
    }
    return *r->at && strchr("\"\\/bfnrt", *r->at++);
}

static bool string(struct reader *r) {
    if (!take(r, '"'))
        return false;
    while (*r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return false;
        if (*r->at++ == '\\' && !escape(r))
            return false;
    }
    r->at++;
    return true;
}

static bool digits(struct reader *r) {
    size_t n = strspn(r->at, "0123456789");
    r->at += n;
    return n > 0;
}

static bool number(struct reader *r) {
    if (*r->at == '-')
        r->at++;
    if (*r->at == '0')
        r->at++;
    else if (!digits(r))
        return false;
    if (*r->at == '.' && (r->at++, !digits(r)))
        return false;
    if (*r->at != 'e' && *r->at != 'E')
        return true;
    r->at++;
    if (*r->at == '+' || *r->at == '-')
        r->at++;
    return digits(r);
}

static bool members(struct reader *r, char end, bool keys) {
    if (++r->depth > 100)
        return false;
    if (!take(r, end)) {
        do {
            if (keys && !(string(r) && take(r, ':')))
                return false;
            if (!value(r))
                return false;
        } while (take(r, ','));
        if (!take(r, end))
            return false;
    }
    r->depth--;
    return true;
}

static bool value(struct reader *r) {
    blanks(r);
    switch (*r->at) {
    case '{': r->at++; return members(r, '}', true);
    case '[': r->at++; return members(r, ']', false);
    case '"': return string(r);
    case 't': return word(r, "true");
    case 'f': return word(r, "false");
    case 'n': return word(r, "null");
    default: return number(r);
    }
}

int main(void) {
    static char text[16 << 20];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    struct reader r = { .at = text };
    bool ok = value(&r);
    blanks(&r);
    if (ok && r.at == text + size)
        return 0;
    printf("no JSON: byte %zu of %zu, before '%.40s'\n", (size_t)(r.at - text), size, r.at);
    return 1;
}
