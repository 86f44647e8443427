import { GatewayError } from '../../errors/gateway-error.ts'
import type { AuditEvent } from '../../vocabulary/audit-event.ts'
import type { Payment, PaymentImport, PaymentLine } from '../../vocabulary/ledger.ts'
import { formatUsdt, type NanoUsdt, parseUsdt } from '../../vocabulary/money.ts'
import type { Recorded } from '../ports/storage.ts'
import type { BeforeAndAfter, Change } from './change-desk.ts'
import { checkPayment, requireRoom } from './check-payment.ts'
import { refuse } from './refuse.ts'

// One transaction, during which no other change is made.
const MOST_LINES = 10_000
// Enough to see what is wrong with a file; the rest is counted.
const MOST_PROBLEMS = 10

interface Offer {
  readonly line: number
  readonly payment: Payment
  readonly event: AuditEvent
}

/** Records what a file says, all lines or none. A line that was recorded before is no fault: a file may come twice. */
export async function importPayments(change: Change, lines: readonly PaymentLine[]): Promise<PaymentImport> {
  if (lines.length === 0) refuse('csv', 'There is no payment in the file.')
  if (lines.length > MOST_LINES) {
    refuse('csv', `The file has ${lines.length} payments; import at most ${MOST_LINES} at a time.`)
  }
  const named = new Set(lines.map(({ accountId }) => accountId))
  await change.parts.money.refresh({
    accountIds: [...named].filter((id) => change.snapshot.accounts.has(id)),
  })
  const offers = readOffers(change, lines)
  const recorded = await change.parts.storage.recordPayments(offers)
  refuseConflicts(offers, recorded)
  const fresh = recorded.filter(({ isNew }) => isNew).map(({ record }) => record)
  await putInForce(change, fresh)
  return {
    recorded: fresh.length,
    alreadyRecorded: recorded.length - fresh.length,
    totalNano: fresh.reduce((sum, { amountNano }) => sum + amountNano, 0n),
  }
}

function readOffers(change: Change, lines: readonly PaymentLine[]): Offer[] {
  const problems: string[] = []
  const offers: Offer[] = []
  const totals = new RunningTotals(change)
  for (const line of lines) {
    try {
      offers.push(readOffer(change, line, totals))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      problems.push(`line ${line.line}: ${error.message}`)
    }
  }
  refuseProblems(problems)
  return offers
}

function readOffer(change: Change, source: PaymentLine, totals: RunningTotals): Offer {
  const { line, accountId, amount, reference, note } = source
  const input = { amountNano: parseUsdt(amount, 'amount'), reference, note }
  checkPayment(change.snapshot, accountId, input)
  const payment = { ...input, id: change.parts.random.id('pay'), accountId, atMs: change.nowMs }
  const described = describePayment(payment, totals.add(accountId, input.amountNano))
  return { line, payment, event: change.audit('payment.recorded', accountId, described) }
}

/** What accounts have paid in all while the lines of a file are added up. */
class RunningTotals {
  readonly #change: Change
  readonly #addedNano = new Map<string, NanoUsdt>()

  constructor(change: Change) {
    this.#change = change
  }

  /** Gives the total before it was added to. */
  add(accountId: string, amountNano: NanoUsdt): NanoUsdt {
    const { snapshot, parts } = this.#change
    const addedNano = this.#addedNano.get(accountId) ?? 0n
    const totalNano = (snapshot.accounts.get(accountId)?.totalPaidNano ?? 0n) + addedNano
    requireRoom(totalNano, amountNano)
    requireRoom(parts.money.balanceNano(accountId) + addedNano, amountNano)
    this.#addedNano.set(accountId, addedNano + amountNano)
    return totalNano
  }
}

function refuseConflicts(offers: readonly Offer[], recorded: readonly Recorded<Payment>[]): void {
  const problems = offers
    .filter(({ payment }, index) => recorded[index]?.record.amountNano !== payment.amountNano)
    .map(
      ({ line, payment }) =>
        `line ${line}: reference "${payment.reference}" was recorded before with another amount.`,
    )
  refuseProblems(problems)
}

function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return
  const more = problems.length - MOST_PROBLEMS
  const told = problems.slice(0, MOST_PROBLEMS).join(' ')
  refuse('csv', `Nothing was imported. ${told}${more > 0 ? ` And ${more} more.` : ''}`)
}

async function putInForce(change: Change, payments: readonly Payment[]): Promise<void> {
  change.publish((snapshot) => {
    const accounts = new Map(snapshot.accounts)
    for (const { accountId, amountNano } of payments) {
      const account = accounts.get(accountId)
      if (account === undefined) continue
      accounts.set(accountId, { ...account, totalPaidNano: account.totalPaidNano + amountNano })
    }
    return { ...snapshot, accounts }
  })
  const sums = new Map<string, NanoUsdt>()
  for (const { accountId, amountNano } of payments) {
    sums.set(accountId, (sums.get(accountId) ?? 0n) + amountNano)
  }
  for (const [accountId, sumNano] of sums) await change.parts.money.credit(accountId, sumNano)
}

/** A payment for the audit, given what the account had paid before it. */
export function describePayment(payment: Payment, totalPaidNano: NanoUsdt): BeforeAndAfter {
  return {
    before: { total_paid: formatUsdt(totalPaidNano) },
    after: {
      total_paid: formatUsdt(totalPaidNano + payment.amountNano),
      payment: payment.id,
      amount: formatUsdt(payment.amountNano),
      reference: payment.reference,
      note: payment.note,
    },
  }
}
