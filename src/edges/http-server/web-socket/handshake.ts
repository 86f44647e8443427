import { createHash } from 'node:crypto'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'

const VERSION = '13'
// Sixteen random bytes in Base64.
const KEY = /^[A-Za-z0-9+/]{22}==$/
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The value of `Sec-WebSocket-Accept`. Throws when the handshake is not one of RFC 6455. */
export function acceptHandshake(headers: HeaderFields): string {
  if (headers.get('sec-websocket-version') !== VERSION) {
    throw upgradeRequired(`Use version ${VERSION} of the WebSocket protocol.`, {
      'sec-websocket-version': VERSION,
    })
  }
  const key = headers.get('sec-websocket-key') ?? ''
  if (!KEY.test(key)) throw new GatewayError('invalid_request', 'The header Sec-WebSocket-Key is malformed.')
  return createHash('sha1')
    .update(key + KEY_SUFFIX)
    .digest('base64')
}

/** For WebSockets that are not served: clients that can speak HTTP fall back to it. */
export function noWebSocketHere(path: string): GatewayError {
  const where = JSON.stringify(path.slice(0, 200))
  return upgradeRequired(`There is no WebSocket at ${where}; connect to /v1/responses, or use HTTP.`)
}

function upgradeRequired(message: string, headers: Readonly<Record<string, string>> = {}): GatewayError {
  return new GatewayError('upgrade_required', message, { headers: { upgrade: 'websocket', ...headers } })
}
