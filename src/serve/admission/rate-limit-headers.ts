import type { GatewayError } from '../../errors/gateway-error.ts'
import { asGatewayError } from '../../errors/render-error.ts'
import type { Gateway } from '../gateway.ts'
import type { WindowDemand } from '../ports/admissions.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'
import { limitHeaders, ownWindows, writeLimitHeaders } from './own-limits.ts'
import type { Caller } from './prepared-request.ts'

/** Where a caller's own windows stand, for whatever its request ends in. */
export class RateLimitHeaders {
  /** Those whose state is told, once a step knows them; until then those of any request. */
  windows: readonly WindowDemand[] | null = null
  readonly #caller: Caller
  readonly #gateway: Gateway
  readonly #exchange: Pick<Exchange, 'bodyBytes'> | null

  /** `exchange`: of a request whose refusal is to be counted; null for look-ups, which have a guard of their own. */
  constructor(caller: Caller, gateway: Gateway, exchange: Pick<Exchange, 'bodyBytes'> | null = null) {
    this.#caller = caller
    this.#gateway = gateway
    this.#exchange = exchange
  }

  /** The same reply, which says where they stand. */
  addTo(reply: Reply): Reply {
    writeLimitHeaders(reply.headers, this.#gateway.admissions.read(this.#windows()))
    return reply
  }

  /** What was thrown as a refusal that says so too. */
  async addToError(thrown: unknown): Promise<GatewayError> {
    const error = asGatewayError(thrown)
    this.#count(error)
    // Refused for its limits: what was found full is told as it was found, and looking again would cost a journey.
    if (tellsLimits(error)) return error
    const { account, key } = this.#caller
    const { admissions } = this.#gateway
    // Nothing was admitted by which this node would know what others have let in.
    if (this.windows === null) {
      await admissions.catchUp({ accountId: account.id, keyId: key.id }, this.#windows())
    }
    return error.withHeaders(limitHeaders(admissions, this.#windows()))
  }

  /** An admitted request has spent its share of the windows, and what went wrong here is not the caller's doing. */
  #count({ status }: GatewayError): void {
    if (this.#exchange === null || this.windows !== null || status >= 500) return
    this.#gateway.refusals.note(this.#caller, this.#exchange.bodyBytes)
  }

  #windows(): readonly WindowDemand[] {
    return this.windows ?? ownWindows(this.#caller, { requests: 1, tokens: null })
  }
}

/** Runs the rest of a story; whatever it ends in, the caller is told where its own windows stand. */
export async function withRateLimitHeaders(
  limits: RateLimitHeaders,
  story: (limits: RateLimitHeaders) => Promise<Reply>,
): Promise<Reply> {
  try {
    return limits.addTo(await story(limits))
  } catch (thrown) {
    throw await limits.addToError(thrown)
  }
}

function tellsLimits({ headers }: GatewayError): boolean {
  return Object.keys(headers).some((name) => name.startsWith('x-ratelimit-'))
}
