import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generate } from '../images/image-requests.ts'
import { refusalOf } from '../support/chat.ts'
import { type AbortStage, openAbortStage } from './support/abort-stage.ts'
import { type CuedSupplier, startCuedSupplier } from './support/cued-supplier.ts'

const PROMPT = 'A prompt of a few words.'
const HEDGED = { capabilities: { hedgeAfterMs: 1 } }

let stage: AbortStage
let first: CuedSupplier
let second: CuedSupplier
/** The prompt of one request, by the estimate. */
let promptTokens = 0

beforeAll(async () => {
  stage = await openAbortStage()
  first = startCuedSupplier()
  second = startCuedSupplier()
  for (const aborts of ['free', 'prompt'] as const) {
    await stage.addSupplier(`first-${aborts}`, { format: 'chat-completion', aborts, url: first.url })
    await stage.addSupplier(`second-${aborts}`, { format: 'chat-completion', aborts, url: second.url })
  }
  await stage.addModel('alone', ['first-prompt'])
  promptTokens = (await leaveUnanswered('alone', 1)).usage.input
  expect(promptTokens).toBeGreaterThan(4)
})
afterAll(async () => {
  await stage.gateway.stop()
  await first.stop()
  await second.stop()
})

/** Leaves when the first supplier, and the second if it is asked, have so many calls and answer none. */
async function leaveUnanswered(model: string, firstCalls: number, secondCalls = 0) {
  first.perform(null)
  second.perform(null)
  const asked = await stage.ask('chat-completion', { text: PROMPT, model, mode: 'whole' })
  await first.called(firstCalls)
  if (secondCalls > 0) await second.called(secondCalls)
  asked.leave()
  return stage.settlementOf(asked)
}

describe('the client leaves while two candidates are called', () => {
  test.each([
    ['prompt', 'prompt', 'first-prompt'],
    ['free', 'prompt', 'second-prompt'],
    ['prompt', 'free', 'first-prompt'],
  ] as const)('%s and %s: it pays %s, and once', async (one, other, supplier) => {
    const model = `hedged-${one}-${other}`
    await stage.addModel(model, [`first-${one}`, `second-${other}`], HEDGED)
    const settlement = await leaveUnanswered(model, 1, 1)
    expect(settlement).toMatchObject({
      supplier,
      outcome: 'client_left',
      usage: { input: promptTokens, output: 0 },
      notes: ['abort_charged'],
    })
    expect(settlement.attempts.map(({ result }) => result)).toEqual(['client_left', 'client_left'])
  })

  test('free and free: nothing', async () => {
    await stage.addModel('hedged-free', ['first-free', 'second-free'], HEDGED)
    expect(await leaveUnanswered('hedged-free', 1, 1)).toMatchObject({
      supplier: null,
      amount: '0',
      notes: [],
    })
  })
})

test('a candidate that failed before costs nothing', async () => {
  await stage.addSupplier('refusing', {
    format: 'chat-completion',
    aborts: 'prompt',
    url: `${stage.gateway.sandbox.url}/nowhere`,
  })
  await stage.addModel('failed-over', ['refusing', 'second-free'])
  second.perform(null)
  const asked = await stage.ask('chat-completion', { text: PROMPT, model: 'failed-over', mode: 'whole' })
  await second.called(1)
  asked.leave()
  const settlement = await stage.settlementOf(asked)
  expect(settlement).toMatchObject({ supplier: null, amount: '0', notes: [] })
  expect(settlement.attempts.map(({ result }) => result)).toEqual(['failed', 'client_left'])
})

describe('a supplier that gives one answer for a call', () => {
  const reply = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'yes' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  }
  const several = (n: number, model: string) =>
    stage.ask('chat-completion', { text: PROMPT, model, mode: 'whole', fields: { n } })

  test('is called eight times at once, and owed for each call when the client leaves', async () => {
    await stage.addRoute('single', { format: 'messages', aborts: 'prompt', url: first.url })
    first.perform(null)
    const asked = await several(20, 'single')
    const calls = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((count) => first.called(count)))
    asked.leave()
    await Promise.all(calls.map(({ isLeft }) => isLeft))
    expect(await stage.settlementOf(asked)).toMatchObject({
      supplier: 'single',
      usage: { input: 8 * promptTokens },
      notes: ['abort_charged'],
    })
    expect(first.calls.length).toBe(8)
  })

  test('gives as many answers as were asked for', async () => {
    first.perform(reply)
    const asked = await several(20, 'single')
    const { choices } = (await (await asked.response).json()) as { choices: unknown[] }
    expect([choices.length, first.calls.length]).toEqual([20, 20])
    expect(await stage.settlementOf(asked)).toMatchObject({ usage: { input: 200, output: 20 } })
  })

  test.each([
    ['requests', { rpm: 12 }],
    ['tokens', { tpm: 12 * 600 }],
  ])('has each call counted in its %s per minute', async (name, credential) => {
    await stage.addRoute(`limited-${name}`, { format: 'messages', aborts: null, url: first.url, credential })
    first.perform(reply)
    const status = async (n: number) => (await (await several(n, `limited-${name}`)).response).status
    expect(await status(10)).toBe(200)
    const refused = await several(4, `limited-${name}`)
    expect(await refusalOf(await refused.response)).toEqual([429, 'supplier_rate_limited'])
    expect(await status(2)).toBe(200)
  })
})

describe('images', () => {
  const image = { owned_by: 'tests', kinds: ['image'] }
  const draw = (model: string) =>
    stage.begin((key, signal) => generate(stage.gateway, { model, prompt: PROMPT }, { key, signal }))

  test.each(['free', 'prompt'] as const)(
    'aborts: %s, the client leaves before the first byte',
    async (aborts) => {
      await stage.addSupplier(`painter-${aborts}`, { format: 'images', aborts, url: first.url })
      await stage.addModel(`painter-${aborts}`, [`painter-${aborts}`], image)
      first.perform(null)
      const asked = await draw(`painter-${aborts}`)
      const call = await first.called(1)
      asked.leave()
      await call.isLeft
      const settlement = await stage.settlementOf(asked)
      const input = aborts === 'free' ? 0 : settlement.usage.input
      if (aborts === 'prompt') expect(input).toBeGreaterThan(4)
      expect(settlement).toMatchObject({
        outcome: 'client_left',
        usage: { input, output: 0 },
        notes: aborts === 'free' ? [] : ['abort_charged'],
      })
    },
  )

  test('the client leaves while a finished image is fetched: as reported', async () => {
    const usage = { input_tokens: 30, output_tokens: 50, total_tokens: 80 }
    await stage.addSupplier('linking', { format: 'images', aborts: 'free', url: first.url })
    await stage.addModel('linking', ['linking'], image)
    first.perform({ created: 1, data: [{ url: `${first.url}/image.png` }], usage })
    // The first call gets the reply, the second one is for the image.
    const asked = await draw('linking')
    await first.called(1)
    first.perform(null)
    const fetching = await first.called(1)
    asked.leave()
    await fetching.isLeft
    expect(await stage.settlementOf(asked)).toMatchObject({
      supplier: 'linking',
      outcome: 'client_left',
      provenance: 'supplier',
      usage: { input: 30, output: 50, images: 1 },
      notes: [],
    })
  })
})

test('nothing was logged as a problem', () => {
  expect(stage.gateway.log.troubles).toEqual([])
})
