import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { estimateTokens } from '../../src/conversation/token-estimate.ts'
import { MODES, TEXT_FORMATS } from '../conformance/talk.ts'
import { never } from '../support/scripted-supplier.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { type AbortStage, type Asked, type Charged, openAbortStage } from './support/abort-stage.ts'
import { type CuedSupplier, startCuedSupplier } from './support/cued-supplier.ts'
import { messageStart, REPORTED_PROMPT, SCRIPTS } from './support/stream-scripts.ts'

// Each row of the table in docs/clients/aborts.md.

const POLICIES = ['free', 'prompt'] as const

const SENTENCE = '今天的天气非常好，我们一起去公园散步吧。'
const PROMPT = SENTENCE.repeat(100)
const ANSWER = SENTENCE.repeat(200)
const LAST_WORDS = 'the last words'

let stage: AbortStage
let supplier: CuedSupplier
/** Accepts connections and never answers, so that no handshake comes to its end. */
let mute: Bun.TCPSocketListener
let connected = Promise.withResolvers<void>()

beforeAll(async () => {
  stage = await openAbortStage()
  supplier = startCuedSupplier()
  mute = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: () => connected.resolve() },
  })
  for (const format of TEXT_FORMATS) {
    for (const policy of POLICIES) {
      const deaf = `https://127.0.0.1:${mute.port}`
      await stage.addRoute(`${format}-${policy}`, { format, aborts: policy, url: supplier.url })
      await stage.addRoute(`mute-${format}-${policy}`, { format, aborts: policy, url: deaf })
    }
  }
})
afterAll(async () => {
  await stage.gateway.stop()
  await supplier.stop()
  mute.stop(true)
})

function expectNothing(settlement: Charged): void {
  expect(settlement).toMatchObject({
    outcome: 'client_left',
    provenance: 'estimated',
    supplier: null,
    usage: { input: 0, output: 0 },
    notes: [],
  })
}

/** Within the error of the estimate. */
function expectAbout(tokens: number, expected: number): void {
  expect(tokens).toBeGreaterThan(expected * 0.85)
  expect(tokens).toBeLessThan(expected * 1.15)
}

const PROMPT_TOKENS = estimateTokens(PROMPT)
const ANSWER_TOKENS = estimateTokens(ANSWER)

/** Reads a stream up to these words, leaves, and waits until the supplier has been let go. */
async function leaveAfter(words: string, asked: Asked): Promise<void> {
  await new StreamReader(await asked.response).readUntil(words)
  asked.leave()
  await (await supplier.called(1)).isLeft
}

test('the estimates are those of Chinese text', () => {
  expect(PROMPT_TOKENS).toBeGreaterThan(PROMPT.length * 0.6)
  expect(ANSWER_TOKENS).toBeGreaterThan(ANSWER.length * 0.6)
})

describe.each(TEXT_FORMATS)('%s', (format) => {
  const script = SCRIPTS[format]

  describe.each(POLICIES)('aborts: %s, the client leaves', (policy) => {
    const model = `${format}-${policy}`

    test.each(MODES)('before the supplier has the request, %s: nothing', async (mode) => {
      connected = Promise.withResolvers<void>()
      const asked = await stage.ask(format, { text: PROMPT, model: `mute-${model}`, mode: mode })
      await connected.promise
      asked.leave()
      expectNothing(await stage.settlementOf(asked))
    })

    const owed = policy === 'free' ? 'nothing' : 'the prompt'
    test.each(MODES)(`before the first byte, %s: ${owed}`, async (mode) => {
      supplier.perform(null)
      const asked = await stage.ask(format, { text: PROMPT, model: model, mode: mode })
      const call = await supplier.called(1)
      asked.leave()
      await call.isLeft
      const settlement = await stage.settlementOf(asked)
      if (policy === 'free') return expectNothing(settlement)
      expect(settlement).toMatchObject({
        outcome: 'client_left',
        provenance: 'estimated',
        supplier: model,
        usage: { output: 0 },
        notes: ['abort_charged'],
      })
      expectAbout(settlement.usage.input, PROMPT_TOKENS)
    })

    test('in mid-stream without usage: prompt and delivered output', async () => {
      const texts = [...Array(200).fill(script.text(SENTENCE)), script.text(LAST_WORDS)]
      supplier.perform([...script.opening, ...texts, never()])
      const asked = await stage.ask(format, { text: PROMPT, model: model, mode: 'streamed' })
      await leaveAfter(LAST_WORDS, asked)
      const settlement = await stage.settlementOf(asked)
      expect(settlement).toMatchObject({ outcome: 'client_left', provenance: 'counted', notes: [] })
      expectAbout(settlement.usage.input, PROMPT_TOKENS)
      expectAbout(settlement.usage.output, ANSWER_TOKENS)
    })

    test('after usage has been reported: as reported', async () => {
      const reported = script.usage(7)
      const rest = reported === null ? [script.end(7)] : [reported, script.text(' '), never()]
      supplier.perform([...script.opening, script.text('x'), ...rest])
      const asked = await stage.ask(format, { text: PROMPT, model: model, mode: 'streamed' })
      if (reported === null) await new StreamReader(await asked.response).readToEnd()
      else await leaveAfter('" "', asked)
      const settlement = await stage.settlementOf(asked)
      expect(settlement).toMatchObject({
        // The end of this stream reports usage, so that there is nothing left to leave.
        outcome: reported === null ? 'completed' : 'client_left',
        provenance: 'supplier',
        usage: { input: REPORTED_PROMPT, output: 7 },
        notes: [],
      })
    })

    test('after the last event: as reported', async () => {
      supplier.perform([...script.opening, script.text('x'), script.end(9)])
      const asked = await stage.ask(format, { text: PROMPT, model: model, mode: 'streamed' })
      await new StreamReader(await asked.response).readToEnd()
      asked.leave()
      expect(await stage.settlementOf(asked)).toMatchObject({
        outcome: 'completed',
        provenance: 'supplier',
        usage: { input: REPORTED_PROMPT, output: 9 },
      })
    })
  })
})

describe('what a messages stream says at its beginning', () => {
  const { text, opening } = SCRIPTS.messages
  const [, blockStart = ''] = opening

  test('is the exact prompt in mid-stream', async () => {
    const usage = { input_tokens: 700, cache_read_input_tokens: 300, output_tokens: 1 }
    supplier.perform([messageStart(usage), blockStart, text(ANSWER), text(LAST_WORDS), never()])
    const asked = await stage.ask('messages', { text: PROMPT, model: 'messages-free', mode: 'streamed' })
    await leaveAfter(LAST_WORDS, asked)
    const settlement = await stage.settlementOf(asked)
    expect(settlement).toMatchObject({ provenance: 'counted', usage: { input: 700, cache_read: 300 } })
    expectAbout(settlement.usage.output, ANSWER_TOKENS)
  })

  test('is not the prompt when it is a placeholder', async () => {
    supplier.perform([
      messageStart({ input_tokens: 1, output_tokens: 1 }),
      blockStart,
      text(LAST_WORDS),
      never(),
    ])
    const asked = await stage.ask('messages', { text: PROMPT, model: 'messages-free', mode: 'streamed' })
    await leaveAfter(LAST_WORDS, asked)
    const settlement = await stage.settlementOf(asked)
    expect(settlement.provenance).toBe('counted')
    expectAbout(settlement.usage.input, PROMPT_TOKENS)
  })
})

test('nothing was logged as a problem', () => {
  expect(stage.gateway.log.troubles).toEqual([])
})
