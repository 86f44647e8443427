import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** Where new connections lead from now on; those that stand are broken. */
  leadTo(port: number): void
  /** The server vanishes silently: open connections lead nowhere and are not closed. New ones work. */
  vanish(): void
  stop(): Promise<void>
}

/** Passes connections on to a port of this machine, as an address that outlives its server does. */
export function startProxy(hostname: string, targetPort: number): Promise<TcpProxy> {
  let target = targetPort
  const open = new Set<Socket>()
  const pairs: [client: Socket, upstream: Socket][] = []
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    pairs.push([client, upstream])
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  const breakAll = () => {
    for (const socket of open) socket.destroy()
  }
  const { promise, resolve, reject } = Promise.withResolvers<TcpProxy>()
  server.once('error', reject)
  server.listen(0, hostname, () => {
    const address = server.address()
    resolve({
      port: typeof address === 'object' && address !== null ? address.port : 0,
      leadTo: (port) => {
        target = port
        breakAll()
      },
      vanish: () => {
        for (const [client, upstream] of pairs) {
          client.unpipe()
          client.resume()
          upstream.unpipe()
          // Its end must not be passed on.
          upstream.removeAllListeners('close')
          upstream.destroy()
        }
        pairs.length = 0
      },
      stop: () => {
        breakAll()
        return new Promise((done) => server.close(() => done()))
      },
    })
  })
  return promise
}
