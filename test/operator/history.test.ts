import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AT_PRICE, type Attempt, NO_SESSION, type Settlement } from '../../src/vocabulary/settlement.ts'
import { addAccount, addSupply, type GatewayUnderTest, START_MS, startGateway } from './gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

async function settle(change: Partial<Settlement> & { accountId: string; keyId: string }): Promise<void> {
  const settlement: Settlement = {
    requestId: 'req_1',
    model: 'gpt-5',
    supplier: 'acme',
    credentialId: 'cred_1',
    clientFormat: 'chat-completion',
    supplierFormat: 'chat-completion',
    stream: true,
    usage: { input: 10, cacheRead: 2, cacheWrite: 3, output: 20, reasoning: 5, images: 0 },
    provenance: 'supplier',
    price: {
      inputNanoPerMillion: 1_250_000_000n,
      outputNanoPerMillion: 10_000_000_000n,
      cacheReadNanoPerMillion: 125_000_000n,
      cacheWriteNanoPerMillion: 1_250_000_000n,
      imageNano: 0n,
    },
    amountNano: 216_500n,
    costNano: 216_500n,
    ...AT_PRICE,
    ...NO_SESSION,
    outcome: 'completed',
    attempts: [
      {
        supplier: 'acme',
        credentialId: 'cred_1',
        reason: 'cheapest',
        result: 'answered',
        status: 200,
        failure: null,
        startedAtMs: START_MS,
        firstByteMs: 40,
        // Without the duration, which earlier versions did not record.
      } as Attempt,
    ],
    startedAtMs: START_MS,
    firstByteMs: 42,
    durationMs: 900,
    ...change,
  }
  await gateway.storage.writeSettlements([settlement])
}

async function addKey(accountId: string) {
  return (await gateway.ask(`POST /accounts/${accountId}/keys`, { name: 'k' })).body
}

describe('settlements', () => {
  test('show the settled values', async () => {
    const accountId = await addAccount(gateway)
    const { id: keyId } = await addKey(accountId)
    await settle({ accountId, keyId })
    const { body } = await gateway.ask('GET /settlements/req_1')
    expect(body).toEqual({
      request_id: 'req_1',
      account_id: accountId,
      key_id: keyId,
      model: 'gpt-5',
      supplier: 'acme',
      credential_id: 'cred_1',
      client_format: 'chat-completion',
      supplier_format: 'chat-completion',
      stream: true,
      session: null,
      agent: null,
      parent_agent: null,
      usage: { input: 10, cache_read: 2, cache_write: 3, output: 20, reasoning: 5, images: 0 },
      provenance: 'supplier',
      price: { input: '1.25', output: '10', cache_read: '0.125', cache_write: '1.25', image: '0' },
      lines: [
        { item: 'cache_read', quantity: 2, rate: '0.125', per: 'million', amount: '0.00000025' },
        { item: 'cache_write', quantity: 3, rate: '1.25', per: 'million', amount: '0.00000375' },
        { item: 'input', quantity: 10, rate: '1.25', per: 'million', amount: '0.0000125' },
        { item: 'output', quantity: 20, rate: '10', per: 'million', amount: '0.0002' },
      ],
      price_total: '0.0002165',
      error_code: null,
      markup_percent: null,
      amount: '0.0002165',
      cost_rates: null,
      cost: '0.0002165',
      notes: [],
      outcome: 'completed',
      attempts: [
        {
          supplier: 'acme',
          credential_id: 'cred_1',
          reason: 'cheapest',
          result: 'answered',
          status: 200,
          failure: null,
          started_at: '2026-06-01T12:00:00Z',
          first_byte_ms: 40,
          duration_ms: null,
        },
      ],
      started_at: '2026-06-01T12:00:00Z',
      first_byte_ms: 42,
      duration_ms: 900,
    })
    expect((await gateway.ask('GET /settlements')).body).toEqual({ data: [body], next_cursor: null })
  })

  test('are filtered by account, key, model and time', async () => {
    const first = await addAccount(gateway)
    const second = await addAccount(gateway)
    const [firstKey, secondKey] = [await addKey(first), await addKey(second)]
    await settle({ requestId: 'req_1', accountId: first, keyId: firstKey.id })
    await settle({ requestId: 'req_2', accountId: second, keyId: secondKey.id, model: 'other' })
    await settle({
      requestId: 'req_3',
      accountId: second,
      keyId: secondKey.id,
      startedAtMs: START_MS + 3_600_000,
    })
    const ids = async (query: string) => {
      const { body } = await gateway.ask(`GET /settlements?${query}`)
      return body.data.map((each: { request_id: string }) => each.request_id)
    }
    expect(await ids(`account=${first}`)).toEqual(['req_1'])
    expect(await ids(`key=${secondKey.id}`)).toEqual(['req_3', 'req_2'])
    expect(await ids('model=other')).toEqual(['req_2'])
    expect(await ids('from=2026-06-01T12:30:00Z')).toEqual(['req_3'])
    expect(await ids('to=2026-06-01T14:30:00%2B02:00')).toEqual(['req_2', 'req_1'])
    expect(await ids('limit=1')).toEqual(['req_3'])
  })

  test('an unknown one is not found, and an unknown filter is refused', async () => {
    expect((await gateway.ask('GET /settlements/req_9')).body.error.code).toBe('not_found')
    expect((await gateway.ask('GET /settlements?acount=x')).body.error.param).toBe('acount')
    expect((await gateway.ask('GET /settlements?from=yesterday')).body.error.param).toBe('from')
    expect((await gateway.ask('GET /settlements?cursor=%25%25')).body.error.code).toBe('invalid_request')
  })
})

