import type { AnyDefinition } from '../edges/management-api/endpoint.ts'
import type { ActionDefinition } from './command.ts'

/** What the command line reads of a field's schema. */
export interface InputSchema {
  readonly type?: string
  readonly anyOf?: readonly InputSchema[]
  readonly items?: InputSchema
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  /** The end of an error message that starts with "it takes". */
  readonly takes?: string
  /** Sent as it was typed. */
  readonly isText?: boolean
}

interface DescribedInput {
  readonly field: string
  readonly flag: string
  readonly besides: readonly string[]
  readonly isRequired: boolean
  readonly schema: InputSchema
}

interface Described {
  readonly words: readonly string[]
  readonly inputs: readonly DescribedInput[]
  readonly notes: Readonly<Record<string, string>>
}

/** Notes, samples and suggestions for the words and flags of an endpoint, from what its API document says. */
export function describeInputs(
  { method, body, answer }: Pick<AnyDefinition<never>, 'method' | 'body' | 'answer'>,
  { words, inputs, notes }: Described,
): Pick<ActionDefinition, 'notes' | 'samples' | 'shownFlags' | 'suggestions'> {
  const example = (body?.example ?? {}) as Readonly<Record<string, unknown>>
  const samples = inputs.flatMap(({ field, flag }) => toPair(flag, textOf(example[field])))
  const found = words.flatMap((word) =>
    toPair(word, sampleWord(word, { ...example, ...itemOf(answer.example) })),
  )
  const isNeeded = method === 'PATCH' && !inputs.some(({ isRequired }) => isRequired)
  const shown = inputs.find(({ flag }) => samples.some(([name]) => name === flag))
  return {
    notes: {
      ...Object.fromEntries(
        words.map((word) => [word, `the ${word === 'id' || word === 'email' ? word : `id of the ${word}`}`]),
      ),
      ...Object.fromEntries(inputs.map(({ flag, schema }) => [flag, noteOf(schema)])),
      limit: 'how many at most; 50 when left out',
      ...notes,
    },
    samples: Object.fromEntries([...samples, ...found]),
    shownFlags: isNeeded && shown !== undefined ? [shown.flag] : [],
    suggestions: Object.fromEntries(inputs.flatMap(({ flag, schema }) => toPair(flag, wordsIn(schema)))),
  }
}

function toPair<Value>(name: string, value: Value | null): [string, Value][] {
  return value === null ? [] : [[name, value]]
}

/** The first item of a list, or the object itself. */
function itemOf(example: unknown): object {
  if (typeof example !== 'object' || example === null) return {}
  const { data } = example as { readonly data?: readonly unknown[] }
  return Array.isArray(data) && data.length > 0 ? itemOf(data[0]) : example
}

function sampleWord(word: string, example: Readonly<Record<string, unknown>>): string | null {
  const named = [word, `${word}_id`, 'id'].map((name) => textOf(example[name])).find((text) => text !== null)
  return named ?? null
}

/** A value of JSON as a flag takes it; null when a flag has a form of its own. */
function textOf(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.every((entry) => typeof entry === 'string') ? value.join(',') : null
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** What a schema says of its field, in the words of the command line. */
export function noteOf(schema: InputSchema): string {
  const [meant = schema] = schema.anyOf ?? []
  const kind = meant.type === 'boolean' ? 'on or off' : (schema.takes ?? meant.takes ?? '')
  const text = schema.description ?? meant.description ?? kind
  const plain = text
    .replaceAll('`', '')
    .replace(/\bnull\b/g, '"none"')
    .replace(/\.$/, '')
  const begins = /^[A-Z][a-z ]/.test(plain) ? `${plain.charAt(0).toLowerCase()}${plain.slice(1)}` : plain
  return meant.type === 'boolean' && begins !== kind ? `${begins} (${kind})` : begins
}

function wordsIn(schema: InputSchema): string[] | null {
  const [meant = schema] = schema.anyOf ?? []
  if (meant.type === 'boolean') return ['on', 'off']
  return meant.enum?.map(String) ?? null
}
