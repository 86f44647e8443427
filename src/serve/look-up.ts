import { authenticateVisitor } from './admission/authenticate.ts'
import { guardLookUp, serveLimited } from './admission/own-limits.ts'
import type { Caller } from './admission/prepared-request.ts'
import type { Gateway } from './gateway.ts'
import { jsonReply } from './json-reply.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

/** Answers a question about the gateway itself. Reports the caller's limits, but takes nothing from its windows. */
export async function lookUp(
  exchange: Exchange,
  gateway: Gateway,
  answer: (caller: Caller) => unknown,
): Promise<Reply> {
  const caller = await authenticateVisitor(exchange, gateway)
  return serveLimited({ caller, gateway, exchange: null }, async () => {
    await guardLookUp(caller, gateway.admissions)
    return jsonReply(answer(caller))
  })
}
