import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { credentialDisabler } from '../../src/manage/alerts/disable-credential.ts'
import { KeyCreate } from '../../src/vocabulary/api-key.ts'
import { MarkUps } from '../../src/vocabulary/records/mark-up.ts'
import type { Snapshot } from '../../src/vocabulary/runtime/snapshot.ts'
import { aSupplier } from '../../src/vocabulary/testing/specimens.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { auditOf, type Node, startNode } from '../support/node.ts'

const CREDENTIAL = {
  secret: 'sk-upstream-0001',
  label: null,
  rpm: null,
  tpm: null,
  weight: 1,
  state: 'active',
} as const

for (const engine of testedEngines()) {
  describe(`two nodes that share one ${engine.name}`, () => {
    let site: Site
    let nodes: readonly [Node, Node]
    let accountId: string

    beforeEach(async () => {
      site = await engine.makeSite()
      const clock = createMovableClock()
      const sharedLimits = { version: null as number | null }
      const announcing = {
        newestVersion: async () => sharedLimits.version,
        announce: async (version: number) => {
          sharedLimits.version = Math.max(sharedLimits.version ?? 0, version)
        },
      }
      const first = await startNode(site, { clock, announcing })
      nodes = [first, await startNode(site, { clock, announcing })]
      accountId = (await first.operations.createAccount({ name: 'A', email: null }, 'operator')).id
    })
    afterEach(async () => {
      await Promise.all(nodes.map(({ storage }) => storage.close()))
      await site.remove()
    })

    const createKey = async (node: Node, name: string) =>
      (await node.operations.createKey(accountId, KeyCreate.read({ name }), 'operator')).id
    const catchUpAll = () => Promise.all(nodes.map(({ configuration }) => configuration.catchUp()))
    const differencesFromStored = async () => {
      const stored = await nodes[0].storage.loadConfiguration()
      return nodes.map(({ configuration }) => ({
        version: configuration.current().version - stored.version,
        keys: Bun.deepEquals(byId(configuration.current().keys.values()), byId(stored.keys)),
        accounts: Bun.deepEquals(byId(configuration.current().accounts.values()), byId(stored.accounts)),
      }))
    }
    const SAME = { version: 0, keys: true, accounts: true }

    test('every change through one is known to the other once it catches up', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [writer, reader] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
        const id = await createKey(writer, `key ${round}`)
        await reader.configuration.catchUp()
        expect((await reader.operations.findKey(id)).name).toBe(`key ${round}`)
        await reader.operations.revokeKey(id, 'operator')
        await writer.configuration.catchUp()
        expect((await writer.operations.findKey(id)).state).toBe('revoked')
      }
    })

    test('both follow mark-ups that either of them changes, and one of two for the same is refused', async () => {
      const [one, other] = nodes
      const put = (node: Node, id: string, basisPoints: number) =>
        node.operations
          .records(MarkUps)
          .put(id, { appliesTo: 'tier', name: 'Trial', basisPoints }, 'operator')
      await put(one, 'trial', 100)
      await put(other, 'trial', 200)
      await catchUpAll()
      const ofTrial = () =>
        nodes.map(({ configuration }) => configuration.current().markUps?.tier.get('Trial'))
      expect(ofTrial()).toEqual([200, 200])
      await other.operations.records(MarkUps).delete('trial', 'operator')
      const results = await Promise.allSettled([put(one, 'mine', 1), put(other, 'yours', 1)])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      await catchUpAll()
      expect(ofTrial()).toEqual([1, 1])
    })

    test('concurrent changes of one key through both are all kept', async () => {
      const id = await createKey(nodes[0], 'busy')
      const edits = [
        { name: 'renamed' },
        { rpm: 7 },
        { tpm: 900 },
        { modelAllowlist: ['gpt-*'] },
        { sharedFallback: true },
        { budget: { amountNano: 5n, thresholds: [50] } },
        { usageLimit: { period: 'daily' as const, amountNano: 9n } },
        { state: 'disabled' as const },
      ]
      await Promise.all(
        edits.map((edit, index) => nodes[index % 2 === 0 ? 0 : 1].operations.changeKey(id, edit, 'operator')),
      )
      const [stored] = (await nodes[0].storage.loadConfiguration()).keys
      expect(stored).toMatchObject(Object.assign({}, ...edits))
      await catchUpAll()
      expect(await differencesFromStored()).toEqual([SAME, SAME])
    })

    test('any sequence of changes through both ends in the stored state', async () => {
      const step = fc.record({
        node: fc.constantFrom(0, 1),
        kind: fc.constantFrom('key', 'rename', 'pay', 'look'),
      })
      let made = 0
      let paidNano = 0n
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
          await Promise.all(
            steps.map(async ({ node, kind }) => {
              const { operations, configuration } = nodes[node] ?? nodes[0]
              made += 1
              const name = `made ${made}`
              if (kind === 'key') {
                await operations.createKey(accountId, KeyCreate.read({ name }), 'operator')
              } else if (kind === 'rename') {
                await operations.changeAccount(accountId, { name }, 'operator')
              } else if (kind === 'pay') {
                paidNano += 3n
                await operations.recordPayment(
                  accountId,
                  { amountNano: 3n, reference: name, note: null },
                  'operator',
                )
              } else {
                await configuration.beat()
              }
            }),
          )
          await catchUpAll()
          expect(await differencesFromStored()).toEqual([SAME, SAME])
          expect(nodes[0].configuration.current().accounts.get(accountId)?.totalPaidNano).toBe(paidNano)
        }),
        { numRuns: 8 },
      )
    }, 300_000)

    test('the same document applied through both at once creates everything once', async () => {
      const { id, type, baseUrl, formats, source, options, aborts, timeouts } = aSupplier({ id: 'acme' })
      const settings = { id, type, baseUrl, formats, source, options, aborts, timeouts }
      const wanted = { ...settings, accountId: null, enabled: true }
      const document = {
        suppliers: [{ ...wanted, credentials: [{ ...CREDENTIAL, label: 'main' }] }],
        models: [],
      }
      await Promise.all(nodes.map(({ operations }) => operations.applySupply(document, { actor: 'file' })))
      const { suppliers, credentials } = await nodes[0].storage.loadConfiguration()
      expect([suppliers.length, credentials.length]).toEqual([1, 1])
    })

    test('a credential that both see refused is disabled once, with one event and one alert', async () => {
      const supplier = aSupplier({ id: 'acme' })
      await nodes[0].operations.putSupplier(supplier, 'operator')
      const { id } = await nodes[0].operations.addCredential(supplier.id, CREDENTIAL, 'operator')
      await catchUpAll()
      const alerts: string[] = []
      const disablers = nodes.map(({ operations, configuration, log }) =>
        credentialDisabler({
          operations,
          configuration,
          watch: { note: ({ subject }) => void alerts.push(subject) },
          clock: createMovableClock(),
          log,
        }),
      )
      for (const disable of disablers) disable({ supplierId: supplier.id, credentialId: id })
      const isOver = ({ configuration }: Node) => stateOf(configuration.current(), supplier.id) === 'disabled'
      await eventually('both nodes know', () => nodes.every(isOver))
      await Promise.all(nodes.map(({ configuration }) => configuration.changing(async () => undefined)))
      expect(alerts).toEqual([id])
      const events = await auditOf(nodes[0])
      expect(events.filter((event) => event === `credential.changed ${id}`)).toHaveLength(1)
      expect(nodes.flatMap(({ log }) => log.troubles)).toEqual([])
    })

    test('a credential with a new secret is not disabled because of the old one', async () => {
      const supplier = aSupplier({ id: 'acme' })
      await nodes[0].operations.putSupplier(supplier, 'operator')
      const refused = await nodes[0].operations.addCredential(supplier.id, CREDENTIAL, 'operator')
      await catchUpAll()
      await nodes[0].operations.changeCredential(refused.id, { secret: 'sk-upstream-0002' }, 'operator')
      expect(await nodes[1].operations.disableRefused({ ...CREDENTIAL, ...refused }, 'routing')).toBe(false)
      expect(stateOf(nodes[1].configuration.current(), supplier.id)).toBe('active')
    })
  })
}

function byId<T extends { readonly id: string }>(things: Iterable<T>): T[] {
  return [...things].toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

function stateOf(snapshot: Snapshot, supplierId: string): string | undefined {
  return snapshot.supply.credentialsBySupplier.get(supplierId)?.[0]?.state
}
