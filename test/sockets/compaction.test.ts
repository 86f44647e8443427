import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from '../state/support/suppliers.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { SocketClient, textOf } from './support/socket-client.ts'

let gateway: TestGateway
const clients: SocketClient[] = []

beforeAll(async () => {
  gateway = await startTestGateway()
  await addSingleFormatSuppliers(gateway)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})
afterAll(() => gateway.stop())

const question = (content: string) => ({ type: 'message', role: 'user', content })

describe.each(SUPPLIERS)('a compaction chain over a %s supplier', (_format, supplier) => {
  test('goes on from the output of the compaction endpoint', async () => {
    const key = await keyFor(gateway, supplier)
    const client = await SocketClient.connect(gateway.url, key)
    clients.push(client)
    const first = await client.respond({ input: [question('say: the password is tulip')], store: false })
    const compacted = await fetch(`${gateway.url}/v1/responses/compact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox-chat',
        input: [question('say: the password is tulip'), ...first.output],
      }),
    })
    expect(compacted.status).toBe(200)
    const { output } = (await compacted.json()) as { output: readonly unknown[] }
    const second = await client.respond({ input: [...output, question('say: compacted')], store: false })
    expect(textOf(second)).toContain('compacted')
    const next = { input: [question('say: third')], store: false, previous_response_id: second.id }
    expect(textOf(await client.respond(next))).toEndWith('third')
  })

  test('goes on from a compaction that the connection was asked for', async () => {
    const client = await SocketClient.connect(gateway.url, await keyFor(gateway, supplier))
    clients.push(client)
    const first = await client.respond({ input: [question('say: the password is tulip')], store: false })
    const compacted = await client.respond({
      input: [{ type: 'compaction_trigger' }],
      store: false,
      previous_response_id: first.id,
    })
    expect(compacted.output.map(({ type }) => type)).toContain('compaction')
    const fresh = await client.respond({ input: [...compacted.output, question('say: fresh')], store: false })
    expect(textOf(fresh)).toContain('fresh')
  })
})
