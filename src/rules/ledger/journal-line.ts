import { NO_USAGE } from '../../conversation/usage.ts'
import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'

/** One line of the journal: an admission, or the settlement that closes it. */
export type JournalLine =
  | { readonly type: 'open'; readonly record: AdmissionRecord }
  | { readonly type: 'settled'; readonly settlement: Settlement }

// JSON has no integers beyond 2^53; amounts travel as strings with this mark, which no other field can begin with.
const NANO_MARK = 'nano:'

export function encodeJournalLine(line: JournalLine): string {
  return `${JSON.stringify(line, (_name, value) => (typeof value === 'bigint' ? `${NANO_MARK}${value}` : value))}\n`
}

/** null for a line that a crash cut short. */
export function decodeJournalLine(text: string): JournalLine | null {
  try {
    return JSON.parse(text, reviveAmount) as JournalLine
  } catch {
    return null
  }
}

function reviveAmount(name: string, value: unknown): unknown {
  const isAmount = typeof value === 'string' && name.includes('Nano') && value.startsWith(NANO_MARK)
  return isAmount ? BigInt(value.slice(NANO_MARK.length)) : value
}

/** What a journal says after a crash: every settlement, and every admission that was never settled. */
export function settlementsOf(lines: Iterable<JournalLine>): Settlement[] {
  const open = new Map<string, AdmissionRecord>()
  const settled = new Map<string, Settlement>()
  for (const line of lines) {
    if (line.type === 'open') open.set(line.record.requestId, line.record)
    else settled.set(line.settlement.requestId, line.settlement)
  }
  const interrupted = [...open.values()]
    .filter((record) => !settled.has(record.requestId))
    .map(interruptedSettlement)
  return [...settled.values(), ...interrupted]
}

/** Nobody knows what was delivered, so nothing is charged; the record makes it visible. */
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
