import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type OwnRedis, startOwnRedis } from '../../scripts/tests/redis.ts'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { balanceOf, createKey, openAccount } from '../support/accounts.ts'
import { chat, refusalOf } from '../support/chat.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const postgres = testedEngines().find(({ name }) => name === 'PostgreSQL')
const redis = postgres === undefined ? null : await startOwnRedis()

describe.skipIf(redis === null)('two nodes that share balances in Redis', () => {
  let site: Site
  let nodes: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    if (postgres === undefined || redis === null) return
    site = await postgres.makeSite()
    nodes = [await startOn(site, redis), await startOn(site, redis)]
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    await site.remove()
    await redis?.stop()
  })

  // One token of prompt for 500 nano and each of output for 1,500.
  const ask = (node: TestGateway, key: string, tokens: number) =>
    chat(node.url, { max_tokens: tokens }, { key })

  test.each([
    ['payments', {}],
    ['adjustments', { reason: 'sorry' }],
  ])('credit %s once that are sent to both with one reference', async (path, fields) => {
    const [first, second] = nodes
    const account = await openAccount(first, '0')
    const { secret } = await createKey(first, account)
    expect(await refusalOf(await ask(second, secret, 10))).toEqual([403, 'spending_limit_exceeded'])

    const body = { amount: '0.00002', reference: 'r', ...fields }
    const answers = await Promise.all(
      [first, second, first, second].map((node) =>
        node.operator<{ id: string }>('POST', `/accounts/${account}/${path}`, body),
      ),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    for (const node of nodes) {
      // It would be let in if the amount had been credited twice.
      expect(await refusalOf(await ask(node, secret, 20))).toEqual([403, 'spending_limit_exceeded'])
      expect(await balanceOf(node, account)).toBe('0.00002')
    }
    expect((await ask(second, secret, 10)).status).toBe(200)
  })

  test('serve an account without balance as soon as it has paid on the other node', async () => {
    const [first, second] = nodes
    const account = await openAccount(first, '0')
    const { secret } = await createKey(first, account)
    for (const node of [second, second, first]) {
      expect(await refusalOf(await ask(node, secret, 10))).toEqual([403, 'spending_limit_exceeded'])
    }
    await first.operator('POST', `/accounts/${account}/payments`, { amount: '1', reference: 'paid' })
    expect((await ask(second, secret, 10)).status).toBe(200)
  })
})

function startOn({ databaseUrl }: Site, { url }: OwnRedis): Promise<TestGateway> {
  // On a busy machine Redis may be silent for longer than the usual 50 ms. A node would then spend its share only, which
  // is half of the balance and too little for these requests.
  const environment = { DATABASE_URL: databaseUrl ?? '', REDIS_URL: url, TURNPIKE_REDIS_DEADLINE_MS: '20000' }
  return startTestGateway({ environment })
}
