import { RIGHTS, type Right, ROLES, type Role } from '../../src/vocabulary/words.ts'
import { capitalize } from '../parts/text/format.ts'

interface RoleWords {
  readonly label: string
  readonly several: string
  readonly may: string
}

/** Roles as users read them. */
export const ROLE_WORDS: Readonly<Record<Role, RoleWords>> = {
  owner: { label: 'Owner', several: 'owners', may: 'everything, including members and the account itself' },
  developer: {
    label: 'Developer',
    several: 'developers',
    may: 'keys, playground, requests and their bodies',
  },
  billing: { label: 'Billing', several: 'billing members', may: 'ledger, payments, receipts and alerts' },
  viewer: {
    label: 'Viewer',
    several: 'viewers',
    may: 'look at usage, requests and keys, and change nothing',
  },
}

/** The choices of a role field. */
export const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: ROLE_WORDS[role].label }))

/** For the description of a role field: "Keys, playground, requests and their bodies." */
export function describeRole(role: Role): string {
  return `${capitalize(ROLE_WORDS[role].may)}.`
}

/** The roles that have a right: "owners and developers". */
export function listRoles(right: Right): string {
  const words = RIGHTS[right].map((role) => ROLE_WORDS[role].several)
  return new Intl.ListFormat('en').format(words)
}
