import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Operations } from '../../../../manage/ports/operations.ts'
import type { Endpoint, Exchange } from '../../../../serve/ports/exchange.ts'
import type { Clock } from '../../../../vocabulary/clock.ts'
import { Payment, PaymentEvent } from '../../../../vocabulary/ledger.ts'
import { bind, definer, one } from '../../endpoint.ts'
import { checkSignature, SIGNATURE_HEADER, TOLERANCE_SECONDS } from './payment-signature.ts'

interface PaymentWebhookParts {
  readonly operations: Pick<Operations, 'recordPayment'>
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
const paymentWebhook = definer<PaymentWebhookParts>()({
  method: 'POST',
  path: '/webhooks/payments',
  id: 'reportPayment',
  tag: 'Accounts',
  summary: 'Report a payment, as a payment processor',
  description:
    'Not found unless `TURNPIKE_PAYMENT_WEBHOOK_SECRET` is set. The same reference twice is one payment.',
  access: 'public',
  headers: [
    {
      name: SIGNATURE_HEADER,
      description:
        '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>" under the secret>`, at most 5 minutes old.',
    },
  ],
  body: PaymentEvent,
  readText: (parts, exchange) => readSigned(exchange, parts),
  answer: one(Payment, 'The payment as it is stored.'),
  handle: ({ operations }, { body: { accountId, ...payment } }) =>
    operations.recordPayment(accountId, payment, ACTOR),
})

export function paymentWebhookEndpoint(parts: PaymentWebhookParts): Endpoint {
  return bind(paymentWebhook, parts, '')
}

async function readSigned(exchange: Exchange, { secret, clock }: PaymentWebhookParts): Promise<string> {
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
