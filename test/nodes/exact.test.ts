import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sendCrowd } from './support/crowd.ts'
import { addModel, Fleet, MODEL, openAccount } from './support/fleet.ts'
import { startGatedSupplier } from './support/gated-supplier.ts'

// The crowd keeps both processors busy for seconds; a Redis that waits for a processor is not one that is away.
const PATIENT = { TURNPIKE_REDIS_DEADLINE_MS: '20000', TURNPIKE_LOG_LEVEL: 'warn' }

const fleet = await Fleet.start({ size: 3, environment: PATIENT })
const supplier = startGatedSupplier()
afterAll(async () => {
  await fleet?.stop()
  await supplier.stop()
})

const CROWD = Number(process.env.TEST_CROWD ?? 5_000)
// Tokens are kept by the same counting as requests, and limits of a key as those of its account, so fewer show that they
// are kept.
const SMALL_CROWD = CROWD / 5
const CHANGES = CROWD / 25
const ask = (fields: object = {}) => ({
  model: MODEL,
  messages: [{ role: 'user', content: 'ping' }],
  max_tokens: 10,
  ...fields,
})

describe.skipIf(fleet === null)('many concurrent requests to three nodes', () => {
  let nodes: Fleet
  beforeAll(async () => {
    if (fleet === null) return
    nodes = fleet
    await addModel(nodes.first, 'gated-chat', supplier.url)
  })

  test(`of ${CROWD}, exactly the account’s request limit is admitted`, async () => {
    const { secret } = await openAccount(nodes.first, { rpm: 1_000 })
    const tally = await sendCrowd({ urls: nodes.urls, key: secret, count: CROWD, body: ask() })
    expect(tally).toEqual({ '200': 1_000, '429 rate_limit_exceeded': CROWD - 1_000 })
  })

  test(`of ${SMALL_CROWD}, exactly the key’s request limit is admitted`, async () => {
    const { secret } = await openAccount(nodes.first, { key: { rpm: 300 } })
    const tally = await sendCrowd({ urls: nodes.urls, key: secret, count: SMALL_CROWD, body: ask() })
    expect(tally).toEqual({ '200': 300, '429 rate_limit_exceeded': SMALL_CROWD - 300 })
  })

  test(`of ${SMALL_CROWD}, exactly as many are admitted as the token limit allows`, async () => {
    // Four characters are a token of prompt, and ten may be answered.
    const { secret } = await openAccount(nodes.first, { tpm: 11 * 500 + 10 })
    const tally = await sendCrowd({ urls: nodes.urls, key: secret, count: SMALL_CROWD, body: ask() })
    expect(tally).toEqual({ '200': 500, '429 rate_limit_exceeded': SMALL_CROWD - 500 })
  })

  // Held back until all others are refused, and then costing what was held: 10 tokens of output at 1.1 USDT for a
  // million are 11,000 nano.
  const HOLDERS = 500
  const AMOUNT = '0.0055'
  const gatedCrowd = (key: string, count: number) => ({
    urls: nodes.urls,
    key,
    count,
    body: ask({ model: 'gated-chat' }),
    release: { url: supplier.releaseUrl, holders: HOLDERS },
  })

  test(`of ${CROWD}, exactly as many are admitted as the balance covers, which ends at zero`, async () => {
    const { accountId, secret } = await openAccount(nodes.first, { balance: AMOUNT })
    const tally = await sendCrowd(gatedCrowd(secret, CROWD))
    expect(tally).toEqual({ '200': HOLDERS, '403 spending_limit_exceeded': CROWD - HOLDERS })
    await untilStored(`account=${accountId}`, HOLDERS)
    const { balance } = await nodes.first.operator<{ balance: string }>('GET', `/accounts/${accountId}`)
    expect(Number(balance)).toBe(0)
  })

  test(`of ${SMALL_CROWD}, exactly as many are admitted as fit in the spending limit of a key`, async () => {
    const { keyId, secret } = await openAccount(nodes.first, {
      key: { usage_limit: { period: 'daily', amount: AMOUNT } },
    })
    const tally = await sendCrowd(gatedCrowd(secret, SMALL_CROWD))
    expect(tally).toEqual({ '200': HOLDERS, '403 spending_limit_exceeded': SMALL_CROWD - HOLDERS })
    const all = await untilStored(`key=${keyId}`, HOLDERS)
    expect(all.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 1e9), 0)).toBe(5_500_000)
  })

  test.each(['/v1/chat/completions', '/v1/models'])(
    'a key changed through one node is changed on the others with their next request to %s',
    async (path) => {
      const { keyId, secret } = await openAccount(nodes.first, {})
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      const isPost = path !== '/v1/models'
      const init = isPost ? { method: 'POST', headers, body: JSON.stringify(ask()) } : { headers }
      let misses = 0
      for (let round = 0; round < CHANGES; round += 1) {
        const allowed = round % 2 === 0
        const through = nodes.node(round % 3)
        await through.operator('PATCH', `/keys/${keyId}`, { state: allowed ? 'active' : 'disabled' })
        const others = nodes.nodes.filter((node) => node !== through)
        const statuses = await Promise.all(
          others.map(async ({ url }) => {
            const response = await fetch(url + path, init)
            await response.text()
            return response.status
          }),
        )
        misses += statuses.filter((status) => status !== (allowed ? 200 : 401)).length
      }
      expect(misses).toBe(0)
    },
  )

  interface Listed {
    readonly data: { readonly amount: string }[]
    readonly next_cursor: string | null
  }

  async function untilStored(query: string, least: number): Promise<Listed['data']> {
    for (let seen = -1; ; await Bun.sleep(300)) {
      const all: Listed['data'] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const page: Listed = await nodes.first.operator('GET', `/settlements?${query}&limit=200${more}`)
        all.push(...page.data)
        cursor = page.next_cursor
      }
      if (all.length >= least && all.length === seen) return all
      seen = all.length
    }
  }
})
