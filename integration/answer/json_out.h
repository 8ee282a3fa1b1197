// Enough JSON to answer with: one object on one line, written as it goes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// `key` is NULL inside an array.
void json_begin(const char *key, char bracket);  // '{' or '['
void json_end(char bracket);                     // '}' or ']'
void json_string(const char *key, const char *text);
void json_integer(const char *key, int64_t value);
void json_boolean(const char *key, bool value);
// errno as {"number": 1, "name": "EPERM"}; 0 is {"number": 0, "name": "ok"}.
void json_errno(const char *key, int error_number);
