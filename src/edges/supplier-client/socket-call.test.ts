import { afterEach, describe, expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { PiecedBody } from '../../wire/pieced-body.ts'
import {
  callTo,
  clientWith,
  newPatience,
  OK,
  stopLater,
  stopOpened,
  supplierThat,
} from './testing/scripted-calls.ts'
import { requestsIn } from './testing/scripted-supplier.ts'

afterEach(stopOpened)

describe('a request', () => {
  test('has all headers a supplier needs and asks for an uncompressed answer', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const headers = { 'content-type': 'application/json', authorization: 'Bearer s' }
    const { text } = await clientWith()
      .call(callTo(`${supplier.url}/a%20b?c=d`, { headers, body: '{"word":"é"}' }))
      .then(async (answer) => ({ text: await answer.text() }))
    expect(text).toBe('ok')
    const host = new URL(supplier.url).host
    expect(Buffer.from(supplier.visits[0]?.received ?? '', 'latin1').toString()).toBe(
      `POST /v1/a%20b?c=d HTTP/1.1\r\nhost: ${host}\r\nuser-agent: turnpike\r\naccept: */*\r\n` +
        'accept-encoding: identity\r\ncontent-type: application/json\r\nauthorization: Bearer s\r\n' +
        'content-length: 13\r\n\r\n{"word":"é"}',
    )
  })

  test('carries its own headers, not those of earlier requests to the same URL', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const client = clientWith()
    const many = Array.from({ length: 6 }, (_, index) => ({ authorization: `Bearer ${index}` }))
    const sets = [...many, { a: '1' }, { a: '1', b: '2' }, { b: '2', a: '1' }, {}, ...many, { a: '2' }]
    for (const headers of [...sets, ...sets]) await client.call(callTo(supplier.url, { headers }))
    const sent = supplier.visits[0]?.received.split('\r\n\r\n{}').slice(0, -1) ?? []
    const fields = sent.map((head) => head.split('\r\n').slice(5, -1).sort())
    const expected = sets.map((headers) =>
      Object.entries(headers)
        .map((pair) => pair.join(': '))
        .sort(),
    )
    expect(fields).toEqual([...expected, ...expected])
  })

  test('is not split in two by a line break in a header', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const headers = { authorization: 'Bearer s\r\n\r\nPOST /other HTTP/1.1' }
    const client = clientWith()
    await expect(client.call(callTo(supplier.url, { headers }))).rejects.toThrow()
    await expect(client.call(callTo(supplier.url, { headers: { ...headers } }))).rejects.toThrow()
    expect(supplier.visits.map(({ received }) => received)).not.toContainEqual(
      expect.stringContaining('other'),
    )
  })

  test('of many megabytes arrives complete', async () => {
    const body = 'é'.repeat(4 * 1024 * 1024)
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => new Response(String((await request.text()) === body)),
    })
    stopLater(server)
    const answer = await clientWith().call(callTo(`${server.url}x`, { body }))
    expect(await answer.text()).toBe('true')
  })

  test('refused before it was sent completely gets its answer, and the connection is not reused', async () => {
    const supplier = supplierThat((visit) => {
      if (visit.received.length < 1_000) return
      visit.send('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n')
      visit.received = ''
    })
    const client = clientWith()
    const answer = await client.call(callTo(supplier.url, { body: 'x'.repeat(64 * 1024 * 1024) }))
    expect(answer.status).toBe(413)
    await supplier.visits[0]?.isClosed
  })
})

