import type { Access } from '../../src/vocabulary/runtime/contract.ts'
import { RIGHTS, type Right, ROLES, type Role } from '../../src/vocabulary/words.ts'

const PLACE = /<!-- rights -->[\s\S]*?<!-- \/rights -->/

/** What each right is, in words of the page. A right without words does not compile. */
const MEANINGS: Readonly<Record<Right, string>> = {
  'see-account': 'see usage, requests, keys (never their secrets), models and alerts',
  'see-bodies': 'see stored bodies of requests',
  'see-money': 'see ledger, payments, receipts and ways to pay',
  'manage-keys': 'create, change and revoke keys; use the playground',
  'manage-bodies': 'choose whether bodies are stored, and for how long',
  'save-views': 'save and delete views of Explore',
  'manage-alerts': 'set the webhook and the low-balance alert',
  'manage-account': 'members, own suppliers, and the name of the account',
}

/** The page with the table of roles and rights as it has to be. */
export function fillRights(text: string): string {
  const heads = `| May | ${ROLES.map((role) => `\`${role}\``).join(' | ')} |\n|---|${ROLES.map(() => '---|').join('')}\n`
  const rights = Object.entries(MEANINGS) as [Right, string][]
  const lines = rights.map(([right, meaning]) => `| ${[meaning, ...ticksOf(right)].join(' | ')} |\n`)
  return text.replace(PLACE, () => `<!-- rights -->\n${heads}${lines.join('')}<!-- /rights -->`)
}

function ticksOf(right: Right): string[] {
  const roles: readonly Role[] = RIGHTS[right]
  return ROLES.map((role) => (roles.includes(role) ? 'yes' : '–'))
}

/** Who may call an endpoint: the roles that have a right; other accesses by their name. */
export function describeAccess(access: Access): string {
  if (!isRight(access)) return access
  const roles: readonly Role[] = RIGHTS[access]
  return roles.length === ROLES.length ? 'every member' : roles.join(', ')
}

function isRight(access: Access): access is Right {
  return access in RIGHTS
}
