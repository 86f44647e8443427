import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { CompactedResponse, ResponseInput } from 'openai/resources/responses/responses'
import { createKey, openAccount } from '../support/accounts.ts'
import { settlementsOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addSingleFormatSuppliers, SUPPLIERS } from './support/suppliers.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())

const MODEL = 'sandbox-chat'
const CONVERSATION: ResponseInput = [
  { role: 'user', content: 'My cat is called Tom.' },
  { role: 'assistant', content: 'A fine name.' },
  { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{"name":"Tom"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Tom weighs four kilograms.' },
  { role: 'assistant', content: 'He weighs four kilograms.' },
]

interface KeyAt {
  readonly client: OpenAI
  readonly keyId: string
}

async function keyAt(supplier: string, accountId?: string): Promise<KeyAt> {
  const owner = accountId ?? (await openAccount(gateway))
  const route_policy = { mode: 'specified_provider', provider: supplier }
  const { secret, id } = await createKey(gateway, owner, { route_policy })
  return { client: new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }), keyId: id }
}

const lastPrompt = () => JSON.stringify(gateway.sandbox.calls.at(-1)?.body)
const lastPath = () => gateway.sandbox.calls.at(-1)?.path
/** The output of a compaction as the next input. The SDK takes every output item there. */
const asInput = ({ output }: Pick<CompactedResponse, 'output'>) => output as ResponseInput

function itemOf({ output }: Pick<CompactedResponse, 'output'>) {
  const items = output.filter((item) => item.type === 'compaction')
  expect(items).toHaveLength(1)
  expect(output.at(-1)).toBe(items[0] as never)
  return items[0] as Extract<(typeof output)[number], { type: 'compaction' }>
}

describe.each(SUPPLIERS)('over a %s supplier', (format, supplier) => {
  test('the endpoint returns the user’s messages and one item, which later requests use', async () => {
    const { client } = await keyAt(supplier)
    const compacted = await client.responses.compact({ model: MODEL, input: CONVERSATION })
    expect(lastPath()?.endsWith('/responses/compact')).toBe(format === 'responses')
    expect(compacted).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response.compaction',
      created_at: expect.any(Number),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    })
    expect(compacted.usage.total_tokens).toBeGreaterThan(0)
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction'])
    const { encrypted_content } = itemOf(compacted)
    expect(Buffer.from(encrypted_content, 'base64').toString()).not.toContain('four kilograms')

    const next = await client.responses.create({
      model: MODEL,
      input: [...asInput(compacted), { role: 'user', content: 'say: next' }],
    })
    expect(next.output_text).toContain('next')
    expect(lastPrompt()).not.toContain('turnpike-compaction')
    if (format === 'responses') expect(lastPrompt()).toContain('"type":"compaction"')
    else expect(lastPrompt()).toContain('Tom weighs four kilograms.')
  })

  test('a compaction can be compacted again', async () => {
    const { client } = await keyAt(supplier)
    const first = await client.responses.compact({ model: MODEL, input: CONVERSATION })
    const second = await client.responses.compact({
      model: MODEL,
      input: [...asInput(first), { role: 'user', content: 'He is three years old.' }],
    })
    expect(second.output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction'])
    itemOf(second)
  })

  test('it can start from a stored response', async () => {
    const { client } = await keyAt(supplier)
    const stored = await client.responses.create({ model: MODEL, input: 'say: the password is tulip' })
    const compacted = await client.responses.compact({ model: MODEL, previous_response_id: stored.id })
    expect(lastPrompt()).toContain('the password is tulip')
    expect(lastPrompt()).not.toContain('previous_response_id')
    itemOf(compacted)
  })

  test.each([false, true])(
    'a trigger at the end of the input asks for the same, stream %p',
    async (stream) => {
      const { client } = await keyAt(supplier)
      const input: ResponseInput = [...CONVERSATION, { type: 'compaction_trigger' }]
      const response = stream
        ? await client.responses.stream({ model: MODEL, input }).finalResponse()
        : await client.responses.create({ model: MODEL, input })
      expect(response).toMatchObject({ object: 'response', status: 'completed' })
      expect(response.output.map(({ type }) => type)).toEqual(['compaction'])
      expect(response.usage?.total_tokens).toBeGreaterThan(0)
      const next = await client.responses.create({
        model: MODEL,
        input: [...asInput(response), { role: 'user', content: 'say: next' }],
      })
      expect(next.output_text).toContain('next')
    },
  )

  test('a stored response that compacted replaces what was before it', async () => {
    const { client } = await keyAt(supplier)
    const first = await client.responses.create({ model: MODEL, input: 'say: a long story' })
    const second = await client.responses.create({
      model: MODEL,
      input: [{ type: 'compaction_trigger' }],
      previous_response_id: first.id,
    })
    expect(second.output.map(({ type }) => type)).toEqual(['compaction'])
    await client.responses.create({ model: MODEL, input: 'say: next', previous_response_id: second.id })
    expect(lastPrompt().match(/say: a long story/g) ?? []).toHaveLength(format === 'responses' ? 0 : 1)
  })

  test('it is settled once, with a note', async () => {
    const { client, keyId } = await keyAt(supplier)
    await client.responses.compact({ model: MODEL, input: CONVERSATION })
    await client.responses.create({ model: MODEL, input: 'Hello' })
    const settlements = await settlementsOf(gateway, keyId, 2)
    expect(settlements).toHaveLength(2)
    const [plain, compaction] = settlements as unknown as {
      notes: string[]
      amount: string
      attempts: object[]
    }[]
    expect([plain?.notes, compaction?.notes]).toEqual([[], ['compaction']])
    expect(Number(compaction?.amount)).toBeGreaterThan(0)
    expect(compaction?.attempts).toHaveLength(1)
  })
})

