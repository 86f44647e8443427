import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  COMMAND_LINE,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { type OldDatabase, restoreDatabase } from './old-database.ts'

const DATABASES = join(import.meta.dirname, 'databases')

/** Databases that older versions made, with keys, money, sealed credentials and stored responses in them. */
describe.each(readdirSync(DATABASES))('%s, opened by this version', (file) => {
  let folder: string
  let old: OldDatabase
  let gateway: GatewayProcess
  beforeAll(async () => {
    folder = makeFolder()
    old = restoreDatabase(join(DATABASES, file), folder)
    gateway = await startProcess(environmentOf(folder))
  }, 300_000)
  afterAll(async () => {
    await stopProcess(gateway)
    removeFolder(folder)
  })

  const call = (path: string, body?: object) =>
    fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${old.key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })

  test('has the same money and credentials', async () => {
    const account = await gateway.operator<{ balance: string }>('GET', `/accounts/${old.accountId}`)
    expect(account.balance).toBe(old.balance)
    const { data: entries } = await gateway.operator<{ data: { kind: string }[] }>(
      'GET',
      `/accounts/${old.accountId}/ledger`,
    )
    const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length
    expect([count('payment'), count('refund'), count('settlement')]).toEqual([1, 1, old.settlements])
    const { data: credentials } = await gateway.operator<{ data: object[] }>(
      'GET',
      '/suppliers/acme/credentials',
    )
    expect(credentials).toHaveLength(1)
  })

  test('shows a stored response, and continues it', async () => {
    const stored = (await (await call(`/v1/responses/${old.responseId}`)).json()) as { output: unknown }
    expect(stored.output).toEqual(JSON.parse(old.responseOutput))
    const next = { model: 'sandbox-chat', input: 'And now?', previous_response_id: old.responseId }
    expect((await call('/v1/responses', next)).status).toBe(200)
  })

  test('serves its keys, and the ledger of old and new requests is verified', async () => {
    const chat = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] }
    expect((await call('/v1/chat/completions', chat)).status).toBe(200)
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    const verified = Bun.spawnSync([...COMMAND_LINE, 'ledger', 'verify', '--offline'], {
      env: environmentOf(folder),
    })
    expect([verified.stdout.toString(), verified.exitCode]).toEqual([
      expect.stringContaining('The ledger is consistent'),
      0,
    ])
  })
})