describe('a connection', () => {
  test('serves one call after another', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const client = clientWith()
    for (let round = 0; round < 3; round++) {
      expect(await (await client.call(callTo(supplier.url))).text()).toBe('ok')
    }
    expect(supplier.visits.map(requestsIn)).toEqual([3])
  })

  test('serves one call at a time', async () => {
    const supplier = supplierThat((visit) => {
      if (supplier.visits.length === 2) for (const each of supplier.visits) each.send(OK)
      else if (visit.number > 1) visit.send(OK)
    })
    const client = clientWith()
    await Promise.all([client.call(callTo(supplier.url)), client.call(callTo(supplier.url))])
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1])
  })

  test.each([300_000, 400_000, 500_000, 600_000])(
    'paused while %p bytes wait for the reader serves the next call',
    async (length) => {
      const long = 'x'.repeat(length)
      const supplier = supplierThat((visit) => {
        const isFirst = requestsIn(visit) === 1
        visit.send(isFirst ? `HTTP/1.1 200 OK\r\ncontent-length: ${long.length}\r\n\r\n${long}` : OK)
      })
      const client = clientWith()
      const first = await client.call(callTo(supplier.url))
      // Time for all of it to come in unread, which is when the connection could be forgotten in its pause.
      await Bun.sleep(50)
      expect(await first.text()).toBe(long)
      expect(await (await client.call(callTo(supplier.url))).text()).toBe('ok')
      expect(supplier.visits.map(requestsIn)).toEqual([2])
    },
  )

  test('is not reused after bytes that belong to no request', async () => {
    const supplier = supplierThat((visit) =>
      visit.send(`${OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`),
    )
    const client = clientWith()
    for (let round = 0; round < 2; round++) {
      expect(await (await client.call(callTo(supplier.url))).text()).toBe('ok')
    }
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1])
  })

  test('is closed when the supplier sends bytes between two calls', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const client = clientWith()
    await client.call(callTo(supplier.url))
    supplier.visits[0]?.send('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil')
    await supplier.visits[0]?.isClosed
    expect(await (await client.call(callTo(supplier.url))).text()).toBe('ok')
    expect(supplier.visits.map(requestsIn)).toEqual([1, 1])
  })

  test('closed after a long idle time as the next request is sent is replaced once', async () => {
    let nowMs = 0
    const supplier = supplierThat((visit) => {
      if (requestsIn(visit) > 1) visit.close()
      else visit.send(OK)
    })
    const client = clientWith({}, { nowMs: () => nowMs })
    await client.call(callTo(supplier.url))
    nowMs += 5_000
    expect(await (await client.call(callTo(supplier.url))).text()).toBe('ok')
    expect(supplier.visits.map(requestsIn)).toEqual([2, 1])
  })

  test('used a moment ago and closed instead of an answer fails the call', async () => {
    const supplier = supplierThat((visit) => {
      if (requestsIn(visit) > 1) visit.close()
      else visit.send(OK)
    })
    const client = clientWith()
    await client.call(callTo(supplier.url))
    await expect(client.call(callTo(supplier.url))).rejects.toThrow('closed the connection')
    expect(supplier.visits.map(requestsIn)).toEqual([2])
  })

  test('closed twice without an answer is not tried a third time', async () => {
    let nowMs = 0
    const supplier = supplierThat((visit) => {
      if (visit.number === 0 && requestsIn(visit) === 1) visit.send(OK)
      else visit.close()
    })
    const client = clientWith({}, { nowMs: () => nowMs })
    await client.call(callTo(supplier.url))
    nowMs += 5_000
    await expect(client.call(callTo(supplier.url))).rejects.toThrow('closed the connection')
    expect(supplier.visits.map(requestsIn)).toEqual([2, 1])
  })
})

describe('an answer', () => {
  test('may end with its connection', async () => {
    const supplier = supplierThat((visit) => {
      visit.send('HTTP/1.1 200 OK\r\n\r\nall there is')
      visit.close()
    })
    expect(await (await clientWith().call(callTo(supplier.url))).text()).toBe('all there is')
  })

  test.each([
    ['of a said length', 'content-length: 10\r\n\r\nhalf'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('%s that is cut short is an error, read whole or in pieces', async (_, rest) => {
    const supplier = supplierThat((visit) => {
      visit.send(`HTTP/1.1 200 OK\r\n${rest}`)
      visit.close()
    })
    const whole = await clientWith().call(callTo(supplier.url))
    await expect(whole.text()).rejects.toThrow('before its answer was complete')
    const reader = (await clientWith().call(callTo(supplier.url))).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('half')
    await expect(reader?.read()).rejects.toThrow('before its answer was complete')
  })

  test('that is malformed is an error, and its connection is closed', async () => {
    const supplier = supplierThat((visit) => visit.send('HTTP/1.1 200 OK\r\nno field\r\n\r\n'))
    await expect(clientWith().call(callTo(supplier.url))).rejects.toThrow('malformed')
    await supplier.visits[0]?.isClosed
  })

  test('that turns malformed on the way fails its reader', async () => {
    const supplier = supplierThat((visit) =>
      visit.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nokBAD\r\n'),
    )
    const answer = await clientWith().call(callTo(supplier.url))
    await expect(answer.text()).rejects.toThrow('broken')
    await supplier.visits[0]?.isClosed
  })

  test('is read without its byte order mark', async () => {
    const supplier = supplierThat((visit) =>
      visit.send('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n\ufeffok'),
    )
    expect(await (await clientWith().call(callTo(supplier.url))).text()).toBe('ok')
    expect((await clientWith().call(callTo(supplier.url))).textNow?.()).toBe('ok')
  })

  test.each([
    ['came in one piece', OK, 'ok'],
    ['is empty', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', ''],
    ['came with more than there should be', `${OK}evil`, null],
    ['is not all there', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok', null],
    ['came in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', null],
  ])('that %s has its text at once, or not', async (_, sent, text) => {
    const supplier = supplierThat((visit) => visit.send(sent))
    expect((await clientWith().call(callTo(supplier.url))).textNow?.()).toBe(text)
  })

  test.each([
    ['ok', ['ok']],
    ['', []],
  ])('that came whole can be read in pieces: "%s"', async (text, pieces) => {
    const supplier = supplierThat((visit) =>
      visit.send(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
    )
    const reader = (await clientWith().call(callTo(supplier.url))).body?.getReader()
    const read: string[] = []
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      read.push(Buffer.from(next.value).toString())
    }
    expect(read).toEqual(pieces)
  })

  test.each([
    ['gzip', Bun.gzipSync],
    ['deflate', deflateSync],
    ['zstd', Bun.zstdCompressSync],
  ] as const)('compressed as %s although we did not ask for it is decompressed', async (coding, compress) => {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(compress('plain words'), { headers: { 'content-encoding': coding } }),
    })
    stopLater(server)
    expect(await (await clientWith().call(callTo(`${server.url}x`))).text()).toBe('plain words')
  })

  test('arrives no faster than it is read', async () => {
    let sentBytes = 0
    const piece = new Uint8Array(64 * 1024)
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              sentBytes += piece.length
              controller.enqueue(piece)
              if (sentBytes >= 64 * 1024 * 1024) controller.close()
            },
          }),
        ),
    })
    stopLater(server)
    const answer = await clientWith().call(callTo(`${server.url}x`))
    const reader = answer.body?.getReader()
    await reader?.read()
    let seenBytes = -1
    // Until nothing moves any more: what is on the way is in the buffers of the system.
    while (seenBytes !== sentBytes) {
      seenBytes = sentBytes
      await Bun.sleep(100)
    }
    expect(sentBytes).toBeLessThan(32 * 1024 * 1024)
    let readBytes = piece.length
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      readBytes += next.value.length
    }
    expect(readBytes).toBeGreaterThanOrEqual(64 * 1024 * 1024)
  })
})

