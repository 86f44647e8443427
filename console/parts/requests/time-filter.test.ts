import { describe, expect, test } from 'bun:test'
import { boundsOf } from './time-filter.ts'

const NOW_MS = Date.parse('2026-11-15T12:03:20Z')

describe('boundsOf', () => {
  test('has no bounds for any time, and only an end when paused', () => {
    expect(boundsOf({ span: 'all', from: '', to: '' }, NOW_MS)).toEqual({ from: '', to: '' })
    const paused = { span: 'all', from: '', to: '2026-11-15T11:00:00.000Z' }
    expect(boundsOf(paused, NOW_MS)).toEqual({ from: '', to: '2026-11-15T11:00:00.000Z' })
  })

  test('counts a span back from now, in steps of five minutes', () => {
    const { from, to } = boundsOf({ span: '1h', from: '', to: '' }, NOW_MS)
    expect({ from, to }).toEqual({ from: '2026-11-15T11:00:00.000Z', to: '' })
  })

  test('counts a paused span back from the pause', () => {
    const choice = { span: '24h', from: '', to: '2026-11-10T10:00:00.000Z' }
    expect(boundsOf(choice, NOW_MS).from).toBe('2026-11-09T10:00:00.000Z')
  })

  test('uses a custom range unchanged', () => {
    const choice = { span: 'custom', from: '2026-11-01T00:00:00.000Z', to: '' }
    expect(boundsOf(choice, NOW_MS)).toEqual({ from: '2026-11-01T00:00:00.000Z', to: '' })
  })
})
