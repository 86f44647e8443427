import { describe, expect, test } from 'bun:test'
import { AccessTokens } from '../access-tokens.ts'
import type { CallQuery, CallTarget } from '../supplier-type.ts'
import { azureOpenai } from './index.ts'

const clock = { nowMs: () => 0 }
const TOOLS = {
  clock,
  tokens: new AccessTokens(clock),
  sandboxUrl: null,
  call: () => Promise.reject(new Error('not needed')),
}

function target(fields: Partial<CallQuery>): CallTarget {
  const query: CallQuery = {
    format: 'chat-completion',
    baseUrl: 'https://res.openai.azure.com',
    secret: 'azure-key',
    options: {},
    upstreamModel: 'my gpt',
    stream: false,
    body: '{"model":"my gpt"}',
    clientHeaders: null,
    ...fields,
  }
  return azureOpenai.target(query, TOOLS) as CallTarget
}

const DATED = { options: { api_version: '2024-10-21' } }

const ADDRESSES: readonly [fields: Partial<CallQuery>, path: string][] = [
  [{}, '/openai/v1/chat/completions'],
  [{ format: 'responses' }, '/openai/v1/responses'],
  [DATED, '/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21'],
  [{ ...DATED, format: 'responses' }, '/openai/responses?api-version=2024-10-21'],
  [
    { options: { api_version: '2025-04-01-preview' } },
    '/openai/deployments/my%20gpt/chat/completions?api-version=2025-04-01-preview',
  ],
  [{ options: { api_version: 'preview' } }, '/openai/v1/chat/completions?api-version=preview'],
]

describe('an Azure resource', () => {
  for (const [fields, path] of ADDRESSES) {
    test(`is addressed at ${path}`, () => {
      for (const end of ['', '/', '/openai', '/openai/', '/openai/v1', '/openai/v1/']) {
        const baseUrl = `https://res.openai.azure.com${end}`
        expect(target({ ...fields, baseUrl }).url).toBe(`https://res.openai.azure.com${path}`)
      }
    })
  }

  test('takes its key in the api-key header, and the body unchanged', () => {
    const { headers, body } = target({})
    expect(headers).toEqual({ 'content-type': 'application/json', 'api-key': 'azure-key' })
    expect(body).toBeUndefined()
  })

  test('has no address for other formats, nor for counting', () => {
    expect(() => target({ format: 'messages' })).toThrow('no address')
    expect(() => target({ format: 'responses', operation: 'count-tokens' })).toThrow('no address')
  })
})
