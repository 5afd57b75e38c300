/* Parses options by a table: see options.h. "--name value" and "--name=value" are equivalent; "--" ends the options. */
#include "text/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text/text.h"

#define OPTIONS_MAX 64

/* Prints a message on stderr. Control characters in it, which could move a terminal's cursor, become '?'. */
static void say(const struct command *command, const char *format, va_list list) {
    char text[2048];
    vsnprintf(text, sizeof text, format, list);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = '?';
    fflush(stdout);
    fprintf(stderr, "bhemu %s: %s\n", command->name, text);
}

int tool_error(const struct command *command, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(command, format, list);
    va_end(list);
    return EXIT_USAGE;
}

int usage_error(const struct command *command, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(command, format, list);
    va_end(list);
    fprintf(stderr, "Try 'bhemu help %s'.\n", command->name);
    return EXIT_USAGE;
}

static const struct option *find_option(const struct command *command, struct span name) {
    for (const struct option *option = command->options; option->name; option++)
        if (span_is(name, option->name))
            return option;
    return NULL;
}

const struct option *options_named(const struct command *command, const char *word, const char **value) {
    *value = NULL;
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    struct span rest = span_of(word + 2), name = rest;
    if (span_cut(&rest, '=', &name))
        *value = rest.p;
    return find_option(command, name);
}

static int unknown_option(const struct command *command, const char *dashes, struct span name) {
    const char *names[OPTIONS_MAX + 2] = { "help" };
    for (int i = 0; i < OPTIONS_MAX && command->options[i].name; i++)
        names[i + 1] = command->options[i].name;
    const char *near = closest(name, names);
    if (near)
        usage_error(command, "unknown option '%s%.*s'; did you mean '--%s'?", dashes, SPAN(name), near);
    else
        usage_error(command, "unknown option '%s%.*s'", dashes, SPAN(name));
    return OPTION_BAD;
}

static int no_value(const struct command *command, struct span name) {
    usage_error(command, "option '--%.*s' takes no value", SPAN(name));
    return OPTION_BAD;
}

static int long_option(struct arguments *a, const char *word) {
    struct span rest = span_of(word), name = rest;
    bool has_value = span_cut(&rest, '=', &name);
    if (span_is(name, "help") && !has_value) {
        options_help(a->command, stdout);
        return OPTION_HELP;
    }
    const struct option *option = find_option(a->command, name);
    if (!option && span_is(name, "help"))
        return no_value(a->command, name);
    if (!option)
        return unknown_option(a->command, "--", name);
    a->name = option->name;
    if (!option->value)
        return has_value ? no_value(a->command, name) : option->id;
    if (!has_value && a->next == a->argc) {
        usage_error(a->command, "option '--%.*s' needs a value: %s", SPAN(name), option->value);
        return OPTION_BAD;
    }
    a->value = has_value ? rest.p : a->argv[a->next++];
    return option->id;
}

int options_next(struct arguments *a) {
    if (a->next >= a->argc)
        return OPTION_END;
    const char *word = a->argv[a->next++];
    if (a->only_words || word[0] != '-' || word[1] == 0) {
        a->value = word;
        return OPTION_WORD;
    }
    if (strcmp(word, "--") == 0) {
        a->only_words = true;
        return options_next(a);
    }
    if (word[1] == '-')
        return long_option(a, word + 2);
    if (strcmp(word, "-h") == 0)
        return long_option(a, "help");
    return unknown_option(a->command, "-", span_of(word + 1));
}

static void print_option(const struct option *option, FILE *out) {
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
    const char *help = option->help;
    if (!*help) {
        fprintf(out, "  %s\n", left);
        return;
    }
    if (strlen(left) > 24)
        fprintf(out, "  %s\n%28s", left, "");
    else
        fprintf(out, "  %-26s", left);
    for (;; help++) {
        size_t length = strcspn(help, "\n");
        fwrite(help, 1, length, out);
        fputc('\n', out);
        help += length;
        if (!*help)
            return;
        fprintf(out, "%28s", "");
    }
}

void options_help(const struct command *command, FILE *out) {
    fprintf(out, "Usage: bhemu %s %s\n\n%s\n\nOptions:\n", command->name, command->synopsis, command->summary);
    for (const struct option *option = command->options; option->name; option++)
        print_option(option, out);
    fprintf(out, "  %-26s%s\n", "--help", "this text");
    if (command->notes)
        fprintf(out, "\n%s", command->notes);
}

const struct command *options_inner(const struct command *command, const char *name) {
    for (const struct command *const *inner = command->inner; inner && *inner; inner++)
        if (strcmp(name, (*inner)->name) == 0)
            return *inner;
    return NULL;
}

int options_outer(const struct command *command, int argc, char **argv) {
    if (argc && strcmp(argv[0], "--help") != 0 && strcmp(argv[0], "-h") != 0)
        return -1;
    options_help(command, argc ? stdout : stderr);
    return argc ? EXIT_DONE : EXIT_USAGE;
}

int options_run(const struct command *command, const struct command *inner, char *const *front, int count, int argc,
                char *const *argv) {
    char **words = calloc((size_t)count + (size_t)argc + 1, sizeof *words);
    if (!words)
        return tool_error(command, "out of memory");
    memcpy(words, front, (size_t)count * sizeof *words);
    memcpy(words + count, argv, (size_t)argc * sizeof *words);
    int status = inner->run(inner, count + argc, words);
    free(words);
    return status;
}
