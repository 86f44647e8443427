import { GatewayError } from '../../../errors/gateway-error.ts'
import type { HttpMethod } from '../../../serve/ports/exchange.ts'
import { accountEndpoints } from './accounts.ts'
import { bindConsole, type ConsoleEndpoint } from './console-endpoint.ts'
import { type GuardedEndpoint, guardConsoleEndpoint } from './guard.ts'
import { linkEndpoints } from './links.ts'
import { oidcEndpoints } from './oidc.ts'
import type { ConsoleParts } from './parts.ts'
import { securityEndpoints } from './security.ts'
import { sessionEndpoints } from './session.ts'

export type { ConsoleParts } from './parts.ts'

/** All endpoints of the console, with who may call them. */
function describeConsoleApi(parts: ConsoleParts): ConsoleEndpoint[] {
  return [
    ...bindConsole([...sessionEndpoints, ...securityEndpoints, ...oidcEndpoints, ...linkEndpoints], parts),
    ...bindConsole(accountEndpoints, { ...parts.account, door: parts.identity.door }),
    ...unknownPaths(),
  ]
}

/** The console's API. All endpoints are guarded here, so none can be added without the guard. */
export function consoleEndpoints(parts: ConsoleParts): GuardedEndpoint[] {
  const guard = { door: parts.identity.door, ...(parts.catchUp && { catchUp: parts.catchUp }) }
  return describeConsoleApi(parts).map((endpoint) => guardConsoleEndpoint(endpoint, guard))
}

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Unknown API paths get a 404. Other unknown paths below `/console` are pages. */
function unknownPaths(): ConsoleEndpoint[] {
  return METHODS.map((method) => ({
    method,
    path: '/*',
    access: 'signed-in',
    handle: () => {
      throw new GatewayError('not_found', 'The console has no such endpoint.')
    },
  }))
}
