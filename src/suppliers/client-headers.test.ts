import { describe, expect, test } from 'bun:test'
import { openai } from './openai/index.ts'
import { anthropicStyleTarget, openaiStyleTarget, takesForwardedBeta } from './styles.ts'
import type { CallQuery, CallTools } from './supplier-type.ts'

const NO_TOOLS = {} as CallTools

function query(fields: Partial<CallQuery>): CallQuery {
  return {
    format: 'messages',
    baseUrl: 'https://up.example',
    secret: 'k-1',
    options: {},
    upstreamModel: 'm',
    stream: false,
    body: '{}',
    clientHeaders: null,
    ...fields,
  }
}

const headersFor = (fields: Partial<CallQuery>) => anthropicStyleTarget(query(fields)).headers

describe('the messages format', () => {
  test('has the version of the client, unless its operator says another', () => {
    const clientHeaders = new Headers({ 'anthropic-version': '2026-10-21' })
    expect(headersFor({ clientHeaders })['anthropic-version']).toBe('2026-10-21')
    expect(headersFor({})['anthropic-version']).toBe('2023-06-01')
    expect(headersFor({ clientHeaders, options: { version: '2024-01-01' } })['anthropic-version']).toBe(
      '2024-01-01',
    )
  })

  test('hands on the vendor’s headers, except those that choose a part of the account', () => {
    const clientHeaders = new Headers({
      'anthropic-dangerous-direct-browser-access': 'true',
      'anthropic-future': 'x',
      'anthropic-workspace-id': 'wrkspc_1',
      'anthropic-user-profile-id': 'p',
      'anthropic-organization-id': 'o',
      'anthropic-beta': 'not-fitted',
      'x-api-key': 'clients',
      authorization: 'Bearer clients',
      'x-anthropic-other': 'y',
    })
    expect(headersFor({ clientHeaders, betas: ['a-1', 'b-2'] })).toEqual({
      'content-type': 'application/json',
      'x-api-key': 'k-1',
      'anthropic-version': '2023-06-01',
      'anthropic-dangerous-direct-browser-access': 'true',
      'anthropic-future': 'x',
      'anthropic-beta': 'a-1,b-2',
    })
  })

  test.each([
    ['files-api-2025-04-14', false],
    ['skills-2025-10-02', false],
    ['skills-2027-01-01', false],
    ['fast-mode-2026-02-01', false],
    ['oauth-2025-04-20', false],
    ['message-batches-2024-09-24', false],
    ['claude-code-20250219', true],
    ['context-1m-2025-08-07', true],
    ['mid-conversation-tool-changes-2026-07-01', true],
    ['thinking-display-updates-2026-08-18', true],
    ['per-turn-control-2026-07-01', true],
    ['compact-2026-09-04', true],
    ['made-up-tomorrow-2027-02-03', true],
  ])('%s is forwarded: %p', (beta, isForwarded) => {
    expect(takesForwardedBeta(beta, {})).toBe(isForwarded)
  })

  test('lets its operator change the list', () => {
    const options = { betas: 'fast-mode-2026-02-01, -context-1m-2025-08-07' }
    expect(takesForwardedBeta('fast-mode-2026-02-01', options)).toBe(true)
    expect(takesForwardedBeta('context-1m-2025-08-07', options)).toBe(false)
    expect(takesForwardedBeta('files-api-2025-04-14', options)).toBe(false)
  })
})

describe('OpenAI’s formats', () => {
  const clientHeaders = new Headers({
    'openai-organization': 'org-clients',
    'openai-project': 'proj-clients',
    'anthropic-beta': 'effort-2025-11-24',
    authorization: 'Bearer clients',
  })
  const chat = query({ format: 'chat-completion', clientHeaders })

  test('hand on nothing of the client’s', () => {
    const plain = { 'content-type': 'application/json', authorization: 'Bearer k-1' }
    expect(openaiStyleTarget(chat).headers).toEqual(plain)
    expect(openai.target(chat, NO_TOOLS)).toMatchObject({ headers: plain })
    expect(Object.keys((openai.target(chat, NO_TOOLS) as { headers: object }).headers)).toHaveLength(2)
  })

  test('say whose account it is when the operator does', () => {
    const options = { organization: 'org-ours', project: 'proj-ours' }
    expect(openai.target({ ...chat, options }, NO_TOOLS)).toMatchObject({
      headers: {
        'openai-organization': 'org-ours',
        'openai-project': 'proj-ours',
        authorization: 'Bearer k-1',
      },
    })
  })
})
