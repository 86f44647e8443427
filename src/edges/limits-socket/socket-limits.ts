import type { WindowDemand } from '../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  ConversationPin,
  OpenHold,
  SharedLimits,
  SharedNote,
  SharedNotice,
  WindowState,
} from '../../serve/ports/shared-limits.ts'
import {
  type AnswerLine,
  type CallName,
  encodeAdmit,
  encodeHolds,
  encodeUpdate,
  HELLO,
  NOTICE_ID,
} from './calls.ts'
import { LineReader, LineWriter } from './lines.ts'

/** Connects one node to the limits store of the parent process. */
export async function connectLimits(path: string, nodeId: string): Promise<SharedLimits> {
  const reader = new LineReader()
  const { data: place } = await Bun.connect<{ sharedLimits: SocketLimits | null }>({
    unix: path,
    data: { sharedLimits: null },
    socket: {
      open: (socket) => {
        socket.data.sharedLimits = new SocketLimits(socket)
      },
      data: ({ data }, bytes) => {
        for (const line of reader.push(bytes)) data.sharedLimits?.take(JSON.parse(line) as AnswerLine)
      },
      drain: ({ data }) => data.sharedLimits?.resume(),
      close: ({ data }) => data.sharedLimits?.lose(),
    },
  })
  if (place.sharedLimits === null)
    throw new Error('Could not connect to the limits store of the parent process.')
  place.sharedLimits.introduce(nodeId)
  return place.sharedLimits
}

interface Connection {
  write(bytes: string | Uint8Array): number
  end(): void
}

interface Waiting {
  readonly name: CallName
  readonly askedAtLook: number
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

// A call times out after this many looks at the open calls. Time alone would not do, since this process cannot read an
// answer while it is busy itself.
const LOOK_MS = 250
const MAX_LOOKS = 20

/**
 * Uses one connection, so that calls run in order. A lost connection is not restored: the parent is gone, and the worker
 * exits too.
 */
class SocketLimits implements SharedLimits {
  readonly #connection: Connection
  readonly #writer: LineWriter
  readonly #waiting = new Map<number, Waiting>()
  readonly #noticeListeners = new Set<(notice: SharedNotice) => void>()
  // One timer for all calls: a timer per call would cost more than the call.
  readonly #look = setInterval(() => this.#giveUpOld(), LOOK_MS)
  #looks = 0
  #calls = NOTICE_ID
  #isLost = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.#writer = new LineWriter(connection)
  }

  admit(call: AdmitCall): Promise<AdmitAnswer> {
    return this.#ask('admit', encodeAdmit(call))
  }

  takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    return this.#ask('takeCapacity', accountId, options)
  }

  look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#ask('look', accountId, windows)
  }

  settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    return this.#ask('settle', accountId, encodeHolds(settled))
  }

  learn(accountId: string, update: AccountUpdate): Promise<void> {
    return this.#ask('learn', accountId, encodeUpdate(update))
  }

  assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    return this.#ask('assertHolds', accountId, encodeHolds(holds), unsure)
  }

  addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    return this.#ask('addHolds', accountId, encodeHolds(holds))
  }

  releaseNode(nodeId: string): Promise<number> {
    return this.#ask('releaseNode', nodeId)
  }

  generation(): Promise<string | null> {
    return this.#ask('generation')
  }

  beginGeneration(proposed: string): Promise<string> {
    return this.#ask('beginGeneration', proposed)
  }

  joinGeneration(generation: string): Promise<void> {
    return this.#ask('joinGeneration', generation)
  }

  listJoined(generation: string): Promise<readonly string[]> {
    return this.#ask('listJoined', generation)
  }

  configurationVersion(): Promise<number | null> {
    return this.#ask('configurationVersion')
  }

  announceConfiguration(version: number): Promise<void> {
    return this.#ask('announceConfiguration', version)
  }

  savePin(pin: ConversationPin): Promise<void> {
    return this.#ask('savePin', pin)
  }

  saveNote(note: SharedNote): Promise<void> {
    return this.#ask('saveNote', note)
  }

  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#ask('findNotes', accountId, names)
  }

  publish(notice: SharedNotice, keptMs?: number): Promise<void> {
    return keptMs === undefined ? this.#ask('publish', notice) : this.#ask('publish', notice, keptMs)
  }

  listKept(): Promise<readonly SharedNotice[]> {
    return this.#ask('listKept')
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    this.#noticeListeners.add(listener)
    return () => this.#noticeListeners.delete(listener)
  }

  /** Called once: the connection is up from the start and not restored when lost. */
  onConnected(listener: () => void): () => void {
    let isWanted = true
    setImmediate(() => {
      if (isWanted && !this.#isLost) listener()
    })
    return () => {
      isWanted = false
    }
  }

  async close(): Promise<void> {
    this.lose()
    this.#connection.end()
  }

  introduce(nodeId: string): void {
    this.#writer.add(JSON.stringify([NOTICE_ID, HELLO, nodeId]))
  }

  take([id, answer, failure]: AnswerLine): void {
    if (id === NOTICE_ID) {
      for (const listener of this.#noticeListeners) listener(answer as SharedNotice)
      return
    }
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (failure === undefined) waiting?.resolve(answer as never)
    else waiting?.reject(new Error(failure))
  }

  resume(): void {
    this.#writer.resume()
  }

  lose(): void {
    this.#isLost = true
    clearInterval(this.#look)
    for (const { reject } of this.#waiting.values()) reject(gone())
    this.#waiting.clear()
  }

  #giveUpOld(): void {
    this.#looks += 1
    for (const [id, { name, askedAtLook, reject }] of this.#waiting) {
      if (this.#looks - askedAtLook < MAX_LOOKS) return
      this.#waiting.delete(id)
      reject(new Error(`The limits store of the parent process does not answer (${name}).`))
    }
  }

  #ask<Answer>(name: CallName, ...given: readonly unknown[]): Promise<Answer> {
    if (this.#isLost) return Promise.reject(gone())
    this.#calls += 1
    const id = this.#calls
    this.#writer.add(JSON.stringify([id, name, ...given]))
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.set(id, { name, askedAtLook: this.#looks, resolve, reject })
    return promise
  }
}

function gone(): Error {
  return new Error('The limits store is gone because the parent process has exited.')
}
