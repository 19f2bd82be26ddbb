/** From a permission request to an `ApprovalRequest`, and from an `ApprovalDecision` to an answer. */
import type { Handlers } from '../requests.js';
import type { PermissionAnswer, PermissionRequest, TargetKind } from '../types.gen.js';
import type { AgentOptions, ApprovalDecision, ApprovalRequest } from './types.js';

const KINDS: Record<TargetKind, ApprovalRequest['kind']> = {
  command: 'command',
  file: 'file',
  mcp: 'mcp',
  network: 'other',
  other: 'other',
};

/** A handler of `lodger` that asks `permissions`. */
export function onPermission(permissions: NonNullable<AgentOptions['permissions']>): Handlers['onPermission'] {
  if (typeof permissions !== 'function') throw new TypeError('option `permissions` must be a function');
  return async (request, { signal }) => answerOf(await permissions(requestOf(request), signal));
}

function requestOf(asked: PermissionRequest): ApprovalRequest {
  const { toolName, label, summary, target, targets, suggestedRules, diff } = asked;
  return {
    toolName,
    label: `${label}: ${summary}`,
    kind: KINDS[target.kind] ?? 'other',
    ...(diff !== undefined && { detail: diff }),
    targets,
    suggestedGrants: suggestedRules,
  };
}

/** What is no decision is thrown, which refuses the call. */
function answerOf(decision: ApprovalDecision): PermissionAnswer {
  switch (decision.outcome) {
    case 'once':
      return { kind: 'allow_once' };
    case 'always':
      return { kind: 'allow_always' };
    case 'deny':
      return { kind: 'deny', ...(decision.note !== undefined && { feedback: decision.note }) };
    default:
      throw new TypeError('expected { outcome: "once" | "always" | "deny", note? }');
  }
}
