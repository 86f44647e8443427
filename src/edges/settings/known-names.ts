import { SettingError } from './settings.ts'

/** Names that are no settings of the gateway, but may stand in its environment all the same. */
export const OTHER_NAMES = {
  /** What a parent tells its worker. */
  worker: 'TURNPIKE_WORKER',
  /** Where the command line finds the gateway. */
  url: 'TURNPIKE_URL',
  /** What `turnpike secret rotate` seals the database with. */
  newSecret: 'TURNPIKE_NEW_SECRET',
  /** Where examples for clients keep their key. */
  clientKey: 'TURNPIKE_API_KEY',
} as const

const PREFIX = 'TURNPIKE_'
// Kubernetes tells every pod of the services beside it, and one of them may well be called turnpike.
const SERVICE_NAME =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//

/**
 * Stops the start when the environment holds a name with our prefix that nobody reads: most likely it is misspelled,
 * and the gateway would run without it. The value is not repeated, since it may be a secret.
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
        ? `${name} is no setting; unset it. The README lists all settings.`
        : `${name} is no setting; did you mean ${nearest}?`,
    )
  }
}

function isOfService(name: string, value: string): boolean {
  return SERVICE_NAME.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value))
}

/** The name that was probably meant; null: none is near. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const bare = name.slice(PREFIX.length)
  if (names.includes(bare)) return bare
  let nearest: string | null = null
  // What differs in more than a third of its letters is another word.
  let least = Math.max(2, Math.floor(bare.length / 3)) + 1
  for (const candidate of names) {
    const distance = editDistance(name, candidate)
    if (distance >= least) continue
    least = distance
    nearest = candidate
  }
  return nearest
}

/** How many letters must be added, left out, replaced, or swapped with their neighbour to make one word of the other. */
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
