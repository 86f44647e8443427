import Type, { type TSchema } from 'typebox'
import { ERROR_CODES, type ErrorCode } from '../../errors/codes.ts'
import type { EnvelopeDress } from '../../errors/render-error.ts'
import { cleanSchema, type JsonSchema } from './clean-schema.ts'
import { HEADERS, ID_HEADERS, REQUEST_LIMIT_HEADERS, TOKEN_LIMIT_HEADERS } from './overview.ts'

type Reference = { readonly $ref: string }

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]

const ErrorObject = Type.Object({
  message: Type.String({ description: 'For people; may change.' }),
  type: Type.Enum(CODES, { description: 'Always the same as `code`.' }),
  code: Type.Enum(CODES, { description: 'What to branch on.' }),
  param: Type.Union([Type.String(), Type.Null()], {
    description: 'The field at fault, such as `messages[0].role`.',
  }),
})

/** The body of an operation's refusals. */
export interface ErrorBody {
  readonly name: string
  /** What stands around `error`. */
  readonly fields: Readonly<Record<string, TSchema>>
  readonly dress?: EnvelopeDress
  /** Whether refusals say how much of the caller's own limits is left. */
  readonly tellsLimits: boolean
}

const EXAMPLE_REQUEST_ID = 'req_0123456789abcdef'

/** What the operations of a document have in common, collected while they are laid out. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly responses: Record<string, object> = {}

  /** A name stands for one schema: two that differ are a mistake of whoever named them. */
  schema(name: string, schema: object): Reference {
    const cleaned = cleanSchema(schema)
    const known = this.schemas[name]
    if (known !== undefined && !Bun.deepEquals(known, cleaned)) {
      throw new Error(`two different schemas are called ${name}`)
    }
    this.schemas[name] = cleaned
    return refer('schemas', name)
  }

  headers(names: readonly string[]): Record<string, Reference> {
    const unknown = names.find((name) => HEADERS[name] === undefined)
    if (unknown !== undefined) throw new Error(`nothing is known of the header ${unknown}`)
    return Object.fromEntries(names.map((name) => [name, refer('headers', name)]))
  }

  /** The refusal with this status, which tells every code it can have. */
  error(status: number, body: ErrorBody): Reference {
    const codes = CODES.filter((code) => ERROR_CODES[code].status === status)
    if (codes.length === 0) throw new Error(`no error has the status ${status}`)
    const isAboutLimits = body.tellsLimits && codes.some((code) => ERROR_CODES[code].retry === 'after-header')
    const name = `${body.name}${status}${isAboutLimits ? 'WithLimits' : ''}`
    this.responses[name] ??= this.#layOutError(codes, body)
    return refer('responses', name)
  }

  #layOutError(codes: readonly ErrorCode[], { name, fields, dress, tellsLimits }: ErrorBody): object {
    const retries = new Set<string>(codes.map((code) => ERROR_CODES[code].retry))
    const headers: string[] = [...ID_HEADERS]
    if (retries.has('after-header')) headers.push('retry-after')
    if (retries.has('after-header') && tellsLimits)
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