describe('an aborted call says whether the supplier had the request', () => {
  test('yes, once all of it has been sent', async () => {
    const asked = Promise.withResolvers<void>()
    const supplier = supplierThat(() => asked.resolve())
    const patience = newPatience()
    const answer = clientWith().call(callTo(supplier.url, { patience }))
    await asked.promise
    patience.abort()
    await expect(answer).rejects.toThrow('aborted')
    expect(patience.wasSent).toEqual([true])
  })

  test('yes, when it has been answered', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const patience = newPatience()
    await (await clientWith().call(callTo(supplier.url, { patience }))).text()
    patience.abort()
    expect(patience.wasSent).toEqual([true])
  })

  test('no, before the connection is open', async () => {
    const supplier = supplierThat((visit) => visit.send(OK))
    const patience = newPatience()
    const answer = clientWith().call(callTo(supplier.url, { patience }))
    patience.abort()
    await expect(answer).rejects.toThrow('aborted')
    expect(patience.wasSent).toEqual([false])
    expect(supplier.visits.map(({ received }) => received).join('')).toBe('')
  })

  test('no, while a part of it has yet to be sent', async () => {
    const patience = newPatience()
    const supplier = supplierThat(() => patience.abort())
    const body = 'x'.repeat(64 * 1024 * 1024)
    await expect(clientWith().call(callTo(supplier.url, { patience, body }))).rejects.toThrow('aborted')
    expect(patience.wasSent).toEqual([false])
  })

  test('through fetch, yes for a body that was built while it was sent', async () => {
    const asked = Promise.withResolvers<void>()
    const supplier = supplierThat(({ received }) => {
      if (received.includes('the end')) asked.resolve()
    })
    const patience = newPatience()
    const body = new PiecedBody('text/plain', ['the beginning', new Blob(['the end'])])
    const answer = clientWith().call(callTo(supplier.url, { patience, body }))
    await asked.promise
    patience.abort()
    await expect(answer).rejects.toThrow('aborted')
    expect(patience.wasSent).toEqual([true])
  })

  test('through fetch, for a text only once the answer begins', async () => {
    const asked = Promise.withResolvers<void>()
    const silent = supplierThat(() => asked.resolve())
    const client = clientWith({ isProxied: true })
    const [early, late] = [newPatience(), newPatience()]
    const unanswered = client.call(callTo(silent.url, { patience: early }))
    await asked.promise
    early.abort()
    await expect(unanswered).rejects.toThrow('aborted')
    expect(early.wasSent).toEqual([false])
    const answering = supplierThat((visit) => visit.send('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
    await client.call(callTo(answering.url, { patience: late }))
    late.abort()
    expect(late.wasSent).toEqual([true])
  })
})

describe('an aborted call', () => {
  test('ends at once and closes its connection', async () => {
    const asked = Promise.withResolvers<void>()
    const supplier = supplierThat(() => asked.resolve())
    const patience = newPatience()
    const answer = clientWith().call(callTo(supplier.url, { patience }))
    await asked.promise
    patience.abort()
    await expect(answer).rejects.toThrow('aborted')
    await supplier.visits[0]?.isClosed
  })

  test('ends in the middle of its answer', async () => {
    const supplier = supplierThat((visit) => visit.send('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
    const patience = newPatience()
    const reader = (await clientWith().call(callTo(supplier.url, { patience }))).body?.getReader()
    await reader?.read()
    const next = reader?.read()
    patience.abort()
    await expect(next).rejects.toThrow('aborted')
    await supplier.visits[0]?.isClosed
  })

  test('does not affect the next call on its connection', async () => {
    const supplier = supplierThat((visit) => {
      if (requestsIn(visit) === 1) visit.send(OK)
    })
    const client = clientWith()
    const patience = newPatience()
    await client.call(callTo(supplier.url, { patience }))
    const second = client.call(callTo(supplier.url))
    patience.abort()
    supplier.visits[0]?.send(OK)
    expect(await (await second).text()).toBe('ok')
  })
})
