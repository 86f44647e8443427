import Type, { type Static } from 'typebox'
import type { Conversation, Instruction, OutputFormat } from '../../../conversation/conversation.ts'
import type { JsonSchema } from '../../../conversation/json-schema.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { optionalOrNull } from '../../parameter-table.ts'
import type { SupplyContext } from '../../translation.ts'

export const ResponseFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ minLength: 1 }),
      description: optionalOrNull(Type.String()),
      schema: optionalOrNull(Type.Object({})),
      strict: optionalOrNull(Type.Boolean()),
    }),
  }),
])

const JSON_ONLY = 'Answer with one JSON object and nothing else.'

export function decodeOutput(format: Static<typeof ResponseFormat> | null | undefined): OutputFormat {
  switch (format?.type) {
    case 'json_object':
      return { type: 'json' }
    case 'json_schema': {
      const { name, description, schema, strict } = format.json_schema
      return {
        type: 'schema',
        name,
        description: description ?? null,
        schema: (schema as JsonSchema | null | undefined) ?? {},
        strict: strict ?? null,
      }
    }
    default:
      return { type: 'text' }
  }
}

export interface EncodedOutput {
  readonly fields: JsonObject
  /** Tells the model in the prompt what the fields cannot express, or what suppliers require there. */
  readonly note: Instruction | null
  readonly isChanged: boolean
}

export function encodeOutput(conversation: Conversation, { traits }: SupplyContext): EncodedOutput {
  const { output } = conversation
  if (output.type === 'text') return { fields: {}, note: null, isChanged: false }
  if (output.type === 'schema' && traits.structured === 'schema') {
    const { name, description, schema, strict } = output
    const described = { name, ...(description !== null && { description }), schema }
    const format = { type: 'json_schema', json_schema: { ...described, ...(strict !== null && { strict }) } }
    return { fields: { response_format: format }, note: null, isChanged: false }
  }
  const words =
    output.type === 'json'
      ? JSON_ONLY
      : `${JSON_ONLY} It must fit this schema:\n${JSON.stringify(output.schema)}`
  const fields = traits.structured === 'none' ? {} : { response_format: { type: 'json_object' } }
  // Suppliers refuse this response format unless the prompt mentions JSON.
  const isMentioned = output.type === 'json' && traits.structured !== 'none' && mentionsJson(conversation)
  const isChanged = output.type === 'schema' || traits.structured === 'none'
  return { fields, note: isMentioned ? null : { text: words, cache: null }, isChanged }
}

function mentionsJson({ instructions, turns }: Conversation): boolean {
  const isMentioned = (text: string) => /json/i.test(text)
  if (instructions.some(({ text }) => isMentioned(text))) return true
  return turns.some(({ parts }) => parts.some((part) => part.type === 'text' && isMentioned(part.text)))
}
