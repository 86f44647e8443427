import { finishOf } from '../../conversation/answer.ts'
import { NO_USAGE } from '../../conversation/usage.ts'
import { authenticateVisitor } from '../admission/authenticate.ts'
import { guardLookUp, refuseFlood, serveLimited } from '../admission/own-limits.ts'
import type { TextFamily } from '../families/text/text-family.ts'
import type { Gateway } from '../gateway.ts'
import type { InternalExchange } from '../internal-exchange.ts'
import type { Reply } from '../ports/exchange.ts'

/**
 * Answers a request that is not to generate anything: its input is kept, and later requests continue from it. It is
 * checked like any other, calls no supplier, and costs nothing.
 */
export async function warmUp(
  exchange: InternalExchange,
  gateway: Gateway,
  family: TextFamily,
): Promise<Reply> {
  const caller = await authenticateVisitor(exchange, gateway)
  refuseFlood(caller, gateway)
  return serveLimited({ caller, gateway, exchange }, async () => {
    await guardLookUp(caller, gateway.admissions)
    const read = await family.read(exchange.readText(), caller, { exchange, gateway })
    const { request, keepReply } = family.prepare(read, caller, exchange)
    const encoder = request.client.openEncoder({
      requestId: exchange.requestId,
      model: request.facts.model,
      createdAtMs: gateway.clock.nowMs(),
      nowMs: () => gateway.clock.nowMs(),
      promptTokens: 0,
      newId: (prefix) => gateway.newId(prefix),
    })
    const body =
      encoder.push({ type: 'answer-start', id: '' }) +
      encoder.push({ type: 'choice-end', choice: 0, finish: finishOf('stop') }) +
      encoder.push({ type: 'usage', usage: NO_USAGE }) +
      encoder.push({ type: 'answer-end' })
    await keepReply?.(encoder.finalReply)
    return { status: 200, headers: {}, body }
  })
}
