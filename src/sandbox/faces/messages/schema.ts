import { type Static, type TSchema, Type } from 'typebox'
import { SandboxError } from '../../sandbox-error.ts'
import {
  Anything,
  Closed,
  createCheck,
  Literals,
  Nullable,
  type Place,
  type ShapeProblem,
  Tagged,
} from '../shape.ts'

const TextBlock = Tagged('text', { text: Type.String(), cache_control: Anything })

const Message = Closed({
  role: Literals('user', 'assistant', 'system'),
  content: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]),
})

const Tool = Type.Object({
  /** Absent or `custom` for a tool the caller runs by its schema. */
  type: Nullable(Type.String()),
  name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' }),
  input_schema: Type.Optional(Type.Object({ type: Type.Literal('object') })),
  cache_control: Anything,
})

const ToolChoice = Type.Object({
  type: Literals('auto', 'any', 'tool', 'none'),
  name: Type.Optional(Type.String()),
  disable_parallel_tool_use: Type.Optional(Type.Boolean()),
})

const Thinking = Type.Object({
  type: Literals('enabled', 'adaptive', 'disabled', 'between_tools'),
  budget_tokens: Type.Optional(Type.Integer({ minimum: 1024 })),
  // Betas add further values.
  display: Nullable(Type.String()),
})

const OutputConfig = Type.Object({
  effort: Nullable(Literals('low', 'medium', 'high', 'xhigh', 'max')),
  format: Nullable(Type.Object({ type: Type.Literal('json_schema'), schema: Type.Object({}) })),
})

const PROMPT_FIELDS = {
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(Message),
  system: Type.Optional(Type.Union([Type.String(), Type.Array(TextBlock)])),
  tools: Type.Optional(Type.Array(Tool)),
  tool_choice: Type.Optional(ToolChoice),
  thinking: Type.Optional(Thinking),
  output_config: Type.Optional(OutputConfig),
  cache_control: Anything,
  context_management: Anything,
  mcp_servers: Anything,
  speed: Anything,
}

// What an answer is allowed to be has no place in a question about length.
const CountRequest = Closed(PROMPT_FIELDS)

const MessagesRequest = Closed({
  ...PROMPT_FIELDS,
  max_tokens: Type.Integer({ minimum: 0 }),
  stream: Type.Optional(Type.Boolean()),
  stop_sequences: Type.Optional(Type.Array(Type.String())),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Type.Optional(Type.Integer({ minimum: 0 })),
  metadata: Type.Optional(Closed({ user_id: Nullable(Type.String()) })),
  service_tier: Type.Optional(Literals('auto', 'standard_only')),
  container: Anything,
  diagnostics: Anything,
  fallbacks: Anything,
  inference_geo: Anything,
  thread: Anything,
})

export type CountRequest = Static<typeof CountRequest>
export type MessagesRequest = Static<typeof MessagesRequest>
export type MessagesTool = Static<typeof Tool>

export const checkCount = createCheck(CountRequest, refuseShape)
export const checkRequest = createCheck(MessagesRequest, refuseShape)

/** `messages.0.content: Field required`, as this format's service puts it. */
function refuseShape(problem: ShapeProblem): SandboxError {
  switch (problem.type) {
    case 'missing':
      return refuseAt([...problem.place, problem.name], 'Field required')
    case 'unknown':
      return refuseAt([...problem.place, problem.name], 'Extra inputs are not permitted')
    case 'wrong':
      return refuseAt(problem.place, problem.message)
  }
}

export function refuseAt(place: Place, message: string): SandboxError {
  const field = place.join('.')
  return new SandboxError('bad-request', `${field}: ${message}`, { field })
}

const Id = Type.String({ pattern: '^[a-zA-Z0-9_-]+$' })

const BLOCKS = {
  text: TextBlock,
  image: Tagged('image', {
    source: Type.Object({
      type: Literals('base64', 'url', 'file'),
      media_type: Type.Optional(Literals('image/jpeg', 'image/png', 'image/gif', 'image/webp')),
      data: Type.Optional(Type.String({ minLength: 1 })),
      url: Type.Optional(Type.String()),
    }),
    cache_control: Anything,
  }),
  thinking: Tagged('thinking', { thinking: Type.String(), signature: Type.String() }),
  redacted_thinking: Tagged('redacted_thinking', { data: Type.String() }),
  tool_use: Tagged('tool_use', {
    id: Id,
    name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' }),
    input: Type.Object({}),
    cache_control: Anything,
  }),
  tool_result: Tagged('tool_result', {
    tool_use_id: Id,
    content: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))])),
    is_error: Type.Optional(Type.Boolean()),
    cache_control: Anything,
  }),
  document: Tagged('document', { cache_control: Anything }),
} as const

type BlockType = keyof typeof BLOCKS
export type BlockOf<T extends BlockType> = Static<(typeof BLOCKS)[T]>
export type Block = { [T in BlockType]: BlockOf<T> }[BlockType]

const CHECKS = new Map(
  Object.entries(BLOCKS).map(([type, schema]) => [type, createCheck<TSchema>(schema, refuseShape)]),
)

/** What each speaker may say. */
const BLOCKS_OF = {
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
  return CHECKS.get(block.type)?.(block, [...place, block.type]) as Block
}
