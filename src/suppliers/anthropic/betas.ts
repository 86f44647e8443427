import type { HeaderFields } from '../../wire/http-answer.ts'
import { operatorsChoice } from '../hosted-messages.ts'

/**
 * Betas that a client may not ask of a supplier, by name without their date, and why. All others are forwarded: the list
 * changes with every release of the vendor's clients. Operators change it with the option `betas`.
 */
const WITHHELD: Readonly<Record<string, string>> = {
  // They reach into the operator's account.
  'admin-user-sign-out': 'manages the account',
  'agent-memory': 'is stored in the account',
  'analytics-usage-cost': 'shows the account',
  'ce-plugins': 'manages the account',
  'ce-user-management': 'manages the account',
  dreaming: 'is stored in the account',
  'experimental-claude-tag': 'manages the account',
  'files-api': 'files of all customers are stored in one account',
  'managed-agents': 'runs in the account',
  'mcp-tunnels': 'leads into the network of the account',
  'message-threads': 'conversations of all customers would be stored in one account',
  oauth: 'is about another kind of credential',
  'oidc-federation': 'is about another kind of credential',
  skills: 'skills are stored in the account',
  'spend-limit-reads': 'shows the account',
  'telemetry-destinations': 'manages the account',
  'user-profiles': 'profiles are stored in the account',
  webhooks: 'manages the account',
  // They are charged apart from the route's price.
  'advisor-tool': 'another model is charged',
  'fallback-credit': 'is charged to the account that got the credit',
  'fast-mode': 'has a price of its own',
  'message-batches': 'has a price of its own, and results are stored in the account',
  'server-side-fallback': 'another model is charged',
}

const DATE = /-\d{4}-?\d{2}-?\d{2}$/

/** Whether a beta may be asked of a supplier that is the vendor, or behaves as the vendor does. */
export function isForwarded(beta: string, option: string | undefined): boolean {
  return operatorsChoice(beta, option) ?? !Object.hasOwn(WITHHELD, beta.replace(DATE, ''))
}

/** Headers that choose a part of the operator's account, and those that this gateway writes itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'anthropic-beta',
  'anthropic-version',
  'anthropic-organization-id',
  'anthropic-workspace-id',
  'anthropic-user-profile-id',
])

const PREFIX = 'anthropic-'
const PLAIN = /^[\x20-\x7e]{0,1000}$/

/** The client's other headers of the vendor. */
export function vendorHeaders(clientHeaders: HeaderFields | null): Record<string, string> {
  const headers: Record<string, string> = {}
  if (clientHeaders === null) return headers
  const visit = (value: string, name: string) => {
    if (name.startsWith(PREFIX) && !OWN_HEADERS.has(name) && PLAIN.test(value)) headers[name] = value
  }
  if (clientHeaders.forEachNamed === undefined) clientHeaders.forEach(visit)
  else clientHeaders.forEachNamed(PREFIX, visit)
  return headers
}
