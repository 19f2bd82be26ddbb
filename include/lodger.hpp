/*
 * Lodger for C++17: a thin, header-only layer over lodger.h.
 *
 *   lodger::agent agent(R"({"model":"anthropic/claude-sonnet-5-5","cwd":"."})", [](lodger::request request) {
 *     request.allow();
 *   });
 *   for (const lodger::event &event : agent.prompt("Mend the test."))
 *     if (event.kind() == LODGER_EVENT_TEXT_DELTA) std::cout << event.text();
 *
 * Every object owns its handle and can be moved; those that a handler gets can be copied too. Calls that fail throw lodger::error. What
 * lodger.h says of threads, requests and forks holds here too. Views (std::string_view) live as long as the object that
 * gave them.
 */
/** @file lodger.hpp The C++ layer over lodger.h. */
#ifndef LODGER_HPP
#define LODGER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lodger.h"

/** Lodger for C++17. */
namespace lodger {

/** As long as it takes. */
inline constexpr std::chrono::milliseconds forever{-1};

namespace detail {

inline lodger_str in(std::string_view text) { return lodger_str{text.data(), text.size()}; }
inline std::string_view out(lodger_str text) { return {text.ptr ? text.ptr : "", text.len}; }
inline std::string_view out(lodger_bytes bytes) {
  return {bytes.ptr ? reinterpret_cast<const char *>(bytes.ptr) : "", bytes.len};
}

template <auto Free> struct freed {
  template <class T> void operator()(T *object) const { Free(object); }
};
template <class T, auto Free> using handle = std::unique_ptr<T, freed<Free>>;

/** A function of the host on its way through C: nothing that it throws may cross. */
template <class Function> void wake(void *ctx) noexcept {
  try {
    (*static_cast<Function *>(ctx))();
  } catch (...) {
  }
}
template <class Function> void drop(void *ctx) noexcept { delete static_cast<Function *>(ctx); }

} // namespace detail

/** A call that failed. `what()` says what was expected and what to do. */
class error : public std::runtime_error {
public:
  /** What lodger_error said. */
  error(lodger_status status, std::string_view code, std::string_view message, std::string_view json)
      : std::runtime_error(std::string(message)), status_(status), code_(code), json_(json) {}

  /** One of LODGER_E_... */
  lodger_status status() const noexcept { return status_; }
  /** The stable name, such as `session_busy`. */
  const std::string &code() const noexcept { return code_; }
  /** Everything, as JSON. */
  const std::string &json() const noexcept { return json_; }

private:
  lodger_status status_;
  std::string code_, json_;
};

namespace detail {

/** Where a call puts its error, and what becomes of it. */
class check {
public:
  ~check() { lodger_error_free(error_); }
  operator lodger_error **() { return &error_; }

  /** The status of a call that went well; throws for one that did not. */
  lodger_status operator()(lodger_status status) {
    if (status < 0)
      throw error(status, out(lodger_error_code(error_)), out(lodger_error_message(error_)),
                  out(lodger_error_json(error_)));
    return status;
  }

private:
  lodger_error *error_ = nullptr;
};

inline std::string taken(lodger_blob *blob) {
  handle<lodger_blob, lodger_blob_free> owned(blob);
  return std::string(out(lodger_blob_bytes(blob)));
}

} // namespace detail

/** A text as a JSON string. */
inline std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      json += escape;
    } else {
      json += c;
    }
  }
  return json += '"';
}

/** Something that happened in a turn. */
class event {
public:
  /** Takes an event of lodger.h. */
  explicit event(lodger_event *owned) : handle_(owned) {}

  /** One of LODGER_EVENT_...; skip what you do not know. */
  std::uint32_t kind() const { return lodger_event_kind(handle_.get()); }
  /** Place in the session, from 1. */
  std::uint64_t seq() const { return lodger_event_seq(handle_.get()); }
  /** The kind as text: `text_delta`. */
  std::string_view type() const { return detail::out(lodger_event_type(handle_.get())); }
  /** The piece of text that it adds, for kinds that do. */
  std::string_view text() const { return detail::out(lodger_event_text(handle_.get())); }
  /** One value, by JSON Pointer: `/target/summary`. Empty when there is none. */
  std::string_view field(std::string_view pointer) const {
    return detail::out(lodger_event_field(handle_.get(), detail::in(pointer)));
  }
  /** All of it. */
  std::string_view json() const { return detail::out(lodger_event_json(handle_.get())); }

private:
  detail::handle<lodger_event, lodger_event_free> handle_;
};

/** Something that the agent asks. When its last copy goes unanswered, it is refused. */
class request {
public:
  /** Takes a request of lodger.h. */
  explicit request(lodger_request *owned) : handle_(owned, lodger_request_free) {}

