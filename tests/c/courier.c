/* The client: HTTP/1.1 over plain sockets, as far as the mock model server needs it. */
#define _GNU_SOURCE
#include "courier.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* One request on its way. */
struct errand {
  struct courier *courier;
  lodger_fetch *fetch;
  int bell[2];      /* a pipe that the waker writes to */
  char head[16384]; /* of the answer */
  size_t head_len;
  long chunk_left;  /* bytes of this chunk; 0: its size comes next */
  bool told, full, over, whole;
};

lodger_bytes bytes_of(const char *text) {
  lodger_bytes bytes = {(const uint8_t *)text, strlen(text)};
  return bytes;
}

static void ring(void *ctx) {
  struct errand *errand = ctx;
  count_up(&errand->courier->rung);
  CHECK(write(errand->bell[1], "", 1) == 1);
}

/* After the last ring. */
static void let_go(void *ctx) {
  struct errand *errand = ctx;
  close(errand->bell[0]);
  close(errand->bell[1]);
  free(errand);
}

/* ---- out ----------------------------------------------------------------------------------------------------- */

static void send_all(int socket_fd, const void *bytes, size_t len) {
  for (size_t sent = 0; sent < len;) {
    ssize_t now = send(socket_fd, (const char *)bytes + sent, len - sent, MSG_NOSIGNAL);
    CHECK(now > 0);
    sent += (size_t)now;
  }
}

static int send_request(const lodger_fetch *fetch) {
  char url[256], *path;
  lodger_str target = lodger_fetch_url(fetch), headers = lodger_fetch_headers(fetch);
  lodger_bytes body = lodger_fetch_body(fetch);
  CHECK(target.len < sizeof url && target.len > strlen("http://127.0.0.1:"));
  memcpy(url, target.ptr, target.len);
  url[target.len] = '\0';
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((uint16_t)strtol(url + strlen("http://127.0.0.1:"), &path, 10));
  int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(socket_fd >= 0 && connect(socket_fd, (struct sockaddr *)&address, sizeof address) == 0);
  const char *head = json("%.*s %s HTTP/1.1\r\nhost: mock\r\nconnection: close\r\ncontent-length: %zu\r\n%.*s\r\n",
                          LODGER_ARG(lodger_fetch_method(fetch)), path, body.len, LODGER_ARG(headers));
  send_all(socket_fd, head, strlen(head));
  send_all(socket_fd, body.ptr, body.len);
  return socket_fd;
}

/* ---- in ------------------------------------------------------------------------------------------------------ */

static void hear(struct errand *errand, lodger_status status) {
  CHECK(status == LODGER_OK || status == LODGER_AGAIN || status == LODGER_END);
  errand->full = status == LODGER_AGAIN;
  errand->over = status == LODGER_END;
  if (errand->full)
    count_up(&errand->courier->full);
}

static void push(struct errand *errand, const char *piece, size_t len) {
  lodger_bytes bytes = {(const uint8_t *)piece, len};
  hear(errand, lodger_fetch_push(errand->fetch, bytes, errand->courier->waits == IN_THE_PUSH ? -1 : 0, NULL));
}

/* The head, once it is whole; how much of the bytes belongs to it. */
static size_t take_head(struct errand *errand, const char *bytes, size_t len) {
  size_t taken = 0;
  while (taken < len && !errand->told) {
    CHECK(errand->head_len + 1 < sizeof errand->head);
    errand->head[errand->head_len++] = bytes[taken++];
    if (errand->head_len < 4 || memcmp(errand->head + errand->head_len - 4, "\r\n\r\n", 4) != 0)
      continue;
    errand->told = true;
    errand->head[errand->head_len] = '\0';
    CHECK(strcasestr(errand->head, "transfer-encoding: chunked"));
    char *lines = strchr(errand->head, '\n') + 1;
    hear(errand, lodger_fetch_respond(errand->fetch, (uint32_t)atol(errand->head + strlen("HTTP/1.1 ")),
                                      lodger_text(lines), NULL));
    errand->head_len = 0;
  }
  return taken;
}

