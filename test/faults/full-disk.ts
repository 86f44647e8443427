import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { readChunks, readHead } from '../../src/edges/http-server/testing/read-answer.ts'
import type { Settlement } from '../../src/vocabulary/settlement.ts'
import { chatRequest } from '../robustness/support/chat-load.ts'
import { environmentOf, startProcess, stopProcess } from '../robustness/support/gateway-process.ts'
import { readStoredLedger, type StoredLedger } from '../robustness/support/stored-ledger.ts'
import { addSupply, liftLimits } from '../robustness/support/supply.ts'
import { eventually } from '../support/eventually.ts'
import type { FaultScenario } from './scenario.ts'
import { type Disk, fillUp, makeSmallDisk, whyNot } from './support/disk.ts'
import { startHeldSupplier } from './support/held-supplier.ts'

/** A request as its client saw it. */
export interface Seen {
  readonly requestId: string
  readonly isStream: boolean
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
  /** Whether the connection broke instead of ending. */
  readonly isReset: boolean
}

const MEGABYTES = 24
const ROUNDS = 4
const CLIENTS = 12

export const fullDisk: FaultScenario = {
  name: 'full-disk',
  about: 'no client is charged for an answer that a full disk failed',
  whyNot: () => whyNot(() => makeSmallDisk(MEGABYTES)),
  run: async ({ random, log }) => {
    const disk = makeSmallDisk(MEGABYTES)
    try {
      const { seen, ledger } = await fillAgainAndAgain(disk, random)
      const judged = judgeLedger(seen, ledger)
      log(JSON.stringify(judged.counts))
      if (judged.faults.length > 0) throw new Error(judged.faults.slice(0, 10).join('\n'))
    } finally {
      disk.remove()
    }
  },
}

/** Clients ask all the time while the disk fills up and is emptied again. */
async function fillAgainAndAgain(
  disk: Disk,
  random: () => number,
): Promise<{ seen: Seen[]; ledger: StoredLedger }> {
  const supplier = startHeldSupplier()
  const fsync = random() < 0.5 ? 'always' : 'never'
  const gateway = await startProcess(environmentOf(disk.folder, { TURNPIKE_JOURNAL_FSYNC: fsync }))
  const seen: Seen[] = []
  let isOver = false
  try {
    await liftLimits(gateway)
    await addSupply(gateway, { baseUrl: `${supplier.url}/v1` })
    supplier.delayMs = () => random() * 200
    const clients = Array.from({ length: CLIENTS }, async (_, index) => {
      while (!isOver) {
        const one = await ask(gateway.url, index % 2 === 0)
        seen.push(one)
        // A refused client retries as advised, only sooner.
        if (one.status !== 200) await Bun.sleep(50)
      }
    })
    for (let round = 0; round < ROUNDS; round += 1) {
      await Bun.sleep(300 + random() * 700)
      const empty = fillUp(disk)
      await Bun.sleep(500 + random() * 2_000)
      empty()
      const before = seen.length
      await eventually('answers again', () => seen.slice(before).some(({ status }) => status === 200))
    }
    isOver = true
    await Promise.all(clients)
    gateway.signal('SIGTERM')
    await gateway.exited
    return { seen, ledger: await readStoredLedger(disk.folder) }
  } finally {
    isOver = true
    await stopProcess(gateway)
    await supplier.stop()
    rmSync(disk.folder, { recursive: true, force: true })
  }
}

const MODEL = 'robust-chat'
const SAID = [{ role: 'user', content: 'ping' }]

/** A stream of each family, as its clients ask for one. */
const STREAMS = {
  chat: { path: '/v1/chat/completions', body: { model: MODEL, stream: true, messages: SAID } },
  messages: { path: '/v1/messages', body: { model: MODEL, stream: true, max_tokens: 99, messages: SAID } },
  responses: { path: '/v1/responses', body: { model: MODEL, stream: true, input: 'ping' } },
  contents: {
    path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: 'ping' }] }] },
  },
} as const

export type Family = keyof typeof STREAMS
export const FAMILIES = Object.keys(STREAMS) as Family[]

