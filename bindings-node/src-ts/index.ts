/** Lodger: a coding agent that lives inside your program. */
export { createAgent, type Agent, type AgentOptions } from './agent.js';
export type { DiagnosticHandler } from './diagnostics.js';
export { LodgerError } from './errors.js';
export type { Fetch, FetchInit } from './fetches.js';
export { listModels, type ListModelsOptions } from './models.js';
export type { Handler, HandlerContext, Handlers } from './requests.js';
export type { FromSchema } from './schema.js';
export type { Connection } from './services.js';
export type { HostAuth, IssuedToken, TokenRequest, TokenSource } from './tokens.js';
export { defineTool, type HostTool, type ToolContext, type ToolDocument, type ToolImage, type ToolResult } from './tools.js';
export type { PromptOptions, Turn, TurnStream } from './turn.js';
export type * from './types.gen.js';
export { version } from './version.js';