/* Chunks: a size in hexadecimal on a line of its own, that many bytes, a line break; the last has size 0. */
static void take_body(struct errand *errand, const char *bytes, size_t len) {
  while (len > 0 && !errand->over) {
    if (errand->chunk_left == 0) {
      char c = *bytes++;
      len--;
      if (isxdigit((unsigned char)c)) {
        CHECK(errand->head_len + 1 < sizeof errand->head);
        errand->head[errand->head_len++] = c;
      } else if (c == '\n' && errand->head_len > 0) {
        errand->head[errand->head_len] = '\0';
        errand->head_len = 0;
        errand->chunk_left = strtol(errand->head, NULL, 16);
        if (errand->chunk_left == 0) {
          CHECK(lodger_fetch_end(errand->fetch, NULL) == LODGER_OK);
          errand->over = errand->whole = true;
        }
      }
      continue;
    }
    size_t now = len < (size_t)errand->chunk_left ? len : (size_t)errand->chunk_left;
    push(errand, bytes, now);
    errand->chunk_left -= (long)now;
    bytes += now;
    len -= now;
  }
}

/* Waits for the model, or for the waker alone while there is no room. */
static void carry_on(struct errand *errand, int socket_fd) {
  char bytes[65536];
  struct pollfd wait[] = {{errand->bell[0], POLLIN, 0}, {errand->full ? -1 : socket_fd, POLLIN, 0}};
  CHECK(poll(wait, 2, LIMIT_MS) > 0);
  if (wait[0].revents) {
    CHECK(read(errand->bell[0], bytes, sizeof bytes) > 0);
    if (errand->told)
      push(errand, "", 0);
    errand->over |= lodger_fetch_settled(errand->fetch);
  } else if (wait[1].revents) {
    ssize_t got = read(socket_fd, bytes, sizeof bytes);
    if (got <= 0) {
      CHECK(lodger_fetch_fail(errand->fetch, lodger_text("the server went away"), NULL) == LODGER_OK);
      errand->over = true;
      return;
    }
    size_t of_head = take_head(errand, bytes, (size_t)got);
    take_body(errand, bytes + of_head, (size_t)got - of_head);
  }
}

static void *carry(void *ctx) {
  struct errand *errand = ctx;
  struct courier *courier = errand->courier;
  lodger_fetch *fetch = errand->fetch;
  lodger_error *error = NULL;
  CHECK(pipe(errand->bell) == 0);
  EXPECT(LODGER_OK, lodger_fetch_set_waker(fetch, ring, errand, let_go, &error));
  int socket_fd = send_request(fetch);
  while (!errand->over)
    carry_on(errand, socket_fd);
  close(socket_fd);
  CHECK(lodger_fetch_settled(fetch));
  int *end = errand->whole ? &courier->whole : &courier->stopped;
  lodger_fetch_free(fetch);
  count_up(end);
  return NULL;
}

static void on_fetch(void *ctx, lodger_fetch *fetch) {
  pthread_t thread;
  struct errand *errand = calloc(1, sizeof *errand);
  CHECK(errand != NULL);
  errand->courier = ctx;
  errand->fetch = fetch;
  count_up(&errand->courier->carried);
  CHECK(pthread_create(&thread, NULL, carry, errand) == 0 && pthread_detach(thread) == 0);
}

static void on_drop(void *ctx) { count_up(&((struct courier *)ctx)->dropped); }

lodger_host carried_by(struct courier *courier) {
  lodger_host host = {.size = sizeof host, .ctx = courier, .drop = on_drop, .on_fetch = on_fetch};
  return host;
}

/* ---- an answer without a server ------------------------------------------------------------------------------ */

void answer_with(const lodger_fetch *fetch, uint32_t status, const char *text) {
  lodger_error *error = NULL;
  const char *body = "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"not so\"}}";
  if (status == 200)
    body = json("data: {'type':'message_start','message':{'id':'m','type':'message','role':'assistant','model':'mock',"
                "'content':[],'stop_reason':null,'usage':{'input_tokens':1,'output_tokens':1}}}\n\n"
                "data: {'type':'content_block_start','index':0,'content_block':{'type':'text','text':''}}\n\n"
                "data: {'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'%s'}}\n\n"
                "data: {'type':'content_block_stop','index':0}\n\n"
                "data: {'type':'message_delta','delta':{'stop_reason':'end_turn'},'usage':{'output_tokens':1}}\n\n"
                "data: {'type':'message_stop'}\n\n",
                text);
  const char *type = status == 200 ? "text/event-stream" : "application/json; charset=\"utf-8\"";
  EXPECT(LODGER_OK, lodger_fetch_respond(fetch, status, lodger_text(json("content-type: %s\r\n", type)), &error));
  CHECK(lodger_fetch_push(fetch, bytes_of(body), 0, NULL) >= LODGER_OK);
  EXPECT(LODGER_OK, lodger_fetch_end(fetch, &error));
}
