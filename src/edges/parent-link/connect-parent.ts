import type {
  ConversationPin,
  ParentLink,
  PinnedTo,
  SharedNote,
  SharedNotice,
} from '../../serve/ports/shared-limits.ts'
import { type AnswerLine, type CallName, HELLO, NOTICE_ID } from './calls.ts'
import { LineReader, LineWriter } from './lines.ts'

/** Connects one node to the parent process. */
export async function connectParent(path: string, nodeId: string): Promise<ParentLink> {
  const reader = new LineReader()
  const { data: connection } = await Bun.connect<{ link: SocketLink | null }>({
    unix: path,
    data: { link: null },
    socket: {
      open: (socket) => {
        socket.data.link = new SocketLink(socket)
      },
      data: ({ data }, bytes) => {
        for (const line of reader.push(bytes)) data.link?.handle(JSON.parse(line) as AnswerLine)
      },
      drain: ({ data }) => data.link?.resume(),
      close: ({ data }) => data.link?.onClose(),
    },
  })
  if (connection.link === null) throw new Error('Could not connect to the parent process.')
  connection.link.sendHello(nodeId)
  return connection.link
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
class SocketLink implements ParentLink {
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

  nodeNumber(): Promise<number> {
    return this.#call('nodeNumber')
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

  listAwaited(): Promise<readonly string[] | null> {
    return this.#call('listAwaited')
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

  findPin(accountId: string, conversation: string): Promise<PinnedTo | null> {
    return this.#call('findPin', accountId, conversation)
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
      reject(new Error(`The parent process does not answer (${name}).`))
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
  return new Error('The parent process has exited.')
}
