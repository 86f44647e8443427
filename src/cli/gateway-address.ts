import { OTHER_NAMES } from '../edges/settings/known-names.ts'
import type { Environment } from '../edges/settings/read-settings.ts'

const USUAL_HOST = '127.0.0.1'
const USUAL_PORT = '8080'

/** Addresses for listening on all interfaces; to call the gateway, use the loopback address instead. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where a gateway with this environment listens. */
export function ownAddressOf(environment: Environment): string {
  const host = environment.HOST || USUAL_HOST
  const callable = EVERY_ADDRESS[host] ?? host
  const inUrl = callable.includes(':') ? `[${callable}]` : callable
  return `http://${inUrl}:${environment.PORT || USUAL_PORT}`
}

/** The gateway that commands talk to. */
export function gatewayAddressOf(environment: Environment): string {
  return environment[OTHER_NAMES.url] || ownAddressOf(environment)
}
