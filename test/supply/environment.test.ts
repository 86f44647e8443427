import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { greeting } from '../../src/app/greeting/greeting.ts'
import { startTurnpike, type Turnpike } from '../../src/app/turnpike.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import type { Settings } from '../../src/edges/settings/settings.ts'
import { BUILT_IN_CATALOG } from '../../src/rules/catalog/built-in/built-in-catalog.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { USUAL_TIMEOUTS } from '../../src/vocabulary/supply.ts'
import { chat } from '../support/chat.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { realClock } from '../support/movable-clock.ts'
import { BOOTSTRAP_KEY, makeDataFolder, removeDataFolder } from '../support/test-gateway.ts'

const PAGE = { limit: 1000, cursor: null }

let vendor: Sandbox
let dataFolder: string
let gateway: Turnpike
let notices: [what: string, facts: unknown][]

beforeAll(() => {
  vendor = startSandbox()
})
afterAll(() => vendor.stop())
beforeEach(() => {
  dataFolder = makeDataFolder()
  notices = []
})
afterEach(async () => {
  await gateway.stop(0)
  removeDataFolder(dataFolder)
})

async function start(environment: Record<string, string>): Promise<Settings> {
  const settings = readSettings({
    PORT: '0',
    TURNPIKE_DATA: dataFolder,
    TURNPIKE_SECRET: 'server-secret-for-tests',
    TURNPIKE_OPERATOR_TOKEN: 'operator-token-for-tests-0123456789',
    TURNPIKE_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    ...environment,
  })
  const notice = (what: string, facts?: unknown) => void notices.push([what, facts])
  gateway = await startTurnpike(settings, {
    clock: realClock,
    random: () => 0.5,
    log: { ...createCollectedLog(), notice },
  })
  return settings
}

async function restart(environment: Record<string, string>): Promise<void> {
  await gateway.stop(0)
  await start(environment)
}

const openai = (secret = 'sk-sandbox-first') => ({
  OPENAI_API_KEY: secret,
  OPENAI_BASE_URL: `${vendor.url}/v1`,
})
const suppliers = () => gateway.operations.listSuppliers(PAGE).data
const models = () => gateway.operations.listModels(PAGE).data
const routes = () => gateway.operations.listRoutes(PAGE).data.map(({ credentials: _, ...route }) => route)
const credentials = (id: string) => gateway.operations.listCredentials(id, PAGE).data
const audit = async () => (await gateway.operations.listAuditEvents({ limit: 1000, cursor: null })).data

describe('a key in the environment', () => {
  test('registers its vendor, credential, models and routes, and replaces the sandbox', async () => {
    await start(openai())
    expect(gateway.sandbox).toBeNull()
    expect(suppliers()).toMatchObject([{ id: 'openai', type: 'openai', baseUrl: `${vendor.url}/v1` }])
    expect(credentials('openai')).toMatchObject([{ label: 'environment', lastFour: 'irst' }])
    expect(models().map(({ id }) => id)).toContain('gpt-6-luna')
    expect(routes()).toHaveLength(models().length)
    expect(routes().every(({ price, enabled }) => price !== null && enabled)).toBe(true)
  })

  test('has its models listed by the greeting, with a request that works when pasted', async () => {
    const asked: string[] = []
    using openaiItself = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const { model } = (await request.json()) as { model: string }
        asked.push(`${new URL(request.url).pathname} ${model}`)
        return Response.json(completionOf(model))
      },
    })
    const settings = await start({ ...openai(), OPENAI_BASE_URL: `${openaiItself.url.origin}/v1` })
    const text = greeting({ ...gateway, hasSandbox: gateway.sandbox !== null }, settings)
    expect(text).toContain(`  openai: ${models().length} models: `)
    expect(text).not.toContain('sandbox')
    const line = /^curl .*$/m.exec(text)?.[0] ?? ''
    const env = { PATH: process.env.PATH ?? '', TURNPIKE_BOOTSTRAP_KEY: BOOTSTRAP_KEY }
    const pasted = Bun.spawn(['sh', '-c', line], { env, stdout: 'pipe', stderr: 'ignore' })
    expect(JSON.parse(await new Response(pasted.stdout).text())).toMatchObject({ object: 'chat.completion' })
    expect(asked).toEqual(['/v1/chat/completions gpt-5-nano'])
  })

  test('does not go to a supplier of an account that has the name of the vendor', async () => {
    await start(openai())
    const [first] = (await gateway.operations.listAccounts(PAGE)).data
    await gateway.operations.putSupplier(
      {
        id: 'groq',
        type: 'openai-compatible',
        baseUrl: 'https://elsewhere.example/v1',
        formats: ['chat-completion'],
        source: 'byok',
        accountId: first?.id ?? '',
        enabled: true,
        options: {},
        aborts: null,
        timeouts: USUAL_TIMEOUTS,
      },
      'test',
    )
    await restart({ ...openai(), GROQ_API_KEY: 'gsk-of-the-platform' })
    expect(credentials('groq')).toEqual([])
    expect(notices).toContainEqual([expect.stringContaining('belongs to an account'), { supplier: 'groq' }])
  })

  test('several keys register several vendors', async () => {
    await start({ ...openai(), ANTHROPIC_API_KEY: 'sk-a', GOOGLE_API_KEY: 'g-1', OLLAMA_API_KEY: 'any' })
    expect(suppliers().map(({ id, type }) => [id, type])).toEqual([
      ['anthropic', 'anthropic'],
      ['google', 'google'],
      ['ollama', 'openai-compatible'],
      ['openai', 'openai'],
    ])
  })

  test('of every vendor of the catalog can be registered', async () => {
    const named = BUILT_IN_CATALOG.vendors.filter(({ key_variables }) => key_variables.length > 0)
    const variables = named.map(({ key_variables }) => [key_variables[0] ?? '', 'sk-sandbox-1'])
    await start(Object.fromEntries(variables))
    expect(suppliers()).toHaveLength(named.length)
    expect(models()).toHaveLength(BUILT_IN_CATALOG.models.size)
  })

  test('serves requests', async () => {
    await start(openai())
    const [route] = routes().filter(({ modelId }) => modelId === 'gpt-5-nano')
    if (route === undefined) throw new Error('no such route')
    const { modelId, supplierId, ...settings } = route
    const ids = { modelId, supplierId }
    await gateway.operations.putRoute(ids, { ...settings, upstreamModel: 'sandbox-chat' }, 'operator')
    const response = await chat(gateway.url, { model: 'gpt-5-nano' }, { key: BOOTSTRAP_KEY })
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, 'openai'])
  })

  test('is never stored or shown in clear', async () => {
    await start(openai('sk-sandbox-very-secret-9876'))
    expect(JSON.stringify(await audit())).not.toContain('very-secret')
    expect(JSON.stringify(notices)).not.toContain('very-secret')
    const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files.length).toBeGreaterThan(0)
    const telling = files.filter(({ parentPath, name }) =>
      readFileSync(join(parentPath, name)).includes('very-secret'),
    )
    expect(telling.map(({ name }) => name)).toEqual([])
  })
})

