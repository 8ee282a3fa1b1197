#define _GNU_SOURCE
#include "json_out.h"

#include <stdio.h>
#include <string.h>

static bool need_comma;

static void put_text(const char *text)
{
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') printf("\\%c", *p);
        else if (*p < 0x20) printf("\\u%04x", *p);
        else putchar(*p);
    }
    putchar('"');
}

static void put_key(const char *key)
{
    if (need_comma) putchar(',');
    need_comma = true;
    if (key) {
        put_text(key);
        putchar(':');
    }
}

void json_begin(const char *key, char bracket)
{
    put_key(key);
    putchar(bracket);
    need_comma = false;
}

void json_end(char bracket)
{
    putchar(bracket);
    need_comma = true;
}

void json_string(const char *key, const char *text)
{
    put_key(key);
    put_text(text);
}

void json_integer(const char *key, int64_t value)
{
    put_key(key);
    printf("%lld", (long long)value);
}

void json_boolean(const char *key, bool value)
{
    put_key(key);
    fputs(value ? "true" : "false", stdout);
}

void json_errno(const char *key, int error_number)
{
    json_begin(key, '{');
    json_integer("number", error_number);
    const char *name = error_number ? strerrorname_np(error_number) : "ok";
    json_string("name", name ? name : "unknown");
    json_end('}');
}
