import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { isObject } from '../../../wire/json-values.ts'
import type { ModelTraits, PainterKind } from '../../actors/actor.ts'
import type { ImageSize } from '../../images/raster.ts'
import { SandboxError } from '../../sandbox-error.ts'
import { refuseMissing, refuseShape } from '../openai-style.ts'
import { Closed, createCheck, Nullable } from '../shape.ts'

/** What one generation of image models takes; a field without a list takes any text. */
interface Dialect {
  readonly longestPrompt: number
  /** null when any width and height is taken. */
  readonly sizes: readonly string[] | null
  readonly choices: Readonly<Record<string, readonly string[]>>
}

const DIALECTS: Readonly<Record<PainterKind, Dialect>> = {
  classic: {
    longestPrompt: 4000,
    sizes: ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'],
    choices: {
      quality: ['standard', 'hd'],
      style: ['vivid', 'natural'],
      response_format: ['url', 'b64_json'],
    },
  },
  'base64-only': {
    longestPrompt: 32_000,
    sizes: null,
    choices: {
      quality: ['low', 'medium', 'high', 'auto'],
      background: ['transparent', 'opaque', 'auto'],
      output_format: ['png'],
      moderation: ['low', 'auto'],
      input_fidelity: ['low', 'high'],
    },
  },
}

export type Operation = 'generation' | 'edit'

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
  stream: Nullable(Type.Boolean()),
  partial_images: Nullable(Type.Integer({ minimum: 0, maximum: 3 })),
}

// A model refuses what it does not know, which is how it shows that a caller takes it for another one.
const close = (fields: TProperties) => createCheck<TSchema>(Closed(fields), refuseShape)

const CHECKS = {
  classic: { generation: close({ ...CLASSIC, style: Word }), edit: close(CLASSIC) },
  'base64-only': {
    generation: close({ ...BASE64_ONLY, moderation: Word }),
    edit: close({ ...BASE64_ONLY, input_fidelity: Word }),
  },
} as const satisfies Record<PainterKind, Record<Operation, unknown>>

const AnyRequest = Type.Object({
  ...COMMON,
  response_format: Word,
  style: Word,
  background: Word,
  stream: Nullable(Type.Boolean()),
  partial_images: Nullable(Type.Integer()),
})

export type ImageRequestBody = Static<typeof AnyRequest>

interface CheckedRequest {
  readonly request: ImageRequestBody
  readonly dialect: PainterKind
}

export function checkRequest(
  body: unknown,
  operation: Operation,
  traitsOf: (model: string) => ModelTraits | null,
): CheckedRequest {
  const dialect = findDialect(body, traitsOf)
  const request = CHECKS[dialect][operation](body) as ImageRequestBody
  checkPrompt(request, dialect)
  checkChoices(request, dialect)
  checkSize(request, dialect)
  return { request, dialect }
}

/** Which fields there are depends on the model, so it is looked at before everything else. */
function findDialect(body: unknown, traitsOf: (model: string) => ModelTraits | null): PainterKind {
  const field = 'model'
  const model = isObject(body) ? body.model : undefined
  if (typeof model !== 'string' || model === '') throw refuseMissing(field)
  const traits = traitsOf(model)
  if (traits === null)
    throw new SandboxError('unknown-model', `The model '${model}' does not exist.`, { field })
  if (traits.paints !== undefined) return traits.paints
  const message = `Invalid value: '${model}'. This model does not make images.`
  throw new SandboxError('bad-request', message, { field, code: 'invalid_value' })
}

function checkPrompt({ prompt }: ImageRequestBody, dialect: PainterKind): void {
  const longest = DIALECTS[dialect].longestPrompt
  if (prompt.length <= longest) return
  const message = `Invalid 'prompt': string too long. Expected at most ${longest} characters, got ${prompt.length}.`
  throw new SandboxError('bad-request', message, { field: 'prompt', code: 'string_above_max_length' })
}

function checkChoices(request: ImageRequestBody, dialect: PainterKind): void {
  const given: Readonly<Record<string, unknown>> = request
  for (const [field, allowed] of Object.entries(DIALECTS[dialect].choices)) {
    const value = given[field]
    if (typeof value === 'string' && !allowed.includes(value)) throw refuseValue(field, value, allowed)
  }
}

function checkSize({ size }: ImageRequestBody, dialect: PainterKind): void {
  const { sizes } = DIALECTS[dialect]
  if (typeof size !== 'string') return
  if (sizes === null ? size === 'auto' || readSize(size) !== null : sizes.includes(size)) return
  throw refuseValue('size', size, sizes ?? ['auto', 'WIDTHxHEIGHT'])
}

function refuseValue(field: string, value: string, allowed: readonly string[]): SandboxError {
  const list = allowed.map((choice) => `'${choice}'`).join(', ')
  const message = `Invalid value: '${value}'. Supported values are: ${list}.`
  return new SandboxError('bad-request', message, { field, code: 'invalid_value' })
}

const SHORTEST_EDGE = 16
const LONGEST_EDGE = 3840
// As many as a screen of 3840 by 2160 has.
const MAX_PIXELS = 8_294_400

/** null when it is no size, or one that no model makes. */
export function readSize(text: string): ImageSize | null {
  const match = /^(\d{1,4})x(\d{1,4})$/.exec(text)
  if (match === null) return null
  const [width, height] = [Number(match[1]), Number(match[2])]
  if (Math.min(width, height) < SHORTEST_EDGE || Math.max(width, height) > LONGEST_EDGE) return null
  return width * height > MAX_PIXELS ? null : { width, height }
}
