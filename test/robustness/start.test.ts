import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { chatRequest } from './support/chat-load.ts'
import {
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  runToExit,
  SERVER_SECRET,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { makeEmptyDatabase } from './support/own-database.ts'

let folder = ''
let gateways: GatewayProcess[] = []

beforeEach(() => {
  folder = makeFolder()
})

afterEach(async () => {
  await Promise.all(gateways.map(stopProcess))
  gateways = []
  removeFolder(folder)
})

/** The one line a start that fails leaves behind. */
async function refusalOf(environment: Readonly<Record<string, string>>): Promise<string> {
  const { exitCode, output, errors } = await runToExit(environmentOf(join(folder, 'data'), environment))
  expect([exitCode, output]).toEqual([1, ''])
  const lines = errors.trimEnd().split('\n')
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

describe('a start that cannot succeed says why in one line', () => {
  test('a wrong value', async () => {
    expect(await refusalOf({ PORT: 'http' })).toBe(
      'PORT is "http"; it must be a whole number from 0 to 65535.',
    )
  })

  test('an unknown setting', async () => {
    expect(await refusalOf({ TURNPIKE_WORKRES: '3' })).toBe(
      'TURNPIKE_WORKRES is not a setting. Did you mean TURNPIKE_WORKERS?',
    )
  })

  test.each(['3', JSON.stringify({ nodeId: 'node_1', slot: 0, port: 1, parentPath: '/nowhere' })])(
    'an order to a worker that has no parent: %s',
    async (order) => {
      const line = await refusalOf({ TURNPIKE_WORKER: order })
      expect(line).toBe(
        'TURNPIKE_WORKER is what the gateway tells its own workers; unset it, or did you mean TURNPIKE_WORKERS?',
      )
    },
  )

  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      const line = await refusalOf({ PORT: String(port) })
      expect(line).toBe(`Port ${port} of 127.0.0.1 is already in use. Set PORT to another one.`)
    } finally {
      other.close()
    }
  })

  test('a host address of another machine', async () => {
    const line = await refusalOf({ HOST: '203.0.113.7' })
    expect(line).toStartWith('HOST is "203.0.113.7"; it must be an address of this machine')
  })

  test('an invalid host', async () => {
    expect(await refusalOf({ HOST: 'no host' })).toStartWith(
      'HOST is "no host"; it must be an address of this machine',
    )
  })

  test('a data folder that another gateway uses', async () => {
    const data = join(folder, 'data')
    gateways = [await startProcess(environmentOf(data))]
    expect(await refusalOf({})).toBe(
      `TURNPIKE_DATA is ${JSON.stringify(data)}; it must be a folder that no other running gateway uses.`,
    )
  })

  test('a data folder under a file', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(await refusalOf({ TURNPIKE_DATA: join(file, 'data') })).toStartWith(
      `TURNPIKE_DATA is ${JSON.stringify(join(file, 'data'))}; it must be a folder that this process can create or write to`,
    )
  })

  // To root no folder is read-only.
  test.skipIf(process.getuid?.() === 0)('a data folder that cannot be written to', async () => {
    chmodSync(folder, 0o500)
    expect(await refusalOf({})).toContain('it must be a folder that this process can create or write to')
    chmodSync(folder, 0o700)
  })

  test('a database file that is not a database', async () => {
    const data = makeFolder()
    writeFileSync(
      join(data, 'turnpike.db'),
      'this is not a database, but it is long enough to look like one'.repeat(9),
    )
    const line = await refusalOf({ TURNPIKE_DATA: data })
    removeFolder(data)
    expect(line).toBe(
      `TURNPIKE_DATA is ${JSON.stringify(data)}; its database cannot be used (SQLITE_NOTADB).`,
    )
  })

  test('a PostgreSQL server that does not listen', async () => {
    const line = await refusalOf({ DATABASE_URL: 'postgres://user:pass-Secr3t@127.0.0.1:1/books' })
    expect(line).toStartWith(
      'DATABASE_URL names 127.0.0.1:1/books, but this PostgreSQL database cannot be used (ERR_POSTGRES_',
    )
  })

  test.skipIf(!process.env.TEST_DATABASE_URL)('a database that does not exist on the server', async () => {
    const url = new URL(process.env.TEST_DATABASE_URL ?? '')
    url.pathname = '/no_such_database'
    const line = await refusalOf({ DATABASE_URL: url.href })
    expect(line).toStartWith(`DATABASE_URL names ${url.host}/no_such_database, but`)
  })
})

