/** From the options of a conversation to those of `lodger`. */
import type * as lodger from '../index.js';
import { onPermission } from './approval.js';
import { atMost, only, text } from './checks.js';
import { onDiagnostic } from './diagnostics.js';
import type { AgentOptions, Auth, ListModelsOptions } from './types.js';

const NAMES = [
  'auth',
  'model',
  'effort',
  'instructions',
  'tools',
  'checkpoint',
  'fetch',
  'permissions',
  'workspace',
  'onEvent',
] as const;
const MAX_MODEL_BYTES = 1024;
const MAX_INSTRUCTION_BYTES = 64 * 1024;
const MAX_TOOLS = 64;
/** A host of a conversation is told of trouble sooner than one of `lodger`. */
const LIMITS = { maxRetries: 1 };

/** The same options in the words of `lodger`. */
export function optionsOf(options: AgentOptions): lodger.AgentOptions {
  const given = only('options', options, NAMES);
  const { auth, model, effort, instructions, tools = [], checkpoint, fetch, permissions, workspace, onEvent } = given;
  if (!Array.isArray(tools)) throw new TypeError('option `tools` must be a list');
  atMost(MAX_TOOLS, tools.length, 'option `tools`');
  return {
    ...authOf(auth),
    ...(model !== undefined && { model: modelOf(model, auth.provider) }),
    ...(effort !== undefined && { effort }),
    limits: LIMITS,
    instructions: instructionsOf(instructions),
    tools,
    ...(checkpoint !== undefined && { checkpoint }),
    fetch,
    ...(permissions !== undefined && { onPermission: onPermission(permissions) }),
    ...(workspace !== undefined && { cwd: cwdOf(workspace) }),
    ...(onEvent !== undefined && { onDiagnostic: onDiagnostic(onEvent) }),
  };
}

/** The same for a list of models. */
export function listOptionsOf(options: ListModelsOptions): lodger.ListModelsOptions {
  const { auth, fetch } = only('options', options, ['auth', 'fetch']);
  return { ...authOf(auth), limits: LIMITS, fetch };
}

function cwdOf(workspace: { cwd: string }): string {
  return text(only('option `workspace`', workspace, ['cwd']).cwd, '`workspace.cwd`');
}

/** A token, or the login that is saved. */
function authOf(auth: Auth): Pick<lodger.AgentOptions, 'auth'> {
  const { provider, token } = only<{ provider: string; token?: string }>('option `auth`', auth, ['provider', 'token']);
  text(provider, '`auth.provider`');
  return { auth: token === undefined ? { provider } : { provider, token: text(token, '`auth.token`') } };
}

/** A name without a provider belongs to the one that the token is for; the token goes to no other. */
function modelOf(model: string, provider: string): string {
  atMost(MAX_MODEL_BYTES, Buffer.byteLength(text(model, 'option `model`')), 'bytes of option `model`');
  if (!model.includes('/')) return `${provider}/${model}`;
  if (model.startsWith(`${provider}/`)) return model;
  throw new TypeError(`option \`model\`: \`${model}\` is no model of \`${provider}\`, which \`auth\` is for`);
}

/** The complete system context: without any there is none, with a folder to work in too. */
function instructionsOf(instructions: string | string[] = []): string[] {
  const parts = typeof instructions === 'string' ? [instructions] : instructions;
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) {
    throw new TypeError('option `instructions` must be a text or a list of texts');
  }
  const spoken = parts.filter((part) => part !== '');
  atMost(MAX_INSTRUCTION_BYTES, Buffer.byteLength(spoken.join('\n\n')), 'bytes of option `instructions`');
  return spoken;
}
