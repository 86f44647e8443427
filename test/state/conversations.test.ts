import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from './support/suppliers.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const MODEL = 'sandbox-chat'

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}

async function newClient(): Promise<OpenAI> {
  return clientOf((await createLoneKey(gateway)).secret)
}

const user = (content: string) => ({ role: 'user' as const, content })
const said = (content: string) => ({ role: 'assistant' as const, content })

/** Every item of a conversation, oldest first, over as many pages as it takes. */
async function itemsOf(
  client: OpenAI,
  id: string,
  limit = 100,
): Promise<OpenAI.Conversations.ConversationItem[]> {
  const items: OpenAI.Conversations.ConversationItem[] = []
  for await (const item of client.conversations.items.list(id, { order: 'asc', limit })) items.push(item)
  return items
}

async function textsOf(client: OpenAI, id: string): Promise<string[]> {
  const items = await itemsOf(client, id)
  return items.flatMap((item) =>
    item.type === 'message' ? item.content.map((part) => ('text' in part ? part.text : part.type)) : [],
  )
}

async function refusalOf(promise: PromiseLike<unknown>): Promise<unknown[]> {
  try {
    await promise
  } catch (error) {
    if (error instanceof OpenAI.APIError) return [error.status, error.code, error.param ?? null]
    throw error
  }
  throw new Error('it was not refused')
}

