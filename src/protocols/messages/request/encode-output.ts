import type { OutputFormat } from '../../../conversation/conversation.ts'
import type { Traits } from '../../vocabulary/runtime/traits.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import { toSchemaDialect } from './schema-dialect.ts'

export interface EncodedOutput {
  /** The member of `output_config`, null when the format has none for it. */
  readonly format: JsonObject | null
  /** What the model is asked for in words instead, null when that is not needed. */
  readonly instruction: string | null
}

/** The shape the answer must have. Where the model cannot be bound to it, it is asked for it. */
export function encodeOutput(
  output: OutputFormat,
  { structured }: Traits,
  dropped: Set<string>,
): EncodedOutput {
  switch (output.type) {
    case 'text':
      return { format: null, instruction: null }
    case 'json':
      dropped.add('response_format')
      return { format: null, instruction: 'Answer with one JSON object only, without any text around it.' }
    case 'schema':
      if (structured === 'schema') {
        return { format: { type: 'json_schema', schema: toSchemaDialect(output.schema) }, instruction: null }
      }
      dropped.add('response_format')
      return { format: null, instruction: askForSchema(output.schema) }
  }
}

function askForSchema(schema: JsonObject): string {
  const asked = 'Answer with JSON only, without any text around it, that is valid against this JSON Schema:'
  return `${asked}\n${JSON.stringify(schema)}`
}
