import { asArray, asObject } from '../../../wire/json-values.ts'
import { refuseAt } from './schema.ts'

const PLACE = ['output_config', 'format', 'schema'] as const

/** Limits that the real service cannot hold a model to, and therefore refuses to be given. */
const UNSUPPORTED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'uniqueItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'not',
  'oneOf',
  'if',
  'patternProperties',
]

/** Structured output takes a narrower JSON Schema than tools do. */
export function checkOutputSchema(schema: unknown): void {
  const node = asObject(schema)
  if (node === null) return
  const found = UNSUPPORTED.find((keyword) => keyword in node)
  if (found !== undefined)
    throw refuseAt(PLACE, `For '${String(node.type)}' type, property '${found}' is not supported`)
  if (typeof node.minItems === 'number' && node.minItems > 1)
    throw refuseAt(PLACE, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
  if (node.type === 'object' && node.additionalProperties !== false)
    throw refuseAt(PLACE, "For 'object' type, 'additionalProperties' must be explicitly set to false")
  for (const inner of innerSchemas(node)) checkOutputSchema(inner)
}

function innerSchemas(node: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [
    ...Object.values(asObject(node.properties) ?? {}),
    ...Object.values(asObject(node.$defs) ?? {}),
    ...asArray(node.anyOf),
    ...asArray(node.allOf),
    node.items,
  ]
}
