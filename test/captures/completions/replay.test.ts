import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TEST_PRICE } from '../../support/supply.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import { readEvents } from '../answers.ts'
import { isStreamed, type Recording, readRecordings, replay } from '../recordings.ts'

const RECORDINGS = readRecordings('completions')
const COMPLETIONS = RECORDINGS.filter(({ url }) => url === '/v1/completions')
const [STREAMED_IMAGE] = RECORDINGS.filter(({ url }) => url === '/v1/images/generations')

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const send = (recording: Recording) => replay(recording, { url: gateway.url, key: BOOTSTRAP_KEY })

async function addModel(upstream_model: string, capabilities: object): Promise<void> {
  const path = '/models/gpt-3.5-turbo-instruct'
  await gateway.operator('PUT', path, { owned_by: 'tests', capabilities })
  await gateway.operator('PUT', `${path}/routes/sandbox-openai`, { upstream_model, price: TEST_PRICE })
}

async function choicesOf(recording: Recording): Promise<number> {
  const response = await send(recording)
  expect(response.status).toBe(200)
  if (!isStreamed(recording)) {
    const reply = (await response.json()) as { object: string; choices: unknown[] }
    expect(reply.object).toBe('text_completion')
    return reply.choices.length
  }
  const events = readEvents(await response.text())
  expect(events.at(-1)).toBe('[DONE]')
  expect(events.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } })
  return 1
}

test('the recordings hold what they are kept for', () => {
  expect(COMPLETIONS).toHaveLength(5)
  expect(COMPLETIONS.some(isStreamed)).toBe(true)
})

describe('to a model with the capability', () => {
  beforeAll(() => addModel('sandbox-completion', { completions: true }))

  test('every request is answered', async () => {
    const counts: number[] = []
    for (const recording of COMPLETIONS) counts.push(await choicesOf(recording))
    expect(counts).toEqual([1, 1, 4, 1, 2])
  })
})

describe('to a model that answers conversations', () => {
  beforeAll(() => addModel('sandbox-chat', {}))

  test('requests that a conversation can express are answered', async () => {
    const counts: number[] = []
    for (const recording of COMPLETIONS.slice(0, 3)) counts.push(await choicesOf(recording))
    expect(counts).toEqual([1, 1, 4])
  })

  test('a suffix and tokens are refused', async () => {
    const codes: unknown[] = []
    for (const recording of COMPLETIONS.slice(3)) {
      const { error } = (await (await send(recording)).json()) as { error: { code: string; param: string } }
      codes.push([error.code, error.param])
    }
    expect(codes).toEqual([
      ['unsupported_parameter', 'suffix'],
      ['unsupported_parameter', 'prompt'],
    ])
  })
})

test('a stream of images is answered', async () => {
  if (STREAMED_IMAGE === undefined) throw new Error('it was not recorded')
  await gateway.operator('PUT', '/models/gpt-image-1', {
    owned_by: 'tests',
    kinds: ['image'],
    capabilities: { images: { responseFormat: 'none' } },
  })
  const route = { upstream_model: 'sandbox-image-base64', formats: ['images'], price: TEST_PRICE }
  await gateway.operator('PUT', '/models/gpt-image-1/routes/sandbox-openai', route)
  const events = readEvents(await (await send(STREAMED_IMAGE)).text())
  expect(events).toMatchObject([
    { type: 'image_generation.partial_image' },
    { type: 'image_generation.partial_image' },
    { type: 'image_generation.completed' },
  ])
})