describe('the audit', () => {
  test('says who did what, before and after', async () => {
    const id = await addAccount(gateway)
    gateway.clock.timeMs += 1_000
    await gateway.ask(`PATCH /accounts/${id}`, { credit_line: '2.5' })
    const [event] = (await gateway.ask('GET /audit?limit=1')).body.data
    expect(event).toMatchObject({
      at: '2026-06-01T12:00:01Z',
      actor: 'operator',
      action: 'account.changed',
      subject: id,
      before: { credit_line: '0', name: 'First' },
      after: { credit_line: '2.5', name: 'First' },
    })
  })

  test('has one event for each kind of change', async () => {
    const { credentialId } = await addSupply(gateway)
    const id = await addAccount(gateway)
    const key = await addKey(id)
    const calls: readonly [call: string, body?: object][] = [
      [`POST /accounts/${id}/payments`, { amount: '5', reference: 'inv' }],
      [`POST /accounts/${id}/adjustments`, { amount: '-1', reason: 'r' }],
      [`PUT /accounts/${id}/tier`, { tier: 'Scale', reason: 'r' }],
      [`DELETE /accounts/${id}/tier`],
      [`PATCH /keys/${key.id}`, { rpm: 5 }],
      [`POST /keys/${key.id}/rotate`, { grace_seconds: 5 }],
      [`DELETE /keys/${key.id}`],
      [`PATCH /credentials/${credentialId}`, { weight: 2 }],
      [`DELETE /credentials/${credentialId}`],
    ]
    for (const [call, body] of calls) expect((await gateway.ask(call, body)).status).toBe(200)
    const { body } = await gateway.ask('GET /audit?limit=200')
    expect(body.data.map((event: { action: string }) => event.action).toSorted()).toEqual([
      'account.created',
      'account.tier_assigned',
      'account.tier_ended',
      'adjustment.recorded',
      'credential.added',
      'credential.changed',
      'credential.deleted',
      'key.changed',
      'key.created',
      'key.revoked',
      'key.rotated',
      'model.created',
      'payment.recorded',
      'route.created',
      'supplier.created',
    ])
  })

  test('and every other response contain no secret and no fingerprint', async () => {
    await addSupply(gateway)
    const id = await addAccount(gateway)
    const key = await addKey(id)
    const { secret: rotated } = (await gateway.ask(`POST /keys/${key.id}/rotate`, { grace_seconds: 60 })).body
    await gateway.ask(`PATCH /keys/${key.id}`, { rpm: 5 })
    const [credential] = (await gateway.ask('GET /suppliers/acme/credentials')).body.data
    await gateway.ask(`PATCH /credentials/${credential.id}`, { weight: 2 })
    const reads = [
      'GET /audit?limit=200',
      `GET /keys/${key.id}`,
      `GET /accounts/${id}`,
      `GET /accounts/${id}/keys`,
      'GET /accounts',
      'GET /suppliers',
      'GET /suppliers/acme',
      'GET /suppliers/acme/credentials',
      'GET /models',
      'GET /routes',
    ]
    const text = (await Promise.all(reads.map((read) => gateway.ask(read))))
      .map((answer) => answer.text)
      .join()
    expect(text).toContain('key.rotated')
    for (const secret of [key.secret, rotated, 'sk-upstream-0001']) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(gateway.secrets.fingerprint(secret))
    }
  })
})
