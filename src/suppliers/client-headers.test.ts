import { describe, expect, test } from 'bun:test'
import { openai } from './openai/index.ts'
import { anthropicStyleTarget, openaiStyleTarget } from './styles.ts'
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

const betas = (sent: string, options: Readonly<Record<string, string>> = {}) =>
  anthropicStyleTarget(query({ clientHeaders: new Headers({ 'anthropic-beta': sent }), options })).headers[
    'anthropic-beta'
  ]

describe('the messages format', () => {
  test('has one version, unless its operator says another', () => {
    const clientHeaders = new Headers({ 'anthropic-version': '2026-10-21' })
    expect(anthropicStyleTarget(query({ clientHeaders })).headers['anthropic-version']).toBe('2023-06-01')
    const options = { version: '2026-10-21' }
    expect(anthropicStyleTarget(query({ options })).headers['anthropic-version']).toBe('2026-10-21')
  })

  test('hands on the betas on the list and no others', () => {
    expect(
      betas('claude-code-20250219, interleaved-thinking-2025-05-14,interleaved-thinking-2025-05-14'),
    ).toBe('claude-code-20250219,interleaved-thinking-2025-05-14')
    expect(betas('files-api-2025-04-14,effort-2025-11-24,oauth-2025-04-20')).toBe('effort-2025-11-24')
    expect(betas('files-api-2025-04-14')).toBeUndefined()
    expect(betas('')).toBeUndefined()
  })

  test('hands on what its operator added to the list', () => {
    const options = { betas: 'context-1m-2025-08-07, novel-2027-01-01' }
    expect(betas('context-1m-2025-08-07,effort-2025-11-24,other-1', options)).toBe(
      'context-1m-2025-08-07,effort-2025-11-24',
    )
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
