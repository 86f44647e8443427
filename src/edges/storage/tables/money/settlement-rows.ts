import { Type } from 'typebox'
import type { UsageDetails } from '../../../../conversation/usage.ts'
import type { CountedRequest } from '../../../../rules/ledger/aggregate.ts'
import { integer, json } from '../../../../vocabulary/field.ts'
import { type Price, readPrice, writePrice } from '../../../../vocabulary/price.ts'
import { Settlement } from '../../../../vocabulary/settlement.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import type { Parameter } from '../../engines/database.ts'

/** Usage has separate columns. */
const SettlementColumns = Settlement.without('SettlementColumns', ['usage']).with('SettlementColumns', {
  inputTokens: integer(),
  cacheReadTokens: integer(),
  cacheWriteTokens: integer(),
  outputTokens: integer(),
  reasoningTokens: integer(),
  images: integer(),
  usageDetails: json<UsageDetails>(Type.Object({}), {}).nullable(),
  // null when the supplier charges what the account paid.
  costNano: Settlement.fields.costNano.nullable(),
  notes: Settlement.fields.notes.nullable(),
})
export type SettlementRow = Row<typeof SettlementColumns>

/** Columns that many settlements have in common, in the order of `encodeKind`. */
export const KIND_COLUMNS = [
  'account_id',
  'key_id',
  'model',
  'supplier',
  'credential_id',
  'client_format',
  'supplier_format',
  'stream',
  'provenance',
  'price',
  'cost_rates',
  'markup_basis_points',
  'outcome',
] as const satisfies readonly (keyof SettlementRow)[]

const USED_COLUMNS = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'images',
] as const satisfies readonly (keyof SettlementRow)[]
const TIME_COLUMNS = ['started_at_ms', 'first_byte_ms', 'duration_ms'] as const

/** Columns that differ, in the order of `encodeOwn`. */
export const OWN_COLUMNS = [
  'request_id',
  ...USED_COLUMNS,
  'amount_nano',
  'attempts',
  ...TIME_COLUMNS,
] as const satisfies readonly (keyof SettlementRow)[]

/** Columns that are null in ordinary settlements, in the order of `encodeRare`. */
export const RARE_COLUMNS = [
  'usage_details',
  'cost_nano',
  'notes',
  'session',
  'agent',
  'parent_agent',
] as const satisfies readonly (keyof SettlementRow)[]

/** In the order of `encodeSettlement`. */
export const SETTLEMENT_COLUMNS = [...KIND_COLUMNS, ...OWN_COLUMNS, ...RARE_COLUMNS] as const

export function encodeSettlement(settlement: Settlement): Parameter[] {
  return [...encodeKind(settlement), ...encodeOwn(settlement), ...encodeRare(settlement)]
}

/** Whether `encodeRare` has nothing but nulls. */
export function isOrdinary(settlement: Settlement): boolean {
  const { usage, amountNano, costNano, notes, session, agent, parentAgent } = settlement
  const isAtPrice = usage.details === undefined && costNano === amountNano && notes.length === 0
  return isAtPrice && session === null && agent === null && parentAgent === null
}

export function encodeKind(settlement: Settlement): Parameter[] {
  return [
    settlement.accountId,
    settlement.keyId,
    settlement.model,
    settlement.supplier,
    settlement.credentialId,
    settlement.clientFormat,
    settlement.supplierFormat,
    settlement.stream ? 1 : 0,
    settlement.provenance,
    encodePrice(settlement.price),
    encodePrice(settlement.costRates),
    settlement.markupBasisPoints,
    settlement.outcome,
  ]
}

/**
 * Groups settlements that differ only in their own columns. Each key has few kinds, so a linear search is faster than
 * building a map key for each settlement.
 */
export function groupByKind(settlements: readonly Settlement[]): Settlement[][] {
  const groups: Settlement[][] = []
  const ofKeys = new Map<string, Settlement[][]>()
  for (const settlement of settlements) {
    const ofKey = ofKeys.get(settlement.keyId)
    const known = ofKey?.find(([first]) => first !== undefined && areOfOneKind(first, settlement))
    if (known !== undefined) {
      known.push(settlement)
      continue
    }
    const group = [settlement]
    groups.push(group)
    if (ofKey === undefined) ofKeys.set(settlement.keyId, [group])
    else ofKey.push(group)
  }
  return groups
}

