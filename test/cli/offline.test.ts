import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createOperatorCommand } from '../../src/cli/commands/local/operator.ts'
import { createKeysCommand, createUsersCommand } from '../../src/cli/commands/resources.ts'
import { createStatusCommand } from '../../src/cli/commands/status.ts'
import { chat } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import {
  makeDataFolder,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

const OWN = { TURNPIKE_OPERATOR_TOKEN: '', TURNPIKE_SECRET: '' }

let dataFolder: string
let gateway: TestGateway | null
beforeAll(async () => {
  dataFolder = makeDataFolder()
  gateway = await startTestGateway({ dataFolder, environment: OWN })
})
afterAll(async () => {
  await gateway?.stop()
  removeDataFolder(dataFolder)
})

type Create = typeof createKeysCommand

async function type(create: Create, words: readonly string[], environment: Record<string, string> = {}) {
  let printed = ''
  const terminal = {
    print: (text: string) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  }
  const here = {
    TURNPIKE_DATA: dataFolder,
    PORT: new URL(gateway?.url ?? 'http://127.0.0.1:9').port,
    ...environment,
  }
  const status = await create(here).run([...words, '--json'], terminal)
  return { status, facts: JSON.parse(printed) }
}

async function accountId(): Promise<string> {
  const account = (await gateway?.storage.loadConfiguration())?.accounts[0]
  return account?.id ?? ''
}

let account: string
let token: string

test('a running gateway takes a key that was made beside it', async () => {
  account = await accountId()
  const { facts } = await type(createKeysCommand, ['create', account, '--name', 'beside'])
  const ask = () => chat(gateway?.url ?? '', {}, { key: facts.secret })
  await eventually('the key works', async () => (await ask()).status === 200)
})

test('a running gateway takes a new operator token, and shows its status with it', async () => {
  const { facts } = await type(createOperatorCommand, ['reset-token'])
  expect(facts.gateway).toBe('takes_it')
  token = facts.operator_token
  const { status, facts: shown } = await type(createStatusCommand, [], { TURNPIKE_OPERATOR_TOKEN: token })
  expect([status, shown.trouble, shown.system.journal.refusal]).toEqual([0, [], null])
  expect(shown.suppliers.length).toBeGreaterThan(0)
})

test('a token from the environment is not replaced', async () => {
  const given = { TURNPIKE_OPERATOR_TOKEN: token }
  await expect(type(createOperatorCommand, ['reset-token'], given)).rejects.toThrow(
    'the operator token comes from TURNPIKE_OPERATOR_TOKEN',
  )
})

test('keys, passwords and tokens are made while the gateway is down', async () => {
  await gateway?.stop()
  gateway = null
  // Even with a token at hand, because no gateway answers.
  const key = await type(createKeysCommand, ['create', account, '--name', 'down'], {
    TURNPIKE_OPERATOR_TOKEN: token,
  })
  const { facts: user } = await type(createUsersCommand, ['reset-password', 'admin@localhost'])
  const { facts: reset } = await type(createOperatorCommand, ['reset-token'])
  expect(reset.gateway).toBe('down')
  gateway = await startTestGateway({ dataFolder, environment: OWN })
  expect((await chat(gateway.url, {}, { key: key.facts.secret })).status).toBe(200)
  const system = (sent: string) =>
    fetch(`${gateway?.url}/operator/v1/system`, { headers: { authorization: `Bearer ${sent}` } })
  expect([(await system(reset.operator_token)).status, (await system(token)).status]).toEqual([200, 401])
  expect(user.password).toMatch(/^[a-z2-7-]{20,}$/)
})

test('says what to set when there is neither a token nor a database', async () => {
  const nowhere = { TURNPIKE_DATA: `${dataFolder}-absent` }
  await expect(type(createKeysCommand, ['list', 'a'], nowhere)).rejects.toThrow(
    'TURNPIKE_OPERATOR_TOKEN is not set, and there is no database in',
  )
})
