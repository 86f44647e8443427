import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { HttpServer } from '../../src/edges/http-server/serve.ts'
import { makePng } from '../../src/wire/images/testing/samples.ts'
import { eventually } from '../support/eventually.ts'
import { makeDataFolder, removeDataFolder } from '../support/test-gateway.ts'
import { startFormServer } from './support/form-server.ts'

const IMAGE = makePng({ width: 40, height: 20, pixels: crypto.getRandomValues(new Uint8Array(500_000)) })
const BODY = Buffer.concat([
  Buffer.from('--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n'),
  IMAGE,
  Buffer.from('\r\n--x--\r\n'),
])

let folder: string
let server: HttpServer
beforeEach(() => {
  folder = makeDataFolder()
})
afterEach(async () => {
  await server.close()
  removeDataFolder(folder)
})

const left = () => readdirSync(folder)

/** Sends the head and half of the body; by then a file lies in temporary storage. */
async function sendHalf(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1')
  const head = `POST /form HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${BODY.length}\r\n\r\n`
  socket.write(head)
  socket.write(BODY.subarray(0, BODY.length / 2))
  await eventually('the image to be on disk', () => left().length === 1)
  return socket
}

test('an image arrives unchanged', async () => {
  server = startFormServer({ folder })
  const socket = await sendHalf()
  const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
  socket.write(BODY.subarray(BODY.length / 2))
  expect(await answer).toContain(new Bun.CryptoHasher('sha256').update(IMAGE).digest('hex'))
  socket.destroy()
  expect(left()).toEqual([])
})

test('a client that disconnects leaves no files behind', async () => {
  server = startFormServer({ folder })
  const socket = await sendHalf()
  socket.destroy()
  await eventually('temporary storage to be empty', () => left().length === 0)
})

test('a client that stops sending gets an error and leaves no files behind', async () => {
  server = startFormServer({ folder, timeoutMs: 300 })
  const socket = await sendHalf()
  const answer = await new Promise<string>((resolve) =>
    socket.once('data', (bytes) => resolve(String(bytes))),
  )
  expect(answer).toStartWith('HTTP/1.1 400')
  expect(answer).toContain('The body did not arrive within 0.3 seconds.')
  expect(left()).toEqual([])
  socket.destroy()
})

test('a gateway that shuts down does not wait for forms', async () => {
  server = startFormServer({ folder })
  const socket = await sendHalf()
  const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
  server.endWaiting()
  expect(await answer).toStartWith('HTTP/1.1 503')
  expect(left()).toEqual([])
  socket.destroy()
})
