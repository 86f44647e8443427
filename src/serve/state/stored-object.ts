import { parseJson } from '../../wire/parse-json.ts'
import { authenticateVisitor } from '../admission/authenticate.ts'
import { guardLookUp, refuseFlood, serveLimited } from '../admission/own-limits.ts'
import type { Caller } from '../admission/prepared-request.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'

/** How long what nobody uses is kept. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

// Ids are made by programs. Some databases reject certain characters, so no other id can exist.
export const PLAIN_ID = /^[!-~]{1,256}$/

/** The account whose objects are looked at, and the gateway that keeps them. */
export interface Owner {
  readonly caller: Caller
  readonly gateway: Gateway
}

/** Serves an operation on stored objects. It counts as a look-up, not as a request to a model. */
export async function withOwner(
  exchange: Exchange,
  gateway: Gateway,
  answer: (id: string, owner: Owner) => Promise<Reply>,
): Promise<Reply> {
  const caller = await authenticateVisitor(exchange, gateway)
  return serveLimited({ caller, gateway, exchange: null }, async () => {
    await guardLookUp(caller, gateway.admissions)
    return answer(exchange.params.id ?? '', { caller, gateway })
  })
}

/** The same for an operation with a body. Its refusals are counted. */
export async function withBody(
  exchange: Exchange,
  gateway: Gateway,
  answer: (body: unknown, owner: Owner) => Promise<Reply>,
): Promise<Reply> {
  const caller = await authenticateVisitor(exchange, gateway)
  return serveLimited({ caller, gateway, exchange }, async () => {
    refuseFlood(caller, gateway)
    await guardLookUp(caller, gateway.admissions)
    exchange.bodyOwner = caller.account.id
    const text = await exchange.readText()
    // Official clients send no body where every member is optional.
    return answer(text === '' ? {} : parseJson(text), { caller, gateway })
  })
}

/** What a query asks to include, in either spelling of a list. */
export function wantedIn({ query }: Exchange): ReadonlySet<string> {
  return new Set([...query.getAll('include'), ...query.getAll('include[]')])
}
