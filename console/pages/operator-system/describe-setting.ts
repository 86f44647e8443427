import { formatBytes } from '../../parts/text/format.ts'

/** The variables that are not called as their setting. */
const VARIABLES: Readonly<Record<string, string>> = {
  port: 'PORT',
  hostname: 'HOST',
  data_folder: 'TURNPIKE_DATA',
  database: 'DATABASE_URL',
  redis: 'REDIS_URL',
  supply_file: 'TURNPIKE_SUPPLY',
  oidc: 'TURNPIKE_OIDC_NAME',
}

/** What is said instead of an address, which may have a password. */
const ADDRESSES: Readonly<Record<string, string>> = {
  sqlite: 'none',
  postgresql: 'set',
  false: 'none',
  true: 'set',
}

export type SettingValue = string | number | boolean | null

/** The environment variable of a setting: `max_body_bytes` → `TURNPIKE_MAX_BODY_BYTES`. */
export function variableOf(name: string): string {
  return VARIABLES[name] ?? `TURNPIKE_${name.toUpperCase()}`
}

export function describeSetting(name: string, value: SettingValue): string {
  if (value === null) return 'none'
  if (name === 'database' || name === 'redis') return ADDRESSES[String(value)] ?? String(value)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'number' && /_bytes(_|$)/.test(name) ? formatBytes(value) : String(value)
}
