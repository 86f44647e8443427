import { describe, expect, test } from 'bun:test'
import { connectFromEnvironment, createOperatorClient, OperatorCallError } from './operator-client.ts'

const TOKEN = 'operator-token-0123456789'

interface Seen {
  method: string
  url: string
  token: string | null
  body: string
}

function startFake(answer: () => Response) {
  const seen: Seen[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const token = request.headers.get('authorization')
      seen.push({ method: request.method, url: request.url, token, body: await request.text() })
      return answer()
    },
  })
  return { seen, url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}

function refusal(code: string, message: string, status: number): Response {
  return Response.json({ error: { code, message, type: code, param: null } }, { status })
}

async function failureOf(call: Promise<unknown>): Promise<OperatorCallError> {
  const failure = await call.catch((error: unknown) => error)
  if (failure instanceof OperatorCallError) return failure
  throw new Error('the call did not fail as expected')
}

describe('the operator client', () => {
  test('sends the token and the body, and returns the answer', async () => {
    using fake = startFake(() => Response.json({ data: [1] }))
    const client = createOperatorClient({ url: `${fake.url}/base/`, token: TOKEN })
    expect(await client.call<{ data: number[] }>('GET', '/suppliers?limit=1')).toEqual({ data: [1] })
    expect(await client.call<object>('POST', '/supply', { document: '' })).toEqual({ data: [1] })
    expect(await (await client.stream('/exports')).text()).toBe('{"data":[1]}')
    const token = `Bearer ${TOKEN}`
    expect(fake.seen).toEqual([
      { method: 'GET', url: `${fake.url}/base/operator/v1/suppliers?limit=1`, token, body: '' },
      { method: 'POST', url: `${fake.url}/base/operator/v1/supply`, token, body: '{"document":""}' },
      { method: 'GET', url: `${fake.url}/base/operator/v1/exports`, token, body: '' },
    ])
  })

  test('reports why the gateway refused', async () => {
    using fake = startFake(() => refusal('invalid_request', 'rpm must be a number.', 400))
    const failure = await failureOf(createOperatorClient({ ...fake, token: TOKEN }).call('GET', '/x'))
    expect([failure.message, failure.status, failure.code]).toEqual([
      'rpm must be a number.',
      400,
      'invalid_request',
    ])
  })

  test('names the variable to set when the token is wrong, and never shows it', async () => {
    using fake = startFake(() => refusal('auth_invalid', 'The operator token is not valid.', 401))
    const { message } = await failureOf(createOperatorClient({ ...fake, token: TOKEN }).stream('/x'))
    expect(message).toContain('TURNPIKE_OPERATOR_TOKEN')
    expect(message).not.toContain(TOKEN)
  })

  test.each([
    [
      'a reply without the error envelope',
      () => new Response('<html>', { status: 502 }),
      /answered 502.*TURNPIKE_URL/,
    ],
    ['a reply that is not JSON', () => new Response('<html>'), /no gateway.*TURNPIKE_URL/],
  ])('suggests checking TURNPIKE_URL after %s', async (_what, answer, expected) => {
    using fake = startFake(answer)
    const { message } = await failureOf(createOperatorClient({ ...fake, token: TOKEN }).call('GET', '/x'))
    expect(message).toMatch(expected)
    expect(message).not.toContain('\n')
  })

  test('says how to name the gateway when none answers', async () => {
    const gone = startFake(() => new Response())
    gone[Symbol.dispose]()
    const { message } = await failureOf(createOperatorClient({ ...gone, token: TOKEN }).call('GET', '/x'))
    expect(message).toMatch(/^no gateway answers at http:\/\/127\.0\.0\.1:\d+.*TURNPIKE_URL/)
    expect(message).not.toContain(TOKEN)
  })
})

describe('the environment', () => {
  test('must have the token', () => {
    expect(() => connectFromEnvironment({})).toThrow('TURNPIKE_OPERATOR_TOKEN is not set')
  })

  test('may have an address, whose password is never printed', () => {
    const environment = { TURNPIKE_OPERATOR_TOKEN: TOKEN, TURNPIKE_URL: 'ftp://me:hush@host' }
    expect(() => connectFromEnvironment(environment)).toThrow(/^TURNPIKE_URL takes (?!.*hush)/)
  })
})