  /** One of LODGER_REQUEST_... */
  std::uint32_t kind() const { return lodger_request_kind(handle_.get()); }
  /** Its id. */
  std::string_view id() const { return detail::out(lodger_request_id(handle_.get())); }
  /** One value, by JSON Pointer: `/permission/summary`. Empty when there is none. */
  std::string_view field(std::string_view pointer) const {
    return detail::out(lodger_request_field(handle_.get(), detail::in(pointer)));
  }
  /** All of it. */
  std::string_view json() const { return detail::out(lodger_request_json(handle_.get())); }
  /** Whether an answer would come too late. */
  bool settled() const { return lodger_request_settled(handle_.get()); }

  /** Allows a call this once, approves a plan, or finds nothing against a call. */
  void allow() const {
    detail::check check;
    check(lodger_request_allow(handle_.get(), check));
  }
  /** Refuses a request of any kind. */
  void deny(std::string_view message = {}) const {
    detail::check check;
    check(lodger_request_deny(handle_.get(), detail::in(message), check));
  }
  /** Refuses a request because its handler failed. */
  void fail(std::string_view reason) const {
    detail::check check;
    check(lodger_request_fail(handle_.get(), detail::in(reason), check));
  }
  /** Answers with JSON. */
  void answer(std::string_view json) const {
    detail::check check;
    check(lodger_request_answer(handle_.get(), detail::in(json), check));
  }
  /** Shows how far a tool has come. */
  void progress(std::string_view text) const {
    detail::check check;
    check(lodger_request_progress(handle_.get(), detail::in(text), check));
  }
  /** Calls `settled` once it is settled, by whomever, on the callback thread. */
  void on_settled(std::function<void()> settled) const {
    using function = std::function<void()>;
    detail::check check;
    check(lodger_request_on_settled(handle_.get(), detail::wake<function>, new function(std::move(settled)),
                                    detail::drop<function>, check));
  }

private:
  std::shared_ptr<lodger_request> handle_;
};

/** A token that a request to a model needs. When its last copy goes unanswered, the request fails. */
class token_request {
public:
  /** Takes a request for a token of lodger.h. */
  explicit token_request(lodger_token_request *owned) : handle_(owned, lodger_token_request_free) {}

  /** The base URL of the server that will get the token. */
  std::string_view audience() const { return detail::out(lodger_token_request_audience(handle_.get())); }

  /** Hands over a token, which ends at `expires_at` in Unix milliseconds; 0: when the provider refuses it. */
  void issue(std::string_view token, std::uint64_t expires_at = 0) const {
    detail::check check;
    check(lodger_token_request_issue(handle_.get(), detail::in(token), expires_at, check));
  }
  /** There is none. */
  void fail(std::string_view reason) const {
    detail::check check;
    check(lodger_token_request_fail(handle_.get(), detail::in(reason), check));
  }

private:
  std::shared_ptr<lodger_token_request> handle_;
};

/** A request to a model that your own HTTP client carries. When its last copy goes before the end, it fails. */
class fetch {
public:
  /** Takes a request of lodger.h. */
  explicit fetch(lodger_fetch *owned) : handle_(owned, lodger_fetch_free) {}

  /** `GET` or `POST`. */
  std::string_view method() const { return detail::out(lodger_fetch_method(handle_.get())); }
  /** Where to; do not follow redirects. */
  std::string_view url() const { return detail::out(lodger_fetch_url(handle_.get())); }
  /** `name: value` lines, each closed by CR and LF. They hold the credentials. */
  std::string_view headers() const { return detail::out(lodger_fetch_headers(handle_.get())); }
  /** The body; empty for `GET`. */
  std::string_view body() const { return detail::out(lodger_fetch_body(handle_.get())); }
  /** Whether nothing more is wanted, and your client should stop. */
  bool settled() const { return lodger_fetch_settled(handle_.get()); }

