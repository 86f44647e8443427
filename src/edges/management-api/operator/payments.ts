import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { Operations } from '../../../gateway/ports/operations.ts'
import type { LedgerEntry, Refund } from '../../../gateway/ports/storage.ts'
import { formatUsdt, parseUsdt } from '../../../vocabulary/money.ts'
import { formatTime } from '../../../vocabulary/time.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { readPaymentFile } from './read-payment-file.ts'
import { idOf } from './read-values.ts'
import { renderAdjustment, renderListing, renderPayment } from './render.ts'
import { AdjustmentBody, PaymentBody, PaymentImportBody, RefundBody } from './schema.ts'

const ACCOUNT = `${OPERATOR_PATH}/accounts/:id`

export function paymentEndpoints(operations: Operations): Endpoint[] {
  return [
    recordPayment(operations),
    importPayments(operations),
    recordRefund(operations),
    recordAdjustment(operations),
    listEndpoint({ path: `${ACCOUNT}/payments` }, async (page, exchange) =>
      renderListing(await operations.listPayments(idOf(exchange), page), renderPayment),
    ),
    listEndpoint({ path: `${ACCOUNT}/ledger` }, async (page, exchange) =>
      renderListing(await operations.listLedger(idOf(exchange), page), renderEntry),
    ),
  ]
}

function recordPayment(operations: Operations): Endpoint {
  const readBody = bodyReader(PaymentBody)
  return {
    method: 'POST',
    path: `${ACCOUNT}/payments`,
    handle: async (exchange) => {
      const { amount, reference, note = null } = await readBody(exchange)
      const input = { amountNano: parseUsdt(amount, 'amount'), reference, note }
      return Response.json(
        renderPayment(await operations.recordPayment(idOf(exchange), input, actorOf(exchange))),
      )
    },
  }
}

function importPayments(operations: Operations): Endpoint {
  const readBody = bodyReader(PaymentImportBody)
  return {
    method: 'POST',
    path: `${OPERATOR_PATH}/payments/import`,
    handle: async (exchange) => {
      const lines = readPaymentFile((await readBody(exchange)).csv)
      const { recorded, alreadyRecorded, totalNano } = await operations.importPayments(
        lines,
        actorOf(exchange),
      )
      return Response.json({ recorded, already_recorded: alreadyRecorded, total: formatUsdt(totalNano) })
    },
  }
}

function recordRefund(operations: Operations): Endpoint {
  const readBody = bodyReader(RefundBody)
  return {
    method: 'POST',
    path: `${ACCOUNT}/refunds`,
    handle: async (exchange) => {
      const { amount, reference, reason } = await readBody(exchange)
      const input = { amountNano: parseUsdt(amount, 'amount'), reference, reason }
      return Response.json(
        renderRefund(await operations.recordRefund(idOf(exchange), input, actorOf(exchange))),
      )
    },
  }
}

function recordAdjustment(operations: Operations): Endpoint {
  const readBody = bodyReader(AdjustmentBody)
  return {
    method: 'POST',
    path: `${ACCOUNT}/adjustments`,
    handle: async (exchange) => {
      const { amount, reference = null, reason } = await readBody(exchange)
      const input = { amountNano: parseUsdt(amount, 'amount'), reference, reason }
      const adjustment = await operations.recordAdjustment(idOf(exchange), input, actorOf(exchange))
      return Response.json(renderAdjustment(adjustment))
    },
  }
}

function renderRefund(refund: Refund): object {
  return {
    id: refund.id,
    account_id: refund.accountId,
    amount: formatUsdt(refund.amountNano),
    reference: refund.reference,
    reason: refund.reason,
    created_at: formatTime(refund.atMs),
  }
}

function renderEntry(entry: LedgerEntry): object {
  return {
    id: entry.id,
    account_id: entry.accountId,
    kind: entry.kind,
    amount: formatUsdt(entry.amountNano),
    request_id: entry.requestId,
    reference: entry.reference,
    note: entry.note,
    created_at: formatTime(entry.atMs),
  }
}
