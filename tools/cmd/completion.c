/* bhemu completion: prints scripts that complete the command line in a shell, made from the tables of the help
 * texts. */
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "cmd/commands.h"

static const struct option options[] = { { 0, NULL, NULL, NULL } };

static const char notes[] =
    "Prints a script for the shell. 'make install' puts the scripts where the shells look for them. Without that:\n"
    "\n"
    "  eval \"$(bhemu completion bash)\"         in ~/.bashrc\n"
    "  eval \"$(bhemu completion zsh)\"          in ~/.zshrc, behind compinit\n"
    "  bhemu completion fish | source          in ~/.config/fish/config.fish\n";

/* ---- Values of options ------------------------------------------------------------------------------------- */

enum kind { NO_VALUE, CHOICES, FILES, OTHER };

/* Returns how to complete the value of an option: "p150|p100a" are words to choose from; FILE, DIRECTORY and the like
 * name files. */
static enum kind kind_of(const struct option *option) {
    const char *value = option->value;
    if (!value)
        return NO_VALUE;
    if (value[0] >= 'a' && value[0] <= 'z')
        return CHOICES;
    return strstr(value, "FILE") || strstr(value, "DIRECTORY") ? FILES : OTHER;
}

/* Prints choices with blanks between them: "p150 p100a". */
static void print_choices(const char *value) {
    for (; *value; value++)
        putchar(*value == '|' ? ' ' : *value);
}

/* Returns whether an earlier command, or an earlier row of the table, has an option of the same name. */
static bool is_repeated(const struct command *const *at, const struct option *option) {
    for (const struct command *const *c = commands; c <= at; c++)
        for (const struct option *o = (*c)->options; o->name && o != option; o++)
            if (strcmp(o->name, option->name) == 0)
                return true;
    return false;
}

/* Prints all options of a kind, "--a|--b", and returns their number. choices: only those with these choices; NULL:
 * all. */
static unsigned print_options_of(enum kind kind, const char *choices) {
    unsigned count = 0;
    for (const struct command *const *c = commands; *c; c++)
        for (const struct option *o = (*c)->options; o->name; o++)
            if (kind_of(o) == kind && !is_repeated(c, o) && (!choices || strcmp(o->value, choices) == 0))
                printf("%s--%s", count++ ? "|" : "", o->name);
    return count;
}

/* Returns whether this is the first option that has these choices. */
static bool is_first_of_choices(const struct command *const *at, const struct option *option) {
    for (const struct command *const *c = commands; c <= at; c++)
        for (const struct option *o = (*c)->options; o->name && o != option; o++)
            if (kind_of(o) == CHOICES && strcmp(o->value, option->value) == 0)
                return false;
    return true;
}

/* Prints the cases of a shell's case statement for the values of options. before, after: text around choices; files,
 * other: text for options of these kinds. */
static void print_value_cases(const char *before, const char *after, const char *files, const char *other) {
    for (const struct command *const *c = commands; *c; c++)
        for (const struct option *o = (*c)->options; o->name; o++) {
            if (kind_of(o) != CHOICES || !is_first_of_choices(c, o))
                continue;
            fputs("    ", stdout);
            print_options_of(CHOICES, o->value);
            fputs(before, stdout);
            print_choices(o->value);
            fputs(after, stdout);
        }
    fputs("    ", stdout);
    print_options_of(FILES, NULL);
    fputs(files, stdout);
    fputs("    ", stdout);
    print_options_of(OTHER, NULL);
    fputs(other, stdout);
}

/* ---- Commands ---------------------------------------------------------------------------------------------- */

static void print_commands(const char *separator) {
    for (const struct command *const *c = commands; *c; c++)
        printf("%s%s", (*c)->name, separator);
    printf("help%sversion", separator);
}

/* Prints the commands that run another command, with | between them. */
static void print_outer(void) {
    unsigned count = 0;
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->inner)
            printf("%s%s", count++ ? "|" : "", (*c)->name);
}

/* Prints the commands that such a command can run, with | between them. */
static void print_inner(void) {
    for (const struct command *const *inner = command_check.inner; *inner; inner++)
        printf("%s%s", inner == command_check.inner ? "" : "|", (*inner)->name);
}

