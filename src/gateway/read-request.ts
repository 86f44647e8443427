import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Exchange } from './ports/exchange.ts'

/** The body as a well-formed request of its format. It is parsed once; every later step uses what was read here. */
export async function readRequest(exchange: Exchange, protocol: Protocol): Promise<ClientRequest> {
  const text = await exchange.readText()
  return protocol.readRequest(parseJson(text), text, {
    rest: exchange.params['*'] ?? '',
    query: exchange.query,
  })
}
