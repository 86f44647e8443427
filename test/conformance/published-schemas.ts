import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Compile, type Validator } from 'typebox/schema'
import type { TextFormat } from './talk.ts'

/** The client formats whose owners publish a schema. */
export type PublishedFormat = Exclude<TextFormat, 'content-generation'>
export const PUBLISHED_FORMATS = ['chat-completion', 'responses', 'messages'] as const

interface SchemaDocument {
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

interface Published {
  readonly document: SchemaDocument
  /** The schema of a whole answer. */
  readonly whole: string
  /** The schema of an event; null for one that the document leaves out. */
  eventSchema(type: string): string | null
}

const chatCompletion = readDocument('chat-completion')
const messages = readDocument('messages')
const openResponses = readDocument('open-responses')

function readDocument(name: string): SchemaDocument {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'schemas', `${name}.json`), 'utf8'))
}

const PUBLISHED: Readonly<Record<PublishedFormat, Published>> = {
  'chat-completion': {
    document: chatCompletion,
    whole: 'CreateChatCompletionResponse',
    eventSchema: () => 'CreateChatCompletionStreamResponse',
  },
  responses: {
    document: openResponses,
    whole: 'ResponseResource',
    eventSchema: (type) => RESPONSE_EVENTS.get(type) ?? `event ${type}`,
  },
  messages: {
    document: messages,
    whole: 'Message',
    // Heartbeats are not in the document.
    eventSchema: (type) => (type === 'ping' ? null : (MESSAGE_EVENTS.get(type) ?? `event ${type}`)),
  },
}

const RESPONSE_EVENTS = eventSchemas(openResponses, 'StreamingEvent')
const MESSAGE_EVENTS = eventSchemas(messages, 'Event')

/** The names of event schemas by the one `type` that each allows. */
function eventSchemas({ components }: SchemaDocument, suffix: string): ReadonlyMap<string, string> {
  const named = Object.entries(components.schemas).filter(([name]) => name.endsWith(suffix))
  return new Map(named.map(([name, schema]) => [typeOf(schema), name]))
}

function typeOf(schema: object): string {
  const { type } =
    (schema as { properties?: { type?: { const?: string; enum?: string[] } } }).properties ?? {}
  return type?.const ?? type?.enum?.[0] ?? ''
}

const validators = new Map<string, Validator>()

function validatorFor(format: PublishedFormat, name: string): Validator {
  const key = `${format} ${name}`
  const known = validators.get(key)
  if (known !== undefined) return known
  const { components } = PUBLISHED[format].document
  const schema = components.schemas[name]
  if (schema === undefined) throw new Error(`no schema ${name} in the document of ${format}`)
  const made = Compile({ ...schema, components })
  validators.set(key, made)
  return made
}

/** What contradicts the named schema, one line for each problem. */
export function findProblems(format: PublishedFormat, name: string, value: unknown): readonly string[] {
  const validator = validatorFor(format, name)
  if (validator.Check(value)) return []
  return validator.Errors(value)[1].map(({ instancePath, message }) => `${name}${instancePath} ${message}`)
}

export function findWholeProblems(format: PublishedFormat, answer: unknown): readonly string[] {
  return findProblems(format, PUBLISHED[format].whole, answer)
}

export function findEventProblems(
  format: PublishedFormat,
  event: { readonly type?: string },
): readonly string[] {
  const name = PUBLISHED[format].eventSchema(event.type ?? '')
  return name === null ? [] : findProblems(format, name, event)
}
