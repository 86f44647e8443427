import { describe, expect, test } from 'bun:test'
import { editDistance } from '../../vocabulary/runtime/nearest-name.ts'
import { OTHER_NAMES, requireKnownNames } from './known-names.ts'
import { settingNames } from './read-settings.ts'
import { SETTING_GROUPS } from './setting-descriptions.ts'

const refusalOf = (environment: Record<string, string>) => () =>
  requireKnownNames(environment, settingNames())

describe('an unknown name stops the start', () => {
  test.each([
    ['TURNPIKE_WORKRES', 'TURNPIKE_WORKERS'],
    ['TURNPIKE_MAX_CONECTIONS', 'TURNPIKE_MAX_CONNECTIONS'],
    ['TURNPIKE_MAX_BODY_BYTE', 'TURNPIKE_MAX_BODY_BYTES'],
    ['TURNPIKE_OPERATOR_TOKENS', 'TURNPIKE_OPERATOR_TOKEN'],
    ['TURNPIKE_PORT', 'PORT'],
    ['TURNPIKE_DATABASE_URL', 'DATABASE_URL'],
  ])('%s, with a hint at %s', (name, meant) => {
    expect(refusalOf({ [name]: 'hush' })).toThrow(`${name} is not a setting. Did you mean ${meant}?`)
  })

  test('without a hint when no name is similar', () => {
    expect(refusalOf({ TURNPIKE_ELEPHANT: 'x' })).toThrow(
      'TURNPIKE_ELEPHANT is not a setting. Unset it. docs/reference/settings.md lists all settings.',
    )
  })
})

test('accepts the names that the gateway, its command line or Kubernetes sets', () => {
  const names = [...settingNames(), ...Object.values(OTHER_NAMES), 'PATH', 'turnpike_x']
  const services = {
    TURNPIKE_PORT: 'tcp://10.0.0.1:8080',
    TURNPIKE_SERVICE_HOST: '10.0.0.1',
    TURNPIKE_SERVICE_PORT_HTTP: '8080',
    TURNPIKE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    TURNPIKE_PORT_8080_TCP_ADDR: '10.0.0.1',
    TURNPIKE_REDIS_SERVICE_PORT: '6379',
  }
  const environment = Object.fromEntries(names.map((name) => [name, 'x']))
  expect(refusalOf({ ...environment, ...services })).not.toThrow()
})

test('every setting is described once, and nothing else is', () => {
  const described = SETTING_GROUPS.flatMap(({ settings }) => settings.map(({ name }) => name))
  const ours = (names: readonly string[]) => names.filter((name) => name.startsWith('TURNPIKE_')).toSorted()
  expect(ours(described)).toEqual(ours([...settingNames(), OTHER_NAMES.newSecret]))
})

test('counts letters that are added, left out, replaced or swapped', () => {
  const pairs = [
    ['same', 'same', 0],
    ['', 'four', 4],
    ['workers', 'worker', 1],
    ['workers', 'workres', 1],
    ['kitten', 'sitting', 3],
  ] as const
  for (const [one, other, distance] of pairs) {
    expect([editDistance(one, other), editDistance(other, one)]).toEqual([distance, distance])
  }
})
