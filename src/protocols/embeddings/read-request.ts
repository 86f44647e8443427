import type {
  EmbeddingInput,
  EmbeddingPurpose,
  EmbeddingRequest,
} from '../../conversation/families/embeddings.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { compileCheck } from '../../validation/validation.ts'
import { asText } from '../../wire/json-values.ts'
import { checkInputCount } from '../embedding-side.ts'
import type { RequestFacts } from '../protocol.ts'
import { CheckedRequestSchema, type EmbeddingFields } from './schema.ts'

const check = compileCheck(CheckedRequestSchema)

const KNOWN: ReadonlySet<string> = new Set(Object.keys(CheckedRequestSchema.properties))

/** The words of several vendors, since the published API has none. */
const PURPOSES: ReadonlyMap<string, EmbeddingPurpose> = new Map([
  ['query', 'query'],
  ['search_query', 'query'],
  ['document', 'document'],
  ['search_document', 'document'],
  ['passage', 'document'],
  ['similarity', 'similarity'],
  ['classification', 'classification'],
  ['clustering', 'clustering'],
])

export interface ReadFields {
  readonly fields: EmbeddingFields
  readonly request: EmbeddingRequest
  readonly facts: RequestFacts
}

/** Checks and reads a parsed body. */
export function readFields(body: unknown): ReadFields {
  const fields = check(body)
  const inputs = readInputs(fields.input)
  const purpose = PURPOSES.get(asText(fields.input_type) ?? '') ?? null
  const others = Object.keys(fields).filter(
    (name) => !KNOWN.has(name) || (name === 'input_type' && purpose === null && fields.input_type !== null),
  )
  const request = {
    model: fields.model,
    inputs,
    dimensions: fields.dimensions ?? null,
    purpose,
    user: fields.user ?? null,
    others,
  }
  return { fields, request, facts: factsOf(request) }
}

// As many characters as a token of English has, so that limits in characters fit.
const CHARACTERS_PER_TOKEN = 4

function factsOf({ model, inputs }: EmbeddingRequest): RequestFacts {
  let promptCharacters = 0
  for (const input of inputs)
    promptCharacters += typeof input === 'string' ? input.length : input.length * CHARACTERS_PER_TOKEN
  return {
    model,
    stream: false,
    promptCharacters,
    mediaParts: 0,
    maxOutputTokens: 0,
    // The model's own limit holds for each of them.
    choices: inputs.length,
  }
}

/** A list of numbers is one input, a list of anything else several. */
function readInputs(input: unknown): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [checkText(input, 'input')]
  if (!Array.isArray(input)) throw refuse('input', 'must be a text, a list of texts or a list of tokens')
  if (typeof input[0] === 'number') return [checkTokens(input, 'input')]
  checkInputCount(input.length, 'input')
  const isText = typeof input[0] === 'string'
  for (const [place, value] of input.entries()) {
    const param = `input[${place}]`
    if (isText) checkText(value, param)
    else checkTokens(value, param)
  }
  return input
}

function checkText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw refuse(param, 'must be a text, as the first entry is')
  if (value === '') throw refuse(param, 'must not be empty')
  return value
}

const MAX_TOKENS_OF_INPUT = 131_072
const MAX_TOKEN = 2 ** 31

function checkTokens(value: unknown, param: string): readonly number[] {
  if (!Array.isArray(value)) throw refuse(param, 'must be a text or a list of tokens, as the first entry is')
  if (value.length === 0) throw refuse(param, 'must not be empty')
  if (value.length > MAX_TOKENS_OF_INPUT)
    throw refuse(param, `may have at most ${MAX_TOKENS_OF_INPUT} tokens`)
  const wrong = value.findIndex((token) => !Number.isInteger(token) || token < 0 || token >= MAX_TOKEN)
  if (wrong !== -1) throw refuse(`${param}[${wrong}]`, 'must be a token, which is a whole number from 0 on')
  return value
}

function refuse(param: string, complaint: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${complaint}.`, { param })
}
