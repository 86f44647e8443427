import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { codeOf, type EchoServer, MAX_BODY_BYTES, startEchoServer } from './testing/echo-server.ts'
import { ask, converse, get, head, postChunked } from './testing/raw-client.ts'

let echo: EchoServer

beforeAll(() => {
  echo = startEchoServer()
})

afterAll(() => echo.server.close())

beforeEach(() => {
  echo.begun.length = 0
})

const HIDDEN = get('/smuggled')

/**
 * One answer, which refuses, and the end of the connection: what two readers of the same bytes could disagree about is
 * read by neither.
 */
async function refused(bytes: string, statuses: readonly number[] = [400]): Promise<void> {
  const { answers, ending } = await converse(echo.port, bytes)
  expect(answers.map(({ status }) => status)).toEqual([expect.any(Number)])
  expect(statuses).toContain(answers[0]?.status ?? 0)
  expect(answers[0]?.headers.connection?.toLowerCase()).toBe('close')
  expect(ending).toBe('closed')
  expect(echo.begun).not.toContain('GET /smuggled')
}

/** The same, and no handler was even begun. */
async function refusedUnheard(bytes: string, statuses: readonly number[] = [400]): Promise<void> {
  await refused(bytes, statuses)
  expect(echo.begun).toEqual([])
}

function requestWith(...lines: readonly string[]): string {
  return head('POST /echo HTTP/1.1', 'Host: x', ...lines)
}

describe('a length and a transfer encoding', () => {
  test.each([
    [['Content-Length: 5', 'Transfer-Encoding: chunked']],
    [['Transfer-Encoding: chunked', 'Content-Length: 5']],
    [['Content-Length: 0', 'Transfer-Encoding: chunked']],
    [['content-length: 5', 'transfer-encoding: CHUNKED']],
    [['Content-Length: 5', 'Transfer-Encoding: identity']],
    [['Content-Length: 5', 'Transfer-Encoding:']],
    [['Content-Length: 5', 'Transfer-Encoding: ,']],
  ])('%p are refused', async (lines) => {
    await refusedUnheard(`${requestWith(...lines)}0\r\n\r\n${HIDDEN}`)
    await refusedUnheard(`${head('GET /echo HTTP/1.1', 'Host: x', ...lines)}0\r\n\r\n${HIDDEN}`)
  })
})

describe('a length', () => {
  test.each([
    '+5',
    '-1',
    '-0',
    '5, 5',
    '5,5',
    '5, 6',
    '5,',
    ',5',
    '0x5',
    '5x',
    'x',
    '5 5',
    '5.0',
    '5e0',
    '1_0',
    '',
    '"5"',
    '5;a',
    '\xb2',
    '9007199254740993',
    '18446744073709551621',
    '99999999999999999999999999',
    '1e400',
    'Infinity',
    'NaN',
  ])('%p is refused', async (length) => {
    // Large numbers are valid lengths, but such bodies are too large.
    await refused(
      `${requestWith(`Content-Length: ${length}`)}hello${HIDDEN}`,
      /^\d{10,}$/.test(length) ? [400, 413] : [400],
    )
    expect(echo.begun.filter((line) => line !== 'POST /echo')).toEqual([])
  })

  test('that is repeated is refused', async () => {
    await refusedUnheard(`${requestWith('Content-Length: 5', 'Content-Length: 6')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: 6', 'content-length: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: 5', 'Content-Length: 0')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: 5', 'Content-Length:')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: 5', 'Content-Length: 5')}hello${HIDDEN}`)
  })

  test('hidden by unusual characters is refused, not ignored', async () => {
    await refusedUnheard(`${requestWith('Content-Length : 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length\t: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith(' Content-Length: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('x: y', ' Content-Length: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length:', ' 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('x: y\rContent-Length: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('x: y\nContent-Length: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('\0Content-Length: 5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: \x0b5')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: 5\0')}hello${HIDDEN}`)
    await refusedUnheard(`${requestWith('Content-Length: 5\r')}hello${HIDDEN}`)
  })
})

describe('a transfer encoding', () => {
  test.each([
    'chunked, identity',
    'identity, chunked',
    'identity',
    'xchunked',
    'chunkedx',
    'chunked, chunked',
    'chunked,',
    ',chunked',
    'gzip, chunked',
    'gzip',
    'chunked;a=b',
    '"chunked"',
    '\x0bchunked',
    'chunked\0',
    'chun ked',
    '',
  ])('%p is refused', async (coding) => {
    await refusedUnheard(`${requestWith(`Transfer-Encoding: ${coding}`)}0\r\n\r\n${HIDDEN}`, [400, 501])
  })

  test('that is repeated is refused', async () => {
    for (const others of ['chunked', 'identity', 'gzip', '']) {
      const lines = ['Transfer-Encoding: chunked', `Transfer-Encoding: ${others}`]
      await refusedUnheard(`${requestWith(...lines)}0\r\n\r\n${HIDDEN}`, [400, 501])
      await refusedUnheard(`${requestWith(...lines.toReversed())}0\r\n\r\n${HIDDEN}`, [400, 501])
    }
  })

  test('hidden by unusual characters is refused, not ignored', async () => {
    await refusedUnheard(`${requestWith('Transfer-Encoding : chunked')}0\r\n\r\n${HIDDEN}`)
    await refusedUnheard(`${requestWith('Transfer-Encoding', ' : chunked')}0\r\n\r\n${HIDDEN}`)
    await refusedUnheard(`${requestWith('Transfer-Encoding:', ' chunked')}0\r\n\r\n${HIDDEN}`)
    await refusedUnheard(`${requestWith('x: y\nTransfer-Encoding: chunked')}0\r\n\r\n${HIDDEN}`)
  })

  test('of HTTP/1.0 is refused', async () => {
    const text = head('POST /echo HTTP/1.0', 'Host: x', 'Transfer-Encoding: chunked')
    await refusedUnheard(`${text}0\r\n\r\n${HIDDEN}`)
    const both = head('POST /echo HTTP/1.0', 'Host: x', 'Transfer-Encoding: chunked', 'Content-Length: 5')
    await refusedUnheard(`${both}0\r\n\r\n${HIDDEN}`)
  })
})

