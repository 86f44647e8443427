import { GatewayError } from '../../errors/gateway-error.ts'
import { withAccount } from '../../rules/catalog/build-snapshot.ts'
import type { Adjustment, Payment, PaymentCreate, PaymentLine, Refund } from '../../vocabulary/ledger.ts'
import { formatUsdt, type NanoUsdt, parseUsdt } from '../../vocabulary/money.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { Recorded } from '../ports/storage.ts'
import type { BeforeAndAfter, Change, Changes, LocalOperations, OperationParts } from './parts.ts'
import { refuse, requireAccount, requireFound, requirePositive, requireSane, requireText } from './refuse.ts'

export function paymentOperations(parts: OperationParts) {
  const { storage, configuration } = parts
  return {
    listPayments: async (id, page) =>
      storage.listPayments(requireAccount(configuration.current(), id).id, page),
    findReceipt: async (id, paymentId) => {
      const account = requireAccount(configuration.current(), id)
      const payment = requireFound(await storage.findPayment(account.id, paymentId), 'payment', paymentId)
      const { name: accountName, email: accountEmail } = account
      return { ...payment, accountName, accountEmail, sellerText: parts.receiptText ?? null }
    },
    listLedger: async (id, page) => {
      const account = requireAccount(configuration.current(), id)
      // What requests have cost stands in the ledger once the journal is emptied into it.
      await parts.catchUp()
      return storage.listLedger(account.id, page)
    },
  } satisfies Partial<LocalOperations>
}

export const paymentChanges = {
  async recordPayment(change, accountId, input) {
    const { parts } = change
    checkPayment(change.snapshot, accountId, input)
    await requireRoomToPay(parts, accountId, input.amountNano)
    const account = requireAccount(change.snapshot, accountId)
    const offered: Payment = { ...input, id: parts.random.id('pay'), accountId, atMs: change.nowMs }
    const { payment, isNew } = await parts.storage.recordPayment(
      offered,
      change.audit('payment.recorded', accountId, describePayment(offered, account.totalPaidNano)),
    )
    if (isNew) {
      const totalPaidNano = account.totalPaidNano + payment.amountNano
      change.publish((snapshot) => withAccount(snapshot, { ...account, totalPaidNano }))
      await parts.money.credit(accountId, payment.amountNano)
    } else {
      requireSameAmount(payment, input)
    }
    return payment
  },

  async recordAdjustment(change, accountId, input) {
    requireAccount(change.snapshot, accountId)
    if (input.amountNano === 0n) refuse('amount', 'amount must not be zero.')
    requireSane(input.amountNano, 'amount')
    if (input.reference !== null) checkReference(input.reference)
    requireText(input.reason, 'reason')
    const { storage, money, random } = change.parts
    await requireRoomInBalance(change.parts, accountId, input.amountNano)
    const offered: Adjustment = { ...input, id: random.id('adj'), accountId, atMs: change.nowMs }
    const { record, isNew } = await storage.recordAdjustment(
      offered,
      change.audit('adjustment.recorded', accountId, describe('adjustment', offered)),
    )
    if (isNew) await money.credit(accountId, record.amountNano)
    else requireSameAmount(record, offered)
    return record
  },

  async recordRefund(change, accountId, input) {
    const { storage, money, random } = change.parts
    requireAccount(change.snapshot, accountId)
    requirePositive(input.amountNano, 'amount')
    requireSane(input.amountNano, 'amount')
    await requireRoomInBalance(change.parts, accountId, -input.amountNano)
    checkReference(input.reference)
    requireText(input.reason, 'reason')
    const offered: Refund = { ...input, id: random.id('ref'), accountId, atMs: change.nowMs }
    const { record, isNew } = await storage.recordRefund(
      offered,
      change.audit('refund.recorded', accountId, describe('refund', offered)),
    )
    if (isNew) await money.credit(accountId, -record.amountNano)
    else requireSameAmount(record, offered)
    return record
  },

  /** Records what a file says, all lines or none. A line that was recorded before is no fault: a file may come twice. */
  async importPayments(change, lines) {
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
  },
} satisfies Changes

type Referenced = Pick<Adjustment, 'amountNano' | 'reference'>

/** The same reference with another amount is not the same thing twice: one of the two is a mistake. */
function requireSameAmount(recorded: Referenced, offered: Referenced): void {
  if (recorded.amountNano === offered.amountNano) return
  refuse('amount', `Reference "${offered.reference}" was recorded before with another amount.`)
}

/** For the audit. */
function describe(kind: string, { id, amountNano, reference, reason }: Adjustment | Refund) {
  return { before: null, after: { [kind]: id, amount: formatUsdt(amountNano), reference, reason } }
}

// One transaction, during which no other change is made.
const MOST_LINES = 10_000
// Enough to see what is wrong with a file; the rest is counted.
const MOST_PROBLEMS = 10

interface Offer {
  readonly line: number
  readonly payment: Payment
  readonly event: AuditEvent
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
function describePayment(payment: Payment, totalPaidNano: NanoUsdt): BeforeAndAfter {
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

const LONGEST_REFERENCE = 200
const LONGEST_NOTE = 2_000
// What a signed 64-bit column holds, less room for what requests under way may still cost.
const LARGEST_SUM_NANO = 9n * 10n ** 18n

/** Throws what is wrong with a payment; the same for one call, a line of a file and a processor's event. */
function checkPayment(snapshot: Snapshot, accountId: string, input: PaymentCreate): void {
  requireAccount(snapshot, accountId)
  requirePositive(input.amountNano, 'amount')
  requireSane(input.amountNano, 'amount')
  checkReference(input.reference)
  if (input.note !== null) requireShort(input.note, 'note', LONGEST_NOTE)
}

function checkReference(reference: string): void {
  requireText(reference, 'reference')
  requireShort(reference, 'reference', LONGEST_REFERENCE)
}

/** Sums that no column could hold are refused here, where it can be said in words. */
function requireRoom(sumNano: NanoUsdt, addedNano: NanoUsdt): void {
  const sum = sumNano + addedNano
  if (sum > LARGEST_SUM_NANO || sum < -LARGEST_SUM_NANO) {
    refuse('amount', `amount is too large: with it the account would reach ${formatUsdt(sum)}.`)
  }
}

/** Both sums a payment raises. */
async function requireRoomToPay(
  parts: OperationParts,
  accountId: string,
  amountNano: NanoUsdt,
): Promise<void> {
  const account = requireAccount(parts.configuration.current(), accountId)
  requireRoom(account.totalPaidNano, amountNano)
  await requireRoomInBalance(parts, accountId, amountNano)
}

async function requireRoomInBalance(
  { money }: OperationParts,
  accountId: string,
  amountNano: NanoUsdt,
): Promise<void> {
  await money.refresh({ accountIds: [accountId] })
  requireRoom(money.balanceNano(accountId), amountNano)
}

function requireShort(text: string, param: string, most: number): void {
  if (text.length > most) refuse(param, `${param} must have at most ${most} characters.`)
}
