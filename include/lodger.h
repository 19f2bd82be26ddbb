/*
 * Lodger - a coding agent that lives inside your program.
 *
 * Generated from ffi/src by `make gen`; edit there. Link with -llodger. include/lodger.hpp is a C++ layer over this.
 *
 *   lodger_agent *agent;
 *   lodger_turn *turn;
 *   lodger_event *event;
 *   size_t count;
 *
 *   lodger_agent_create(NULL, lodger_text("{\"model\":\"anthropic/claude-sonnet-5-5\"}"), NULL, &agent, NULL);
 *   lodger_agent_prompt(agent, lodger_text("\"Say hello.\""), &turn, NULL);
 *   while (lodger_turn_read(turn, &event, 1, &count, -1, NULL) == LODGER_OK) {
 *     if (lodger_event_kind(event) == LODGER_EVENT_TEXT_DELTA)
 *       printf("%.*s", LODGER_ARG(lodger_event_text(event)));
 *     lodger_event_free(event);
 *   }
 *   lodger_turn_free(turn);
 *   lodger_agent_close(agent, 1000, NULL);
 *   lodger_agent_free(agent);
 *
 * Pointers
 *   A pointer that you pass is NULL, or valid for the whole call. NULL is never a crash: where something is needed,
 *   the call answers LODGER_E_INVALID_INPUT, an accessor answers 0, false or no text, and a _free does nothing.
 *   Text is UTF-8 with a length; the library copies what it keeps. JSON keys are camelCase. Documents and events of a
 *   newer library may hold keys and kinds that you do not know: skip them.
 *
 * Ownership
 *   What a call puts into its `out`, and what `on_request`, `on_token` and `on_fetch` get, is yours until you pass it to
 *   the _free of its type, once, in any order: a turn keeps its agent, an agent keeps its runtime. Views (lodger_str,
 *   lodger_bytes) that you get belong to the object that you asked. Out parameters are set on LODGER_OK; otherwise they
 *   are NULL, 0, false or, where a descriptor was asked for, -1.
 *   A `ctx` belongs to the library from the call on that takes it, also when that call fails: its `drop` is called
 *   exactly once, after the last callback returned, on any thread.
 *
 * Threads
 *   Every function may be called on every thread, at the same time on the same object; only _free must be the last
 *   call with its object. Callbacks come on threads of the library, which block all signals:
 *   - The functions of lodger_host, `settled` and listeners on the callback thread of the runtime, one at a time. They
 *     may take their time: it delays other callbacks only, though requests to models are among them where `on_fetch` or
 *     `on_token` serves an agent. They may call everything but what waits: lodger_turn_read, lodger_turn_result and
 *     lodger_fetch_push with a timeout other than 0, lodger_agent_close, lodger_runtime_shutdown and lodger_list_models
 *     answer LODGER_E_WOULD_DEADLOCK.
 *   - `wake` on a thread of the engine. It must return at once and may only signal your own loop.
 *   - `closed` on a thread of its own, which may call everything but what waits.
 *   A callback may come before the function that registered it returned. It must not throw, longjmp or end its
 *   thread. After lodger_agent_close returned, none of the agent's runs. After a _free returned, none of that object
 *   starts; one that runs may finish.
 *
 * Events
 *   A turn is one queue of events: read it from one thread at a time. When 256 events or 1 MiB stand unread, the
 *   agent stops reading from the model until you read on: nothing is dropped, and memory does not grow. `done` is the
 *   last event and comes exactly once, whatever happens. Ways to wait: block in lodger_turn_read; poll the descriptor of
 *   lodger_turn_waitable; have your own loop woken by lodger_turn_set_waker or, for many turns, by a mailbox. Or do not
 *   read at all, and have the events pushed by lodger_turn_set_listener.
 *
 * Requests
 *   The agent asks for leave to run a call, for a call of one of your tools, for an answer to a question, for a plan
 *   to be approved, for the verdict of a check. With `on_request` every one comes to it, whether or not events are read. Without, with the option
 *   "requests":"events", they are `request_opened` events that you answer by id; else they are refused at once.
 *   Answer when you like, from any thread, also long after the callback returned. The first answer counts. A request
 *   that is freed unanswered, answered with nonsense or too late is refused. Answers are JSON:
 *     permission  {"kind":"allow_once"}  {"kind":"allow_always"}  {"kind":"deny","feedback":"..."}
 *     tool        {"content":[{"type":"text","text":"..."}],"isError":false}  {"error":"..."}
 *     question    {"answers":["label"],"other":"..."}  {"dismissed":true}
 *     plan        {"approved":true,"mode":"auto-edit"}  {"approved":false,"feedback":"..."}
 *     check       {"blocking":false,"findings":[]}  {"blocking":true,"findings":["..."]}
 *
 * Transport
 *   The library sends its requests itself. With `on_fetch` every request to a model is yours to carry, by your own HTTP
 *   client with its proxy, certificates and log. Hand the lodger_fetch to the client and return. From any thread, say the
 *   head of the answer by lodger_fetch_respond, then each piece of the body by lodger_fetch_push, then lodger_fetch_end;
 *   or lodger_fetch_fail, at any time. A push that answers LODGER_AGAIN took its piece and asks you to stop reading
 *   until there is room: wait in the push itself, or for the waker of lodger_fetch_set_waker. LODGER_END, the waker and
 *   lodger_fetch_settled say that nobody wants the answer any more, because its turn was cancelled, its time was over or
 *   its agent was closed: stop your client. Calls that come later change nothing. Free the lodger_fetch last; until then
 *   it may be used, also after its agent. The wakers of requests under way are rung before lodger_agent_close is over.
 *   With `on_token` you make the tokens for providers. One is wanted when a request needs it, once for all that wait: the
 *   first time, some time before the last one is over, and once after the provider refused one. Answer by
 *   lodger_token_request_issue or lodger_token_request_fail, from any thread; after a minute there is none. Failing is
 *   `provider_auth`, and the agent can go on.
 *
 * Diagnostics
 *   `on_diagnostic` gets what the machinery does, beside the events: a JSON object with `type`, `ts`, `sessionId` and
 *   what its type adds. Nothing of the conversation is in it, no credential and no header. In order: `runtime.start`
 *   and `runtime.ready` first; `transport.start`, `transport.response`, `transport.error` and `transport.retry` of each
 *   model call; `permission.request` and `permission.decision`; `output.backpressure` once in a turn whose reader is
 *   slow; `runtime.exit` last, before the close is over with LODGER_OK. An agent that could not be made tells
 *   nothing, one that is freed without a close, or closed after its runtime, no end. At most 1024 wait for a callback
 *   that takes its time; `diagnostics.dropped` counts what was lost meanwhile.
 *
 * Errors
 *   A call answers a lodger_status: 0 and up is an outcome, below 0 an error. Pass an `err` to learn more: a message
 *   that says what was expected and what to do, and details as JSON. A fault inside the library is contained: it ends
 *   the call or the turn with LODGER_E_INTERNAL_PANIC, and the agent can go on. There is no errno and no last error.
 *
 * Fork and unload
 *   After a fork the child gets LODGER_E_FORKED from every handle that it inherited; freeing them does nothing there.
 *   It may create agents of its own. The library stays loaded once it is loaded (on Linux, by its own flag).
 *
 * Versions
 *   Within one major number of lodger_abi_version a program keeps working with newer libraries. Structs of callbacks
 *   and knobs begin with their size: set it to sizeof, and the rest to zero before you fill it in.
 */
/** @file lodger.h The C interface of Lodger. */

