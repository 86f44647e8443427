import { afterAll, beforeAll, expect, test } from 'bun:test'
import { MAX_EVENT_BYTES } from '../../src/wire/sse-events.ts'
import { createLoneKey } from '../support/accounts.ts'
import { chat } from '../support/chat.ts'
import { chunkOf, type ScriptedSupplier, startScriptedSupplier } from '../support/scripted-supplier.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const PIECE = 'x'.repeat(4 * 1024 * 1024)
const ENDLESS = ['data: ', ...Array.from({ length: MAX_EVENT_BYTES / PIECE.length + 1 }, () => PIECE)]

let gateway: TestGateway
let supplier: ScriptedSupplier
beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startScriptedSupplier()
  await addSupplier(gateway, { id: 'endless', sandbox: supplier })
  await addModel(gateway, 'endless', { suppliers: ['endless'] })
})
afterAll(async () => {
  await gateway.stop()
  await supplier.stop()
})

const ask = (key: string) =>
  chat(gateway.url, { model: 'endless', stream: true, messages: [{ role: 'user', content: 'Hi' }] }, { key })

test('an endless event before any content is a plain error', async () => {
  const { secret } = await createLoneKey(gateway)
  supplier.perform(ENDLESS)
  const answer = await ask(secret)
  expect(answer.status).toBe(502)
  expect(await answer.json()).toMatchObject({ error: { code: 'provider_error' } })
})

test('an endless event mid-stream ends it with an error event, and delivered output is charged', async () => {
  const { id, secret } = await createLoneKey(gateway)
  supplier.perform([chunkOf({ content: 'Hello' }), ...ENDLESS])
  const answer = await ask(secret)
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(text).toContain('Hello')
  const last = text.trimEnd().split('\n\n').at(-1) ?? ''
  expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({ error: { code: 'provider_error' } })
  const settlement = await onlySettlementOf(gateway, id)
  expect(settlement).toMatchObject({ outcome: 'supplier_failed' })
})
