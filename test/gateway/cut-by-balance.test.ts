import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { formatUsdt, parseUsdt } from '../../src/vocabulary/money.ts'
import { balanceOf, createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { chat, refusalOf } from '../support/chat.ts'
import { findDifference } from '../support/find-difference.ts'
import { type SettlementBody, settlementsOf } from '../support/settlements.ts'
import { addModel } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

// Some 600 tokens to read at 1,000 nano each, and as many to write at 2,000: about 1,800,000 nano in all.
// Words of which the sandbox counts more tokens (four characters each) than the gateway estimates (a word each).
const WORDS = ['light', 'ocean', 'winter', 'garden', 'sky', 'ice', 'window']
const SPOKEN = Array.from({ length: 400 }, (_, index) => WORDS[index % WORDS.length]).join(' ')
const PROMPT = `say: ${SPOKEN}`
// Enough for the prompt and a part of the answer.
const BALANCE_NANO = 1_400_000n

const SUPPLIERS = { chat: 'sandbox-openai', claude: 'sandbox-anthropic', gemini: 'sandbox-google' }

interface NotedSettlement extends SettlementBody {
  readonly notes: readonly string[]
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  for (const [model, supplier] of Object.entries(SUPPLIERS))
    await addModel(gateway, model, { suppliers: [supplier] })
})
afterAll(() => gateway.stop())

/** What a client of a format gets to read: the text, and why it ended. */
interface Heard {
  readonly text: string
  readonly finish: unknown
}

const FORMATS: Record<string, (secret: string) => Promise<Heard>> = {
  'chat completions': async (secret) => {
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: PROMPT }]
    const stream = await client.chat.completions.create({ model: 'chat', messages, stream: true })
    let text = ''
    let finish: unknown = null
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? ''
      finish = choices[0]?.finish_reason ?? finish
    }
    return { text, finish }
  },
  responses: async (secret) => {
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const response = await client.responses.stream({ model: 'chat', input: PROMPT }).finalResponse()
    return { text: response.output_text, finish: response.incomplete_details?.reason }
  },
  messages: async (secret) => {
    const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: PROMPT }]
    const message = await client.messages
      .stream({ model: 'claude', max_tokens: 4_000, messages })
      .finalMessage()
    const [block] = message.content
    return { text: block?.type === 'text' ? block.text : '', finish: message.stop_reason }
  },
  'content generation': async (secret) => {
    const client = new GoogleGenAI({ apiKey: secret, httpOptions: { baseUrl: gateway.url } })
    const stream = await client.models.generateContentStream({ model: 'gemini', contents: PROMPT })
    let text = ''
    let finish: unknown = null
    for await (const chunk of stream) {
      text += chunk.text ?? ''
      finish = chunk.candidates?.[0]?.finishReason ?? finish
    }
    return { text, finish }
  },
}
const CUT_REASONS: Record<string, string> = {
  'chat completions': 'length',
  responses: 'max_output_tokens',
  messages: 'max_tokens',
  'content generation': 'MAX_TOKENS',
}

async function accountWith(balanceNano: bigint): Promise<{ account: string; key: IssuedKey }> {
  const account = await openAccount(gateway, '0')
  const amount = formatUsdt(balanceNano)
  await gateway.operator('POST', `/accounts/${account}/payments`, { amount, reference: `start ${account}` })
  return { account, key: await createKey(gateway, account) }
}

async function only({ id }: IssuedKey): Promise<NotedSettlement> {
  const [settlement] = await settlementsOf(gateway, id, 1)
  return settlement as NotedSettlement
}

const nanoOf = async (account: string) => parseUsdt(await balanceOf(gateway, account), 'balance')

describe.each(Object.keys(FORMATS))('a stream of %s', (format) => {
  const hear = FORMATS[format] as (typeof FORMATS)[string]

  test('ends as one cut by its length where the balance ends', async () => {
    const { account, key } = await accountWith(BALANCE_NANO)
    const { text, finish } = await hear(key.secret)
    expect(finish).toBe(CUT_REASONS[format])
    expect(SPOKEN).toStartWith(text.trimEnd())
    expect(text.length).toBeGreaterThan(100)
    expect(text.length).toBeLessThan(SPOKEN.length)
    const settlement = await only(key)
    expect(settlement).toMatchObject({
      outcome: 'completed',
      provenance: 'counted',
      notes: ['cut_by_balance'],
    })
    // Most of the balance was spent, and none that was not there. The rest covers what the supplier may count more.
    const leftNano = await nanoOf(account)
    expect(leftNano).toBeGreaterThanOrEqual(0n)
    expect(leftNano).toBeLessThan(BALANCE_NANO / 3n)
  })

  test('is whole where it grows into the balance', async () => {
    const { account, key } = await accountWith(4_000_000n)
    const { text, finish } = await hear(key.secret)
    expect(text).toBe(SPOKEN)
    expect(finish).not.toBe(CUT_REASONS[format])
    expect(await only(key)).toMatchObject({ provenance: 'supplier', notes: [] })
    expect(await nanoOf(account)).toBeGreaterThan(0n)
  })
})