/* Prints the first line of a text for use inside single quotes of the shell. quote: replacement for a single quote.
 * colons: whether to escape colons. */
static void print_quoted(const char *text, const char *quote, bool colons) {
    for (; *text && *text != '\n'; text++) {
        if (*text == '\'')
            fputs(quote, stdout);
        else if (*text == ':' && colons)
            fputs("\\:", stdout);
        else
            putchar(*text);
    }
}

static const char *help_of(const struct option *option) {
    return *option->help ? option->help : option->value ? option->value : option->name;
}

static void print_head(const char *shell) {
    printf("# Completion of bhemu %s for %s: bhemu completion %s\n", bh_version(), shell, shell);
}

/* ---- Shells ------------------------------------------------------------------------------------------------ */

static void print_bash(void) {
    print_head("bash");
    fputs("_bhemu_options() {\n    case $1 in\n", stdout);
    for (const struct command *const *c = commands; *c; c++) {
        printf("    %s) echo '", (*c)->name);
        for (const struct option *o = (*c)->options; o->name; o++)
            printf("--%s ", o->name);
        fputs("--help' ;;\n", stdout);
    }
    fputs("    esac\n}\n\n"
          "_bhemu() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} inner= "
          "word\n"
          "    COMPREPLY=()\n"
          "    if [ \"$cur\" = = ]; then\n"
          "        cur=\n"
          "    elif [ \"$prev\" = = ]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"$command\" = help ]; }; then\n"
          "        COMPREPLY=($(compgen -W '",
          stdout);
    print_commands(" ");
    fputs("' -- \"$cur\"))\n        return\n    fi\n    case $prev in\n", stdout);
    print_value_cases(") COMPREPLY=($(compgen -W '", "' -- \"$cur\")); return ;;\n",
                      ") compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n",
                      ") return ;;\n");
    fputs("    esac\n    case $command in\n    ", stdout);
    print_outer();
    fputs(
        ")\n        inner=run\n        for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n            case $word in ",
        stdout);
    print_inner();
    fputs(") inner=$word ;; esac\n        done ;;\n    esac\n"
          "    case $cur in\n"
          "    -*) COMPREPLY=($(compgen -W \"$(_bhemu_options \"$command\") $(_bhemu_options \"$inner\")\" -- "
          "\"$cur\")) ;;\n"
          "    *) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
          "    esac\n"
          "    if [ \"$inner\" ] && [ \"$COMP_CWORD\" = 2 ]; then\n"
          "        COMPREPLY+=($(compgen -W '",
          stdout);
    for (const struct command *const *inner = command_check.inner; *inner; inner++)
        printf("%s ", (*inner)->name);
    fputs("' -- \"$cur\"))\n    fi\n}\ncomplete -F _bhemu bhemu\n", stdout);
}

static void print_zsh(void) {
    fputs("#compdef bhemu\n", stdout);
    print_head("zsh");
    fputs("_bhemu_options() {\n    case $1 in\n", stdout);
    for (const struct command *const *c = commands; *c; c++) {
        printf("    %s) options+=(", (*c)->name);
        for (const struct option *o = (*c)->options; o->name; o++) {
            printf("\n        '--%s:", o->name);
            print_quoted(help_of(o), "'\\''", true);
            putchar('\'');
        }
        fputs("\n        '--help:this text') ;;\n", stdout);
    }
    fputs("    esac\n}\n\n_bhemu() {\n    local -a options names\n    local inner word\n    names=(", stdout);
    for (const struct command *const *c = commands; *c; c++) {
        printf("\n        '%s:", (*c)->name);
        print_quoted((*c)->summary, "'\\''", true);
        putchar('\'');
    }
    fputs("\n        'help:help on a command' 'version:the version')\n"
          "    if (( CURRENT == 2 )) || [[ CURRENT -eq 3 && $words[2] == help ]]; then\n"
          "        _describe command names\n"
          "        return\n"
          "    fi\n"
          "    case $words[CURRENT-1] in\n",
          stdout);
    print_value_cases(") compadd ", "; return ;;\n", ") _files; return ;;\n", ") return ;;\n");
    fputs("    esac\n    case $words[2] in\n    ", stdout);
    print_outer();
    fputs(")\n        inner=run\n        for word in $words[3,CURRENT-1]; do\n            case $word in ", stdout);
    print_inner();
    fputs(") inner=$word ;; esac\n        done ;;\n    esac\n"
          "    _bhemu_options $words[2]\n"
          "    [[ -n $inner ]] && _bhemu_options $inner\n"
          "    if [[ $words[CURRENT] == -* ]]; then\n"
          "        _describe -o option options\n"
          "        return\n"
          "    fi\n"
          "    [[ -n $inner && CURRENT -eq 3 ]] && compadd ",
          stdout);
    for (const struct command *const *inner = command_check.inner; *inner; inner++)
        printf("%s ", (*inner)->name);
    fputs("\n    _files\n}\n"
          "if [[ $funcstack[1] == _bhemu ]]; then\n    _bhemu \"$@\"\nelse\n    compdef _bhemu bhemu\nfi\n",
          stdout);
}

