import Type, { type Static, type TSchema } from 'typebox'
import type { JsonObject } from '../../wire/json-values.ts'
import { MODEL_NOTE, STREAM_NOTE } from '../contract-notes.ts'
import { optionalOrNull } from '../parameter-table.ts'
import { MAX_MESSAGES, MAX_TOOLS } from '../request-limits.ts'
import { PARAMETERS } from './request/parameters.ts'

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
    image_url: optionalOrNull(NonEmptyString),
    file_id: optionalOrNull(Type.String()),
    detail: optionalOrNull(Type.String()),
  }),
  input_file: Type.Object({
    file_data: optionalOrNull(Type.String()),
    file_id: optionalOrNull(Type.String()),
    file_url: optionalOrNull(Type.String()),
    filename: optionalOrNull(Type.String()),
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
    namespace: optionalOrNull(Type.String()),
  }),
  function_call_output: ToolOutput,
  custom_tool_call: Type.Object({
    call_id: NonEmptyString,
    name: NonEmptyString,
    input: Type.String(),
    namespace: optionalOrNull(Type.String()),
  }),
  custom_tool_call_output: ToolOutput,
  reasoning: Type.Object({
    id: optionalOrNull(Type.String()),
    summary: optionalOrNull(ObjectList),
    content: optionalOrNull(ObjectList),
    encrypted_content: optionalOrNull(Type.String()),
  }),
  item_reference: Type.Object({ id: NonEmptyString }),
  compaction: Type.Object({ id: optionalOrNull(Type.String()), encrypted_content: NonEmptyString }),
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
    description: optionalOrNull(Type.String()),
    parameters: optionalOrNull(AnyObject),
    strict: optionalOrNull(Type.Boolean()),
  }),
  custom: Type.Object({
    name: NonEmptyString,
    description: optionalOrNull(Type.String()),
    format: optionalOrNull(Type.Union([Type.Object({ type: Type.Literal('text') }), Grammar])),
  }),
  namespace: Type.Object({
    name: NonEmptyString,
    description: optionalOrNull(Type.String()),
    tools: ToolList,
  }),
}

/** Objects allowed as `tool_choice`, by `type`. Others name a tool that the supplier runs. */
export const TOOL_CHOICE_SCHEMAS: Readonly<Record<string, TSchema>> = {
  function: Type.Object({ name: NonEmptyString }),
  custom: Type.Object({ name: NonEmptyString }),
  allowed_tools: Type.Object({ mode: Type.Enum(['auto', 'required']), tools: ToolList }),
}

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
  instructions: optionalOrNull(Type.String()),
  ...PARAMETERS.members,
  max_tool_calls: optionalOrNull(Type.Integer({ minimum: 0 })),
  stream: optionalOrNull(Type.Boolean({ description: STREAM_NOTE })),
  stream_options: optionalOrNull(AnyObject),
  background: optionalOrNull(
    Type.Boolean({
      description: 'Answers at once and generates the response in the background. Needs `store`.',
    }),
  ),
  store: optionalOrNull(Type.Boolean({ description: 'Stores the response for 30 days. Defaults to true.' })),
  previous_response_id: optionalOrNull(
    Type.String({ description: 'Continues from a stored response, whichever supplier generated it.' }),
  ),
  conversation: optionalOrNull(
    Type.Union([NonEmptyString, Type.Object({ id: NonEmptyString })], {
      description:
        'A conversation, or its id. Its items come before the input; input and output are added to it. Excludes `previous_response_id`.',
    }),
  ),
  tools: optionalOrNull(Type.Array(AnyObject, { maxItems: MAX_TOOLS, description: 'As in `ResponseTool`.' })),
  tool_choice: optionalOrNull(Type.Union([Type.Enum(['auto', 'none', 'required']), AnyObject])),
  truncation: optionalOrNull(Type.String()),
  service_tier: optionalOrNull(Type.String()),
  prompt_cache_options: optionalOrNull(AnyObject),
  prompt_cache_retention: optionalOrNull(Type.String()),
})

/** A request that only compacts. Clients may send the other fields of a request for an answer as well. */
export const CompactRequestSchema = Type.Object({
  model: ResponsesRequestSchema.properties.model,
  input: optionalOrNull(ResponsesRequestSchema.properties.input),
  instructions: ResponsesRequestSchema.properties.instructions,
  previous_response_id: ResponsesRequestSchema.properties.previous_response_id,
  tools: ResponsesRequestSchema.properties.tools,
  prompt_cache_key: optionalOrNull(Type.String()),
  service_tier: ResponsesRequestSchema.properties.service_tier,
})

export type ResponsesRequest = Static<typeof ResponsesRequestSchema> & JsonObject
