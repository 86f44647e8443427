import { expect, test } from 'bun:test'
import { conceal } from './conceal-supply.ts'

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
