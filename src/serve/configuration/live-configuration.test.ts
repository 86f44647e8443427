import { afterEach, describe, expect, jest, test } from 'bun:test'
import { buildSnapshot, withAccount } from '../../rules/catalog/build-snapshot.ts'
import { anAccount } from '../../vocabulary/testing/specimens.ts'
import type { SharedConfiguration } from './configuration-follower.ts'
import { createLiveConfiguration } from './live-configuration.ts'

const EMPTY = { accounts: [], keys: [], suppliers: [], credentials: [], models: [], routes: [] }
const FIRST = buildSnapshot({ ...EMPTY, version: 1 })

test('the next reader sees a replaced snapshot, and a reader with the old one keeps it', () => {
  const configuration = createLiveConfiguration(FIRST)
  const taken = configuration.current()
  configuration.replace(withAccount(FIRST, anAccount()))
  expect(configuration.current().accounts.has('acc_1')).toBe(true)
  expect(taken.accounts.size).toBe(0)
})

describe('alone', () => {
  test('changes run one after the other, even after one that failed', async () => {
    const configuration = createLiveConfiguration(FIRST)
    const order: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = configuration.changing(async () => {
      await gate.promise
      order.push('first')
      throw new Error('on purpose')
    })
    const second = configuration.changing(async () => void order.push('second'))
    gate.resolve()
    await expect(first).rejects.toThrow('on purpose')
    await second
    expect(order).toEqual(['first', 'second'])
  })

  test('there is nothing to catch up with', async () => {
    const configuration = createLiveConfiguration(FIRST)
    await Promise.all([configuration.catchUp(), configuration.reloadTo(99), configuration.beat()])
    expect(configuration.current()).toBe(FIRST)
  })
})

/** A database and a limits store in memory: what they are asked waits at a gate when a test wants to be in between. */
function share(options: { readonly hasSharedLimits: boolean } = { hasSharedLimits: true }) {
  const world = {
    stored: 1,
    announced: 1 as number | null,
    asked: 0,
    loads: 0,
    areLimitsAway: false,
    isDatabaseAway: false,
    gate: Promise.resolve(),
    versionGate: Promise.resolve(),
    beside: 0,
  }
  const database = async <T>(answer: () => T): Promise<T> => {
    if (world.isDatabaseAway) throw new Error('The database is away.')
    return answer()
  }
  const sharedLimits = async <T>(answer: () => T): Promise<T> => {
    if (world.areLimitsAway) throw new Error('The limits store is away.')
    return answer()
  }
  const shared: SharedConfiguration = {
    storage: {
      loadConfigurationVersion: async () => {
        await world.versionGate
        return database(() => world.stored)
      },
      loadConfiguration: async () => {
        world.loads += 1
        const loaded = await database(() => ({ ...EMPTY, version: world.stored }))
        await world.gate
        return loaded
      },
      raiseConfigurationVersion: (least) =>
        database(() => {
          world.stored = Math.max(world.stored, least)
        }),
      whileChanging: async (work) => {
        const progress = {
          get version() {
            return world.stored
          },
        }
        return work(progress)
      },
    },
    reloadBeside: async () => {
      world.beside += 1
    },
    ...(options.hasSharedLimits && {
      newestVersion: () => {
        world.asked += 1
        return sharedLimits(() => world.announced)
      },
      announce: (version: number) =>
        sharedLimits(() => {
          world.announced = Math.max(world.announced ?? 0, version)
        }),
    }),
  }
  return { world, configuration: createLiveConfiguration(FIRST, shared) }
}

describe('a database that hangs', () => {
  afterEach(() => void jest.useRealTimers())
  const never = new Promise<never>(() => undefined)
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('does not delay requests that the known configuration can serve', async () => {
    const { world, configuration } = share()
    Object.assign(world, { areLimitsAway: true, versionGate: never })
    jest.useFakeTimers()
    const caughtUp = configuration.catchUp()
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    jest.advanceTimersByTime(1_000)
    await caughtUp
    expect(configuration.current()).toBe(FIRST)
  })

  test('refuses requests while the configuration is known to be outdated, and loads it for later ones', async () => {
    const { world, configuration } = share()
    const gate = Promise.withResolvers<void>()
    Object.assign(world, { stored: 2, announced: 2, gate: gate.promise })
    jest.useFakeTimers()
    const refused = configuration.catchUp().catch((error: unknown) => error)
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    jest.advanceTimersByTime(5_000)
    expect(await refused).toMatchObject({ code: 'temporarily_unavailable' })
    jest.useRealTimers()
    gate.resolve()
    await settle()
    expect([configuration.current().version, world.loads]).toEqual([2, 1])
  })
})

