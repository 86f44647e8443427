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
    const nearest = nearestName(name, settingNames)
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

/** The most similar name; null when none is similar. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const bare = name.slice(PREFIX.length)
  if (names.includes(bare)) return bare
  let nearest: string | null = null
  // A name that differs in more than a third of its letters is another word.
  let least = Math.max(2, Math.floor(bare.length / 3)) + 1
  for (const candidate of names) {
    const distance = editDistance(name, candidate)
    if (distance >= least) continue
    least = distance
    nearest = candidate
  }
  return nearest
}

/** How many letters must be added, removed, replaced or swapped with their neighbour to turn one word into the other. */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
