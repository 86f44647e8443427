import type { JsonObject, Tool } from '../../../../parts/wire/question.ts'

/** A function as it is edited: everything is text. */
export interface ToolDraft {
  readonly name: string
  readonly description: string
  readonly parameters: string
}

export const NEW_TOOL: ToolDraft = {
  name: '',
  description: '',
  parameters: JSON.stringify({ type: 'object', properties: {}, required: [] }, null, 2),
}

export const EXAMPLE_TOOL: ToolDraft = {
  name: 'get_weather',
  description: 'The weather in a city, now.',
  parameters: JSON.stringify(
    { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    null,
    2,
  ),
}

export const EXAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['title', 'tags'],
    additionalProperties: false,
  },
  null,
  2,
)

export function draftOf({ name, description, parameters }: Tool): ToolDraft {
  return { name, description, parameters: JSON.stringify(parameters, null, 2) }
}

/** The schema in a text, or what is wrong with it. */
export function readSchema(text: string): { schema: JsonObject } | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'A JSON schema is an object, such as {"type": "object"}.' }
  }
  const schema = value as JsonObject
  // All suppliers ask for an object, and their own messages about it are hard to understand.
  if (schema.type !== 'object') return { problem: 'The schema must have "type": "object".' }
  return { schema }
}

const NAME = /^[A-Za-z_][\w-]{0,63}$/

/** What is wrong with a function, by field; empty when it can be sent. */
export function findToolProblems(tool: ToolDraft, others: readonly ToolDraft[]): Partial<ToolDraft> {
  const read = readSchema(tool.parameters)
  const name = !NAME.test(tool.name)
    ? 'Letters, digits, _ and -, at most 64, beginning with a letter.'
    : others.some((other) => other.name === tool.name)
      ? 'Another function has this name.'
      : null
  return { ...(name !== null && { name }), ...('problem' in read && { parameters: read.problem }) }
}

export function toolOf({ name, description, parameters }: ToolDraft): Tool {
  const read = readSchema(parameters)
  return { name, description: description.trim(), parameters: 'schema' in read ? read.schema : {} }
}