#ifndef LODGER_H
#define LODGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Done. */
#define LODGER_OK 0

/** Nothing is there yet. */
#define LODGER_AGAIN 1

/** Nothing will come any more. */
#define LODGER_END 2

/**
 * An option is unknown, missing or malformed. The message names the option, what was expected and, for a
 * misspelt name, the likely one.
 */
#define LODGER_E_INVALID_OPTIONS (-1)

/**
 * An argument is malformed: a null pointer, text that is not UTF-8, JSON that does not parse, a prompt of the
 * wrong shape or over a limit.
 */
#define LODGER_E_INVALID_INPUT (-2)

/** The agent, turn or runtime was closed. Create a new one. */
#define LODGER_E_CLOSED (-3)

/** This build, platform or agent cannot do that. The message says what is missing. */
#define LODGER_E_UNSUPPORTED (-4)

/** The handle was made before a fork and is used in the child. Create a new agent in the child. */
#define LODGER_E_FORKED (-5)

/** Something took longer than its limit. The message names the limit. */
#define LODGER_E_TIMEOUT (-6)

/** A fault in Lodger. Please report it with the message. */
#define LODGER_E_INTERNAL (-7)

/** A fault in Lodger that was contained: the turn ended, the agent can go on. Please report it with the message. */
#define LODGER_E_INTERNAL_PANIC (-8)

/** Nobody read a full event queue for `limits.stallTimeoutMs`. Read the turn, or await it. */
#define LODGER_E_CONSUMER_STALLED (-9)

/** A prompt is still running. Wait for its `done`, or interrupt it. */
#define LODGER_E_SESSION_BUSY (-10)

/** Another process has the session open. */
#define LODGER_E_SESSION_LOCKED (-11)

/** There is no such session. */
#define LODGER_E_SESSION_NOT_FOUND (-12)

/** There is no open request with that id. */
#define LODGER_E_REQUEST_NOT_FOUND (-13)

/** The request was answered, cancelled or timed out before; the first outcome stands. */
#define LODGER_E_REQUEST_SETTLED (-14)

/** A path lies outside the folders that the agent may use. */
#define LODGER_E_OUTSIDE_ROOTS (-15)

/** A file was replaced between the decision and its use. Read it again. */
#define LODGER_E_PATH_CHANGED (-16)

/** The call was refused by a person, a rule or the absence of an answer. */
#define LODGER_E_PERMISSION_DENIED (-17)

/** Managed policy fixes this setting. */
#define LODGER_E_LOCKED_BY_POLICY (-18)

/** Policy does not allow this model. */
#define LODGER_E_MODEL_NOT_ALLOWED (-19)

/** A policy bundle was not accepted: signature, age or form. */
#define LODGER_E_POLICY_REJECTED (-20)

/** The provider refused the credentials, or there are none. The message says where they are looked for. */
#define LODGER_E_PROVIDER_AUTH (-21)

/** The provider limits the rate of requests. Wait for `retryAfterMs` where it is given. */
#define LODGER_E_PROVIDER_RATE_LIMITED (-22)

/** The provider has too much load. */
#define LODGER_E_PROVIDER_OVERLOADED (-23)

/** The provider could not be reached or answered with a fault of its own. */
#define LODGER_E_PROVIDER_UNAVAILABLE (-24)

/** The provider did not accept the request. Its own words are in the message. */
#define LODGER_E_PROVIDER_REJECTED (-25)

/** The provider's stream ended before the reply was complete. */
#define LODGER_E_PROVIDER_STREAM_CUT (-26)

/** The provider sent something that is not its protocol. */
#define LODGER_E_PROVIDER_MALFORMED (-27)

/** The conversation no longer fits the model's context window. */
#define LODGER_E_CONTEXT_OVERFLOW (-28)

/** The checkpoint bytes are damaged. */
#define LODGER_E_CHECKPOINT_CORRUPT (-29)

/** The checkpoint was written by a newer version. */
#define LODGER_E_CHECKPOINT_UNSUPPORTED (-30)

/** The checkpoint is whole but does not describe a conversation. */
#define LODGER_E_CHECKPOINT_INVALID (-31)

/** The checkpoint is over `limits.maxCheckpointBytes`. */
#define LODGER_E_CHECKPOINT_TOO_LARGE (-32)

/** The turn has a reader already. A turn is read by one; open no second iterator. */
#define LODGER_E_READER_BUSY (-33)

/** A call that waits was made from inside a callback. Call it from another thread. */
#define LODGER_E_WOULD_DEADLOCK (-34)

/**
 * A sized struct is larger than this library knows and its extra bytes are not zero. Use a library at least as
 * new as the header.
 */
#define LODGER_E_ABI_MISMATCH (-35)

/**
 * The provider has no such model for this key, or nothing at that address. Its own words are in the message; a
 * list of models says which there are.
 */
#define LODGER_E_MODEL_NOT_FOUND (-36)

/** The account with the provider has nothing left to pay with. Waiting does not help. */
#define LODGER_E_PROVIDER_QUOTA (-37)

/**
 * The model gave no answer that fits `outputSchema`, also when it was told what was wrong. `data.attempts` and
 * `data.errors` say how often, and what was wrong last.
 */
#define LODGER_E_OUTPUT_INVALID (-38)

/** `session_state`: where a session stands, for one who joins. */
#define LODGER_EVENT_SESSION_STATE 1

/** `session_closed`: the session was closed. */
#define LODGER_EVENT_SESSION_CLOSED 2

/** `user_message`: a prompt entered the conversation. */
#define LODGER_EVENT_USER_MESSAGE 3

/** `prompt_queued`: a prompt waits for its turn. */
#define LODGER_EVENT_PROMPT_QUEUED 4

/** `prompt_started`: a waiting prompt's turn begins. */
#define LODGER_EVENT_PROMPT_STARTED 5

/** `turn_start`: a turn began. */
#define LODGER_EVENT_TURN_START 6

/** `text_delta`: more text of the answer, in lodger_event_text. */
#define LODGER_EVENT_TEXT_DELTA 7

/** `thinking_delta`: more of the model's thought, in lodger_event_text. */
#define LODGER_EVENT_THINKING_DELTA 8

/** `tool_input_delta`: more of a call's input, in lodger_event_text. */
#define LODGER_EVENT_TOOL_INPUT_DELTA 9

/** `assistant_message`: one whole reply, after its deltas. */
#define LODGER_EVENT_ASSISTANT_MESSAGE 10

/** `tool_call`: the model asked for a tool. */
#define LODGER_EVENT_TOOL_CALL 11

/** `tool_progress`: a running call has something to show, in lodger_event_text. */
#define LODGER_EVENT_TOOL_PROGRESS 12

/** `tool_result`: the end of a call, exactly one for each. */
#define LODGER_EVENT_TOOL_RESULT 13

/** `tool_denied`: a call was refused. */
#define LODGER_EVENT_TOOL_DENIED 14

/** `file_changed`: the agent changed a file. */
#define LODGER_EVENT_FILE_CHANGED 15

/** `subagent_start`: a sub-agent began. */
#define LODGER_EVENT_SUBAGENT_START 16

/** `subagent_end`: a sub-agent ended. */
#define LODGER_EVENT_SUBAGENT_END 17

/** `request_opened`: the agent asks something. */
#define LODGER_EVENT_REQUEST_OPENED 18

/** `request_resolved`: that is settled, exactly one for each. */
#define LODGER_EVENT_REQUEST_RESOLVED 19

/** `retry`: a request to the provider is tried again. */
#define LODGER_EVENT_RETRY 20

