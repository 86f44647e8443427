import { GatewayError } from '../../errors/gateway-error.ts'
import { findPasswordFault } from '../../rules/access/sign-in-rules.ts'
import type { User } from '../../vocabulary/user.ts'
import type { IdentityParts } from './parts.ts'

/** What OWASP asks of argon2id at least; a guess costs an attacker 19 MiB and us some 30 ms. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const
/** Of a password nobody has. Made with the same costs, so that an unknown address takes as long as a known one. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$Sp7HGlnoSsw0i3aC7BKkIkmNzVhQ7RMB9I5WtIkf790$1TvV8Cbop9cZ1pgY98lTKacbGXCTPZpJP+8OtOQkh88'

const AT_ONCE = 2
const MAX_WAITING = 64

/** Who waits for a hash. Strangers wait behind everybody who has shown before who they are. */
export type Asker = 'known' | 'stranger'

/** Hashes passwords, few at a time: however many sign in, requests to models keep their share of the processor. */
export class PasswordHasher {
  #running = 0
  /** Each with a bound of its own, so that no flood of strangers keeps the others out. */
  readonly #waiting: Readonly<Record<Asker, (() => void)[]>> = { known: [], stranger: [] }

  hash(password: string, asker: Asker): Promise<string> {
    return this.#inTurn(asker, () => Bun.password.hash(password, ARGON2))
  }

  /** False also for somebody who has no password, and then after the same work. */
  async verify(password: string, hash: string | null, asker: Asker): Promise<boolean> {
    const isRight = await this.#inTurn(asker, () => Bun.password.verify(password, hash ?? NOBODY))
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

  /** Whoever ends hands over the place, so that the number of those running stays as it is. */
  #turn(queue: (() => void)[]): Promise<void> {
    if (queue.length >= MAX_WAITING) {
      throw new GatewayError('rate_limit_exceeded', 'Too many people are signing in; try again.', {
        headers: { 'retry-after': '1' },
      })
    }
    return new Promise((resolve) => queue.push(resolve))
  }
}

/** A user's own password, or false after just as much work. */
export async function checkPassword(
  { store, hashing }: IdentityParts,
  user: User | null,
  { password, asker }: { readonly password: string; readonly asker: Asker },
): Promise<boolean> {
  // Asked of nobody too, for the time it takes.
  const hash = await store.findPasswordHash(user?.id ?? '')
  return hashing.verify(password, hash, asker)
}

/** The hash of a password that somebody wants to have, or a refusal that says what is wrong with it. */
export function hashNewPassword(
  { hashing }: IdentityParts,
  password: string,
  { email, param, asker }: { readonly email: string; readonly param: string; readonly asker: Asker },
): Promise<string> {
  const fault = findPasswordFault(password, email)
  if (fault !== null) throw new GatewayError('invalid_request', fault, { param })
  return hashing.hash(password, asker)
}
