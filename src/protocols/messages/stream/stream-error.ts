import type { GatewayError } from '../../../errors/gateway-error.ts'
import { errorEnvelope } from '../../../errors/render-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'

/** One event; clients skip every frame that does not carry its name. */
export function frame(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The event that ends a stream in failure. The request's id is told where it is known. */
export function errorFrame(error: GatewayError, requestId?: string): string {
  const data = { type: 'error', ...errorEnvelope(error) }
  return frame(requestId === undefined ? data : { ...data, request_id: requestId })
}
