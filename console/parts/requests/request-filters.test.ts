import { expect, test } from 'bun:test'
import { changeView, NO_FILTERS, queryOf, setFilters } from './request-filters.ts'

const NOW_MS = Date.parse('2026-11-15T12:03:20Z')

test('a query has what its view can be filtered by', () => {
  const filters = { ...NO_FILTERS, key: 'key_1', code: 'provider_error', session: 'run', errors: 'true' }
  expect(queryOf(filters, NOW_MS)).toMatchObject({ key_id: 'key_1', code: 'provider_error', session: 'run' })
  expect(queryOf(filters, NOW_MS)).not.toHaveProperty('errors')
  const refused = queryOf({ ...filters, view: 'refused' }, NOW_MS)
  expect(refused).toMatchObject({ key_id: 'key_1', code: 'provider_error' })
  expect(refused).not.toHaveProperty('session')
  const sessions = queryOf({ ...filters, view: 'sessions', sort: 'amount' }, NOW_MS)
  expect(sessions).toMatchObject({ session: 'run', errors: 'true', sort: 'amount' })
  expect(sessions).not.toHaveProperty('code')
})

test('only an id is looked for in lists', () => {
  expect(queryOf({ ...NO_FILTERS, q: 'req_019a2b3c4d' }, NOW_MS)).toMatchObject({ id: 'req_019a2b3c4d' })
  expect(queryOf({ ...NO_FILTERS, q: 'invoice' }, NOW_MS)).toMatchObject({ id: '' })
})

test('another view keeps the filters that it has', () => {
  const filters = {
    ...NO_FILTERS,
    key: 'key_1',
    model: 'm',
    span: '24h',
    customer: 'acc_1',
    outcome: 'refused',
  }
  const refused = changeView(filters, 'refused')
  expect(refused).toEqual({
    ...NO_FILTERS,
    view: 'refused',
    key: 'key_1',
    model: 'm',
    span: '24h',
    customer: 'acc_1',
  })
  expect(setFilters(refused)).toEqual(['key', 'model', 'customer', 'span'])
})
