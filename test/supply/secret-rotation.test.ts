import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTurnpike, type Turnpike } from '../../src/app/turnpike.ts'
import { UsageError } from '../../src/cli/command.ts'
import { createSecretCommand } from '../../src/cli/commands/secret.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import { chat } from '../support/chat.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { realClock } from '../support/movable-clock.ts'
import { makeDataFolder, removeDataFolder } from '../support/test-gateway.ts'

const OLD = 'old-server-secret-for-tests'
const NEW = 'new-server-secret-for-tests'

type Environment = Record<string, string>

let folder: string
let running: Turnpike | null = null
beforeEach(() => {
  folder = makeDataFolder()
})
afterEach(async () => {
  await running?.stop(0)
  running = null
  removeDataFolder(folder)
})

async function start(environment: Environment): Promise<Turnpike> {
  const settings = readSettings({
    PORT: '0',
    TURNPIKE_DATA: folder,
    TURNPIKE_SANDBOX: 'on',
    ...environment,
  })
  running = await startTurnpike(settings, { clock: realClock, random: () => 0.5, log: createCollectedLog() })
  return running
}

async function stop(): Promise<void> {
  await running?.stop(0)
  running = null
}

async function rotate(environment: Environment, args: readonly string[] = ['rotate']): Promise<string> {
  let printed = ''
  const status = await createSecretCommand({ TURNPIKE_DATA: folder, ...environment }).run(args, {
    print: (text) => {
      printed += text
    },
    printError: () => {},
    untilInterrupted: async () => {},
  })
  expect(status).toBe(0)
  for (const secret of secretsOf(environment)) expect(printed).not.toContain(secret)
  return printed
}

function secretsOf(environment: Environment): string[] {
  return [environment.TURNPIKE_SECRET, environment.TURNPIKE_NEW_SECRET].filter((text) => text !== undefined)
}

/** What a first start showed once: the operator token and an API key. */
interface Shown {
  readonly token: string
  readonly key: string
}

async function firstStart(environment: Environment): Promise<Shown> {
  const { newOperatorToken, newKey } = await start(environment)
  const shown = { token: newOperatorToken ?? '', key: newKey ?? '' }
  await expectWorking(shown)
  await stop()
  return shown
}

/** The API key authenticates, the supplier's credential decrypts, and the operator token still opens the door. */
async function expectWorking({ token, key }: Shown): Promise<void> {
  const url = running?.url ?? ''
  expect((await chat(url, {}, { key })).status).toBe(200)
  const operator = await fetch(`${url}/operator/v1/routes`, { headers: { authorization: `Bearer ${token}` } })
  expect(operator.status).toBe(200)
  expect((await chat(url, {}, { key: `${key}x` })).status).toBe(401)
}

const secretFile = () => join(folder, 'server-secret')
const nextFile = () => join(folder, 'server-secret.next')
const readSecret = () => readFileSync(secretFile(), 'utf8').trim()

describe('a secret from the environment', () => {
  const environment = { TURNPIKE_SECRET: OLD, TURNPIKE_NEW_SECRET: NEW }

  test('is changed: keys, credentials and the operator token still work, and the old secret is useless', async () => {
    const shown = await firstStart({ TURNPIKE_SECRET: OLD })
    expect(await rotate(environment)).toMatch(/^Re-encrypted: 3 credentials, .*\n.*TURNPIKE_SECRET/)
    await start({ TURNPIKE_SECRET: NEW })
    await expectWorking(shown)
    await stop()
    await expect(start({ TURNPIKE_SECRET: OLD })).rejects.toThrow('another TURNPIKE_SECRET')
    for (const name of readdirSync(folder).filter((each) => statSync(join(folder, each)).isFile())) {
      const bytes = readFileSync(join(folder, name))
      for (const secret of [OLD, NEW, shown.key, shown.token]) {
        expect([name, bytes.includes(secret)]).toEqual([name, false])
      }
    }
  })

  test('is changed only once: running it again says that it is done', async () => {
    const shown = await firstStart({ TURNPIKE_SECRET: OLD })
    await rotate(environment)
    expect(await rotate(environment)).toStartWith('The database already uses the new secret.')
    await start({ TURNPIKE_SECRET: NEW })
    await expectWorking(shown)
  })

  test('is not changed under a running gateway', async () => {
    await start({ TURNPIKE_SECRET: OLD })
    await expect(rotate(environment)).rejects.toThrow('a folder that no other running gateway uses')
  })
})

