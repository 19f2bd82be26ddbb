#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char folder[64];

/* ---- checks -------------------------------------------------------------------------------------------------- */

void check_failed(const char *file, int line, const char *what, const char *detail) {
  fprintf(stderr, "%s:%d: %s%s%s\n", file, line, what, detail ? ": " : "", detail ? detail : "");
  fflush(stderr);
  _exit(1);
}

void check_status(const char *file, int line, const char *call, lodger_status wanted, lodger_status got,
                  lodger_error **error) {
  char detail[1024];
  snprintf(detail, sizeof detail, "expected %s, got %s (%.*s)", lodger_status_name(wanted), lodger_status_name(got),
           LODGER_ARG(lodger_error_message(*error)));
  if (wanted != got)
    check_failed(file, line, call, detail);
  /* An error object comes with an error, and with nothing else. */
  if ((got < 0) != (*error != NULL) || lodger_error_status(*error) != (got < 0 ? got : LODGER_OK))
    check_failed(file, line, call, "the error object does not fit the status");
  lodger_error_free(*error);
  *error = NULL;
}

void check_text(const char *file, int line, const char *what, const char *wanted, lodger_str got, bool part) {
  size_t len = strlen(wanted);
  bool fits = part ? got.len >= len && memmem(got.ptr, got.len, wanted, len) != NULL
                   : got.len == len && (len == 0 || memcmp(got.ptr, wanted, len) == 0);
  if (!fits) {
    char detail[2048];
    snprintf(detail, sizeof detail, "expected %s\"%s\", got \"%.*s\"", part ? "a part " : "", wanted, LODGER_ARG(got));
    check_failed(file, line, what, detail);
  }
}

/* Texts live until the process of their test ends, where leak checkers can see them. */
struct text {
  struct text *next;
  char *start;
};

