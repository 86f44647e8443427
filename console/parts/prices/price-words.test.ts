import { expect, test } from 'bun:test'
import { describeMarkup, describeVariant, phaseOf, rateLabel, rateUnit, unitPriceOf } from './price-words.ts'

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
  expect(rateLabel('audio_minute')).toBe('Audio')
  expect(rateUnit({ name: 'search_unit', per: 'unit' })).toBe('search unit')
  expect(rateUnit({ name: 'audio_minute', per: 'unit' })).toBe('minute of audio')
  expect(rateUnit({ name: 'character', per: 'million' })).toBe('million characters')
  expect(rateUnit({ name: 'cache_read', per: 'million' })).toBeNull()
  expect(describeVariant({ when: { tier: 'batch' }, audio_minute: '0.003' })).toBe(
    'Batch tier: per minute of audio 0.003',
  )
})

test('finds the unit of a price without tokens', () => {
  const free = { input: '0', output: '0', cache_read: '0', cache_write: '0', image: '0' }
  expect(unitPriceOf({ ...free, search_unit: '0.002' })).toEqual({ amount: '0.002', unit: 'search unit' })
  expect(unitPriceOf({ ...free, character: '15' })).toEqual({ amount: '15', unit: 'million characters' })
  expect(unitPriceOf({ ...free, image: '0.02' })).toEqual({ amount: '0.02', unit: 'image' })
  expect(unitPriceOf({ ...free, input: '2.5', audio_minute: '0.006' })).toBeNull()
  expect(unitPriceOf(free)).toBeNull()
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
