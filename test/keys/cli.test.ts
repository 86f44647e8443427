import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Command, UsageError } from '../../src/cli/command.ts'
import { createKeysCommand } from '../../src/cli/commands/resources.ts'
import { openAccount } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let command: Command
let account: string
beforeAll(async () => {
  gateway = await startTestGateway({ clock: createMovableClock() })
  command = createKeysCommand({ TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN })
  account = await openAccount(gateway)
})
afterAll(() => gateway.stop())

async function type(...words: string[]): Promise<string> {
  let printed = ''
  const status = await command.run(words, {
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

describe('turnpike keys', () => {
  test('creates a key with every setting and shows its secret once', async () => {
    const printed = await type(
      ...['create', account, '--name', 'ci', '--provider', 'sandbox-openai', '--usage-limit', '5/daily'],
      ...['--rpm', '60', '--tpm', '1000', '--models', 'gpt-5, claude-*', '--budget', '100'],
      ...['--thresholds', '10,90', '--expires-at', '2027-01-01T00:00:00Z', '--shared-fallback', 'on'],
    )
    const id = /^id +(\S+)$/m.exec(printed)?.[1] ?? ''
    expect(printed).toMatch(/^secret +sk-[A-Za-z0-9]{48}$/m)
    const key = await typeJson('show', id)
    expect(key).toMatchObject({
      name: 'ci',
      route_policy: { mode: 'specified_provider', provider: 'sandbox-openai' },
      usage_limit: { period: 'daily', amount: '5' },
      rpm: 60,
      tpm: 1000,
      model_allowlist: ['gpt-5', 'claude-*'],
      budget: { amount: '100', thresholds: [10, 90] },
      expires_at: '2027-01-01T00:00:00Z',
      shared_fallback: true,
    })
    const shown = await type('show', id)
    expect(shown).not.toContain('sk-')
    expect(shown).toMatch(/^usage limit +5 daily$/m)
    expect(shown).toMatch(/^left +5$/m)
    expect(shown).toMatch(/^budget +100 \(10, 90 %\)$/m)
  })

  test('changes only the given settings, and "none" removes one', async () => {
    const { id } = await typeJson('create', account, '--name', 'x', '--rpm', '60', '--tpm', '100')
    expect(await typeJson('change', id, '--rpm', 'none', '--name', 'y')).toMatchObject({
      name: 'y',
      rpm: null,
      tpm: 100,
    })
    const flags = ['usage-limit', 'models', 'budget', 'expires-at', 'provider', 'tpm']
    const bare = await typeJson('change', id, ...flags.flatMap((flag) => [`--${flag}`, 'none']))
    expect(bare).toMatchObject({
      usage_limit: null,
      model_allowlist: null,
      budget: null,
      expires_at: null,
      route_policy: { mode: 'intelligent' },
      tpm: null,
    })
  })

  test('disables, enables, rotates, revokes and lists', async () => {
    const { id, secret } = await typeJson('create', account, '--name', 'listed', '--usage-limit', '2/weekly')
    expect((await typeJson('disable', id)).state).toBe('disabled')
    expect((await typeJson('enable', id)).state).toBe('active')
    const rotated = await typeJson('rotate', id, '--grace-seconds', '60')
    expect(rotated.secret).toMatch(/^sk-/)
    expect(rotated.secret).not.toBe(secret)
    expect((await typeJson('revoke', id)).state).toBe('revoked')
    const line = (await type('list', account)).split('\n').find((text) => text.startsWith(id))
    expect(line?.trim().split(/\s{2,}/)).toEqual([
      id,
      'listed',
      rotated.secret.slice(-4),
      'revoked',
      '2 weekly',
      '0',
      '2',
      '-',
      '-',
      '-',
    ])
    expect((await typeJson('list', account)).map((key: { id: string }) => key.id)).toContain(id)
  })

  test.each([
    [['create', 'a'], 'usage: usage: turnpike keys create <account> --name'],
    [['change', 'k'], 'usage: say what to change'],
    [['change', 'k', '--usage-limit', '5'], 'usage: --usage-limit takes an amount and a period'],
    [['change', 'k', '--usage-limit', '5/hourly'], 'usage: --usage-limit takes'],
    [['change', 'k', '--rpm', 'many'], "usage: --rpm takes a whole number, not 'many'"],
    [['change', 'k', '--thresholds', '50'], 'usage: --thresholds goes with --budget'],
    [['change', 'k', '--budget', '1', '--thresholds', '50,x'], 'usage: --thresholds takes'],
    [['change', 'k', '--shared-fallback', 'maybe'], 'usage: --shared-fallback takes on or off'],
    [['show', 'nobody'], 'refused: There is no key "nobody".'],
    [['list', '../x'], 'refused: There is no account'],
  ])('%j: %s', async (words, expected) => {
    expect(await complaint(...words)).toStartWith(expected)
  })

  test('a limit above the account’s is refused with the gateway’s message', async () => {
    expect(await complaint('create', account, '--name', 'x', '--rpm', '121')).toBe(
      "refused: rpm can only narrow the account's limit of 120.",
    )
  })
})
