import { describe, expect, test } from 'bun:test'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import { decodeError as decodeGoogle } from './content-generation/reply/decode-error.ts'
import { decodeErrorBody } from './error-body.ts'
import { decodeError as decodeMessages } from './messages/reply/decode-error.ts'

/** The consequence for the credential: rejected, suspected, or none. */
type Reading = 'refused' | 'suspected' | 'denied' | 'input' | 'context-length' | 'server' | 'rate-limited'

type Decode = (status: number, body: string) => SupplierFailure
type Row = readonly [status: number, body: unknown, reading: Reading]

function readingOf({ kind, isSuspected }: SupplierFailure): string {
  if (kind !== 'credential') return kind
  return isSuspected === true ? 'suspected' : 'refused'
}

const openAi = (message: string, code: string | null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
})
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const google = (status: string, message: string, reason?: string) => ({
  error: {
    message,
    status,
    ...(reason !== undefined && {
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
    }),
  },
})
const BLOCKED_PAGE =
  '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>'

const VENDORS: Readonly<Record<string, readonly [Decode, readonly Row[]]>> = {
  OpenAI: [
    decodeErrorBody,
    [
      [401, openAi('Incorrect API key provided: sk-abc***xyz.', 'invalid_api_key'), 'refused'],
      [401, openAi('You must be a member of an organization to use the API.', null), 'refused'],
      [
        403,
        openAi('The account associated with this key has been deactivated.', 'account_deactivated'),
        'refused',
      ],
      [403, openAi('Project `proj_1` does not have access to model `gpt-x`.', 'model_not_found'), 'server'],
      [
        403,
        openAi(
          'Country, region, or territory not supported',
          'unsupported_country_region_territory',
          'request_forbidden',
        ),
        'denied',
      ],
      [403, openAi('You have insufficient permissions for this operation.', null), 'denied'],
      [
        429,
        openAi('You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota'),
        'refused',
      ],
      [400, openAi('Billing hard limit has been reached', 'billing_hard_limit_reached'), 'refused'],
    ],
  ],
  'Azure OpenAI': [
    decodeErrorBody,
    [
      [
        401,
        {
          error: {
            code: '401',
            message: 'Access denied due to invalid subscription key or wrong API endpoint.',
          },
        },
        'refused',
      ],
      [
        403,
        { error: { code: '403', message: 'Access denied due to Virtual Network/Firewall rules.' } },
        'denied',
      ],
      [
        403,
        { error: { code: '403', message: 'A Virtual Network is configured for this resource.' } },
        'denied',
      ],
      [
        400,
        {
          error: {
            code: 'content_filter',
            message: 'The response was filtered.',
            param: 'prompt',
            status: 400,
          },
        },
        'input',
      ],
    ],
  ],
  Anthropic: [
    decodeMessages,
    [
      [401, anthropic('authentication_error', 'invalid x-api-key'), 'refused'],
      [
        401,
        anthropic(
          'authentication_error',
          'OAuth authentication is currently not allowed for this organization.',
        ),
        'refused',
      ],
      [
        403,
        anthropic('permission_error', 'Your API key does not have permission to use the specified resource.'),
        'denied',
      ],
      [403, { error: { type: 'forbidden', message: 'Request not allowed' } }, 'denied'],
      [
        400,
        anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
        'suspected',
      ],
      [400, anthropic('invalid_request_error', 'This organization has been disabled.'), 'suspected'],
      [402, anthropic('billing_error', 'Please check your payment details.'), 'suspected'],
    ],
  ],
  'Google AI Studio': [
    decodeGoogle,
    [
      [400, google('INVALID_ARGUMENT', 'API key not valid.', 'API_KEY_INVALID'), 'refused'],
      [400, google('INVALID_ARGUMENT', 'API key expired.', 'API_KEY_EXPIRED'), 'refused'],
      [403, google('PERMISSION_DENIED', 'Requests are blocked.', 'API_KEY_SERVICE_BLOCKED'), 'refused'],
      [403, google('PERMISSION_DENIED', 'Consumer is suspended.', 'CONSUMER_SUSPENDED'), 'refused'],
      [
        403,
        google('PERMISSION_DENIED', 'Your API key was reported as leaked. Please use another API key.'),
        'suspected',
      ],
      [
        403,
        google('PERMISSION_DENIED', 'You do not have permission to access the File abc or it may not exist.'),
        'input',
      ],
      [403, google('PERMISSION_DENIED', 'CachedContent not found (or permission denied)'), 'input'],
      [403, google('PERMISSION_DENIED', 'The caller does not have permission'), 'denied'],
      [
        400,
        google('FAILED_PRECONDITION', 'The File abc is not in an ACTIVE state and usage is not allowed.'),
        'input',
      ],
      [400, google('FAILED_PRECONDITION', 'User location is not supported for the API use.'), 'suspected'],
      [400, google('FAILED_PRECONDITION', 'Precondition check failed.'), 'denied'],
    ],
  ],
  Vertex: [
    decodeGoogle,
    [
      [401, google('UNAUTHENTICATED', 'Token expired.', 'ACCESS_TOKEN_EXPIRED'), 'refused'],
      [
        403,
        google(
          'PERMISSION_DENIED',
          "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/m' (or it may not exist).",
          'IAM_PERMISSION_DENIED',
        ),
        'denied',
      ],
      [
        403,
        google(
          'PERMISSION_DENIED',
          "Permission 'aiplatform.cachedContents.get' denied on resource '//aiplatform.googleapis.com/projects/p/locations/l/cachedContents/9' (or it may not exist)",
          'IAM_PERMISSION_DENIED',
        ),
        'input',
      ],
      [403, google('PERMISSION_DENIED', 'Billing is disabled.', 'BILLING_DISABLED'), 'refused'],
      [403, google('PERMISSION_DENIED', 'Vertex AI API is disabled.', 'SERVICE_DISABLED'), 'refused'],
      [
        403,
        google('PERMISSION_DENIED', 'Permission denied on resource project.', 'CONSUMER_INVALID'),
        'refused',
      ],
    ],
  ],
  Mistral: [
    decodeErrorBody,
    [
      [401, { detail: 'Unauthorized' }, 'refused'],
      [401, { message: 'Unauthorized', request_id: 'r' }, 'refused'],
      [403, { object: 'error', message: 'The prompt was blocked by the moderation guardrail.' }, 'input'],
    ],
  ],
  DeepSeek: [
    decodeErrorBody,
    [
      [
        401,
        openAi('Authentication Fails (no such user)', 'invalid_request_error', 'authentication_error'),
        'refused',
      ],
      [402, openAi('Insufficient Balance', 'invalid_request_error', 'unknown_error'), 'suspected'],
    ],
  ],
  Groq: [
    decodeErrorBody,
    [
      [401, openAi('Invalid API Key', 'invalid_api_key'), 'refused'],
      [403, { error: { message: 'Access denied. Please check your network settings.' } }, 'denied'],
      [
        403,
        openAi(
          'The model `x` is blocked at the organization level.',
          'model_permission_blocked_org',
          'permissions_error',
        ),
        'denied',
      ],
      [400, openAi('Organization has been restricted.', 'organization_restricted'), 'refused'],
      [403, BLOCKED_PAGE, 'denied'],
    ],
  ],
  xAI: [
    decodeErrorBody,
    [
      [
        400,
        {
          code: 'Client specified an invalid argument',
          error: 'Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai.',
        },
        'suspected',
      ],
      [
        403,
        {
          code: 'The caller does not have permission to execute the specified operation',
          error: "Your newly created teams doesn't have any credits yet.",
        },
        'suspected',
      ],
      [403, { code: 'permission-denied', error: 'Access to the chat endpoint is denied.' }, 'denied'],
      [
        403,
        {
          code: 'The caller does not have permission to execute the specified operation',
          error: 'Content violates usage guidelines. Team: t, API key ID: k, Model: m, Failed check: BIO',
        },
        'input',
      ],
    ],
  ],
  OpenRouter: [
    decodeErrorBody,
    [
      [401, { error: { message: 'User not found.', code: 401 } }, 'refused'],
      [
        402,
        { error: { message: 'This request requires more credits, or fewer max_tokens.', code: 402 } },
        'suspected',
      ],
      [
        403,
        { error: { message: 'Key limit exceeded (total limit). Manage it using https://x/keys', code: 403 } },
        'suspected',
      ],
      [
        403,
        {
          error: { code: 403, message: 'Flagged', metadata: { reasons: ['hate'], flagged_input: 'api key' } },
        },
        'input',
      ],
    ],
  ],
  Together: [
    decodeErrorBody,
    [
      [401, openAi('Invalid API key provided.', 'invalid_api_key'), 'refused'],
      [
        403,
        openAi('Input tokens + max_tokens must be less than the context length of the model.', null),
        'context-length',
      ],
    ],
  ],
  Bedrock: [
    decodeMessages,
    [
      [
        403,
        anthropic('authentication_error', 'The security token included in the request is invalid.'),
        'refused',
      ],
      [403, anthropic('permission_error', 'You may not use this guardrail.'), 'denied'],
      [403, { message: 'The security token included in the request is expired' }, 'suspected'],
    ],
  ],
  'Filters and proxies': [
    decodeErrorBody,
    [
      [403, BLOCKED_PAGE, 'denied'],
      [403, 'error code: 1020', 'denied'],
      [403, '', 'denied'],
      [403, { message: 'Forbidden' }, 'denied'],
      [
        403,
        { error: { message: 'Request blocked by content guardrail', type: 'guardrail_violation' } },
        'input',
      ],
      [403, { error: { message: 'This prompt violates our acceptable use policy.' } }, 'input'],
    ],
  ],
}

