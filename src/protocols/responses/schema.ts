import Type, { type Static, type TSchema } from 'typebox'
import type { JsonObject } from '../../wire/json-values.ts'
import { MAX_TOKENS_NOTE, MODEL_NOTE, STREAM_NOTE } from '../contract-notes.ts'
import { MAX_MESSAGES, MAX_METADATA_PAIRS, MAX_TOOLS } from '../request-limits.ts'

/** Suppliers count tokens in 32 bits. A larger limit is a mistake and would overflow the reservation. */
const MAX_TOKENS = 2 ** 31 - 1

const OptionalOrNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const NonEmptyString = Type.String({ minLength: 1 })
const AnyObject = Type.Object({})
const ObjectList = Type.Array(AnyObject)
const StringOrParts = Type.Union([Type.String(), ObjectList])
const ToolList = Type.Array(AnyObject, { maxItems: MAX_TOOLS })

/** Content parts by `type`. Other types are not checked. */
export const PART_SCHEMAS: Readonly<Record<string, TSchema>> = {
  input_text: Type.Object({ text: Type.String() }),
  output_text: Type.Object({ text: Type.String() }),
  text: Type.Object({ text: Type.String() }),
  refusal: Type.Object({ refusal: Type.String() }),
  input_image: Type.Object({
    image_url: OptionalOrNull(NonEmptyString),
    file_id: OptionalOrNull(Type.String()),
    detail: OptionalOrNull(Type.String()),
  }),
  input_file: Type.Object({
    file_data: OptionalOrNull(Type.String()),
    file_id: OptionalOrNull(Type.String()),
    file_url: OptionalOrNull(Type.String()),
    filename: OptionalOrNull(Type.String()),
  }),
}

const ToolOutput = Type.Object({ call_id: NonEmptyString, output: StringOrParts })

/** Input items by `type`. Other types are not checked. */
export const ITEM_SCHEMAS: Readonly<Record<string, TSchema>> = {
  message: Type.Object({
    role: Type.Enum(['user', 'assistant', 'system', 'developer']),
    content: StringOrParts,
  }),
  function_call: Type.Object({
    call_id: NonEmptyString,
    name: NonEmptyString,
    // Newer suppliers send an object instead of its JSON text, and clients send it back unchanged.
    arguments: Type.Union([Type.String(), AnyObject]),
    namespace: OptionalOrNull(Type.String()),
  }),
  function_call_output: ToolOutput,
  custom_tool_call: Type.Object({
    call_id: NonEmptyString,
    name: NonEmptyString,
    input: Type.String(),
    namespace: OptionalOrNull(Type.String()),
  }),
  custom_tool_call_output: ToolOutput,
  reasoning: Type.Object({
    id: OptionalOrNull(Type.String()),
    summary: OptionalOrNull(ObjectList),
    content: OptionalOrNull(ObjectList),
    encrypted_content: OptionalOrNull(Type.String()),
  }),
  item_reference: Type.Object({ id: NonEmptyString }),
}

const Grammar = Type.Object({
  type: Type.Literal('grammar'),
  syntax: Type.Enum(['lark', 'regex']),
  definition: Type.String(),
})

/** Tools by `type`. Other types are tools that the supplier runs, and are not checked. */
export const TOOL_SCHEMAS: Readonly<Record<string, TSchema>> = {
  function: Type.Object({
    name: NonEmptyString,
    description: OptionalOrNull(Type.String()),
    parameters: OptionalOrNull(AnyObject),
    strict: OptionalOrNull(Type.Boolean()),
  }),
  custom: Type.Object({
    name: NonEmptyString,
    description: OptionalOrNull(Type.String()),
    format: OptionalOrNull(Type.Union([Type.Object({ type: Type.Literal('text') }), Grammar])),
  }),
  namespace: Type.Object({
    name: NonEmptyString,
    description: OptionalOrNull(Type.String()),
    tools: ToolList,
  }),
}

/** Objects allowed as `tool_choice`, by `type`. Others name a tool that the supplier runs. */
export const TOOL_CHOICE_SCHEMAS: Readonly<Record<string, TSchema>> = {
  function: Type.Object({ name: NonEmptyString }),
  custom: Type.Object({ name: NonEmptyString }),
  allowed_tools: Type.Object({ mode: Type.Enum(['auto', 'required']), tools: ToolList }),
}

const TextFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: NonEmptyString,
    schema: AnyObject,
    description: OptionalOrNull(Type.String()),
    strict: OptionalOrNull(Type.Boolean()),
  }),
])

/**
 * A responses request. Unknown fields are allowed everywhere and passed on.
 * Null means absent where the official clients may send it.
 */
export const ResponsesRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: MODEL_NOTE }),
  input: Type.Union([Type.String(), Type.Array(AnyObject, { maxItems: MAX_MESSAGES })], {
    description:
      'Text, or items as in `ResponseInputItem`, whose content is text or parts as in `ResponseInputPart`.',
  }),
  instructions: OptionalOrNull(Type.String()),
  max_output_tokens: OptionalOrNull(
    Type.Integer({ minimum: 1, maximum: MAX_TOKENS, description: MAX_TOKENS_NOTE }),
  ),
  max_tool_calls: OptionalOrNull(Type.Integer({ minimum: 0 })),
  temperature: OptionalOrNull(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: OptionalOrNull(Type.Number({ minimum: 0, maximum: 1 })),
  top_logprobs: OptionalOrNull(Type.Integer({ minimum: 0, maximum: 20 })),
  stream: OptionalOrNull(Type.Boolean({ description: STREAM_NOTE })),
  stream_options: OptionalOrNull(AnyObject),
  store: OptionalOrNull(Type.Boolean({ description: 'Stores the response for 30 days. Defaults to true.' })),
  previous_response_id: OptionalOrNull(
    Type.String({ description: 'Continues from a stored response, whichever supplier generated it.' }),
  ),
  metadata: OptionalOrNull(Type.Object({}, { maxProperties: MAX_METADATA_PAIRS })),
  tools: OptionalOrNull(Type.Array(AnyObject, { maxItems: MAX_TOOLS, description: 'As in `ResponseTool`.' })),
  tool_choice: OptionalOrNull(Type.Union([Type.Enum(['auto', 'none', 'required']), AnyObject])),
  parallel_tool_calls: OptionalOrNull(Type.Boolean()),
  text: OptionalOrNull(
    Type.Object({
      format: OptionalOrNull(TextFormat),
      verbosity: OptionalOrNull(Type.Enum(['low', 'medium', 'high'])),
    }),
  ),
  reasoning: OptionalOrNull(
    Type.Object({
      effort: OptionalOrNull(Type.Enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
      summary: OptionalOrNull(Type.String()),
      generate_summary: OptionalOrNull(Type.String()),
    }),
  ),
  include: OptionalOrNull(Type.Array(Type.String())),
  truncation: OptionalOrNull(Type.String()),
  service_tier: OptionalOrNull(Type.String()),
  prompt_cache_key: OptionalOrNull(Type.String()),
  prompt_cache_options: OptionalOrNull(AnyObject),
  prompt_cache_retention: OptionalOrNull(Type.String()),
  safety_identifier: OptionalOrNull(Type.String()),
  user: OptionalOrNull(Type.String()),
})

export type ResponsesRequest = Static<typeof ResponsesRequestSchema> & JsonObject
