import packageFile from '../package.json' with { type: 'json' }
import { clientSchemas } from './api-document-client-schemas.ts'
import { clientOperations } from './api-document-clients.ts'
import { operatorSchemas } from './api-document-operator-schemas.ts'
import { operatorOperations } from './api-document-operators.ts'
import { buildDocument, type OpenApiDocument } from './edges/api-docs/build-document.ts'
import { cleanSchema } from './edges/api-docs/clean-schema.ts'
import {
  type ApiDescription,
  type ErrorDescription,
  type ErrorFamily,
  type OperationDescription,
  REQUEST_LIMIT_HEADERS,
  TOKEN_LIMIT_HEADERS,
} from './edges/api-docs/description.ts'
import { apiDocsEndpoints } from './edges/api-docs/index.ts'
import { HealthSchema, ReadinessSchema } from './edges/api-docs/shared-schemas.ts'
import { ERROR_CODES, type ErrorCode } from './errors/codes.ts'
import type { Endpoint } from './gateway/ports/exchange.ts'

export type ServedEndpoint = Pick<Endpoint, 'method' | 'path'>

/** The endpoints, and with them those that describe them all. */
export function withApiDocs(endpoints: readonly Endpoint[]): Endpoint[] {
  const all: Endpoint[] = [...endpoints, ...apiDocsEndpoints(() => describeGateway(all))]
  return all
}

/** The API document of a gateway that serves these endpoints, and of nothing it does not serve. */
export function describeGateway(endpoints: readonly ServedEndpoint[]): OpenApiDocument {
  const served = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
  const operations = describedOperations().filter(({ endpoint }) => served.has(endpoint))
  return buildDocument({ ...API, operations, schemas: describedSchemas() })
}

/** Every operation there is a description of. */
export function describedOperations(): OperationDescription[] {
  return [...clientOperations(), ...operatorOperations(), ...serviceOperations()]
}

function describedSchemas(): ApiDescription['schemas'] {
  return {
    ...clientSchemas(),
    ...operatorSchemas(),
    Health: cleanSchema(HealthSchema),
    Readiness: cleanSchema(ReadinessSchema),
    ApiDocument: { type: 'object', required: ['openapi', 'info', 'paths'] },
  }
}

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  auth_required: 'No API key was sent.',
  auth_invalid: 'The key is unknown, disabled or revoked.',
  auth_expired: 'The key has passed its expiry.',
  second_factor_required: 'Console only: the password was right; the code of the second factor is missing.',
  spending_limit_exceeded: 'The limit of the key or the balance of the account does not cover the request.',
  permission_denied: 'The key is valid but may not do this.',
  rate_limit_exceeded: 'Your own limit of requests or tokens per minute is used up.',
  supplier_rate_limited: 'The suppliers of this model have no capacity left; another model may work.',
  invalid_request: 'The request is not what this endpoint takes; `param` names the field.',
  context_length_exceeded: 'The prompt and the output asked for do not fit the model.',
  unsupported_parameter: 'The parameter cannot be honoured for this request.',
  model_not_found: 'The model does not exist, or the key may not use it.',
  not_found: 'There is nothing at this path, or no object with this id.',
  method_not_allowed: 'The path exists, but not for this method; `Allow` lists those it has.',
  request_too_large: 'The body is larger than this gateway accepts.',
  unsupported_media_type: 'The content type is not one this endpoint reads.',
  internal_error: 'The gateway itself failed.',
  provider_error: 'The supplier failed or could not be reached.',
  provider_overloaded: 'The supplier is overloaded, or none can be used right now.',
  temporarily_unavailable:
    'Limits or books cannot be kept right now, or there is no memory for the body; nothing was taken.',
  shutting_down: 'This gateway is about to stop.',
  provider_timeout: 'The supplier did not answer in time.',
}

const ERRORS: readonly ErrorDescription[] = Object.entries(ERROR_CODES).map(([code, { status, retry }]) => ({
  code,
  status,
  retry,
  meaning: MEANINGS[code as ErrorCode],
}))

function envelopeOf({ code, meaning }: ErrorDescription) {
  return { error: { message: meaning, type: code, code, param: null } }
}

const LIMIT_HEADERS = [...REQUEST_LIMIT_HEADERS, ...TOKEN_LIMIT_HEADERS]

const ERROR_FAMILIES: Readonly<Record<string, ErrorFamily>> = {
  Error: { schema: 'Error', limitHeaders: LIMIT_HEADERS, example: envelopeOf },
  MessagesError: {
    schema: 'MessagesError',
    limitHeaders: LIMIT_HEADERS,
    example: (error) => ({ type: 'error', ...envelopeOf(error), request_id: 'req_0123456789abcdef' }),
  },
  OperatorError: { schema: 'Error', limitHeaders: [], example: envelopeOf },
}

const ERROR_TABLE = [
  '| code | status | retry | meaning |',
  '|---|---|---|---|',
  ...ERRORS.map(({ code, status, retry, meaning }) => `| \`${code}\` | ${status} | ${retry} | ${meaning} |`),
].join('\n')

