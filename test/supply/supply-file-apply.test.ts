import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RefusedSupply, type SupplyOptions } from '../../src/manage/ports/supply-application.ts'
import {
  type SupplyDocument,
  USUAL_TIMEOUTS,
  type WantedModel,
  type WantedSupplier,
} from '../../src/vocabulary/supply.ts'
import { type GatewayUnderTest, startGateway } from '../operator/gateway-under-test.ts'

let gateway: GatewayUnderTest
beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.close())

const CREDENTIAL = {
  secret: 'sk-first-secret-0001',
  rpm: 600,
  tpm: null,
  weight: 1,
  state: 'active',
} as const
const PRICE = {
  inputNanoPerMillion: 1n,
  outputNanoPerMillion: 2n,
  cacheReadNanoPerMillion: 1n,
  cacheWriteNanoPerMillion: 1n,
  imageNano: 0n,
}

function supplier(fields: Partial<WantedSupplier> = {}): WantedSupplier {
  return {
    id: 'acme',
    type: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:4020/v1',
    formats: ['chat-completion'],
    source: 'shared',
    accountId: null,
    enabled: true,
    options: {},
    aborts: null,
    timeouts: USUAL_TIMEOUTS,
    credentials: [{ ...CREDENTIAL, label: 'main' }],
    ...fields,
  }
}

function route(supplierId = 'acme'): WantedModel['routes'][number] {
  return {
    supplierId,
    upstreamModel: 'up',
    formats: null,
    price: PRICE,
    cost: null,
    priceSource: 'manual',
    rpm: null,
    tpm: null,
    priority: 1,
    enabled: true,
  }
}

function model(fields: Partial<WantedModel> = {}): WantedModel {
  return {
    id: 'gpt-5',
    ownedBy: 'vendor',
    displayName: 'GPT-5',
    description: '',
    kinds: ['text'],
    inputTokenLimit: null,
    outputTokenLimit: null,
    rpm: null,
    tpm: null,
    capabilities: {},
    routes: [route()],
    ...fields,
  }
}

const DOCUMENT: SupplyDocument = { suppliers: [supplier()], models: [model()] }

async function apply(document: SupplyDocument, options: Partial<SupplyOptions> = {}) {
  const changes = await gateway.operations.applySupply(document, { actor: 'tests', ...options })
  return changes.map(({ kind, id, result, fields }) => [kind, id, [result, ...fields].join(' ')].join(' '))
}

async function auditActions(): Promise<string[]> {
  const { data } = await gateway.storage.listAuditEvents({ limit: 200, cursor: null })
  return data.map(({ action, actor }) => `${action} by ${actor}`)
}

async function storedCredentials() {
  return (await gateway.storage.loadConfiguration()).credentials
}

