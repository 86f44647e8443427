import { expect, test } from 'bun:test'
import { describeMarkup, describeVariant, phaseOf, rateLabel } from './price-words.ts'

test('tells the conditions and the rates of a variant', () => {
  expect(describeVariant({ when: { prompt_above: 200_000 }, input: '4', output: '18' })).toBe(
    'Above 200,000 tokens: input 4.00, output 18.00',
  )
  expect(
    describeVariant({ when: { from: '2027-01-01T00:00:00.000Z', tier: 'flex' }, cache_write_1h: '0.125' }),
  ).toBe('From 1 Jan 2027, flex tier: cache write 1h 0.125')
  expect(describeVariant({ when: { until: '2027-01-01T16:30:00Z', hours: '16:30-00:30' } })).toBe(
    'Until 1 Jan 2027 16:30 UTC, 16:30–00:30 UTC: no other rates',
  )
  const images = [{ size: '1024x1024', quality: 'high', price: '0.167' }]
  expect(describeVariant({ when: { prompt_part_above: 1 }, images })).toBe(
    'For the part above 1 tokens: image 1024x1024 high quality 0.167',
  )
  expect(describeVariant({ when: {}, request: '0.01' })).toBe('Always: request 0.01')
  expect(describeVariant({ when: {}, input: 'half' })).toBe('Always: input half')
})

test('names rates in words', () => {
  expect(rateLabel('audio_cache_read')).toBe('Audio cache read')
})

test('calls a negative mark-up a discount', () => {
  expect(describeMarkup(12.5)).toBe('mark-up of 12.5%')
  expect(describeMarkup(-10)).toBe('discount of 10%')
})

test('tells what is still to come from what is over', () => {
  const nowMs = Date.parse('2026-12-01T00:00:00Z')
  expect(phaseOf({ from: '2027-01-01T00:00:00Z' }, nowMs)).toBe('scheduled')
  expect(phaseOf({ until: '2026-12-01T00:00:00Z' }, nowMs)).toBe('ended')
  expect(phaseOf({ from: '2026-12-01T00:00:00Z', until: '2026-12-02T00:00:00Z' }, nowMs)).toBeNull()
  expect(phaseOf({ tier: 'flex' }, nowMs)).toBeNull()
})