describe('a whole reply', () => {
  const ask = (secret: string, headers = {}) =>
    chat(
      gateway.url,
      { model: 'chat', messages: [{ role: 'user', content: PROMPT }] },
      { key: secret, headers },
    )

  test('is sent with a lower maximum, which a header names', async () => {
    const { account, key } = await accountWith(BALANCE_NANO)
    const response = await ask(key.secret)
    expect(response.headers.get('x-gateway-capped-params')).toBe('max_tokens')
    const { choices } = (await response.json()) as { choices: { finish_reason: string }[] }
    expect(choices[0]?.finish_reason).toBe('length')
    expect((await only(key)).notes).toEqual(['max_tokens_lowered'])
    // The sandbox counts one token more of the prompt than four characters each.
    expect(await nanoOf(account)).toBeGreaterThanOrEqual(-1_000n)
  })

  test('has no such header where the balance is enough', async () => {
    const { key } = await accountWith(100_000_000n)
    const response = await ask(key.secret)
    expect(response.headers.get('x-gateway-capped-params')).toBeNull()
    expect((await only(key)).notes).toEqual([])
  })

  test('is refused when it could not have 256 tokens', async () => {
    const { key } = await accountWith(900_000n)
    expect(await refusalOf(await ask(key.secret))).toEqual([403, 'spending_limit_exceeded'])
  })
})

test('a strict client is refused, whole or streamed', async () => {
  const { key } = await accountWith(BALANCE_NANO)
  const headers = { 'x-gateway-strict': 'true' }
  for (const stream of [false, true]) {
    const fields = { model: 'chat', messages: [{ role: 'user', content: PROMPT }], stream }
    const response = await chat(gateway.url, fields, { key: key.secret, headers })
    expect(await refusalOf(response)).toEqual([403, 'spending_limit_exceeded'])
  }
})

test('the spending limit of a key cuts a stream too', async () => {
  const account = await openAccount(gateway)
  const usage_limit = { period: 'forever', amount: formatUsdt(BALANCE_NANO) }
  const key = await createKey(gateway, account, { usage_limit })
  const fields = { model: 'chat', messages: [{ role: 'user', content: PROMPT }], stream: true }
  const text = await (await chat(gateway.url, fields, { key: key.secret })).text()
  expect(text).toContain(': cut_by_balance')
  expect(text).toContain('"finish_reason":"length"')
  expect(text).toEndWith('data: [DONE]\n\n')
  const settlement = await only(key)
  expect(settlement.notes).toEqual(['cut_by_balance'])
  expect(parseUsdt(settlement.amount, 'amount')).toBeLessThanOrEqual(BALANCE_NANO)
})

test('60 parallel requests in all formats, streamed and whole, never spend more than there is', async () => {
  const { account, key } = await accountWith(1_000_000_000n)
  const messages = [{ role: 'user', content: PROMPT }]
  const attackers = [
    ...Object.values(FORMATS),
    async (secret: string) => {
      const response = await chat(gateway.url, { model: 'dear', messages }, { key: secret })
      if (!response.ok) throw new Error(await response.text())
    },
  ]
  // What one request may cost is more than the whole balance.
  await addModel(gateway, 'dear', { suppliers: ['sandbox-openai'] })
  const price = { input: '100', output: '1000' }
  for (const [model, supplier] of Object.entries({ ...SUPPLIERS, dear: 'sandbox-openai' })) {
    const route = { upstream_model: 'sandbox-chat', price, priority: 1, enabled: true }
    await gateway.operator('PUT', `/models/${model}/routes/${supplier}`, route)
  }
  let served = 0
  for (let wave = 0; wave < 3; wave += 1) {
    const attacks = Array.from({ length: 60 }, (_, index) =>
      attackers[index % attackers.length]?.(key.secret),
    )
    const results = await Promise.allSettled(attacks)
    served += results.filter(({ status }) => status === 'fulfilled').length
  }
  await settlementsOf(gateway, key.id, served)
  const leftNano = await nanoOf(account)
  console.log(`served ${served} of 180, left ${leftNano} nano of 1000000000`)
  expect(served).toBeGreaterThan(0)
  expect(leftNano).toBeGreaterThanOrEqual(0n)
  expect(await findDifference(gateway.storage)).toBeNull()
})
