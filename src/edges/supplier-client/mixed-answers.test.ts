import { afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SupplierClient } from './supplier-client.ts'
import {
  answerWith,
  FAULTS,
  type Fault,
  type Misbehaviour,
  startMisbehavingSupplier,
} from './testing/misbehaving-supplier.ts'

const opened: { stop(): unknown }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.stop()
})

const PATIENCE = { onAbort: () => {}, signal: new AbortController().signal }

interface Outcome {
  right: number
  wrong: number
  failed: number
}

/** Customers with different prompts, each sending one request after another. */
async function serve(misbehaviour: Misbehaviour, customers: number, requestsEach: number): Promise<Outcome> {
  const supplier = startMisbehavingSupplier(misbehaviour)
  opened.push(supplier)
  const client = new SupplierClient({ nowMs: () => performance.now() }, { isProxied: false })
  const outcome = { right: 0, wrong: 0, failed: 0 }
  const ask = async (prompt: string) => {
    const body = JSON.stringify({ prompt })
    const call = { url: supplier.url, headers: {}, body, connectMs: 2_000, patience: PATIENCE }
    const answer = await client.call({ ...call, credentialId: 'cred_1' })
    const text = await answer.text()
    if (!answer.ok || text === '') outcome.failed += 1
    else if (text === prompt) outcome.right += 1
    else outcome.wrong += 1
  }
  const visit = async (customer: number) => {
    for (let number = 0; number < requestsEach; number++) {
      await ask(`customer ${customer} request ${number}`).catch(() => (outcome.failed += 1))
    }
  }
  await Promise.all(Array.from({ length: customers }, (_, customer) => visit(customer)))
  return outcome
}

// The figures are those of 720 requests: 12 customers, 60 requests each, one in nine answered wrongly.
test('no customer gets another customer’s answer when a supplier sends stray answers', async () => {
  const faultFor = (count: number) =>
    count % 9 === 4 ? (FAULTS[((count / 9) % FAULTS.length) | 0] ?? null) : null
  const outcome = await serve({ faultFor, workMs: 1 }, 12, 60)
  expect(outcome.wrong).toBe(0)
  expect(outcome.right + outcome.failed).toBe(720)
  expect(outcome.right).toBeGreaterThan(600)
})

test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  'no customer gets the answer of another from a supplier that sends %s',
  async (_, fault) => {
    const faultFor = (count: number) => (count % 5 === 3 ? fault : null)
    expect((await serve({ faultFor, workMs: 2 }, 6, 12)).wrong).toBe(0)
  },
)

test('a supplier that begins to send stray answers after many correct ones mixes up none', async () => {
  const late = FAULTS.filter(({ name }) => / [01] ms|one piece|half/.test(name))
  const faultFor = (count: number) =>
    count > 150 && count % 4 === 0 ? (late[count % late.length] ?? null) : null
  expect((await serve({ faultFor, workMs: 1 }, 8, 50)).wrong).toBe(0)
})

/** Noise of which some looks like an answer, cut anywhere and sent whenever. */
const noise = fc.array(
  fc.record({
    bytes: fc.oneof(
      fc.constantFrom(answerWith('stray'), 'HTTP/1.1 100 Continue\r\n\r\n', '\r\n', 'HTTP/1.1 200 OK\r\n'),
      fc.string({ maxLength: 12 }),
    ),
    afterMs: fc.constantFrom(0, 0, 1, 2),
  }),
  { minLength: 1, maxLength: 4 },
)

test('bytes between two answers are taken for neither', async () => {
  await fc.assert(
    fc.asyncProperty(noise, fc.nat({ max: 40 }), async (pieces, cut) => {
      const garbage: Fault = {
        name: 'garbage',
        answer: (said, send, later) => {
          const right = answerWith(said)
          send(right.slice(0, cut))
          later(0, () => {
            send(right.slice(cut))
            for (const { bytes, afterMs } of pieces) later(afterMs, () => send(bytes))
          })
        },
      }
      const faultFor = (count: number) => (count % 3 === 0 ? garbage : null)
      expect((await serve({ faultFor, workMs: 1 }, 3, 4)).wrong).toBe(0)
      for (const server of opened.splice(0)) await server.stop()
    }),
    { numRuns: 25 },
  )
}, 300_000)
