import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { sendRaw, writeRequest } from './support/raw-client.ts'

const BODY_SECONDS = 1
// Much less than any other time-out; a busy machine may be late by some of it.
const BUSY_MS = 10_000
// The server allows ten seconds for the head of a request and looks at its timers every four.
const HEAD_MS = 16_000
const TEST_MS = 300_000

let folder = ''
let gateway: GatewayProcess

beforeAll(async () => {
  folder = makeFolder()
  gateway = await startProcess(environmentOf(folder, { TURNPIKE_BODY_TIMEOUT_SECONDS: String(BODY_SECONDS) }))
})

afterAll(async () => {
  await stopProcess(gateway)
  removeFolder(folder)
})

const HEADERS = { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' }

describe('a slow client is disconnected', () => {
  const heads: Record<string, readonly string[]> = {
    'after connecting and saying nothing': [],
    'in the middle of the first line': ['POST /v1/chat/com'],
    'in the middle of its headers': ['POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nx-a: '],
  }
  for (const [name, parts] of Object.entries(heads)) {
    test.concurrent(
      name,
      async () => {
        const answer = await sendRaw(gateway.port, parts, { patienceMs: HEAD_MS })
        expect(answer.ending).toBe('closed')
      },
      TEST_MS,
    )
  }

  test.concurrent(
    'when it sends its headers endlessly slowly',
    async () => {
      const socket = connect(gateway.port, '127.0.0.1')
      const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')))
      socket.on('error', () => undefined)
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n')
      const drip = setInterval(() => socket.write('x-more: 1\r\n'), 500)
      const ending = await Promise.race([closed, Bun.sleep(HEAD_MS).then(() => 'open')])
      clearInterval(drip)
      socket.destroy()
      expect(ending).toBe('closed')
    },
    TEST_MS,
  )

  for (const [name, headers] of [
    ['with a declared length', { ...HEADERS, 'content-length': '1000' }],
    ['in chunks', { ...HEADERS, 'transfer-encoding': 'chunked' }],
  ] as const) {
    test.concurrent(`in the middle of a body ${name}, with an error that says so`, async () => {
      const body = 'content-length' in headers ? '{"model":' : '9\r\n{"model":\r\n'
      const answer = await sendRaw(gateway.port, writeRequest({ headers, body }), { answers: 2 })
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, 'invalid_request'])
      expect(answer.body).toContain(`${BODY_SECONDS} seconds`)
      expect(answer.ending).toBe('closed')
      expect(answer.elapsedMs).toBeGreaterThanOrEqual(BODY_SECONDS * 1_000 - 50)
      expect(answer.elapsedMs).toBeLessThan(BODY_SECONDS * 1_000 + BUSY_MS)
    })
  }

  test.concurrent('is not charged when it closes its side in the middle of a body', async () => {
    const socket = connect(gateway.port, '127.0.0.1')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    for (const part of writeRequest({ headers: { ...HEADERS, 'content-length': '1000' }, body: '{' })) {
      socket.write(part)
    }
    socket.end()
    await closed
    const alive = await sendRaw(gateway.port, writeRequest({ method: 'GET', path: '/healthz' }))
    expect(alive.status).toBe(200)
  })
})