/** `compacted`: the conversation was made shorter. */
#define LODGER_EVENT_COMPACTED 21

/** `usage`: what was used so far. */
#define LODGER_EVENT_USAGE 22

/** `notice`: something that a person may want to know, in lodger_event_text. */
#define LODGER_EVENT_NOTICE 23

/** `task_update`: the agent's task list. */
#define LODGER_EVENT_TASK_UPDATE 24

/** `plan_update`: the agent's plan. */
#define LODGER_EVENT_PLAN_UPDATE 25

/** `mode_changed`: the mode changed. */
#define LODGER_EVENT_MODE_CHANGED 26

/** `model_changed`: the model changed. */
#define LODGER_EVENT_MODEL_CHANGED 27

/** `checkpoint_created`: portable bytes of the session were made. */
#define LODGER_EVENT_CHECKPOINT_CREATED 28

/** `replay_gap`: events were lost to a reader that came back too late. */
#define LODGER_EVENT_REPLAY_GAP 29

/** `done`: the turn ended, exactly one for each, always the last. */
#define LODGER_EVENT_DONE 30

/** `fallback`: a model failed before its first output, and another carries on. */
#define LODGER_EVENT_FALLBACK 31

/** `output_rejected`: an answer did not fit option `outputSchema`; the model is told so and asked again. */
#define LODGER_EVENT_OUTPUT_REJECTED 32

/** `background_task_ended`: a command that ran in the background ended; what the model is told in lodger_event_text. */
#define LODGER_EVENT_BACKGROUND_TASK_ENDED 33

/** `guard_verdict`: a check gave its verdict on a call, or none. */
#define LODGER_EVENT_GUARD_VERDICT 34

/** `permission`: may this call run? */
#define LODGER_REQUEST_PERMISSION 1

/** `tool`: run this tool of yours. */
#define LODGER_REQUEST_TOOL 2

/** `question`: a question to the person. */
#define LODGER_REQUEST_QUESTION 3

/** `plan`: a plan to approve. */
#define LODGER_REQUEST_PLAN 4

/** `check`: does anything speak against this call? Comes only where option `checks` has an entry without a command. */
#define LODGER_REQUEST_CHECK 5

/** The next event, please. */
#define LODGER_FLOW_CONTINUE 0

/** No event until lodger_turn_resume; `done` waits for it too. */
#define LODGER_FLOW_PAUSE 1

/** Cancel the turn, like lodger_turn_cancel. The events up to `done` still come. */
#define LODGER_FLOW_CANCEL 2

/** One agent: a conversation, its tools and its rules. It is yours: lodger_agent_free. */
typedef struct lodger_agent lodger_agent;

/** Bytes of any length, such as the JSON of a result. It is yours: lodger_blob_free. */
typedef struct lodger_blob lodger_blob;

/**
 * An error with its message and details. You get one through the last argument of a call that failed, if you asked.
 * It is yours: lodger_error_free.
 */
typedef struct lodger_error lodger_error;

/** Something that happened in a turn. It is yours: lodger_event_free. */
typedef struct lodger_event lodger_event;

/**
 * A request to a model for your own HTTP client to carry: send what it says, say what comes back. It is yours:
 * lodger_fetch_free, also after the end.
 */
typedef struct lodger_fetch lodger_fetch;

/** A list of turns that have something to read, with one wake-up for all of them. It is yours: lodger_mailbox_free. */
typedef struct lodger_mailbox lodger_mailbox;

/**
 * Something that the agent asks: leave for a call, a call of one of your tools, a question, a plan to approve, a check. It is
 * settled once, by the first answer; freeing it unanswered refuses it. It is yours: lodger_request_free, also after
 * the answer.
 */
typedef struct lodger_request lodger_request;

/**
 * Worker threads, connections and one callback thread. Most hosts need none: pass NULL to lodger_agent_create and
 * all agents share a default runtime, made with the first and stopped with the last. It is yours:
 * lodger_runtime_free.
 */
typedef struct lodger_runtime lodger_runtime;

/**
 * A token that a request to a model needs. It is answered once; freeing it unanswered fails the request. It is yours:
 * lodger_token_request_free, also after the answer.
 */
typedef struct lodger_token_request lodger_token_request;

/** One prompt and what follows from it: events in order, of which the last is `done`. It is yours: lodger_turn_free. */
typedef struct lodger_turn lodger_turn;

/** What a call came to: 0 and up is an outcome, below 0 is an error (one of `LODGER_E_...`). */
typedef int32_t lodger_status;

/**
 * UTF-8 text with a length, not closed by a NUL. Whoever hands it out owns it: a view that you pass in may go when
 * the call returns, a view that you get lives as long as the object that you asked. `ptr` is NULL where there is
 * no such text. A zero `len` is the empty text, whatever `ptr` is.
 */
typedef struct lodger_str {
  /** The first byte. */
  const char *ptr;
  /** How many bytes. */
  size_t len;
} lodger_str;

/** Bytes with a length, owned like the text of `lodger_str`. */
typedef struct lodger_bytes {
  /** The first byte. */
  const uint8_t *ptr;
  /** How many bytes. */
  size_t len;
} lodger_bytes;

/** Gets to see a thread of the library, on that thread. It must return soon, and may call nothing of this library. */
typedef void (*lodger_thread_fn)(void *ctx);

/**
 * Frees what a `ctx` points to. Called exactly once for each `ctx` that you pass in, whatever the call that took it
 * answered, after the last callback with it returned, on any thread.
 */
typedef void (*lodger_drop_fn)(void *ctx);

/** Knobs of a runtime. Set `size` to sizeof(lodger_runtime_options) and every field that you do not use to zero. */
typedef struct lodger_runtime_options {
  /** sizeof(lodger_runtime_options), as you compiled it. */
  size_t size;
  /** Threads that do the work of all agents. 0 is 2. */
  uint32_t worker_threads;
  /**
   * Called first on every thread of the runtime that may call you back, or NULL: to announce the thread to a virtual
   * machine, to name it, to lower its priority.
   */
  lodger_thread_fn on_thread_start;
  /** Called last on every such thread, or NULL. */
  lodger_thread_fn on_thread_stop;
  /** Handed to both. It belongs to the library from the call on, also when that fails. */
  void *thread_ctx;
  /** Frees `thread_ctx` after the last of the threads is gone; may be NULL. */
  lodger_drop_fn thread_drop;
} lodger_runtime_options;

/**
 * Gets an open request. Called on the callback thread of the runtime, one at a time. The request is yours: answer it
 * here or later, from any thread, and free it.
 */
typedef void (*lodger_request_fn)(void *ctx, lodger_request *request);

/**
 * Gets a diagnostic, as JSON. Called on the callback thread of the runtime, one at a time, in order. The text is the
 * library's, until this returns.
 */
typedef void (*lodger_diagnostic_fn)(void *ctx, lodger_str json);

/**
 * Gets the wish for a token, once at a time for each server. Called on the callback thread of the runtime, one at a
 * time. The wish is yours: answer it here or later, from any thread, within a minute, and free it.
 */
typedef void (*lodger_token_fn)(void *ctx, lodger_token_request *wanted);

/**
 * Gets a request to carry. Called on the callback thread of the runtime, one at a time: hand the request to your client
 * and return. The request is yours: answer it from any thread, and free it.
 */
typedef void (*lodger_fetch_fn)(void *ctx, lodger_fetch *fetch);

