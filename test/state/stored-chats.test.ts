import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import { createLoneKey } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from './support/suppliers.ts'

const MODEL = 'sandbox-chat'

const clock = createMovableClock()
let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const newClient = async () => clientOf((await createLoneKey(gateway)).secret)

const ask = (content: string, metadata: Record<string, string> = {}) => ({
  model: MODEL,
  messages: [{ role: 'user' as const, content }],
  store: true,
  metadata,
})

async function refusalOf(promise: PromiseLike<unknown>): Promise<unknown[]> {
  try {
    await promise
  } catch (error) {
    if (error instanceof OpenAI.APIError) return [error.status, error.code, error.param ?? null]
    throw error
  }
  throw new Error('it was not refused')
}

describe.each(SUPPLIERS)('with a supplier that speaks %s', (_format, supplier) => {
  test('a stored completion is the one the client got, whole and streamed', async () => {
    const client = clientOf(await keyFor(gateway, supplier))
    const whole = await client.chat.completions.create(ask('say: one', { topic: 'a' }))
    expect(await client.chat.completions.retrieve(whole.id)).toMatchObject({
      id: whole.id,
      object: 'chat.completion',
      model: whole.model,
      choices: whole.choices as never,
      usage: whole.usage as never,
      metadata: { topic: 'a' },
    })
    let id = ''
    let text = ''
    for await (const chunk of await client.chat.completions.create({
      ...ask('say: two words'),
      stream: true,
    })) {
      id = chunk.id
      text += chunk.choices[0]?.delta.content ?? ''
    }
    const stored = await client.chat.completions.retrieve(id)
    expect(text).toBe('two words')
    expect(stored).toMatchObject({ id, object: 'chat.completion', metadata: {} })
    expect(stored.choices).toMatchObject([
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'two words' } },
    ])
    expect(stored.usage?.total_tokens).toBeGreaterThan(0)
  })
})

test('only what a client asks to store is stored', async () => {
  const client = await newClient()
  const { id } = await client.chat.completions.create({ ...ask('say: one'), store: false, metadata: null })
  expect(await refusalOf(client.chat.completions.retrieve(id))).toEqual([404, 'not_found', null])
  expect((await client.chat.completions.list()).data).toEqual([])
})

test('completions are listed page by page, by model and by metadata', async () => {
  const client = await newClient()
  for (const word of ['a', 'b', 'c', 'd', 'e']) {
    await client.chat.completions.create(
      ask(`say: ${word}`, { word, kind: 'aeiou'.includes(word) ? 'v' : 'c' }),
    )
    clock.advance(1)
  }
  const words = async (query: OpenAI.Chat.Completions.ChatCompletionListParams) => {
    const found: (string | null | undefined)[] = []
    for await (const { choices } of client.chat.completions.list(query))
      found.push(choices[0]?.message.content)
    return found
  }
  expect(await words({ limit: 2 })).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(await words({ limit: 2, order: 'desc' })).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect(await words({ limit: 1, metadata: { kind: 'v' } })).toEqual(['a', 'e'])
  expect(await words({ metadata: { kind: 'v', word: 'e' } })).toEqual(['e'])
  expect(await words({ metadata: { kind: 'x' } })).toEqual([])
  expect(await words({ model: MODEL })).toHaveLength(5)
  expect(await words({ model: 'other' })).toEqual([])
  expect(await refusalOf(client.chat.completions.list({ after: 'nobody' }))).toEqual([
    400,
    'invalid_request',
    'after',
  ])
})

test('metadata is changed, messages are listed, and a deleted one is gone', async () => {
  const client = await newClient()
  const messages = [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'say: one' }] },
  ]
  const { id } = await client.chat.completions.create({ ...ask(''), messages })
  const changed = await client.chat.completions.update(id, { metadata: { topic: 'new' } })
  expect(changed).toMatchObject({ id, metadata: { topic: 'new' } })
  const listed: unknown[] = []
  for await (const message of client.chat.completions.messages.list(id, { limit: 1 })) listed.push(message)
  expect(listed).toEqual([
    { id: `${id}-0`, role: 'system', content: 'Be brief.', content_parts: null },
    { id: `${id}-1`, role: 'user', content: 'say: one', content_parts: messages[1]?.content },
  ])
  const stranger = await newClient()
  const completions = stranger.chat.completions
  const notFound = [404, 'not_found', null]
  expect(await refusalOf(completions.retrieve(id))).toEqual(notFound)
  expect(await refusalOf(completions.update(id, { metadata: {} }))).toEqual(notFound)
  expect(await refusalOf(completions.messages.list(id))).toEqual(notFound)
  expect(await refusalOf(completions.delete(id))).toEqual(notFound)
  expect(await refusalOf(client.responses.retrieve(id))).toEqual(notFound)
  expect(await client.chat.completions.delete(id)).toEqual({
    id,
    object: 'chat.completion.deleted',
    deleted: true,
  })
  expect(await refusalOf(client.chat.completions.retrieve(id))).toEqual(notFound)
})
