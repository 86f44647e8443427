import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { findFreePort } from '../../bench/process-group.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { chat, say } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { ROOT } from './support/deploy-files.ts'

const CADDYFILE = join(ROOT, 'deploy/compose/Caddyfile')
const CADDY = Bun.which('caddy')
// The balancer looks every second, and may have to look twice.
const DRAIN_SECONDS = '3'

describe.skipIf(CADDY === null)('the balancer of compose.yaml', () => {
  const folder = makeFolder()
  let gateways: GatewayProcess[] = []
  let caddy: Bun.Subprocess | null = null
  let url = ''

  beforeAll(async () => {
    const settings = { TURNPIKE_DRAIN_SECONDS: DRAIN_SECONDS, TURNPIKE_LOG_LEVEL: 'error' }
    gateways = await Promise.all(
      ['first', 'second'].map((name) => startProcess(environmentOf(join(folder, name), settings))),
    )
    url = `http://127.0.0.1:${await findFreePort()}`
    caddy = Bun.spawn([CADDY ?? '', 'run', '--adapter', 'caddyfile', '--config', CADDYFILE], {
      env: {
        HOME: folder,
        SITE_ADDRESS: url,
        HEALTH_ADDRESS: `http://127.0.0.1:${await findFreePort()}`,
        GATEWAYS: gateways.map((gateway) => new URL(gateway.url).host).join(' '),
      },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await eventually('an answer through the balancer', () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
  }, 300_000)

  afterAll(async () => {
    caddy?.kill()
    await caddy?.exited
    await Promise.all(gateways.map(stopProcess))
    removeFolder(folder)
  })

  test('passes the first event of a stream on before the last is made', async () => {
    const reader = new StreamReader(await ask({ model: 'sandbox-slow', stream: true }))
    expect(await reader.readUntil('data:')).not.toContain('[DONE]')
    expect(await reader.readToEnd()).toContain('[DONE]')
  })

  test('stopping a gateway is invisible to clients', async () => {
    const [leaving] = gateways
    if (leaving === undefined) throw new Error('there is no gateway')
    let hasLeft = false
    const left = leaving.exited.then((code) => {
      hasLeft = true
      return code
    })
    const statuses = new Map<number, number>()
    const client = async () => {
      while (!hasLeft) {
        const response = await ask({})
        await response.text()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      }
    }
    const clients = Promise.all(Array.from({ length: 4 }, client))
    leaving.signal('SIGTERM')
    expect(await left).toBe(0)
    await clients
    // So many requests in so short a time meet the limit of the account, which is an answer like any other.
    statuses.delete(429)
    expect([...statuses.keys()]).toEqual([200])
    expect([200, 429]).toContain((await ask({})).status)
  }, 300_000)

  function ask(fields: Readonly<Record<string, unknown>>): Promise<Response> {
    return chat(url, { ...say('Hello'), ...fields }, { key: BOOTSTRAP_KEY })
  }
})