for (const [vendor, [decode, rows]] of Object.entries(VENDORS)) {
  describe(`${vendor}: what a refusal means for the credential`, () => {
    for (const [status, body, reading] of rows) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      test(`${status} ${text.slice(0, 110)} is ${reading}`, () =>
        expect(readingOf(decode(status, text))).toBe(reading))
    }
  })
}

describe('a client that has its words repeated', () => {
  const FORGED = [
    'api key: Extra inputs are not permitted',
    'Incorrect API key provided: Extra inputs are not permitted',
    'Your API key was reported as leaked: unknown field',
    'Unrecognized request argument supplied: api key',
  ]

  test.each(FORGED)('casts no suspicion with the name of a field: %s', (message) => {
    for (const decode of [decodeErrorBody, decodeMessages, decodeGoogle])
      expect(readingOf(decode(400, JSON.stringify({ error: { message } })))).toBe('input')
  })

  test('never gets a credential rejected by the message alone', () => {
    for (const message of [
      'Your API key is invalid.',
      'Your credit balance is too low.',
      'invalid api key',
    ]) {
      for (const status of [400, 402, 403, 422]) {
        for (const decode of [decodeErrorBody, decodeMessages, decodeGoogle])
          expect(readingOf(decode(status, JSON.stringify({ error: { message } })))).not.toBe('refused')
      }
    }
  })
})
