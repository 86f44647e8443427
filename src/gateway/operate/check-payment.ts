import type { PaymentCreate } from '../../vocabulary/ledger.ts'
import { formatUsdt, type NanoUsdt } from '../../vocabulary/money.ts'
import type { Snapshot } from '../../vocabulary/snapshot.ts'
import type { OperationParts } from './parts.ts'
import { refuse, requireAccount, requirePositive, requireSane, requireText } from './refuse.ts'

const LONGEST_REFERENCE = 200
const LONGEST_NOTE = 2_000
// What a signed 64-bit column holds, less room for what requests under way may still cost.
const LARGEST_SUM_NANO = 9n * 10n ** 18n

/** Throws what is wrong with a payment; the same for one call, a line of a file and a processor's event. */
export function checkPayment(snapshot: Snapshot, accountId: string, input: PaymentCreate): void {
  requireAccount(snapshot, accountId)
  requirePositive(input.amountNano, 'amount')
  requireSane(input.amountNano, 'amount')
  checkReference(input.reference)
  if (input.note !== null) requireShort(input.note, 'note', LONGEST_NOTE)
}

export function checkReference(reference: string): void {
  requireText(reference, 'reference')
  requireShort(reference, 'reference', LONGEST_REFERENCE)
}

/** Sums that no column could hold are refused here, where it can be said in words. */
export function requireRoom(sumNano: NanoUsdt, addedNano: NanoUsdt): void {
  const sum = sumNano + addedNano
  if (sum > LARGEST_SUM_NANO || sum < -LARGEST_SUM_NANO) {
    refuse('amount', `amount is too large: with it the account would reach ${formatUsdt(sum)} USDT.`)
  }
}

/** Both sums a payment raises. */
export async function requireRoomToPay(
  parts: OperationParts,
  accountId: string,
  amountNano: NanoUsdt,
): Promise<void> {
  const account = requireAccount(parts.configuration.current(), accountId)
  requireRoom(account.totalPaidNano, amountNano)
  await requireRoomInBalance(parts, accountId, amountNano)
}

export async function requireRoomInBalance(
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
