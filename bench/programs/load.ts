/**
 * The load generator: raw keep-alive sockets, one request in flight on each, as fast as they are answered or at a rate.
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
  readonly #requests: readonly Buffer[]
  #sent = 0
  readonly #startedAtMs = performance.now()
  readonly #latenciesUs: number[] = []
  readonly #firstBytesUs: number[] = []
  readonly #gapsUs: number[] = []
  #begun = 0
  #failures = 0
  #broken = 0
  #firstFailure: string | null = null

  constructor(job: LoadJob) {
    this.#job = job
    this.#requests = job.headers.map((headers) => buildRequest(job, headers))
  }

  /** When the next request is to be sent; counts it. Null when there is none. */
  begin(): number | null {
    const { ratePerSecond, maxSeconds, maxRequests } = this.#job
    const dueAtMs =
      ratePerSecond === undefined
        ? performance.now()
        : this.#startedAtMs + (this.#begun * 1000) / ratePerSecond
    if (dueAtMs - this.#startedAtMs >= maxSeconds * 1000 || this.#begun >= maxRequests) return null
    this.#begun++
    return dueAtMs
  }

  noteGap(ms: number): void {
    if (this.#job.expectedEvents !== null) this.#gapsUs.push(ms * 1000)
  }

  nextRequest(): Buffer {
    const request = this.#requests[this.#sent % this.#requests.length]
    if (request === undefined) throw new Error('the job has no headers')
    this.#sent++
    return request
  }

  finish(reader: ReplyReader, timing: { sentAtMs: number; firstByteAtMs: number }): void {
    this.#latenciesUs.push((performance.now() - timing.sentAtMs) * 1000)
    this.#firstBytesUs.push((timing.firstByteAtMs - timing.sentAtMs) * 1000)
    const { expectedEvents, statuses = [200] } = this.#job
    if (!statuses.includes(reader.status)) this.fail(`status ${reader.status}`)
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
      gapUs: spread(this.#gapsUs),
    }
  }
}

function spread(values: readonly number[]): Spread {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), p999: quantile(values, 0.999) }
}

function buildRequest({ port, path, body }: LoadJob, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = Buffer.byteLength(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
      `content-length: ${length}\r\n${lines.join('')}\r\n${body}`,
  )
}

/** Sends requests over one connection, opening a new one only when the server closed it. */
async function runConnection(run: LoadRun, port: number): Promise<void> {
  for (let dueAtMs = run.begin(); dueAtMs !== null; dueAtMs = run.begin()) {
    const mayGoOn = await driveSocket(run, port, dueAtMs)
    if (!mayGoOn) return
  }
}

/** What one connection is about. */
class Talk {
  reader = new ReplyReader()
  sentAtMs = 0
  firstByteAtMs = 0
  readonly #run: LoadRun
  #lastByteAtMs = 0
  #unsent: Buffer | null = null

  constructor(run: LoadRun) {
    this.#run = run
  }

  sendWhenDue(socket: Socket, dueAtMs: number): void {
    const waitMs = dueAtMs - performance.now()
    // A late timer is our own fault; a connection that was still busy is the target's.
    if (waitMs > 0) setTimeout(() => this.#send(socket, performance.now()), waitMs)
    else this.#send(socket, dueAtMs)
  }

  #send(socket: Socket, atMs: number): void {
    this.reader = new ReplyReader()
    this.firstByteAtMs = 0
    this.sentAtMs = atMs
    this.#write(socket, this.#run.nextRequest())
  }

  goOn(socket: Socket): void {
    if (this.#unsent !== null) this.#write(socket, this.#unsent)
  }

  #write(socket: Socket, bytes: Buffer): void {
    const written = socket.write(bytes)
    this.#unsent = written < bytes.length ? bytes.subarray(Math.max(0, written)) : null
  }

  take(bytes: Buffer): void {
    this.reader.push(bytes)
    if (this.reader.bodyBytes === 0) return
    const nowMs = performance.now()
    if (this.firstByteAtMs === 0) this.firstByteAtMs = nowMs
    else this.#run.noteGap(nowMs - this.#lastByteAtMs)
    this.#lastByteAtMs = nowMs
  }
}

/** Resolves true when the server closed between two requests, false when the run is over or broken. */
function driveSocket(run: LoadRun, port: number, firstDueAtMs: number): Promise<boolean> {
  const talk = new Talk(run)
  return new Promise((resolve) => {
    const next = (socket: Socket) => {
      run.finish(talk.reader, talk)
      const dueAtMs = talk.reader.closes ? null : run.begin()
      if (dueAtMs !== null) return talk.sendWhenDue(socket, dueAtMs)
      resolve(talk.reader.closes)
      socket.end()
    }
    const breakOff = (reason: string) => {
      run.breakOff(reason)
      resolve(false)
    }
    Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => talk.sendWhenDue(socket, firstDueAtMs),
        drain: (socket) => talk.goOn(socket),
        data: (socket, bytes) => {
          talk.take(bytes)
          if (talk.reader.isComplete) next(socket)
        },
        close: (socket) => {
          const wasOpen = !talk.reader.isComplete
          talk.reader.close()
          if (wasOpen && talk.reader.isComplete) next(socket)
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
