import type { Endpoint } from '../../serve/ports/exchange.ts'
import type { AnswerContract, BodyContract, Contract, Parameter } from '../../vocabulary/runtime/contract.ts'
import { cleanSchema, type JsonSchema } from './clean-schema.ts'
import { Components, type ErrorBody } from './components.ts'
import { HEADERS, ID_HEADERS, OVERVIEW, REQUEST_LIMIT_HEADERS, SECURITY_SCHEMES, TAGS } from './overview.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [member: string]: unknown
}

type Described = Endpoint & { readonly contract: Contract }

/** One thing that can be asked: an endpoint, or one of several that share a path of the server. */
export interface Operation {
  readonly endpoint: Pick<Endpoint, 'method' | 'path' | 'dressError'>
  readonly contract: Contract
  /** The path as readers see it: `/v1/responses/:id` reads `/v1/responses/{id}`. */
  readonly path: string
}

/** Every operation of these endpoints; those without a contract have none. */
export function operationsOf(endpoints: readonly Endpoint[]): Operation[] {
  return endpoints
    .filter((endpoint): endpoint is Described => endpoint.contract !== undefined)
    .flatMap((endpoint) =>
      [endpoint.contract, ...(endpoint.contract.also ?? [])].map((contract) => ({
        endpoint,
        contract,
        path: contract.documentPath ?? endpoint.path.replace(/:(\w+)/g, '{$1}'),
      })),
    )
}

/** The OpenAPI 3.1 document of these endpoints, as their contracts have it. */
export function buildDocument(endpoints: readonly Endpoint[], version: string): OpenApiDocument {
  const operations = operationsOf(endpoints)
  const components = new Components()
  return {
    openapi: '3.1.1',
    info: {
      title: 'Turnpike',
      version,
      description: OVERVIEW,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: layOutTags(operations),
    paths: layOutPaths(operations, components),
    components: {
      schemas: components.schemas,
      responses: components.responses,
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, [type, description]]) => [
          name,
          { description, schema: { type } },
        ]),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

// The console groups its calls by its pages.
const CONSOLE_TAG =
  'The web console: what its pages ask, made for them. Programs use API keys and the operator API.'

function layOutTags(operations: readonly Operation[]): object[] {
  const used = new Set(operations.map(({ contract }) => contract.tag))
  const known = Object.keys(TAGS).filter((name) => used.has(name))
  return [...new Set([...known, ...used])].map((name) => {
    const description = name.startsWith('Console') ? CONSOLE_TAG : TAGS[name]
    return { name, ...(description !== undefined && { description }) }
  })
}

function layOutPaths(operations: readonly Operation[], components: Components): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, unknown>> = {}
  const ids = new Set<string>()
  for (const operation of operations) {
    const { endpoint, contract, path } = operation
    const method = endpoint.method.toLowerCase()
    const methods = paths[path] ?? {}
    if (method in methods) throw new Error(`${endpoint.method} ${path} is described twice`)
    if (ids.has(contract.id)) throw new Error(`two operations are called ${contract.id}`)
    ids.add(contract.id)
    methods[method] = layOutOperation(operation, components)
    paths[path] = methods
  }
  return paths
}

function layOutOperation(operation: Operation, components: Components): object {
  const { contract, path } = operation
  const { id, tag, summary, description, body, answer } = contract
  const parameters = withPathParameters(contract.parameters ?? [], path)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(operation).map((schemes) => Object.fromEntries(schemes.map((name) => [name, []]))),
    ...(parameters.length > 0 && { parameters: parameters.map(layOutParameter) }),
    ...(body && { requestBody: layOutBody(body, components) }),
    responses: {
      ...layOutAnswer(answer, { components, limits: limitHeadersOf(contract) }),
      ...layOutErrors(operation, components),
    },
  }
}

/** A path's parameters are those it names, whether anything else is known of them or not. */
function withPathParameters(given: readonly Parameter[], path: string): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const missing = names.filter((name) => !given.some((parameter) => parameter.name === name))
  return [...missing.map((name) => ({ name, in: 'path' as const, description: `The ${name}.` })), ...given]
}

function layOutParameter({ schema, ...rest }: Parameter): object {
  // A sentence about the values stands beside the schema, once.
  const { description: _, ...values }: JsonSchema =
    schema === undefined ? { type: 'string' } : cleanSchema(schema)
  return { ...rest, required: rest.in === 'path', schema: values }
}

