import { NO_USAGE } from '../../conversation/usage.ts'
import { type Price, readPrice, type WrittenPrice, writePrice } from '../../vocabulary/price.ts'
import {
  type AdmissionRecord,
  AT_PRICE,
  NO_SESSION,
  type SessionIds,
  type Settlement,
  type SettlementNote,
} from '../../vocabulary/settlement.ts'

/** One line of the journal: an admission, or the settlement that closes it. */
export type JournalLine =
  | { readonly type: 'open'; readonly record: AdmissionRecord }
  | { readonly type: 'settled'; readonly settlement: Settlement }

/** JSON has no integers beyond 2^53, so amounts are written as decimal texts. */
type Written<T> = { [Field in keyof T]: T[Field] extends bigint ? string : T[Field] }
/** What is usually absent is left out. Lines of earlier versions have none of it, and cost what was charged. */
type WrittenSettlement = Omit<
  Written<Settlement>,
  'price' | 'costRates' | 'costNano' | 'markupBasisPoints' | 'notes' | keyof SessionIds
> & {
  readonly price: WrittenPrice | null
  readonly costRates?: WrittenPrice | undefined
  readonly costNano?: string | undefined
  readonly markupBasisPoints?: number | undefined
  readonly notes?: readonly SettlementNote[] | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly parentAgent?: string | undefined
}

/**
 * Without the line break. Names every field, because this runs for every request: a replacer function would be called for
 * every value, and copying an object to change the copy takes several times as long.
 */
export function encodeJournalLine(line: JournalLine): string {
  if (line.type === 'open') {
    const record: Written<AdmissionRecord> = { ...line.record, holdNano: String(line.record.holdNano) }
    return JSON.stringify({ type: 'open', record })
  }
  const from = line.settlement
  const settlement: WrittenSettlement = {
    requestId: from.requestId,
    accountId: from.accountId,
    keyId: from.keyId,
    model: from.model,
    supplier: from.supplier,
    credentialId: from.credentialId,
    clientFormat: from.clientFormat,
    supplierFormat: from.supplierFormat,
    stream: from.stream,
    session: from.session ?? undefined,
    agent: from.agent ?? undefined,
    parentAgent: from.parentAgent ?? undefined,
    usage: from.usage,
    provenance: from.provenance,
    price: from.price && (writtenPrices.get(from.price) ?? writePriceOnce(from.price)),
    costRates:
      (from.costRates && (writtenPrices.get(from.costRates) ?? writePriceOnce(from.costRates))) ?? undefined,
    markupBasisPoints: from.markupBasisPoints ?? undefined,
    amountNano: String(from.amountNano),
    costNano: from.costNano === from.amountNano ? undefined : String(from.costNano),
    notes: from.notes.length === 0 ? undefined : from.notes,
    outcome: from.outcome,
    attempts: from.attempts,
    startedAtMs: from.startedAtMs,
    firstByteMs: from.firstByteMs,
    durationMs: from.durationMs,
  }
  return JSON.stringify({ type: 'settled', settlement })
}

// Thousands of settlements in a row have the same price object.
const writtenPrices = new WeakMap<Price, WrittenPrice>()

function writePriceOnce(price: Price): WrittenPrice {
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
    return { type: 'settled', settlement: readSettlement(settlement) }
  } catch {
    return null
  }
}

function readSettlement(written: WrittenSettlement): Settlement {
  const { price, costRates, costNano, amountNano, markupBasisPoints, notes, ...rest } = written
  return {
    ...rest,
    session: rest.session ?? null,
    agent: rest.agent ?? null,
    parentAgent: rest.parentAgent ?? null,
    price: price && readPrice(price),
    costRates: costRates === undefined ? null : readPrice(costRates),
    markupBasisPoints: markupBasisPoints ?? null,
    amountNano: BigInt(amountNano),
    costNano: BigInt(costNano ?? amountNano),
    notes: notes ?? [],
  }
}

/**
 * The settlements of a journal after a crash: first those it contains, then an interrupted one for each admission that was
 * never settled. Only open admissions are in memory, so the journal can be of any size.
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
 * Whether this settlement was only derived from an admission, because none was found. One that is found later, in another
 * file or on a node that was presumed dead, replaces it.
 */
export function isPresumed({ outcome, supplier, attempts, amountNano, durationMs }: Settlement): boolean {
  const isUnserved = supplier === null && attempts.length === 0
  return outcome === 'interrupted' && isUnserved && amountNano === 0n && durationMs === 0
}

/** What was delivered is unknown, so nothing is charged; the record makes it visible. */
export function interruptedSettlement(record: AdmissionRecord): Settlement {
  const {
    requestId,
    accountId,
    keyId,
    model,
    clientFormat,
    stream,
    startedAtMs,
    sessionIds = NO_SESSION,
  } = record
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
    ...sessionIds,
    usage: NO_USAGE,
    provenance: 'estimated',
    price: null,
    amountNano: 0n,
    ...AT_PRICE,
    costNano: 0n,
    outcome: 'interrupted',
    attempts: [],
    startedAtMs,
    firstByteMs: null,
    durationMs: 0,
  }
}
