import { expect, test } from 'bun:test'
import { buildSnapshot, withAccount } from '../rules/catalog/build-snapshot.ts'
import { anAccount } from '../vocabulary/testing/specimens.ts'
import { createLiveConfiguration } from './live-configuration.ts'

test('a replaced snapshot is seen by whoever asks next, and not by whoever has the old one', () => {
  const first = buildSnapshot({
    accounts: [],
    keys: [],
    suppliers: [],
    credentials: [],
    models: [],
    routes: [],
  })
  const configuration = createLiveConfiguration(first)
  const taken = configuration.current()
  configuration.replace(withAccount(first, anAccount()))
  expect(configuration.current().accounts.has('acc_1')).toBe(true)
  expect(taken.accounts.size).toBe(0)
})
