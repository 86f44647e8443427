import { takesKeyInQuery } from '../../rules/access/api-keys.ts'
import type { Endpoint } from '../../serve/ports/exchange.ts'
import type { AnswerContract, BodyContract, Contract, Parameter } from '../../vocabulary/runtime/contract.ts'
import { cleanSchema, type JsonSchema } from './clean-schema.ts'
import { Components, type ErrorBody } from './components.ts'
import {
  describeApi,
  HEADERS,
  ID_HEADERS,
  REQUEST_LIMIT_HEADERS,
  SECURITY_SCHEMES,
  TAGS,
} from './overview.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [member: string]: unknown
}

type Described = Endpoint & { readonly contract: Contract }

/** An operation of the API. Several operations may share one endpoint of the server. */
export interface Operation {
  readonly endpoint: Pick<Endpoint, 'method' | 'path' | 'dressError'>
  readonly contract: Contract
  /** The path in the document: `/v1/responses/:id` becomes `/v1/responses/{id}`. */
  readonly path: string
}

/** All operations of these endpoints. Endpoints without a contract are left out. */
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

/** The parts of the API, by who calls it. */
export const PARTS = ['client', 'operator', 'console'] as const
export type Part = (typeof PARTS)[number]

export interface AboutGateway {
  readonly version: string
  /** What people call the currency. */
  readonly currencyName: string
}

/** Builds the OpenAPI 3.1 document from the contracts of these endpoints: of one part, or of all. */
export function buildDocument(
  endpoints: readonly Endpoint[],
  { version, currencyName }: AboutGateway,
  part: Part | null = null,
): OpenApiDocument {
  const operations = operationsOf(endpoints).filter(
    (operation) => part === null || partOf(operation) === part,
  )
  const components = new Components()
  return {
    openapi: '3.1.1',
    info: {
      title: 'Turnpike',
      version,
      description: describeApi(currencyName),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: describeTags(operations),
    paths: describePaths(operations, components),
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
const CONSOLE_TAG = 'For the pages of the web console. Programs should use API keys and the operator API.'

function describeTags(operations: readonly Operation[]): object[] {
  const used = new Set(operations.map(({ contract }) => contract.tag))
  const known = Object.keys(TAGS).filter((name) => used.has(name))
  return [...new Set([...known, ...used])].map((name) => {
    const description = name.startsWith('Console') ? CONSOLE_TAG : TAGS[name]
    return { name, ...(description !== undefined && { description }) }
  })
}

function describePaths(operations: readonly Operation[], components: Components): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, unknown>> = {}
  const ids = new Set<string>()
  for (const operation of operations) {
    const { endpoint, contract, path } = operation
    const method = endpoint.method.toLowerCase()
    const methods = paths[path] ?? {}
    if (method in methods) throw new Error(`${endpoint.method} ${path} is described twice.`)
    if (ids.has(contract.id)) throw new Error(`Two operations are called ${contract.id}.`)
    ids.add(contract.id)
    methods[method] = describeOperation(operation, components)
    paths[path] = methods
  }
  return paths
}

function describeOperation(operation: Operation, components: Components): object {
  const { contract, path } = operation
  const { id, tag, summary, description, body, answer } = contract
  const parameters = withPathParameters(contract.parameters ?? [], path)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(operation).map((schemes) => Object.fromEntries(schemes.map((name) => [name, []]))),
    ...(parameters.length > 0 && { parameters: parameters.map(describeParameter) }),
    ...(body && { requestBody: describeBody(body, components) }),
    responses: {
      ...describeAnswer(answer, { components, limits: limitHeadersOf(contract) }),
      ...describeErrors(operation, components),
    },
  }
}

/** Adds the parameters that the path names and the contract does not describe. */
function withPathParameters(given: readonly Parameter[], path: string): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const missing = names.filter((name) => !given.some((parameter) => parameter.name === name))
  return [...missing.map((name) => ({ name, in: 'path' as const, description: `The ${name}.` })), ...given]
}

function describeParameter({ schema, ...rest }: Parameter): object {
  // The parameter has the description already.
  const { description: _, ...values }: JsonSchema =
    schema === undefined ? { type: 'string' } : cleanSchema(schema)
  return { ...rest, required: rest.in === 'path', schema: values }
}