describe.each(OPENAI_SDKS.map(([name, , make]) => ({ name, make })))('with $name', ({ make }) => {
  test('a conversation is created, changed, listed and deleted', async () => {
    const { secret } = await createLoneKey(gateway)
    const client = make({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const created = await client.conversations.create({
      items: [user('one'), { role: 'assistant', content: 'two' }],
      metadata: { topic: 'numbers' },
    })
    expect(created).toEqual({
      id: expect.stringMatching(/^conv_/),
      object: 'conversation',
      created_at: Math.floor(clock.nowMs() / 1_000),
      metadata: { topic: 'numbers' },
    })
    const { id } = created
    expect(await client.conversations.retrieve(id)).toEqual(created)
    expect(await client.conversations.update(id, { metadata: { topic: 'letters' } })).toEqual({
      ...created,
      metadata: { topic: 'letters' },
    })
    const added = await client.conversations.items.create(id, { items: [user('three')] })
    expect(added).toMatchObject({ object: 'list', has_more: false })
    const [third] = added.data
    expect(third).toEqual({
      type: 'message',
      id: added.first_id,
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'three' }],
    } as never)
    const itemId = added.last_id
    expect(await client.conversations.items.retrieve(itemId, { conversation_id: id })).toEqual(third as never)
    const newest = await client.conversations.items.list(id, { limit: 1 })
    expect([newest.data[0], newest.has_more]).toEqual([third as never, true])
    const seen: unknown[] = []
    for await (const item of client.conversations.items.list(id, { order: 'asc', limit: 1 })) seen.push(item)
    expect(seen).toHaveLength(3)
    expect(await client.conversations.items.delete(itemId, { conversation_id: id })).toMatchObject({ id })
    expect((await client.conversations.items.list(id)).data).toHaveLength(2)
    expect(await client.conversations.delete(id)).toEqual({
      id,
      object: 'conversation.deleted',
      deleted: true,
    })
    const again = client.conversations.retrieve(id).then(
      () => 200,
      ({ status }) => status,
    )
    expect(await again).toBe(404)
  })

  test('an empty one needs no body', async () => {
    const { secret } = await createLoneKey(gateway)
    const client = make({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const { id, metadata } = await client.conversations.create()
    expect(metadata).toEqual({})
    expect((await client.conversations.items.list(id)).data).toEqual([])
  })
})

describe.each(SUPPLIERS)('with a supplier that speaks %s', (_format, supplier) => {
  test('responses continue a conversation, whole and streamed', async () => {
    const client = clientOf(await keyFor(gateway, supplier))
    const { id } = await client.conversations.create({ items: [user('zero?'), said('zero')] })
    const first = await client.responses.create({ model: MODEL, input: 'say: one', conversation: id })
    expect(first.conversation).toEqual({ id })
    expect(await textsOf(client, id)).toEqual(['zero?', 'zero', 'say: one', 'one'])
    const stream = client.responses.stream({
      model: MODEL,
      input: 'say: two',
      conversation: { id },
    })
    for await (const event of stream) {
      if ('response' in event) expect(event.response.conversation).toEqual({ id })
      // What the last event tells is there before it arrives.
      if (event.type === 'response.completed') expect(await textsOf(client, id)).toHaveLength(6)
    }
    const third = await client.responses.create({ model: MODEL, input: 'repeat', conversation: id })
    const items = await itemsOf(client, id)
    expect(items).toHaveLength(8)
    expect(items.at(-1)?.id).toBe(third.output.at(-1)?.id ?? '')
    // The simulator counts the words of its whole prompt.
    expect(third.usage?.input_tokens ?? 0).toBeGreaterThan(first.usage?.input_tokens ?? 0)
  })
})

describe('a response in a conversation', () => {
  test('lists the conversation before it as its input, and can be continued by its id', async () => {
    const client = await newClient()
    const { id } = await client.conversations.create({ items: [user('say: zero')] })
    await client.responses.create({ model: MODEL, input: 'say: one', conversation: id })
    const second = await client.responses.create({ model: MODEL, input: 'say: two', conversation: id })
    await client.responses.create({ model: MODEL, input: 'say: three', conversation: id })
    const input: unknown[] = []
    for await (const item of client.responses.inputItems.list(second.id, { order: 'asc', limit: 2 })) {
      input.push(item.id)
    }
    const items = await itemsOf(client, id)
    expect(input.slice(0, 3)).toEqual(items.slice(0, 3).map((item) => item.id as never))
    expect(input).toHaveLength(4)
    const branch = await client.responses.create({
      model: MODEL,
      input: 'say: else',
      previous_response_id: second.id,
    })
    expect(branch.conversation ?? null).toBeNull()
    const whole = await client.responses.inputItems.list(branch.id, { limit: 100 })
    expect(whole.data).toHaveLength(6)
    expect(await itemsOf(client, id)).toHaveLength(7)
    expect((await client.responses.retrieve(second.id)).conversation).toEqual({ id })
    await client.conversations.delete(id)
    expect(await refusalOf(client.responses.inputItems.list(second.id))).toEqual([404, 'not_found', null])
    expect((await client.responses.retrieve(second.id)).id).toBe(second.id)
  })

  test('is added to it also when it is not stored itself', async () => {
    const client = await newClient()
    const { id } = await client.conversations.create()
    const request = { model: MODEL, input: 'say: one', conversation: id, store: false }
    const response = await client.responses.create(request)
    expect(response).toMatchObject({ store: false })
    expect(await textsOf(client, id)).toEqual(['say: one', 'one'])
    expect(await refusalOf(client.responses.retrieve(response.id))).toEqual([404, 'not_found', null])
  })

  test('is refused where it continues another response too, or the conversation is unknown', async () => {
    const client = await newClient()
    const { id } = await client.conversations.create()
    const { id: previous } = await client.responses.create({ model: MODEL, input: 'say: one' })
    const both = { model: MODEL, input: 'Hi', conversation: id, previous_response_id: previous }
    expect(await refusalOf(client.responses.create(both))).toEqual([
      400,
      'invalid_request',
      'previous_response_id',
    ])
    for (const conversation of ['conv_none', 'é', { id: 'conv_none' }]) {
      expect(await refusalOf(client.responses.create({ model: MODEL, input: 'Hi', conversation }))).toEqual([
        404,
        'not_found',
        'conversation',
      ])
    }
    expect(await itemsOf(client, id)).toEqual([])
  })

  test('of many at the same time none loses its items', async () => {
    const client = await newClient()
    const { id } = await client.conversations.create()
    const words = Array.from({ length: 8 }, (_, index) => `word${index}`)
    await Promise.all(
      words.map((word, index) =>
        index % 2 === 0
          ? client.responses.create({ model: MODEL, input: `say: ${word}`, conversation: id })
          : client.conversations.items.create(id, { items: [user(`say: ${word}`), user(word)] }),
      ),
    )
    const texts = await textsOf(client, id)
    expect(texts).toHaveLength(16)
    for (const word of words) expect(texts[texts.indexOf(`say: ${word}`) + 1]).toBe(word)
  })

  test('that cannot be added to it ends with an error', async () => {
    const client = await newClient()
    const { id } = await client.conversations.create()
    const { addConversationItems: real } = gateway.storage
    Object.assign(gateway.storage, { addConversationItems: () => Promise.reject(new Error('disk full')) })
    try {
      const request = { model: MODEL, input: 'say: one', conversation: id }
      expect(await refusalOf(client.responses.create(request))).toEqual([
        503,
        'temporarily_unavailable',
        null,
      ])
      const types: string[] = []
      const stream = await client.responses.create({ ...request, stream: true })
      const reading = (async () => {
        for await (const event of stream) types.push(event.type)
      })()
      await expect(reading).rejects.toThrow('could not be added to its conversation')
      expect(types).toContain('response.created')
      expect(types).not.toContain('response.completed')
    } finally {
      Object.assign(gateway.storage, { addConversationItems: real })
    }
    expect(await itemsOf(client, id)).toEqual([])
  })
})

describe('a conversation', () => {
  test('of another account does not exist, and colleagues share one', async () => {
    const account = await openAccount(gateway)
    const owner = clientOf((await createKey(gateway, account)).secret)
    const colleague = clientOf((await createKey(gateway, account)).secret)
    const stranger = await newClient()
    const { id } = await owner.conversations.create({ items: [user('ours')] })
    const [item] = await itemsOf(colleague, id)
    const itemId = item?.id ?? ''
    const notFound = [404, 'not_found', null]
    const { conversations } = stranger
    expect(await refusalOf(conversations.retrieve(id))).toEqual(notFound)
    expect(await refusalOf(conversations.update(id, { metadata: {} }))).toEqual(notFound)
    expect(await refusalOf(conversations.delete(id))).toEqual(notFound)
    expect(await refusalOf(conversations.items.list(id))).toEqual(notFound)
    expect(await refusalOf(conversations.items.create(id, { items: [user('mine')] }))).toEqual(notFound)
    expect(await refusalOf(conversations.items.retrieve(itemId, { conversation_id: id }))).toEqual(notFound)
    expect(await refusalOf(conversations.items.delete(itemId, { conversation_id: id }))).toEqual(notFound)
    expect(
      await refusalOf(stranger.responses.create({ model: MODEL, input: 'Hi', conversation: id })),
    ).toEqual([404, 'not_found', 'conversation'])
    expect(await textsOf(owner, id)).toEqual(['ours'])
  })

  test('holds items that a client refers to by id', async () => {
    const client = await newClient()
    const { output } = await client.responses.create({ model: MODEL, input: 'say: kept' })
    const reference = { type: 'item_reference' as const, id: output[0]?.id ?? '' }
    const { id } = await client.conversations.create({ items: [reference] })
    expect(await textsOf(client, id)).toEqual(['kept'])
    const unknown = { type: 'item_reference' as const, id: 'msg_none' }
    expect(await refusalOf(client.conversations.create({ items: [unknown] }))).toEqual([
      400,
      'invalid_request',
      'items[0]',
    ])
  })

  test.each([
    ['after', 'msg_none'],
    ['after', 'é'],
    ['limit', '0'],
    ['limit', '101'],
    ['order', 'up'],
  ])('is not listed with %s=%s', async (name, value) => {
    const client = await newClient()
    const { id } = await client.conversations.create({ items: [user('one')] })
    const query = { [name]: value } as never
    expect(await refusalOf(client.conversations.items.list(id, query))).toEqual([
      400,
      'invalid_request',
      name,
    ])
  })

  test('is kept for 30 days after its last use', async () => {
    const client = await newClient()
    const { id } = await client.conversations.create()
    clock.advance(20 * DAY_MS)
    await client.responses.create({ model: MODEL, input: 'say: one', conversation: id })
    clock.advance(20 * DAY_MS)
    expect(await textsOf(client, id)).toEqual(['say: one', 'one'])
    clock.advance(10 * DAY_MS)
    expect(await refusalOf(client.conversations.retrieve(id))).toEqual([404, 'not_found', null])
    while ((await gateway.storage.deleteExpiredConversations(clock.nowMs(), 2)) > 0);
  })
})
