// A host that has a case for every event, answer and reason, and for nothing else: the compiler says when one is added.
import { createAgent, type DoneReason, type Event, type Outcome } from 'lodger';
import type { StopReason } from 'lodger/conversation';

const [script = ''] = process.argv.slice(2);

function shown(event: Event): string {
  switch (event.type) {
    case 'user_message':
    case 'assistant_message':
      return `${event.content.length} blocks`;
    case 'turn_start':
      return event.mode;
    case 'text_delta':
    case 'thinking_delta':
    case 'tool_input_delta':
      return event.text;
    case 'tool_call':
      return event.target.summary;
    case 'tool_progress':
      return `${event.stream} ${event.chunk}`;
    case 'tool_result':
      return `${event.durationMs} ms, ${event.files.map((file) => file.path).join()}`;
    case 'tool_denied':
      return event.feedback ?? event.by;
    case 'guard_verdict':
      return `${event.verdict} ${event.findings.join()}`;
    case 'output_rejected':
      return event.feedback;
    case 'file_changed':
      return event.path;
    case 'request_opened':
      switch (event.kind) {
        case 'permission':
          return event.permission.risk;
        case 'tool':
          return event.tool.toolName;
        case 'question':
          return event.question.question;
        case 'plan':
          return event.plan.plan;
        case 'check':
          return event.check.toolName;
        default:
          return event satisfies never;
      }
    case 'request_resolved':
      return allowed(event.outcome) ? 'goes on' : 'does not';
    case 'compacted':
      return event.summary;
    case 'mode_changed':
      return event.mode;
    case 'model_changed':
      return event.model;
    case 'subagent_start':
      return event.description;
    case 'subagent_end':
      return event.reason;
    case 'checkpoint_created':
      return event.checkpointId;
    case 'session_state':
      return event.running ? 'runs' : 'rests';
    case 'session_closed':
      return event.reason;
    case 'prompt_queued':
      return `behind ${event.position}`;
    case 'prompt_started':
      return event.promptId;
    case 'retry':
      return `${event.attempt} of ${event.maxAttempts}, ${event.status ?? event.reason}`;
    case 'fallback':
      return `${event.fromModel} to ${event.toModel}`;
    case 'usage':
      return `${event.turn.inputTokens ?? '?'} of ${event.session.inputTokens ?? '?'}`;
    case 'notice':
      return `${event.level} ${event.text}`;
    case 'task_update':
      return event.tasks.map((task) => `${task.subject}: ${task.status}`).join();
    case 'plan_update':
      return event.plan;
    case 'background_task_ended':
      return `${event.taskId}: ${event.text}`;
    case 'replay_gap':
      return `${event.dropped} lost`;
    case 'done':
      return stopOf(event.reason);
    default:
      return event satisfies never;
  }
}

function allowed(outcome: Outcome): boolean {
  switch (outcome) {
    case 'allowed_once':
    case 'allowed_always':
    case 'answered':
    case 'approved':
      return true;
    case 'denied':
    case 'dismissed':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'failed':
      return false;
    default:
      return outcome satisfies never;
  }
}

function stopOf(reason: DoneReason): StopReason | 'error' {
  switch (reason) {
    case 'max_steps':
    case 'max_budget':
      return 'max_model_turns';
    case 'end_turn':
    case 'max_output_tokens':
    case 'refused':
    case 'cancelled':
    case 'error':
      return reason;
    default:
      return reason satisfies never;
  }
}

const agent = await createAgent({ model: `scripted/${script}` });
const lines: string[] = [];
await agent.prompt('go', { onEvent: (event) => lines.push(`${event.type}: ${shown(event)}`) });
await agent.close();
console.log(lines.join('\n'));
