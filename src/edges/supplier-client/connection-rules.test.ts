import { afterEach, describe, expect, jest, test } from 'bun:test'
import { MalformedMessage } from '../../wire/head-fields.ts'
import { SlowAnswer } from '../../wire/http-answer.ts'
import { handTurnedRest } from './testing/rests.ts'
import { callTo, clientWith, OK, stopOpened, supplierThat } from './testing/scripted-calls.ts'
import { requestsIn } from './testing/scripted-supplier.ts'

afterEach(stopOpened)

const STRAY = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray'
const HUGE = 'x'.repeat(64 * 1024 * 1024)

describe('a kept connection', () => {
  test('is reused only after its rest; until then a new one is opened', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const rest = handTurnedRest()
    const client = clientWith({ rest })
    await client.call(callTo(supplier.url))
    await client.call(callTo(supplier.url))
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1])
    rest.end()
    await client.call(callTo(supplier.url))
    await client.call(callTo(supplier.url))
    expect(supplier.visits.map(requestsIn)).toEqual([2, 2])
  })

  test('rests longer while the supplier is unknown', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const rest = handTurnedRest()
    const client = clientWith({ rest })
    const callAfter = async (turns: number) => {
      rest.turn += turns
      await client.call(callTo(supplier.url))
      return supplier.visits.length
    }
    await callAfter(0)
    expect(await callAfter(2)).toBe(2)
    for (let count = 0; count < 70; count++) await callAfter(50)
    expect(await callAfter(2)).toBe(2)
  })

  test('never carries two credentials', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const client = clientWith()
    for (const credentialId of ['a', 'b', 'a', 'b', 'c']) {
      await client.call(callTo(supplier.url, { credentialId, headers: { authorization: credentialId } }))
    }
    const carried = supplier.visits.map(({ received }) => new Set(received.match(/(?<=authorization: ).*/g)))
    expect(carried).toEqual([new Set(['a']), new Set(['b']), new Set(['c'])])
  })

  test('ends with a status that has no body', async () => {
    const supplier = supplierThat((visit) => visit.send('HTTP/1.1 204 No Content\r\n\r\n'))
    const client = clientWith()
    for (let count = 0; count < 2; count++) await client.call(callTo(supplier.url))
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1])
  })

  test('is not kept for ten minutes after the supplier sent stray bytes', async () => {
    let nowMs = 0
    const supplier = supplierThat((visit) => visit.send(visit.number === 0 ? OK + STRAY : OK))
    const client = clientWith({}, { nowMs: () => nowMs })
    for (let count = 0; count < 3; count++) await client.call(callTo(supplier.url))
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1, 1])
    nowMs += 10 * 60_000
    for (let count = 0; count < 3; count++) await client.call(callTo(supplier.url))
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1, 1, 3])
  })

  test('may end with a 408 for being idle', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const client = clientWith()
    await client.call(callTo(supplier.url))
    supplier.visits[0]?.send('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n')
    await supplier.visits[0]?.isClosed
    for (let count = 0; count < 2; count++) await client.call(callTo(supplier.url))
    expect(supplier.visits.map(requestsIn)).toEqual([1, 2])
  })
})

describe('an answer before all of the request was sent', () => {
  test('is discarded on a reused connection, and the request is sent over a new one', async () => {
    const supplier = supplierThat((visit) => {
      if (visit.number === 0) visit.send(visit.received.length < 1_000 ? OK : STRAY)
      else visit.send('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n')
    })
    const client = clientWith()
    await client.call(callTo(supplier.url))
    const answer = await client.call(callTo(supplier.url, { body: HUGE }))
    expect(answer.status).toBe(413)
    expect(supplier.visits).toHaveLength(2)
    await Promise.all(supplier.visits.map(({ isClosed }) => isClosed))
  })

  test('cannot be a success', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const early = clientWith().call(callTo(supplier.url, { body: HUGE }))
    await expect(early).rejects.toThrow(
      new MalformedMessage('The supplier answered before it had the whole request.'),
    )
    await supplier.visits[0]?.isClosed
  })
})

describe('the head of an answer', () => {
  test.each([
    ['byte by byte', 'HTTP/1.1 200 OK\r\nx: '],
    ['after an interim one', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nx: '],
  ])('that drips in times out: %s', async (_, start) => {
    const supplier = supplierThat((visit) => {
      visit.send(start)
      const drip = setInterval(() => visit.send('y'), 5)
      void visit.isClosed.then(() => clearInterval(drip))
    })
    await expect(clientWith({ headMs: 60 }).call(callTo(supplier.url))).rejects.toBeInstanceOf(SlowAnswer)
    await supplier.visits[0]?.isClosed
  })

  test('may arrive in pieces, and the body may take longer', async () => {
    const headMs = 60
    jest.useFakeTimers()
    try {
      const supplier = supplierThat(async (visit) => {
        const timers = jest.getTimerCount()
        visit.send('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncont')
        // The client times the head from its first piece on.
        while (jest.getTimerCount() === timers) await new Promise(setImmediate)
        jest.advanceTimersByTime(headMs - 1)
        visit.send('ent-length: 2\r\n\r\no')
      })
      const answer = await clientWith({ headMs }).call(callTo(supplier.url))
      jest.advanceTimersByTime(headMs)
      supplier.visits[0]?.send('k')
      expect(await answer.text()).toBe('ok')
    } finally {
      jest.useRealTimers()
    }
  })

  test('has a bounded number of lines', async () => {
    const supplier = supplierThat((visit) => visit.send(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(257)}\r\n`))
    await expect(clientWith().call(callTo(supplier.url))).rejects.toThrow('too many lines')
  })
})

test('a connection that fails for lack of file descriptors says so', async () => {
  const script = `
    import { SupplierClient } from '${import.meta.dirname}/supplier-client.ts'
    import { closeSync, openSync } from 'node:fs'
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const client = new SupplierClient({ nowMs: Date.now }, { isProxied: false })
    const patience = { onAbort() {}, signal: new AbortController().signal }
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null', 'r')) } catch {}
    const call = { url: 'http://127.0.0.1:' + listener.port, headers: {}, body: '{}', connectMs: 2000, patience, credentialId: 'c' }
    const code = await client.call(call).catch((error) => error.code)
    for (const descriptor of taken) closeSync(descriptor)
    console.log(code)
    process.exit(0)
  `
  const command = ['sh', '-c', 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, script]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(child.stdout).text()).toBe('EMFILE\n')
})
