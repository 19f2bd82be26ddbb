/** A conversation, over an agent of `lodger`. */
import * as lodger from '../index.js';
import { asTypeError, only, typed } from './checks.js';
import { promptOf } from './input.js';
import { optionsOf } from './options.js';
import { ConversationTurn } from './turn.js';
import type { Agent, AgentOptions, PromptInput, PromptOptions, Turn } from './types.js';

/**
 * Makes an agent: no network, no process, no request before the first prompt. Rejects with a `TypeError` or
 * `RangeError` when an option is unknown, malformed or too large.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  try {
    return new ConversationAgent(await lodger.createAgent(optionsOf(options)));
  } catch (thrown) {
    throw asTypeError(thrown);
  }
}

class ConversationAgent implements Agent {
  readonly #agent: lodger.Agent;

  constructor(agent: lodger.Agent) {
    this.#agent = agent;
  }

  prompt(input: PromptInput, options: PromptOptions = {}): Turn {
    const { signal } = only('prompt options', options, ['signal']);
    const prompt = promptOf(input);
    return new ConversationTurn(typed(() => this.#agent.stream(prompt, { signal })));
  }

  checkpoint(): Promise<Uint8Array> {
    return this.#agent.checkpoint();
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}
