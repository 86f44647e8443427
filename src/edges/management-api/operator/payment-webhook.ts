import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../../gateway/ports/exchange.ts'
import type { Operations } from '../../../gateway/ports/operations.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import { parseUsdt } from '../../../vocabulary/money.ts'
import { checkSignature, SIGNATURE_HEADER, TOLERANCE_SECONDS } from './payment-signature.ts'
import { textReader } from './read-body.ts'
import { renderPayment } from './render.ts'
import { PaymentEventBody } from './schema.ts'

export interface PaymentWebhookOptions {
  /** Null: there is no such endpoint. */
  readonly secret: string | null
  readonly clock: Clock
}

const ACTOR = 'payment-webhook'
// Whoever sends more than any payment needs is not heard to the end.
const LARGEST_BODY_BYTES = 64 * 1_024

/**
 * Where a payment processor reports payments. It has no operator token: each report is signed, and nothing of it is
 * looked at before the signature is known to be right. The same report twice is one payment.
 */
export function paymentWebhookEndpoint(operations: Operations, options: PaymentWebhookOptions): Endpoint {
  const readEvent = textReader(PaymentEventBody)
  return {
    method: 'POST',
    path: '/webhooks/payments',
    handle: async (exchange) => {
      const text = await readSigned(exchange, options)
      const { account_id, amount, reference, note = null } = readEvent(text)
      const input = { amountNano: parseUsdt(amount, 'amount'), reference, note }
      return Response.json(renderPayment(await operations.recordPayment(account_id, input, ACTOR)))
    },
  }
}

async function readSigned(exchange: Exchange, { secret, clock }: PaymentWebhookOptions): Promise<string> {
  if (secret === null) throw new GatewayError('not_found', `There is nothing at "${exchange.path}".`)
  const header = exchange.headers.get(SIGNATURE_HEADER)
  if (header === null) {
    throw new GatewayError('auth_required', `Sign the body and send "${SIGNATURE_HEADER}: t=…,v1=…".`)
  }
  const text = await exchange.readText(LARGEST_BODY_BYTES)
  const verdict = checkSignature({ header, text }, secret, clock.nowMs())
  switch (verdict) {
    case 'valid':
      return text
    case 'wrong':
      throw new GatewayError('auth_invalid', 'The signature is not one of this body made with our secret.')
    case 'untimely':
      throw new GatewayError(
        'auth_invalid',
        `The signature is more than ${TOLERANCE_SECONDS} seconds away from our time; sign again and send at once.`,
      )
  }
}
