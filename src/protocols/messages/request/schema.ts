import Type, { type Static } from 'typebox'
import { MODEL_NOTE, STREAM_NOTE } from '../../contract-notes.ts'
import { optionalOrNull } from '../../parameter-table.ts'
import { MAX_MESSAGES, MAX_TOOLS } from '../../request-limits.ts'
import { OutputFormatSchema, PARAMETERS } from './parameters.ts'

const NonEmptyString = Type.String({ minLength: 1 })
const AnyObject = Type.Object({})

/** Any block: new kinds appear with every model, so the supplier decides what it accepts. */
const Block = Type.Object({ type: NonEmptyString })
const Content = Type.Union([Type.String(), Type.Array(Block)])
const cached = { cache_control: optionalOrNull(AnyObject) }

export const TextBlockSchema = Type.Object({
  type: Type.Literal('text'),
  text: Type.String(),
  citations: optionalOrNull(Type.Array(AnyObject)),
  ...cached,
})

export const ImageBlockSchema = Type.Object({
  type: Type.Literal('image'),
  source: Type.Union([
    Type.Object({ type: Type.Literal('base64'), media_type: NonEmptyString, data: NonEmptyString }),
    Type.Object({ type: Type.Literal('url'), url: NonEmptyString }),
    Type.Object({ type: Type.Literal('file'), file_id: NonEmptyString }),
  ]),
  ...cached,
})

export const ThinkingBlockSchema = Type.Object({
  type: Type.Literal('thinking'),
  thinking: Type.String(),
  signature: optionalOrNull(Type.String()),
})

export const RedactedThinkingBlockSchema = Type.Object({
  type: Type.Literal('redacted_thinking'),
  data: Type.String(),
})

export const ToolUseBlockSchema = Type.Object({
  type: Type.Literal('tool_use'),
  id: NonEmptyString,
  name: NonEmptyString,
  input: Type.Optional(Type.Unknown()),
  ...cached,
})

export const ToolResultBlockSchema = Type.Object({
  type: Type.Literal('tool_result'),
  tool_use_id: NonEmptyString,
  content: optionalOrNull(Content),
  is_error: optionalOrNull(Type.Boolean()),
  ...cached,
})

/** A tool the client runs. Every tool with another `type` is defined by the vendor. */
export const ClientToolSchema = Type.Object({
  type: optionalOrNull(Type.Literal('custom')),
  name: NonEmptyString,
  description: optionalOrNull(Type.String()),
  input_schema: AnyObject,
  strict: optionalOrNull(Type.Boolean()),
  ...cached,
})

const Tool = Type.Object({ type: optionalOrNull(NonEmptyString), name: optionalOrNull(Type.String()) })

const prompt = {
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  messages: Type.Array(Type.Object({ role: Type.Enum(['user', 'assistant', 'system']), content: Content }), {
    minItems: 1,
    maxItems: MAX_MESSAGES,
    description: 'Content is text, or blocks as in `MessageBlock`.',
  }),
  system: optionalOrNull(Content),
  tools: optionalOrNull(Type.Array(Tool, { maxItems: MAX_TOOLS, description: 'As in `MessageTool`.' })),
  tool_choice: PARAMETERS.members.tool_choice,
  thinking: PARAMETERS.members.thinking,
  output_config: PARAMETERS.members.output_config,
  // The older name of `output_config.format`.
  output_format: optionalOrNull(OutputFormatSchema),
}

/**
 * A messages request. Fields that are not named here are allowed everywhere and passed on.
 * Null stands for absent where clients may write it.
 */
export const MessagesRequestSchema = Type.Object({
  ...prompt,
  stream: optionalOrNull(Type.Boolean({ description: STREAM_NOTE })),
  thread: Type.Optional(Type.Unknown({ description: 'Refused; send the whole conversation.' })),
  ...PARAMETERS.members,
})

/** A token count request: only the prompt. */
export const CountRequestSchema = Type.Object(prompt)

export type MessagesRequest = Static<typeof MessagesRequestSchema>
export type CountTokensRequest = Static<typeof CountRequestSchema>
export type MessagesContent = Static<typeof Content>
export type AnyBlock = Static<typeof Block>
export type TextBlock = Static<typeof TextBlockSchema>
export type ImageBlock = Static<typeof ImageBlockSchema>
type ThinkingBlock = Static<typeof ThinkingBlockSchema>
type RedactedThinkingBlock = Static<typeof RedactedThinkingBlockSchema>
export type ToolUseBlock = Static<typeof ToolUseBlockSchema>
export type ToolResultBlock = Static<typeof ToolResultBlockSchema>
export type ClientTool = Static<typeof ClientToolSchema>
export type AnyTool = Static<typeof Tool>

/** The blocks whose fields the gateway reads; all others are kept as they are. */
export type KnownBlock =
  | TextBlock
  | ImageBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock

/** The same by their `type`. */
export const KNOWN_BLOCKS = {
  text: TextBlockSchema,
  image: ImageBlockSchema,
  thinking: ThinkingBlockSchema,
  redacted_thinking: RedactedThinkingBlockSchema,
  tool_use: ToolUseBlockSchema,
  tool_result: ToolResultBlockSchema,
} as const

/** The block as its known type; null for other kinds. Validation has checked its fields. */
export function asKnownBlock(block: AnyBlock): KnownBlock | null {
  return Object.hasOwn(KNOWN_BLOCKS, block.type) ? (block as KnownBlock) : null
}

/** The tool as one the client runs; null for vendor-defined tools. Validation has checked its fields. */
export function asClientTool(tool: AnyTool): ClientTool | null {
  const isOwn = tool.type === undefined || tool.type === null || tool.type === 'custom'
  return isOwn ? (tool as ClientTool) : null
}
