import { GatewayError } from '../../errors/gateway-error.ts'
import { findPasswordFault } from '../../rules/access/sign-in-rules.ts'
import type { User } from '../../vocabulary/user.ts'
import type { IdentityStore } from '../ports/identity.ts'

/** OWASP's minimum for argon2id; a guess costs 19 MiB and about 30 ms. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const
/** The hash of a random password with the same costs, so that unknown addresses take as long as known ones. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$Sp7HGlnoSsw0i3aC7BKkIkmNzVhQ7RMB9I5WtIkf790$1TvV8Cbop9cZ1pgY98lTKacbGXCTPZpJP+8OtOQkh88'

const AT_ONCE = 2
const MAX_WAITING = 64

/** The hash function: Bun's own, or a test's with lower costs. */
export type Passwords = Pick<typeof Bun.password, 'hash' | 'verify'>

/** Who waits for a hash. Unknown callers wait behind known users. */
export type Asker = 'known' | 'stranger'

/** Hashes passwords, a few at a time, so that sign-ins do not take the CPU from model requests. */
export class PasswordHasher {
  readonly #passwords: Passwords
  #running = 0
  /** Each queue has its own limit, so that a flood of unknown callers does not block known users. */
  readonly #waiting: Readonly<Record<Asker, (() => void)[]>> = { known: [], stranger: [] }

  constructor(passwords: Passwords = Bun.password) {
    this.#passwords = passwords
  }

  hash(password: string, asker: Asker): Promise<string> {
    return this.#inTurn(asker, () => this.#passwords.hash(password, ARGON2))
  }

  /** Also false for users without a password, after the same work. */
  async verify(password: string, hash: string | null, asker: Asker): Promise<boolean> {
    const isRight = await this.#inTurn(asker, () => this.#passwords.verify(password, hash ?? DUMMY_HASH))
    return isRight && hash !== null
  }

  async #inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running += 1
    else await this.#turn(this.#waiting[asker])
    try {
      return await work()
    } finally {
      const next = this.#waiting.known.shift() ?? this.#waiting.stranger.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  /** A finished hash hands its slot to the next caller, so the number running stays the same. */
  #turn(queue: (() => void)[]): Promise<void> {
    if (queue.length >= MAX_WAITING) {
      throw new GatewayError('rate_limit_exceeded', 'Too many sign-ins are in progress. Try again.', {
        headers: { 'retry-after': '1' },
      })
    }
    return new Promise((resolve) => queue.push(resolve))
  }
}

interface PasswordParts {
  readonly store: Pick<IdentityStore, 'findPasswordHash'>
  readonly hashing: PasswordHasher
}

/** Checks the password of a user. Takes the same time when there is no user. */
export async function checkPassword(
  { store, hashing }: PasswordParts,
  user: User | null,
  { password, asker }: { readonly password: string; readonly asker: Asker },
): Promise<boolean> {
  // Also queried without a user, to take the same time.
  const hash = await store.findPasswordHash(user?.id ?? '')
  return hashing.verify(password, hash, asker)
}

/** Hashes a new password, or throws an error that says what is wrong with it. */
export function hashNewPassword(
  { hashing }: Pick<PasswordParts, 'hashing'>,
  password: string,
  { email, param, asker }: { readonly email: string; readonly param: string; readonly asker: Asker },
): Promise<string> {
  const fault = findPasswordFault(password, email)
  if (fault !== null) throw new GatewayError('invalid_request', fault, { param })
  return hashing.hash(password, asker)
}
