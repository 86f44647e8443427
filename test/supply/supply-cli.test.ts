import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Command, UsageError } from '../../src/cli/command.ts'
import { createRecordCommands } from '../../src/cli/commands/records.ts'
import { createModelsCommand } from '../../src/cli/commands/supply/models.ts'
import { createSuppliersCommand } from '../../src/cli/commands/supply/suppliers.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createLoneKey } from '../support/accounts.ts'
import { chat } from '../support/chat.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let sandbox: Sandbox
let commands: readonly Command[]
beforeAll(async () => {
  gateway = await startTestGateway()
  sandbox = startSandbox()
  const environment = {
    TURNPIKE_URL: gateway.url,
    TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    MY_KEY: 'sk-sandbox-cli',
    GROQ_API_KEY: 'sk-sandbox-groq',
  }
  commands = [
    createSuppliersCommand(environment),
    createModelsCommand(environment),
    ...createRecordCommands(environment),
  ]
})
afterAll(async () => {
  await gateway.stop()
  await sandbox.stop()
})

async function type(line: string) {
  const [name, ...words] = line.split(' ')
  let printed = ''
  const status = await commands
    .find((command) => command.name === name)
    ?.run(words, {
      print: (text) => {
        printed += text
      },
      printError: () => undefined,
      untilInterrupted: async () => {},
    })
  return { status, printed }
}

const modelsOf = async (supplier: string) => {
  const { data } = await gateway.operator<{ data: { model: string; supplier: string; price: unknown }[] }>(
    'GET',
    '/routes?limit=200',
  )
  return data.filter((route) => route.supplier === supplier)
}

describe('turnpike suppliers and models', () => {
  test('a vendor of the catalog is added by its name, with its models', async () => {
    const { status, printed } = await type('suppliers add groq --json')
    expect(status).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({
      supplier: 'groq',
      base_url: 'https://api.groq.com/openai/v1',
    })
    expect(printed).not.toContain('sk-sandbox-groq')
    expect((await modelsOf('groq')).length).toBe(3)
  })

  test('another supplier is added by its address, its models are imported, priced and used', async () => {
    await type(`suppliers add mine --base-url ${sandbox.url}/v1 --key-env MY_KEY`)
    const dry = await type('models import mine --only sandbox-ch* --dry-run')
    expect(dry.printed).toContain('would be added')
    expect(await modelsOf('mine')).toEqual([])
    const { printed } = await type('models import mine --only sandbox-ch*')
    expect(printed).toMatch(/sandbox-chat +none, so it is not used/)
    expect((await modelsOf('mine')).map(({ model }) => model)).toContain('sandbox-chat')
    await type('models add my-model --supplier mine --upstream-model sandbox-chat --input 1 --output 2')
    expect((await type('suppliers test mine')).status).toBe(0)
    await type('aliases add fast my-model')
    const { secret } = await createLoneKey(gateway, {})
    const response = await chat(gateway.url, { model: 'fast' }, { key: secret })
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, 'mine'])
  })

  test('a model without a price of its own has that of the catalog', async () => {
    await type('models add gpt-4o --supplier groq --upstream-model llama-3.1-8b-instant')
    const [route] = (await modelsOf('groq')).filter(({ model }) => model === 'gpt-4o')
    expect(route?.price).not.toBeNull()
  })

  test('a wildcard has a price, and its supplier stays whole', async () => {
    await type('wildcards put any --pattern any/* --supplier groq --price 1.25/10')
    expect(await gateway.operator<object>('GET', '/wildcards/any')).toMatchObject({
      price: { input: '1.25', output: '10' },
    })
    await expect(type('suppliers delete groq')).rejects.toThrow('any')
    expect(await modelsOf('groq')).not.toEqual([])
    await type('wildcards delete any')
    await expect(type('wildcards put any --pattern any/* --supplier groq --price 1')).rejects.toThrow(
      '--price',
    )
  })

  test('a supplier is deleted with its routes', async () => {
    await type('suppliers delete groq')
    expect(await modelsOf('groq')).toEqual([])
    expect((await type('suppliers list')).printed).not.toContain('groq')
  })

  test.each([
    ['suppliers add mine --base-url http://127.0.0.1:1/v1 --key sk-1', 'standard input'],
    ['suppliers add nobody', '--base-url'],
    ['suppliers add openai', 'OPENAI_API_KEY'],
    ['suppliers add openai --key-env NOT_SET', 'NOT_SET'],
    ['suppliers discover --add yes', 'usage: turnpike suppliers discover'],
    ['models import mine --markup lots', '--markup'],
    ['models add x --supplier mine --input 1', '--output'],
  ])('%s is refused', async (line, message) => {
    const failure = await type(line).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UsageError)
    expect(String(failure)).toContain(message)
    expect(String(failure)).not.toContain('sk-1')
  })
})