describe('shared', () => {
  test('concurrent catch-ups ask at most twice, and none is served by a load that began before it', async () => {
    const { world, configuration } = share()
    const first = configuration.catchUp()
    world.stored = 2
    world.announced = 2
    const later = Array.from({ length: 50 }, () => configuration.catchUp())
    await Promise.all([first, ...later])
    expect([configuration.current().version, world.asked, world.loads]).toEqual([2, 2, 1])
    await configuration.catchUp()
    expect([world.asked, world.loads, world.beside]).toEqual([3, 1, 1])
  })

  for (const [name, trouble] of [
    ['knows nothing', { announced: null }],
    ['is away', { areLimitsAway: true }],
  ] as const) {
    test(`the database is asked when the limits store ${name}`, async () => {
      const { world, configuration } = share()
      Object.assign(world, trouble, { stored: 5 })
      await configuration.catchUp()
      expect(configuration.current().version).toBe(5)
    })
  }

  test('keeps the known configuration while neither Redis nor the database answers', async () => {
    const { world, configuration } = share()
    Object.assign(world, { areLimitsAway: true, isDatabaseAway: true })
    await configuration.catchUp()
    await configuration.beat()
    expect(configuration.current()).toBe(FIRST)
  })

  test('fails when a newer version is announced but cannot be read, and the next call reads it', async () => {
    const { world, configuration } = share()
    Object.assign(world, { stored: 2, announced: 2, isDatabaseAway: true })
    await expect(configuration.catchUp()).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      cause: { message: 'The database is away.' },
    })
    world.isDatabaseAway = false
    await configuration.catchUp()
    expect(configuration.current().version).toBe(2)
  })

  test('a failed attempt is retried', async () => {
    const { world, configuration } = share()
    Object.assign(world, { stored: 2, announced: 2, isDatabaseAway: true })
    const reading = configuration.catchUp()
    setTimeout(() => {
      world.isDatabaseAway = false
    }, 1)
    await reading
    expect(configuration.current().version).toBe(2)
  })

  test('a reload that began before the version was stored does not count', async () => {
    const { world, configuration } = share()
    world.stored = 2
    const gate = Promise.withResolvers<void>()
    world.gate = gate.promise
    const first = configuration.reloadTo(2)
    world.stored = 3
    const second = configuration.reloadTo(3)
    gate.resolve()
    await Promise.all([first, second])
    expect([configuration.current().version, world.loads]).toEqual([3, 2])
  })

  test('a change starts from the newest version, gets the stored number, and is announced before it ends', async () => {
    const { world, configuration } = share()
    world.stored = 4
    const before = await configuration.changing(async () => {
      const { version } = configuration.current()
      world.stored = 5
      configuration.replace(withAccount(configuration.current(), anAccount()))
      return version
    })
    expect([before, configuration.current().version, world.announced]).toEqual([4, 5, 5])
    expect(configuration.current().accounts.has('acc_1')).toBe(true)
  })

  test('a running reload does not undo a concurrent change', async () => {
    const { world, configuration } = share()
    world.stored = 2
    const gate = Promise.withResolvers<void>()
    world.gate = gate.promise
    const reloading = configuration.reloadTo(2)
    const changing = configuration.changing(async () => {
      world.stored = 3
      configuration.replace(withAccount(configuration.current(), anAccount()))
    })
    gate.resolve()
    await Promise.all([reloading, changing])
    expect(configuration.current().version).toBe(3)
    expect(configuration.current().accounts.has('acc_1')).toBe(true)
  })

  test('catching up does not wait for a change on this node', async () => {
    const { world, configuration } = share()
    const gate = Promise.withResolvers<void>()
    const changing = configuration.changing(async () => {
      world.stored = 2
      await gate.promise
    })
    await configuration.catchUp()
    await configuration.beat()
    gate.resolve()
    await changing
    expect([configuration.current().version, world.loads]).toEqual([2, 0])
  })

  test('a change that fails half-stored is reloaded from the database and announced', async () => {
    const { world, configuration } = share()
    const change = configuration.changing(async () => {
      world.stored = 2
      throw new Error('on purpose')
    })
    await expect(change).rejects.toThrow('on purpose')
    expect([configuration.current().version, world.announced, world.loads]).toEqual([2, 2, 1])
  })

  test('a change that could not be announced is made, and announced at a later beat', async () => {
    const { world, configuration } = share()
    world.areLimitsAway = true
    await configuration.changing(async () => {
      world.stored = 2
    })
    expect([configuration.current().version, world.announced]).toEqual([2, 1])
    world.areLimitsAway = false
    await configuration.beat()
    expect(world.announced).toBe(2)
  })

  test('a beat finds what was stored and never announced, and announces it to an emptied limits store', async () => {
    const { world, configuration } = share()
    Object.assign(world, { stored: 6, announced: null })
    await configuration.beat()
    expect([configuration.current().version, world.announced]).toEqual([6, 6])
  })

  test('a database that lost changes is authoritative, under a new version number', async () => {
    const { world, configuration } = share()
    Object.assign(world, { stored: 3, announced: 8 })
    await configuration.catchUp()
    expect([configuration.current().version, world.stored]).toEqual([9, 9])
    world.stored = 5
    await configuration.beat()
    expect([configuration.current().version, world.stored, world.announced]).toEqual([10, 10, 10])
  })

  for (const [name, known] of [
    ['that this node knows', { stored: 5, announced: 5 }],
    ['that others have announced', { announced: 5 }],
  ] as const) {
    test(`a change never reuses the number of one ${name} and the database has lost`, async () => {
      const { world, configuration } = share()
      Object.assign(world, known)
      if ('stored' in known) await configuration.catchUp()
      world.stored = 4
      await configuration.changing(async () => {
        world.stored += 1
      })
      expect([configuration.current().version, world.stored, world.announced]).toEqual([7, 7, 7])
    })
  }

  test('without a limits store, the database announces every change', async () => {
    const { world, configuration } = share({ hasSharedLimits: false })
    world.stored = 2
    await configuration.catchUp()
    world.stored = 3
    await configuration.changing(async () => {
      world.stored = 4
    })
    await configuration.beat()
    expect([configuration.current().version, world.loads]).toEqual([4, 2])
  })

  test('listeners are notified of changes by other nodes', async () => {
    const { world, configuration } = share()
    const heard: number[][] = []
    configuration.onReplaced((before, next) => heard.push([before.version, next.version]))
    Object.assign(world, { stored: 2, announced: 2 })
    await configuration.catchUp()
    expect(heard).toEqual([[1, 2]])
  })
})
