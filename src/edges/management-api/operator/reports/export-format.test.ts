import { describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { columnsOf } from '../../../../rules/ledger/export-columns.ts'
import { amount, flag, integer, text, time } from '../../../../vocabulary/field.ts'
import { shape, type Value } from '../../../../vocabulary/shape.ts'
import { createWriter } from './export-format.ts'

const Line = shape('Line', {
  text: text().nullable(),
  count: integer().nullable(),
  nano: amount().nullable(),
  isSo: flag(),
  atMs: time(),
})
type Line = Value<typeof Line>

const COLUMNS = columnsOf(Line, ['text', 'count', 'nano', 'isSo', 'atMs'])
const LINE: Line = { text: 'a', count: -5, nano: -1_500_000_000n, isSo: true, atMs: Date.UTC(2026, 0, 1) }

const csv = createWriter('csv', COLUMNS)
const jsonl = createWriter('jsonl', COLUMNS)

describe('CSV', () => {
  const write = (change: Partial<Line>) => csv.write({ item: { ...LINE, ...change }, cursor: 'c-1' })

  test('begins with a byte order mark and the names of the columns', () => {
    expect(csv.head).toBe('\uFEFFtext,count,nano,is_so,at,cursor\r\n')
    expect(csv.contentType).toBe('text/csv; charset=utf-8')
  })

  test('writes exact decimals, RFC 3339 times, and nothing for null', () => {
    expect(write({})).toBe('a,-5,-1.5,true,2026-01-01T00:00:00Z,c-1\r\n')
    expect(write({ text: null, count: null, nano: null })).toBe(',,,true,2026-01-01T00:00:00Z,c-1\r\n')
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', "=cmd|' /C calc'!A0"])(
    'defuses %j, which a spreadsheet would run',
    (text) => {
      const [[cell]] = parse(write({ text })) as [[string]]
      expect(cell).toBe(`'${text}`)
    },
  )

  test('leaves numbers alone, negative ones too', () => {
    expect(write({})).toContain(',-5,-1.5,')
  })

  test('can be read back exactly', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ';', "'", 'ä', '=', ' ') }),
    )
    fc.assert(
      fc.property(texts, fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n })), (text, nano) => {
        const rows = parse(csv.head + write({ text, nano }), { columns: true, bom: true }) as Record<
          string,
          string
        >[]
        expect(rows).toHaveLength(1)
        const cell = rows[0]?.text ?? ''
        expect(/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? cell.slice(1) : cell).toBe(text)
        expect(rows[0]?.cursor).toBe('c-1')
      }),
    )
  })
})

test('JSON Lines contain the values unchanged, one object per line', () => {
  const line = jsonl.write({ item: { ...LINE, text: '=1\n"x"' }, cursor: 'c-1' })
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(JSON.parse(line)).toEqual({
    text: '=1\n"x"',
    count: -5,
    nano: '-1.5',
    is_so: true,
    at: '2026-01-01T00:00:00Z',
    cursor: 'c-1',
  })
  expect(jsonl.head).toBe('')
})
