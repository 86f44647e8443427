import { expect, test } from 'bun:test'
import { layOut, printTable } from './print-table.ts'

interface Row {
  readonly name: string
  readonly count: number | null
}

const COLUMNS = [
  { title: 'name', cell: ({ name }: Row) => name },
  { title: 'count', cell: ({ count }: Row) => count, align: 'right' },
] as const

test('columns are as wide as their widest cell, and an empty cell is a dash', () => {
  const rows = [
    { name: 'a', count: 1_000_000 },
    { name: 'longer', count: null },
    { name: '', count: 7 },
  ]
  expect(layOut(rows, COLUMNS)).toBe(
    ['NAME      COUNT', 'a       1000000', 'longer        -', '-             7', ''].join('\n'),
  )
})

test('wide letters count double, and no cell can break the table or send control characters', () => {
  const rows = [
    { name: '模型', count: 1 },
    { name: 'a\n\u001b[2J', count: 2 },
  ]
  expect(layOut(rows, COLUMNS)).toBe('NAME    COUNT\n模型        1\na??[2J      2\n')
})

test('prints the same data as JSON, and a sentence for an empty table', () => {
  let printed = ''
  const terminal = {
    print: (text: string) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: () => Promise.resolve(),
  }
  const table = { rows: [{ name: 'a', count: 1 }], columns: COLUMNS, empty: 'Nothing.' }
  printTable(terminal, table, { asJson: true })
  expect(JSON.parse(printed)).toEqual([{ name: 'a', count: 1 }])
  printed = ''
  printTable(terminal, { ...table, rows: [] }, { asJson: false })
  expect(printed).toBe('Nothing.\n')
})
