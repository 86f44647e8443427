import { connect, createServer, type Socket } from 'node:net'

export interface Balancer {
  readonly url: string
  /** How many nodes it sends new connections to. */
  readonly ready: number
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 100

/** Sends new connections in turn to the nodes that say they are ready, as the balancers do that people run. */
export async function startBalancer(urls: () => readonly string[]): Promise<Balancer> {
  const state = { ready: [] as string[], turn: 0 }
  const open = new Set<Socket>()
  const look = async () => {
    const checks = await Promise.all(urls().map(async (url) => ((await isReady(url)) ? url : null)))
    state.ready = checks.filter((url) => url !== null)
  }
  await look()
  const timer = setInterval(look, LOOK_EVERY_MS)
  const server = createServer((client) => {
    const url = state.ready[state.turn++ % state.ready.length]
    if (url === undefined) {
      client.destroy()
      return
    }
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.end()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    get ready() {
      return state.ready.length
    },
    stop: () => {
      clearInterval(timer)
      for (const socket of open) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { keepalive: false })
    await response.text()
    return response.ok
  } catch {
    return false
  }
}
