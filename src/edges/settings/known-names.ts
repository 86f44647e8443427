import { nearestName } from '../../vocabulary/runtime/nearest-name.ts'
import { SettingError } from './settings.ts'

/** Names in the environment that have our prefix but are not settings of the gateway. */
export const OTHER_NAMES = {
  /** Set by a parent for its workers. */
  worker: 'TURNPIKE_WORKER',
  /** The gateway's address for the command line. */
  url: 'TURNPIKE_URL',
  /** The new secret for `turnpike secret rotate`. */
  newSecret: 'TURNPIKE_NEW_SECRET',
  /** The API key in our client examples. */
  clientKey: 'TURNPIKE_API_KEY',
} as const

const PREFIX = 'TURNPIKE_'
// Kubernetes sets variables for every service of the namespace, and one of them may be called turnpike.
const SERVICE_NAME =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//

/**
 * Stops the start when the environment has an unknown name with our prefix, which is probably misspelled. The message does
 * not repeat the value, because it may be a secret.
 */
export function requireKnownNames(
  environment: Readonly<Record<string, string | undefined>>,
  settingNames: readonly string[],
): void {
  const known = new Set<string>([...settingNames, ...Object.values(OTHER_NAMES)])
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || known.has(name) || isOfService(name, value)) continue
    const nearest = nearestSetting(name, settingNames)
    throw new SettingError(
      nearest === null
        ? `${name} is not a setting. Unset it. docs/reference/settings.md lists all settings.`
        : `${name} is not a setting. Did you mean ${nearest}?`,
    )
  }
}

function isOfService(name: string, value: string): boolean {
  return SERVICE_NAME.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value))
}

/** The most similar setting; null when none is similar. */
function nearestSetting(name: string, names: readonly string[]): string | null {
  const bare = name.slice(PREFIX.length)
  return names.includes(bare) ? bare : nearestName(name, names, bare.length)
}