async function refusalOf(call: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await call
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  throw new Error('it was not refused')
}

const compact = (client: OpenAI) => client.responses.compact({ model: MODEL, input: CONVERSATION })
const continueFrom = (client: OpenAI, compacted: Pick<CompactedResponse, 'output'>) =>
  client.responses.create({
    model: MODEL,
    input: [...asInput(compacted), { role: 'user', content: 'say: next' }],
  })

describe('an item', () => {
  test.each(SUPPLIERS)('of the gateway goes to a %s supplier as well', async (_format, supplier) => {
    const account = await openAccount(gateway)
    const made = await compact((await keyAt('sandbox-anthropic', account)).client)
    await continueFrom((await keyAt(supplier, account)).client, made)
    expect(lastPrompt()).toContain('Tom weighs four kilograms.')
    expect(lastPrompt()).not.toContain('turnpike-compaction')
  })

  test.each(['only-chat', 'sandbox-anthropic', 'sandbox-google', 'sandbox-openai'])(
    'of a supplier is not sent to %s, and the client is told',
    async (other) => {
      const account = await openAccount(gateway)
      const made = await compact((await keyAt('only-responses', account)).client)
      const calls = gateway.sandbox.calls.length
      const refusal = await refusalOf(continueFrom((await keyAt(other, account)).client, made))
      expect([refusal.status, refusal.param]).toEqual([400, 'input'])
      expect(refusal.message).toContain('no other supplier can read it')
      expect(gateway.sandbox.calls).toHaveLength(calls)
    },
  )

  test('of a supplier that the gateway has not sealed is refused where it cannot be read', async () => {
    const { client } = await keyAt('sandbox-anthropic')
    const item = { type: 'compaction', encrypted_content: 'gAAAAABo' } as const
    const refusal = await refusalOf(client.responses.create({ model: MODEL, input: [item] }))
    expect(refusal.status).toBe(400)
    expect(refusal.message).toContain('only the supplier that made it can read')
    const atOrigin = await keyAt('only-responses')
    const own = await refusalOf(atOrigin.client.responses.create({ model: MODEL, input: [item] }))
    expect([own.status, own.message]).toEqual([400, expect.stringContaining('could not be verified')])
  })

  test.each(['only-responses', 'sandbox-anthropic'])(
    'from %s that was altered is refused',
    async (supplier) => {
      const { client } = await keyAt(supplier)
      const made = await compact(client)
      const { encrypted_content: whole } = itemOf(made)
      const place = whole.length - 20
      const altered = whole.slice(0, place) + (whole[place] === 'A' ? 'B' : 'A') + whole.slice(place + 1)
      for (const encrypted_content of [altered, whole.slice(0, 40), 'turnpike-compaction.v2.']) {
        const input: ResponseInput = [{ type: 'compaction', encrypted_content }]
        const refusal = await refusalOf(client.responses.create({ model: MODEL, input }))
        expect([refusal.status, refusal.param]).toEqual([400, 'input[0].encrypted_content'])
      }
    },
  )

  test.each(['only-responses', 'sandbox-anthropic'])(
    'from %s is useless to another account',
    async (supplier) => {
      const made = await compact((await keyAt(supplier)).client)
      const refusal = await refusalOf(continueFrom((await keyAt(supplier)).client, made))
      expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('another account')])
    },
  )
})

