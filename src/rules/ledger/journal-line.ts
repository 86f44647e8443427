import { NO_USAGE } from '../../conversation/usage.ts'
import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'
import { type Price, readPrice, type WrittenPrice, writePrice } from '../../vocabulary/supply.ts'

/** One line of the journal: an admission, or the settlement that closes it. */
export type JournalLine =
  | { readonly type: 'open'; readonly record: AdmissionRecord }
  | { readonly type: 'settled'; readonly settlement: Settlement }

/** JSON has no integers beyond 2^53, so amounts are written as decimal texts. */
type Written<T> = { [Field in keyof T]: T[Field] extends bigint ? string : T[Field] }
type WrittenSettlement = Omit<Written<Settlement>, 'price'> & { readonly price: WrittenPrice | null }

/**
 * Without the line break. Written field by field, because this runs for every request and a replacer function would be
 * called for every value.
 */
export function encodeJournalLine(line: JournalLine): string {
  if (line.type === 'open') {
    const record: Written<AdmissionRecord> = { ...line.record, holdNano: String(line.record.holdNano) }
    return JSON.stringify({ type: 'open', record })
  }
  return JSON.stringify({ type: 'settled', settlement: writeSettlement(line.settlement) })
}

/** Names every field: copying an object and changing the copy takes several times as long. */
function writeSettlement(settlement: Settlement): WrittenSettlement {
  return {
    requestId: settlement.requestId,
    accountId: settlement.accountId,
    keyId: settlement.keyId,
    model: settlement.model,
    supplier: settlement.supplier,
    credentialId: settlement.credentialId,
    clientFormat: settlement.clientFormat,
    supplierFormat: settlement.supplierFormat,
    stream: settlement.stream,
    usage: settlement.usage,
    provenance: settlement.provenance,
    price: settlement.price && writePriceOnce(settlement.price),
    amountNano: String(settlement.amountNano),
    outcome: settlement.outcome,
    attempts: settlement.attempts,
    startedAtMs: settlement.startedAtMs,
    firstByteMs: settlement.firstByteMs,
    durationMs: settlement.durationMs,
  }
}

// Thousands of settlements in a row have the same price object.
const writtenPrices = new WeakMap<Price, WrittenPrice>()

function writePriceOnce(price: Price): WrittenPrice {
  const known = writtenPrices.get(price)
  if (known !== undefined) return known
  const written = writePrice(price)
  writtenPrices.set(price, written)
  return written
}

type WrittenLine =
  | { readonly type: 'open'; readonly record: Written<AdmissionRecord> }
  | { readonly type: 'settled'; readonly settlement: WrittenSettlement }

/** Returns null for a line that a crash cut short, or that is not a journal line. */
export function decodeJournalLine(text: string): JournalLine | null {
  try {
    const line = JSON.parse(text) as WrittenLine
    if (line.type === 'open') {
      if (typeof line.record.requestId !== 'string') return null
      return { type: 'open', record: { ...line.record, holdNano: BigInt(line.record.holdNano) } }
    }
    const { settlement } = line
    if (line.type !== 'settled' || typeof settlement.requestId !== 'string') return null
    const price = settlement.price && readPrice(settlement.price)
    return {
      type: 'settled',
      settlement: { ...settlement, amountNano: BigInt(settlement.amountNano), price },
    }
  } catch {
    return null
  }
}

/**
 * What a journal says after a crash: every settlement as it comes, and at the end every admission that was never
 * settled. Remembers no more than what is open, so that a journal may be of any size. Of a request that is given twice
 * the first counts.
 */
export function* settlementsOf(lines: Iterable<JournalLine>): Generator<Settlement> {
  const open = new Map<string, AdmissionRecord>()
  for (const line of lines) {
    if (line.type === 'open') {
      open.set(line.record.requestId, line.record)
    } else {
      open.delete(line.settlement.requestId)
      yield line.settlement
    }
  }
  for (const record of open.values()) yield interruptedSettlement(record)
}

/**
 * Whether this is only what was made of an admission because no settlement of it was found. One that is found later, in
 * another file or on a node that was taken for dead, tells the truth.
 */
export function isPresumed({ outcome, supplier, attempts, amountNano, durationMs }: Settlement): boolean {
  const isOfNobody = supplier === null && attempts.length === 0
  return outcome === 'interrupted' && isOfNobody && amountNano === 0n && durationMs === 0
}

/** It is unknown what was delivered, so nothing is charged; the record makes it visible. */
function interruptedSettlement(record: AdmissionRecord): Settlement {
  const { requestId, accountId, keyId, model, clientFormat, stream, startedAtMs } = record
  return {
    requestId,
    accountId,
    keyId,
    model,
    supplier: null,
    credentialId: null,
    clientFormat,
    supplierFormat: null,
    stream,
    usage: NO_USAGE,
    provenance: 'estimated',
    price: null,
    amountNano: 0n,
    outcome: 'interrupted',
    attempts: [],
    startedAtMs,
    firstByteMs: null,
    durationMs: 0,
  }
}
