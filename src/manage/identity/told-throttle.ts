import type { AttemptThrottle } from '../../rules/access/attempt-throttle.ts'

export interface Throttle {
  /** How long to wait before the next attempt; 0 when it may be made now. */
  waitMs(key: string): number
  /** Counts an attempt and gives their number. */
  begin(key: string): number
  /** Takes back one attempt that was no guess. */
  giveBack(key: string): void
  forgive(key: string): void
}

/** What has happened to the attempts of somebody. */
export type AttemptChange = 'begun' | 'given-back' | 'forgiven'

export interface AttemptNews {
  /** By a fingerprint: addresses are nobody else's business. */
  readonly key: string
  readonly change: AttemptChange
}

export interface ToldParts {
  readonly throttle: AttemptThrottle
  readonly fingerprint: (key: string) => string
  readonly tell: (news: AttemptNews) => void
}

/**
 * A throttle that tells the other nodes, so that guessing on several of them is no quicker. What is begun on two nodes in
 * the same moment is let through by both; each knows of it a moment later.
 */
export class ToldThrottle implements Throttle {
  readonly #parts: ToldParts

  constructor(parts: ToldParts) {
    this.#parts = parts
  }

  waitMs(key: string): number {
    return this.#parts.throttle.waitMs(this.#parts.fingerprint(key))
  }

  begin(key: string): number {
    return this.#parts.throttle.begin(this.#tell(key, 'begun'))
  }

  giveBack(key: string): void {
    this.#parts.throttle.giveBack(this.#tell(key, 'given-back'))
  }

  forgive(key: string): void {
    this.#parts.throttle.forgive(this.#tell(key, 'forgiven'))
  }

  /** What another node says counts as if it had happened here. */
  hear({ key, change }: AttemptNews): void {
    const { throttle } = this.#parts
    switch (change) {
      case 'begun':
        throttle.begin(key)
        return
      case 'given-back':
        throttle.giveBack(key)
        return
      case 'forgiven':
        throttle.forgive(key)
    }
  }

  #tell(key: string, change: AttemptChange): string {
    const fingerprint = this.#parts.fingerprint(key)
    this.#parts.tell({ key: fingerprint, change })
    return fingerprint
  }
}
