/**
 * The load generator: raw keep-alive sockets, one request in flight on each.
 * `fetch` would cost more than the targets it measures. The job comes on stdin, the result goes to stdout.
 */
import type { Socket } from 'bun'
import type { LoadJob, LoadResult, Spread } from '../measuring/load-job.ts'
import { quantile } from '../measuring/statistics.ts'
import { ReplyReader } from './reply-reader.ts'

// Streams under way when the time is up are finished and counted; a target that hangs is not waited for.
const GRACE_SECONDS = 15

class LoadRun {
  readonly #job: LoadJob
  readonly #request: Buffer
  readonly #startedAtMs = performance.now()
  readonly #latenciesUs: number[] = []
  readonly #firstBytesUs: number[] = []
  #begun = 0
  #failures = 0
  #broken = 0
  #firstFailure: string | null = null

  constructor(job: LoadJob) {
    this.#job = job
    this.#request = buildRequest(job)
  }

  /** True when one more request may be sent; counts it. */
  begin(): boolean {
    const isOver = performance.now() - this.#startedAtMs >= this.#job.maxSeconds * 1000
    if (isOver || this.#begun >= this.#job.maxRequests) return false
    this.#begun++
    return true
  }

  get request(): Buffer {
    return this.#request
  }

  finish(reader: ReplyReader, timing: { sentAtMs: number; firstByteAtMs: number }): void {
    this.#latenciesUs.push((performance.now() - timing.sentAtMs) * 1000)
    this.#firstBytesUs.push((timing.firstByteAtMs - timing.sentAtMs) * 1000)
    const { expectedEvents } = this.#job
    if (reader.status !== 200) this.fail(`status ${reader.status}`)
    else if (expectedEvents !== null && reader.events !== expectedEvents) {
      this.fail(`${reader.events} events instead of ${expectedEvents}`)
    }
  }

  fail(reason: string): void {
    this.#failures++
    this.#firstFailure ??= reason
  }

  /** Every request without a reply has failed, not the run as one. */
  giveUp(): void {
    const missing = this.#begun - this.#latenciesUs.length - this.#broken
    for (let count = 0; count < missing; count++) this.fail('no complete reply when patience ended')
  }

  /** The connection ended before its reply did. */
  breakOff(reason: string): void {
    this.#broken++
    this.fail(reason)
  }

  result(): LoadResult {
    return {
      requests: this.#begun,
      failures: this.#failures,
      firstFailure: this.#firstFailure,
      seconds: (performance.now() - this.#startedAtMs) / 1000,
      latencyUs: spread(this.#latenciesUs),
      firstByteUs: spread(this.#firstBytesUs),
    }
  }
}

function spread(values: readonly number[]): Spread {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) }
}

function buildRequest({ port, path, headers, body }: LoadJob): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = Buffer.byteLength(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
      `content-length: ${length}\r\n${lines.join('')}\r\n${body}`,
  )
}

/** Sends requests over one connection, opening a new one only when the server closed it. */
async function runConnection(run: LoadRun, port: number): Promise<void> {
  while (run.begin()) {
    const mayGoOn = await driveSocket(run, port)
    if (!mayGoOn) return
  }
}

/** Resolves true when the server closed between two requests, false when the run is over or broken. */
function driveSocket(run: LoadRun, port: number): Promise<boolean> {
  let reader = new ReplyReader()
  let sentAtMs = 0
  let firstByteAtMs = 0
  let unsent: Buffer | null = null

  const send = (socket: Socket) => {
    reader = new ReplyReader()
    firstByteAtMs = 0
    sentAtMs = performance.now()
    flush(socket, run.request)
  }
  const flush = (socket: Socket, bytes: Buffer) => {
    const written = socket.write(bytes)
    unsent = written < bytes.length ? bytes.subarray(Math.max(0, written)) : null
  }

  return new Promise((resolve) => {
    const next = (socket: Socket) => {
      run.finish(reader, { sentAtMs, firstByteAtMs })
      if (reader.closes) {
        resolve(true)
        socket.end()
      } else if (run.begin()) {
        send(socket)
      } else {
        resolve(false)
        socket.end()
      }
    }
    const breakOff = (reason: string) => {
      run.breakOff(reason)
      resolve(false)
    }
    Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: send,
        drain: (socket) => {
          if (unsent !== null) flush(socket, unsent)
        },
        data: (socket, bytes) => {
          reader.push(bytes)
          if (firstByteAtMs === 0 && reader.bodyBytes > 0) firstByteAtMs = performance.now()
          if (reader.isComplete) next(socket)
        },
        close: (socket) => {
          const wasOpen = !reader.isComplete
          reader.close()
          if (wasOpen && reader.isComplete) next(socket)
          else if (wasOpen) breakOff('the connection was closed before the reply was complete')
        },
        error: (_, error) => breakOff(`socket error: ${error.message}`),
      },
    }).catch((error: unknown) => breakOff(`could not connect: ${String(error)}`))
  })
}

async function main(): Promise<void> {
  const job = (await Bun.stdin.json()) as LoadJob
  const run = new LoadRun(job)
  const connections = Array.from({ length: job.connections }, () => runConnection(run, job.port))
  const patience = setTimeout(
    () => {
      run.giveUp()
      console.log(JSON.stringify(run.result()))
      process.exit(0)
    },
    (job.maxSeconds + GRACE_SECONDS) * 1000,
  )
  await Promise.all(connections)
  clearTimeout(patience)
  console.log(JSON.stringify(run.result()))
}

await main()