test('a trigger that is not the last item is refused', async () => {
  const { client } = await keyAt('sandbox-anthropic')
  const input: ResponseInput = [{ type: 'compaction_trigger' }, { role: 'user', content: 'Hello' }]
  const refusal = await refusalOf(client.responses.create({ model: MODEL, input }))
  expect([refusal.status, refusal.param]).toEqual([400, 'input[0]'])
})

test('calls without a result are left out of the summary', async () => {
  const { client } = await keyAt('sandbox-anthropic')
  const open = { type: 'function_call', call_id: 'call_2', name: 'look_up', arguments: '{}' } as const
  itemOf(await client.responses.compact({ model: MODEL, input: [...CONVERSATION, open] }))
  expect(lastPrompt()).toContain('call_1')
  expect(lastPrompt()).not.toContain('call_2')
})

test('the endpoint refuses what is not a conversation', async () => {
  const { client } = await keyAt('sandbox-anthropic')
  const empty = await refusalOf(client.responses.compact({ model: MODEL }))
  expect([empty.status, empty.param]).toEqual([400, 'input'])
  const missing = client.responses.compact({ model: MODEL, previous_response_id: 'resp_nobody' })
  expect((await refusalOf(missing)).status).toBe(404)
})

describe('money', () => {
  test('without a balance nothing is compacted', async () => {
    const account = await openAccount(gateway, '0')
    const { client, keyId } = await keyAt('sandbox-anthropic', account)
    const calls = gateway.sandbox.calls.length
    expect((await refusalOf(compact(client))).status).toBe(403)
    expect(gateway.sandbox.calls).toHaveLength(calls)
    expect(await settlementsOf(gateway, keyId, 0)).toEqual([])
  })

  test.each(['only-responses', 'sandbox-anthropic'])(
    'with little balance at %s, the summary is limited to what can be paid',
    async (supplier) => {
      // Enough for the prompt and 300 to 1,500 tokens of output.
      const account = await openAccount(gateway, '0.004')
      const { client, keyId } = await keyAt(supplier, account)
      itemOf(await compact(client))
      const [settlement] = (await settlementsOf(gateway, keyId, 1)) as unknown as { notes: string[] }[]
      expect(settlement?.notes).toEqual(['max_tokens_lowered', 'compaction'])
      // Only the gateway's own request has a limit.
      expect(lastPath()?.endsWith('/compact')).toBe(false)
      expect(lastPrompt()).toMatch(/"max_(output_)?tokens":\d+/)
    },
  )
})

