/* The mock model server: replies over real HTTP, and says what it saw. */
#define _GNU_SOURCE
#include "check.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* It ends with its standard input. */
static FILE *server_in;
static int server_port;

const char *start_server(const char *script) {
  int in[2], out[2];
  char line[256];
  write_file("wire.json", json("%s", script));
  CHECK(getenv("LODGER_MOCK_MODEL") != NULL); /* `make` sets it */
  CHECK(pipe(in) == 0 && pipe(out) == 0);
  if (fork() == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    close(in[1]);
    execl(getenv("LODGER_MOCK_MODEL"), "lodger-mock-model", "--script", path_of("wire.json"), (char *)NULL);
    perror("lodger-mock-model");
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  server_in = fdopen(in[1], "w");
  FILE *said = fdopen(out[0], "r");
  CHECK(fgets(line, sizeof line, said) != NULL);
  const char *port = strrchr(line, ':');
  CHECK(port && (server_port = atoi(port + 1)) > 0);
  return json("http://127.0.0.1:%d", server_port);
}

/* The largest number behind `"name":` in what the server saw. */
long server_saw(const char *name) {
  static char body[1 << 20];
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server_port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const char *request = "GET /__mock/stats HTTP/1.1\r\nHost: mock\r\nConnection: close\r\n\r\n";
  int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(socket_fd >= 0 && connect(socket_fd, (struct sockaddr *)&address, sizeof address) == 0);
  CHECK(write(socket_fd, request, strlen(request)) == (ssize_t)strlen(request));
  size_t len = 0;
  for (ssize_t got; (got = read(socket_fd, body + len, sizeof body - 1 - len)) > 0;)
    len += (size_t)got;
  close(socket_fd);
  body[len] = '\0';
  long most = -1;
  const char *quoted = json("'%s':", name);
  for (const char *at = body; (at = strstr(at, quoted)); at += strlen(quoted)) {
    long number = atol(at + strlen(quoted));
    most = number > most ? number : most;
  }
  if (most < 0)
    check_failed(__FILE__, __LINE__, "the server does not say what it saw", body);
  return most;
}

long server_rests(void) {
  long taken = -1, before;
  do {
    before = taken;
    sleep_ms(300);
    taken = server_saw("bytesWritten");
  } while (taken != before);
  return taken;
}

void stop_server(void) { fclose(server_in); }

lodger_agent *new_wire_agent(const lodger_host *host, const char *script) {
  lodger_error *error = NULL;
  lodger_agent *agent;
  const char *options = json(
      "{'model':'anthropic/mock','auth':{'apiKey':'key-of-the-test'},'endpoint':{'kind':'anthropic','baseUrl':'%s'}}",
      start_server(script));
  EXPECT(LODGER_OK, lodger_agent_create(NULL, lodger_text(options), host, &agent, &error));
  return agent;
}
