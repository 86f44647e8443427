import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../../robustness/support/gateway-process.ts'
import { eventually } from '../../support/eventually.ts'

// `npm run uploads` sends 500 MB.
const MEGABYTES = Number(process.env.TEST_UPLOAD_MEGABYTES ?? 100)
const MAX_ADDED_MEGABYTES = 60

test.skipIf(process.platform !== 'linux')(
  `${MEGABYTES} MB of audio pass with less than ${MAX_ADDED_MEGABYTES} MB of memory more than idle`,
  async () => {
    const dataFolder = makeFolder()
    const supplier = startSupplier()
    const gateway = await startProcess(
      environmentOf(dataFolder, { TURNPIKE_SANDBOX: 'off', TURNPIKE_MAX_UPLOAD_BYTES: '1073741824' }),
    )
    try {
      await register(gateway, await supplier.url)
      // The first request loads code, which is no part of the upload.
      await upload(gateway, 1)
      const idle = megabytesOf(gateway.pid, 'VmRSS')
      // Lets the system forget the peak of the start.
      writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5')
      const answer = await upload(gateway, MEGABYTES)
      const peak = megabytesOf(gateway.pid, 'VmHWM')
      console.log(
        `${MEGABYTES} MB: ${idle.toFixed(1)} MB idle, ${(peak - idle).toFixed(1)} MB more at its peak`,
      )
      const [received = 0, promised = 0] = (answer.match(/\d+/g) ?? []).map(Number)
      expect(received).toBe(promised)
      expect(received).toBeGreaterThan(MEGABYTES * 1_000_000)
      expect(peak - idle).toBeLessThan(MAX_ADDED_MEGABYTES)
      const uploads = join(dataFolder, 'uploads')
      await eventually('the upload to be gone', async () => readdirSync(uploads).length === 0)
    } finally {
      await stopProcess(gateway)
      await supplier.stop()
      removeFolder(dataFolder)
    }
  },
  300_000,
)

function startSupplier() {
  const program = join(import.meta.dirname, 'support/counting-supplier.ts')
  const child = Bun.spawn([process.execPath, program], { stdout: 'pipe', stderr: 'inherit' })
  const readUrl = async () => {
    for await (const line of child.stdout.pipeThrough(new TextDecoderStream())) return line.trim()
    throw new Error('the supplier did not start')
  }
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return { url: readUrl(), stop }
}

async function register(gateway: GatewayProcess, supplierUrl: string): Promise<void> {
  await gateway.operator('PUT', '/suppliers/counting', {
    type: 'openai-compatible',
    base_url: `${supplierUrl}/v1`,
    formats: ['transcriptions'],
    enabled: true,
  })
  await gateway.operator('POST', '/suppliers/counting/credentials', { secret: 'sk-of-a-test' })
  await gateway.operator('PUT', '/models/long', { owned_by: 'tests', kinds: ['transcription'] })
  const price = { input: '0', output: '0', audio_minute: '0.006' }
  await gateway.operator('PUT', '/models/long/routes/counting', { upstream_model: 'm', price, enabled: true })
}

/** Sends so many million bytes, no faster than they are taken. */
async function upload({ port }: GatewayProcess, megabytes: number): Promise<string> {
  const field = '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nlong\r\n'
  const head = `${field}--x\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n`
  const tail = '\r\n--x--\r\n'
  const chunk = Buffer.alloc(100_000, 7)
  const chunks = megabytes * 10
  const headers = {
    authorization: `Bearer ${BOOTSTRAP_KEY}`,
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': head.length + chunks * chunk.length + tail.length,
  }
  const answered = Promise.withResolvers<string>()
  const call = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/audio/transcriptions', headers })
  call.on('error', answered.reject)
  call.on('response', async (response) => {
    let text = ''
    for await (const piece of response) text += piece
    answered.resolve(text)
  })
  call.write(head)
  for (let sent = 0; sent < chunks; sent += 1) {
    if (!call.write(chunk)) await new Promise((resolve) => call.once('drain', resolve))
  }
  call.end(tail)
  return (JSON.parse(await answered.promise) as { text: string }).text
}

function megabytesOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )?.[1]
  if (kilobytes === undefined) throw new Error('the system does not tell how much memory was used')
  return Number(kilobytes) / 1_000
}
