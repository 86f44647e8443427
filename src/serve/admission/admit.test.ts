import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { createSecretKeeper } from '../../rules/access/server-secret.ts'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import { aKey, anAccount } from '../../vocabulary/testing/specimens.ts'
import type { SharedConfiguration } from '../configuration/configuration-follower.ts'
import { createLiveConfiguration } from '../configuration/live-configuration.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import { ConfigurationChanged, retryOnConfigChange } from './admit.ts'
import { authenticate, authenticateVisitor } from './authenticate.ts'
import type { Caller } from './prepared-request.ts'

const secrets = createSecretKeeper('server secret of the tests')
const fingerprint = secrets.fingerprint('sk-one')
const first = buildSnapshot({
  version: 1,
  accounts: [anAccount()],
  keys: [aKey({ secrets: [{ fingerprint, lastFour: '', expiresAtMs: null }] })],
  suppliers: [],
  credentials: [],
  models: [],
  routes: [],
})

/** Another node has announced a change, and the database is away. */
function requestWith(secret: string): { exchange: Exchange; gateway: Gateway } {
  const away = () => Promise.reject(new Error('connection refused by database.internal:5432'))
  const storage = { loadConfiguration: away, loadConfigurationVersion: away } as unknown
  const configuration = createLiveConfiguration(first, {
    storage: storage as SharedConfiguration['storage'],
    newestVersion: async () => 2,
  })
  const gateway = {
    snapshot: configuration.current,
    catchUp: configuration.catchUp,
    secrets,
    clock: { nowMs: () => 0 },
  } as unknown as Gateway
  const headers = new Headers({ authorization: `Bearer ${secret}` })
  const exchange = { path: '/v1/models', query: new URLSearchParams(), headers } as unknown as Exchange
  return { exchange, gateway }
}

const UNREADABLE = { code: 'temporarily_unavailable', message: expect.stringContaining('cannot be read') }

describe('while a known configuration change cannot be read', () => {
  for (const [name, problem] of [
    ['is admitted by an old one', new ConfigurationChanged()],
    ['asks for what is unknown', new GatewayError('model_not_found', 'There is no such model.')],
  ] as const) {
    test(`a request that ${name} is asked to retry`, async () => {
      const incoming = requestWith('sk-one')
      const caller = await authenticate(incoming)
      const result = retryOnConfigChange(caller, incoming, () => Promise.reject(problem))
      await expect(result).rejects.toMatchObject(UNREADABLE)
      const atOnce = retryOnConfigChange(caller, incoming, () => {
        throw problem
      })
      await expect(atOnce).rejects.toMatchObject(UNREADABLE)
    })
  }

  test('an exceeded limit is refused as such', async () => {
    const incoming = requestWith('sk-one')
    const full = new GatewayError('rate_limit_exceeded', 'The limit is reached.')
    await expect(
      retryOnConfigChange(await authenticate(incoming), incoming, () => Promise.reject(full)),
    ).rejects.toBe(full)
  })

  test('an unknown key is neither refused as invalid nor admitted', async () => {
    const { exchange, gateway } = requestWith('sk-just-made')
    await expect(authenticate({ exchange, gateway })).rejects.toMatchObject(UNREADABLE)
    await expect(authenticateVisitor(exchange, gateway)).rejects.toMatchObject(UNREADABLE)
  })

  test('a request that meets no trouble goes on', async () => {
    const incoming = requestWith('sk-one')
    const decide = async (caller: Caller) => caller.snapshot.version
    expect(await retryOnConfigChange(await authenticate(incoming), incoming, decide)).toBe(1)
    expect(
      retryOnConfigChange(await authenticate(incoming), incoming, ({ snapshot }) => snapshot.version),
    ).toBe(1)
  })
})

test('a request is checked again for each newer configuration, a limited number of times', async () => {
  let version = 1
  const gateway = {
    snapshot: () => ({ ...first, version }),
    catchUp: async () => {
      version += 1
    },
    secrets,
    clock: { nowMs: () => 0 },
  } as unknown as Gateway
  const { exchange } = requestWith('sk-one')
  const seen: number[] = []
  const result = retryOnConfigChange(
    await authenticate({ exchange, gateway }),
    { exchange, gateway },
    ({ snapshot }) => {
      seen.push(snapshot.version)
      if (snapshot.version < 4) throw new ConfigurationChanged()
      return snapshot.version
    },
  )
  expect(await result).toBe(4)
  expect(seen).toEqual([1, 2, 3, 4])
  const endless = retryOnConfigChange(
    await authenticate({ exchange, gateway }),
    { exchange, gateway },
    ({ snapshot }) => {
      seen.push(snapshot.version)
      throw new ConfigurationChanged()
    },
  )
  await expect(endless).rejects.toMatchObject(UNREADABLE)
  expect(seen).toHaveLength(4 + 20)
})

test('waits briefly for a change when neither the limits store nor the database answers', async () => {
  const { exchange, gateway } = requestWith('sk-one')
  // Neither the limits store nor the database says anything.
  const incoming = { exchange, gateway: { ...gateway, catchUp: async () => undefined } as Gateway }
  let turns = 0
  const result = retryOnConfigChange(await authenticate(incoming), incoming, async () => {
    turns += 1
    if (turns < 3) throw new ConfigurationChanged()
    return 'let in'
  })
  expect(await result).toBe('let in')
  const never = retryOnConfigChange(await authenticate(incoming), incoming, () =>
    Promise.reject(new ConfigurationChanged()),
  )
  await expect(never).rejects.toMatchObject(UNREADABLE)
})