const OVERVIEW = `One HTTP service in front of many model suppliers. A client speaks the wire format it already knows;
the gateway checks its key, its limits and its money, and routes the request to a supplier that may speak another format.

Send an API key as \`Authorization: Bearer <API key>\`; \`x-api-key\` and \`x-goog-api-key\` are accepted too, and
\`?key=\` on \`/v1beta\`. The operator API takes the operator token as its bearer token.

## Errors

Every refusal has the body of the schema \`Error\`. Branch on \`error.code\`: one status can mean different things.
*never*: the same request will be refused again. *after-header*: wait for \`Retry-After\`, 1 to 60 seconds.
*backoff*: try again after a pause that grows.

<details><summary>Every error code</summary>

${ERROR_TABLE}

</details>`

const API: Omit<ApiDescription, 'operations' | 'schemas'> = {
  title: 'Turnpike',
  version: packageFile.version,
  description: OVERVIEW,
  tags: [
    { name: 'Chat completions', description: 'The chat-completion format.' },
    { name: 'Responses', description: 'The responses format, with kept conversations.' },
    { name: 'Messages', description: 'The messages format.' },
    { name: 'Content generation', description: 'The content-generation format.' },
    { name: 'Images', description: 'Pictures; not served by this version.' },
    { name: 'Models', description: 'What a key may use.' },
    { name: 'Accounts', description: 'Operators: who pays, how much, and at which tier.' },
    { name: 'API keys', description: 'Operators: keys and what each may do.' },
    { name: 'Alerts', description: 'Operators: what somebody should hear of, and where accounts are told.' },
    { name: 'Users', description: 'Operators: who may sign in to the console.' },
    { name: 'Suppliers', description: 'Operators: who answers, and our keys there.' },
    { name: 'Models and routes', description: 'Operators: the catalog, and who serves what at which price.' },
    { name: 'History', description: 'Operators: what happened and what it cost.' },
    { name: 'Service', description: 'Health and this document.' },
  ],
  securitySchemes: {
    bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key; it begins with `sk-`.' },
    apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
    googApiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-goog-api-key', description: 'An API key.' },
    vendorApiKeyHeader: {
      type: 'apiKey',
      in: 'header',
      name: 'x-vendor-api-key',
      description: 'An API key.',
    },
    keyQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'An API key, on `/v1beta` only.' },
    operatorToken: { type: 'http', scheme: 'bearer', description: 'The operator token.' },
  },
  errorFamilies: ERROR_FAMILIES,
  errors: ERRORS,
}

function serviceOperations(): OperationDescription[] {
  const common = { tag: 'Service', security: [] } as const
  return [
    {
      ...common,
      endpoint: 'GET /healthz',
      id: 'checkHealth',
      summary: 'Tell whether the process lives',
      answer: { description: 'It does.', schema: 'Health' },
    },
    {
      ...common,
      endpoint: 'GET /readyz',
      id: 'checkReadiness',
      summary: 'Tell whether requests can be served',
      description:
        'Status 503 with the same body and a reason when this node cannot; what is away for all nodes alike is told as degraded.',
      answer: { description: 'They can.', schema: 'Readiness' },
    },
    {
      ...common,
      security: ['operatorToken'],
      endpoint: 'GET /metrics',
      id: 'showMetrics',
      summary: 'Tell counters and gauges in the text form of Prometheus',
      answer: { description: 'Metrics.', schema: null, contentType: 'text/plain' },
    },
    {
      ...common,
      endpoint: 'GET /openapi.json',
      id: 'showApiDocument',
      summary: 'Give this document',
      answer: { description: 'OpenAPI 3.1.', schema: 'ApiDocument' },
    },
    {
      ...common,
      endpoint: 'GET /docs',
      id: 'showApiReference',
      summary: 'Show this document to people',
      answer: { description: 'A page.', schema: null, contentType: 'text/html' },
    },
    {
      ...common,
      endpoint: 'GET /docs/:file',
      id: 'showApiReferenceFile',
      summary: 'Give a file the page needs',
      answer: { description: 'A script or a style sheet.', schema: null, contentType: '*/*' },
      errors: { family: 'OperatorError', statuses: [404, 500, 503] },
    },
    {
      ...common,
      endpoint: 'GET /console',
      id: 'openConsole',
      summary: 'Lead to the web console',
      answer: {
        status: 308,
        description: 'The console is at `/console/`.',
        schema: null,
        contentType: '*/*',
      },
    },
    {
      ...common,
      endpoint: 'GET /console/*',
      path: '/console/{page}',
      id: 'showConsole',
      summary: 'Show the web console, or give a file of it',
      answer: {
        description: 'A page, a script, a style sheet or a picture.',
        schema: null,
        contentType: '*/*',
      },
      errors: { family: 'OperatorError', statuses: [404, 500, 503] },
    },
  ]
}