/** An environment that leaves all secrets to the gateway. */
function environmentWithoutSecrets() {
  const {
    TURNPIKE_OPERATOR_TOKEN: _,
    TURNPIKE_BOOTSTRAP_KEY: __,
    TURNPIKE_SECRET: ___,
    ...environment
  } = environmentOf(join(folder, 'data'))
  return environment
}

describe('what a start prints', () => {
  test('secrets are not lost with a start that fails', async () => {
    const environment = environmentWithoutSecrets()
    expect(await runToExit({ ...environment, HOST: '203.0.113.7' })).toMatchObject({
      exitCode: 1,
      output: '',
    })
    const next = await startProcess(environment)
    gateways = [next]
    expect(next.output()).toContain('Operator token (shown once): op-')
    expect(next.output()).toContain('API key (shown once): sk-')
  })

  test('new secrets are shown once, with a request that works when pasted', async () => {
    const environment = environmentWithoutSecrets()
    const first = await startProcess(environment)
    gateways = [first]
    const key = /API key \(shown once\): (sk-[A-Za-z0-9]{48})/.exec(first.output())?.[1] ?? ''
    const token = /Operator token \(shown once\): (op-[A-Za-z0-9]{48})/.exec(first.output())?.[1] ?? ''
    expect([key.length, token.length]).toEqual([51, 51])
    const line =
      first
        .output()
        .split('\n')
        .find((text) => text.startsWith('curl ')) ?? ''
    const pasted = Bun.spawn(['sh', '-c', line], { stdout: 'pipe', stderr: 'ignore' })
    expect(JSON.parse(await new Response(pasted.stdout).text())).toMatchObject({ object: 'chat.completion' })
    first.signal('SIGTERM')
    await first.exited

    const second = await startProcess(environment)
    gateways = [second]
    expect(second.output()).not.toContain('shown once')
    expect(second.output()).not.toContain(key)
    const response = await fetch(
      `${second.url}/v1/chat/completions`,
      chatRequest({ model: 'sandbox-chat' }, key),
    )
    expect(response.status).toBe(200)
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${second.url}/operator/v1/accounts`, { headers })).status).toBe(200)
  })
})

describe.skipIf(!process.env.TEST_DATABASE_URL)('two gateways on one PostgreSQL database', () => {
  test('started at once on an empty one migrate it safely, and both serve once it is set up', async () => {
    const database = await makeEmptyDatabase()
    if (database === null) throw new Error('TEST_DATABASE_URL is not set')
    const environments = ['one', 'two'].map((name) =>
      environmentOf(join(folder, name), { DATABASE_URL: database.url, TURNPIKE_SECRET: SERVER_SECRET }),
    )
    const stopAll = async () => {
      for (const gateway of gateways) gateway.signal('SIGTERM')
      expect(await Promise.all(gateways.map(({ exited }) => exited))).toEqual(gateways.map(() => 0))
      gateways = []
    }
    try {
      const outcomes = await Promise.allSettled(environments.map((each) => startProcess(each)))
      gateways = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(gateways.length).toBeGreaterThanOrEqual(1)
      // Only the race to make the first account may stop one of them; a migration never does.
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('23505')
      }
      await stopAll()
      for (const environment of environments) {
        gateways = [await startProcess(environment)]
        await stopAll()
      }
      gateways = await Promise.all(environments.map((each) => startProcess(each)))
      for (const { url } of gateways) {
        const response = await fetch(`${url}/v1/chat/completions`, chatRequest({ model: 'sandbox-chat' }))
        expect([response.status, await response.text()]).toEqual([
          200,
          expect.stringContaining('chat.completion'),
        ])
      }
      await stopAll()
    } finally {
      await Promise.all(gateways.map(stopProcess))
      await database.drop()
    }
  }, 300_000)
})
