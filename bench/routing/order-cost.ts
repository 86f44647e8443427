import { Router, type RoutingQuestion } from '../../src/rules/routing/router.ts'
import { SYSTEM_CLOCK } from '../../src/vocabulary/clock.ts'
import { A_PRICE, aCredential, aRoute, aSupplier } from '../../src/vocabulary/testing/specimens.ts'

const ROUNDS = 200_000

/** A question with this many suppliers, each with this many credentials. */
function questionOf(suppliers: number, credentials: number): RoutingQuestion {
  const routes = Array.from({ length: suppliers }, (_, supplier) => ({
    route: aRoute({ supplierId: `sup_${supplier}` }),
    price: A_PRICE,
    cost: null,
    supplier: aSupplier({ id: `sup_${supplier}` }),
    formats: ['chat-completion' as const],
    credentials: Array.from({ length: credentials }, (_, index) =>
      aCredential({ id: `cred_${supplier}_${index}` }),
    ),
  }))
  const asked = { conversation: null, promptTokens: 1_000, outputTokens: 500 }
  return { modelId: 'model-1', routes, clientFormat: 'chat-completion', ...asked }
}

function nanosecondsEach(rounds: number, run: () => void): number {
  for (let round = 0; round < rounds / 10; round += 1) run()
  const startedNs = Bun.nanoseconds()
  for (let round = 0; round < rounds; round += 1) run()
  return (Bun.nanoseconds() - startedNs) / rounds
}

/** Prints what the router itself costs a request. */
function main(): void {
  for (const [suppliers, credentials] of [
    [1, 1],
    [2, 1],
    [1, 5],
    [4, 5],
  ] as const) {
    const router = new Router({ clock: SYSTEM_CLOCK, random: Math.random })
    const question = questionOf(suppliers, credentials)
    const orderNs = nanosecondsEach(ROUNDS, () => router.order(question))
    const wholeNs = nanosecondsEach(ROUNDS, () => {
      const candidate = router.order(question).candidates[0]
      if (candidate === undefined) return
      router.begin(candidate, question.modelId)
      const result = { type: 'answered', firstByteMs: 100, remaining: null } as const
      router.end({ candidate, modelId: question.modelId, result })
    })
    const of = `${suppliers} supplier(s) x ${credentials} credential(s)`
    console.log(`${of}: order ${orderNs.toFixed(0)} ns, order + begin + end ${wholeNs.toFixed(0)} ns`)
  }
}

main()
