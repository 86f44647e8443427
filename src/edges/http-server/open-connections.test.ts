import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type ConnectionEntry,
  type ConnectionState,
  type ManagedConnection,
  NO_LIMITS,
  OpenConnections,
} from './open-connections.ts'

class FakeConnection implements ManagedConnection {
  entry: ConnectionEntry<FakeConnection> | null = null
  isDismissed = false
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  dismiss(): void {
    this.isDismissed = true
  }
}

function openTable(limits: { total?: number; perAddress?: number; exempt?: string }) {
  const connections = new OpenConnections<FakeConnection>({
    ...NO_LIMITS,
    ...limits,
    isExempt: (address) => address === limits.exempt,
  })
  let count = 0
  const connect = (address: string, state: ConnectionState = 'new'): FakeConnection | null => {
    if (connections.makeRoom(address) !== null) return null
    count += 1
    const connection = new FakeConnection(`${address}#${count}`)
    connection.entry = connections.add(connection, address)
    connection.entry.move(state)
    return connection
  }
  return { connections, connect }
}

test('closes the longest idle connection, starting with those that never sent a request', () => {
  const { connections, connect } = openTable({ total: 4 })
  const busy = connect('a', 'busy')
  const idle = connect('b', 'idle')
  const first = connect('c')
  const second = connect('d')
  idle?.entry?.move('busy')
  idle?.entry?.move('idle')
  const order = [first, second, idle].map((expected) => {
    const fresh = connect('e', 'busy')
    return [fresh !== null, expected?.isDismissed, busy?.isDismissed]
  })
  expect(order).toEqual(order.map(() => [true, true, false]))
  expect(connect('f')).toBeNull()
  expect([connections.size, connections.counts]).toEqual([
    4,
    { dismissed: 3, refusedByTotal: 1, refusedByAddress: 0 },
  ])
})

test('closes connections of the same address when it has too many, and refuses when all are busy', () => {
  const { connections, connect } = openTable({ perAddress: 2, exempt: 'proxy' })
  const other = connect('other')
  const first = connect('a', 'idle')
  connect('a', 'busy')
  expect(connect('a', 'busy')).not.toBeNull()
  expect([first?.isDismissed, other?.isDismissed]).toEqual([true, false])
  expect(connect('a')).toBeNull()
  for (let turn = 0; turn < 5; turn += 1) expect(connect('proxy', 'busy')).not.toBeNull()
  expect(connections.counts).toEqual({ dismissed: 1, refusedByTotal: 0, refusedByAddress: 1 })
})

test('lowers its limit while descriptors are short, and raises it one by one', () => {
  const { connections, connect } = openTable({ total: 100 })
  for (let turn = 0; turn < 40; turn += 1) connect('a', turn % 2 === 0 ? 'idle' : 'busy')
  connections.squeeze()
  expect([connections.size, connections.ceiling]).toEqual([24, 24])
  connections.squeeze()
  // Those that are busy stay, whatever is short.
  expect([connections.size, connections.ceiling]).toEqual([20, 8])
  expect(connect('b')).toBeNull()
  for (let turn = 0; turn < 200; turn += 1) connections.relax()
  expect([connections.ceiling, connect('b') !== null]).toEqual([100, true])
})

test('behaves like a plain list for any sequence of changes', () => {
  const step = fc.record({
    kind: fc.constantFrom('connect', 'move', 'leave'),
    address: fc.constantFrom('a', 'b', 'proxy'),
    index: fc.nat(9),
    state: fc.constantFrom<ConnectionState>('new', 'idle', 'begun', 'clearing', 'closing', 'busy'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { connections, connect } = openTable({ total: 6, perAddress: 3, exempt: 'proxy' })
      let known: { connection: FakeConnection; state: ConnectionState }[] = []
      for (const { kind, address, index, state } of steps) {
        const one = known[index % Math.max(1, known.length)]
        if (kind === 'connect') {
          const connection = connect(address)
          known = known.filter((each) => !each.connection.isDismissed)
          if (connection !== null) known.push({ connection, state: 'new' })
        } else if (one?.connection.entry && kind === 'move') {
          one.connection.entry.move(state)
          known = [...known.filter((each) => each !== one), { ...one, state }]
        } else if (one?.connection.entry) {
          connections.remove(one.connection.entry)
          connections.remove(one.connection.entry)
          known = known.filter((each) => each !== one)
        }
        const counted = known.filter(({ connection }) => !connection.name.startsWith('proxy'))
        expect(
          counted.filter(({ connection }) => connection.name.startsWith('a')).length,
        ).toBeLessThanOrEqual(3)
        expect(known.length).toBeLessThanOrEqual(6)
      }
      expect(connections.size).toBe(known.length)
      for (const state of ['new', 'closing', 'clearing', 'idle', 'begun', 'busy'] as const) {
        const seen: FakeConnection[] = []
        connections.forEach(state, (connection) => seen.push(connection))
        expect(seen).toEqual(known.filter((each) => each.state === state).map(({ connection }) => connection))
      }
    }),
  )
})
