import { isSessionOver, needsTouch } from '../../rules/access/console-session.ts'
import type { SecretKeeper } from '../../rules/access/server-secret.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { AgingMap } from '../../vocabulary/runtime/aging-map.ts'
import type { Session, User } from '../../vocabulary/user.ts'
import {
  actorOfUser,
  type ClientContext,
  type Entry,
  type IdentityStore,
  type Visitor,
} from '../ports/identity.ts'
import type { AuditEntry, AuditLog } from './audit-log.ts'
import { type IdentityRandom, issueDevice } from './known-device.ts'

export interface SessionStoreParts {
  readonly store: IdentityStore
  readonly secrets: Pick<SecretKeeper, 'fingerprint'>
  readonly random: IdentityRandom
  readonly clock: Clock
  readonly audit: AuditLog
}

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/
const LONGEST_USER_AGENT = 200
// The maximum delay until a change on another node is visible.
const CACHE_MS = 3_000
const MAX_CACHED = 1_000

interface Cached {
  readonly visitor: Visitor
  readonly readAtMs: number
}

/** Begins, finds and ends sessions. Only a hash of the cookie value is stored, in memory and in the database. */
export class SessionStore {
  readonly #parts: SessionStoreParts
  /** By hash. */
  readonly #cache = new AgingMap<string, Cached>()
  #changes = 0

  constructor(parts: SessionStoreParts) {
    this.#parts = parts
  }

  get cached(): number {
    return this.#cache.size
  }

  /** Always creates a new cookie value. */
  async begin(user: User, { address, userAgent }: ClientContext, method: string): Promise<Entry> {
    const { store, random, clock, audit } = this.#parts
    const nowMs = clock.nowMs()
    const { token, tokenHash } = this.#makeToken()
    const session: Session = {
      id: random.id('ses'),
      userId: user.id,
      tokenHash,
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      address,
      userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
    }
    const auditEntry = { actor: actorOfUser(user), action: 'user.signed_in', subject: user.id }
    const after = { session: session.id, method, address }
    await store.saveSession(session, audit.event({ ...auditEntry, after }))
    return { visitor: await this.#complete(user, session), token, device: issueDevice(this.#parts, user) }
  }

  async find(token: string): Promise<Visitor | null> {
    if (!TOKEN.test(token)) return null
    const tokenHash = this.#hash(token)
    const visitor = this.#recall(tokenHash) ?? (await this.#read(tokenHash))
    const nowMs = this.#parts.clock.nowMs()
    if (visitor === null || visitor.user.isDisabled || isSessionOver(visitor.session, nowMs)) return null
    return needsTouch(visitor.session, nowMs) ? this.#touch(visitor, nowMs) : visitor
  }

  /** Replaces the cookie of a session; the old one is no longer valid. */
  async renew({ user, session }: Visitor): Promise<Entry> {
    const { token, tokenHash } = this.#makeToken()
    await this.#parts.store.renewSession(session.id, tokenHash)
    this.forget(user.id)
    const latest = (await this.#parts.store.findUser(user.id)) ?? user
    const visitor = await this.#complete(latest, { ...session, tokenHash })
    return { visitor, token, device: issueDevice(this.#parts, latest) }
  }

  async endOne(userId: string, sessionId: string, actor: string): Promise<boolean> {
    const auditEntry = { actor, action: 'session.ended', subject: sessionId }
    const ended = await this.#end({ userId, only: sessionId }, auditEntry)
    return ended > 0
  }

  /** Ends all sessions of a user except one, and forgets all known browsers. */
  async endAll(userId: string, except: string | null, actor: string): Promise<void> {
    await this.#end({ userId, except }, { actor, action: 'user.signed_out_everywhere', subject: userId })
  }

  /** Call it when a user has changed: the next request reads the user from the database. */
  forget(userId: string): void {
    this.#changes += 1
    for (const [hash, { visitor }] of this.#cache.entries()) {
      if (visitor.user.id === userId) this.#cache.delete(hash)
    }
  }

  async #end(which: Parameters<IdentityStore['endSessions']>[0], auditEntry: AuditEntry): Promise<number> {
    const ended = await this.#parts.store.endSessions(which, this.#parts.audit.event(auditEntry))
    this.forget(which.userId)
    return ended
  }

  #recall(tokenHash: string): Visitor | null {
    const cached = this.#cache.get(tokenHash)
    if (cached === undefined) return null
    if (this.#parts.clock.nowMs() - cached.readAtMs < CACHE_MS) return cached.visitor
    this.#cache.delete(tokenHash)
    return null
  }

  async #read(tokenHash: string): Promise<Visitor | null> {
    const before = this.#changes
    const session = await this.#parts.store.findSession(tokenHash)
    const user = session && (await this.#parts.store.findUser(session.userId))
    return session && user && this.#keep(await this.#complete(user, session), before)
  }

  async #touch(visitor: Visitor, nowMs: number): Promise<Visitor> {
    const before = this.#changes
    await this.#parts.store.touchSession(visitor.session, nowMs)
    return this.#keep({ ...visitor, session: { ...visitor.session, lastSeenAtMs: nowMs } }, before)
  }

  async #complete(user: User, session: Session): Promise<Visitor> {
    return { user, session, memberships: await this.#parts.store.listMembershipsOf(user.id) }
  }

  /** Caches the visitor unless something changed during the read, which may then be outdated. */
  #keep(visitor: Visitor, changesBefore: number): Visitor {
    if (this.#changes !== changesBefore) return visitor
    const { tokenHash } = visitor.session
    this.#cache.renew(tokenHash, { visitor, readAtMs: this.#parts.clock.nowMs() })
    const { oldest } = this.#cache
    if (oldest !== null && this.#cache.size > MAX_CACHED) this.#cache.delete(oldest.key)
    return visitor
  }

  #makeToken(): { token: string; tokenHash: string } {
    const token = Buffer.from(this.#parts.random.bytes(TOKEN_BYTES)).toString('base64url')
    return { token, tokenHash: this.#hash(token) }
  }

  // The purpose is part of the hashed text, so that hashes for different purposes never match.
  #hash(token: string): string {
    return this.#parts.secrets.fingerprint(`session ${token}`)
  }
}
