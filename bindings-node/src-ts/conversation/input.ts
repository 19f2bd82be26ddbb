/** From the blocks of a prompt to content. */
import type { Content, Prompt } from '../types.gen.js';
import { atMost } from './checks.js';
import type { PromptBlock, PromptInput } from './types.js';

const MAX_IMAGES = 8;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** The same prompt in the words of `lodger`, which checks what it holds. */
export function promptOf(input: PromptInput): Prompt {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) throw new TypeError('a prompt must be a text or a list of blocks');
  atMost(MAX_IMAGES, input.filter((block) => block?.type === 'image').length, 'images of a prompt');
  return input.map(contentOf);
}

function contentOf(block: PromptBlock, index: number): Content {
  switch (block?.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'resource': {
      const { uri, text } = block.resource ?? {};
      return { type: 'resource', uri, ...(text !== undefined && { text }) };
    }
    case 'image':
      atMost(MAX_IMAGE_BYTES, block.data?.length, `characters of block ${index}, an image`);
      return { type: 'image', mimeType: block.mimeType, data: block.data };
    default: {
      const { type } = (block ?? {}) as { type?: unknown };
      throw new TypeError(`block ${index} of a prompt is ${String(type)}; expected text, resource or image`);
    }
  }
}