describe('applying a document', () => {
  test('creates everything it names, and changes nothing the second time', async () => {
    expect(await apply(DOCUMENT)).toEqual([
      'supplier acme created',
      'credential acme/main created',
      'model gpt-5 created',
      'route gpt-5/routes/acme created',
    ])
    const before = gateway.configuration.current()
    const events = await auditActions()
    expect(events.toSorted()).toEqual([
      'credential.added by tests',
      'model.created by tests',
      'route.created by tests',
      'supplier.created by tests',
    ])
    gateway.clock.timeMs += 60_000
    expect((await apply(DOCUMENT)).every((change) => change.endsWith(' unchanged'))).toBe(true)
    expect(gateway.configuration.current()).toBe(before)
    expect(await auditActions()).toEqual(events)
  })

  test('is idempotent after reloading, for any document', async () => {
    const id = fc.constantFrom('acme', 'other', 'third')
    const credentials = fc.uniqueArray(
      fc.constantFrom('a', 'b', 'c').map((label) => ({ ...CREDENTIAL, label })),
      {
        selector: ({ label }) => label,
      },
    )
    const timeouts = fc.record({
      connectMs: fc.option(fc.integer({ min: 100, max: 60_000 })),
      firstByteMs: fc.option(fc.integer({ min: 100, max: 60_000 })),
      idleMs: fc.constant(null),
    })
    const suppliers = fc.uniqueArray(
      fc
        .record({ id, enabled: fc.boolean(), timeouts, credentials })
        .map((fields) => supplier({ ...fields, baseUrl: 'http://127.0.0.1:1/v1//' })),
      { selector: (each) => each.id, minLength: 1 },
    )
    const document = suppliers.chain((wanted) =>
      fc
        .record({
          rpm: fc.option(fc.integer({ min: 1, max: 9 })),
          routes: fc.subarray(wanted.map((each) => route(each.id))),
        })
        .map((fields) => ({ suppliers: wanted, models: [model(fields)] })),
    )
    await fc.assert(
      fc.asyncProperty(document, async (wanted) => {
        const planned = gateway.operations.planSupply(wanted, { actor: 'tests' })
        expect(await gateway.operations.applySupply(wanted, { actor: 'tests' })).toEqual(planned)
        const again = gateway.operations.planSupply(wanted, { actor: 'tests' })
        expect(again.filter(({ result }) => result !== 'unchanged')).toEqual([])
        expect(await gateway.storage.loadConfiguration()).toMatchObject({
          suppliers: expect.arrayContaining(
            wanted.suppliers.map(({ credentials: _, ...each }) => ({
              ...each,
              baseUrl: 'http://127.0.0.1:1/v1',
            })),
          ),
        })
      }),
      { numRuns: 20 },
    )
  })

  test('changes what differs and reports the fields; a new secret replaces the old one', async () => {
    await apply(DOCUMENT)
    const [before] = await storedCredentials()
    const secret = 'sk-second-secret-0002'
    const changed = {
      suppliers: [
        supplier({ enabled: false, credentials: [{ ...CREDENTIAL, label: 'main', secret, rpm: 60 }] }),
      ],
      models: [model({ displayName: 'Five', routes: [{ ...route(), priority: 2 }] })],
    }
    expect(await apply(changed)).toEqual([
      'supplier acme changed enabled',
      'credential acme/main changed secret rpm',
      'model gpt-5 changed display_name',
      'route gpt-5/routes/acme changed priority',
    ])
    expect(await storedCredentials()).toMatchObject([{ id: before?.id ?? '', secret, rpm: 60 }])
    const { data } = await gateway.storage.listAuditEvents({ limit: 200, cursor: null })
    expect(JSON.stringify(data)).not.toContain('secret-000')
  })

  test('leaves alone what it does not name', async () => {
    await apply(DOCUMENT)
    expect(await apply({ suppliers: [supplier({ id: 'other', credentials: [] })], models: [] })).toEqual([
      'supplier other created',
    ])
    expect(await apply({ suppliers: [supplier({ credentials: [] })], models: [] })).toEqual([
      'supplier acme unchanged',
    ])
    expect(await storedCredentials()).toHaveLength(1)
  })

  test('may refer to a supplier that exists only in the gateway', async () => {
    await apply({ suppliers: [supplier()], models: [] })
    expect(await apply({ suppliers: [], models: [model()] })).toEqual([
      'model gpt-5 created',
      'route gpt-5/routes/acme created',
    ])
  })

  test('twice at the same time creates everything once', async () => {
    const both = await Promise.all([apply(DOCUMENT), apply(DOCUMENT)])
    expect(both[1]?.every((change) => change.endsWith(' unchanged'))).toBe(true)
    expect(await storedCredentials()).toHaveLength(1)
  })

  test('planned only, writes nothing', async () => {
    const planned = gateway.operations.planSupply(DOCUMENT, { actor: 'tests' })
    expect(planned.map(({ result }) => result)).toEqual(['created', 'created', 'created', 'created'])
    expect(await auditActions()).toEqual([])
  })
})

describe('pruning', () => {
  const keepNothing: SupplyDocument = { suppliers: [supplier({ credentials: [] })], models: [] }

  test('removes credentials and disables routes that a supplier no longer names, once', async () => {
    await apply({
      suppliers: [supplier(), supplier({ id: 'other' })],
      models: [model({ routes: [route(), route('other')] })],
    })
    const unlabelled = { ...CREDENTIAL, label: null }
    const { id } = await gateway.operations.addCredential('acme', unlabelled, 'tests')
    expect((await apply(keepNothing, { pruneSuppliers: ['acme'] })).toSorted()).toEqual(
      [
        `credential acme/${id} removed`,
        'credential acme/main removed',
        'route gpt-5/routes/acme changed enabled',
        'supplier acme unchanged',
      ].toSorted(),
    )
    expect((await storedCredentials()).map(({ supplierId }) => supplierId)).toEqual(['other'])
    const { routes } = await gateway.storage.loadConfiguration()
    expect(routes.map(({ supplierId, enabled }) => [supplierId, enabled]).toSorted()).toEqual([
      ['acme', false],
      ['other', true],
    ])
    expect(await apply(keepNothing, { pruneSuppliers: ['acme'] })).toEqual(['supplier acme unchanged'])
  })
})

