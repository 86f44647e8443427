import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import { readPaymentFile } from './read-payment-file.ts'

const HEAD = 'account_id,amount,reference,note'

function refusalOf(csv: string): string {
  try {
    readPaymentFile(csv)
  } catch (error) {
    if (error instanceof GatewayError) return error.message
  }
  throw new Error('the file was read')
}

describe('a file of payments', () => {
  test('is read with the line number where each payment starts', () => {
    const csv = `\uFEFF${HEAD}\r\nacc_1,10,inv-1,June\r\n\r\nacc_2,0.5,"inv ""2""","two\nlines, one note"\nacc_3,1,inv-3,\n`
    expect(readPaymentFile(csv)).toEqual([
      { line: 2, accountId: 'acc_1', amount: '10', reference: 'inv-1', note: 'June' },
      { line: 4, accountId: 'acc_2', amount: '0.5', reference: 'inv "2"', note: 'two\nlines, one note' },
      { line: 6, accountId: 'acc_3', amount: '1', reference: 'inv-3', note: null },
    ])
  })

  test('may have its columns in any order, none for notes, and semicolons or tabs', () => {
    const payment = { line: 2, accountId: 'acc_1', amount: '5', reference: 'r', note: null }
    expect(readPaymentFile('reference,amount,account_id\nr,5,acc_1')).toEqual([payment])
    expect(readPaymentFile('account_id;amount;reference\nacc_1;5;r')).toEqual([payment])
    expect(readPaymentFile('account_id\tamount\treference\nacc_1\t5\tr')).toEqual([payment])
  })

  test('is not trimmed', () => {
    expect(readPaymentFile('account_id,amount,reference\nacc_1, 5,r ')).toEqual([
      { line: 2, accountId: 'acc_1', amount: ' 5', reference: 'r ', note: null },
    ])
  })

  test.each([
    ['', 'The file is empty'],
    ['\n\n', 'The file is empty'],
    ['account_id,amount\nacc_1,5', 'The column reference is missing.'],
    ['account_id,amount,reference,colour\n', '"colour" is not a known column'],
    ['account_id,amount,reference,amount\n', 'A column is named twice.'],
    ['acc_1,5,inv-1\n', '"acc_1" is not a known column'],
    [`${HEAD}\nacc_1,5,r\n`, 'line 2: it has 3 fields; the first line names 4.'],
    [`${HEAD}\nacc_1,5,r,n\nacc_1,5,r,n,x\n`, 'line 3: it has 5 fields'],
    [`${HEAD}\nacc_1,5,"r,n\n`, 'line 2: its quotation marks are wrong.'],
    [`${HEAD}\nacc_1,5,r,n\nacc_1,5,r"x,n\n`, 'line 3: its quotation marks are wrong.'],
    [`${HEAD}\nacc_1,5,"r"x,n\n`, 'line 2: its quotation marks are wrong.'],
  ])('%j is refused: %s', (csv, complaint) => {
    expect(refusalOf(csv)).toContain(complaint)
  })

  test('reads quoted fields exactly', () => {
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    const field = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(fc.record({ reference: field, note: field }), { minLength: 1 }), (rows) => {
        const lines = rows.map(({ reference, note }) => `acc_1,5,${quote(reference)},${quote(note)}`)
        const read = readPaymentFile([HEAD, ...lines].join('\r\n'))
        expect(read.map(({ reference, note }) => ({ reference, note }))).toEqual(rows)
      }),
    )
  })
})