static struct text *new_text(void) {
  static struct text *texts;
  struct text *text = calloc(1, sizeof *text);
  CHECK(text != NULL);
  text->next = __atomic_load_n(&texts, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(&texts, &text->next, text, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return text;
}

/* ---- files --------------------------------------------------------------------------------------------------- */

const char *json(const char *format, ...) {
  va_list arguments;
  char *text = NULL;
  va_start(arguments, format);
  int len = vasprintf(&text, format, arguments);
  va_end(arguments);
  CHECK(len >= 0);
  for (char *at = text; *at; at++)
    if (*at == '\'')
      *at = '"';
  return new_text()->start = text;
}

const char *path_of(const char *name) { return json("%s/%s", folder, name); }

bool has_file(const char *name) { return access(path_of(name), F_OK) == 0; }

void write_file(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* ---- the host ------------------------------------------------------------------------------------------------ */

const char *says(const char *parts) { return json("{'steps':[{'reply':[%s]}]}", parts); }

lodger_agent *new_agent(const lodger_runtime *runtime, const lodger_host *host, const char *script, const char *more) {
  static int numbers;
  lodger_agent *agent;
  lodger_error *error = NULL;
  const char *name = json("script%d.json", __atomic_fetch_add(&numbers, 1, __ATOMIC_SEQ_CST));
  write_file(name, json("%s", script));
  const char *options = json("{'model':'scripted/%s','cwd':'%s'%s%s}", name, folder, more ? "," : "", more ? more : "");
  EXPECT(LODGER_OK, lodger_agent_create(runtime, lodger_text(options), host, &agent, &error));
  CHECK(agent != NULL);
  return agent;
}

lodger_turn *prompt(const lodger_agent *agent, const char *text) {
  lodger_turn *turn;
  lodger_error *error = NULL;
  EXPECT(LODGER_OK, lodger_agent_prompt(agent, lodger_text(json("'%s'", text)), &turn, &error));
  CHECK(turn != NULL);
  return turn;
}

static void keep(char *place, size_t size, lodger_str text) {
  snprintf(place, size, "%.*s", LODGER_ARG(text));
}

void note(struct trace *trace, lodger_event *event) {
  uint32_t kind = lodger_event_kind(event);
  CHECK(kind > 0 && kind < 64);
  trace->events++;
  trace->of_kind[kind]++;
  if (trace->first_seq == 0)
    trace->first_seq = lodger_event_seq(event);
  trace->last_seq = lodger_event_seq(event);
  if (kind == LODGER_EVENT_TEXT_DELTA) {
    lodger_str piece = lodger_event_text(event);
    if (!trace->kept)
      trace->kept = new_text();
    if (trace->text_len + piece.len >= trace->text_room) {
      trace->text_room = 2 * (trace->text_len + piece.len) + 64;
      trace->kept->start = trace->text = realloc(trace->text, trace->text_room);
      CHECK(trace->text != NULL);
    }
    memcpy(trace->text + trace->text_len, piece.ptr, piece.len);
    trace->text_len += piece.len;
    trace->text[trace->text_len] = '\0';
  }
  if (kind == LODGER_EVENT_DONE) {
    keep(trace->reason, sizeof trace->reason, lodger_event_field(event, lodger_text("/reason")));
    keep(trace->error_code, sizeof trace->error_code, lodger_event_field(event, lodger_text("/error/code")));
  }
  if (kind == LODGER_EVENT_REQUEST_RESOLVED)
    keep(trace->outcome, sizeof trace->outcome, lodger_event_field(event, lodger_text("/outcome")));
  if (kind == LODGER_EVENT_TOOL_RESULT)
    keep(trace->tool_result, sizeof trace->tool_result, lodger_event_field(event, lodger_text("/content/0/text")));
  lodger_event_free(event);
}

void read_all(const lodger_turn *turn, struct trace *trace) {
  lodger_event *events[64];
  lodger_error *error = NULL;
  lodger_status status;
  size_t count;
  while ((status = lodger_turn_read(turn, events, 64, &count, LIMIT_MS, &error)) == LODGER_OK)
    for (size_t i = 0; i < count; i++)
      note(trace, events[i]);
  EXPECT(LODGER_END, status);
  CHECK(trace->of_kind[LODGER_EVENT_DONE] == 1);
}

void finish(lodger_agent *agent, lodger_turn *turn) {
  lodger_error *error = NULL;
  lodger_turn_free(turn);
  EXPECT(LODGER_OK, lodger_agent_close(agent, LIMIT_MS, &error));
  lodger_agent_free(agent);
}

void sleep_ms(int ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

void count_up(int *flag) { __atomic_add_fetch(flag, 1, __ATOMIC_SEQ_CST); }

int count_of(const int *flag) { return __atomic_load_n(flag, __ATOMIC_SEQ_CST); }

void await_count(const int *flag, int wanted) {
  for (int waited = 0; waited < LIMIT_MS; waited++) {
    if (count_of(flag) >= wanted)
      return;
    sleep_ms(1);
  }
  check_failed(__FILE__, __LINE__, "what was waited for did not happen within a minute", NULL);
}

size_t many(size_t events) { return getenv("LODGER_SLOW") ? events / 50 : events; }

static int entries_of(const char *path) {
  int count = 0;
  DIR *entries = opendir(path);
  CHECK(entries != NULL);
  for (struct dirent *entry; (entry = readdir(entries));)
    count += entry->d_name[0] != '.';
  closedir(entries);
  return count;
}

int descriptors_now(void) { return entries_of("/proc/self/fd") - 1; /* not the one that looks */ }

int threads_now(void) { return entries_of("/proc/self/task"); }

void await_no_thread(void) {
  for (int waited = 0; threads_now() > 1; waited++) {
    CHECK(waited < LIMIT_MS);
    sleep_ms(1);
  }
}

long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%*d %ld", &pages) == 1);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ---- the runner ---------------------------------------------------------------------------------------------- */

static int run_one(const struct test *test) {
  strcpy(folder, "/tmp/lodger-c-XXXXXX");
  if (!mkdtemp(folder)) {
    perror(folder);
    return 1;
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(300);
    test->run();
    exit(0); /* not _exit: leak checkers look at an orderly end */
  }
  int status = 1;
  waitpid(child, &status, 0);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0)
    fprintf(stderr, "%s stays\n", folder);
  if (WIFSIGNALED(status))
    fprintf(stderr, "%s: ended by signal %d\n", test->name, WTERMSIG(status));
  return status != 0;
}

int main(int count, char **wanted) {
  static const struct {
    const char *name;
    const struct test *tests;
  } suites[] = {
      {"basics", basics},           {"errors", errors},       {"requests", requests},   {"races", races},
      {"inside", inside},           {"streams", streams},     {"waitables", waitables}, {"listeners", listeners},
      {"checkpoints", checkpoints}, {"lifetimes", lifetimes}, {"closing", closing},     {"diagnostics", diagnostics},
      {"models", models},           {"fetches", fetches},     {"answers", answers},     {"tokens", tokens},
      {"forks", forks},
  };
  int passed = 0, failed = 0;
  for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
    for (const struct test *test = suites[i].tests; test->name; test++) {
      if (count > 1 && !strstr(test->name, wanted[1]) && strcmp(suites[i].name, wanted[1]) != 0)
        continue;
      int bad = run_one(test);
      printf("%s %s::%s\n", bad ? "FAIL" : "ok  ", suites[i].name, test->name);
      bad ? failed++ : passed++;
    }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