/** How an agent reaches your program. Set `size` to sizeof(lodger_host) and every field that you do not use to zero. */
typedef struct lodger_host {
  /** sizeof(lodger_host), as you compiled it. */
  size_t size;
  /** Handed to each of the functions. */
  void *ctx;
  /** Frees `ctx`; may be NULL. */
  lodger_drop_fn drop;
  /**
   * Gets every request: permissions, calls of your tools, questions, plans, checks. NULL: requests are refused at once,
   * or with the option `"requests": "events"` they wait, as `request_opened` events, for lodger_agent_answer.
   */
  lodger_request_fn on_request;
  /**
   * Gets every diagnostic of the agent, from `runtime.start` to `runtime.exit` (see "Diagnostics", on top). NULL:
   * nobody does.
   */
  lodger_diagnostic_fn on_diagnostic;
  /**
   * Makes the tokens for providers, in the place of the option `auth` (see "Transport", on top). NULL: `auth` says what
   * is used.
   */
  lodger_token_fn on_token;
  /** Carries the requests to models (see "Transport", on top). NULL: the library does. */
  lodger_fetch_fn on_fetch;
} lodger_host;

/** Is told that an agent was closed, and how that went: LODGER_OK or LODGER_E_TIMEOUT. */
typedef void (*lodger_closed_fn)(void *ctx, lodger_status status);

/** A file descriptor to wait on with poll, epoll, select or kqueue. */
typedef int lodger_waitable;

/**
 * Wakes your own loop. Called on a thread of the engine: it must return at once and may only signal (write to a
 * pipe, post to a queue, notify a condition).
 */
typedef void (*lodger_wake_fn)(void *ctx);

/** What a listener wants: one of `LODGER_FLOW_...`. Any other number is LODGER_FLOW_CANCEL. */
typedef int32_t lodger_flow;

/**
 * Gets an event. Called on the callback thread of the runtime, one at a time. The event is yours: free it here or
 * later.
 */
typedef lodger_flow (*lodger_event_fn)(void *ctx, lodger_event *event);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* ---- library ------------------------------------------------------------------------------------------- */

/**
 * Names a status, for logs and messages: `ok`, `again`, `end`, or the error's code, such as `session_busy`.
 *
 * Any thread.
 *
 * @param status Any number.
 * @return Static text, NUL-terminated; `unknown` for a number that this library does not know.
 * @since 0.1.0
 */
const char *lodger_status_name(lodger_status status);

/**
 * The version of the C interface of the loaded library. The major part is the soname's number; the minor part rises
 * when functions, or fields at the end of a sized struct, are added.
 *
 * Any thread.
 *
 * @return `(major << 16) | minor`.
 * @since 0.1.0
 */
uint32_t lodger_abi_version(void);

/**
 * The version of Lodger, such as `0.1.0`.
 *
 * Any thread.
 *
 * @return Static text, NUL-terminated.
 * @since 0.1.0
 */
const char *lodger_version(void);

/**
 * What this library was built from, as a JSON object: `version`, `abi` (`major.minor`), `protocol` (the `v` of
 * events), `target`, `features`.
 *
 * Any thread.
 *
 * @return Static text, NUL-terminated.
 * @since 0.1.0
 */
const char *lodger_build_info(void);

/* ---- error --------------------------------------------------------------------------------------------- */

/**
 * The status that came with the error.
 *
 * Any thread.
 *
 * @param error The error. NULL gives LODGER_OK.
 * @return One of `LODGER_E_...`.
 * @since 0.1.0
 */
lodger_status lodger_error_status(const lodger_error *error);

/**
 * The stable name of the error, such as `session_busy`. The list is in docs/errors.md.
 *
 * Any thread.
 *
 * @param error The error; it keeps the text. NULL gives no text.
 * @return The name.
 * @since 0.1.0
 */
lodger_str lodger_error_code(const lodger_error *error);

/**
 * What was expected, what was found and what to do, for people. It never holds a secret.
 *
 * Any thread.
 *
 * @param error The error; it keeps the text. NULL gives no text.
 * @return The message.
 * @since 0.1.0
 */
lodger_str lodger_error_message(const lodger_error *error);

/**
 * The whole error as a JSON object: `code`, `message`, `retryable`, and `retryAfterMs` and `data` where there are
 * any.
 *
 * Any thread.
 *
 * @param error The error; it keeps the text. NULL gives no text.
 * @return The JSON.
 * @since 0.1.0
 */
lodger_str lodger_error_json(const lodger_error *error);

/**
 * Frees an error.
 *
 * Any thread.
 *
 * @param error The error. NULL is fine.
 * @since 0.1.0
 */
void lodger_error_free(lodger_error *error);

/* ---- blob ---------------------------------------------------------------------------------------------- */

/**
 * The bytes. JSON is UTF-8 and not closed by a NUL.
 *
 * Any thread.
 *
 * @param blob The blob; it keeps the bytes. NULL gives none.
 * @return The bytes.
 * @since 0.1.0
 */
lodger_bytes lodger_blob_bytes(const lodger_blob *blob);

/**
 * Frees a blob.
 *
 * Any thread.
 *
 * @param blob The blob. NULL is fine.
 * @since 0.1.0
 */
void lodger_blob_free(lodger_blob *blob);

/* ---- runtime ------------------------------------------------------------------------------------------- */

/**
 * Makes a runtime of your own.
 *
 * Any thread.
 *
 * @param options  Knobs; NULL for the defaults. Read during the call only.
 * @param[out] out The runtime. Yours: lodger_runtime_free.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_ABI_MISMATCH, LODGER_E_INVALID_INPUT, LODGER_E_INTERNAL.
 * @since 0.1.0
 */
lodger_status lodger_runtime_new(const lodger_runtime_options *options, lodger_runtime **out, lodger_error **err);

/**
 * Ends a runtime in order: cancels the turns of its agents, ends their child processes, joins its threads. Agents
 * of it answer LODGER_E_CLOSED from then on, and call nothing back any more: close them before.
 *
 * Any thread, but not inside a callback: it waits.
 *
 * @param runtime    The runtime.
 * @param timeout_ms How long it may take, 0 or more. What is left over then ends by itself.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_runtime_shutdown(const lodger_runtime *runtime, int64_t timeout_ms, lodger_error **err);

/**
 * Frees a runtime. It does not wait. Agents of it keep what they need.
 *
 * Any thread.
 *
 * @param runtime The runtime. NULL is fine.
 * @since 0.1.0
 */
void lodger_runtime_free(lodger_runtime *runtime);

/* ---- agent --------------------------------------------------------------------------------------------- */

/**
 * Creates an agent. It starts no process and reads no network; the library takes a copy of the environment of your
 * process now and never looks at it again.
 *
 * Any thread.
 *
 * @param runtime      Where it runs; NULL for the shared default. It need not outlive the agent.
 * @param options_json A JSON object; `model` is the only key that is needed, `cwd` gives file and shell tools. An
 *                     unknown key is an error that names the likely word. The keys are in docs/options.md.
 * @param host         Your callbacks; NULL for none. Read during the call only. `ctx` belongs to the library from
 *                     now on, also when the call fails.
 * @param[out] out     The agent. Yours: lodger_agent_free.
 * @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH when there is no key, LODGER_E_INVALID_INPUT,
 *         LODGER_E_ABI_MISMATCH, LODGER_E_CLOSED, LODGER_E_FORKED, LODGER_E_INTERNAL.
 * @since 0.1.0
 */
lodger_status lodger_agent_create(const lodger_runtime *runtime,
                                  lodger_str options_json,
                                  const lodger_host *host,
                                  lodger_agent **out,
                                  lodger_error **err);

