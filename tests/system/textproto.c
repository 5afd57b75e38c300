/* Tests of the text form of protocol buffers (src/system/textproto.c): trees of fields, and clear errors. */
#include <stdio.h>

#include "support/chip.h"
#include "system/textproto.h"

/* Writes a tree as a text with one form. */
static void show(const struct textproto *proto, uint32_t number, char *out, size_t room) {
    for (uint32_t i = proto->node[number].first; i; i = proto->node[i].next) {
        const struct proto_node *n = &proto->node[i];
        size_t used = strlen(out);
        int length = snprintf(out + used, room - used, "%.*s", (int)n->name_size, n->name);
        used += (size_t)length;
        if (n->kind == PROTO_MESSAGE) {
            snprintf(out + used, room - used, "{");
            show(proto, i, out, room);
            used = strlen(out);
            snprintf(out + used, room - used, "} ");
        } else if (n->kind == PROTO_NUMBER)
            snprintf(out + used, room - used, "=%lld@%u ", (long long)n->number, n->line);
        else
            snprintf(out + used, room - used, n->kind == PROTO_STRING ? "='%.*s'@%u " : "=%.*s@%u ", (int)n->size,
                     n->word, n->line);
    }
}

static void texts_become_trees(void **state) {
    static const struct {
        const char *text, *tree;
    } cases[] = {
        { "", "" },
        { " # only a comment", "" },
        { "a: 1 b: -2 c: 0x1F d: 017 e: - 3", "a=1@1 b=-2@1 c=31@1 d=15@1 e=-3@1 " },
        { "a:1,b:2;c:3", "a=1@1 b=2@1 c=3@1 " },
        { "a { b: 1 }\nc: { d: X }\ne < f: \"g\" >\n", "a{b=1@1 } c{d=X@2 } e{f='g'@3 } " },
        { "a: [1, 2,\n 3] b: []", "a=1@1 a=2@1 a=3@2 " },
        { "a: [{b: 1}, <c: 2>] d [ {} ]", "a{b=1@1 } a{c=2@1 } d{} " },
        { "a: 'x' \"y\" # z\n 'w'", "a='xyw'@1 " },
        { "a: \"q\\\"\\'\\\\\\x41\\101#\"", "a='q\"'\\AA#'@1 " },
        { "_a1: b_2", "_a1=b_2@1 " },
        { "a:#c\n1", "a=1@2 " },
        { "a{b{c{d:1}}}", "a{b{c{d=1@1 } } } " },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct textproto proto;
        char out[400] = "";
        uint32_t root = textproto_parse(&proto, cases[i].text, strlen(cases[i].text));
        if (!root)
            fail_msg("%s: %s", cases[i].text, proto.error);
        show(&proto, root, out, sizeof out);
        assert_string_equal(out, cases[i].tree);
        textproto_free(&proto);
    }
}

static void wrong_texts_have_a_line(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "a", "line 1: a colon or a brace" },
        { "a 1", "line 1: a colon or a brace" },
        { "\na:", "line 2: a value was expected" },
        { "a: }", "line 1: a value was expected" },
        { "a: 1 }", "line 1: nothing is open" },
        { "a { b: 1\n\n", "line 1: the brace of this line is not closed" },
        { "a { b: 1 >", "line 1: nothing is open" },
        { "a: [ 1\n", "line 1: the bracket of this line is not closed" },
        { "a: [ 1 2 ]", "line 1: a comma or a closing bracket" },
        { "a: [ 1, ]", "line 1: a value was expected" },
        { "a: [ [1] ]", "line 1: a value was expected" },
        { "a: \"b", "line 1: a quote is not closed" },
        { "a: \"b\n\"", "line 1: a quote is not closed" },
        { "a: 'b\"", "line 1: a quote is not closed" },
        { "a: 'b\\", "line 1: nothing that can be meant" },
        { "a: 'b\\q'", "line 1: nothing that can be meant" },
        { "a: 'b\\x'", "line 1: nothing that can be meant" },
        { "a: 1.5", "line 1: a number without a fraction" },
        { "a: 2e3", "line 1: a number without a fraction" },
        { "a: 12x", "line 1: this is not a number" },
        { "a: 08", "line 1: this is not a number" },
        { "a: 0x", "line 1: this is not a number" },
        { "a: -", "line 1: this is not a number" },
        { "a: 99999999999999999999", "line 1: the number is too large" },
        { ": 1", "line 1: the name of a field" },
        { "1: 1", "line 1: the name of a field" },
        { "[x.y]: 1", "line 1: the name of a field" },
        { "a: 1\n%", "line 2: the name of a field" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct textproto proto;
        if (textproto_parse(&proto, cases[i].text, strlen(cases[i].text)))
            fail_msg("read: %s", cases[i].text);
        assert_says(proto.error, cases[i].message);
        textproto_free(&proto);
    }
    struct textproto proto;
    assert_int_equal(textproto_parse(&proto, "a: 1 \0 b: 2", 11), 0);
    assert_says(proto.error, "line 1: the name of a field");
    textproto_free(&proto);
    char deep[200] = "";
    for (unsigned i = 0; i < 33; i++)
        strcat(deep, "a{");
    assert_int_equal(textproto_parse(&proto, deep, strlen(deep)), 0);
    assert_says(proto.error, "line 1: nested too deeply");
    textproto_free(&proto);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_trees),
        cmocka_unit_test(wrong_texts_have_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
