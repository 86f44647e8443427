import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Echo, type EchoServer, readEcho, startEchoServer } from './testing/echo-server.ts'
import { asBytes, ask, get, post, postChunked, RawConnection } from './testing/raw-client.ts'

let echo: EchoServer

beforeAll(() => {
  echo = startEchoServer()
})

afterAll(() => echo.server.close())

beforeEach(() => {
  echo.begun.length = 0
})

async function asked(bytes: string): Promise<Echo> {
  const answer = await ask(echo.port, bytes)
  expect([answer.status, answer.body.toString()]).toEqual([200, expect.any(String)])
  return readEcho(answer)
}

describe('a request in pieces is read like a whole one', () => {
  const requests: Readonly<Record<string, string>> = {
    'without a body': get('/items/a%20b?q=1&r', 'X-A:  one ', 'x-a: two', 'x-empty:'),
    'after empty lines': `\r\n\r\n${get('/items/1')}`,
    'with a length': post('/echo?q=1', '{"a":"\xc3\xa9"}', 'Content-Type: application/json'),
    'with an absolute target': get('http://x/echo?a=b'),
    'in chunks': postChunked('/echo', '3;a=b\r\nabc\r\n00A\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n'),
  }
  for (const [name, text] of Object.entries(requests)) {
    const bytes = asBytes(text)

    test(`${name}, byte by byte`, async () => {
      const whole = await asked(text)
      const connection = new RawConnection(echo.port)
      await connection.sendApart(Array.from(bytes, (byte) => Uint8Array.of(byte)))
      expect(readEcho(await connection.answer())).toEqual(whole)
      connection.destroy()
    })

    test(`${name}, in two packets split anywhere`, async () => {
      const whole = await asked(text)
      const connection = new RawConnection(echo.port)
      for (let at = 1; at < bytes.length; at += 1) {
        await connection.sendApart([bytes.subarray(0, at), bytes.subarray(at)])
        expect([at, readEcho(await connection.answer())]).toEqual([at, whole])
      }
      connection.destroy()
    })

    test(`${name}, twice, in packets that overlap both`, async () => {
      const whole = await asked(text)
      const twice = asBytes(text + text)
      const connection = new RawConnection(echo.port)
      for (let at = 1; at < twice.length; at += 3) {
        await connection.sendApart([twice.subarray(0, at), twice.subarray(at)])
        expect(readEcho(await connection.answer())).toEqual(whole)
        expect(readEcho(await connection.answer())).toEqual(whole)
      }
      connection.destroy()
    })
  }
})
