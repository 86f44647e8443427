import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, UsageError } from '../../src/cli/command.ts'
import {
  createAccountsCommand,
  createPaymentsCommand,
  createTiersCommand,
} from '../../src/cli/commands/resources.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let folder: string
let commands: Readonly<Record<string, Command>>
beforeAll(async () => {
  gateway = await startTestGateway({ clock: createMovableClock() })
  folder = mkdtempSync(join(tmpdir(), 'turnpike-cli-'))
  const environment = { TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const all = [createAccountsCommand, createPaymentsCommand, createTiersCommand]
  commands = Object.fromEntries(
    all.map((create) => create(environment)).map((command) => [command.name, command]),
  )
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await gateway.stop()
})

/** What a command prints for these words. */
async function type(...words: string[]): Promise<string> {
  const [name = '', ...args] = words
  let printed = ''
  const status = await commands[name]?.run(args, {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  expect(status).toBe(0)
  return printed
}

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is read as a script reads it.
async function typeJson(...words: string[]): Promise<any> {
  return JSON.parse(await type(...words, '--json'))
}

async function complaint(...words: string[]): Promise<string> {
  const error: unknown = await type(...words).catch((thrown: unknown) => thrown)
  if (!(error instanceof Error)) throw new Error(`${words.join(' ')} was done`)
  return `${error instanceof UsageError ? 'usage' : 'refused'}: ${error.message}`
}

const createAccount = async (name: string): Promise<string> =>
  (await typeJson('accounts', 'create', '--name', name)).id

describe('turnpike accounts', () => {
  test('creates, changes, adjusts, shows and lists', async () => {
    const id = await createAccount('Acme')
    await type('accounts', 'change', id, '--name', 'Acme 2', '--credit-line', '25')
    await type('accounts', 'adjust', id, '--amount', '-2.5', '--reason', 'credited twice')
    expect(await typeJson('accounts', 'show', id)).toMatchObject({
      id,
      name: 'Acme 2',
      credit_line: '25',
      balance: '-2.5',
      tier: 'Starter',
    })
    expect(await type('accounts', 'show', id)).toMatch(/^balance +-2\.5$/m)
    const alerted = await typeJson('accounts', 'change', id, '--balance-alert', '5')
    expect(alerted).toMatchObject({ credit_line: '25', balance_alert: '5' })
    expect(await typeJson('accounts', 'change', id, '--balance-alert', 'none')).toMatchObject({
      balance_alert: null,
    })
    await type('accounts', 'change', id, '--credit-line', 'unlimited')
    const line = (await type('accounts', 'list')).split('\n').find((text) => text.startsWith(id))
    expect(line?.split(/\s{2,}/)).toEqual([
      id,
      'Acme 2',
      'Starter',
      '120',
      '2000000',
      '0',
      '-2.5',
      'unlimited',
    ])
    expect(await type('accounts', 'ledger', id)).toMatch(/adjustment +-2\.5 .*credited twice$/m)
  })

  test('adjusts once for each reference', async () => {
    const id = await createAccount('Adjusted')
    const words = ['accounts', 'adjust', id, '--reason', 'sorry', '--reference', 'ticket-1', '--amount']
    const adjusted = await typeJson(...words, '2.5')
    expect(adjusted).toMatchObject({ amount: '2.5', reference: 'ticket-1', reason: 'sorry' })
    expect(await typeJson(...words, '2.5')).toEqual(adjusted)
    expect(await type(...words, '2.5')).toMatch(/^reference +ticket-1$/m)
    expect(await complaint(...words, '3')).toStartWith('refused: Reference "ticket-1" was recorded before')
    expect((await typeJson('accounts', 'show', id)).balance).toBe('2.5')
    expect(await type('accounts', 'help')).toContain(
      'accounts adjust <account> --amount … --reason … [--reference …] [--json]',
    )
  })

  test('lists page by page up to the limit, and reports when there is more', async () => {
    for (let index = 0; index < 3; index++) await createAccount(`n${index}`)
    expect(await typeJson('accounts', 'list', '--limit', '2')).toHaveLength(2)
    expect(await type('accounts', 'list', '--limit', '2')).toEndWith('There is more; --limit shows it.\n')
    expect((await typeJson('accounts', 'list', '--limit', '500')).length).toBeGreaterThan(3)
  })
})

describe('turnpike payments', () => {
  test('records, lists and refunds', async () => {
    const id = await createAccount('Payer')
    const paid = await typeJson('payments', 'record', id, '--amount', '10', '--reference', 'inv-1')
    expect(await typeJson('payments', 'record', id, '--amount', '10', '--reference', 'inv-1')).toEqual(paid)
    await type('payments', 'refund', id, '--amount', '4', '--reference', 'b', '--reason', 'asked for')
    expect(await typeJson('payments', 'list', id)).toEqual([paid])
    expect(await type('payments', 'list', id)).toContain('inv-1')
    expect(await typeJson('accounts', 'show', id)).toMatchObject({ balance: '6', total_paid: '10' })
  })

  test('imports a file, all lines or none', async () => {
    const id = await createAccount('Importer')
    const good = join(folder, 'good.csv')
    writeFileSync(good, `account_id,amount,reference\n${id},10,a\n${id},5,b\n`)
    expect(await typeJson('payments', 'import', good)).toEqual({
      recorded: 2,
      already_recorded: 0,
      total: '15',
    })
    expect(await type('payments', 'import', good)).toMatch(/^recorded before +2$/m)
    const bad = join(folder, 'bad.csv')
    writeFileSync(bad, `account_id,amount,reference\n${id},1,c\n${id},1e3,d\n`)
    expect(await complaint('payments', 'import', bad)).toStartWith(
      'refused: Nothing was imported. line 3: amount must be',
    )
    expect((await typeJson('accounts', 'show', id)).total_paid).toBe('15')
  })
})

describe('turnpike tiers', () => {
  test('evaluates, assigns and ends', async () => {
    const id = await createAccount('Climber')
    await type('payments', 'record', id, '--amount', '10', '--reference', 'r')
    expect((await typeJson('tiers', 'evaluate')).raised).toContainEqual({
      account_id: id,
      from: 'Starter',
      to: 'Builder',
    })
    expect(await type('tiers', 'evaluate')).toEndWith('none has earned a higher tier.\n')
    const until = ['--expires-at', '2027-01-01T00:00:00Z']
    const assigned = await typeJson(
      'tiers',
      'assign',
      id,
      '--tier',
      'Trial',
      '--reason',
      'slow',
      '--rpm',
      '7',
      ...until,
    )
    expect(assigned).toMatchObject({ tier: 'Trial', limits: { rpm: 7, tpm: 500_000 } })
    expect(await type('tiers', 'end', id)).toMatch(/^tier +Builder$/m)
  })
})

describe('mistakes', () => {
  test.each([
    [['accounts'], "usage: 'turnpike accounts' takes list, show,"],
    [['accounts', 'frobnicate'], "usage: 'turnpike accounts' takes"],
    [['accounts', 'show'], 'usage: usage: turnpike accounts show <account> [--json]'],
    [['accounts', 'show', 'a', 'b'], 'usage: usage: turnpike accounts show <account>'],
    [['accounts', 'create'], 'usage: usage: turnpike accounts create --name … [--email …]'],
    [['accounts', 'create', '--nmae', 'x'], "usage: Unknown option '--nmae'"],
    [['accounts', 'change', 'a'], 'usage: give --name or --credit-line'],
    [['accounts', 'list', '--limit', '0'], "usage: --limit takes a whole number above zero, not '0'"],
    [['tiers', 'assign', 'a', '--tier', 'Trial', '--reason', 'r', '--rpm', 'x'], 'usage: --rpm takes'],
    [['payments', 'import', '/nowhere/at.all'], 'usage: /nowhere/at.all cannot be read'],
    [['accounts', 'show', 'nobody'], 'refused: There is no account "nobody".'],
    [['accounts', 'show', '../keys'], 'refused: There is no account'],
    [['tiers', 'assign', 'nobody', '--tier', 'Gold', '--reason', 'r'], 'refused: tier must be one of'],
  ])('%j: %s', async (words, expected) => {
    expect(await complaint(...words)).toStartWith(expected)
  })

  test('help explains every action', async () => {
    for (const name of ['accounts', 'payments', 'tiers']) {
      expect(await type(name, 'help')).toContain(`turnpike ${name} `)
    }
  })
})
