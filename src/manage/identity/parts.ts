import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { SendMail } from '../ports/alert-channels.ts'
import type { IdentityStore, OutsideProvider } from '../ports/identity.ts'
import type { AttemptNotice, Throttles } from './attempts.ts'
import type { AuditLog } from './audit-log.ts'
import type { IdentityRandom } from './known-device.ts'
import type { PasswordHasher, Passwords } from './passwords.ts'
import type { SessionStore } from './session-store.ts'

/** The account operations that identity needs. */
export interface IdentityAccounts {
  has(accountId: string): boolean
  /** null when there is no such account. */
  nameOf(accountId: string): string | null
  /** Creates an account of the lowest tier and returns its id. */
  create(input: { name: string; email: string }, actor: string): Promise<string>
}

export interface IdentityDependencies {
  readonly store: IdentityStore
  readonly accounts: IdentityAccounts
  readonly provider: OutsideProvider | null
  readonly secrets: SecretKeeper
  readonly random: IdentityRandom
  readonly clock: Clock
  readonly log: Log
  readonly allowsSignUp: boolean
  /** The URL of this gateway for browsers; null when it is not configured. */
  readonly publicUrl: string | null
  /** Mail with links; null without a mail server or a URL that links can begin with. */
  readonly mail: { readonly send: SendMail; readonly publicUrl: string } | null
  /** Absent: Bun's, with the costs of production. */
  readonly passwords?: Passwords | undefined
  /** Absent when no other node serves the same users. */
  readonly peers?: AttemptPeers
}

/** The other nodes, which share attempt counters. */
export interface AttemptPeers {
  publish(name: keyof Throttles, notice: AttemptNotice): void
  onNotice(listener: (name: keyof Throttles, notice: AttemptNotice) => void): void
}

export interface IdentityParts extends IdentityDependencies {
  readonly sessions: SessionStore
  readonly hashing: PasswordHasher
  readonly audit: AuditLog
  readonly throttles: Throttles
}
