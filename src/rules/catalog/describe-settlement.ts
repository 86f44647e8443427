import { formatUsdt } from '../../vocabulary/money.ts'
import type { Attempt, Settlement } from '../../vocabulary/settlement.ts'
import { formatTime } from '../../vocabulary/time.ts'
import { describePrice } from './describe-supply.ts'

/** A settlement as operators read it. */
export function describeSettlement(settlement: Settlement) {
  const { usage } = settlement
  return {
    request_id: settlement.requestId,
    account_id: settlement.accountId,
    key_id: settlement.keyId,
    model: settlement.model,
    supplier: settlement.supplier,
    credential_id: settlement.credentialId,
    client_format: settlement.clientFormat,
    supplier_format: settlement.supplierFormat,
    stream: settlement.stream,
    usage: {
      input: usage.input,
      cache_read: usage.cacheRead,
      cache_write: usage.cacheWrite,
      output: usage.output,
      reasoning: usage.reasoning,
      images: usage.images,
    },
    provenance: settlement.provenance,
    price: settlement.price && describePrice(settlement.price),
    amount: formatUsdt(settlement.amountNano),
    outcome: settlement.outcome,
    attempts: settlement.attempts.map(describeAttempt),
    started_at: formatTime(settlement.startedAtMs),
    first_byte_ms: settlement.firstByteMs,
    duration_ms: settlement.durationMs,
  }
}

function describeAttempt(attempt: Attempt) {
  return {
    supplier: attempt.supplier,
    credential_id: attempt.credentialId,
    reason: attempt.reason,
    result: attempt.result,
    status: attempt.status,
    failure: attempt.failure,
    started_at: formatTime(attempt.startedAtMs),
    first_byte_ms: attempt.firstByteMs,
    duration_ms: attempt.durationMs ?? null,
  }
}