const JSON_TYPE = 'application/json'

function describeBody(body: BodyContract, components: Components): object {
  const { name, schema, example, isOptional, contentType = JSON_TYPE, kinds = {} } = body
  for (const [kind, kindSchema] of Object.entries(kinds)) components.schema(kind, kindSchema)
  return {
    required: isOptional !== true,
    content: { [contentType]: { schema: components.schema(name, schema), example } },
  }
}

function describeAnswer(
  answer: AnswerContract,
  { components, limits }: { components: Components; limits: readonly string[] },
): Record<string, unknown> {
  const { description, name, schema, example, contentType = JSON_TYPE, headers = [], status = 200 } = answer
  const { stream, table } = answer
  const text = (about: string) => ({ schema: { type: 'string', description: about } })
  const response = { description, headers: components.headers([...ID_HEADERS, ...limits, ...headers]) }
  if (isRedirect(status)) return { [status]: response }
  return {
    [status]: {
      ...response,
      content: {
        [contentType]: {
          schema: name === null ? cleanSchema(schema) : components.schema(name, schema),
          ...(example !== undefined && example !== '' && { example }),
        },
        // Without a type: some tools apply the schema to the whole text, others to each event.
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

function isConsoleCall({ endpoint }: Operation): boolean {
  return endpoint.path.startsWith(CONSOLE_API)
}

function partOf(operation: Operation): Part {
  if (isConsoleCall(operation)) return 'console'
  return operation.contract.access === 'operator' ? 'operator' : 'client'
}

type SchemeName = keyof typeof SECURITY_SCHEMES

const KEY_SCHEMES: readonly SchemeName[] = [
  'bearerKey',
  'apiKeyHeader',
  'googApiKeyHeader',
  'vendorApiKeyHeader',
]

/** Sets of schemes, one of which is enough. Empty when the operation is public. */
function securityOf(operation: Operation): SchemeName[][] {
  const { endpoint, contract } = operation
  const changes: SchemeName[] = endpoint.method === 'GET' ? [] : ['csrfToken']
  if (isConsoleCall(operation) && contract.access === 'public') return changes.length > 0 ? [changes] : []
  if (isConsoleCall(operation)) return [['consoleSession', ...changes]]
  switch (contract.access) {
    case 'public':
      return []
    case 'operator':
      return [['operatorToken']]
    case 'key': {
      const inQuery: SchemeName[] = takesKeyInQuery(endpoint) ? ['keyQuery'] : []
      return [...KEY_SCHEMES, ...inQuery].map((name) => [name])
    }
    default:
      throw new Error(
        `${endpoint.method} ${endpoint.path} is for console users, but not part of the console.`,
      )
  }
}

const READ_STATUSES = [400, 401, 404, 429, 500, 503]
const LOOKUP_STATUSES = [401, 403, 404, 429, 500, 503]
const GENERATION_STATUSES = [400, 401, 403, 404, 413, 415, 429, 500, 502, 503, 504]
const BODY_STATUSES = [413, 415]
const NOT_ALLOWED = 403

/** The error statuses of an operation: those of its contract, or the usual ones for its kind of access. */
function errorsOf(operation: Operation): readonly number[] {
  const { access, body, errors } = operation.contract
  if (errors !== undefined) return errors
  if (access === 'key') return body === undefined ? LOOKUP_STATUSES : GENERATION_STATUSES
  const usual = body === undefined ? READ_STATUSES : [...READ_STATUSES, ...BODY_STATUSES]
  if (isConsoleCall(operation)) return [...usual, NOT_ALLOWED]
  return access === 'public' ? [] : usual
}

function describeErrors(operation: Operation, components: Components): Record<string, object> {
  const { endpoint, contract } = operation
  const errorBody: ErrorBody = {
    name: contract.errorBody?.name ?? 'Error',
    fields: contract.errorBody?.fields ?? {},
    ...(endpoint.dressError && { dress: endpoint.dressError }),
    hasLimitHeaders: contract.access === 'key',
  }
  const statuses = [...errorsOf(operation)].sort((one, other) => one - other)
  return Object.fromEntries(statuses.map((status) => [String(status), components.error(status, errorBody)]))
}
