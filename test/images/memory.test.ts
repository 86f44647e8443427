import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { BOOTSTRAP_KEY, makeDataFolder, OPERATOR_TOKEN, removeDataFolder } from '../support/test-gateway.ts'
import { asFile, drawPng, edit } from './image-requests.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const MAX_KILOBYTES = 400 * 1024
// Noise cannot be packed: three bytes for each pixel.
const SIDE = 2_620

test.skipIf(process.platform !== 'linux')(
  'ten parallel edits of 20 MB each stay under 400 MB of memory',
  async () => {
    const dataFolder = makeDataFolder()
    const supplier = startCountingSupplier()
    const child = startGateway(dataFolder)
    try {
      const url = await readAddress(child.stdout)
      await register(url, supplier.url)
      const image = asFile(drawNoise())
      expect(image.size).toBeGreaterThan(20 * 1024 * 1024 * 0.95)
      const fields = [
        ['model', 'big'],
        ['prompt', 'x'],
        ['response_format', 'b64_json'],
        ['image', image],
      ] as const
      const calls = Array.from({ length: 10 }, () => edit({ url }, fields, { key: BOOTSTRAP_KEY }))
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
      expect(supplier.received.every((bytes) => bytes > image.size)).toBe(true)
      expect(peakKilobytesOf(child.pid)).toBeLessThan(MAX_KILOBYTES)
      await eventually(
        'uploads to be gone',
        async () => readdirSync(join(dataFolder, 'uploads')).length === 0,
      )
    } finally {
      child.kill()
      await child.exited
      await supplier.stop()
      removeDataFolder(dataFolder)
    }
  },
  300_000,
)

function drawNoise(): Uint8Array<ArrayBuffer> {
  // A fixed sequence, so that every run sends the same bytes.
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  }
  return drawPng({ width: SIDE, height: SIDE }, () => [next(), next(), next(), 255])
}

/** Reads what it is sent without keeping it, and answers all calls with the same small image. */
function startCountingSupplier() {
  const received: number[] = []
  const data = [
    { b64_json: Buffer.from(drawPng({ width: 1, height: 1 }, () => [0, 0, 0, 255])).toString('base64') },
  ]
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 64 * 1024 * 1024,
    idleTimeout: 0,
    fetch: async (request) => {
      let bytes = 0
      for await (const chunk of request.body ?? []) bytes += chunk.length
      received.push(bytes)
      return Response.json({ created: 1, data })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) }
}

function startGateway(dataFolder: string) {
  return Bun.spawn([process.execPath, MAIN], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      TURNPIKE_DATA: dataFolder,
      TURNPIKE_SECRET: 'server-secret-for-tests',
      TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TURNPIKE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
      TURNPIKE_SANDBOX: 'off',
      TURNPIKE_SUPPLY: 'off',
      TURNPIKE_LOG_LEVEL: 'silent',
    },
    stdout: 'pipe',
    stderr: 'ignore',
  })
}

async function readAddress(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
    if (found !== null) return found[0]
  }
  throw new Error(`the gateway did not start: ${text}`)
}

async function register(url: string, supplierUrl: string): Promise<void> {
  const call = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/operator/v1${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
  }
  const supplier = {
    type: 'openai-compatible',
    base_url: `${supplierUrl}/v1`,
    formats: ['images'],
    enabled: true,
  }
  await call('PUT', '/suppliers/counting', supplier)
  await call('POST', '/suppliers/counting/credentials', { secret: 'sk-of-a-test' })
  await call('PUT', '/models/big', { owned_by: 'tests', kinds: ['image-edit'] })
  const price = { input: '0', output: '0', image: '0' }
  await call('PUT', '/models/big/routes/counting', { upstream_model: 'm', price, enabled: true })
}

function peakKilobytesOf(pid: number): number {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (found === null) throw new Error('the system does not tell how much memory was used')
  return Number(found[1])
}
