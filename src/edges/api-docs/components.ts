import Type, { type TSchema } from 'typebox'
import { ERROR_CODES, type ErrorCode } from '../../errors/codes.ts'
import type { EnvelopeDress } from '../../errors/render-error.ts'
import { cleanSchema, type JsonSchema } from './clean-schema.ts'
import { HEADERS, ID_HEADERS, REQUEST_LIMIT_HEADERS, TOKEN_LIMIT_HEADERS } from './overview.ts'

type Reference = { readonly $ref: string }

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]

const ErrorObject = Type.Object({
  message: Type.String({ description: 'For humans. It may change.' }),
  type: Type.Enum(CODES, { description: 'Always the same as `code`.' }),
  code: Type.Enum(CODES, { description: 'Branch on this.' }),
  param: Type.Union([Type.String(), Type.Null()], {
    description: 'The invalid field, such as `messages[0].role`.',
  }),
})

/** The body of an operation's errors. */
export interface ErrorBody {
  readonly name: string
  /** Members next to `error`. */
  readonly fields: Readonly<Record<string, TSchema>>
  readonly dress?: EnvelopeDress
  /** Whether errors carry the rate-limit headers of the caller. */
  readonly hasLimitHeaders: boolean
}

const EXAMPLE_REQUEST_ID = 'req_0123456789abcdef'

/** The shared parts of a document, collected while its operations are described. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly responses: Record<string, object> = {}

  /** Throws when another schema has the same name. */
  schema(name: string, schema: object): Reference {
    const cleaned = cleanSchema(schema)
    const known = this.schemas[name]
    if (known !== undefined && !Bun.deepEquals(known, cleaned)) {
      throw new Error(`Two different schemas are called ${name}.`)
    }
    this.schemas[name] = cleaned
    return refer('schemas', name)
  }

  headers(names: readonly string[]): Record<string, Reference> {
    const unknown = names.find((name) => HEADERS[name] === undefined)
    if (unknown !== undefined) throw new Error(`The header ${unknown} is not described.`)
    return Object.fromEntries(names.map((name) => [name, refer('headers', name)]))
  }

  /** The error response with this status. It lists all of its codes. */
  error(status: number, body: ErrorBody): Reference {
    const codes = CODES.filter((code) => ERROR_CODES[code].status === status)
    if (codes.length === 0) throw new Error(`No error has the status ${status}.`)
    const hasLimits = body.hasLimitHeaders && codes.some((code) => ERROR_CODES[code].retry === 'after-header')
    const name = `${body.name}${status}${hasLimits ? 'WithLimits' : ''}`
    this.responses[name] ??= this.#describeError(codes, body)
    return refer('responses', name)
  }

  #describeError(codes: readonly ErrorCode[], { name, fields, dress, hasLimitHeaders }: ErrorBody): object {
    const retries = new Set<string>(codes.map((code) => ERROR_CODES[code].retry))
    const headers: string[] = [...ID_HEADERS]
    if (retries.has('after-header')) headers.push('retry-after')
    if (retries.has('after-header') && hasLimitHeaders)
      headers.push(...REQUEST_LIMIT_HEADERS, ...TOKEN_LIMIT_HEADERS)
    if (retries.has('backoff')) headers.push('x-should-retry')
    return {
      description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].meaning}`).join('\n\n'),
      headers: this.headers(headers),
      content: {
        'application/json': {
          schema: this.schema(name, Type.Object({ ...fields, error: ErrorObject })),
          examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, dress) }])),
        },
      },
    }
  }
}

function exampleOf(code: ErrorCode, dress: EnvelopeDress | undefined): object {
  const envelope = { error: { message: ERROR_CODES[code].meaning, type: code, code, param: null } }
  return dress ? dress(envelope, EXAMPLE_REQUEST_ID) : envelope
}

function refer(kind: 'schemas' | 'headers' | 'responses', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` }
}