export function askStream(url: string, family: Family): Promise<Seen> {
  const { path, body } = STREAMS[family]
  return askAt(`${url}${path}`, { ...chatRequest({}), body: JSON.stringify(body) }, true)
}

export function ask(url: string, isStream: boolean): Promise<Seen> {
  if (isStream) return askStream(url, 'chat')
  return askAt(`${url}/v1/chat/completions`, chatRequest({ model: MODEL, stream: false }), false)
}

/** Uses a raw socket: `fetch` discards unread bytes when the connection breaks right after them. */
async function askAt(address: string, { headers, body }: RequestInit, isStream: boolean): Promise<Seen> {
  const { hostname, port, pathname, search } = new URL(address)
  const text = String(body)
  const lines = { ...headers, host: hostname, connection: 'close', 'content-length': Buffer.byteLength(text) }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  const pieces: Buffer[] = []
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  // What has come before counts.
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.on('close', resolve))
  return { ...readSeen(Buffer.concat(pieces)), isStream }
}

function readSeen(bytes: Buffer): Omit<Seen, 'isStream'> {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) throw new Error(`No answer but ${bytes.length} bytes.`)
  const { status, headers } = readHead(bytes.toString('latin1', 0, headEnd))
  const coded = bytes.subarray(headEnd + 4)
  const length = headers['content-length']
  const { value, isWhole } =
    length === undefined ? readChunks(coded) : { value: coded, isWhole: coded.length === Number(length) }
  return {
    requestId: headers['x-request-id'] ?? '',
    status,
    text: value.toString(),
    retryAfter: headers['retry-after'] ?? null,
    isReset: !isWhole,
  }
}

export interface Judged {
  readonly counts: {
    readonly completed: number
    readonly refused: number
    readonly cutShort: number
    readonly resets: number
    readonly wronglyCharged: number
  }
  readonly faults: readonly string[]
}

/** Compares what each client saw with what it was charged. */
export function judgeLedger(seen: readonly Seen[], { settlements, ledgerDifference }: StoredLedger): Judged {
  const faults: string[] = ledgerDifference === null ? [] : [ledgerDifference]
  const counts = { completed: 0, refused: 0, cutShort: 0, resets: 0, wronglyCharged: 0 }
  const booked = new Map(settlements.map((settlement) => [settlement.requestId, settlement]))
  for (const one of seen) {
    const settlement = booked.get(one.requestId)
    const fault = faultOf(one, settlement)
    if (fault !== null) faults.push(`${one.requestId} (${one.status}): ${fault}`)
    if (isWhole(one)) counts.completed += 1
    else if (one.status !== 200) counts.refused += 1
    else if (one.isReset && !one.text.includes('temporarily_unavailable')) counts.resets += 1
    else counts.cutShort += 1
    if (!isWhole(one) && settlement?.outcome === 'completed') counts.wronglyCharged += 1
  }
  return { counts, faults }
}

const LAST_EVENT = /data: \[DONE\]\n\n$|event: message_stop\n|event: response\.completed\n|"finishReason":/

function isWhole({ status, isStream, text, isReset }: Seen): boolean {
  if (status !== 200 || isReset) return false
  return isStream ? LAST_EVENT.test(text) && !text.includes('temporarily_unavailable') : text.endsWith('}')
}

function faultOf(one: Seen, settlement: Settlement | undefined): string | null {
  if (isWhole(one))
    return settlement?.outcome === 'completed' ? null : 'answered, but missing from the ledger'
  if (settlement?.outcome === 'completed') return 'charged in full for an answer that failed'
  if (one.status !== 200) {
    if (settlement !== undefined && settlement.amountNano !== 0n) return 'charged for an answer that failed'
    const hasRetryAdvice =
      one.status === 503 && one.text.includes('temporarily_unavailable') && one.retryAfter !== null
    return hasRetryAdvice ? null : `no advice to retry: ${one.text}`
  }
  // Some formats have nothing but a broken connection that all their clients take for an error, after the event.
  if (one.text.includes('temporarily_unavailable')) return null
  return one.isReset ? 'a stream was reset' : `no error event: ${one.text.slice(-200)}`
}
