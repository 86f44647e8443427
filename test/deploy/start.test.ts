import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWhenStale } from '../../scripts/bundle-gateway.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { ROOT } from './support/deploy-files.ts'

let program: string
let folder: string
let gateway: GatewayProcess | null = null
beforeAll(async () => {
  program = await bundleWhenStale()
  folder = makeFolder()
}, 300_000)
afterEach(() => stopProcess(gateway))
afterAll(() => removeFolder(folder))

/** As npm runs it, in an environment that has not been started before. */
async function start(more: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  const environment = environmentOf(folder, { BUN_CONFIG_MAX_HTTP_REQUESTS: '', ...more })
  gateway = await startProcess(environment, { program: [process.execPath, join(ROOT, 'scripts/start.ts')] })
  return gateway
}

async function ask(url: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  return status
}

test('`npm start` serves everything from what it has made of the sources', async () => {
  const madeAtMs = statSync(program).mtimeMs
  const { url, pid, signal, exited } = await start()
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain(program)
  expect(await ask(url)).toBe(200)
  for (const path of [
    '/console/sign-in',
    '/docs',
    '/docs/page.css',
    '/docs/swagger-ui.css',
    '/openapi.json',
  ]) {
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
  }
  const page = await (await fetch(`${url}/console/sign-in`)).text()
  const script = /src="([^"]+)"/.exec(page)?.[1] ?? ''
  expect((await fetch(url + script)).headers.get('content-type')).toContain('javascript')
  signal('SIGTERM')
  expect(await exited).toBe(0)
  expect(statSync(program).mtimeMs).toBe(madeAtMs)
})

test('its workers run from the same', async () => {
  const { url, pid } = await start({ TURNPIKE_WORKERS: '2' })
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  expect(children).toHaveLength(2)
  for (const child of children)
    expect(readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0')).toContain(program)
  expect(await Promise.all([ask(url), ask(url), ask(url)])).toEqual([200, 200, 200])
})