/** Whether `encodeKind` returns the same for both, and both have rare columns or neither. */
function areOfOneKind(one: Settlement, other: Settlement): boolean {
  return (
    one.accountId === other.accountId &&
    one.keyId === other.keyId &&
    one.model === other.model &&
    one.supplier === other.supplier &&
    one.credentialId === other.credentialId &&
    one.clientFormat === other.clientFormat &&
    one.supplierFormat === other.supplierFormat &&
    one.stream === other.stream &&
    one.provenance === other.provenance &&
    one.outcome === other.outcome &&
    one.markupBasisPoints === other.markupBasisPoints &&
    isOrdinary(one) === isOrdinary(other) &&
    isSamePrice(one.price, other.price) &&
    isSamePrice(one.costRates, other.costRates)
  )
}

export function encodeOwn(settlement: Settlement): Parameter[] {
  const { usage, firstByteMs } = settlement
  return [
    settlement.requestId,
    usage.input,
    usage.cacheRead,
    usage.cacheWrite,
    usage.output,
    usage.reasoning,
    usage.images,
    settlement.amountNano,
    JSON.stringify(settlement.attempts),
    // A precise clock measures fractions; the columns hold whole milliseconds.
    Math.round(settlement.startedAtMs),
    firstByteMs === null ? null : Math.round(firstByteMs),
    Math.round(settlement.durationMs),
  ]
}

export function encodeRare(settlement: Settlement): Parameter[] {
  const { usage, amountNano, costNano, notes } = settlement
  return [
    usage.details === undefined ? null : JSON.stringify(usage.details),
    costNano === amountNano ? null : costNano,
    notes.length === 0 ? null : JSON.stringify(notes),
    settlement.session,
    settlement.agent,
    settlement.parentAgent,
  ]
}

export function decodeSettlement(row: SettlementRow, readPrice = decodePrice): Settlement {
  return {
    requestId: row.request_id,
    ...decodeCounted(row),
    credentialId: row.credential_id,
    clientFormat: row.client_format,
    supplierFormat: row.supplier_format,
    stream: row.stream === 1n,
    session: row.session,
    agent: row.agent,
    parentAgent: row.parent_agent,
    provenance: row.provenance,
    price: readPrice(row.price),
    costRates: readPrice(row.cost_rates),
    markupBasisPoints: row.markup_basis_points === null ? null : Number(row.markup_basis_points),
    notes: row.notes === null ? [] : JSON.parse(row.notes),
    attempts: JSON.parse(row.attempts),
  }
}

export const GROUP_COLUMNS = ['account_id', 'key_id', 'model', 'supplier'] as const
/** What usage is counted from. */
export const COUNTED_COLUMNS = [
  ...GROUP_COLUMNS,
  ...USED_COLUMNS,
  'usage_details',
  'amount_nano',
  'cost_nano',
  'outcome',
  ...TIME_COLUMNS,
] as const

export function decodeCounted(row: Pick<SettlementRow, (typeof COUNTED_COLUMNS)[number]>): CountedRequest {
  return {
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    supplier: row.supplier,
    usage: {
      input: Number(row.input_tokens),
      cacheRead: Number(row.cache_read_tokens),
      cacheWrite: Number(row.cache_write_tokens),
      output: Number(row.output_tokens),
      reasoning: Number(row.reasoning_tokens),
      images: Number(row.images),
      ...(row.usage_details !== null && { details: JSON.parse(row.usage_details) }),
    },
    amountNano: row.amount_nano,
    costNano: row.cost_nano ?? row.amount_nano,
    outcome: row.outcome,
    startedAtMs: Number(row.started_at_ms),
    firstByteMs: row.first_byte_ms === null ? null : Number(row.first_byte_ms),
    durationMs: Number(row.duration_ms),
  }
}

function isSamePrice(one: Price | null, other: Price | null): boolean {
  return one === other || encodePrice(one) === encodePrice(other)
}

// Thousands of consecutive settlements have the same price.
const written = new WeakMap<Price, string>()

function encodePrice(price: Price | null): string | null {
  if (price === null) return null
  const known = written.get(price)
  if (known !== undefined) return known
  const text = JSON.stringify(writePrice(price))
  written.set(price, text)
  return text
}

function decodePrice(text: string | null): Price | null {
  return text === null ? null : readPrice(JSON.parse(text))
}

const MAX_KNOWN_PRICES = 100

/** Reads many prices. Repeated ones are parsed only once. */
export function createPriceReader(): typeof decodePrice {
  const known = new Map<string, Price>()
  return (text) => {
    if (text === null) return null
    let price = known.get(text)
    if (price === undefined) {
      price = readPrice(JSON.parse(text))
      if (known.size >= MAX_KNOWN_PRICES) known.clear()
      known.set(text, price)
    }
    return price
  }
}
