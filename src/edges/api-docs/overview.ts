import { ERROR_CODES } from '../../errors/codes.ts'
import { SESSION_COOKIE } from '../../rules/access/console-session.ts'
import { ALL_RECORDS } from '../../vocabulary/records/index.ts'

const ERROR_TABLE = [
  '| code | status | retry | meaning |',
  '|---|---|---|---|',
  ...Object.entries(ERROR_CODES).map(
    ([code, { status, retry, meaning }]) => `| \`${code}\` | ${status} | ${retry} | ${meaning} |`,
  ),
].join('\n')

/** The introduction of the document. The currency is what people call it. */
export const describeApi = (
  currency: string,
) => `One HTTP service in front of many model suppliers. Clients use the wire format they already know. The gateway checks the
key, rate limits and balance, and routes the request to a supplier, which may use another format.

Send an API key as \`Authorization: Bearer <API key>\`; \`x-api-key\` and \`x-goog-api-key\` are accepted too, and
\`?key=\` on content-generation paths. The operator API takes the operator token as its bearer token.

Amounts are decimal strings in ${currency}, with at most 9 decimals, and times are RFC 3339.

## Errors

Every error has the body of the schema \`Error\`. Branch on \`error.code\`, because one status can mean different things.
*never*: the same request will fail again. *after-header*: wait for \`Retry-After\`, 1 to 60 seconds.
*backoff*: retry with exponential backoff.

<details><summary>All error codes</summary>

${ERROR_TABLE}

</details>`

/** In the order of the document; tags that are not listed here come last. */
export const TAGS: Readonly<Record<string, string>> = {
  'Chat completions': 'The chat-completion format.',
  Conversations: 'Conversations that responses add to, and their items.',
  Responses: 'The responses format, with stored conversations.',
  Messages: 'The messages format.',
  'Content generation': 'The content-generation format.',
  Completions: 'The completions format: the continuation of a text.',
  Images: 'Generate, edit and download images.',
  Embeddings: 'Turn texts into vectors.',
  Rerank: 'Rank documents by relevance to a query.',
  Moderations: 'Find harmful texts and images.',
  Audio: 'Transcribe audio, and speak.',
  Models: 'The models that a key may use.',
  Accounts: 'Operators: accounts, their money and their tiers.',
  'API keys': 'Operators: API keys and their permissions.',
  Alerts: 'Operators: alerts, and where accounts receive them.',
  Users: 'Operators: users who may sign in to the console.',
  Suppliers: 'Operators: suppliers, and our credentials there.',
  'Models and routes': 'Operators: the catalog, and which supplier serves each model at which price.',
  ...Object.fromEntries(ALL_RECORDS.map(({ title, about }) => [title, `Operators: ${about}`])),
  History: 'Operators: past requests, changes and costs.',
  Refusals: 'Operators: requests that were refused before they were admitted.',
  Sinks: 'Operators: where settlements and events are sent.',
  Service: 'Health and this document.',
}

/** The ways to authenticate. */
export const SECURITY_SCHEMES = {
  bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key; it begins with `sk-`.' },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
  googApiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-goog-api-key', description: 'An API key.' },
  vendorApiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-vendor-api-key', description: 'An API key.' },
  keyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'An API key, on content-generation paths only.',
  },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a console user, set by signing in. Over HTTPS the name begins with `__Host-`.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description:
      'Required in every console call that changes something: the `csrf_token` from `GET /console/api/session`.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The operator token, or the console session of an operator.',
  },
} as const

const REQUESTS = 'requests per minute'
const TOKENS = 'tokens per minute, as estimated when a request arrives'

/** All response headers in the document. */
export const HEADERS: Readonly<Record<string, readonly [type: 'string' | 'integer', description: string]>> = {
  'x-request-id': ['string', 'Identifies this request in logs and settlements.'],
  'request-id': ['string', 'The same as `x-request-id`, under the name that some clients expect.'],
  'x-ratelimit-limit-requests': ['integer', `The limit of this key: ${REQUESTS}.`],
  'x-ratelimit-remaining-requests': ['integer', 'Requests left in the current window.'],
  'x-ratelimit-reset-requests': ['integer', 'Seconds until the request window resets.'],
  'x-ratelimit-limit-tokens': ['integer', `The limit of this key: ${TOKENS}.`],
  'x-ratelimit-remaining-tokens': ['integer', 'Tokens left in the current window.'],
  'x-ratelimit-reset-tokens': ['integer', 'Seconds until the token window resets.'],
  'retry-after': ['integer', 'Whole seconds to wait before you retry, 1 to 60. Present with status 429.'],
  'x-should-retry': ['string', '`false` when the gateway has already tried other suppliers.'],
  'x-gateway-route': ['string', 'The supplier that served the request.'],
  'x-gateway-attempts': [
    'integer',
    'How many suppliers were tried, including the one that served the request.',
  ],
  'x-gateway-dropped-params': [
    'string',
    'Parameters that the supplier does not support and that were left out, separated by commas.',
  ],
  'x-gateway-capped-params': [
    'string',
    'The parameter for the longest answer, lowered to what balance and spending limit can pay.',
  ],
  'set-cookie': ['string', 'Sets or clears the console session.'],
  location: ['string', 'The URL to continue at.'],
}

export const ID_HEADERS = ['x-request-id', 'request-id'] as const
export const REQUEST_LIMIT_HEADERS = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
] as const
export const TOKEN_LIMIT_HEADERS = [
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
] as const
