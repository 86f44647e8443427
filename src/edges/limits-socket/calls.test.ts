import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AdmitAnswer, AdmitCall } from '../../serve/ports/shared-limits.ts'
import { decodeAdmitAnswer, encodeAdmit, runCall } from './calls.ts'

const amount = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
const id = fc.string()
const window = fc.record({
  id,
  metric: fc.constantFrom('requests', 'tokens', 'images'),
  limit: fc.maxSafeNat(),
  amount: fc.maxSafeNat(),
})
const hold = fc.record(
  {
    amountNano: amount,
    leastNano: amount,
    creditLineNano: fc.option(amount),
    usageLimit: fc.option(fc.record({ period: fc.constantFrom('daily', 'forever'), amountNano: amount })),
  },
  { requiredKeys: ['amountNano', 'creditLineNano', 'usageLimit'] },
)
const call = fc.record({
  requestId: id,
  accountId: id,
  keyId: id,
  generation: id,
  configurationVersion: fc.nat(),
  windows: fc.array(window),
  hold,
  conversation: fc.option(id),
}) as fc.Arbitrary<AdmitCall>

const state = fc.record({ spent: fc.maxSafeNat(), closesInMs: fc.nat() })
const answer = fc.oneof(
  fc.record({
    type: fc.constant('admitted'),
    heldNano: fc.option(amount),
    windows: fc.array(state),
    pin: fc.option(fc.record({ supplierId: id, credentialId: id })),
  }),
  fc.record({
    type: fc.constant('refused'),
    refusal: fc.record({ reason: fc.constant('balance') }),
    windows: fc.array(state),
  }),
  fc.record({ type: fc.constant('behind'), version: fc.nat() }),
  fc.record({ type: fc.constant('unknown'), missing: fc.constantFrom('generation', 'account', 'key') }),
) as fc.Arbitrary<AdmitAnswer>

const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value))

test('an admission and its answer arrive as they were sent', async () => {
  await fc.assert(
    fc.asyncProperty(call, answer, async (sent, answered) => {
      let received: AdmitCall | null = null
      const admit = async (arrived: AdmitCall) => {
        received = arrived
        return answered
      }
      const limits = { admit } as unknown as Parameters<typeof runCall>[0]
      const encoded = await runCall(limits, 'admit', overTheWire([encodeAdmit(sent)]))
      expect<unknown>(received).toEqual(sent)
      expect(decodeAdmitAnswer(overTheWire(encoded))).toEqual(answered)
    }),
  )
})
