import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../../src/cli/command.ts'
import { createLedgerCommand } from '../../src/cli/commands/ledger.ts'
import { createUsageCommand } from '../../src/cli/commands/resources.ts'
import { openSqlite } from '../../src/edges/storage/engines/sqlite.ts'
import { encodeJournalLine } from '../../src/rules/ledger/journal-line.ts'
import { chat } from '../support/chat.ts'
import {
  BOOTSTRAP_KEY,
  makeDataFolder,
  OPERATOR_TOKEN,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { paidSettlement } from './support/filled-ledger.ts'

let dataFolder: string
let gateway: TestGateway | null
beforeEach(async () => {
  dataFolder = makeDataFolder()
  gateway = await startTestGateway({ dataFolder })
})
afterEach(async () => {
  await gateway?.stop()
  removeDataFolder(dataFolder)
})

interface Typed {
  readonly status: number
  readonly printed: string
}

async function type(
  create: (environment: Record<string, string>) => Command,
  ...words: string[]
): Promise<Typed> {
  let printed = ''
  const environment = {
    TURNPIKE_DATA: dataFolder,
    TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    ...(gateway !== null && { TURNPIKE_URL: gateway.url }),
  }
  const status = await create(environment).run(words, {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  return { status, printed }
}

async function spend(times: number): Promise<void> {
  if (gateway === null) throw new Error('no gateway runs')
  for (let index = 0; index < times; index++)
    await (await chat(gateway.url, {}, { key: BOOTSTRAP_KEY })).text()
}

async function stopGateway(): Promise<void> {
  await gateway?.stop()
  gateway = null
}

async function alter(sql: string): Promise<void> {
  const database = await openSqlite(join(dataFolder, 'turnpike.db'))
  await database.rows(sql, [])
  await database.close()
}

describe('turnpike ledger verify', () => {
  test('asks a running gateway, whose ledger holds every answered request', async () => {
    await spend(3)
    const { status, printed } = await type(createLedgerCommand, 'verify')
    expect(printed).toContain('The ledger is consistent.')
    expect(printed).toContain('3 settlements, the usage of 1 days, 3 settlements in the journal')
    expect(status).toBe(0)
  })

  test('finds a difference while the gateway runs, and exits with a status for scripts', async () => {
    await spend(1)
    await type(createLedgerCommand, 'verify')
    await alter('update account_balances set balance_nano = balance_nano + 1')
    const { status, printed } = await type(createLedgerCommand, 'verify', '--json')
    expect(status).toBe(1)
    expect(JSON.parse(printed)).toMatchObject({
      difference: expect.stringMatching(/^Account acc_.* has a balance/),
    })
  })

  test('works without a gateway', async () => {
    await spend(2)
    await stopGateway()
    expect(await type(createLedgerCommand, 'verify', '--offline')).toMatchObject({ status: 0 })
    await alter("update settlements set model = 'other'")
    const { status, printed } = await type(createLedgerCommand, 'verify', '--offline')
    expect(status).toBe(1)
    expect(printed).toMatch(/^The ledger is not consistent\.\nThe usage by hour lacks .*"other"/)
  })

  test('counts settlements that wait in the journal, and reports those set aside', async () => {
    await stopGateway()
    const folder = join(dataFolder, 'journal')
    mkdirSync(folder, { recursive: true })
    const line = (requestId: string) =>
      encodeJournalLine({ type: 'settled', settlement: paidSettlement({ requestId }) })
    appendFileSync(join(folder, 'journal-00000099.jsonl'), line('req_waits'))
    const waiting = await type(createLedgerCommand, 'verify', '--offline')
    expect(waiting.printed).toContain('1 settlements wait in the journal for the next start.')
    expect(waiting.status).toBe(0)
    appendFileSync(join(folder, 'set-aside.jsonl'), line('req_aside'))
    const aside = await type(createLedgerCommand, 'verify', '--offline')
    expect([aside.status, aside.printed]).toEqual([1, expect.stringContaining('req_aside is set aside')])
    expect(readdirSync(folder)).toContain('journal-00000099.jsonl')
  })

  test('refuses a folder in use by a gateway, and one without a database', async () => {
    await expect(type(createLedgerCommand, 'verify', '--offline')).rejects.toThrow(
      'no other running gateway uses',
    )
    await stopGateway()
    removeDataFolder(dataFolder)
    await expect(type(createLedgerCommand, 'verify', '--offline')).rejects.toThrow('there is no database in')
    expect(existsSync(dataFolder)).toBe(false)
    await expect(type(createLedgerCommand, 'check')).rejects.toThrow('takes one word: verify')
  })
})

describe('turnpike usage', () => {
  test('shows totals, and rebuilds them from the settlements', async () => {
    await spend(2)
    const shown = await type(createUsageCommand, 'show', '--by', 'day', '--group-by', 'model', '--json')
    expect(JSON.parse(shown.printed)).toMatchObject([
      { model: 'sandbox-chat', requests: 2, outcomes: { completed: 2 } },
    ])
    expect((await type(createUsageCommand, 'show', '--model', 'nobody')).printed).toBe('Nothing was used.\n')
    expect((await type(createUsageCommand, 'show')).printed).toMatch(/^FROM .*REQUESTS/)
    await stopGateway()
    await alter('update usage_totals set output_tokens = 0')
    expect(await type(createLedgerCommand, 'verify', '--offline')).toMatchObject({ status: 1 })
    expect((await type(createUsageCommand, 'rebuild')).printed).toBe('2 settlements were counted again.\n')
    expect(await type(createLedgerCommand, 'verify', '--offline')).toMatchObject({ status: 0 })
  })
})
