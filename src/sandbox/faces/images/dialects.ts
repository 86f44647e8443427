import type { PainterKind } from '../../actors/actor.ts'

/** What one generation of image models takes; a field without a list takes any text. */
export interface Dialect {
  readonly longestPrompt: number
  /** null when any width and height is taken. */
  readonly sizes: readonly string[] | null
  readonly choices: Readonly<Record<string, readonly string[]>>
}

export const DIALECTS = {
  classic: {
    longestPrompt: 4000,
    sizes: ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'],
    choices: {
      quality: ['standard', 'hd'],
      style: ['vivid', 'natural'],
      response_format: ['url', 'b64_json'],
    },
  },
  'base64-only': {
    longestPrompt: 32_000,
    sizes: null,
    choices: {
      quality: ['low', 'medium', 'high', 'auto'],
      background: ['transparent', 'opaque', 'auto'],
      output_format: ['png'],
      moderation: ['low', 'auto'],
      input_fidelity: ['low', 'high'],
    },
  },
} as const satisfies Record<PainterKind, Dialect>
