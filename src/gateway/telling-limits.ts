import type { GatewayError } from '../errors/gateway-error.ts'
import { asGatewayError } from '../errors/render-error.ts'
import type { Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import { limitHeaders, ownWindows, writeLimitHeaders } from './own-limits.ts'
import type { WindowDemand } from './ports/admissions.ts'
import type { Reply } from './ports/exchange.ts'

/** The windows whose state the response tells, once a step knows them; until then those of any request. */
interface ToldLimits {
  windows: readonly WindowDemand[] | null
}

/** Runs the rest of a story; whatever it ends in, the caller is told where its own windows stand. */
export async function tellingLimits(
  caller: Caller,
  gateway: Gateway,
  story: (limits: ToldLimits) => Promise<Reply>,
): Promise<Reply> {
  const limits: ToldLimits = { windows: null }
  const windows = () => limits.windows ?? ownWindows(caller, { requests: 1, tokens: null })
  try {
    const reply = await story(limits)
    writeLimitHeaders(reply.headers, gateway.admissions.read(windows()))
    return reply
  } catch (thrown) {
    const error = asGatewayError(thrown)
    // Refused for its limits: what was found full is told as it was found, and looking again would cost a journey.
    if (tellsLimits(error)) throw error
    // Nothing was admitted by which this node would know what others have let in.
    const { account, key } = caller
    if (limits.windows === null) {
      await gateway.admissions.catchUp({ accountId: account.id, keyId: key.id }, windows())
    }
    throw error.withHeaders(limitHeaders(gateway.admissions, windows()))
  }
}

function tellsLimits({ headers }: GatewayError): boolean {
  return Object.keys(headers).some((name) => name.startsWith('x-ratelimit-'))
}
