import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { isObject } from '../../../wire/json-values.ts'
import type { ModelTraits, PainterKind } from '../../actors/actor.ts'
import { Refusal } from '../../refusal.ts'
import { refuseShape } from '../openai-style.ts'
import { findShapeProblem } from '../shape.ts'
import { DIALECTS } from './dialects.ts'
import { readSize } from './size.ts'

export type Operation = 'generation' | 'edit'

// Clients write null as often as they leave a field out.
const Nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Word = Nullable(Type.String())

const COMMON = {
  model: Type.String({ minLength: 1 }),
  prompt: Type.String({ minLength: 1 }),
  n: Nullable(Type.Integer({ minimum: 1, maximum: 10 })),
  size: Word,
  quality: Word,
  user: Word,
}
const CLASSIC = { ...COMMON, response_format: Word }
const BASE64_ONLY = {
  ...COMMON,
  background: Word,
  output_format: Word,
  // A PNG loses nothing, so nothing but the whole quality makes sense.
  output_compression: Nullable(Type.Integer({ minimum: 100, maximum: 100 })),
  // The sandbox sends images whole.
  stream: Nullable(Type.Literal(false)),
}

const FIELDS = {
  classic: { generation: { ...CLASSIC, style: Word }, edit: CLASSIC },
  'base64-only': {
    generation: { ...BASE64_ONLY, moderation: Word },
    edit: { ...BASE64_ONLY, input_fidelity: Word },
  },
} as const satisfies Record<PainterKind, Record<Operation, Record<string, TSchema>>>

// A model refuses what it does not know, which is how it shows that a caller takes it for another one.
const close = (fields: Record<string, TSchema>) =>
  Compile(Type.Object(fields, { additionalProperties: false }))

const CHECKERS = {
  classic: { generation: close(FIELDS.classic.generation), edit: close(FIELDS.classic.edit) },
  'base64-only': {
    generation: close(FIELDS['base64-only'].generation),
    edit: close(FIELDS['base64-only'].edit),
  },
}

const AnyRequest = Type.Object({
  ...COMMON,
  response_format: Word,
  style: Word,
  background: Word,
})

export type ImageRequest = Static<typeof AnyRequest>

export interface CheckedRequest {
  readonly request: ImageRequest
  readonly dialect: PainterKind
}

export function checkRequest(
  body: unknown,
  operation: Operation,
  traitsOf: (model: string) => ModelTraits | null,
): CheckedRequest {
  const dialect = findDialect(body, traitsOf)
  const problem = findShapeProblem(CHECKERS[dialect][operation], body)
  if (problem !== null) throw refuseShape(problem)
  const request = body as ImageRequest
  checkPrompt(request, dialect)
  checkChoices(request, dialect)
  checkSize(request, dialect)
  return { request, dialect }
}

/** Which fields there are depends on the model, so it is looked at before everything else. */
function findDialect(body: unknown, traitsOf: (model: string) => ModelTraits | null): PainterKind {
  const field = 'model'
  const model = isObject(body) ? body.model : undefined
  if (typeof model !== 'string' || model === '')
    throw new Refusal('bad-request', "Missing required parameter: 'model'.", { field })
  const traits = traitsOf(model)
  if (traits === null) throw new Refusal('unknown-model', `The model '${model}' does not exist.`, { field })
  if (traits.paints !== undefined) return traits.paints
  const message = `Invalid value: '${model}'. This model does not make images.`
  throw new Refusal('bad-request', message, { field, code: 'invalid_value' })
}

function checkPrompt({ prompt }: ImageRequest, dialect: PainterKind): void {
  const longest = DIALECTS[dialect].longestPrompt
  if (prompt.length <= longest) return
  const message = `Invalid 'prompt': string too long. Expected at most ${longest} characters, got ${prompt.length}.`
  throw new Refusal('bad-request', message, { field: 'prompt', code: 'string_above_max_length' })
}

function checkChoices(request: ImageRequest, dialect: PainterKind): void {
  const given: Readonly<Record<string, unknown>> = request
  for (const [field, allowed] of Object.entries<readonly string[]>(DIALECTS[dialect].choices)) {
    const value = given[field]
    if (typeof value === 'string' && !allowed.includes(value)) throw refuseValue(field, value, allowed)
  }
}

function checkSize({ size }: ImageRequest, dialect: PainterKind): void {
  const { sizes } = DIALECTS[dialect]
  if (typeof size !== 'string') return
  if (sizes === null ? size === 'auto' || readSize(size) !== null : includes(sizes, size)) return
  throw refuseValue('size', size, sizes ?? ['auto', 'WIDTHxHEIGHT'])
}

function includes(sizes: readonly string[], size: string): boolean {
  return sizes.includes(size)
}

function refuseValue(field: string, value: string, allowed: readonly string[]): Refusal {
  const list = allowed.map((choice) => `'${choice}'`).join(', ')
  const message = `Invalid value: '${value}'. Supported values are: ${list}.`
  return new Refusal('bad-request', message, { field, code: 'invalid_value' })
}
