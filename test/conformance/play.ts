import { expect } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { playJourney } from './journey.ts'
import { type Before, CELL_NAME, type Plot, type Scenario } from './scenarios.ts'
import type { Stage } from './stage.ts'
import type { Driver, Mode, Opening, SdkReply, Talk, TextFormat } from './talk.ts'

/** One square of the matrix. */
export interface Cell {
  readonly driver: Driver
  readonly supplier: TextFormat
  readonly scenario: Scenario
}

/** Plays a scenario in one mode; throws where an answer is not what it must be. */
export function play(cell: Cell, mode: Mode, stage: Stage): Promise<void> {
  const { plot } = cell.scenario
  switch (plot.type) {
    case 'dialogue':
      return playDialogue(plot, { ...cell, mode }, stage)
    case 'broken-stream':
      return playBrokenStream(plot.opening, cell, stage)
    case 'journey':
      return playJourney(plot, { ...cell, mode }, stage)
    case 'client-leaves':
      return mode === 'streamed'
        ? leaveStream(plot.opening, cell, stage)
        : leaveWhole(plot.opening, cell, stage)
  }
}

type Dialogue = Plot & { type: 'dialogue' }

async function playDialogue(
  { opening, steps }: Dialogue,
  cell: Cell & { readonly mode: Mode },
  stage: Stage,
): Promise<void> {
  const { driver, supplier, mode } = cell
  const name = `${driver.sdk}, ${driver.format}, ${supplier}, ${mode}`
  const begin = () =>
    driver.open({ ...opening, text: opening.text.replaceAll(CELL_NAME, name) }, stage.gateway.url)
  let talk = begin()
  let last: SdkReply | null = null
  for (const { before, expected, check } of steps) {
    if (before?.type === 'again') talk = begin()
    else if (before !== undefined) add(before, talk, last)
    const reply = await talk.ask({ key: stage.keyFor(supplier), mode })
    // A copy, because matchers of the test runner may write into what they are given.
    expect(structuredClone(reply)).toMatchObject(expected)
    const sent = stage.gateway.sandbox.calls.at(-1)?.body
    check?.({ reply, supplier, client: driver.format, sent })
    last = reply
  }
}

function add(before: Exclude<Before, { type: 'again' }>, talk: Talk, last: SdkReply | null): void {
  if (before.type === 'say') talk.say(before.text)
  else
    talk.answer(
      before.results.map((result, index) => {
        const call = last?.calls[index]
        if (call === undefined) throw new Error(`there is no call for result ${index + 1}`)
        return { ...result, id: call.id, name: call.name }
      }),
    )
}

// In every format the first words are among the first seven frames, and something is left to say after the eighth.
const FRAMES_SHOWN = 7
const PAUSES_ALLOWED = FRAMES_SHOWN - 1

function holdAfterFirstWords({ gate, gated }: Stage): void {
  gate.close()
  gate.allow(PAUSES_ALLOWED)
  gated.faults.clear()
  gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
}

async function playBrokenStream(opening: Opening, { driver, supplier }: Cell, stage: Stage): Promise<void> {
  holdAfterFirstWords(stage)
  stage.gated.faults.set({ times: 1, fault: { type: 'error-in-stream', afterPieces: FRAMES_SHOWN + 1 } })
  let hasSpoken = false
  const asking = driver.open(opening, stage.gateway.url).ask({
    key: stage.gatedKeyFor(supplier),
    mode: 'streamed',
    onText: () => {
      hasSpoken = true
      stage.gate.open()
    },
  })
  const failure = await failureOf(asking)
  expect(hasSpoken).toBe(true)
  // The oldest client overlooks the error itself and learns of it only because its connection breaks.
  const expected = driver.sdk === 'genai 1' ? null : 'provider_error'
  expect(driver.codeOf(failure)).toBe(expected)
}

async function leaveStream(opening: Opening, { driver, supplier }: Cell, stage: Stage): Promise<void> {
  holdAfterFirstWords(stage)
  const leaving = new AbortController()
  const aborted = stage.gated.nextAbort()
  const asking = driver.open(opening, stage.gateway.url).ask({
    key: stage.gatedKeyFor(supplier),
    mode: 'streamed',
    signal: leaving.signal,
    onText: () => leaving.abort(),
  })
  await failureOf(asking)
  expect(await aborted).toMatchObject({ finished: false })
}

async function leaveWhole(opening: Opening, { driver, supplier }: Cell, stage: Stage): Promise<void> {
  stage.gated.faults.clear()
  stage.gated.faults.set({ times: 1, fault: { type: 'hang' } })
  const before = stage.gated.calls.at(-1)
  const leaving = new AbortController()
  const aborted = stage.gated.nextAbort()
  const asking = driver.open(opening, stage.gateway.url).ask({
    key: stage.gatedKeyFor(supplier),
    mode: 'whole',
    signal: leaving.signal,
  })
  const failing = failureOf(asking)
  await eventually('the call of the supplier', () => stage.gated.calls.at(-1) !== before)
  leaving.abort()
  await failing
  expect(await aborted).toMatchObject({ finished: false })
}

/** What a call that must fail fails with. */
async function failureOf(asking: Promise<unknown>): Promise<unknown> {
  const outcome = await asking.then(
    (reply) => ({ reply }),
    (failure: unknown) => ({ failure }),
  )
  if ('failure' in outcome) return outcome.failure
  throw new Error(`the call succeeded: ${JSON.stringify(outcome.reply)}`)
}
