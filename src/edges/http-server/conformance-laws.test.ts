import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  anyCuts,
  anyMutation,
  anyRequest,
  cutAt,
  meantBy,
  mutate,
  seenAs,
  writeAny,
} from './testing/any-request.ts'
import { type EchoServer, readEcho, startEchoServer } from './testing/echo-server.ts'
import { ask, get, RawConnection } from './testing/raw-client.ts'

let echo: EchoServer

beforeAll(() => {
  echo = startEchoServer()
})

afterAll(() => echo.server.close())

const several = fc.array(anyRequest, { minLength: 1, maxLength: 4 })

test('requests are read the same, however their bytes are split into packets', async () => {
  const check = fc.asyncProperty(several, anyCuts, async (requests, cuts) => {
    const connection = new RawConnection(echo.port)
    await connection.sendApart(cutAt(Buffer.concat(requests.map(writeAny)), cuts))
    for (const request of requests) {
      expect(seenAs(readEcho(await connection.answer()))).toEqual(meantBy(request))
    }
    expect(connection.unread.length).toBe(0)
    connection.destroy()
  })
  await fc.assert(check, { numRuns: 300 })
}, 300_000)

test('altered bytes do not affect other clients', async () => {
  const mutations = fc.array(anyMutation, { minLength: 1, maxLength: 4 })
  const check = fc.asyncProperty(several, mutations, anyCuts, async (requests, changes, cuts) => {
    echo.begun.length = 0
    const bytes = changes.reduce(mutate, Buffer.concat(requests.map(writeAny)))
    const connection = new RawConnection(echo.port)
    await connection.sendApart(cutAt(bytes, cuts))
    connection.finish()
    await connection.ended()
    // Each request needs its own line.
    expect(echo.begun.length).toBeLessThanOrEqual(
      bytes.toString('latin1').split(/ HTTP\/1\.[01]\r\n/).length - 1,
    )
    if (connection.ending === 'closed') {
      while (connection.unread.length > 0) expect((await connection.answer()).status).toBeLessThan(500)
    }
    connection.destroy()
    expect((await ask(echo.port, get('/echo'))).status).toBe(200)
    expect(echo.troubles).toEqual([])
  })
  await fc.assert(check, { numRuns: 1_000 })
}, 300_000)

test('random bytes do not affect other clients', async () => {
  const check = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), anyCuts, async (bytes, cuts) => {
    echo.begun.length = 0
    const connection = new RawConnection(echo.port)
    await connection.sendApart(cutAt(Buffer.from(bytes), cuts))
    connection.finish()
    await connection.ended()
    connection.destroy()
    expect((await ask(echo.port, get('/echo?next'))).status).toBe(200)
    expect([echo.begun, echo.troubles]).toEqual([['GET /echo'], []])
  })
  await fc.assert(check, { numRuns: 200 })
}, 300_000)
