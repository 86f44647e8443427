export interface HostPort {
  readonly host: string
  readonly port: number
}

interface Access {
  readonly username: string | null
  readonly password: string | null
  readonly hasTls: boolean
}

/** A Redis address in one of its three forms. */
export type RedisAddress = Access &
  (
    | { readonly form: 'single'; readonly server: HostPort; readonly database: number }
    | {
        readonly form: 'sentinel'
        readonly sentinels: readonly HostPort[]
        readonly masterName: string
        readonly database: number
        /** Sentinels have a separate password or none. */
        readonly sentinelPassword: string | null
      }
    | { readonly form: 'cluster'; readonly servers: readonly HostPort[] }
  )

const FORMS =
  'redis://host:port/database, redis+sentinel://host:port,host:port/master-name/database or redis+cluster://host:port,host:port, each also as rediss'

/** `URL` rejects addresses with several hosts. */
const ADDRESS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/?]+)((?:\/[^?]*)?)(?:\?(.*))?$/

const REDIS_PORT = 6379
const SENTINEL_PORT = 26_379

/** The error does not repeat the address, since it may contain a password. */
export function parseRedisAddress(url: string): RedisAddress {
  const match = ADDRESS.exec(url)
  if (match === null) throw refuse()
  const [, scheme = '', kind, credentials = '', hosts = '', path = '', query = ''] = match
  const segments = path.split('/').slice(1).filter(Boolean).map(decode)
  const access = { ...readCredentials(credentials), hasTls: scheme === 'rediss' }
  switch (kind) {
    case 'cluster':
      // A Cluster has only one database.
      if (segments.length > 0) throw refuse()
      return { ...access, form: 'cluster', servers: readHosts(hosts, REDIS_PORT) }
    case 'sentinel':
      return { ...access, form: 'sentinel', ...readSentinel(hosts, segments, query) }
    default:
      return { ...access, form: 'single', ...readSingle(hosts, segments) }
  }
}

function refuse(): Error {
  return new Error(`The Redis address must have one of these forms: ${FORMS}.`)
}

function readSingle(hosts: string, segments: readonly string[]): { server: HostPort; database: number } {
  const [server, ...others] = readHosts(hosts, REDIS_PORT)
  if (server === undefined || others.length > 0 || segments.length > 1) throw refuse()
  return { server, database: readDatabase(segments[0]) }
}

function readSentinel(hosts: string, segments: readonly string[], query: string) {
  const [masterName, database, ...others] = segments
  if (masterName === undefined || others.length > 0) throw refuse()
  return {
    sentinels: readHosts(hosts, SENTINEL_PORT),
    masterName,
    database: readDatabase(database),
    sentinelPassword: new URLSearchParams(query).get('sentinelPassword'),
  }
}

function readCredentials(text: string): { username: string | null; password: string | null } {
  if (text === '') return { username: null, password: null }
  const colon = text.indexOf(':')
  const [username, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  return { username: decode(username) || null, password: decode(password) || null }
}

function readHosts(text: string, usualPort: number): readonly HostPort[] {
  return text.split(',').map((part) => {
    const [, six, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(part) ?? []
    const host = six ?? name
    const port = digits === undefined ? usualPort : Number(digits)
    if (host === undefined || port < 1 || port > 65_535) throw refuse()
    return { host, port }
  })
}

function readDatabase(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,5}$/.test(text)) throw refuse()
  return Number(text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refuse()
  }
}
