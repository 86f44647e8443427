import { expect, test } from 'bun:test'
import { ALERT_KINDS, USUAL_ALERT_KINDS } from '../../../src/vocabulary/words.ts'
import { describeDelivery, describeKinds, listTold } from './alert-words.ts'

test('the kinds of a channel are counted unless there is one, or all', () => {
  expect(describeKinds(ALERT_KINDS)).toBe('All alerts')
  expect(describeKinds(USUAL_ALERT_KINDS)).toBe('8 of 10 kinds')
  expect(describeKinds(['node.lost'])).toBe('A node is lost')
})

test('who was told of an alert includes the webhook of the account, if it has one', () => {
  const channels = [{ channel: 'on-call', state: 'delivered', last_failure: null }] as const
  const delivery = { tries: 1, next_try_at: null, last_failure: 'It answered 500.' }
  const told = { who: 'on-call', state: 'delivered', failure: null } as const
  expect(listTold({ delivery: { ...delivery, state: 'none' }, channels })).toEqual([told])
  const [own] = listTold({ delivery: { ...delivery, state: 'pending' }, channels })
  expect(own).toEqual({ who: 'Account’s webhook', state: 'pending', failure: 'It answered 500.' })
})

test('a delivery that failed is tried again until it is given up', () => {
  expect(describeDelivery({ state: 'pending', failure: null })).toBe('waiting')
  expect(describeDelivery({ state: 'pending', failure: 'It answered 500.' })).toBe('trying again')
  expect(describeDelivery({ state: 'failed', failure: 'It answered 500.' })).toBe('failed')
})
