import type { WindowDemand } from '../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  ConversationPin,
  GrowAnswer,
  GrowCall,
  OpenHold,
  SharedLimits,
  SharedNote,
  SharedNotice,
  WindowState,
} from '../../serve/ports/shared-limits.ts'
import {
  type AnswerLine,
  type CallName,
  decodeAdmitAnswer,
  encodeAdmit,
  encodeGrow,
  encodeHolds,
  encodeUpdate,
  HELLO,
  NOTICE_ID,
} from './calls.ts'
import { LineReader, LineWriter } from './lines.ts'

/** Connects one node to the limits store of the parent process. */
export async function connectLimits(path: string, nodeId: string): Promise<SharedLimits> {
  const reader = new LineReader()
  const { data: connection } = await Bun.connect<{ sharedLimits: SocketLimits | null }>({
    unix: path,
    data: { sharedLimits: null },
    socket: {
      open: (socket) => {
        socket.data.sharedLimits = new SocketLimits(socket)
      },
      data: ({ data }, bytes) => {
        for (const line of reader.push(bytes)) data.sharedLimits?.handle(JSON.parse(line) as AnswerLine)
      },
      drain: ({ data }) => data.sharedLimits?.resume(),
      close: ({ data }) => data.sharedLimits?.onClose(),
    },
  })
  if (connection.sharedLimits === null)
    throw new Error('Could not connect to the limits store of the parent process.')
  connection.sharedLimits.sendHello(nodeId)
  return connection.sharedLimits
}

interface Connection {
  write(bytes: string | Uint8Array): number
  end(): void
}

interface PendingCall {
  readonly name: CallName
  readonly calledAtCheck: number
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

// A call times out after this many checks. Elapsed time is not enough, because this process cannot read an answer while
// it is busy itself.
const CHECK_INTERVAL_MS = 250
const MAX_CHECKS = 20

/**
 * Uses one connection, so that calls run in order. A lost connection is not restored: the parent has exited, and the
 * worker exits too.
 */
class SocketLimits implements SharedLimits {
  readonly #connection: Connection
  readonly #writer: LineWriter
  readonly #pending = new Map<number, PendingCall>()
  readonly #noticeListeners = new Set<(notice: SharedNotice) => void>()
  // One timer for all calls: a timer per call would cost more than the call.
  readonly #checkTimer = setInterval(() => this.#failOldCalls(), CHECK_INTERVAL_MS)
  #checks = 0
  #lastId = NOTICE_ID
  #isLost = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.#writer = new LineWriter(connection)
  }

  admit(call: AdmitCall): Promise<AdmitAnswer> {
    return this.#call<Parameters<typeof decodeAdmitAnswer>[0]>('admit', encodeAdmit(call)).then(
      decodeAdmitAnswer,
    )
  }

  grow(call: GrowCall): Promise<GrowAnswer> {
    return this.#call('grow', encodeGrow(call))
  }

  takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    return this.#call('takeCapacity', accountId, options)
  }

  look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#call('look', accountId, windows)
  }

  settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    return this.#call('settle', accountId, encodeHolds(settled))
  }

  learn(accountId: string, update: AccountUpdate): Promise<void> {
    return this.#call('learn', accountId, encodeUpdate(update))
  }

  assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    return this.#call('assertHolds', accountId, encodeHolds(holds), unsure)
  }

  addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    return this.#call('addHolds', accountId, encodeHolds(holds))
  }

  releaseNode(nodeId: string): Promise<number> {
    return this.#call('releaseNode', nodeId)
  }

  generation(): Promise<string | null> {
    return this.#call('generation')
  }

  beginGeneration(proposed: string): Promise<string> {
    return this.#call('beginGeneration', proposed)
  }

  joinGeneration(generation: string): Promise<void> {
    return this.#call('joinGeneration', generation)
  }

  listJoined(generation: string): Promise<readonly string[]> {
    return this.#call('listJoined', generation)
  }

  configurationVersion(): Promise<number | null> {
    return this.#call('configurationVersion')
  }

  announceConfiguration(version: number): Promise<void> {
    return this.#call('announceConfiguration', version)
  }

  savePin(pin: ConversationPin): Promise<void> {
    return this.#call('savePin', pin)
  }

  saveNote(note: SharedNote): Promise<void> {
    return this.#call('saveNote', note)
  }

  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#call('findNotes', accountId, names)
  }

  publish(notice: SharedNotice, keptMs?: number): Promise<void> {
    return keptMs === undefined ? this.#call('publish', notice) : this.#call('publish', notice, keptMs)
  }

  listKept(): Promise<readonly SharedNotice[]> {
    return this.#call('listKept')
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
    this.onClose()
    this.#connection.end()
  }

  sendHello(nodeId: string): void {
    this.#writer.add(JSON.stringify([NOTICE_ID, HELLO, nodeId]))
  }

  handle([id, answer, failure]: AnswerLine): void {
    if (id === NOTICE_ID) {
      for (const listener of this.#noticeListeners) listener(answer as SharedNotice)
      return
    }
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (failure === undefined) pending?.resolve(answer as never)
    else pending?.reject(new Error(failure))
  }

  resume(): void {
    this.#writer.resume()
  }

  onClose(): void {
    this.#isLost = true
    clearInterval(this.#checkTimer)
    for (const { reject } of this.#pending.values()) reject(parentExited())
    this.#pending.clear()
  }

  #failOldCalls(): void {
    this.#checks += 1
    for (const [id, { name, calledAtCheck, reject }] of this.#pending) {
      if (this.#checks - calledAtCheck < MAX_CHECKS) return
      this.#pending.delete(id)
      reject(new Error(`The limits store of the parent process does not answer (${name}).`))
    }
  }

  #call<Answer>(name: CallName, ...args: readonly unknown[]): Promise<Answer> {
    if (this.#isLost) return Promise.reject(parentExited())
    this.#lastId += 1
    const id = this.#lastId
    this.#writer.add(JSON.stringify([id, name, ...args]))
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#pending.set(id, { name, calledAtCheck: this.#checks, resolve, reject })
    return promise
  }
}

function parentExited(): Error {
  return new Error('The limits store is gone because the parent process has exited.')
}
