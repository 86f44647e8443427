import { asGatewayError } from '../errors/render-error.ts'
import type { Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import { limitHeaders, ownWindows } from './own-limits.ts'
import type { WindowDemand } from './ports/admissions.ts'

/** The windows whose state the response tells; a step that knows of more replaces them. */
interface ToldLimits {
  windows: readonly WindowDemand[]
}

/** Runs the rest of a story; whatever it ends in, the caller is told where its own windows stand. */
export async function tellingLimits(
  caller: Caller,
  gateway: Gateway,
  story: (limits: ToldLimits) => Promise<Response>,
): Promise<Response> {
  const limits: ToldLimits = { windows: ownWindows(caller, { requests: 1, tokens: null }) }
  try {
    const response = await story(limits)
    const headers = limitHeaders(gateway.admissions, limits.windows)
    for (const name in headers) response.headers.set(name, headers[name] ?? '')
    return response
  } catch (thrown) {
    throw asGatewayError(thrown).withHeaders(limitHeaders(gateway.admissions, limits.windows))
  }
}
