import type { ClientRequest, Protocol, RequestAddress } from '../protocols/protocol.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import type { Exchange } from './ports/exchange.ts'
import { continueFrom } from './reply-state.ts'

export interface Reading {
  readonly request: ClientRequest
  readonly keepReply?: (reply: unknown) => Promise<void>
}

export interface Reader {
  readonly protocol: Protocol
  readonly caller: Caller
  readonly gateway: Gateway
}

/** The body as a well-formed request of its format. It is parsed once; every later step uses what was read here. */
export async function readRequest(
  exchange: Exchange,
  { protocol, caller, gateway }: Reader,
): Promise<Reading> {
  const text = await exchange.readText()
  const parsed = parseJson(text)
  const address = addressOf(exchange)
  if (protocol.state === undefined) return { request: protocol.readRequest(parsed, text, address) }
  // What is wrong with the client's own body is said about that body, not about the one it is continued to.
  const own = protocol.readRequest(parsed, text, address)
  const { body, ...keeping } = await continueFrom(parsed, caller, { rules: protocol.state, gateway })
  const request = body === parsed ? own : protocol.readRequest(body, JSON.stringify(body), address)
  return { request, ...keeping }
}

/** The query is worked out only for formats that look at it. */
export function addressOf(exchange: Exchange): RequestAddress {
  return {
    rest: exchange.params['*'] ?? '',
    get query() {
      return exchange.query
    },
  }
}
