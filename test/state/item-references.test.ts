import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { readError } from '../support/chat.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type Fields, ResponsesClient, textOf } from './support/responses-client.ts'
import { addSingleFormatSuppliers, keyFor, SUPPLIERS } from './support/suppliers.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await addSingleFormatSuppliers(gateway)
})
afterAll(() => gateway.stop())

/** Every body the client has sent, so that a test can see whether it referred to anything. */
function watchedClient(apiKey: string) {
  const sent: Fields[] = []
  const watchedFetch = (url: string | URL | Request, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)))
    return fetch(url, init)
  }
  const client = createOpenAI({
    apiKey,
    baseURL: `${gateway.url}/v1`,
    fetch: Object.assign(watchedFetch, { preconnect: fetch.preconnect }),
  })
  return { sent, client }
}

const referencesIn = ({ input }: Fields) =>
  (input as Fields[]).filter(({ type }) => type === 'item_reference').map(({ id }) => String(id))

const LOOPS = {
  generateText: (options: Parameters<typeof generateText>[0]) => generateText(options),
  streamText: (options: Parameters<typeof generateText>[0]) =>
    streamText(options as Parameters<typeof streamText>[0]),
}

describe.each(SUPPLIERS)('the AI SDK with its default of storing, over a %s supplier', (format, supplier) => {
  test.each(Object.entries(LOOPS))('%s: a reasoning tool loop of several steps', async (_name, run) => {
    const { sent, client } = watchedClient(await keyFor(gateway, supplier))
    const cities: string[] = []
    const result = run({
      model: client.responses('sandbox-reasoner'),
      prompt:
        'use tool weather with {"city":"Oslo"} then use tool weather with {"city":"Rome"} and use tool weather with {"city":"Lima"}',
      providerOptions: {
        openai: { forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto' },
      },
      tools: {
        weather: tool({
          inputSchema: jsonSchema<{ city: string }>({
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          }),
          execute: ({ city }) => {
            cities.push(city)
            return `sun in ${city}`
          },
        }),
      },
      stopWhen: stepCountIs(6),
      maxRetries: 0,
    })
    const { steps: pendingSteps, text } = await result
    const steps = await pendingSteps
    expect(cities).toEqual(['Oslo', 'Rome', 'Lima'])
    expect(await text).toContain('sun in Lima')
    expect(steps).toHaveLength(4)
    expect(steps.every(({ reasoningText }) => (reasoningText ?? '') !== '')).toBe(true)
    // Each later step refers to the thoughts of all steps before it; a call's own signature is one more.
    const thoughts = format === 'content-generation' ? 2 : 1
    expect(sent.map((body) => referencesIn(body).length)).toEqual([0, thoughts, 2 * thoughts, 3 * thoughts])
    // The supplier has got the thoughts themselves, for it knows nothing of references.
    const { body } = gateway.sandbox.calls.at(-1) ?? {}
    expect(JSON.stringify(body)).not.toContain('item_reference')
    expect(gateway.log.troubles).toEqual([])
  })
})

describe.each(SUPPLIERS)('a reference over a %s supplier', (_format, supplier) => {
  let client: ResponsesClient
  beforeAll(async () => {
    client = new ResponsesClient(gateway, await keyFor(gateway, supplier))
  })

  test.each([{ type: 'item_reference' }, {}])('%j stands for the item it names', async (kind) => {
    const first = await client.create({ input: 'say: tulips' })
    const input = [
      { role: 'user', content: 'say: what?' },
      { ...kind, id: first.output[0]?.id },
      { role: 'user', content: 'say: daffodils' },
    ]
    expect(textOf(await client.create({ input }))).toBe('daffodils')
    const prompt = JSON.stringify(gateway.sandbox.calls.at(-1)?.body)
    expect(prompt.indexOf('say: what?')).toBeLessThan(prompt.indexOf('tulips'))
    expect(prompt.indexOf('tulips')).toBeLessThan(prompt.indexOf('say: daffodils'))
  })

  test('may be combined with previous_response_id, and is stored resolved', async () => {
    const first = await client.create({ input: 'say: tulips' })
    const other = await client.create({ input: 'say: roses' })
    const input = [
      { type: 'item_reference', id: other.output[0]?.id },
      { role: 'user', content: 'say: both' },
    ]
    const second = await client.create({ input, previous_response_id: first.id })
    await client.delete(other.id)
    await client.create({ input: 'say: still', previous_response_id: second.id })
    const prompt = JSON.stringify(gateway.sandbox.calls.at(-1)?.body)
    for (const said of ['say: tulips', 'roses', 'say: both', 'say: still']) expect(prompt).toContain(said)
  })
})

describe('a reference that cannot be resolved', () => {
  let client: ResponsesClient
  let itemId: string
  beforeAll(async () => {
    client = new ResponsesClient(gateway, await keyFor(gateway, 'only-responses'))
    itemId = (await client.create({ input: 'say: tulips' })).output[0]?.id ?? ''
  })

  const reference = (id: unknown) => ({ type: 'item_reference', id })
  const refusalOf = async (input: unknown) => {
    const response = await client.send({ input })
    const { code, param } = await readError(response)
    return [response.status, code, param]
  }

  test('is refused with its position in the input', async () => {
    const hello = { role: 'user', content: 'Hello' }
    expect(await refusalOf([hello, reference('msg_none')])).toEqual([400, 'invalid_request', 'input[1]'])
    expect(await refusalOf([reference(itemId), reference('msg_none')])).toEqual([
      400,
      'invalid_request',
      'input[1]',
    ])
    expect(await refusalOf([reference('\u0000')])).toEqual([400, 'invalid_request', 'input[0]'])
    expect(await refusalOf([reference(7)])).toEqual([400, 'invalid_request', 'input[0].id'])
    expect(await refusalOf([reference('')])).toEqual([400, 'invalid_request', 'input[0].id'])
  })

  test('is refused when repeated: a few bytes must not become many', async () => {
    expect(await refusalOf([reference(itemId), reference(itemId)])).toEqual([400, 'invalid_request', 'input'])
  })

  test('is refused when there are too many', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => reference(`msg_${index}`))
    expect(await refusalOf(many)).toEqual([400, 'invalid_request', 'input'])
  })

  test('is refused once the response it was part of is deleted', async () => {
    const { id, output } = await client.create({ input: 'say: gone' })
    await client.delete(id)
    expect(await refusalOf([reference(output[0]?.id)])).toEqual([400, 'invalid_request', 'input[0]'])
  })

  test('is refused when the response was sent with store: false', async () => {
    const { output } = await client.create({ input: 'say: never kept', store: false })
    expect(await refusalOf([reference(output[0]?.id)])).toEqual([400, 'invalid_request', 'input[0]'])
  })
})