describe('keeping what is there', () => {
  test('adds what is missing and renews secrets, and nothing else', async () => {
    await apply(DOCUMENT)
    const [credential] = await storedCredentials()
    await gateway.operations.changeCredential(
      credential?.id ?? '',
      { weight: 7, state: 'disabled' },
      'somebody',
    )
    const wanted = {
      suppliers: [
        supplier({
          baseUrl: 'http://127.0.0.1:9/elsewhere',
          credentials: [{ ...CREDENTIAL, label: 'main', rpm: 1 }],
        }),
        supplier({ id: 'new' }),
      ],
      models: [model({ displayName: 'Other', routes: [{ ...route(), priority: 9 }, route('new')] })],
    }
    expect(await apply(wanted, { keepExisting: true })).toEqual([
      'supplier acme unchanged',
      'credential acme/main unchanged',
      'supplier new created',
      'credential new/main created',
      'model gpt-5 unchanged',
      'route gpt-5/routes/acme unchanged',
      'route gpt-5/routes/new created',
    ])
    const renewed = {
      suppliers: [supplier({ credentials: [{ ...CREDENTIAL, label: 'main', secret: 'sk-renewed-0003' }] })],
      models: [],
    }
    expect(await apply(renewed, { keepExisting: true })).toEqual([
      'supplier acme unchanged',
      'credential acme/main changed secret state',
    ])
    expect((await storedCredentials()).find(({ id }) => id === credential?.id)).toMatchObject({
      secret: 'sk-renewed-0003',
      weight: 7,
      state: 'active',
      rpm: 600,
    })
  })
})

describe('a document that is wrong anywhere', () => {
  test('changes nothing, and every mistake is reported with its place', async () => {
    await apply(DOCUMENT)
    const before = gateway.configuration.current()
    const events = await auditActions()
    const wrong: SupplyDocument = {
      suppliers: [
        supplier({ id: 'good' }),
        supplier({ id: 'Bad Id' }),
        supplier({ id: 'ftp', baseUrl: 'ftp://x', credentials: [{ ...CREDENTIAL, label: 'a', weight: 0 }] }),
        supplier({ id: 'images', formats: ['chat-completion', 'images'] }),
        supplier({ id: 'secret', credentials: [{ ...CREDENTIAL, label: 'a', secret: ' spaced ' }] }),
        supplier({ id: 'good', credentials: [] }),
        supplier({
          id: 'labels',
          credentials: [
            { ...CREDENTIAL, label: 'a' },
            { ...CREDENTIAL, label: 'a' },
          ],
        }),
      ],
      models: [
        model({ id: 'a/routes/b', routes: [] }),
        model({
          id: 'wrong',
          routes: [
            route('nobody'),
            { ...route('good'), formats: ['messages'] },
            { ...route('good'), price: { ...PRICE, outputNanoPerMillion: 10n ** 16n } },
          ],
        }),
      ],
    }
    const refusal = await apply(wrong).then(
      () => null,
      (error: unknown) => error,
    )
    if (!(refusal instanceof RefusedSupply)) throw new Error('it was not refused')
    expect(refusal.problems.map(({ path }) => path.join('.')).toSorted()).toEqual(
      [
        'suppliers.1.id',
        'suppliers.2.base_url',
        'suppliers.2.credentials.0.weight',
        'suppliers.3.formats.1',
        'suppliers.4.credentials.0.secret',
        'suppliers.5.id',
        'suppliers.6.credentials.1.label',
        'models.0.id',
        'models.1.routes.0.supplier',
        'models.1.routes.1.formats.0',
        'models.1.routes.2.price.output',
        'models.1.routes.2.supplier',
      ].toSorted(),
    )
    expect(gateway.configuration.current()).toBe(before)
    expect(await auditActions()).toEqual(events)
  })

  test('such as one whose label stands for two credentials', async () => {
    await apply(DOCUMENT)
    await gateway.operations.addCredential('acme', { ...CREDENTIAL, label: 'main' }, 'tests')
    await expect(apply(DOCUMENT)).rejects.toThrow(
      'suppliers[0].credentials[0].label: stands for 2 credentials',
    )
  })

  test('does not block the next one', async () => {
    const wrong = apply({ suppliers: [supplier({ id: '-' })], models: [] })
    const right = apply(DOCUMENT)
    await expect(wrong).rejects.toBeInstanceOf(RefusedSupply)
    expect(await right).toHaveLength(4)
  })
})

test('a document leaves formats and token prices to types and kinds, and applying it again changes nothing', async () => {
  const price = { ...PRICE, inputNanoPerMillion: null, outputNanoPerMillion: null, imageNano: 4n }
  const document: SupplyDocument = {
    suppliers: [supplier({ formats: null })],
    models: [model({ kinds: ['image'], displayName: null, routes: [{ ...route(), price }] })],
  }
  await apply(document)
  expect((await apply(document)).every((change) => change.endsWith(' unchanged'))).toBe(true)
  const { suppliers, models, routes } = await gateway.storage.loadConfiguration()
  expect(suppliers[0]?.formats).toEqual(['chat-completion', 'responses'])
  expect(models[0]?.displayName).toBe('gpt-5')
  expect(routes[0]?.price).toMatchObject({ inputNanoPerMillion: 0n, imageNano: 4n })
})

test('a text model without a token price is refused at its place', async () => {
  const price = { ...PRICE, inputNanoPerMillion: null }
  const refused = apply({ suppliers: [supplier()], models: [model({ routes: [{ ...route(), price }] })] })
  await expect(refused).rejects.toThrow('models[0].routes[0].price.input: price.input is required.')
})