  /** Wakes your loop when there is room again, or nobody wants the answer any more; see lodger_fetch_set_waker. */
  void set_waker(std::function<void()> waker) const {
    using function = std::function<void()>;
    detail::check check;
    check(lodger_fetch_set_waker(handle_.get(), detail::wake<function>, new function(std::move(waker)),
                                 detail::drop<function>, check));
  }
  /** Says the head of the answer, with `name: value` lines; says whether its body is wanted. */
  bool respond(std::uint32_t status, std::string_view headers) const {
    detail::check check;
    return check(lodger_fetch_respond(handle_.get(), status, detail::in(headers), check)) != LODGER_END;
  }
  /** Hands over a piece of the body. LODGER_OK: the next one may come; LODGER_AGAIN: wait; LODGER_END: stop. */
  lodger_status push(std::string_view piece, std::chrono::milliseconds timeout = forever) const {
    lodger_bytes bytes{reinterpret_cast<const std::uint8_t *>(piece.data()), piece.size()};
    detail::check check;
    return check(lodger_fetch_push(handle_.get(), bytes, timeout.count(), check));
  }
  /** The body is whole. */
  void end() const {
    detail::check check;
    check(lodger_fetch_end(handle_.get(), check));
  }
  /** There was no answer, or it broke off. */
  void fail(std::string_view reason) const {
    detail::check check;
    check(lodger_fetch_fail(handle_.get(), detail::in(reason), check));
  }

private:
  std::shared_ptr<lodger_fetch> handle_;
};

/** One prompt and what follows from it. Destroying it cancels it. */
class turn {
public:
  /** Takes a turn of lodger.h. */
  explicit turn(lodger_turn *owned) : handle_(owned) {}

  /** Up to `max` events; none when `timeout` was over first; nothing at all (`nullopt`) after the last. */
  std::optional<std::vector<event>> read(std::size_t max, std::chrono::milliseconds timeout) const {
    std::vector<lodger_event *> raw(max);
    std::size_t count = 0;
    detail::check check;
    if (check(lodger_turn_read(handle_.get(), raw.data(), max, &count, timeout.count(), check)) == LODGER_END)
      return std::nullopt;
    return std::vector<event>(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(count));
  }

  /** Readable while there is something to read, for poll and its kin; see lodger_turn_waitable. */
  lodger_waitable waitable() const {
    lodger_waitable descriptor = -1;
    detail::check check;
    check(lodger_turn_waitable(handle_.get(), &descriptor, check));
    return descriptor;
  }

  /** Wakes your loop when there is something to read; see lodger_turn_set_waker. */
  void set_waker(std::function<void()> waker) const {
    using function = std::function<void()>;
    detail::check check;
    check(lodger_turn_set_waker(handle_.get(), detail::wake<function>, new function(std::move(waker)),
                                detail::drop<function>, check));
  }

  /** Gets the events, on the callback thread, instead of reading. It answers LODGER_FLOW_...; throwing cancels. */
  using listener = std::function<lodger_flow(event)>;

  /** Has the events pushed; see lodger_turn_set_listener. */
  void set_listener(listener gets) const {
    detail::check check;
    check(lodger_turn_set_listener(handle_.get(), pushed, new listener(std::move(gets)), detail::drop<listener>, check));
  }

  /** Lets the events of a listener that paused flow again. */
  void resume() const {
    detail::check check;
    check(lodger_turn_resume(handle_.get(), check));
  }

  /** Asks it to end; does not wait. */
  void cancel() const {
    detail::check check;
    check(lodger_turn_cancel(handle_.get(), check));
  }

  /** What it came to, as JSON; `nullopt` when `timeout` was over first. It reads no events. */
  std::optional<std::string> result(std::chrono::milliseconds timeout = forever) const {
    lodger_blob *blob = nullptr;
    detail::check check;
    if (check(lodger_turn_result(handle_.get(), timeout.count(), &blob, check)) == LODGER_AGAIN)
      return std::nullopt;
    return detail::taken(blob);
  }

  /** Walks over the events as they come, and ends after `done`. */
  class iterator {
  public:
    using value_type = event;
    using reference = const event &;
    using pointer = const event *;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    explicit iterator(const turn *from) : from_(from) { more(); }
    reference operator*() const { return batch_[at_]; }
    pointer operator->() const { return &batch_[at_]; }
    iterator &operator++() {
      if (++at_ == batch_.size())
        more();
      return *this;
    }
    bool operator==(const iterator &other) const { return from_ == other.from_; }
    bool operator!=(const iterator &other) const { return from_ != other.from_; }

  private:
    void more() {
      auto next = from_->read(64, forever);
      at_ = 0;
      if (next)
        batch_ = std::move(*next);
      else
        from_ = nullptr;
    }

    const turn *from_ = nullptr;
    std::vector<event> batch_;
    std::size_t at_ = 0;
  };

  /** The events, for a range-for. Only once: they are taken out. */
  iterator begin() const { return iterator(this); }
  /** Behind `done`. */
  iterator end() const { return iterator(); }

  /** For calls that this layer does not have. */
  lodger_turn *get() const noexcept { return handle_.get(); }

private:
  static lodger_flow pushed(void *ctx, lodger_event *raw) noexcept {
    try {
      return (*static_cast<listener *>(ctx))(event(raw));
    } catch (...) {
      return LODGER_FLOW_CANCEL;
    }
  }

