/*
 * Just enough JSON for a test: walks over well-formed text, copies nothing but strings. A value is a pointer to its
 * first character; NULL is a value that is not there, and everything about it is not there either.
 */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *json_blank(const char *at) { return at + strspn(at, " \t\r\n"); }

/* Behind the value. */
static inline const char *json_end(const char *value) {
  int depth = 0;
  const char *at = value;
  do {
    at = json_blank(at);
    if (*at == '"') {
      for (at++; *at != '"'; at++)
        at += *at == '\\';
      at++;
    } else if (*at == '{' || *at == '[') {
      depth++, at++;
    } else if (*at == '}' || *at == ']') {
      depth--, at++;
    } else if (*at == ',' || *at == ':') {
      at++;
    } else {
      at += strcspn(at, ",:]} \t\r\n\"");
    }
  } while (depth > 0 && *at);
  return at;
}

/* The next value of a list or object after `at`, which is its bracket or a value's end. */
static inline const char *json_next(const char *at) {
  at = json_blank(at);
  if (*at == '[' || *at == '{' || *at == ',' || *at == ':')
    at = json_blank(at + 1);
  return *at == ']' || *at == '}' || *at == '\0' ? NULL : at;
}

/* An object's member; null and false are as good as not there. */
static inline const char *json_member(const char *object, const char *name) {
  size_t len = strlen(name);
  if (!object || *json_blank(object) != '{')
    return NULL;
  for (const char *key = json_next(json_blank(object)); key;) {
    const char *value = json_next(json_end(key));
    if (strncmp(key + 1, name, len) == 0 && key[len + 1] == '"')
      return value && (*value == 'n' || *value == 'f') ? NULL : value;
    key = json_next(json_end(value));
  }
  return NULL;
}

/* A list's item, from 0. */
static inline const char *json_item(const char *list, size_t index) {
  if (!list || *json_blank(list) != '[')
    return NULL;
  const char *item = json_next(json_blank(list));
  while (item && index-- > 0)
    item = json_next(json_end(item));
  return item;
}

static inline long json_number(const char *value, long otherwise) { return value ? strtol(value, NULL, 10) : otherwise; }

/* A string, unescaped as far as tests need it (no \u). The caller frees it. */
static inline char *json_text(const char *value) {
  char *text = calloc(1, value ? (size_t)(json_end(value) - value) : 1), *to = text;
  if (value)
    for (const char *at = value + 1; *at != '"'; at++) {
      if (*at == '\\') {
        at++;
        *to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
      } else {
        *to++ = *at;
      }
    }
  return text;
}

/* A whole file. */
static inline char *json_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t len = 0;
  for (size_t got = 1; file && got > 0; len += got) {
    text = realloc(text, len + 4097);
    got = text ? fread(text + len, 1, 4096, file) : 0;
  }
  if (!file || !text) {
    perror(path);
    exit(1);
  }
  fclose(file);
  text[len] = '\0';
  return text;
}

#endif
