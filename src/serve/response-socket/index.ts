import { GatewayError } from '../../errors/gateway-error.ts'
import { SOCKET_CONTRACT } from '../../protocols/responses/index.ts'
import { authenticateVisitor } from '../admission/authenticate.ts'
import { guardLookUp } from '../admission/own-limits.ts'
import type { Gateway } from '../gateway.ts'
import type { Endpoint, Exchange } from '../ports/exchange.ts'
import type { OpenWebSocket } from '../ports/web-socket.ts'
import { ResponseSession } from './response-session.ts'

/** Responses over a WebSocket. */
export function responseSocket(gateway: Gateway): Endpoint {
  return {
    method: 'GET',
    path: '/v1/responses',
    contract: SOCKET_CONTRACT,
    handle: async (exchange) => {
      await authenticateVisitor(exchange, gateway)
      throw new GatewayError(
        'upgrade_required',
        'Connect with a WebSocket, or create a response with POST. A proxy may have removed the header Upgrade.',
        { headers: { upgrade: 'websocket' } },
      )
    },
    acceptWebSocket: (exchange) => accept(exchange, gateway),
  }
}

/** Each message is authenticated again: the key may be disabled while the connection is open. */
async function accept(exchange: Exchange, gateway: Gateway): Promise<OpenWebSocket> {
  const caller = await authenticateVisitor(exchange, gateway)
  await guardLookUp(caller, gateway.admissions)
  exchange.bodyOwner = caller.account.id
  const { path, headers, address } = exchange
  return (channel) => new ResponseSession({ path, headers, address }, gateway, channel)
}
