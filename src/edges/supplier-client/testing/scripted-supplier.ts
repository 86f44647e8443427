import type { Socket } from 'bun'

/** One connection as the supplier sees it. */
export interface Visit {
  /** What has come in over this connection so far. */
  received: string
  readonly number: number
  readonly isClosed: Promise<void>
  send(text: string | Uint8Array): void
  close(): void
}

type Script = (visit: Visit) => void

interface State extends Visit {
  noteClosed(): void
}

/** A supplier that says byte by byte what a test wants; called with every piece that comes in. */
export function startScriptedSupplier(script: Script) {
  const visits: Visit[] = []
  const listener = Bun.listen<State>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = visitOver(socket, visits.length)
        visits.push(socket.data)
      },
      data: (socket, bytes) => {
        socket.data.received += bytes.toString('latin1')
        script(socket.data)
      },
      close: (socket) => socket.data.noteClosed(),
    },
  })
  return { url: `http://127.0.0.1:${listener.port}/v1`, visits, stop: () => listener.stop(true) }
}

function visitOver(socket: Socket<State>, number: number): State {
  const closed = Promise.withResolvers<void>()
  return {
    received: '',
    number,
    isClosed: closed.promise,
    noteClosed: closed.resolve,
    send: (text) => void socket.write(text),
    close: () => void socket.end(),
  }
}

/** How many whole requests with a body of `{}` have come in over this connection. */
export function requestsIn({ received }: Visit): number {
  return received.split('\r\n\r\n{}').length - 1
}
