import { rmSync } from 'node:fs'
import type { SharedLimits } from '../../serve/ports/shared-limits.ts'
import { type AnswerLine, type CallLine, type CallName, HELLO, NOTICE_ID, runCall } from './calls.ts'
import { LineReader, LineWriter, type Wire } from './lines.ts'

export interface LimitsServerOptions {
  /** Only the user of this process can connect. */
  readonly path: string
  readonly limitsForNode: (nodeId: string) => SharedLimits
}

export interface LimitsServer {
  close(): void
}

const OWNER_ONLY_MASK = 0o177

/** Serves a limits store to the nodes on this machine, each over one connection. */
export function serveLimits({ path, limitsForNode }: LimitsServerOptions): LimitsServer {
  // A killed process leaves its socket file behind.
  rmSync(path, { force: true })
  const previousMask = process.umask(OWNER_ONLY_MASK)
  try {
    const listener = Bun.listen<NodeConnection>({
      unix: path,
      socket: {
        open: (socket) => {
          socket.data = new NodeConnection(socket, limitsForNode)
        },
        data: ({ data: node }, bytes) => node.receive(bytes),
        drain: ({ data: node }) => node.resume(),
        close: ({ data: node }) => node.onClose(),
      },
    })
    return { close: () => listener.stop(true) }
  } finally {
    process.umask(previousMask)
  }
}

/** The connection of one node. */
class NodeConnection {
  readonly #reader = new LineReader()
  readonly #writer: LineWriter
  readonly #limitsForNode: LimitsServerOptions['limitsForNode']
  #sharedLimits: SharedLimits | null = null
  #stopNotices: () => void = () => {}

  constructor(wire: Wire, limitsForNode: LimitsServerOptions['limitsForNode']) {
    this.#writer = new LineWriter(wire)
    this.#limitsForNode = limitsForNode
  }

  receive(bytes: Uint8Array): void {
    for (const line of this.#reader.push(bytes)) this.#handle(JSON.parse(line) as CallLine)
  }

  resume(): void {
    this.#writer.resume()
  }

  onClose(): void {
    this.#stopNotices()
    void this.#sharedLimits?.close()
  }

  #handle([id, name, ...args]: readonly [id: number, name: CallName | typeof HELLO, ...unknown[]]): void {
    if (name === HELLO) {
      const sharedLimits = this.#limitsForNode(args[0] as string)
      this.#sharedLimits = sharedLimits
      this.#stopNotices = sharedLimits.onNotice((notice) => this.#send([NOTICE_ID, notice]))
    } else if (this.#sharedLimits !== null) {
      runCall(this.#sharedLimits, name, args).then(
        (answer) => this.#send([id, answer ?? null]),
        (error: unknown) => this.#send([id, null, error instanceof Error ? error.message : String(error)]),
      )
    }
  }

  #send(line: AnswerLine): void {
    this.#writer.add(JSON.stringify(line))
  }
}
