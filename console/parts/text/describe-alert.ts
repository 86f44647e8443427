import type { Alert, OperatorAlert } from '../../api/wire.ts'
import { CURRENCY } from './currency.ts'
import { formatMoney } from './format.ts'

export interface AlertWords {
  readonly title: string
  readonly advice: string
  readonly tone: 'warning' | 'bad'
  /** The key it is about, if any. */
  readonly keyId: string | null
}

/** Describes an alert. Unknown kinds are shown by name. */
export function describeAlert({ kind, data }: Alert): AlertWords {
  const name = textOf(data.key_name) || 'A key'
  const keyId = textOf(data.key_id) || null
  switch (kind) {
    case 'budget.threshold':
      return {
        title: `${name} has spent ${textOf(data.threshold)}% of its budget`,
        advice: `${money(data.spent)} of ${money(data.amount)} ${CURRENCY} this month. The key keeps working.`,
        tone: 'warning',
        keyId,
      }
    case 'key.limit_reached':
      return {
        title: `${name} has reached its usage limit`,
        advice: `${money(data.spent)} of ${money(data.amount)} ${CURRENCY} spent. Requests are refused until the period ends or you raise the limit.`,
        tone: 'bad',
        keyId,
      }
    case 'balance.low':
      return {
        title: `The balance fell to ${money(data.balance)} ${CURRENCY}`,
        advice: `Your alert threshold is ${money(data.balance_alert)} ${CURRENCY}. Add funds before requests are refused.`,
        tone: 'warning',
        keyId,
      }
    case 'credential.disabled':
      return {
        title: `${textOf(data.supplier)} refused your credential`,
        advice: `The credential that ends in ${textOf(data.last_four)} is no longer used. Replace it under Own credentials.`,
        tone: 'bad',
        keyId,
      }
    case 'route.unpriced':
      return {
        title: `The route of ${textOf(data.model)} to ${textOf(data.supplier)} has no price`,
        advice: 'It is not used until it has one. Set a price, or disable the route.',
        tone: 'warning',
        keyId,
      }
    case 'usage.implausible':
      return {
        title: `${textOf(data.supplier)} reported usage that cannot be true`,
        advice: `The gateway charged its own count: ${textOf(data.counted_input)} tokens of input and ${textOf(data.counted_output)} of output.`,
        tone: 'warning',
        keyId,
      }
    default:
      return { title: kind, advice: '', tone: 'warning', keyId }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function money(value: unknown): string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? formatMoney(value) : '?'
}

export type AlertKind = OperatorAlert['kind']

/** What operators read, by the kind of alert. */
export const KIND_WORDS: Readonly<Record<AlertKind, string>> = {
  'credential.disabled': 'A supplier refuses a credential',
  'circuit.open': 'A supplier keeps failing',
  'route.unpriced': 'A route has no price',
  'usage.implausible': 'A supplier reports implausible usage',
  'journal.waiting': 'The database does not answer',
  'node.lost': 'A node is lost',
  'sink.failing': 'A sink keeps failing',
  'balance.low': 'An account’s balance is low',
  'budget.threshold': 'A key reaches part of its budget',
  'key.limit_reached': 'A key reaches its usage limit',
}
