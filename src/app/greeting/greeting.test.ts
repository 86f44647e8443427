import { describe, expect, test } from 'bun:test'
import { readSettings } from '../../edges/settings/read-settings.ts'
import { anAccount } from '../../vocabulary/testing/specimens.ts'
import { commandName, type Program } from './command-name.ts'
import { greeting, type Started } from './greeting.ts'

const CLONE: Program = {
  isBinary: false,
  path: '/usr/bin/bun',
  folder: '/home/me/turnpike/src/app/greeting',
  environment: {},
  installed: null,
}

const ACCOUNT = {
  ...anAccount({ id: 'acc_1', creditLineNano: null }),
  tier: 'Starter' as const,
  tierDue: null,
  limits: { rpm: 120, tpm: 2_000_000 },
  balanceNano: 0n,
}

const FIRST: Started = {
  url: 'http://127.0.0.1:8080',
  newOperatorToken: 'op-new',
  newKey: 'sk-new',
  newUser: { email: 'admin@localhost', password: 'pw-new' },
  firstAccount: ACCOUNT,
  supply: { suppliers: [], firstModel: null },
  hasSandbox: true,
}
const LATER: Started = { ...FIRST, newOperatorToken: null, newKey: null, newUser: null }

const print = (started: Started, environment: Record<string, string> = {}, program = CLONE) =>
  greeting(started, readSettings(environment), program)

describe('a first start', () => {
  test('shows its secrets and the limits of the first account', () => {
    const text = print(FIRST)
    expect(text).toStartWith('Turnpike listens on http://127.0.0.1:8080\n')
    for (const secret of ['op-new', 'sk-new', 'pw-new']) expect(text).toContain(`(shown once): ${secret}\n`)
    expect(text).toContain(
      '  Its account: tier Starter, 120 requests and 2,000,000 tokens a minute; balance 0 USDT, may go below zero without limit.\n',
    )
    expect(text).not.toContain('reset')
  })

  test('calls the currency as the settings do', () => {
    expect(print(FIRST, { TURNPIKE_CURRENCY_NAME: 'credits' })).toContain('balance 0 credits,')
  })

  test('never prints a configured key', () => {
    const text = print(FIRST, { TURNPIKE_BOOTSTRAP_KEY: 'sk-configured-key-0000000' })
    expect(text).not.toContain('sk-')
    expect(text).toContain('Bearer $TURNPIKE_BOOTSTRAP_KEY"')
  })

  test('lists suppliers with their models, and asks one of them', () => {
    const models = ['gpt-5', 'gpt-5-mini', 'gpt-4o', 'o3']
    const suppliers = [
      { id: 'openai', models },
      { id: 'ollama', models: [] },
      { id: 'own', models: ["it's mine"] },
    ]
    const text = print({ ...FIRST, hasSandbox: false, supply: { suppliers, firstModel: "it's mine" } })
    expect(text).toContain('  openai: 4 models: gpt-5, gpt-5-mini, gpt-4o, …\n  ollama: no models\n')
    expect(text).toContain("  own: 1 model: it's mine\n")
    expect(text).toContain(`-d '{"model":"it'\\''s mine",`)
    expect(text).not.toContain('sandbox')
  })

  test('says what to do when there are no models', () => {
    const text = print({ ...FIRST, hasSandbox: false })
    expect(text).toContain('There are no models yet. Set the key of a vendor, such as OPENAI_API_KEY')
    expect(text).not.toContain('curl')
  })
})

describe('a later start', () => {
  test('says how to get new secrets, and shows none', () => {
    const text = print(LATER)
    expect(text).not.toContain('(shown once)')
    expect(text).toContain('  API key           npm run turnpike -- keys create acc_1 --name <name>\n')
    expect(text).toContain('  console password  npm run turnpike -- users reset-password <e-mail address>\n')
    expect(text).toContain('  operator token    npm run turnpike -- operator reset-token\n')
    expect(text).toContain('"Authorization: Bearer $API_KEY"')
    expect(text).not.toContain('TURNPIKE_URL')
  })

  test('names the address if the commands would ask elsewhere', () => {
    expect(print({ ...LATER, url: 'http://127.0.0.1:9' })).toContain(
      'with TURNPIKE_OPERATOR_TOKEN and TURNPIKE_URL=http://127.0.0.1:9 in the environment',
    )
  })

  test('does not offer to reset a token that is configured', () => {
    const text = print(LATER, { TURNPIKE_OPERATOR_TOKEN: 'x'.repeat(32) })
    expect(text).toContain('  operator token    change TURNPIKE_OPERATOR_TOKEN and start again\n')
    expect(text).not.toContain('x'.repeat(32))
  })
})

describe('commands are called', () => {
  const binary = { ...CLONE, isBinary: true, path: '/opt/turnpike' }
  const inPackage = { ...CLONE, folder: '/p/node_modules/turnpike/src/app/greeting' }

  test.each([
    ['through npm in a clone', CLONE, 'npm run turnpike --'],
    ['by name when the binary is installed', { ...binary, installed: '/opt/turnpike' }, 'turnpike'],
    ['by path when it is not', binary, '/opt/turnpike'],
    ['by a quoted path', { ...binary, path: "/my files/it's" }, `'/my files/it'\\''s'`],
    ['through npx in a project', inPackage, 'npx turnpike'],
    [
      'through npx when npx started it',
      { ...inPackage, installed: '/p/node_modules/.bin/turnpike', environment: { npm_command: 'exec' } },
      'npx turnpike',
    ],
    ['by name when the package is installed', { ...inPackage, installed: '/usr/bin/turnpike' }, 'turnpike'],
  ] as const)('%s', (_how, program, expected) => expect(commandName(program)).toBe(expected))
})
