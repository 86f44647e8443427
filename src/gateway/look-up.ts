import { authenticateVisitor, type Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import { jsonReply } from './json-reply.ts'
import { guardLookUp } from './own-limits.ts'
import type { Exchange, Reply } from './ports/exchange.ts'
import { RateLimitHeaders, withRateLimitHeaders } from './rate-limit-headers.ts'

/** Answers a question about the gateway itself: with the caller's limits, but spending none of its windows. */
export async function lookUp(
  exchange: Exchange,
  gateway: Gateway,
  answer: (caller: Caller) => unknown,
): Promise<Reply> {
  const caller = await authenticateVisitor(exchange, gateway)
  return withRateLimitHeaders(new RateLimitHeaders(caller, gateway), async () => {
    await guardLookUp(caller, gateway.admissions)
    return jsonReply(answer(caller))
  })
}