  detail::handle<lodger_turn, lodger_turn_free> handle_;
};

/** Threads and connections of your own; most programs need none. */
class runtime {
public:
  /** Starts `worker_threads` of them; 0 is 2. */
  explicit runtime(std::uint32_t worker_threads = 0) {
    lodger_runtime_options options{};
    options.size = sizeof options;
    options.worker_threads = worker_threads;
    lodger_runtime *made = nullptr;
    detail::check check;
    check(lodger_runtime_new(&options, &made, check));
    handle_.reset(made);
  }

  /** Ends everything of it in order. */
  void shutdown(std::chrono::milliseconds timeout) const {
    detail::check check;
    check(lodger_runtime_shutdown(handle_.get(), timeout.count(), check));
  }

  /** For calls that this layer does not have. */
  lodger_runtime *get() const noexcept { return handle_.get(); }

private:
  detail::handle<lodger_runtime, lodger_runtime_free> handle_;
};

/** How an agent reaches your program, on the callback thread. */
struct host {
  /** Gets every request. What it throws refuses the request, and the model is told. */
  std::function<void(request)> on_request = nullptr;
  /** Gets every diagnostic, as JSON that it may look at while it runs. What it throws is ignored. */
  std::function<void(std::string_view json)> on_diagnostic = nullptr;
  /** Makes the tokens for providers, in the place of the option `auth`. What it throws is why there is none. */
  std::function<void(token_request)> on_token = nullptr;
  /** Carries the requests to models. What it throws is why the request failed. */
  std::function<void(fetch)> on_fetch = nullptr;
};

namespace detail {

/** A host on its way through C: nothing that it throws may cross. */
struct table {
  /** The same as lodger.h has it. */
  static lodger_host of(host callbacks) {
    lodger_host filled{};
    filled.size = sizeof filled;
    filled.on_request = callbacks.on_request ? asked : nullptr;
    filled.on_diagnostic = callbacks.on_diagnostic ? told : nullptr;
    filled.on_token = callbacks.on_token ? wanted : nullptr;
    filled.on_fetch = callbacks.on_fetch ? sent : nullptr;
    filled.ctx = new host(std::move(callbacks));
    filled.drop = drop<host>;
    return filled;
  }

private:
  static void asked(void *ctx, lodger_request *raw) noexcept {
    serve(raw, static_cast<host *>(ctx)->on_request);
  }
  static void wanted(void *ctx, lodger_token_request *raw) noexcept {
    serve(raw, static_cast<host *>(ctx)->on_token);
  }
  static void sent(void *ctx, lodger_fetch *raw) noexcept {
    serve(raw, static_cast<host *>(ctx)->on_fetch);
  }
  static void told(void *ctx, lodger_str json) noexcept {
    try {
      static_cast<host *>(ctx)->on_diagnostic(out(json));
    } catch (...) {
      // Nothing of the agent depends on who watches it.
    }
  }

  template <class Asked, class Raw>
  static void serve(Raw *raw, const std::function<void(Asked)> &handler) noexcept {
    try {
      const Asked asked(raw);
      try {
        handler(asked);
      } catch (const std::exception &thrown) {
        asked.fail(std::string("the handler failed: ") + thrown.what());
      } catch (...) {
        asked.fail("the handler failed");
      }
    } catch (...) {
      // It was settled before: the first outcome stands.
    }
  }
};

} // namespace detail

/** One agent. Destroying it closes it, within five seconds. */
class agent {
public:
  /** What `host` has as `on_request`. */
  using handler = std::function<void(request)>;

  /** Creates an agent, on a runtime of yours or the shared default. */
  agent(std::string_view options_json, host callbacks, const runtime *on = nullptr) {
    make(std::move(callbacks), [&](const lodger_host &table, lodger_agent **made, lodger_error **error) {
      return lodger_agent_create(on ? on->get() : nullptr, detail::in(options_json), &table, made, error);
    });
  }
  /** The same for those who take nothing but requests. */
  explicit agent(std::string_view options_json, handler on_request = nullptr, const runtime *on = nullptr)
      : agent(options_json, host{std::move(on_request)}, on) {}

  /** Goes on from what `checkpoint()` gave; see lodger_agent_restore. */
  agent(const std::vector<std::uint8_t> &checkpoint, std::string_view options_json, host callbacks,
        const runtime *on = nullptr) {
    lodger_bytes bytes{checkpoint.data(), checkpoint.size()};
    make(std::move(callbacks), [&](const lodger_host &table, lodger_agent **made, lodger_error **error) {
      return lodger_agent_restore(on ? on->get() : nullptr, bytes, detail::in(options_json), &table, made, error);
    });
  }
  /** The same for those who take nothing but requests. */
  agent(const std::vector<std::uint8_t> &checkpoint, std::string_view options_json, handler on_request = nullptr,
        const runtime *on = nullptr)
      : agent(checkpoint, options_json, host{std::move(on_request)}, on) {}

