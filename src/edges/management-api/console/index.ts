import { GatewayError } from '../../../errors/gateway-error.ts'
import type { HttpMethod } from '../../../serve/ports/exchange.ts'
import { accountEndpoints } from './accounts.ts'
import { bindConsole, type ConsoleEndpoint } from './console-endpoint.ts'
import { type GuardedEndpoint, guardConsoleEndpoint } from './guard.ts'
import { oidcEndpoints } from './oidc.ts'
import type { ConsoleParts } from './parts.ts'
import { securityEndpoints } from './security.ts'
import { sessionEndpoints } from './session.ts'

export type { ConsoleParts } from './parts.ts'

/** Everything the console can ask, with who may ask it. */
function describeConsoleApi(parts: ConsoleParts): ConsoleEndpoint[] {
  return [
    ...bindConsole([...sessionEndpoints, ...securityEndpoints, ...oidcEndpoints], parts),
    ...bindConsole(accountEndpoints, { ...parts.account, door: parts.identity.door }),
    ...unknownPaths(),
  ]
}

/** The console's own API. Every endpoint passes through the guard here, so none can be added without it. */
export function consoleEndpoints(parts: ConsoleParts): GuardedEndpoint[] {
  const guard = { door: parts.identity.door, ...(parts.catchUp && { catchUp: parts.catchUp }) }
  return describeConsoleApi(parts).map((endpoint) => guardConsoleEndpoint(endpoint, guard))
}

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What is not there is told as such: behind `/console` unknown paths are pages. */
function unknownPaths(): ConsoleEndpoint[] {
  return METHODS.map((method) => ({
    method,
    path: '/*',
    access: 'signed-in',
    handle: () => {
      throw new GatewayError('not_found', 'The console has no such call.')
    },
  }))
}
