import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { AccessTokens } from '../access-tokens.ts'
import type { CallQuery, CallTarget } from '../supplier-type.ts'
import { vertex } from './index.ts'

const clock = { nowMs: () => Date.parse('2026-06-10T12:00:00Z') }
const pem = (type: 'rsa' | 'ed25519') => {
  const encoding = { privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const
  const keys =
    type === 'rsa'
      ? generateKeyPairSync('rsa', {
          modulusLength: 2048,
          publicKeyEncoding: { type: 'spki', format: 'pem' },
          ...encoding,
        })
      : generateKeyPairSync('ed25519', { publicKeyEncoding: { type: 'spki', format: 'pem' }, ...encoding })
  return keys.privateKey
}
const ACCOUNT = {
  type: 'service_account',
  project_id: 'of-the-key',
  private_key_id: 'kid-1',
  private_key: pem('rsa'),
  client_email: 'robot@of-the-key.iam.gserviceaccount.com',
  token_uri: 'https://somewhere.example/token',
}

const asked: string[] = []
const TOOLS = {
  clock,
  tokens: new AccessTokens(clock),
  sandboxUrl: null,
  call: (request: Request) => {
    asked.push(request.url)
    return Promise.resolve(Response.json({ access_token: 'ya29.test', expires_in: 3599 }))
  },
}

async function target(fields: Partial<CallQuery>): Promise<CallTarget> {
  const query: CallQuery = {
    format: 'content-generation',
    baseUrl: 'https://us-east5-aiplatform.googleapis.com',
    secret: JSON.stringify(ACCOUNT),
    options: {},
    upstreamModel: 'gemini-2.5-pro',
    stream: false,
    body: '{"contents":[]}',
    clientHeaders: null,
    ...fields,
  }
  return await vertex.target(query, TOOLS)
}

const HOST = 'https://us-east5-aiplatform.googleapis.com'
const PLACE = `${HOST}/v1/projects/of-the-key/locations/us-east5/publishers`
const CLAUDE = { format: 'messages', upstreamModel: 'claude-sonnet-4-5@20250929' } as const

const ADDRESSES: readonly [fields: Partial<CallQuery>, url: string][] = [
  [{}, `${PLACE}/google/models/gemini-2.5-pro:generateContent`],
  [{ stream: true }, `${PLACE}/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`],
  [{ operation: 'count-tokens' }, `${PLACE}/google/models/gemini-2.5-pro:countTokens`],
  [CLAUDE, `${PLACE}/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict`],
  [{ ...CLAUDE, stream: true }, `${PLACE}/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict`],
  [{ ...CLAUDE, operation: 'count-tokens' }, `${PLACE}/anthropic/models/count-tokens:rawPredict`],
  [{ baseUrl: `${HOST}/v1/` }, `${PLACE}/google/models/gemini-2.5-pro:generateContent`],
  [
    { options: { project: 'other', location: 'europe-west1' } },
    `${HOST}/v1/projects/other/locations/europe-west1/publishers/google/models/gemini-2.5-pro:generateContent`,
  ],
  [
    { baseUrl: 'https://aiplatform.googleapis.com' },
    'https://aiplatform.googleapis.com/v1/projects/of-the-key/locations/global/publishers/google/models/gemini-2.5-pro:generateContent',
  ],
  [
    { baseUrl: 'https://aiplatform.eu.rep.googleapis.com' },
    'https://aiplatform.eu.rep.googleapis.com/v1/projects/of-the-key/locations/eu/publishers/google/models/gemini-2.5-pro:generateContent',
  ],
]

describe('a call to Vertex', () => {
  for (const [fields, url] of ADDRESSES) {
    test(JSON.stringify(fields), async () => expect((await target(fields)).url).toBe(url))
  }

  test('needs a location and a project from somewhere', async () => {
    await expect(target({ baseUrl: 'https://proxy.example' })).rejects.toThrow('set the option location')
    const secret = JSON.stringify({ ...ACCOUNT, project_id: undefined })
    await expect(target({ secret })).rejects.toThrow('set the option project')
  })

  test('carries the token, and gets it from Google or the place set, whatever the secret says', async () => {
    asked.length = 0
    const options = { token_uri: 'https://tokens.example/token' }
    expect((await target({ options })).headers).toEqual({
      'content-type': 'application/json',
      authorization: 'Bearer ya29.test',
    })
    await target({ secret: JSON.stringify({ ...ACCOUNT, private_key_id: 'kid-2' }) })
    expect(asked).toEqual(['https://tokens.example/token', 'https://oauth2.googleapis.com/token'])
  })

  test('for Claude names the version in the body and the model only in the address', async () => {
    const body = '{"model":"x","stream":true,"max_tokens":10}'
    expect((await target({ ...CLAUDE, body })).body).toBe(
      '{"anthropic_version":"vertex-2023-10-16","stream":true,"max_tokens":10}',
    )
    expect((await target({ ...CLAUDE, body, operation: 'count-tokens' })).body).toBe(
      '{"anthropic_version":"vertex-2023-10-16","model":"x","stream":true,"max_tokens":10}',
    )
    expect((await target({ body: '{"contents":[1.0]}' })).body).toBe('{"contents":[1.0]}')
  })

  test('for Claude carries the betas it is asked for, in a header', async () => {
    const betas = ['context-management-2025-06-27', 'compact-2026-01-12']
    expect((await target({ ...CLAUDE, betas })).headers['anthropic-beta']).toBe(betas.join(','))
    expect((await target(CLAUDE)).headers['anthropic-beta']).toBeUndefined()
  })

  test('knows which betas it takes', () => {
    expect(vertex.takesBeta?.('context-management-2025-06-27', {})).toBe(true)
    expect(vertex.takesBeta?.('claude-code-20250219', {})).toBe(false)
    expect(vertex.takesBeta?.('new-2027-01-01', { betas: 'other, new-2027-01-01' })).toBe(true)
  })
})

test('a secret is the key file of a service account with an RSA key', () => {
  expect(vertex.checkSecret?.(JSON.stringify(ACCOUNT))).toBeNull()
  expect(vertex.checkSecret?.(JSON.stringify(ACCOUNT, null, 2))).toBeNull()
  for (const [secret, complaint] of [
    ['AIzaSyNotThis', 'must be the JSON of a service account key'],
    ['[]', 'must be the JSON of a service account key'],
    [JSON.stringify({ ...ACCOUNT, client_email: '' }), 'must be the JSON of a service account key'],
    [JSON.stringify({ ...ACCOUNT, private_key: 'abc' }), 'must be an RSA key'],
    [JSON.stringify({ ...ACCOUNT, private_key: pem('ed25519') }), 'must be an RSA key'],
  ] as const)
    expect(vertex.checkSecret?.(secret)).toContain(complaint)
})