  /** The id of its session. */
  std::string_view session_id() const { return detail::out(lodger_agent_session_id(handle_.get())); }

  /** Starts a turn with a text. */
  turn prompt(std::string_view text) const { return prompt_json(quoted(text)); }
  /** Starts a turn with a JSON string or a JSON array of blocks. */
  turn prompt_json(std::string_view json) const {
    lodger_turn *made = nullptr;
    detail::check check;
    check(lodger_agent_prompt(handle_.get(), detail::in(json), &made, check));
    return turn(made);
  }

  /** The conversation so far, as bytes; only between turns. */
  std::vector<std::uint8_t> checkpoint() const {
    lodger_blob *blob = nullptr;
    detail::check check;
    check(lodger_agent_checkpoint(handle_.get(), &blob, check));
    const std::string bytes = detail::taken(blob);
    return {bytes.begin(), bytes.end()};
  }

  /** Answers a request by its id. */
  void answer(std::string_view request_id, std::string_view json) const {
    detail::check check;
    check(lodger_agent_answer(handle_.get(), detail::in(request_id), detail::in(json), check));
  }
  /** Refuses a request by its id because its handler failed. */
  void fail_request(std::string_view request_id, std::string_view reason) const {
    detail::check check;
    check(lodger_agent_fail_request(handle_.get(), detail::in(request_id), detail::in(reason), check));
  }
  /** Shows by its request's id how far a tool has come. */
  void progress(std::string_view request_id, std::string_view text) const {
    detail::check check;
    check(lodger_agent_progress(handle_.get(), detail::in(request_id), detail::in(text), check));
  }
  /** Cancels what runs; says whether something did. */
  bool interrupt() const {
    bool ran = false;
    detail::check check;
    check(lodger_agent_interrupt(handle_.get(), &ran, check));
    return ran;
  }
  /** `ask`, `auto-edit`, `full-auto` or `plan`. */
  void set_mode(std::string_view mode) const {
    detail::check check;
    check(lodger_agent_set_mode(handle_.get(), detail::in(mode), check));
  }
  /** `provider/model`. */
  void set_model(std::string_view model) const {
    detail::check check;
    check(lodger_agent_set_model(handle_.get(), detail::in(model), check));
  }
  /** What is asked for seldom, by name: `session/messages`. */
  std::string call(std::string_view method, std::string_view params_json = "{}") const {
    lodger_blob *blob = nullptr;
    detail::check check;
    check(lodger_agent_call(handle_.get(), detail::in(method), detail::in(params_json), &blob, check));
    return detail::taken(blob);
  }
  /** Ends it in order; no callback runs afterwards. */
  void close(std::chrono::milliseconds timeout) const {
    detail::check check;
    check(lodger_agent_close(handle_.get(), timeout.count(), check));
  }

  /** For calls that this layer does not have. */
  lodger_agent *get() const noexcept { return handle_.get(); }

private:
  template <class How> void make(host callbacks, How how) {
    if (lodger_abi_version() >> 16 != 1)
      throw std::runtime_error("lodger.hpp and the loaded liblodger have different major versions");
    lodger_host table = detail::table::of(std::move(callbacks));
    lodger_agent *made = nullptr;
    detail::check check;
    check(how(table, &made, check));
    handle_.reset(made);
  }

  static void closed(lodger_agent *open) {
    lodger_agent_close(open, 5000, nullptr);
    lodger_agent_free(open);
  }

  detail::handle<lodger_agent, closed> handle_;
};

/** The ids of the models that a provider offers, as a JSON array; see lodger_list_models. */
inline std::string list_models(std::string_view options_json, host callbacks, std::chrono::milliseconds timeout,
                               const runtime *on = nullptr) {
  lodger_host table = detail::table::of(std::move(callbacks));
  lodger_blob *blob = nullptr;
  detail::check check;
  check(lodger_list_models(on ? on->get() : nullptr, detail::in(options_json), &table, timeout.count(), &blob, check));
  return detail::taken(blob);
}
/** The same for those who take nothing. */
inline std::string list_models(std::string_view options_json, std::chrono::milliseconds timeout,
                               const runtime *on = nullptr) {
  return list_models(options_json, host{}, timeout, on);
}

} // namespace lodger

#endif