describe('a supplier that cannot compact', () => {
  interface Plain {
    readonly url: string
    readonly paths: string[]
    stop(): Promise<void>
  }

  /** A supplier of the format that answers like the sandbox, but does not know compaction. */
  function startPlain(status: number): Plain {
    const paths: string[] = []
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      development: false,
      fetch: async (request) => {
        const { pathname } = new URL(request.url)
        const text = await request.text()
        const isTriggered = text.includes('compaction_trigger')
        paths.push(isTriggered ? 'trigger' : pathname)
        if (pathname.endsWith('/compact')) return new Response('no such page', { status })
        const error = {
          message: 'Invalid value',
          type: 'invalid_request_error',
          param: 'input[5]',
          code: null,
        }
        if (isTriggered) return Response.json({ error }, { status: 400 })
        return fetch(`${gateway.sandbox.url}${pathname}`, {
          method: 'POST',
          headers: request.headers,
          body: text,
        })
      },
    })
    return { url: `http://127.0.0.1:${server.port}`, paths, stop: () => server.stop(true) }
  }

  async function addPlain(id: string, url: string): Promise<void> {
    await gateway.operator('PUT', `/suppliers/${id}`, {
      type: 'openai-compatible',
      base_url: `${url}/v1`,
      formats: ['responses'],
      enabled: true,
    })
    await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: 'sk-sandbox-test' })
    await gateway.operator('PUT', `/models/${MODEL}/routes/${id}`, {
      upstream_model: MODEL,
      price: { input: '1', output: '2', cache_read: '0.1', cache_write: '1' },
      priority: 9,
      enabled: true,
    })
  }

  test.each([404, 405])('with %d is asked for a summary, and the next time at once', async (status) => {
    const plain = startPlain(status)
    try {
      await addPlain(`plain-${status}`, plain.url)
      const { client, keyId } = await keyAt(`plain-${status}`)
      itemOf(await compact(client))
      expect(plain.paths).toEqual(['/v1/responses/compact', '/v1/responses'])
      itemOf(await compact(client))
      expect(plain.paths).toEqual(['/v1/responses/compact', '/v1/responses', '/v1/responses'])
      const settlements = await settlementsOf(gateway, keyId, 2)
      expect(settlements.map(({ attempts }) => attempts.map(({ result }) => result))).toEqual([
        ['answered'],
        ['failed', 'answered'],
      ])
      expect(settlements.every(({ outcome }) => outcome === 'completed')).toBe(true)
    } finally {
      await plain.stop()
    }
  })

  test('by a trigger is asked for a summary', async () => {
    const plain = startPlain(404)
    try {
      await addPlain('plain-trigger', plain.url)
      const { client } = await keyAt('plain-trigger')
      const input: ResponseInput = [...CONVERSATION, { type: 'compaction_trigger' }]
      const response = await client.responses.stream({ model: MODEL, input }).finalResponse()
      expect(response.output.map(({ type }) => type)).toEqual(['compaction'])
      expect(plain.paths).toEqual(['trigger', '/v1/responses'])
      await continueFrom(client, response)
      expect(lastPrompt()).toContain('Tom weighs four kilograms.')
    } finally {
      await plain.stop()
    }
  })
})

describe('context_management', () => {
  const compacting = (compact_threshold: number) => ({
    model: MODEL,
    input: CONVERSATION,
    context_management: [{ type: 'compaction', compact_threshold }],
  })

  test('is left out below its threshold, and refused by name above it', async () => {
    const { client } = await keyAt('sandbox-anthropic')
    const { response } = await client.responses.create(compacting(100_000)).withResponse()
    expect(response.headers.get('x-gateway-dropped-params')).toContain('context_management')
    const refusal = await refusalOf(client.responses.create(compacting(5)))
    expect([refusal.status, refusal.param]).toEqual([400, 'context_management'])
  })

  test('goes to suppliers of the format as it is', async () => {
    const { client } = await keyAt('only-responses')
    await client.responses.create(compacting(5))
    expect(lastPrompt()).toContain('"compact_threshold":5')
  })

  test('of the messages format is treated alike, and its blocks become text', async () => {
    const account = await openAccount(gateway)
    const route_policy = { mode: 'specified_provider', provider: 'sandbox-google' }
    const { secret } = await createKey(gateway, account, { route_policy })
    const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 })
    const send = (value: number) =>
      client.beta.messages.create({
        model: MODEL,
        max_tokens: 100,
        betas: ['compact-2026-01-12'],
        messages: [
          { role: 'assistant', content: [{ type: 'compaction', content: 'The cat is called Tom.' }] },
          { role: 'user', content: 'say: next' },
        ],
        context_management: {
          edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value } }],
        },
      })
    await send(100_000)
    expect(lastPrompt()).toContain('The cat is called Tom.')
    const refusal: unknown = await send(1).catch((error) => error)
    if (!(refusal instanceof Anthropic.APIError)) throw refusal
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('context_management')])
  })
})
