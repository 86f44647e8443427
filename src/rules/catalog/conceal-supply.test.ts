import { expect, test } from 'bun:test'
import { conceal } from './conceal-supply.ts'

test('hides what suppliers charge, and what is left of the price', () => {
  const described = { amount: '3', cost: '2', margin: '1', rates: [{ cost_rates: null, price: '3' }] }
  expect(conceal<object>(described, () => true)).toEqual({ amount: '3', rates: [{ price: '3' }] })
})

test('hides credentials and failures of shared suppliers, and shows the rest', () => {
  const described = {
    data: [
      {
        request_id: 'req_1',
        supplier: 'shared',
        credential_id: 'cred_1',
        attempts: [
          { supplier: 'shared', credential_id: 'cred_1', status: 500, failure: 'org-1 is over its limit' },
          { supplier: 'own', credential_id: 'cred_2', status: 401, failure: 'the key is wrong' },
        ],
      },
    ],
    next_cursor: null,
  }
  expect(conceal<object>(described, (id) => id === 'own')).toEqual({
    data: [
      {
        request_id: 'req_1',
        supplier: 'shared',
        attempts: [
          { supplier: 'shared', status: 500, failure: null },
          { supplier: 'own', status: 401, failure: 'the key is wrong' },
        ],
      },
    ],
    next_cursor: null,
  })
})
