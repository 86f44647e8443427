import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Refusal } from '../../refusal.ts'
import { refuseShape } from '../openai-style.ts'
import { findShapeProblem } from '../shape.ts'

const Literals = <T extends string[]>(...values: [...T]) => Type.Enum(values)

// Clients write null as often as they leave a field out.
const Nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const Anything = Type.Optional(Type.Unknown())

const NamedTool = Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) })

const Tool = Type.Object({
  type: Type.String(),
  name: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
  parameters: Nullable(Type.Unknown()),
  /** The members of a group of tools. */
  tools: Type.Optional(Type.Array(Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) }))),
})

const ToolChoice = Type.Object({
  type: Type.String(),
  name: Type.Optional(Type.String()),
  mode: Type.Optional(Literals('auto', 'required')),
  tools: Type.Optional(Type.Array(NamedTool)),
})

const TextFormat = Type.Object({
  type: Literals('text', 'json_object', 'json_schema'),
  name: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
  schema: Type.Optional(Type.Unknown()),
})

const ResponsesRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    input: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.Optional(Type.String()) }))]),
    instructions: Nullable(Type.String()),
    stream: Nullable(Type.Boolean()),
    max_output_tokens: Nullable(Type.Integer({ minimum: 16 })),
    temperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    tools: Nullable(Type.Array(Tool)),
    tool_choice: Nullable(Type.Union([Literals('none', 'auto', 'required'), ToolChoice])),
    parallel_tool_calls: Nullable(Type.Boolean()),
    reasoning: Nullable(
      Type.Object({
        effort: Nullable(Literals('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
        summary: Nullable(Literals('auto', 'concise', 'detailed')),
      }),
    ),
    text: Nullable(Type.Object({ format: Nullable(TextFormat), verbosity: Nullable(Type.String()) })),
    metadata: Nullable(Type.Object({})),
    store: Nullable(Type.Boolean()),
    previous_response_id: Nullable(Type.String()),
    include: Nullable(Type.Array(Type.String())),
    truncation: Nullable(Literals('auto', 'disabled')),
    user: Nullable(Type.String()),
    background: Anything,
    client_metadata: Anything,
    context_management: Anything,
    conversation: Anything,
    max_tool_calls: Anything,
    moderation: Anything,
    prompt: Anything,
    prompt_cache_key: Anything,
    prompt_cache_options: Anything,
    prompt_cache_retention: Anything,
    safety_identifier: Anything,
    service_tier: Anything,
    stream_options: Anything,
    top_logprobs: Anything,
  },
  // The real service knows no stop, n or seed here, and says so.
  { additionalProperties: false },
)

export type ResponsesRequest = Static<typeof ResponsesRequest>
export type ResponsesTool = Static<typeof Tool>

const checker = Compile(ResponsesRequest)

export function checkRequest(body: unknown): ResponsesRequest {
  const problem = findShapeProblem(checker, body)
  if (problem !== null) throw refuseShape(problem)
  const request = body as ResponsesRequest
  // The sandbox keeps no answers, which is what a real supplier says of one it has forgotten.
  const previous = request.previous_response_id ?? null
  if (previous !== null) {
    throw new Refusal('bad-request', `Previous response with id '${previous}' not found.`, {
      field: 'previous_response_id',
      code: 'previous_response_not_found',
    })
  }
  return request
}
