import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type LimitsServer, serveLimits } from '../../src/edges/limits-socket/serve-limits.ts'
import { connectLimits } from '../../src/edges/limits-socket/socket-limits.ts'
import { LimitsHub } from '../../src/edges/windows/memory-limits.ts'
import type { WindowDemand } from '../../src/serve/ports/admissions.ts'
import type { SharedLimits, SharedNotice } from '../../src/serve/ports/shared-limits.ts'
import { eventually } from '../support/eventually.ts'

const NOW_MS = Date.UTC(2026, 5, 10)

let folder = ''
let hub: LimitsHub
let server: LimitsServer
let sharedLimits: SharedLimits

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-limits-'))
  hub = new LimitsHub({ nowMs: () => NOW_MS })
  server = serveLimits({ path: socketPath(), limitsForNode: (nodeId) => hub.limitsForNode(nodeId) })
  sharedLimits = await connectLimits(socketPath(), 'node-1')
})

afterEach(async () => {
  await sharedLimits.close()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

function socketPath(): string {
  return join(folder, 'limits.sock')
}

/** One call by its name, so that the same can be asked of two limits stores. */
type Call = (sharedLimits: SharedLimits) => Promise<unknown>

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
const name = fc.constantFrom('a', 'b', 'ключ ✓')
const day = Math.floor(NOW_MS / 86_400_000)
const window = fc.record({
  id: fc.constantFrom('account:a:requests', 'key:k:tokens'),
  metric: fc.constantFrom('requests' as const, 'tokens' as const),
  limit: fc.nat(50),
  amount: fc.nat(20),
}) satisfies fc.Arbitrary<WindowDemand>
// Callers may pass more about a hold than the limits store needs.
const hold = fc.record({ requestId: name, keyId: name, amountNano: amount, more: amount })
const total = fc.record({ startDay: fc.constant(day), spentNano: amount })

const bounds = {
  creditLineNano: fc.option(amount),
  usageLimit: fc.option(fc.record({ period: fc.constant('daily' as const), amountNano: amount })),
}
const HOLD_KEYS: ['amountNano', 'creditLineNano', 'usageLimit'] = [
  'amountNano',
  'creditLineNano',
  'usageLimit',
]

const calls: fc.Arbitrary<Call>[] = [
  fc
    .record({
      requestId: name,
      keyId: name,
      accountId: fc.constant('a'),
      generation: fc.constantFrom('g', 'other'),
      configurationVersion: fc.nat(3),
      windows: fc.array(window, { maxLength: 3 }),
      hold: fc.record({ amountNano: amount, leastNano: amount, ...bounds }, { requiredKeys: HOLD_KEYS }),
      conversation: fc.option(name),
    })
    .map((call) => (at) => at.admit(call)),
  fc
    .record({
      requestId: name,
      keyId: name,
      accountId: fc.constant('a'),
      generation: fc.constantFrom('g', 'other'),
      amountNano: amount,
      ...bounds,
    })
    .map((call) => (at) => at.grow(call)),
  fc.array(fc.array(window)).map((options) => (at) => at.takeCapacity(null, options)),
  fc.array(window).map((windows) => (at) => at.look('a', windows)),
  fc.array(hold).map((settled) => (at) => at.settle('a', settled)),
  fc.array(hold).map((holds) => (at) => at.addHolds('a', holds)),
  fc
    .record({
      generation: fc.constant('g'),
      stored: fc.array(name),
      balance: fc.option(fc.record({ balanceNano: amount, version: amount })),
      keys: fc.array(
        fc.record({
          keyId: name,
          totals: fc.record({ daily: total, weekly: total, monthly: total, forever: total }),
        }),
      ),
      isLoad: fc.boolean(),
    })
    .map((news) => (at) => at.learn('a', news)),
  fc.tuple(fc.array(hold), fc.array(name)).map(
    ([holds, unsure]) =>
      (at) =>
        at.assertHolds('a', holds, unsure),
  ),
  name.map((nodeId) => (at) => at.releaseNode(nodeId)),
  fc.constant((at) => at.generation()),
  fc.constant((at) => at.beginGeneration('g')),
  fc.constant((at) => at.joinGeneration('g')),
  fc.constant((at) => at.listJoined('g')),
  fc.constant((at) => at.configurationVersion()),
  fc.nat(3).map((version) => (at) => at.announceConfiguration(version)),
  name.map(
    (conversation) => (at) =>
      at.savePin({ accountId: 'a', conversation, supplierId: 's', credentialId: 'c', keptMs: 1_000 }),
  ),
  name.map((noteName) => (at) => at.saveNote({ accountId: 'a', name: noteName, text: '✓', keptMs: 1_000 })),
  fc.array(name).map((names) => (at) => at.findNotes('a', names)),
  fc.nat(9).map((version) => (at) => at.publish({ type: 'configuration', version }, 1_000)),
  fc.constant((at) => at.listKept()),
]

test('every call has the same effect and answer over the socket as in process', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...calls), { maxLength: 60 }), async (sequence) => {
      run += 1
      const near = new LimitsHub({ nowMs: () => NOW_MS }).limitsForNode('node-1')
      hub = new LimitsHub({ nowMs: () => NOW_MS })
      const far = await connectLimits(socketPath(), 'node-1')
      // All at once: they are carried out in the order in which they are made.
      const farAnswers = Promise.all(sequence.map((call) => call(far)))
      const nearAnswers = await Promise.all(sequence.map((call) => call(near)))
      expect(await farAnswers).toEqual(nearAnswers.map((answer) => answer ?? null))
      await far.close()
    }),
    { numRuns: 150 },
  )
  expect(run).toBeGreaterThanOrEqual(150)
})

test('a notice reaches the other nodes and not the one that published it', async () => {
  const other = await connectLimits(socketPath(), 'node-2')
  const heard: [string, SharedNotice][] = []
  sharedLimits.onNotice((notice) => heard.push(['node-1', notice]))
  other.onNotice((notice) => heard.push(['node-2', notice]))
  // An answer says that the other has been introduced.
  await other.generation()
  await sharedLimits.publish({ type: 'generation', generation: 'g' })
  await eventually('the notice', () => heard.length > 0)
  expect(heard).toEqual([['node-2', { type: 'generation', generation: 'g' }]])
  await other.close()
})

test('onConnected is called once, and not after unsubscribing', async () => {
  let announced = 0
  sharedLimits.onConnected(() => {
    announced += 1
  })
  sharedLimits.onConnected(() => {
    announced += 100
  })()
  await sharedLimits.generation()
  expect(announced).toBe(1)
})

test('open and later calls fail at once when the parent is gone', async () => {
  server.close()
  const asked = sharedLimits.generation()
  expect(asked).rejects.toThrow('is gone')
  await asked.catch(() => {})
  expect(sharedLimits.look('a', [])).rejects.toThrow('is gone')
})

test('only the owner can open the socket', () => {
  expect(statSync(socketPath()).mode & 0o777).toBe(0o600)
})

test('replaces a socket file that a killed process left behind', async () => {
  const again = serveLimits({ path: socketPath(), limitsForNode: (nodeId) => hub.limitsForNode(nodeId) })
  const visitor = await connectLimits(socketPath(), 'node-3')
  expect(await visitor.generation()).toBeNull()
  await visitor.close()
  again.close()
})
