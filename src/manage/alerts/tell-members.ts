import type { Log } from '../../serve/ports/log.ts'
import type { Alert } from '../../vocabulary/alert.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { hasRight } from '../../vocabulary/words.ts'
import type { SendMail } from '../ports/alert-channels.ts'
import type { IdentityStore } from '../ports/identity.ts'

export interface MemberMailParts {
  /** null when there is no mail server. */
  readonly sendMail: SendMail | null
  readonly storage: Pick<IdentityStore, 'listMembersOf'>
  readonly snapshot: () => Snapshot
  /** What people call the currency. */
  readonly currencyName: string
  /** The URL of this gateway for browsers; null when it is not configured. */
  readonly publicUrl: string | null
  readonly log: Log
}

// More people than this do not pay for one account.
const MOST_MAILS = 50

/** Mails a low balance to the members who see to it. Each mail is tried once: the alert stands in the console anyway. */
export async function mailLowBalance(parts: MemberMailParts, alert: Alert): Promise<void> {
  const { sendMail, storage, log } = parts
  if (sendMail === null || alert.kind !== 'balance.low' || alert.accountId === null) return
  try {
    const members = await storage.listMembersOf(alert.accountId)
    const told = members.filter(({ role }) => hasRight(role, 'manage-alerts')).slice(0, MOST_MAILS)
    const mail = writeMail(parts, alert, alert.accountId)
    for (const { email } of told) {
      const failure = await sendMail({ to: email, ...mail })
      if (failure !== null) throw new Error(failure)
    }
  } catch (error) {
    log.trouble('members could not be told of a low balance', error)
  }
}

function writeMail(
  { snapshot, currencyName, publicUrl }: MemberMailParts,
  { data }: Alert,
  accountId: string,
): { readonly subject: string; readonly text: string } {
  // The name is the customer's own text; a line break would end the subject.
  const name = (snapshot().accounts.get(accountId)?.name ?? accountId).replaceAll(/\s+/g, ' ').slice(0, 100)
  const lines = [
    `The balance of ${name} is ${data.balance} ${currencyName}, below the ${data.balance_alert} ${currencyName} at which you are warned.`,
    'Requests are refused when it is used up. Add funds to keep programs running.',
    ...(publicUrl === null
      ? []
      : ['', `${publicUrl}/console/billing?tab=payments&account=${encodeURIComponent(accountId)}`]),
    '',
    'Owners and billing members of the account get this mail. They set the amount under Billing, Alerts.',
  ]
  return { subject: `Low balance: ${name}`, text: `${lines.join('\n')}\n` }
}
