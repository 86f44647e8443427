import { ALERT_KINDS } from '../../../src/vocabulary/words.ts'
import type { AlertChannel, OperatorAlert } from '../../api/wire.ts'
import { type AlertKind, KIND_WORDS } from '../../parts/text/describe-alert.ts'

export const TYPE_WORDS: Readonly<Record<AlertChannel['type'], string>> = {
  slack: 'Slack',
  email: 'E-mail',
  webhook: 'Webhook',
}

/** `All alerts`, `A node is lost` or `5 of 10 kinds`. */
export function describeKinds(kinds: readonly AlertKind[]): string {
  const [first, ...more] = kinds
  if (first === undefined) return 'None'
  if (more.length === 0) return KIND_WORDS[first]
  if (kinds.length === ALERT_KINDS.length) return 'All alerts'
  return `${kinds.length} of ${ALERT_KINDS.length} kinds`
}

export interface Told {
  readonly who: string
  readonly state: OperatorAlert['delivery']['state']
  readonly failure: string | null
}

/** Who was told of an alert: the account’s webhook and the operators’ channels. */
export function listTold({ delivery, channels }: Pick<OperatorAlert, 'delivery' | 'channels'>): Told[] {
  const own = { who: 'Account’s webhook', state: delivery.state, failure: delivery.last_failure }
  const told = channels.map(({ channel, state, last_failure: failure }) => ({ who: channel, state, failure }))
  return delivery.state === 'none' ? told : [own, ...told]
}

export function describeDelivery({ state, failure }: Pick<Told, 'state' | 'failure'>): string {
  if (state === 'none') return 'switched off'
  if (state === 'pending') return failure === null ? 'waiting' : 'trying again'
  return state
}
