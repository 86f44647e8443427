import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { connectParent } from '../../src/edges/parent-link/connect-parent.ts'
import { serveWorkers, type WorkersServer } from '../../src/edges/parent-link/serve-workers.ts'
import { LimitsHub } from '../../src/edges/windows/hub.ts'
import type { ParentLink, SharedNotice } from '../../src/serve/ports/shared-limits.ts'
import { eventually } from '../support/eventually.ts'

const NOW_MS = Date.UTC(2026, 5, 10)

let folder = ''
let hub: LimitsHub
let server: WorkersServer
let link: ParentLink

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-link-'))
  hub = newHub()
  server = serveWorkers({ path: socketPath(), linkForNode: (nodeId) => hub.member(nodeId) })
  link = await connectParent(socketPath(), 'node-1')
})

afterEach(async () => {
  await link.close()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

function newHub(): LimitsHub {
  const store = {
    beginGeneration: () => {},
    announceConfiguration: () => {},
    releaseNode: async (node: number) => node,
  }
  return new LimitsHub({ nowMs: () => NOW_MS }, store)
}

function socketPath(): string {
  return join(folder, 'parent.sock')
}

/** One call by its name, so that the same can be asked of two links. */
type Call = (link: ParentLink) => Promise<unknown>

const name = fc.constantFrom('a', 'b', 'ключ ✓')

const calls: fc.Arbitrary<Call>[] = [
  fc.constant((at) => at.nodeNumber()),
  name.map((nodeId) => (at) => at.releaseNode(nodeId)),
  fc.constant((at) => at.generation()),
  fc.constant((at) => at.beginGeneration('g')),
  fc.constant((at) => at.joinGeneration('g')),
  fc.constant((at) => at.listJoined('g')),
  fc.constant((at) => at.listAwaited()),
  fc.constant((at) => at.configurationVersion()),
  fc.nat(3).map((version) => (at) => at.announceConfiguration(version)),
  name.map(
    (conversation) => (at) =>
      at.savePin({ accountId: 'a', conversation, supplierId: 's', credentialId: 'c', keptMs: 1_000 }),
  ),
  name.map((conversation) => (at) => at.findPin('a', conversation)),
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
      const near = newHub().member('node-1')
      hub = newHub()
      const far = await connectParent(socketPath(), 'node-1')
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
  const other = await connectParent(socketPath(), 'node-2')
  const heard: [string, SharedNotice][] = []
  link.onNotice((notice) => heard.push(['node-1', notice]))
  other.onNotice((notice) => heard.push(['node-2', notice]))
  // An answer says that the other has been introduced.
  await other.generation()
  await link.publish({ type: 'generation', generation: 'g' })
  await eventually('the notice', () => heard.length > 0)
  expect(heard).toEqual([['node-2', { type: 'generation', generation: 'g' }]])
  await other.close()
})

test('onConnected is called once, and not after unsubscribing', async () => {
  let announced = 0
  link.onConnected(() => {
    announced += 1
  })
  link.onConnected(() => {
    announced += 100
  })()
  await link.generation()
  expect(announced).toBe(1)
})

test('open and later calls fail at once when the parent is gone', async () => {
  server.close()
  const asked = link.generation()
  expect(asked).rejects.toThrow('has exited')
  await asked.catch(() => {})
  expect(link.listKept()).rejects.toThrow('has exited')
})

test('only the owner can open the socket', () => {
  expect(statSync(socketPath()).mode & 0o777).toBe(0o600)
})

test('replaces a socket file that a killed process left behind', async () => {
  const again = serveWorkers({ path: socketPath(), linkForNode: (nodeId) => hub.member(nodeId) })
  const visitor = await connectParent(socketPath(), 'node-3')
  expect(await visitor.generation()).toBeNull()
  await visitor.close()
  again.close()
})
