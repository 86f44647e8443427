import { describe, expect, test } from 'bun:test'
import { createFaultBook, FaultRuleError, parseFault, parseRule, planFaults } from './faults.ts'

describe('the fault book', () => {
  test('strikes a model as often as the rule says', () => {
    const book = createFaultBook()
    book.set({ model: 'a', times: 2, fault: { type: 'hang' } })
    expect(book.strike('b')).toEqual([])
    expect(book.strike('a')).toEqual([{ type: 'hang' }])
    expect(book.list()).toEqual([{ model: 'a', times: 1, fault: { type: 'hang' } }])
    expect(book.strike('a')).toEqual([{ type: 'hang' }])
    expect(book.strike('a')).toEqual([])
    expect(book.list()).toEqual([])
  })

  test('strikes every model, for ever, when the rule does not say', () => {
    const book = createFaultBook()
    book.set({ fault: { type: 'refuse' } })
    expect([book.strike('a'), book.strike('b'), book.strike('a')].flat()).toHaveLength(3)
    book.clear()
    expect(book.strike('a')).toEqual([])
  })

  test('refuses a rule it does not understand, naming the field', () => {
    expect(() => parseFault({ type: 'explode' })).toThrow('fault.type must be one of latency, status')
    expect(() => parseFault({ type: 'cut', afterPieces: -1 })).toThrow('fault.afterPieces')
    expect(() => parseFault({ type: 'hang', forMs: 3 })).toThrow(FaultRuleError)
    expect(() => parseRule({ fault: { type: 'hang' }, times: 0 })).toThrow('rule.times')
    expect(() => parseRule({ fault: { type: 'hang' }, modle: 'x' })).toThrow(FaultRuleError)
    expect(() => parseRule('hang')).toThrow(FaultRuleError)
  })
})

test('of two faults of one type the later one holds', () => {
  const plan = planFaults([
    { type: 'cut', afterPieces: 1 },
    { type: 'hang' },
    { type: 'cut', afterPieces: 2 },
  ])
  expect(plan.find('cut')).toEqual({ type: 'cut', afterPieces: 2 })
  expect(plan.find('hang')).toEqual({ type: 'hang' })
  expect(plan.find('refuse')).toBeNull()
})
