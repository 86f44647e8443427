import { describe, expect, test } from 'bun:test'
import { NO_USAGE, type Usage } from '../../conversation/usage.ts'
import { meter, type RequestEnd, type UsageBounds } from './meter.ts'

const reported = { ...NO_USAGE, input: 100, cacheRead: 7, output: 30 }
const NO_BOUNDS: UsageBounds = {
  maxOutputTokens: null,
  modelOutputLimit: null,
  modelInputLimit: null,
  choices: 1,
  requestText: null,
}
const ending: RequestEnd = {
  outcome: 'completed',
  hasDelivered: true,
  reported,
  countedOutputTokens: 20,
  estimatedPromptTokens: 90,
  bounds: NO_BOUNDS,
}
const counted = { ...NO_USAGE, input: 90, output: 20 }
const notes: never[] = []

test('a normal end with a report: the report', () => {
  expect(meter(ending)).toEqual({ usage: reported, provenance: 'supplier', notes })
})

test('a normal end is charged as reported even where our own count is higher', () => {
  expect(meter({ ...ending, countedOutputTokens: 99 })).toEqual({
    usage: reported,
    provenance: 'supplier',
    notes,
  })
})

test.each(['completed', 'client_left', 'supplier_failed', 'interrupted'] as const)(
  '%s without a report: counted',
  (outcome) => {
    const metering = meter({ ...ending, outcome, reported: null })
    expect(metering).toEqual({ usage: counted, provenance: 'counted', notes })
  },
)

test.each(['client_left', 'supplier_failed', 'interrupted'] as const)(
  '%s with an early report: never less output than was delivered',
  (outcome) => {
    const early = meter({ ...ending, outcome, countedOutputTokens: 31 })
    expect(early).toEqual({ usage: { ...reported, output: 31 }, provenance: 'counted', notes })
    const late = meter({ ...ending, outcome, countedOutputTokens: 30 })
    expect(late).toEqual({ usage: reported, provenance: 'supplier', notes })
  },
)

test('images within a text answer are counted beside the tokens', () => {
  const imageOutput = { ...reported, output: 1_320, details: { imageOutput: 1_290 } }
  const bounds = { ...NO_BOUNDS, maxOutputTokens: 30 }
  const painted = { ...ending, inlineImages: 2, bounds }
  expect(meter({ ...painted, reported: imageOutput })).toEqual({
    usage: { ...imageOutput, images: 2 },
    provenance: 'supplier',
    notes,
  })
  expect(meter({ ...painted, reported: null }).usage).toEqual({ ...counted, images: 2 })
  expect(meter({ ...painted, hasDelivered: false }).usage).toEqual(NO_USAGE)
})

test('nothing delivered costs nothing, whatever was reported', () => {
  for (const outcome of ['client_left', 'supplier_failed', 'refused'] as const) {
    const metering = meter({ ...ending, outcome, hasDelivered: false })
    expect(metering).toEqual({ usage: NO_USAGE, provenance: 'estimated', notes })
  }
})

describe('a report that cannot be true is replaced by our own count', () => {
  const judge = (changes: Partial<Usage>, bounds: Partial<UsageBounds>) =>
    meter({ ...ending, reported: { ...reported, ...changes }, bounds: { ...NO_BOUNDS, ...bounds } })
  const IMPLAUSIBLE = { usage: counted, provenance: 'counted', notes: ['implausible_usage'] } as const

  /** The last possible value, and the first impossible one. */
  const BORDERS: [string, Partial<UsageBounds>, (tokens: number) => Partial<Usage>, number][] = [
    ['text beyond the limit of the client', { maxOutputTokens: 100 }, (output) => ({ output }), 174],
    ['text of all choices', { maxOutputTokens: 100, choices: 3 }, (output) => ({ output }), 394],
    ['output beyond that of the model', { modelOutputLimit: 200 }, (output) => ({ output }), 284],
    [
      'thinking beyond that of the model',
      { maxOutputTokens: 100, modelOutputLimit: 200 },
      (output) => ({ output, reasoning: output }),
      284,
    ],
    ['output beyond any model', {}, (output) => ({ output }), 2_200_064],
    ['a prompt longer than the request', { requestText: 'x'.repeat(50) }, (input) => ({ input }), 10_050],
    [
      'a prompt longer than the bytes of the request',
      { requestText: '字'.repeat(50) },
      (input) => ({ input }),
      10_150,
    ],
    ['a prompt of all choices', { requestText: 'x'.repeat(50), choices: 2 }, (input) => ({ input }), 20_100],
    [
      'a written cache longer than the request',
      { requestText: 'x' },
      (cacheWrite) => ({ input: 0, cacheWrite }),
      10_001,
    ],
    ['a prompt beyond that of the model', { modelInputLimit: 1_000 }, (input) => ({ input }), 1_093],
    ['a prompt beyond any model', {}, (input) => ({ input }), 1_999_993],
    [
      'a cache beyond that of the model',
      { requestText: 'x', modelInputLimit: 1_000 },
      (cacheRead) => ({ input: 0, cacheRead }),
      1_100,
    ],
  ]
  for (const [name, bounds, make, most] of BORDERS) {
    test(name, () => {
      expect(judge(make(most), bounds)).toMatchObject({ provenance: 'supplier', notes: [] })
      expect(judge(make(most + 1), bounds)).toEqual(IMPLAUSIBLE)
    })
  }

  test('two billion tokens for a short request', () => {
    const bounds = { requestText: 'x'.repeat(200), maxOutputTokens: 50 }
    for (const bucket of ['input', 'cacheRead', 'cacheWrite', 'output'] as const) {
      expect(judge({ [bucket]: 2_000_000_000 }, bounds)).toEqual(IMPLAUSIBLE)
      expect(judge({ [bucket]: Number.MAX_SAFE_INTEGER }, NO_BOUNDS)).toEqual(IMPLAUSIBLE)
    }
  })

  test('counts that contradict each other', () => {
    expect(judge({ details: { isContradictory: true } }, {})).toEqual(IMPLAUSIBLE)
  })

  test('but not what tools at the supplier have read', () => {
    const metering = judge({ input: 50_000, details: { webSearches: 3 } }, { requestText: 'x' })
    expect(metering.provenance).toBe('supplier')
  })

  test('but not the tokens of an image, which only the supplier knows', () => {
    const metering = meter({
      ...ending,
      reported: { ...reported, output: 6_000 },
      countedImages: 1,
      bounds: { ...NO_BOUNDS, modelOutputLimit: 10 },
    })
    expect(metering.provenance).toBe('supplier')
  })
})
