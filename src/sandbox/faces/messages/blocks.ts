import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { findShapeProblem, type Place } from '../shape.ts'
import { refuseAt, refuseShape } from './schema.ts'

const Literals = <T extends string[]>(...values: [...T]) => Type.Enum(values)
const Anything = Type.Optional(Type.Unknown())
const Id = Type.String({ pattern: '^[a-zA-Z0-9_-]+$' })

const Text = Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control: Anything })

const Image = Type.Object({
  type: Type.Literal('image'),
  source: Type.Object({
    type: Literals('base64', 'url', 'file'),
    media_type: Type.Optional(Literals('image/jpeg', 'image/png', 'image/gif', 'image/webp')),
    data: Type.Optional(Type.String({ minLength: 1 })),
    url: Type.Optional(Type.String()),
  }),
  cache_control: Anything,
})

const Thinking = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: Type.String(),
})
const RedactedThinking = Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() })

const ToolUse = Type.Object({
  type: Type.Literal('tool_use'),
  id: Id,
  name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' }),
  input: Type.Object({}),
  cache_control: Anything,
})

const ToolResult = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: Id,
  content: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))])),
  is_error: Type.Optional(Type.Boolean()),
  cache_control: Anything,
})

const Document = Type.Object({ type: Type.Literal('document'), cache_control: Anything })

export type TextBlock = Static<typeof Text>
export type ImageBlock = Static<typeof Image>
export type ThinkingBlock = Static<typeof Thinking>
export type RedactedThinkingBlock = Static<typeof RedactedThinking>
export type ToolUseBlock = Static<typeof ToolUse>
export type ToolResultBlock = Static<typeof ToolResult>
export type Block =
  | TextBlock
  | ImageBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | Static<typeof Document>

const CHECKERS = {
  text: Compile(Text),
  image: Compile(Image),
  thinking: Compile(Thinking),
  redacted_thinking: Compile(RedactedThinking),
  tool_use: Compile(ToolUse),
  tool_result: Compile(ToolResult),
  document: Compile(Document),
} as const

type BlockType = keyof typeof CHECKERS

/** What each speaker may say. */
export const BLOCKS_OF = {
  user: ['text', 'image', 'tool_result', 'document'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
  result: ['text', 'image', 'document'],
} as const satisfies Record<string, readonly BlockType[]>

/** A string stands for one text block. */
export function checkBlocks(
  content: string | readonly { readonly type: string }[],
  speaker: keyof typeof BLOCKS_OF,
  place: Place,
): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((block, index) => checkBlock(block, BLOCKS_OF[speaker], [...place, index]))
}

function checkBlock(block: { readonly type: string }, allowed: readonly string[], place: Place): Block {
  if (!allowed.includes(block.type)) {
    const tags = allowed.map((type) => `'${type}'`).join(', ')
    throw refuseAt(
      place,
      `Input tag '${block.type}' found using 'type' does not match any of the expected tags: ${tags}`,
    )
  }
  const problem = findShapeProblem(CHECKERS[block.type as BlockType], block)
  if (problem !== null) throw refuseShape({ ...problem, place: [...place, block.type, ...problem.place] })
  return block as Block
}
