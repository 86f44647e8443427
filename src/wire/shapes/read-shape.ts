import type { Static, TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { GatewayError } from '../../errors/gateway-error.ts'
import { LateCheck } from './late-check.ts'

/** Reads JSON of this shape. Errors name the first invalid field and never its value, which may be a secret. */
export function textReader<const Schema extends TSchema>(schema: Schema): (text: string) => Static<Schema> {
  const check = new LateCheck(schema)
  return (text) => {
    const body = parseJson(text)
    if (check.passes(body)) return body as Static<Schema>
    const [first, ...others] = check.errors(body)
    if (!first) throw new GatewayError('invalid_request', 'The body does not have the expected shape.')
    const mayBeNull = others.some((error) => isAboutNull(error) && error.instancePath === first.instancePath)
    throw refusalOf(first, { schema, body, mayBeNull })
  }
}

function parseJson(text: string): unknown {
  // An empty body is an empty object, as when rotating a key without a grace period.
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not valid JSON.', { cause })
  }
}

function isAboutNull(error: TLocalizedValidationError): boolean {
  return error.keyword === 'type' && error.params.type === 'null'
}

interface RefusedBody {
  readonly schema: TSchema
  readonly body: unknown
  readonly mayBeNull: boolean
}

function refusalOf(error: TLocalizedValidationError, { schema, body, mayBeNull }: RefusedBody): GatewayError {
  const path = describePath(error.instancePath)
  const orNull = mayBeNull ? ' or null' : ''
  switch (error.keyword) {
    case 'required': {
      const missing =
        path === '' ? error.params.requiredProperties[0] : `${path}.${error.params.requiredProperties[0]}`
      return refusal(missing ?? path, 'is required')
    }
    case 'boolean':
      return refusal(path, 'is not a known field')
    case 'enum':
      return refusal(path, `must be one of ${error.params.allowedValues.join(', ')}`)
    case 'type':
      if (path === '') return new GatewayError('invalid_request', 'The body must be a JSON object.')
      if (error.params.type === 'string' && typeof valueAt(body, error.instancePath) === 'number') {
        return refusal(path, 'must be a string in quotes, not a number')
      }
      return refusal(path, `must be of type ${error.params.type}${orNull}`)
    case 'pattern':
      return refusal(path, `${mustBe(schemaAt(schema, error.schemaPath)) ?? error.message}${orNull}`)
    default:
      return refusal(path, `${error.message}${orNull}`)
  }
}

function refusal(param: string, complaint: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${complaint}.`, { param })
}

/** The schema's own description, which is easier to read than a regular expression. */
function mustBe(schema: unknown): string | null {
  const { takes } = (schema ?? {}) as { takes?: string }
  return takes === undefined ? null : `must be ${takes}`
}

/** `/budget/thresholds/0` as `budget.thresholds[0]`. */
function describePath(pointer: string): string {
  return readPointer(pointer)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

function valueAt(body: unknown, pointer: string): unknown {
  return readPointer(pointer).reduce<unknown>(
    (value, part) => (value as Readonly<Record<string, unknown>> | undefined)?.[part],
    body,
  )
}

function schemaAt(schema: TSchema, pointer: string): unknown {
  return valueAt(schema, pointer.replace(/^#/, ''))
}

function readPointer(pointer: string): string[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
