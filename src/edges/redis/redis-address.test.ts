import { describe, expect, test } from 'bun:test'
import { parseRedisAddress } from './redis-address.ts'

const OPEN = { username: null, password: null, hasTls: false }

describe('the address of Redis', () => {
  test('one server', () => {
    expect(parseRedisAddress('redis://cache.example:6380/2')).toEqual({
      ...OPEN,
      form: 'single',
      server: { host: 'cache.example', port: 6380 },
      database: 2,
    })
    expect(parseRedisAddress('redis://[::1]')).toMatchObject({
      server: { host: '::1', port: 6379 },
      database: 0,
    })
  })

  test('user and password, possibly percent-encoded', () => {
    expect(parseRedisAddress('rediss://app:p%40ss%2Fword@cache.example')).toMatchObject({
      username: 'app',
      password: 'p@ss/word',
      hasTls: true,
    })
    expect(parseRedisAddress('redis://:secret@cache.example')).toMatchObject({
      username: null,
      password: 'secret',
    })
    // A colon may be part of the password.
    expect(parseRedisAddress('redis://app:a:b@cache.example')).toMatchObject({ password: 'a:b' })
  })

  test('sentinels with the name of the master', () => {
    expect(parseRedisAddress('redis+sentinel://:pw@one:26380,two/main/3?sentinelPassword=other')).toEqual({
      ...OPEN,
      password: 'pw',
      form: 'sentinel',
      sentinels: [
        { host: 'one', port: 26_380 },
        { host: 'two', port: 26_379 },
      ],
      masterName: 'main',
      database: 3,
      sentinelPassword: 'other',
    })
  })

  test('a Cluster', () => {
    expect(parseRedisAddress('rediss+cluster://one:7000,two:7001')).toEqual({
      ...OPEN,
      hasTls: true,
      form: 'cluster',
      servers: [
        { host: 'one', port: 7000 },
        { host: 'two', port: 7001 },
      ],
    })
  })

  test('refuses an invalid address without repeating it', () => {
    const wrong = [
      'http://hunter2@host',
      'redis://:hunter2@one:1,two:2',
      'redis://:hunter2@host/first',
      'redis://:hunter2@host:70000',
      'redis://:hunter2@host/1/2',
      'redis://:hunter2%E0%A4%A@host',
      'redis+sentinel://:hunter2@one',
      'redis+cluster://:hunter2@one/1',
      'redis://:hunter2@',
    ]
    for (const url of wrong) {
      expect(() => parseRedisAddress(url)).toThrow(/^The Redis address must have one of these forms: redis:/)
      expect(() => parseRedisAddress(url)).not.toThrow(/hunter2/)
    }
  })
})
