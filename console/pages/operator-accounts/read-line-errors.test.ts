import { expect, test } from 'bun:test'
import { readLineErrors } from './read-line-errors.ts'

test('takes a refusal apart line by line', () => {
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

test('leaves a refusal of the whole file alone', () => {
  expect(readLineErrors('The column amount is missing.')).toBeNull()
})
