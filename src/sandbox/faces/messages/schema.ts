import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Refusal } from '../../refusal.ts'
import { findShapeProblem, type Place, type ShapeProblem } from '../shape.ts'

const Literals = <T extends string[]>(...values: [...T]) => Type.Enum(values)
const Nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Anything = Type.Optional(Type.Unknown())

const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control: Anything })

const Message = Type.Object(
  {
    role: Literals('user', 'assistant', 'system'),
    content: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]),
  },
  { additionalProperties: false },
)

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
  display: Nullable(Literals('summarized', 'omitted')),
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
const CountRequest = Type.Object(PROMPT_FIELDS, { additionalProperties: false })

const MessagesRequest = Type.Object(
  {
    ...PROMPT_FIELDS,
    max_tokens: Type.Integer({ minimum: 0 }),
    stream: Type.Optional(Type.Boolean()),
    stop_sequences: Type.Optional(Type.Array(Type.String())),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: Type.Optional(Type.Integer({ minimum: 0 })),
    metadata: Type.Optional(
      Type.Object({ user_id: Nullable(Type.String()) }, { additionalProperties: false }),
    ),
    service_tier: Type.Optional(Literals('auto', 'standard_only')),
    container: Anything,
    diagnostics: Anything,
    fallbacks: Anything,
    inference_geo: Anything,
    thread: Anything,
  },
  { additionalProperties: false },
)

export type CountRequest = Static<typeof CountRequest>
export type MessagesRequest = Static<typeof MessagesRequest>
export type MessagesTool = Static<typeof Tool>

const countChecker = Compile(CountRequest)
const answerChecker = Compile(MessagesRequest)

export function checkCount(body: unknown): CountRequest {
  const problem = findShapeProblem(countChecker, body)
  if (problem !== null) throw refuseShape(problem)
  return body as CountRequest
}

export function checkRequest(body: unknown): MessagesRequest {
  const problem = findShapeProblem(answerChecker, body)
  if (problem !== null) throw refuseShape(problem)
  return body as MessagesRequest
}

/** `messages.0.content: Field required`, as this format's service puts it. */
export function refuseShape(problem: ShapeProblem): Refusal {
  switch (problem.type) {
    case 'missing':
      return refuseAt([...problem.place, problem.name], 'Field required')
    case 'unknown':
      return refuseAt([...problem.place, problem.name], 'Extra inputs are not permitted')
    case 'wrong':
      return refuseAt(problem.place, problem.message)
  }
}

export function refuseAt(place: Place, message: string): Refusal {
  const field = place.join('.')
  return new Refusal('bad-request', `${field}: ${message}`, { field })
}