describe('a chunk', () => {
  const broken: readonly (readonly [name: string, coded: string, statuses?: readonly number[]])[] = [
    ['without a size', '\r\nhello\r\n0\r\n\r\n'],
    ['of a size that is no number', 'x\r\nhello\r\n0\r\n\r\n'],
    ['of a size with a sign', '+5\r\nhello\r\n0\r\n\r\n'],
    ['of a size below zero', '-5\r\nhello\r\n0\r\n\r\n'],
    ['of a size written as in programs', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['of a size with blanks before it', ' 5\r\nhello\r\n0\r\n\r\n'],
    ['of a size with letters behind it', '5z\r\nhello\r\n0\r\n\r\n'],
    ['of a size with a line within it', '5_0\r\nhello\r\n0\r\n\r\n'],
    ['of two sizes', '5 5\r\nhello\r\n0\r\n\r\n'],
    ['of an empty size with an extension', ';a=b\r\nhello\r\n0\r\n\r\n'],
    ['of a size over 64 bits that would wrap to five', '10000000000000005\r\nhello\r\n0\r\n\r\n', [400, 413]],
    ['of a size of 64 bits', 'FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n', [400, 413]],
    ['of a size that goes on', `${'F'.repeat(200)}\r\nhello\r\n0\r\n\r\n`, [400, 413]],
    ['of a size of zeros that goes on', `${'0'.repeat(70_000)}5\r\nhello\r\n0\r\n\r\n`, [400, 413]],
    ['with an extension that goes on', `5;${'a'.repeat(70_000)}\r\nhello\r\n0\r\n\r\n`, [400, 413]],
    ['that is longer than its size', '5\r\nhello!\r\n0\r\n\r\n'],
    ['that is shorter than its size', '5\r\nhell\r\n0\r\n\r\n'],
    ['without a line break at its end', '5\r\nhello0\r\n\r\n'],
    ['with half an end', '5\r\nhello\n0\r\n\r\n'],
    ['with the other half of an end', '5\r\nhello\r0\r\n\r\n'],
    ['with a size that ends in half', '5\nhello\r\n0\r\n\r\n'],
    ['with an extension that ends in half', '5;a\nhello\r\n0\r\n\r\n'],
    ['with a lone return in its extension', '5;a\rb\r\nhello\r\n0\r\n\r\n'],
    ['with nothing in its extension’s text', '5;a\0b\r\nhello\r\n0\r\n\r\n'],
    ['at the end that ends in half', '5\r\nhello\r\n0\n\n'],
    ['at the end with half an end', '5\r\nhello\r\n0\r\n\n'],
    ['with bytes after the last size', '5\r\nhello\r\n0\r\nxx\r\n\r\n'],
    ['with a broken trailer', '5\r\nhello\r\n0\r\nx-a : 1\r\n\r\n'],
    ['with a folded trailer', '5\r\nhello\r\n0\r\nx-a: 1\r\n b\r\n\r\n'],
    ['with a lone line feed in a trailer', '5\r\nhello\r\n0\r\nx-a: 1\nb\r\n\r\n'],
    [
      'with trailers that go on',
      `5\r\nhello\r\n0\r\n${`x-a: ${'a'.repeat(1_000)}\r\n`.repeat(70)}\r\n`,
      [400, 413],
    ],
  ]
  for (const [name, coded, statuses = [400]] of broken) {
    test(`${name} is refused`, async () => {
      await refused(postChunked('/echo', coded) + HIDDEN, statuses)
    })

    test(`${name} ends the connection even if the handler does not read it`, async () => {
      const { answers, ending } = await converse(echo.port, postChunked('/unread', coded) + HIDDEN)
      const given = answers.map(({ status }) => status)
      // The handler's answer may have left before the bytes are seen to be wrong; then a refusal may follow it.
      if (given[0] === 200) given.shift()
      expect([[], [400], [413], [431]]).toContainEqual(given)
      expect(ending).toBe('closed')
      expect(echo.begun).not.toContain('GET /smuggled')
    })
  }
})

test('a chunk of more than four gigabytes is too large', async () => {
  const start = postChunked('/echo', `100000005\r\nhello\r\n0\r\n\r\n${HIDDEN}`)
  const answer = await ask(echo.port, start + 'x'.repeat(MAX_BODY_BYTES))
  expect(answer.status).toBe(413)
  expect(echo.begun).toEqual(['POST /echo'])
})

test('a refusal has the error envelope and an id', async () => {
  for (const bytes of [
    requestWith('Content-Length: 5', 'Transfer-Encoding: chunked'),
    head('GET /echo HTTP/1.1'),
    'GET /echo\r\n\r\n',
    postChunked('/echo', 'x\r\n'),
  ]) {
    const { answers } = await converse(echo.port, bytes)
    const [answer] = answers
    if (answer === undefined) throw new Error('no answer')
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request'])
    expect(answer.headers['content-type']).toContain('application/json')
    expect(answer.headers['x-request-id']).toStartWith('req_')
  }
})