describe('a secret in the data folder', () => {
  test('is replaced there by a new one, which you never need to see', async () => {
    const shown = await firstStart({})
    const before = readSecret()
    expect(await rotate({})).toContain('start the gateway as before')
    expect(readSecret()).toMatch(/^[A-Za-z0-9]{48}$/)
    expect(readSecret()).not.toBe(before)
    expect(statSync(secretFile()).mode & 0o777).toBe(0o600)
    expect(existsSync(nextFile())).toBe(false)
    await start({})
    await expectWorking(shown)
  })

  test('is replaced by a chosen one', async () => {
    const shown = await firstStart({})
    await rotate({ TURNPIKE_NEW_SECRET: NEW })
    expect(readSecret()).toBe(NEW)
    await start({})
    await expectWorking(shown)
  })

  test('an interrupted rotation is finished by running it again (database already changed)', async () => {
    const shown = await firstStart({})
    const before = readSecret()
    await rotate({})
    renameSync(secretFile(), nextFile())
    writeFileSync(secretFile(), `${before}\n`)
    await expect(start({})).rejects.toThrow('turnpike secret rotate')
    expect(await rotate({ TURNPIKE_NEW_SECRET: NEW })).toContain('run it again for TURNPIKE_NEW_SECRET')
    await start({})
    await expectWorking(shown)
  })

  test('an interrupted rotation keeps the chosen secret (database not yet changed)', async () => {
    const shown = await firstStart({})
    writeFileSync(nextFile(), `${NEW}\n`)
    await rotate({})
    expect(readSecret()).toBe(NEW)
    await start({})
    await expectWorking(shown)
  })
})

describe('an impossible rotation is refused in one line without a secret', () => {
  const REFUSED: { why: string; environment: Environment; args: string[]; expected: string }[] = [
    { why: 'no word', environment: {}, args: [], expected: 'rotate' },
    { why: 'another word', environment: {}, args: ['turn'], expected: 'rotate' },
    { why: 'an option', environment: {}, args: ['rotate', '--loud'], expected: '--loud' },
    {
      why: 'no new secret',
      environment: { TURNPIKE_SECRET: OLD },
      args: ['rotate'],
      expected: 'TURNPIKE_NEW_SECRET is not set',
    },
    {
      why: 'the same secret',
      environment: { TURNPIKE_SECRET: OLD, TURNPIKE_NEW_SECRET: OLD },
      args: ['rotate'],
      expected: 'is already the secret in use',
    },
    {
      why: 'a short secret',
      environment: { TURNPIKE_SECRET: OLD, TURNPIKE_NEW_SECRET: 'Secr3t' },
      args: ['rotate'],
      expected: 'has 6 characters; it needs at least 16',
    },
  ]
  test.each(REFUSED)('$why', async ({ environment, args, expected }) => {
    await firstStart({ TURNPIKE_SECRET: OLD })
    const failure = await rotate(environment, args).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UsageError)
    const message = String(failure)
    expect(message).toContain(expected)
    expect(message).not.toContain('\n')
    for (const secret of secretsOf(environment)) expect(message).not.toContain(secret)
  })

  test('a folder without a database, which is not created', async () => {
    const environment = {
      TURNPIKE_SECRET: OLD,
      TURNPIKE_NEW_SECRET: NEW,
      TURNPIKE_DATA: join(folder, 'typo'),
    }
    await expect(rotate(environment)).rejects.toThrow('there is no database in')
    expect(existsSync(environment.TURNPIKE_DATA)).toBe(false)
  })

  test('a database server that does not answer, without its password', async () => {
    const environment = {
      TURNPIKE_SECRET: OLD,
      TURNPIKE_NEW_SECRET: NEW,
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/nowhere',
    }
    const failure = String(await rotate(environment).catch((error: unknown) => error))
    expect(failure).toContain('DATABASE_URL names 127.0.0.1:1/nowhere')
    expect(failure).not.toContain('hunter2')
  })
})