/**
 * Creates an agent that goes on where a checkpoint was taken: with its history and its usage, in a session of its own.
 * Everything else comes from `options_json`, as for lodger_agent_create; nothing in the bytes can change that. Bytes
 * that were damaged or made up are refused.
 *
 * Any thread.
 *
 * @param runtime      Where it runs; NULL for the shared default. It need not outlive the agent.
 * @param checkpoint   What lodger_agent_checkpoint gave, perhaps elsewhere. Copied before the call returns.
 * @param options_json As for lodger_agent_create.
 * @param host         As for lodger_agent_create. `ctx` belongs to the library from now on, also when the call fails.
 * @param[out] out     The agent. Yours: lodger_agent_free.
 * @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_CHECKPOINT_CORRUPT, LODGER_E_CHECKPOINT_UNSUPPORTED, LODGER_E_CHECKPOINT_INVALID,
 *         LODGER_E_CHECKPOINT_TOO_LARGE, and what lodger_agent_create answers.
 * @since 0.1.0
 */
lodger_status lodger_agent_restore(const lodger_runtime *runtime,
                                   lodger_bytes checkpoint,
                                   lodger_str options_json,
                                   const lodger_host *host,
                                   lodger_agent **out,
                                   lodger_error **err);

/**
 * The id of the agent's session, which stands in each of its events as `sessionId`.
 *
 * Any thread.
 *
 * @param agent The agent; it keeps the text. NULL gives no text.
 * @return The id.
 * @since 0.1.0
 */
lodger_str lodger_agent_session_id(const lodger_agent *agent);

/**
 * Takes the conversation so far as bytes: history and usage, no option, no key, no file. Only between turns. Keep them
 * where you like; lodger_agent_restore goes on from them, also on another machine.
 *
 * Any thread.
 *
 * @param agent    The agent.
 * @param[out] out The bytes. Yours: lodger_blob_free.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_SESSION_BUSY, LODGER_E_CLOSED, LODGER_E_CHECKPOINT_TOO_LARGE, LODGER_E_INVALID_INPUT,
 *         LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_checkpoint(const lodger_agent *agent, lodger_blob **out, lodger_error **err);

/**
 * Closes an agent in order: cancels its turn, refuses its open requests, ends its child processes. When this
 * returned LODGER_OK, no callback of the agent runs or will run. Closing again is fine.
 *
 * Any thread, but not inside a callback: it waits.
 *
 * @param agent      The agent.
 * @param timeout_ms How long it may take, 0 or more. After LODGER_E_TIMEOUT no further callback starts either.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_close(const lodger_agent *agent, int64_t timeout_ms, lodger_error **err);

/**
 * The same for those who must not wait: closes on a thread of its own and calls `closed` when it is over.
 *
 * Any thread, also inside a callback.
 *
 * @param agent      The agent. You may free it at once.
 * @param timeout_ms How long it may take, 0 or more.
 * @param closed     Told how it went, once, on a thread of the library that ends with it. It may call everything but
 *                   what waits.
 * @param ctx        Handed to `closed`. It belongs to the library from now on, also when the call fails.
 * @param drop       Frees `ctx`; may be NULL.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED, LODGER_E_INTERNAL when the system gives no thread.
 * @since 0.1.0
 */
lodger_status lodger_agent_begin_close(const lodger_agent *agent,
                                       int64_t timeout_ms,
                                       lodger_closed_fn closed,
                                       void *ctx,
                                       lodger_drop_fn drop,
                                       lodger_error **err);

/**
 * Frees an agent. It does not wait. A turn that you still hold keeps the agent going; with the last of them the
 * agent is cancelled and cleared away in the background, and no further callback starts.
 *
 * Any thread.
 *
 * @param agent The agent. NULL is fine.
 * @since 0.1.0
 */
void lodger_agent_free(lodger_agent *agent);

/* ---- list ---------------------------------------------------------------------------------------------- */

/**
 * Asks a provider which models it offers: one request, which nothing else ever sends, and waits for the answer.
 *
 * Any thread; not inside a callback.
 *
 * @param runtime      Where it runs; NULL for the shared default.
 * @param options_json A JSON object: `provider`, and as in the options of an agent `auth`, `endpoint`, `catalogue` and
 *                     `limits`. Without `auth` the key is looked up in the environment of your process.
 * @param host         Your callbacks; NULL for none. Of them `on_token` and `on_fetch` are called. Read during the call
 *                     only. `ctx` belongs to the library from now on, also when the call fails.
 * @param timeout_ms   How long to wait, 0 or more.
 * @param[out] out     A JSON array of ids, sorted, each once: "model" is "provider/id". Yours: lodger_blob_free.
 * @param[out] err     The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH and what else a provider may answer,
 *         LODGER_E_TIMEOUT, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_ABI_MISMATCH, LODGER_E_CLOSED,
 *         LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_list_models(const lodger_runtime *runtime,
                                 lodger_str options_json,
                                 const lodger_host *host,
                                 int64_t timeout_ms,
                                 lodger_blob **out,
                                 lodger_error **err);

/* ---- agent --------------------------------------------------------------------------------------------- */

/**
 * Sends a prompt. The turn starts at once and goes on until its `done` event, whether or not you read it; it stops
 * at a full queue until you do. An agent has one turn at a time.
 *
 * Any thread.
 *
 * @param agent       The agent.
 * @param prompt_json A JSON string, or a JSON array of content blocks.
 * @param[out] out    The turn. Yours: lodger_turn_free.
 * @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_CLOSED, LODGER_E_SESSION_BUSY, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_prompt(const lodger_agent *agent,
                                  lodger_str prompt_json,
                                  lodger_turn **out,
                                  lodger_error **err);

/**
 * Answers an open request by its id: for agents with `"requests": "events"`, and for any place that knows the id.
 * An answer that does not fit its request settles it as a refusal, and is LODGER_OK.
 *
 * Any thread.
 *
 * @param agent       The agent.
 * @param request_id  `requestId` of the `request_opened` event.
 * @param answer_json The answer, a JSON object; its form depends on the request's kind (see "Requests", on top).
 * @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_NOT_FOUND, LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_answer(const lodger_agent *agent,
                                  lodger_str request_id,
                                  lodger_str answer_json,
                                  lodger_error **err);

/**
 * Refuses an open request by its id because your handler failed: the outcome is `failed`.
 *
 * Any thread.
 *
 * @param agent      The agent.
 * @param request_id `requestId` of the `request_opened` event.
 * @param reason     Told to the model, such as `the handler failed: no disk space`.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_NOT_FOUND, LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_fail_request(const lodger_agent *agent,
                                        lodger_str request_id,
                                        lodger_str reason,
                                        lodger_error **err);

/**
 * Shows by its request's id how far a call of your tool has come: a `tool_progress` event of the stream `progress`.
 *
 * Any thread.
 *
 * @param agent      The agent.
 * @param request_id `requestId` of the `request_opened` event.
 * @param text       What to show.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_NOT_FOUND, LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_progress(const lodger_agent *agent,
                                    lodger_str request_id,
                                    lodger_str text,
                                    lodger_error **err);

/**
 * Cancels the turn that is running, if there is one. It does not wait: the turn ends with its `done` event.
 *
 * Any thread.
 *
 * @param agent            The agent.
 * @param[out] was_running Whether there was one; NULL if you do not want to know.
 * @param[out] err         The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_interrupt(const lodger_agent *agent, bool *was_running, lodger_error **err);

/**
 * Sets how much the agent may do without asking. A stricter mode binds at once, a looser one from the next step on.
 *
 * Any thread.
 *
 * @param agent    The agent.
 * @param mode     `ask`, `auto-edit`, `full-auto` or `plan`.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_CLOSED, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_set_mode(const lodger_agent *agent, lodger_str mode, lodger_error **err);

/**
 * Sets the model, from the next reply on.
 *
 * Any thread.
 *
 * @param agent    The agent.
 * @param model    `provider/model`.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_OPTIONS, LODGER_E_PROVIDER_AUTH when there is no key, LODGER_E_INVALID_INPUT,
 *         LODGER_E_CLOSED, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_agent_set_model(const lodger_agent *agent, lodger_str model, lodger_error **err);

/**
 * Everything that is asked for seldom, by the names of the host protocol: `session/messages`, `session/usage`,
 * `session/set_mode`, `session/set_model`, `session/cancel`, `session/answer`, `health`.
 *
 * Any thread.
 *
 * @param agent       The agent.
 * @param method      The name.
 * @param params_json A JSON object; empty text for none.
 * @param[out] out    The result as JSON. Yours: lodger_blob_free.
 * @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_UNSUPPORTED for a name that this build does not have, LODGER_E_INVALID_INPUT,
 *         LODGER_E_FORKED, and what the named verb answers.
 * @since 0.1.0
 */
