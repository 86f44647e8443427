import { expect, test } from 'bun:test'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { CompactedContext } from '../../../protocols/protocol.ts'
import { createSealer } from '../../../rules/access/server-secret.ts'
import { compactionSealer } from './compact-seal.ts'

const sealer = compactionSealer(createSealer('secret'), 'acc_1')
const SUMMARY: CompactedContext = { type: 'summary', text: 'The cat is called Tom.' }
const NATIVE: CompactedContext = { type: 'native', supplier: 'openai', value: 'gAAAAA' }

test.each([SUMMARY, NATIVE])('what was sealed opens again', (context) => {
  const sealed = sealer.seal(context)
  expect(sealed).not.toContain('Tom')
  expect(sealer.open(sealed)).toEqual(context)
})

test.each(['gAAAAABo', '', 'v2.abc'])('%j is a supplier’s own value', (value) => {
  expect(sealer.open(value)).toBeNull()
})

test.each([
  ['another account', compactionSealer(createSealer('secret'), 'acc_2')],
  ['another server', compactionSealer(createSealer('other'), 'acc_1')],
])('%s cannot open it', (_who, other) => {
  const sealed = sealer.seal(SUMMARY)
  expect(() => other.open(sealed)).toThrow(GatewayError)
})
