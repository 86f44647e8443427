/** Two servers in the place of gateways that close every connection after a whole request, without an answer. */
export interface SilentNodes {
  readonly hosts: readonly string[]
  /** The methods of all requests that either has received. */
  readonly received: string[]
  stop(): void
}

/** They answer only health checks. */
export function startSilentNodes(): SilentNodes {
  const received: string[] = []
  const servers = [0, 1].map(() =>
    Bun.listen<{ text: string }>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => {
          socket.data = { text: '' }
        },
        data: (socket, bytes) => {
          socket.data.text += bytes.toString('latin1')
          const { text } = socket.data
          const end = text.indexOf('\r\n\r\n')
          const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
          if (end < 0 || text.length < end + 4 + length) return
          if (text.startsWith('GET /readyz')) {
            socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
          } else {
            received.push(text.slice(0, text.indexOf(' ')))
            socket.end()
          }
        },
      },
    }),
  )
  return {
    hosts: servers.map(({ port }) => `127.0.0.1:${port}`),
    received,
    stop: () => {
      for (const server of servers) server.stop(true)
    },
  }
}