lodger_status lodger_agent_call(const lodger_agent *agent,
                                lodger_str method,
                                lodger_str params_json,
                                lodger_blob **out,
                                lodger_error **err);

/* ---- turn ---------------------------------------------------------------------------------------------- */

/**
 * Reads events, and waits for the first one if asked to. Reading until LODGER_AGAIN arms the turn's waker or
 * mailbox, and makes its waitable wait again.
 *
 * Any thread, one at a time; not inside a callback when it may wait.
 *
 * @param turn        The turn.
 * @param[out] events `cap` places; the first `count` are filled, the others are NULL. Each event is yours:
 *                    lodger_event_free.
 * @param cap         How many places, at least 1.
 * @param[out] count  How many events came.
 * @param timeout_ms  How long to wait for the first one: 0 not at all, -1 for ever.
 * @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK with at least one event; LODGER_AGAIN when nothing came in time; LODGER_END after `done`;
 *         LODGER_E_READER_BUSY, LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_turn_read(const lodger_turn *turn,
                               lodger_event **events,
                               size_t cap,
                               size_t *count,
                               int64_t timeout_ms,
                               lodger_error **err);

/**
 * A descriptor that is readable while there is something to read, and after the end: for a loop around poll, epoll,
 * select or kqueue. It is level-triggered: it stays readable until everything was read. Made at the first call; later
 * ones give the same. After LODGER_END take it out of your loop.
 *
 * Any thread.
 *
 * @param turn     The turn.
 * @param[out] out The descriptor, or -1. It belongs to the turn and is closed with it: do not read, write or close it;
 *                 duplicate it if you need it longer.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, LODGER_E_INTERNAL when the system has no
 *         descriptor left, LODGER_E_UNSUPPORTED on Windows, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_turn_waitable(const lodger_turn *turn, lodger_waitable *out, lodger_error **err);

/**
 * Has your loop woken when there is something to read: once after each LODGER_AGAIN, and at once if something is
 * there already. It may also be called for nothing. It takes the place of an earlier waker or mailbox of the turn.
 *
 * Any thread. The waker may run before this returned.
 *
 * @param turn     The turn.
 * @param wake     Wakes your loop; called on a thread of the engine, must return at once.
 * @param ctx      Handed to `wake`. It belongs to the library from now on, also when the call fails.
 * @param drop     Frees `ctx`; may be NULL.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_turn_set_waker(const lodger_turn *turn,
                                    lodger_wake_fn wake,
                                    void *ctx,
                                    lodger_drop_fn drop,
                                    lodger_error **err);

/**
 * Has the events pushed instead of reading them: the listener gets each, in order, `done` last. A turn is either read
 * or pushed: set its one listener before anything else. While the listener runs or has paused, the queue fills up and
 * holds the model back, as if nobody read.
 *
 * Any thread. The listener may run before this returned.
 *
 * @param turn     The turn.
 * @param listener Gets the events, on the callback thread of the runtime.
 * @param ctx      Handed to `listener`. It belongs to the library from now on, also when the call fails; it is dropped
 *                 after `done`, or with the turn.
 * @param drop     Frees `ctx`; may be NULL.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, or was read or waited for before;
 *         LODGER_E_CLOSED after the agent's close, LODGER_E_INVALID_INPUT, LODGER_E_FORKED, LODGER_E_INTERNAL.
 * @since 0.1.0
 */
lodger_status lodger_turn_set_listener(const lodger_turn *turn,
                                       lodger_event_fn listener,
                                       void *ctx,
                                       lodger_drop_fn drop,
                                       lodger_error **err);

/**
 * Lets the events of a listener that paused flow again. One that comes before the pause was returned takes that pause
 * back, so none is lost. Without a pause it does nothing.
 *
 * Any thread.
 *
 * @param turn     A turn with a listener.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, also when there is no listener; LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_turn_resume(const lodger_turn *turn, lodger_error **err);

/**
 * Cancels the turn. It does not wait: the turn ends with a `done` event whose reason is `cancelled`, unless it had
 * ended before. Cancelling again is fine.
 *
 * Any thread.
 *
 * @param turn     The turn.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_turn_cancel(const lodger_turn *turn, lodger_error **err);

/**
 * What the turn came to: a JSON object with `reason`, `usage`, `text`, and `costUsd`, `structured` and `error` where
 * there are any. It reads no events: a turn that nobody reads stops at a full queue and has no result until somebody
 * does.
 *
 * Any thread; not inside a callback when it may wait.
 *
 * @param turn       The turn.
 * @param timeout_ms How long to wait for the end: 0 not at all, -1 for ever.
 * @param[out] out   The JSON. Yours: lodger_blob_free.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK, also when the turn failed (`reason` is `error` then); LODGER_AGAIN when it goes on;
 *         LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_turn_result(const lodger_turn *turn, int64_t timeout_ms, lodger_blob **out, lodger_error **err);

/**
 * Frees a turn. A turn that is still going is cancelled. It does not wait.
 *
 * Any thread.
 *
 * @param turn The turn. NULL is fine.
 * @since 0.1.0
 */
void lodger_turn_free(lodger_turn *turn);

/* ---- event --------------------------------------------------------------------------------------------- */

/**
 * What kind of event it is, as a number for `switch`.
 *
 * Any thread.
 *
 * @param event The event. NULL gives 0.
 * @return One of `LODGER_EVENT_...`; a number that your header does not have is a kind that came later, which you
 *         skip.
 * @since 0.1.0
 */
uint32_t lodger_event_kind(const lodger_event *event);

/**
 * The place of the event in its session, dense from 1.
 *
 * Any thread.
 *
 * @param event The event. NULL gives 0.
 * @return The place.
 * @since 0.1.0
 */
uint64_t lodger_event_seq(const lodger_event *event);

/**
 * What kind of event it is, as it stands in its JSON: `text_delta`, `tool_call`, `done`.
 *
 * Any thread.
 *
 * @param event The event; it keeps the text. NULL gives no text.
 * @return The name.
 * @since 0.1.0
 */
lodger_str lodger_event_type(const lodger_event *event);

