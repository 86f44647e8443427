import { describe, expect, test } from 'bun:test'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { readSettings, SettingError } from './read-settings.ts'

const keysIn = (environment: Record<string, string>) => readSettings(environment).vendorKeys

describe('keys of vendors', () => {
  test('are empty when no variable is set', () => {
    expect(keysIn({})).toEqual([])
    expect(keysIn({ OPENAI_API_KEY: '', OPENAI_BASE_URL: 'https://proxy.example/v1' })).toEqual([])
  })

  for (const { vendor, key_variables } of BUILT_IN_CATALOG.vendors) {
    for (const name of key_variables) {
      test(`${name} is a key of ${vendor}`, () =>
        expect(keysIn({ [name]: 'sk-1' })).toEqual([{ vendor, secret: 'sk-1', baseUrl: null }]))
    }
  }

  test('the more common of two variables for one vendor wins', () =>
    expect(keysIn({ GEMINI_API_KEY: 'first', GOOGLE_API_KEY: 'second' })).toMatchObject([
      { secret: 'first' },
    ]))

  test('the base URL variable of the SDK is read with its key', () =>
    expect(keysIn({ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'https://proxy.example/v1' })).toEqual([
      { vendor: 'openai', secret: 'sk-1', baseUrl: 'https://proxy.example/v1' },
    ]))
})

describe('unusable values', () => {
  test('a key that does not fit in a header is refused without being printed', () => {
    const read = () => keysIn({ OPENAI_API_KEY: 'sk-hush hush' })
    expect(read).toThrow(SettingError)
    expect(read).toThrow(/^OPENAI_API_KEY (?!.*hush)/)
  })

  for (const value of ['ftp://hush', 'hush', 'https://user:hush@host/v1', 'https://host/v1?key=hush']) {
    test(`the address ${value} is refused without being printed`, () => {
      const read = () => keysIn({ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: value })
      expect(read).toThrow(SettingError)
      expect(read).toThrow(/^OPENAI_BASE_URL (?!.*hush)/)
    })
  }

  test('refuses the address of the gateway itself, which is meant for clients', () => {
    const at = (OPENAI_BASE_URL: string) => () =>
      keysIn({ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL, PORT: '8090' })
    expect(at('http://localhost:8090/v1')).toThrow('is the address of this gateway')
    expect(at('http://127.0.0.1:8090/v1')).toThrow('is the address of this gateway')
    expect(at('http://127.0.0.1:9000/v1')).not.toThrow()
  })
})
