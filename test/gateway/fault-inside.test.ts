import { expect, test } from 'bun:test'
import { createKey, openAccount } from '../support/accounts.ts'
import { chat, refusalOf } from '../support/chat.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { addModel, addSupplier, TEST_PRICE } from '../support/supply.ts'
import { startTestGateway } from '../support/test-gateway.ts'

test('an internal error after admission settles the request and releases its hold', async () => {
  const chance = { isBroken: true }
  const gateway = await startTestGateway({
    random: () => {
      if (chance.isBroken) throw new Error('no chance')
      return 0.5
    },
  })
  try {
    // Between two equals chance decides.
    for (const id of ['one', 'other']) await addSupplier(gateway, { id, sandbox: gateway.sandbox })
    await addModel(gateway, 'twins', { suppliers: ['one'] })
    const twin = { upstream_model: 'sandbox-chat', price: TEST_PRICE, priority: 1 }
    await gateway.operator('PUT', '/models/twins/routes/other', twin)
    // Enough for one request at a time and no more.
    const account = await openAccount(gateway, '0.01')
    const key = await createKey(gateway, account)
    const response = await chat(gateway.url, { model: 'twins', max_tokens: 4_096 }, { key: key.secret })
    expect(await refusalOf(response)).toEqual([500, 'internal_error'])
    const { outcome, amount } = await onlySettlementOf(gateway, key.id)
    expect([outcome, Number(amount)]).toEqual(['refused', 0])
    chance.isBroken = false
    expect((await chat(gateway.url, { model: 'twins', max_tokens: 4_096 }, { key: key.secret })).status).toBe(
      200,
    )
  } finally {
    await gateway.stop()
  }
})