/**
 * The piece of text that the event adds, without making any JSON: for text_delta, thinking_delta, tool_input_delta,
 * tool_progress and notice.
 *
 * Any thread.
 *
 * @param event The event; it keeps the text. NULL gives no text.
 * @return The piece; no text for the other kinds.
 * @since 0.1.0
 */
lodger_str lodger_event_text(const lodger_event *event);

/**
 * One value out of the event, by JSON Pointer: `/toolName`, `/target/summary`, `/usage/outputTokens`. The fields are
 * in docs/events.md.
 *
 * Any thread.
 *
 * @param event   The event; it keeps the text. NULL gives no text.
 * @param pointer A JSON Pointer (RFC 6901).
 * @return A text as it is, a number or truth value as JSON writes it; no text for anything else, and for what is not
 *         there.
 * @since 0.1.0
 */
lodger_str lodger_event_field(const lodger_event *event, lodger_str pointer);

/**
 * The whole event as a JSON object, made at the first call.
 *
 * Any thread.
 *
 * @param event The event; it keeps the text. NULL gives no text.
 * @return The JSON, as in docs/events.md.
 * @since 0.1.0
 */
lodger_str lodger_event_json(const lodger_event *event);

/**
 * Frees an event.
 *
 * Any thread.
 *
 * @param event The event. NULL is fine.
 * @since 0.1.0
 */
void lodger_event_free(lodger_event *event);

/* ---- request ------------------------------------------------------------------------------------------- */

/**
 * What is asked, as a number for `switch`.
 *
 * Any thread.
 *
 * @param request The request. NULL gives 0.
 * @return One of `LODGER_REQUEST_...`.
 * @since 0.1.0
 */
uint32_t lodger_request_kind(const lodger_request *request);

/**
 * The id of the request, which lodger_agent_answer takes too.
 *
 * Any thread.
 *
 * @param request The request; it keeps the text. NULL gives no text.
 * @return The id.
 * @since 0.1.0
 */
lodger_str lodger_request_id(const lodger_request *request);

/**
 * One value out of the request, by JSON Pointer: `/permission/summary`, `/permission/risk`, `/tool/toolName`,
 * `/tool/input/city`, `/question/question`.
 *
 * Any thread.
 *
 * @param request The request; it keeps the text. NULL gives no text.
 * @param pointer A JSON Pointer (RFC 6901).
 * @return A text as it is, a number or truth value as JSON writes it; no text for anything else, and for what is not
 *         there.
 * @since 0.1.0
 */
lodger_str lodger_request_field(const lodger_request *request, lodger_str pointer);

/**
 * The whole request as a JSON object: `requestId`, `kind`, `toolCallId`, `expiresAt`, and under the name of its kind
 * what is asked.
 *
 * Any thread.
 *
 * @param request The request; it keeps the text. NULL gives no text.
 * @return The JSON.
 * @since 0.1.0
 */
lodger_str lodger_request_json(const lodger_request *request);

/**
 * Whether the request is settled: answered, cancelled with its turn, or timed out.
 *
 * Any thread.
 *
 * @param request The request. NULL, and a request from before a fork, give true.
 * @return True when an answer would come too late.
 * @since 0.1.0
 */
bool lodger_request_settled(const lodger_request *request);

/**
 * Has a function called when the request is settled, by whoever it is: to take down a dialog, to stop the work of a
 * tool. At once if that has happened already. Each call adds one function.
 *
 * Any thread. The function runs on the callback thread, perhaps before this returned; not after the agent's close.
 *
 * @param request  The request. It may be freed before the function runs.
 * @param settled  What to call.
 * @param ctx      Handed to `settled`. It belongs to the library from now on, also when the call fails.
 * @param drop     Frees `ctx`; may be NULL.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_request_on_settled(const lodger_request *request,
                                        lodger_wake_fn settled,
                                        void *ctx,
                                        lodger_drop_fn drop,
                                        lodger_error **err);

/**
 * Shows how far a call of your tool has come: a `tool_progress` event of the stream `progress`.
 *
 * Any thread.
 *
 * @param request  A request of kind LODGER_REQUEST_TOOL.
 * @param text     What to show.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_REQUEST_SETTLED, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_request_progress(const lodger_request *request, lodger_str text, lodger_error **err);

/**
 * Answers the request. The first answer counts. One that does not fit the request settles it as a refusal, and is
 * LODGER_OK.
 *
 * Any thread.
 *
 * @param request     The request.
 * @param answer_json The answer, a JSON object; its form depends on the request's kind (see "Requests", on top).
 * @param[out] err    The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_request_answer(const lodger_request *request, lodger_str answer_json, lodger_error **err);

/**
 * Allows a call this once, approves a plan, or finds nothing against a call.
 *
 * Any thread.
 *
 * @param request  A request of kind LODGER_REQUEST_PERMISSION, LODGER_REQUEST_PLAN or LODGER_REQUEST_CHECK.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT for the other kinds, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_request_allow(const lodger_request *request, lodger_error **err);

/**
 * Refuses a request of any kind: denies the call, fails the tool, dismisses the question, rejects the plan, blocks the
 * call that is checked.
 *
 * Any thread.
 *
 * @param request  The request.
 * @param message  Told to the model, but for a question; empty text for nothing.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_request_deny(const lodger_request *request, lodger_str message, lodger_error **err);

/**
 * Refuses a request of any kind because your handler failed: like lodger_request_deny, but the outcome is `failed`.
 *
 * Any thread.
 *
 * @param request  The request.
 * @param reason   Told to the model, such as `the handler failed: no disk space`.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_request_fail(const lodger_request *request, lodger_str reason, lodger_error **err);

/**
 * Frees a request. An unanswered one is refused.
 *
 * Any thread.
 *
 * @param request The request. NULL is fine.
 * @since 0.1.0
 */
void lodger_request_free(lodger_request *request);

/* ---- token --------------------------------------------------------------------------------------------- */

/**
 * Whom the token is for.
 *
 * Any thread.
 *
 * @param wanted What is wanted; it keeps the text. NULL gives no text.
 * @return The base URL of the server that will get the token.
 * @since 0.1.0
 */
lodger_str lodger_token_request_audience(const lodger_token_request *wanted);

/**
 * Hands over a token. It is kept and sent until it is nearly over, or until the provider refuses it; one that was
 * refused must not be given again. An empty one fails the request, and is LODGER_OK.
 *
 * Any thread.
 *
 * @param wanted     What is wanted.
 * @param token      Sent as `Authorization: Bearer`. Copied before the call returns: you may wipe yours.
 * @param expires_at Unix milliseconds after which it does not count any more, or 0: when the provider refuses it.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_token_request_issue(const lodger_token_request *wanted,
                                         lodger_str token,
                                         uint64_t expires_at,
                                         lodger_error **err);

/**
 * There is no token: the request to the model fails with `provider_auth`.
 *
 * Any thread.
 *
 * @param wanted   What is wanted.
 * @param reason   Stands in the error, such as `the vault is locked`.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_REQUEST_SETTLED, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_token_request_fail(const lodger_token_request *wanted, lodger_str reason, lodger_error **err);

/**
 * Frees the wish for a token. An unanswered one fails the request to the model.
 *
 * Any thread.
 *
 * @param wanted What is wanted. NULL is fine.
 * @since 0.1.0
 */
void lodger_token_request_free(lodger_token_request *wanted);

/* ---- fetch --------------------------------------------------------------------------------------------- */

/**
 * `GET` or `POST`.
 *
 * Any thread.
 *
 * @param fetch The request; it keeps the text. NULL gives no text.
 * @return The method.
 * @since 0.1.0
 */
lodger_str lodger_fetch_method(const lodger_fetch *fetch);

