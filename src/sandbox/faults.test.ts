import { describe, expect, test } from 'bun:test'
import { createFaultRules, FaultRuleError, parseFault, parseRule, planFaults } from './faults.ts'

describe('fault rules', () => {
  test('strikes a model as often as the rule says', () => {
    const rules = createFaultRules()
    rules.set({ model: 'a', times: 2, fault: { type: 'hang' } })
    expect(rules.strike('b')).toEqual([])
    expect(rules.strike('a')).toEqual([{ type: 'hang' }])
    expect(rules.list()).toEqual([{ model: 'a', times: 1, fault: { type: 'hang' } }])
    expect(rules.strike('a')).toEqual([{ type: 'hang' }])
    expect(rules.strike('a')).toEqual([])
    expect(rules.list()).toEqual([])
  })

  test('strikes every model, for ever, when the rule does not say', () => {
    const rules = createFaultRules()
    rules.set({ fault: { type: 'refuse' } })
    expect([rules.strike('a'), rules.strike('b'), rules.strike('a')].flat()).toHaveLength(3)
    rules.clear()
    expect(rules.strike('a')).toEqual([])
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
