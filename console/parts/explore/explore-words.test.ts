import { expect, test } from 'bun:test'
import type { Explored } from '../../api/wire.ts'
import { canGroup, describeChange, formatValue } from './explore-words.ts'
import { writeCsv } from './export-view.ts'

const series = { rest: false, total_before: null, values_before: [] }
const explored: Explored = {
  metric: 'spend',
  unit: 'amount',
  group_by: 'model',
  granularity: 'day',
  periods: ['2026-11-17T00:00:00Z', '2026-11-18T00:00:00Z'],
  periods_before: [],
  all: { ...series, group: null, total: '-3', values: ['-1', '-2'] },
  series: [{ ...series, group: '=cmd,"x"', total: '-3', values: ['-1', null] }],
  forecast: null,
  counted_from: null,
}

test('a file has what the view shows, exact and harmless', () => {
  const csv = writeCsv(explored, ({ group }) => group ?? 'All')
  expect(csv).toBe(
    'starts_at,group,spend\r\n2026-11-17T00:00:00Z,"\'=cmd,""x""",-1\r\n2026-11-18T00:00:00Z,"\'=cmd,""x""",\r\n',
  )
  const compared = { ...explored, periods_before: ['a', 'b'], series: [] }
  expect(writeCsv(compared, () => 'All')).toContain('starts_at_before,value_before\r\n')
})

test('changes and values read well at any size', () => {
  expect(describeChange('112', '100')).toBe('+12%')
  expect(describeChange('0.99', '1')).toBe('−1.0%')
  expect(describeChange('5', '0')).toBeNull()
  expect(describeChange('500', '1')).toBe('×500')
  expect(formatValue('amount', '0.000000001')).toBe('0.000000001')
  expect(formatValue('share', null)).toBe('–')
})

test('groups that a metric is not counted by are not offered', () => {
  expect(canGroup('duration_p95', 'model')).toBe(true)
  expect(canGroup('duration_p95', 'key')).toBe(false)
  expect(canGroup('errors', 'code')).toBe(true)
  expect(canGroup('spend', 'code')).toBe(false)
})