const JSON_TYPE = 'application/json'

function layOutBody(body: BodyContract, components: Components): object {
  const { name, schema, example, isOptional, contentType = JSON_TYPE, kinds = {} } = body
  for (const [kind, kindSchema] of Object.entries(kinds)) components.schema(kind, kindSchema)
  return {
    required: isOptional !== true,
    content: { [contentType]: { schema: components.schema(name, schema), example } },
  }
}

function layOutAnswer(
  answer: AnswerContract,
  { components, limits }: { components: Components; limits: readonly string[] },
): Record<string, unknown> {
  const { description, name, schema, example, contentType = JSON_TYPE, headers = [], status = 200 } = answer
  const { stream, table } = answer
  const text = (about: string) => ({ schema: { type: 'string', description: about } })
  const told = { description, headers: components.headers([...ID_HEADERS, ...limits, ...headers]) }
  if (isRedirect(status)) return { [status]: told }
  return {
    [status]: {
      ...told,
      content: {
        [contentType]: {
          schema: name === null ? cleanSchema(schema) : components.schema(name, schema),
          ...(example !== undefined && example !== '' && { example }),
        },
        // Without a type: some readers take the schema for the whole text, others for each event.
        ...(stream !== undefined && { 'text/event-stream': { schema: { description: stream } } }),
        ...(table !== undefined && { 'text/csv': text(table) }),
      },
    },
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

function limitHeadersOf({ access }: Contract): readonly string[] {
  return access === 'key' ? REQUEST_LIMIT_HEADERS : []
}

const CONSOLE_API = '/console/api/'

function isOfConsole({ endpoint }: Operation): boolean {
  return endpoint.path.startsWith(CONSOLE_API)
}

type SchemeName = keyof typeof SECURITY_SCHEMES

const KEY_SCHEMES: readonly SchemeName[] = [
  'bearerKey',
  'apiKeyHeader',
  'googApiKeyHeader',
  'vendorApiKeyHeader',
]

/** Sets of schemes of which one is enough; none: it is open to everybody. */
function securityOf(operation: Operation): SchemeName[][] {
  const { endpoint, contract } = operation
  const changes: SchemeName[] = endpoint.method === 'GET' ? [] : ['csrfToken']
  if (isOfConsole(operation) && contract.access === 'public') return changes.length > 0 ? [changes] : []
  if (isOfConsole(operation)) return [['consoleSession', ...changes]]
  switch (contract.access) {
    case 'public':
      return []
    case 'operator':
      return [['operatorToken']]
    case 'key': {
      const inQuery: SchemeName[] = endpoint.path.startsWith('/v1beta/') ? ['keyQuery'] : []
      return [...KEY_SCHEMES, ...inQuery].map((name) => [name])
    }
    case 'signed-in':
    case 'member':
    case 'owner':
      throw new Error(`${endpoint.method} ${endpoint.path} is for users of the console, but not part of it`)
  }
}

const READING = [400, 401, 404, 429, 500, 503]
const LOOKING_UP = [401, 403, 404, 429, 500, 503]
const GENERATING = [400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504]
const TAKING_A_BODY = [413, 415]
const NOT_ALLOWED = 403

/** The statuses an operation refuses with, unless its contract says so itself. */
function errorsOf(operation: Operation): readonly number[] {
  const { access, body, errors } = operation.contract
  if (errors !== undefined) return errors
  if (access === 'key') return body === undefined ? LOOKING_UP : GENERATING
  const usual = body === undefined ? READING : [...READING, ...TAKING_A_BODY]
  if (isOfConsole(operation)) return [...usual, NOT_ALLOWED]
  return access === 'public' ? [] : usual
}

function layOutErrors(operation: Operation, components: Components): Record<string, object> {
  const { endpoint, contract } = operation
  const errorBody: ErrorBody = {
    name: contract.errorBody?.name ?? 'Error',
    fields: contract.errorBody?.fields ?? {},
    ...(endpoint.dressError && { dress: endpoint.dressError }),
    tellsLimits: contract.access === 'key',
  }
  const statuses = [...errorsOf(operation)].sort((one, other) => one - other)
  return Object.fromEntries(statuses.map((status) => [String(status), components.error(status, errorBody)]))
}
