import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { formatUsdt, parseUsdt } from '../../src/vocabulary/money.ts'
import { RAW_CALLS } from '../conformance/raw-calls.ts'
import { openStage, type Stage } from '../conformance/stage.ts'
import { MODES, type Mode, TEXT_FORMATS, type TextFormat } from '../conformance/talk.ts'
import { generate } from '../images/image-requests.ts'
import { balanceOf, createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { chat } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import type { Fault } from '../support/faults.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { onlySettlementOf, type SettlementBody } from '../support/settlements.ts'
import { StreamReader } from '../support/stream-reader.ts'

const DAY_MS = 86_400_000
const QUESTION = `say: ${Array.from({ length: 30 }, (_, index) => index + 1).join(' ')}`
// In every format the first words are among the first seven frames, and something is left to say after the eighth.
const FRAMES_SHOWN = 7

const clock = createMovableClock()
let stage: Stage
let account: string
let settledNano = 0n

beforeAll(async () => {
  stage = await openStage({ clock })
  account = await openAccount(stage.gateway)
})
afterEach(() => {
  stage.gate.open()
  stage.gated.faults.clear()
  stage.gateway.sandbox.faults.clear()
  // What a supplier did to one test is forgotten by the next.
  clock.advance(DAY_MS)
})
afterAll(() => stage.stop())

interface Cell {
  readonly client: TextFormat
  readonly supplier: TextFormat
  readonly mode: Mode
}

function ask({ client, mode }: Cell, key: IssuedKey, signal: AbortSignal): Promise<Response> {
  const calls = RAW_CALLS[client]
  const model = 'sandbox-chat'
  return fetch(`${stage.gateway.url}${calls.path(model, mode)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(calls.body(QUESTION, { model, mode })),
    signal,
  })
}

/** How a request is brought to its end. */
type Course = (cell: Cell, key: IssuedKey) => Promise<void>

interface Row {
  readonly name: string
  readonly modes: readonly Mode[]
  readonly course: Course
  readonly outcome: string
  /** Null: it costs nothing. Some formats tell usage while they speak, and then either may be the higher figure. */
  readonly provenance: 'supplier' | 'counted' | 'either' | null
}

function struckBy(...faults: readonly Fault[]): Course {
  return async (cell, key) => {
    // A connection that was idle for a second and is closed without an answer is replaced once: that one is struck too.
    for (const fault of faults) stage.gated.faults.set({ times: fault.type === 'refuse' ? 2 : 1, fault })
    await (await ask(cell, key, AbortSignal.timeout(5_000))).text().catch(() => undefined)
    stage.gated.faults.clear()
  }
}

/** The client has read the first words when the supplier goes on to what it is struck by. */
function struckAfterFirstWords(fault: Fault): Course {
  return async (cell, key) => {
    stage.gated.faults.set({ times: 1, fault })
    const reader = new StreamReader(await holdAfterFirstWords(cell, key, new AbortController()))
    await readFirstWords(reader)
    stage.gate.open()
    await reader.readToEnd().catch(() => undefined)
  }
}

async function holdAfterFirstWords(cell: Cell, key: IssuedKey, leaving: AbortController): Promise<Response> {
  stage.gate.close()
  stage.gate.allow(FRAMES_SHOWN - 1)
  stage.gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
  return ask(cell, key, leaving.signal)
}

function readFirstWords(reader: StreamReader): Promise<string> {
  return reader.readUntil(/"(text|content|delta)": ?"1/)
}

const leavesInMidStream: Course = async (cell, key) => {
  const leaving = new AbortController()
  const aborted = stage.gated.nextAbort()
  await readFirstWords(new StreamReader(await holdAfterFirstWords(cell, key, leaving)))
  leaving.abort()
  await aborted
}

const leavesBeforeTheFirstByte: Course = async (cell, key) => {
  stage.gated.faults.set({ times: 1, fault: { type: 'hang' } })
  const before = stage.gated.calls.at(-1)
  const leaving = new AbortController()
  const aborted = stage.gated.nextAbort()
  const asking = ask(cell, key, leaving.signal).catch(() => undefined)
  await eventually('the call of the supplier', () => stage.gated.calls.at(-1) !== before)
  leaving.abort()
  await asking
  await aborted
}

const STREAMED = ['streamed'] as const
const afterPieces = FRAMES_SHOWN + 1
const failed = { outcome: 'supplier_failed' } as const
const ROWS: readonly Row[] = [
  { name: 'ends well', modes: MODES, course: struckBy(), outcome: 'completed', provenance: 'supplier' },
  {
    name: 'ends well without telling usage',
    modes: MODES,
    course: struckBy({ type: 'missing-usage' }),
    outcome: 'completed',
    provenance: 'counted',
  },
  {
    name: 'refuses the input',
    modes: MODES,
    course: struckBy({ type: 'status', status: 400 }),
    outcome: 'refused',
    provenance: null,
  },
  ...(
    [
      ['fails', { type: 'status', status: 500 }],
      ['has no capacity', { type: 'status', status: 429, retryAfterSeconds: 1 }],
      ['closes the connection', { type: 'refuse' }],
      ['answers with garbage', { type: 'garbage', afterPieces: 0 }],
    ] satisfies readonly (readonly [string, Fault])[]
  ).map(([name, fault]) => ({ name, modes: MODES, course: struckBy(fault), ...failed, provenance: null })),
  ...(
    [
      ['is cut', { type: 'cut', afterPieces }],
      ['sends an error', { type: 'error-in-stream', afterPieces }],
      ['sends garbage', { type: 'garbage', afterPieces }],
    ] satisfies readonly (readonly [string, Fault])[]
  ).map(([name, fault]) => ({
    name: `${name} in mid-stream`,
    modes: STREAMED,
    course: struckAfterFirstWords(fault),
    ...failed,
    provenance: 'either' as const,
  })),
  {
    name: 'is left before its first byte',
    modes: MODES,
    course: leavesBeforeTheFirstByte,
    outcome: 'client_left',
    provenance: null,
  },
  {
    name: 'is left in mid-stream',
    modes: STREAMED,
    course: leavesInMidStream,
    outcome: 'client_left',
    provenance: 'either',
  },
]

/** USDT for a million tokens, in nano for each: 1, 2 and 0.1. */
function priceOf({ usage }: SettlementBody): bigint {
  return BigInt(usage.input * 1_000 + usage.output * 2_000 + usage.cache_read * 100)
}

async function expectNothingHeld(key: IssuedKey): Promise<void> {
  const { usage } = await stage.gateway.operator<{ usage: { held: string } }>('GET', `/keys/${key.id}`)
  expect(usage.held).toBe('0')
}

describe.each(TEXT_FORMATS)('a client of %s', (client) => {
  describe.each(TEXT_FORMATS)('and a supplier of %s', (supplier) => {
    for (const { name, modes, course, outcome, provenance } of ROWS) {
      test.each(modes)(`that ${name}, %s: ${outcome}, ${provenance ?? 'nothing'}`, async (mode) => {
        const route_policy = { mode: 'specified_provider', provider: `gated-${supplier}` }
        const key = await createKey(stage.gateway, account, { route_policy })
        await course({ client, supplier, mode }, key)
        const settlement = await onlySettlementOf(stage.gateway, key.id)
        const amountNano = priceOf(settlement)
        settledNano += amountNano
        expect(settlement).toMatchObject({ outcome, amount: formatUsdt(amountNano) })
        if (provenance === null) expect(amountNano).toBe(0n)
        else expect(settlement.usage.output).toBeGreaterThan(0)
        if (provenance !== null && provenance !== 'either') expect(settlement.provenance).toBe(provenance)
        await expectNothingHeld(key)
      })
    }
  })
})

interface ImageRow {
  readonly name: string
  readonly fault: Fault | null
  readonly outcome: string
  readonly amount: string
}

const IMAGE_ROWS: readonly ImageRow[] = [
  { name: 'that come', fault: null, outcome: 'completed', amount: '0.02' },
  {
    name: 'whose supplier fails',
    fault: { type: 'status', status: 500 },
    outcome: 'supplier_failed',
    amount: '0',
  },
  {
    name: 'whose supplier refuses the prompt',
    fault: { type: 'status', status: 400 },
    outcome: 'refused',
    amount: '0',
  },
  { name: 'that are garbage', fault: { type: 'garbage' }, outcome: 'supplier_failed', amount: '0' },
  { name: 'whose client leaves', fault: { type: 'hang' }, outcome: 'client_left', amount: '0' },
]

describe('images', () => {
  test.each(IMAGE_ROWS)('$name: $outcome', async ({ fault, outcome, amount }) => {
    const route_policy = { mode: 'specified_provider', provider: 'sandbox-openai' }
    const key = await createKey(stage.gateway, account, { route_policy })
    const { sandbox } = stage.gateway
    if (fault !== null) sandbox.faults.set({ fault })
    const before = sandbox.calls.at(-1)
    const leaving = new AbortController()
    const asking = generate(stage.gateway, {}, { key: key.secret, signal: leaving.signal }).catch(() => null)
    await eventually('the call of the supplier', () => sandbox.calls.at(-1) !== before)
    if (fault?.type === 'hang') leaving.abort()
    await asking
    expect(await onlySettlementOf(stage.gateway, key.id)).toMatchObject({ outcome, amount })
    settledNano += parseUsdt(amount, 'amount')
    await expectNothingHeld(key)
  })
})

test('all of it is in the balance, nothing is held any more, and the ledger is consistent', async () => {
  expect(settledNano).toBeGreaterThan(0n)
  expect(await balanceOf(stage.gateway, account)).toBe(formatUsdt(-settledNano))
  expect(await stage.gateway.operator<object>('GET', '/ledger/verify')).toMatchObject({ difference: null })
  const route_policy = { mode: 'specified_provider', provider: 'speaks-chat-completion' }
  const { secret } = await createKey(stage.gateway, account, { route_policy })
  // At most 3 tokens of prompt and one of output: what is free is exactly enough, so not a nano of it can be held.
  const statusWith = async (freeNano: bigint) => {
    const credit_line = formatUsdt(settledNano + freeNano)
    await stage.gateway.operator('PATCH', `/accounts/${account}`, { credit_line })
    return (await chat(stage.gateway.url, { max_tokens: 1 }, { key: secret })).status
  }
  expect(await statusWith(4_999n)).toBe(403)
  expect(await statusWith(5_000n)).toBe(200)
  expect(stage.gateway.log.troubles).toEqual([])
})
