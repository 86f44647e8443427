import { rmSync } from 'node:fs'
import type { CommonDesk } from '../../serve/ports/common-desk.ts'
import { type AnswerLine, type CallLine, type CallName, carryOut, HELLO, NOTICE_ID } from './calls.ts'
import { LineReader, LineWriter, type Wire } from './lines.ts'

export interface DeskServerOptions {
  /** Nobody but the user of this process may connect to it. */
  readonly path: string
  readonly deskFor: (nodeId: string) => CommonDesk
}

export interface DeskServer {
  close(): void
}

const OWNER_ONLY_MASK = 0o177

/** Serves a desk to the nodes on this machine, each over one connection. */
export function serveDesk({ path, deskFor }: DeskServerOptions): DeskServer {
  // A process that was killed leaves its socket behind.
  rmSync(path, { force: true })
  const usualMask = process.umask(OWNER_ONLY_MASK)
  try {
    const listener = Bun.listen<Visitor>({
      unix: path,
      socket: {
        open: (socket) => {
          socket.data = new Visitor(socket, deskFor)
        },
        data: ({ data: visitor }, bytes) => visitor.hear(bytes),
        drain: ({ data: visitor }) => visitor.resume(),
        close: ({ data: visitor }) => visitor.leave(),
      },
    })
    return { close: () => listener.stop(true) }
  } finally {
    process.umask(usualMask)
  }
}

/** One node at the desk. */
class Visitor {
  readonly #reader = new LineReader()
  readonly #writer: LineWriter
  readonly #deskFor: DeskServerOptions['deskFor']
  #desk: CommonDesk | null = null
  #endNotices: () => void = () => {}

  constructor(wire: Wire, deskFor: DeskServerOptions['deskFor']) {
    this.#writer = new LineWriter(wire)
    this.#deskFor = deskFor
  }

  hear(bytes: Uint8Array): void {
    for (const line of this.#reader.push(bytes)) this.#take(JSON.parse(line) as CallLine)
  }

  resume(): void {
    this.#writer.resume()
  }

  leave(): void {
    this.#endNotices()
    void this.#desk?.close()
  }

  #take([id, name, ...given]: readonly [id: number, name: CallName | typeof HELLO, ...unknown[]]): void {
    if (name === HELLO) {
      const desk = this.#deskFor(given[0] as string)
      this.#desk = desk
      this.#endNotices = desk.onNotice((notice) => this.#say([NOTICE_ID, notice]))
    } else if (this.#desk !== null) {
      carryOut(this.#desk, name, given).then(
        (answer) => this.#say([id, answer ?? null]),
        (error: unknown) => this.#say([id, null, error instanceof Error ? error.message : String(error)]),
      )
    }
  }

  #say(line: AnswerLine): void {
    this.#writer.add(JSON.stringify(line))
  }
}
