import { GatewayError } from '../../../errors/gateway-error.ts'

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
export const ONE_SCHEMA: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
])
export const SCHEMA_LIST: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
export const SCHEMA_MAP: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
])

const DEEPEST = 100
const MOST_NODES = 10_000

/** Refuses schemas that are endless, or grow so when references and combinations are written out. */
export class SchemaGuard {
  #nodesLeft = MOST_NODES
  #depth = 0

  /** Runs `visit` one level further down. */
  within<Result>(visit: () => Result): Result {
    this.#nodesLeft--
    this.#depth++
    if (this.#depth > DEEPEST || this.#nodesLeft < 0)
      throw new GatewayError(
        'invalid_request',
        'A JSON schema in the request is too large or nests too deeply.',
      )
    const result = visit()
    this.#depth--
    return result
  }
}