static void fish_option(const struct option *o, const char *condition) {
    static const char *const value[] = { [NO_VALUE] = "", [CHOICES] = " -x -a '", [FILES] = " -r -F", [OTHER] = " -x" };
    printf("complete -c bhemu -n '%s' -l %s%s", condition, o->name, value[kind_of(o)]);
    if (kind_of(o) == CHOICES) {
        print_choices(o->value);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    print_quoted(help_of(o), "\\'", false);
    fputs("'\n", stdout);
}

/* Prints the options of a command. A command that runs another one accepts the options of that one, too. */
static void fish_command(const struct command *command) {
    char condition[200];
    size_t used = (size_t)snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", command->name);
    for (const struct command *const *c = commands; *c; c++)
        for (const struct command *const *inner = (*c)->inner; inner && *inner; inner++)
            if (*inner == command && command == &command_run)
                used += (size_t)snprintf(condition + used, sizeof condition - used, " %s", (*c)->name);
    for (const struct option *o = command->options; o->name; o++)
        fish_option(o, condition);
}

static void print_fish(void) {
    print_head("fish");
    for (const struct command *const *c = commands; *c; c++) {
        printf("complete -c bhemu -f -n __fish_use_subcommand -a %s -d '", (*c)->name);
        print_quoted((*c)->summary, "\\'", false);
        fputs("'\n", stdout);
    }
    fputs("complete -c bhemu -f -n __fish_use_subcommand -a help -d 'help on a command'\n"
          "complete -c bhemu -f -n __fish_use_subcommand -a version -d 'the version'\n"
          "complete -c bhemu -f -n '__fish_seen_subcommand_from help' -a '",
          stdout);
    print_commands(" ");
    fputs("'\ncomplete -c bhemu -l help -d 'this text'\n", stdout);
    for (const struct command *const *c = commands; *c; c++)
        fish_command(*c);
    for (const struct command *const *c = commands; *c; c++)
        for (const struct command *const *inner = (*c)->inner; inner && *inner; inner++)
            printf("complete -c bhemu -n '__fish_seen_subcommand_from %s' -a %s\n", (*c)->name, (*inner)->name);
}

/* ---- The command ------------------------------------------------------------------------------------------- */

static const struct shell {
    const char *name;
    void (*print)(void);
} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

static int run(const struct command *command, int argc, char **argv) {
    struct arguments arguments = { .command = command, .argc = argc, .argv = argv };
    const char *name = NULL;
    for (int id; (id = options_next(&arguments)) != OPTION_END;) {
        if (id == OPTION_BAD)
            return EXIT_USAGE;
        if (id == OPTION_HELP)
            return EXIT_DONE;
        if (name)
            return usage_error(command, "unexpected '%s': one shell is enough", arguments.value);
        name = arguments.value;
    }
    for (size_t i = 0; name && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(name, shells[i].name) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    return name ? usage_error(command, "'%s' is no shell that is known: bash, zsh and fish are", name)
                : usage_error(command, "for which shell? bash, zsh or fish");
}

const struct command command_completion = {
    .name = "completion",
    .synopsis = "bash|zsh|fish",
    .summary = "print a script that completes the command line in a shell",
    .options = options,
    .notes = notes,
    .run = run,
};
