import { rmSync } from 'node:fs'
import type { ParentLink } from '../../serve/ports/shared-limits.ts'
import { type AnswerLine, type CallLine, type CallName, HELLO, NOTICE_ID } from './calls.ts'
import { LineReader, LineWriter, type Wire } from './lines.ts'

export interface WorkersServerOptions {
  /** Only the user of this process can connect. */
  readonly path: string
  readonly linkForNode: (nodeId: string) => ParentLink
}

export interface WorkersServer {
  close(): void
}

const OWNER_ONLY_MASK = 0o177

/** Serves what nodes tell each other to the nodes on this machine, each over one connection. */
export function serveWorkers({ path, linkForNode }: WorkersServerOptions): WorkersServer {
  // A killed process leaves its socket file behind.
  rmSync(path, { force: true })
  const previousMask = process.umask(OWNER_ONLY_MASK)
  try {
    const listener = Bun.listen<NodeConnection>({
      unix: path,
      socket: {
        open: (socket) => {
          socket.data = new NodeConnection(socket, linkForNode)
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
  readonly #linkForNode: WorkersServerOptions['linkForNode']
  #link: ParentLink | null = null
  #stopNotices: () => void = () => {}

  constructor(wire: Wire, linkForNode: WorkersServerOptions['linkForNode']) {
    this.#writer = new LineWriter(wire)
    this.#linkForNode = linkForNode
  }

  receive(bytes: Uint8Array): void {
    for (const line of this.#reader.push(bytes)) this.#handle(JSON.parse(line) as CallLine)
  }

  resume(): void {
    this.#writer.resume()
  }

  onClose(): void {
    this.#stopNotices()
    void this.#link?.close()
  }

  #handle([id, name, ...args]: readonly [id: number, name: CallName | typeof HELLO, ...unknown[]]): void {
    if (name === HELLO) {
      const link = this.#linkForNode(args[0] as string)
      this.#link = link
      this.#stopNotices = link.onNotice((notice) => this.#send([NOTICE_ID, notice]))
    } else if (this.#link !== null) {
      this.#run(this.#link, name, args).then(
        (answer) => this.#send([id, answer ?? null]),
        (error: unknown) => this.#send([id, null, error instanceof Error ? error.message : String(error)]),
      )
    }
  }

  /** Both ends are the same program, so the arguments are trusted. */
  #run(link: ParentLink, name: CallName, args: readonly unknown[]): Promise<unknown> {
    return (link[name] as (...all: readonly unknown[]) => Promise<unknown>)(...args)
  }

  #send(line: AnswerLine): void {
    this.#writer.add(JSON.stringify(line))
  }
}
