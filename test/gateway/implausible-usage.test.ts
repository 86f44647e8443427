import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLoneKey } from '../support/accounts.ts'
import { chat } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { type SettlementBody, settlementsOf } from '../support/settlements.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const MAX_TOKENS = 50
const TEXT = 'The quick brown fox jumps over the lazy dog.'

const head = { id: 'lie', object: 'chat.completion', created: 1, model: 'm' }
let usage: object = {}

/** A supplier that answers with one sentence and reports whatever it likes. */
function answer(isStreamed: boolean): Response {
  if (!isStreamed) {
    const message = { role: 'assistant', content: TEXT }
    return Response.json({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
  }
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: TEXT }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const events = chunks.map(
    (chunk) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...chunk })}\n\n`,
  )
  return new Response(`${events.join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

let gateway: TestGateway
const liar = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => answer(((await request.json()) as { stream?: boolean }).stream === true),
})
beforeAll(async () => {
  gateway = await startTestGateway()
  await addSupplier(gateway, { id: 'liar', sandbox: { url: `http://127.0.0.1:${liar.port}` } })
  await addModel(gateway, 'lies', { suppliers: ['liar'] })
})
afterAll(async () => {
  await gateway.stop()
  await liar.stop(true)
})

async function settle(stream: boolean, reported: object): Promise<SettlementBody & { notes: string[] }> {
  usage = reported
  const { id, secret } = await createLoneKey(gateway)
  await (await chat(gateway.url, { model: 'lies', max_tokens: MAX_TOKENS, stream }, { key: secret })).text()
  const [settlement] = await settlementsOf(gateway, id, 1)
  return settlement as SettlementBody & { notes: string[] }
}

const report = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
})

describe.each([
  ['whole', false],
  ['streamed', true],
])('a report, %s', (_how, stream) => {
  test('that can be true is charged', async () => {
    expect(await settle(stream, report(60, MAX_TOKENS))).toMatchObject({
      provenance: 'supplier',
      usage: { input: 60, output: MAX_TOKENS },
      notes: [],
    })
  })

  test.each([
    ['two billion tokens of output', report(9, 2_000_000_000)],
    ['two billion tokens of prompt', report(2_000_000_000, 9)],
    ['more output than was asked for', report(9, MAX_TOKENS * 3)],
    ['more prompt than the request has bytes', report(20_000, 9)],
  ])('of %s is not', async (_what, reported) => {
    const settlement = await settle(stream, reported)
    expect(settlement).toMatchObject({ provenance: 'counted', notes: ['implausible_usage'] })
    expect(settlement.usage.input).toBeLessThan(20)
    expect(settlement.usage.output).toBeLessThan(20)
    expect(settlement.usage.output).toBeGreaterThan(5)
  })
})

test('operators are told once a day, and the client gets its answer', async () => {
  await settle(false, report(9, 1_000_000))
  await gateway.alerts.raise()
  const alerts = await eventually('the alert', async () => {
    const { data } = await gateway.operator<{ data: { kind: string; data: object }[] }>('GET', '/alerts')
    const raised = data.filter(({ kind }) => kind === 'usage.implausible')
    return raised.length > 0 && raised
  })
  expect(alerts).toHaveLength(1)
  expect(alerts[0]?.data).toMatchObject({ supplier: 'liar', model: 'lies' })
})
