import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createModelsCommand } from '../../src/cli/commands/supply/models.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface Comparison {
  readonly supplier: string
  readonly offered: string[]
  readonly configured: string[]
  readonly catalog: string[]
  readonly missing: string[]
  readonly unpriced: string[]
  readonly unknown: string[]
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const compare = (id: string) => gateway.operator<Comparison>('GET', `/suppliers/${id}/models`)

/** A vendor with three models whose list comes in pages, as its real one does. */
function startPagedVendor() {
  const seen: Headers[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      seen.push(request.headers)
      const url = new URL(request.url)
      if (url.pathname === '/v1/models') return Response.json(messagesPage(url.searchParams.get('after_id')))
      return Response.json(generationPage(url.searchParams.get('pageToken')))
    },
  })
  return { seen, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

function messagesPage(after: string | null) {
  return after === null
    ? { data: [{ id: 'claude-opus-5' }, { id: 'claude-new' }], has_more: true, last_id: 'claude-new' }
    : { data: [{ id: 'claude-old' }], has_more: false, last_id: 'claude-old' }
}

function generationPage(token: string | null) {
  return token === null
    ? { models: [{ name: 'models/gemini-3.8-flash' }, { name: 'models/embedding-1' }], nextPageToken: 'two' }
    : { models: [{ name: 'models/gemini-new' }] }
}

async function addVendor(id: string, type: string, fields: { url: string; format: string }): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, { type, base_url: fields.url, formats: [fields.format] })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret: 'sk-paged-vendor' })
}

describe('the list of the sandbox', () => {
  test.each(['sandbox-openai', 'sandbox-anthropic', 'sandbox-google'])('%s tells its models', async (id) => {
    const { offered, configured, missing, catalog } = await compare(id)
    expect(offered).toContain('sandbox-chat')
    expect(configured).toContain('sandbox-chat')
    expect([missing, catalog]).toEqual([[], []])
  })

  test('names models whose route has no price', async () => {
    await addSupplier(gateway, { id: 'lacking', sandbox: gateway.sandbox })
    await addModel(gateway, 'three', { suppliers: ['lacking'], upstreamModel: 'sandbox-chat' })
    const unpriced = { upstream_model: 'sandbox-tools' }
    await gateway.operator('PUT', '/models/four', { owned_by: 'tests' })
    await gateway.operator('PUT', '/models/four/routes/lacking', unpriced)
    await gateway.operator('PUT', '/models/four/routes/sandbox-openai', unpriced)
    expect((await compare('lacking')).unpriced).toEqual(['sandbox-tools'])
  })

  test('names removed models and models that are not configured', async () => {
    await addSupplier(gateway, { id: 'acme', sandbox: gateway.sandbox })
    await addModel(gateway, 'one', { suppliers: ['acme'], upstreamModel: 'sandbox-chat' })
    await addModel(gateway, 'two', { suppliers: ['acme'], upstreamModel: 'retired' })
    const { configured, missing, unpriced, unknown } = await compare('acme')
    expect([configured, missing, unpriced]).toEqual([['retired', 'sandbox-chat'], ['retired'], []])
    expect(unknown).toContain('sandbox-tools')
    expect(unknown).not.toContain('sandbox-chat')
  })
})

describe('a list in pages', () => {
  test('is read to its end, with the credential in the vendor’s header', async () => {
    const vendor = startPagedVendor()
    try {
      await addVendor('anthropic', 'anthropic', { url: vendor.url, format: 'messages' })
      await addVendor('google', 'google', { url: vendor.url, format: 'content-generation' })
      const messages = await compare('anthropic')
      expect(messages.offered).toEqual(['claude-new', 'claude-old', 'claude-opus-5'])
      expect(messages.catalog).toContain('claude-opus-5')
      expect((await compare('google')).offered).toEqual(['embedding-1', 'gemini-3.8-flash', 'gemini-new'])
      expect(vendor.seen.map((headers) => headers.get('x-api-key') ?? headers.get('x-goog-api-key'))).toEqual(
        Array(4).fill('sk-paged-vendor'),
      )
    } finally {
      await vendor.stop()
    }
  })
})

describe('no list', () => {
  const refused = async (id: string) => compare(id).then(String, (error: Error) => error.message)

  test('of an unknown supplier', async () => expect(await refused('nobody')).toContain('404'))

  test('with a refused credential, which is not printed', async () => {
    await addSupplier(gateway, { id: 'locked', sandbox: gateway.sandbox, secret: 'sk-wrong-key-1234' })
    const message = await refused('locked')
    expect(message).toMatch(/502 .*provider_error/)
    expect(message).toContain('it answered 401')
    expect(message).not.toContain('sk-wrong')
  })

  test('without a credential', async () => {
    await gateway.operator('PUT', '/suppliers/bare', {
      type: 'openai-compatible',
      base_url: gateway.sandbox.url,
      formats: ['chat-completion'],
    })
    expect(await refused('bare')).toMatch(/400 .*no active credential/)
  })

  test('from an address that does not answer', async () => {
    await addVendor('away', 'openai-compatible', { url: 'http://127.0.0.1:1/v1', format: 'chat-completion' })
    expect(await refused('away')).toMatch(/502 .*cannot be reached/)
  })
})

describe('turnpike models refresh', () => {
  async function type(...args: string[]) {
    const environment = { TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN }
    let printed = ''
    const status = await createModelsCommand(environment).run(args, {
      print: (text) => {
        printed += text
      },
      printError: () => undefined,
      untilInterrupted: async () => {},
    })
    return { status, printed }
  }

  test('prints what needs attention first', async () => {
    const { status, printed } = await type('refresh', 'acme')
    expect(status).toBe(0)
    expect(printed).toMatch(/^MODEL +STATE +CATALOG\nretired +not offered any more +no\n/)
    expect(printed).toMatch(/\nsandbox-chat +configured +no\n/)
    expect(printed).toMatch(
      /\d+ offered, 2 configured, 1 not offered any more, 0 without a price, \d+ not configured\.\n$/,
    )
  })

  test('prints JSON for programs', async () => {
    const { printed } = await type('refresh', 'acme', '--json')
    expect(JSON.parse(printed)).toEqual(await compare('acme'))
  })

  test.each([
    [[], "'turnpike models' takes add, import or refresh"],
    [['refresh'], 'usage: turnpike models refresh <supplier>'],
    [['list', 'acme'], "'turnpike models' takes add, import or refresh"],
    [['refresh', 'acme', 'more'], 'usage: turnpike models refresh <supplier>'],
  ])('refuses %j', async (args, message) => {
    await expect(type(...args)).rejects.toThrow(message)
  })
})