/**
 * Where to. Do not follow redirects: they are answers, and the headers are for no other server.
 *
 * Any thread.
 *
 * @param fetch The request; it keeps the text. NULL gives no text.
 * @return The URL.
 * @since 0.1.0
 */
lodger_str lodger_fetch_url(const lodger_fetch *fetch);

/**
 * The headers, as HTTP writes them: `name: value` lines, each closed by CR and LF. They hold the credentials.
 *
 * Any thread.
 *
 * @param fetch The request; it keeps the text. NULL gives no text.
 * @return The lines.
 * @since 0.1.0
 */
lodger_str lodger_fetch_headers(const lodger_fetch *fetch);

/**
 * The body; none for `GET`.
 *
 * Any thread.
 *
 * @param fetch The request; it keeps the bytes. NULL gives none.
 * @return The bytes.
 * @since 0.1.0
 */
lodger_bytes lodger_fetch_body(const lodger_fetch *fetch);

/**
 * Whether nothing more is wanted of you: the answer is whole or failed, or nobody wants it any more.
 *
 * Any thread.
 *
 * @param fetch The request. NULL, and a request from before a fork, give true.
 * @return True when your client should stop.
 * @since 0.1.0
 */
bool lodger_fetch_settled(const lodger_fetch *fetch);

/**
 * Has your loop woken when there is room again after LODGER_AGAIN, and when nobody wants the answer any more; at once
 * if that has happened already. It may also be called for nothing. It takes the place of an earlier waker of the
 * request.
 *
 * Any thread. The waker may run before this returned.
 *
 * @param fetch    The request. Freeing it takes the waker away.
 * @param wake     Wakes your loop; called on a thread of the engine, must return at once.
 * @param ctx      Handed to `wake`. It belongs to the library from now on, also when the call fails.
 * @param drop     Frees `ctx`; may be NULL.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_fetch_set_waker(const lodger_fetch *fetch,
                                     lodger_wake_fn wake,
                                     void *ctx,
                                     lodger_drop_fn drop,
                                     lodger_error **err);

/**
 * Says the head of the answer, once. Any status is an answer: call lodger_fetch_fail only where there is none.
 *
 * Any thread.
 *
 * @param fetch    The request.
 * @param status   100 to 599.
 * @param headers  `name: value` lines, each closed by LF or CR and LF, names in any case. What is not UTF-8 in them is
 *                 replaced.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_END when nobody wants the answer any more; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_fetch_respond(const lodger_fetch *fetch, uint32_t status, lodger_str headers, lodger_error **err);

/**
 * Hands over the next piece of the body, of any size. The piece is taken also when there is no room for another: then
 * wait, by `timeout_ms` or for your waker. No bytes at all only ask how things stand.
 *
 * When 1 MiB waits for the agent, it asks you to wait until half of it is gone; at 32 MiB the answer is cut off.
 *
 * Any thread; not inside a callback when it may wait.
 *
 * @param fetch      The request.
 * @param piece      The bytes. Copied before the call returns.
 * @param timeout_ms How long to wait for room: 0 not at all, -1 for ever.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK when the next piece may come; LODGER_AGAIN when there was no room in time; LODGER_END when nobody
 *         wants more, and your client should stop, and after the end; LODGER_E_WOULD_DEADLOCK, LODGER_E_INVALID_INPUT
 *         also before the head, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_fetch_push(const lodger_fetch *fetch, lodger_bytes piece, int64_t timeout_ms, lodger_error **err);

/**
 * The body is whole. Without a head the request failed. When it is over already, nothing changes.
 *
 * Any thread.
 *
 * @param fetch    The request.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_fetch_end(const lodger_fetch *fetch, lodger_error **err);

/**
 * There was no answer, or it broke off: `provider_unavailable` before the head, `provider_stream_cut` after it. When it
 * is over already, nothing changes.
 *
 * Any thread.
 *
 * @param fetch    The request.
 * @param reason   Stands in the error, such as `the proxy is closed`.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_fetch_fail(const lodger_fetch *fetch, lodger_str reason, lodger_error **err);

/**
 * Frees a request. One that is not over failed.
 *
 * Any thread.
 *
 * @param fetch The request. NULL is fine.
 * @since 0.1.0
 */
void lodger_fetch_free(lodger_fetch *fetch);

/* ---- mailbox ------------------------------------------------------------------------------------------- */

/**
 * Makes a mailbox.
 *
 * Any thread.
 *
 * @param wake     Wakes your loop when the list is no longer empty, once until lodger_mailbox_take. Called on a
 *                 thread of the engine, must return at once.
 * @param ctx      Handed to `wake`. It belongs to the library from now on, also when the call fails.
 * @param drop     Frees `ctx`; may be NULL.
 * @param[out] out The mailbox. Yours: lodger_mailbox_free.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_INVALID_INPUT.
 * @since 0.1.0
 */
lodger_status lodger_mailbox_new(lodger_wake_fn wake,
                                 void *ctx,
                                 lodger_drop_fn drop,
                                 lodger_mailbox **out,
                                 lodger_error **err);

/**
 * Has a turn put its key on the list when there is something to read: at once, and after each LODGER_AGAIN of
 * lodger_turn_read. A key may also come for nothing. It takes the place of an earlier waker or mailbox of the turn.
 *
 * Any thread. The mailbox may ring before this returned.
 *
 * @param mailbox  The mailbox. Freeing it leaves its turns without a wake-up.
 * @param turn     The turn. Freeing it takes its bell away; a key that is on the list stays there.
 * @param key      A number of your choice, such as an index or an address.
 * @param[out] err The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK; LODGER_E_READER_BUSY when the turn has a listener, LODGER_E_INVALID_INPUT, LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_mailbox_attach(const lodger_mailbox *mailbox,
                                    const lodger_turn *turn,
                                    uint64_t key,
                                    lodger_error **err);

/**
 * Takes keys off the list. Read each of their turns until LODGER_AGAIN or LODGER_END. If `count` is `cap`, there may
 * be more keys: take again.
 *
 * Any thread.
 *
 * @param mailbox    The mailbox.
 * @param[out] keys  `cap` places; the first `count` are filled, the others are 0.
 * @param cap        How many places, at least 1.
 * @param[out] count How many keys came.
 * @param[out] err   The error, or NULL if you do not want it. Yours: lodger_error_free.
 * @return LODGER_OK with at least one key; LODGER_AGAIN when the list is empty; LODGER_E_INVALID_INPUT,
 *         LODGER_E_FORKED.
 * @since 0.1.0
 */
lodger_status lodger_mailbox_take(const lodger_mailbox *mailbox,
                                  uint64_t *keys,
                                  size_t cap,
                                  size_t *count,
                                  lodger_error **err);

/**
 * Frees a mailbox. No wake-up starts after it returned; `drop` is called when the last one is over.
 *
 * Any thread.
 *
 * @param mailbox The mailbox. NULL is fine.
 * @since 0.1.0
 */
void lodger_mailbox_free(lodger_mailbox *mailbox);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/** A view of a text that is closed by a NUL. The text stays yours. */
static inline lodger_str lodger_text(const char *text) {
  lodger_str view;
  view.ptr = text;
  view.len = text ? strlen(text) : 0;
  return view;
}

/** The two arguments of printf's "%.*s". The text is cut at 2 GiB. */
#define LODGER_ARG(text) \
  ((text).len < 0x7fffffff ? (int)(text).len : 0x7fffffff), ((text).ptr ? (text).ptr : "")

#endif /* LODGER_H */
