import { describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { LimitsSilent } from './limits-errors.ts'
import { SilenceWatch } from './silence-watch.ts'

const DEADLINE_MS = 20

function createWatch(onGivenUp = () => {}): SilenceWatch {
  return new SilenceWatch({ deadlineMs: DEADLINE_MS, onGivenUp })
}

/** A call that is open until it is ended or fails. */
function openCall(watch: SilenceWatch): { failed: Promise<Error>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<Error>()
  const call = { fail: resolve }
  watch.begin(call)
  return { failed: promise, end: () => watch.end(call) }
}

/** Keeps this process from doing anything else. */
function stall(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

describe('a silent connection', () => {
  test('fails all open calls, but not before the deadline', async () => {
    const watch = createWatch()
    const startMs = performance.now()
    const calls = [openCall(watch), openCall(watch)]
    for (const { failed } of calls) expect(await failed).toBeInstanceOf(LimitsSilent)
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(DEADLINE_MS)
  })

  test('is not silent while any answer arrives', async () => {
    const watch = createWatch()
    const waiting = openCall(watch)
    let failure: Error | null = null
    void waiting.failed.then((error) => {
      failure = error
    })
    // Each answer comes well before the deadline; together they take several.
    for (let answer = 0; answer < 20; answer++) {
      const other = openCall(watch)
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS / 5))
      other.end()
    }
    expect(failure).toBeNull()
    expect(await waiting.failed).toBeInstanceOf(LimitsSilent)
  })

  test('is given up once when no late answer arrives either', async () => {
    let givenUp = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch = createWatch(() => {
      givenUp += 1
      resolve()
    })
    const call = openCall(watch)
    expect(await call.failed).toBeInstanceOf(LimitsSilent)
    expect(givenUp).toBe(0)
    await promise
    call.end()
    expect(givenUp).toBe(1)
  })

  test('is not silent when this process was stalled', async () => {
    // An answer that lies in the socket while the process is busy, which a plain timer would declare missing.
    const server = createServer((socket: Socket) => socket.on('data', (bytes) => socket.write(bytes)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { promise: answered, resolve: onAnswer } = Promise.withResolvers<'answered'>()
    const watch = createWatch()
    const call = openCall(watch)
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: () => {
          call.end()
          onAnswer('answered')
        },
      },
    })
    socket.write('hello')
    stall(10 * DEADLINE_MS)
    expect(await Promise.race([answered, call.failed])).toBe('answered')
    socket.end()
    server.close()
  })
})
