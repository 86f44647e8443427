import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openAccount } from '../support/accounts.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { finalResponse, ResponsesClient, textOf } from './support/responses-client.ts'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from './support/suppliers.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())

/** All the supplier was given with the last call. */
const lastPrompt = () => JSON.stringify(gateway.sandbox.calls.at(-1)?.body)

describe.each(SUPPLIERS)('spec 4.2: previous_response_id over a %s supplier', (format, supplier) => {
  let client: ResponsesClient
  beforeAll(async () => {
    client = new ResponsesClient(gateway, await keyFor(gateway, supplier))
  })

  test('a whole response continues a whole one, and that one another', async () => {
    const first = await client.create({ input: 'say: the password is tulip', instructions: 'Be brief.' })
    expect(textOf(first)).toBe('the password is tulip')
    const second = await client.create({ input: 'say: second', previous_response_id: first.id })
    expect(lastPrompt()).toContain('say: the password is tulip')
    expect(lastPrompt().match(/the password is tulip/g)).toHaveLength(2)
    // Instructions belong to one response only.
    expect(lastPrompt()).not.toContain('Be brief.')
    expect(lastPrompt()).not.toContain('previous_response_id')
    await client.create({ input: [{ role: 'user', content: 'say: third' }], previous_response_id: second.id })
    const words = [
      'say: the password is tulip',
      'the password is tulip',
      'say: second',
      'second',
      'say: third',
    ]
    let from = 0
    for (const said of words) {
      from = lastPrompt().indexOf(`"${said}"`, from)
      expect([said, from > 0]).toEqual([said, true])
    }
    expect(gateway.sandbox.calls.at(-1)?.path).toContain(
      { 'chat-completion': '/chat/completions', responses: '/responses', messages: '/messages' }[
        format as string
      ] ?? ':generateContent',
    )
  })

  test('a stream can continue another as soon as that one has ended', async () => {
    const events = await client.stream({ input: 'say: tulips and daffodils' })
    const first = finalResponse(events)
    const next = await client.stream({ input: 'say: more', previous_response_id: first.id })
    expect(lastPrompt().match(/tulips and daffodils/g)).toHaveLength(2)
    await client.create({ input: 'say: whole', previous_response_id: finalResponse(next).id })
    expect(lastPrompt().match(/tulips and daffodils/g)).toHaveLength(2)
    expect(lastPrompt()).toContain('say: more')
  })

  test('a response has one id from its first event to the stored object', async () => {
    const events = await client.stream({ input: 'say: one id' })
    const ids = events.flatMap(({ response }) => (response as { id: string } | undefined)?.id ?? [])
    expect(ids.length).toBeGreaterThanOrEqual(3)
    expect(new Set(ids).size).toBe(1)
    const kept = await client.retrieve(ids[0] ?? '')
    expect(kept.id).toBe(ids[0] ?? '')
    expect(kept.output).toEqual(finalResponse(events).output)
  })

  test('a stored response shows the client’s own parameters, whatever the supplier received', async () => {
    const first = await client.create({ input: 'say: asked' })
    const second = await client.create({ input: 'say: again', previous_response_id: first.id })
    expect(await client.retrieve(first.id)).toMatchObject({ store: true, previous_response_id: null })
    expect(await client.retrieve(second.id)).toMatchObject({
      store: true,
      previous_response_id: first.id,
      created: expect.any(Number),
      output: second.output,
    })
  })

  test('a response names the one it continues, whole and in every event', async () => {
    const first = await client.create({ input: 'say: first' })
    expect(first.previous_response_id).toBeNull()
    const previous = { previous_response_id: first.id }
    const second = await client.create({ input: 'say: second', ...previous })
    expect(second).toMatchObject(previous)
    expect(await client.create({ input: 'say: unkept', store: false, ...previous })).toMatchObject(previous)
    const events = await client.stream({ input: 'say: third', previous_response_id: second.id })
    const named = events.flatMap(({ response }) => (response === undefined ? [] : [response]))
    expect(named.length).toBeGreaterThanOrEqual(3)
    for (const response of named) expect(response).toMatchObject({ previous_response_id: second.id })
    const unlinked = await client.stream({ input: 'say: unlinked' })
    expect(finalResponse(unlinked).previous_response_id).toBeNull()
  })

  test('a response says whether it is stored, whole and in every event', async () => {
    for (const store of [true, false]) {
      expect(await client.create({ input: 'say: kept?', store })).toMatchObject({ store, background: false })
      const events = await client.stream({ input: 'say: kept?', store })
      const told = events.flatMap(({ response }) => (response === undefined ? [] : [response]))
      expect(told.length).toBeGreaterThanOrEqual(3)
      for (const response of told) expect(response).toMatchObject({ store, background: false })
    }
    expect(await client.create({ input: 'say: by default' })).toMatchObject({ store: true })
  })

  test('a tool loop goes on from the stored call', async () => {
    const tools = [
      {
        type: 'function',
        name: 'weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ]
    const first = await client.create({ model: 'sandbox-tools', input: 'Weather in Oslo?', tools })
    const call = first.output.find(({ type }) => type === 'function_call')
    expect(call?.name).toBe('weather')
    const second = await client.create({
      model: 'sandbox-tools',
      tools,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id, output: 'Snow' }],
    })
    expect(textOf(second)).toBe('weather returned: Snow')
  })

  test('thoughts go back to the supplier that had them, signed', async () => {
    const first = await client.create({
      model: 'sandbox-reasoner',
      input: 'Weather in Oslo?',
      reasoning: { effort: 'low' },
      tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
    })
    const call = first.output.find(({ type }) => type === 'function_call')
    const second = await client.create({
      model: 'sandbox-reasoner',
      reasoning: { effort: 'low' },
      tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id, output: 'Snow' }],
    })
    expect(textOf(second)).toContain('weather returned: Snow')
    expect(second.status).toBe('completed')
  })
})

test('a conversation goes on over another supplier of another format', async () => {
  const account = await openAccount(gateway)
  let previous: string | null = null
  for (const [, supplier] of [...SUPPLIERS, ...SUPPLIERS.toReversed()]) {
    const client = new ResponsesClient(gateway, await keyFor(gateway, supplier, account))
    const response = await client.create({ input: `say: by ${supplier}`, previous_response_id: previous })
    expect(textOf(response)).toBe(`by ${supplier}`)
    previous = response.id
  }
  for (const [, supplier] of SUPPLIERS) expect(lastPrompt()).toContain(`by ${supplier}`)
})
