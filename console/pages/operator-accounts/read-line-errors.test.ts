import { expect, test } from 'bun:test'
import { readLineErrors } from './read-line-errors.ts'

test('parses an error line by line', () => {
  const message =
    'Nothing was imported. line 2: amount must be a decimal amount such as "12.5", with at most 9 decimals. ' +
    'line 4: There is no account "acc_x". And 3 more.'
  expect(readLineErrors(message)).toEqual({
    errors: [
      { line: 2, message: 'amount must be a decimal amount such as "12.5", with at most 9 decimals.' },
      { line: 4, message: 'There is no account "acc_x".' },
    ],
    more: 3,
  })
})

test('returns null for an error about the whole file', () => {
  expect(readLineErrors('The column amount is missing.')).toBeNull()
})
