import { GatewayError } from '../../errors/gateway-error.ts'

/** What OWASP asks of argon2id at least; a guess costs an attacker 19 MiB and us some 30 ms. */
const ARGON2 = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const
/** Of a password nobody has. Made with the same costs, so that an unknown address takes as long as a known one. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$Sp7HGlnoSsw0i3aC7BKkIkmNzVhQ7RMB9I5WtIkf790$1TvV8Cbop9cZ1pgY98lTKacbGXCTPZpJP+8OtOQkh88'

const AT_ONCE = 2
const MOST_WAITING = 64

/** Hashes passwords, few at a time: however many sign in, requests to models keep their share of the processor. */
export class HashingDesk {
  #running = 0
  readonly #waiting: (() => void)[] = []

  hash(password: string): Promise<string> {
    return this.#inTurn(() => Bun.password.hash(password, ARGON2))
  }

  /** False also for somebody who has no password, and then after the same work. */
  async verify(password: string, hash: string | null): Promise<boolean> {
    const isRight = await this.#inTurn(() => Bun.password.verify(password, hash ?? NOBODY))
    return isRight && hash !== null
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running += 1
    else await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  /** Whoever ends hands over the place, so that the number of those running stays as it is. */
  #turn(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw new GatewayError('rate_limit_exceeded', 'Too many people are signing in; try again.', {
        headers: { 'retry-after': '1' },
      })
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
