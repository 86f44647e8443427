import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { IdentityStore, OutsideProvider } from '../ports/identity.ts'
import type { AttemptNews, Throttle } from './attempts.ts'
import type { AuditLog } from './audit-log.ts'
import type { PasswordHasher } from './passwords.ts'
import type { SessionStore } from './session-store.ts'

/** What the stories need of accounts. */
export interface IdentityAccounts {
  has(accountId: string): boolean
  /** A new account of the lowest tier; gives its id. */
  create(input: { name: string; email: string }, actor: string): Promise<string>
}

export interface IdentityRandom {
  /** A fresh id, `<prefix>_…`. */
  id(prefix: string): string
  bytes(count: number): Uint8Array
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
  /** Where browsers find this gateway; null when nobody has said so. */
  readonly publicUrl: string | null
  /** Absent when no other node serves the same users. */
  readonly peers?: AttemptPeers
}

/** The other nodes, before which somebody may have guessed as well. */
export interface AttemptPeers {
  tell(name: keyof Throttles, news: AttemptNews): void
  onNews(listener: (name: keyof Throttles, news: AttemptNews) => void): void
}

export interface Throttles {
  /** By the name that was typed and where, or by the browser that is known. Nodes tell one another of it by this word. */
  readonly byEmail: Throttle
  readonly byAddress: Throttle
  /** Codes of the second factor, by user: whoever guesses them knows the password already. */
  readonly codes: Throttle
}

export interface IdentityParts extends IdentityDependencies {
  readonly sessions: SessionStore
  readonly hashing: PasswordHasher
  readonly audit: AuditLog
  readonly throttles: Throttles
}
