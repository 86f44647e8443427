import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Operations } from '../../../../manage/ports/operations.ts'
import type { Endpoint, Exchange } from '../../../../serve/ports/exchange.ts'
import type { Clock } from '../../../../vocabulary/clock.ts'
import { Payment, PaymentEvent } from '../../../../vocabulary/ledger.ts'
import { bind, definer, one } from '../../endpoint.ts'
import { checkSignature, SIGNATURE_HEADER, TOLERANCE_SECONDS } from './payment-signature.ts'

interface PaymentWebhookParts {
  readonly operations: Pick<Operations, 'recordPayment'>
  /** null: the endpoint is off. */
  readonly secret: string | null
  readonly clock: Clock
}

const ACTOR = 'payment-webhook'
// Larger than any payment report.
const LARGEST_BODY_BYTES = 64 * 1_024

/**
 * Payment processors report payments here. They have no operator token: each report is signed, and nothing of it is read
 * before the signature is verified. A report that is sent twice counts as one payment.
 */
const paymentWebhook = definer<PaymentWebhookParts>()({
  method: 'POST',
  path: '/webhooks/payments',
  id: 'reportPayment',
  tag: 'Accounts',
  summary: 'Report a payment, as a payment processor',
  description:
    'Not found unless `TURNPIKE_PAYMENT_WEBHOOK_SECRET` is set. A reference that is sent twice counts as one payment.',
  access: 'public',
  errors: [400, 401, 404, 413, 415, 500, 503],
  headers: [
    {
      name: SIGNATURE_HEADER,
      description:
        '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>" under the secret>`, at most 5 minutes old.',
    },
  ],
  body: PaymentEvent,
  readText: (parts, exchange) => readSigned(exchange, parts),
  answer: one(Payment, 'The stored payment.'),
  handle: ({ operations }, { body: { accountId, ...payment } }) =>
    operations.recordPayment(accountId, payment, ACTOR),
})

export function paymentWebhookEndpoint(parts: PaymentWebhookParts): Endpoint {
  return bind(paymentWebhook, parts, '')
}

async function readSigned(exchange: Exchange, { secret, clock }: PaymentWebhookParts): Promise<string> {
  if (secret === null)
    throw new GatewayError(
      'not_found',
      `There is nothing at "${exchange.path}". The endpoints are listed at /docs.`,
    )
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
      throw new GatewayError('auth_invalid', 'The signature does not match this body and the shared secret.')
    case 'untimely':
      throw new GatewayError(
        'auth_invalid',
        `The signed time differs from the gateway's clock by more than ${TOLERANCE_SECONDS} seconds. Sign again and send immediately.`,
      )
  }
}
