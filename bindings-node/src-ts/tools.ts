/** Tools that the host runs: how they are declared, and how what they return becomes what the model is told. */
import { messageOf, refusal } from './errors.js';
import type { FromSchema } from './schema.js';
import type { Content, ToolAnswer, ToolOptions } from './types.gen.js';

/** What a tool gets beside its input. */
export interface ToolContext {
  /** Aborts when nobody waits for the result any more. */
  signal: AbortSignal;
  /** Shows how far the tool is: a `tool_progress` event of stream `progress`. */
  progress(text: string): void;
}

/**
 * A tool that the host runs. What `execute` returns is told to the model: a string as it is, `undefined` as `null`,
 * a `ToolResult` as text, pictures and documents, anything else as JSON; at most 8 MiB. What it throws is told as an error.
 *
 * `Input` is what the model wrote, and fits the schema only as far as the model kept to it; `defineTool` types it.
 */
export interface HostTool<Input = any> extends ToolOptions {
  execute(input: Input, context: ToolContext): unknown;
}

/** A result with pictures or documents, or one that says that it is an error. */
export interface ToolResult {
  type: 'lodger.tool-result';
  text: string;
  /** At most 8, each at most 5 MiB of base64; PNG, JPEG, GIF or WebP. */
  images?: readonly ToolImage[];
  /** At most 8, each at most 10 MiB of base64; PDF or UTF-8 text. */
  documents?: readonly ToolDocument[];
  isError?: boolean;
}

/** A picture in a `ToolResult`. */
export interface ToolImage {
  type: 'image';
  mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Base64. */
  data: string;
}

/** A file to read in a `ToolResult`. */
export interface ToolDocument {
  type: 'document';
  mimeType: 'application/pdf' | 'text/plain';
  /** Base64. */
  data: string;
  /** What the file is called. */
  name?: string;
}

/** Declares a tool whose input has the type that its schema describes. Returns it unchanged. */
export function defineTool<const Schema>(
  tool: Omit<ToolOptions, 'inputSchema'> & {
    inputSchema: Schema;
    execute(input: FromSchema<Schema>, context: ToolContext): unknown;
  },
): HostTool {
  return tool as HostTool;
}

/** Runs a tool. Never rejects: a failure is an answer too. */
export async function runTool(tool: HostTool, input: unknown, context: ToolContext): Promise<ToolAnswer> {
  try {
    return answerOf(await tool.execute(input, context));
  } catch (thrown) {
    return failureOf(thrown);
  }
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_IMAGES = 8;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function answerOf(value: unknown): ToolAnswer {
  if (isToolResult(value)) return richAnswer(value, value.isError ?? false);
  const text = textOf(value);
  return bounded({ content: [{ type: 'text', text }] }, Buffer.byteLength(text));
}

/** An error may carry a result, as itself or as its `cause`, so that pictures and documents reach the model with it. */
function failureOf(thrown: unknown): ToolAnswer {
  const carried = [thrown, (thrown as { cause?: unknown } | null | undefined)?.cause].find(isToolResult);
  return carried ? richAnswer(carried, true) : { error: messageOf(thrown) };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  const text: unknown = JSON.stringify(value ?? null);
  if (typeof text !== 'string') throw new TypeError(`the tool returned a ${typeof value}, which is not JSON`);
  return text;
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && (value as ToolResult).type === 'lodger.tool-result';
}

function richAnswer({ text, images = [], documents = [] }: ToolResult, isError: boolean): ToolAnswer {
  const problem = problemOf(text, images) ?? documentProblemOf(documents);
  if (problem) return { error: `the tool returned a malformed lodger.tool-result: ${problem}` };
  const content: Content[] = [
    ...images.map(({ mimeType, data }) => ({ type: 'image' as const, mimeType, data })),
    ...documents.map(({ mimeType, data, name }) => ({
      type: 'document' as const,
      mimeType,
      data,
      ...(name === undefined ? {} : { name }),
    })),
  ];
  if (text !== '') content.unshift({ type: 'text', text: text.toWellFormed() });
  return bounded(
    { content, isError },
    [...images, ...documents].reduce((sum, { data }) => sum + data.length, Buffer.byteLength(text)),
  );
}

function problemOf(text: unknown, images: unknown): string | undefined {
  if (typeof text !== 'string') return '`text` must be a string';
  if (!Array.isArray(images)) return '`images` must be a list';
  if (images.length > MAX_IMAGES) return `there are ${images.length} images; at most ${MAX_IMAGES} are allowed`;
  for (const [index, image] of (images as Partial<ToolImage>[]).entries()) {
    const { type, mimeType, data } = image ?? {};
    if (type !== 'image') return `images[${index}].type must be 'image'`;
    if (!IMAGE_TYPES.has(mimeType)) return `images[${index}].mimeType must be one of ${[...IMAGE_TYPES].join(', ')}`;
    if (typeof data !== 'string') return `images[${index}].data must be base64 text`;
    if (data.length > MAX_IMAGE_BYTES) return `images[${index}].data is over ${MAX_IMAGE_BYTES} bytes`;
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return `images[${index}].data must be base64 text`;
  }
  return undefined;
}

/** Their form; what they hold is checked where the answer arrives. */
function documentProblemOf(documents: unknown): string | undefined {
  if (!Array.isArray(documents)) return '`documents` must be a list';
  for (const [index, document] of (documents as Partial<ToolDocument>[]).entries()) {
    const { type, mimeType, data, name } = document ?? {};
    if (type !== 'document') return `documents[${index}].type must be 'document'`;
    if (typeof mimeType !== 'string') return `documents[${index}].mimeType must be a string`;
    if (typeof data !== 'string') return `documents[${index}].data must be base64 text`;
    if (name !== undefined && typeof name !== 'string') return `documents[${index}].name must be a string`;
  }
  return undefined;
}

function bounded(answer: ToolAnswer, bytes: number): ToolAnswer {
  return bytes <= MAX_BYTES ? answer : { error: `the tool returned ${bytes} bytes; at most ${MAX_BYTES} are allowed` };
}

/** What the native half is told of each tool, and the tools by name. */
export function declare(tools: readonly HostTool[]): { options: unknown[]; byName: Map<string, HostTool> } {
  const byName = new Map<string, HostTool>();
  const options = tools.map((tool, index) => {
    if (typeof tool !== 'object' || tool === null)
      throw refusal('invalid_options', `tools[${index}] must be an object`);
    const { execute, name, description, inputSchema, readOnly, timeoutMs, ...unknown } = tool;
    if (typeof execute !== 'function') {
      throw refusal('invalid_options', `tools[${index}].execute must be a function that runs the tool`);
    }
    byName.set(name, tool);
    return { name, description, inputSchema, readOnly, timeoutMs, ...unknown };
  });
  return { options, byName };
}