describe('another start', () => {
  test('with the same environment changes nothing', async () => {
    await start(openai())
    const before = await audit()
    await restart(openai())
    expect(await audit()).toEqual(before)
    expect(notices).toEqual([])
  })

  test('keeps an operator’s changes of supplier, models and routes', async () => {
    await start(openai())
    const { createdAtMs: _, ...model } = gateway.operations.findModel('gpt-4o')
    await gateway.operations.putModel({ ...model, displayName: 'Ours' }, 'operator')
    const [route] = routes().filter(({ modelId }) => modelId === 'gpt-4o')
    const [supplier] = suppliers()
    if (route === undefined || supplier === undefined) throw new Error('nothing was registered')
    const { modelId, supplierId, ...settings } = route
    const price = { ...settings.price, inputNanoPerMillion: 7n } as NonNullable<typeof settings.price>
    await gateway.operations.putRoute(
      { modelId, supplierId },
      { ...settings, price, priority: 9 },
      'operator',
    )
    await gateway.operations.putSupplier({ ...supplier, enabled: false }, 'operator')
    const [credential] = credentials('openai')
    await gateway.operations.changeCredential(credential?.id ?? '', { rpm: 5 }, 'operator')
    await restart(openai())
    expect(gateway.operations.findModel('gpt-4o').displayName).toBe('Ours')
    expect(routes().find((each) => each.modelId === 'gpt-4o')).toMatchObject({ priority: 9, price })
    expect(suppliers().find(({ id }) => id === 'openai')?.enabled).toBe(false)
    expect(credentials('openai')).toMatchObject([{ rpm: 5 }])
  })

  test('with another key replaces the old one', async () => {
    await start(openai())
    const [before] = credentials('openai')
    await gateway.operations.changeCredential(before?.id ?? '', { state: 'disabled' }, 'operator')
    await restart(openai('sk-sandbox-second'))
    expect(credentials('openai')).toMatchObject([{ id: before?.id, lastFour: 'cond', state: 'active' }])
  })

  test('with another address moves the supplier; without one it stays where it is', async () => {
    await start(openai())
    await restart({ ...openai(), OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })
    expect(suppliers()).toMatchObject([{ id: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }])
    await restart({ OPENAI_API_KEY: 'sk-sandbox-first' })
    expect(suppliers()).toMatchObject([{ id: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }])
  })

  test('without the key keeps everything and logs it', async () => {
    await start(openai())
    const before = await audit()
    await restart({})
    expect(await audit()).toEqual(before)
    expect(notices).toEqual([
      [expect.stringContaining('no longer in the environment'), { supplier: 'openai' }],
    ])
  })
})

test('a supplier restricted by an operator gets only the routes it supports', async () => {
  await start({ TURNPIKE_SANDBOX: 'off' })
  await gateway.operations.putSupplier(
    {
      id: 'openai',
      type: 'openai',
      baseUrl: `${vendor.url}/v1`,
      formats: ['chat-completion'],
      source: 'shared',
      accountId: null,
      enabled: true,
      options: {},
      aborts: null,
      timeouts: { connectMs: null, firstByteMs: null, idleMs: null },
    },
    'operator',
  )
  await restart(openai())
  expect(suppliers()).toMatchObject([{ formats: ['chat-completion'] }])
  expect(routes().map(({ modelId }) => modelId)).toContain('gpt-5')
  expect(routes().map(({ modelId }) => modelId)).not.toContain('gpt-6-luna')
})

function completionOf(model: string) {
  const message = { role: 'assistant', content: 'Hello!', refusal: null }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  }
}
