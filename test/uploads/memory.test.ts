import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makePng } from '../../src/wire/images/testing/samples.ts'
import { makeDataFolder, removeDataFolder } from '../support/test-gateway.ts'

const MEBIBYTE = 1024 * 1024
const IMAGE_BYTES = 20 * MEBIBYTE
const UPLOADS = 10
const MAX_MEMORY = 250 * MEBIBYTE

let folder: string
let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let url: string
beforeEach(async () => {
  folder = makeDataFolder()
  const program = join(import.meta.dirname, 'support/measured-server.ts')
  server = Bun.spawn([process.execPath, program, folder], { stdout: 'pipe', stderr: 'inherit' })
  for await (const line of server.stdout.pipeThrough(new TextDecoderStream())) {
    url = line.trim()
    break
  }
})
afterEach(async () => {
  server.kill()
  await server.exited
  removeDataFolder(folder)
})

async function peak(): Promise<number> {
  const { peakBytes } = (await (await fetch(`${url}/peak`)).json()) as { peakBytes: number }
  return peakBytes
}

const TYPE = { 'content-type': 'multipart/form-data; boundary=x' }
const HEAD = Buffer.from('--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n')
const TAIL = Buffer.from('\r\n--x--\r\n')

test('ten uploads of 20 MiB at once are kept on disk, not in memory', async () => {
  const image = makePng({ width: 4_000, height: 4_000, pixels: new Uint8Array(IMAGE_BYTES) })
  const body = Buffer.concat([HEAD, image, TAIL])
  const sha256 = new Bun.CryptoHasher('sha256').update(image).digest('hex')
  const idleBytes = await peak()
  const answers = await Promise.all(
    Array.from({ length: UPLOADS }, async () => {
      const response = await fetch(`${url}/form`, { method: 'POST', headers: TYPE, body })
      return await response.json()
    }),
  )
  for (const answer of answers)
    expect(answer).toMatchObject({ images: [{ sha256, bytes: image.length, width: 4_000 }] })
  expect(await peak()).toBeLessThan(MAX_MEMORY)
  // All of them together would not fit into what was added.
  expect((await peak()) - idleBytes).toBeLessThan((UPLOADS * IMAGE_BYTES) / 2)
  expect(readdirSync(folder)).toEqual([])
}, 300_000)

test.each(['said', 'counted'])(
  '100 MB are refused without being kept, their length being %s',
  async (length) => {
    const chunk = new Uint8Array(64 * 1024)
    const chunks = Math.ceil(100_000_000 / chunk.length)
    async function* pixels() {
      yield HEAD
      // The beginning of an image that never ends.
      yield makePng({ width: 4_000, height: 4_000, pixels: new Uint8Array(IMAGE_BYTES) }).subarray(0, 1_000)
      for (let sent = 0; sent < chunks; sent++) yield chunk
    }
    const body = length === 'said' ? new Uint8Array(100_000_000) : pixels()
    const response = await fetch(`${url}/form`, { method: 'POST', headers: TYPE, body })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } })
    expect(await peak()).toBeLessThan(MAX_MEMORY)
    expect(readdirSync(folder)).toEqual([])
  },
  300_000,
)
