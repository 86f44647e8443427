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

/** What the document says before its first operation. */
export const OVERVIEW = `One HTTP service in front of many model suppliers. A client speaks the wire format it already knows;
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

/** In the order readers meet them; a tag that is not here comes last. */
export const TAGS: Readonly<Record<string, string>> = {
  'Chat completions': 'The chat-completion format.',
  Responses: 'The responses format, with kept conversations.',
  Messages: 'The messages format.',
  'Content generation': 'The content-generation format.',
  Images: 'Pictures: made, changed and handed out.',
  Models: 'What a key may use.',
  Accounts: 'Operators: who pays, how much, and at which tier.',
  'API keys': 'Operators: keys and what each may do.',
  Alerts: 'Operators: what somebody should hear of, and where accounts are told.',
  Users: 'Operators: who may sign in to the console.',
  Suppliers: 'Operators: who answers, and our keys there.',
  'Models and routes': 'Operators: the catalog, and who serves what at which price.',
  ...Object.fromEntries(ALL_RECORDS.map(({ title, about }) => [title, `Operators: ${about}`])),
  History: 'Operators: what happened and what it cost.',
  Service: 'Health and this document.',
}

/** Names of security schemes that go together; of several such sets, one is enough. */
export const SECURITY_SCHEMES = {
  bearerKey: { type: 'http', scheme: 'bearer', description: 'An API key; it begins with `sk-`.' },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key.' },
  googApiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-goog-api-key', description: 'An API key.' },
  vendorApiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-vendor-api-key', description: 'An API key.' },
  keyQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'An API key, on `/v1beta` only.' },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a user of the console, set by signing in. Over https the name begins with `__Host-`.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description:
      'Goes with the cookies of a browser in every call that changes something: `csrf_token` of `GET /console/api/session`.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The operator token. The session of an operator in the console does as well.',
  },
} as const

const REQUESTS = 'requests per minute'
const TOKENS = 'tokens per minute, counted by the estimate made when a request arrives'

/** Every response header the document speaks of. */
export const HEADERS: Readonly<Record<string, readonly [type: 'string' | 'integer', description: string]>> = {
  'x-request-id': ['string', 'Names this request in logs and settlements.'],
  'request-id': ['string', 'The same as `x-request-id`, under the name some clients look for.'],
  'x-ratelimit-limit-requests': ['integer', `The limit of this key: ${REQUESTS}.`],
  'x-ratelimit-remaining-requests': ['integer', 'Requests left in the present window.'],
  'x-ratelimit-reset-requests': ['integer', 'Seconds until the window of requests is new.'],
  'x-ratelimit-limit-tokens': ['integer', `The limit of this key: ${TOKENS}.`],
  'x-ratelimit-remaining-tokens': ['integer', 'Tokens left in the present window.'],
  'x-ratelimit-reset-tokens': ['integer', 'Seconds until the window of tokens is new.'],
  'retry-after': ['integer', 'Whole seconds to wait before the next try, 1 to 60. Present with status 429.'],
  'x-should-retry': ['string', '`false` when the gateway has tried other suppliers already.'],
  'x-gateway-route': ['string', 'The supplier that served the request.'],
  'x-gateway-attempts': ['integer', 'How many suppliers were tried, the one that served included.'],
  'x-gateway-dropped-params': [
    'string',
    'Parameters the supplier cannot express and that were left out, separated by commas.',
  ],
  'set-cookie': ['string', 'The session of the console, or its end.'],
  location: ['string', 'Where to go on.'],
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
