import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { readNodeSettings } from './node-settings.ts'
import { readOtel } from './otel-settings.ts'
import { readBodySettings, readConnectionSettings, readTelemetrySettings } from './server-settings.ts'
import {
  readAssetBucket,
  readBucketAccess,
  readMailServer,
  readMoneySettings,
  readOidc,
  readVendorKeys,
} from './service-settings.ts'
import { LOG_LEVEL_NAMES, SettingError, type Settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export { SettingError }

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

// Guesses are limited per address only, so the token must be long enough to resist guessing.
const MIN_OPERATOR_TOKEN_LENGTH = 32

const DEFAULT_SUPPLY_FILE = './supply.yaml'
const NO_SUPPLY_FILE = 'off'

/** Reads all settings. Throws at the first invalid one. Messages never repeat secrets. */
export function readSettings(environment: Environment): Settings {
  const settings = readAll(new Reader(environment), environment)
  requireCompanions(settings)
  return settings
}

/** All settings with their rules: those that are read when none is set. */
export function settingRules(): ReadonlyMap<string, SettingRule> {
  const read = new Reader({})
  readAll(read, {})
  return read.rules
}

export function settingNames(): readonly string[] {
  return [...settingRules().keys()]
}

function readAll(read: Reader, environment: Environment): Settings {
  const nodes = readNodeSettings(read)
  const hostname = read.text('HOST') ?? '127.0.0.1'
  return {
    port: read.integer('PORT', { fallback: 8080, least: 0, most: 65_535 }),
    hostname,
    publicUrl: read.plainAddress('TURNPIKE_PUBLIC_URL')?.text ?? null,
    dataFolder: read.text('TURNPIKE_DATA') ?? './data',
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    ...nodes,
    ...readConnectionSettings(read),
    serverSecret: read.secret('TURNPIKE_SECRET', { least: 16 }),
    operatorToken: read.token('TURNPIKE_OPERATOR_TOKEN', { least: MIN_OPERATOR_TOKEN_LENGTH }),
    bootstrapKey: read.token('TURNPIKE_BOOTSTRAP_KEY', { least: 20, prefix: 'sk-' }),
    sandbox: read.choice('TURNPIKE_SANDBOX', { choices: ['auto', 'on', 'off'], fallback: 'auto' }),
    supplyFile: readSupplyFile(read.text('TURNPIKE_SUPPLY'), environment),
    ...readTelemetrySettings(read, hostname),
    logLevel: read.choice('TURNPIKE_LOG_LEVEL', { choices: LOG_LEVEL_NAMES, fallback: 'info' }),
    logFormat: read.choice('TURNPIKE_LOG_FORMAT', { choices: ['auto', 'pretty', 'json'], fallback: 'auto' }),
    otel: readOtel(read),
    ...readBodySettings(read, nodes),
    bodyTimeoutSeconds: read.seconds('TURNPIKE_BODY_TIMEOUT_SECONDS', 60),
    isProxied: PROXY_VARIABLES.some((name) => read.text(name) !== null),
    connectTimeoutSeconds: read.seconds('TURNPIKE_CONNECT_TIMEOUT_SECONDS', 10),
    requestDeadlineSeconds: read.seconds('TURNPIKE_REQUEST_DEADLINE_SECONDS', 600),
    firstByteTimeoutSeconds: read.seconds('TURNPIKE_FIRST_BYTE_TIMEOUT_SECONDS', 300),
    idleTimeoutSeconds: read.seconds('TURNPIKE_IDLE_TIMEOUT_SECONDS', 120),
    heartbeatSeconds: read.seconds('TURNPIKE_HEARTBEAT_SECONDS', 15),
    shutdownSeconds: read.integer('TURNPIKE_SHUTDOWN_SECONDS', { fallback: 30, least: 0, most: 3_600 }),
    journalFsync: read.choice('TURNPIKE_JOURNAL_FSYNC', { choices: ['never', 'always'], fallback: 'never' }),
    tierDowngrade: read.choice('TURNPIKE_TIER_DOWNGRADE', { choices: ['on', 'off'], fallback: 'off' }),
    tierGraceDays: read.integer('TURNPIKE_TIER_GRACE_DAYS', { fallback: 14, least: 1, most: 3_650 }),
    settlementDays: read.optionalInteger('TURNPIKE_SETTLEMENT_DAYS', { least: 1, most: 36_500 }),
    storedBytesPerAccount: readStoredBytes(read),
    backgroundPerAccount: read.integer('TURNPIKE_BACKGROUND_PER_ACCOUNT', {
      fallback: 32,
      least: 0,
      most: 1_000_000,
    }),
    backgroundPerNode: read.integer('TURNPIKE_BACKGROUND_PER_NODE', {
      fallback: 512,
      least: 0,
      most: 1_000_000,
    }),
    paymentWebhookSecret: read.secret('TURNPIKE_PAYMENT_WEBHOOK_SECRET', { least: 16 }),
    webhookAllowPrivate: read.choice('TURNPIKE_WEBHOOK_ALLOW_PRIVATE', {
      choices: ['on', 'off'],
      fallback: 'off',
    }),
    mailServer: readMailServer(read),
    assetHours: read.integer('TURNPIKE_ASSET_HOURS', { fallback: 24, least: 1, most: 8_760 }),
    assetBucket: readAssetBucket(read),
    bucketAccess: readBucketAccess(read),
    signUp: read.choice('TURNPIKE_SIGN_UP', { choices: ['on', 'off'], fallback: 'off' }),
    oidc: readOidc(read),
    ...readMoneySettings(read),
    vendorKeys: readVendorKeys(read, BUILT_IN_CATALOG.vendors),
  }
}

function requireCompanions(settings: Settings): void {
  if (settings.databaseUrl !== null && settings.serverSecret === null) {
    throw new SettingError(
      'TURNPIKE_SECRET is not set; with DATABASE_URL it is required and must have at least 16 characters.',
    )
  }
  if (settings.redisUrl !== null && settings.databaseUrl === null) {
    throw new SettingError(
      'DATABASE_URL is not set; with REDIS_URL it is required, such as postgres://user:password@host:port/database.',
    )
  }
}

const GIBIBYTE = 1024 * 1024 * 1024

/** 0 means no limit. */
function readStoredBytes(read: Reader): number | null {
  const rule = { fallback: GIBIBYTE, least: 0, most: 1024 * GIBIBYTE }
  return read.integer('TURNPIKE_STORED_BYTES_PER_ACCOUNT', rule) || null
}

function readSupplyFile(path: string | null, variables: Environment): Settings['supplyFile'] {
  if (path === NO_SUPPLY_FILE) return null
  return { path: path ?? DEFAULT_SUPPLY_FILE, isRequired: path !== null, variables }
}

/** What a setting may be, in words for people. Null where it takes any text, or has no default. */
export interface SettingRule {
  readonly fallback: string | null
  readonly allowed: string | null
}

const AUTO = 'auto'
const ANY_TEXT: SettingRule = { fallback: null, allowed: null }

interface IntegerRule {
  readonly fallback: number
  readonly least: number
  readonly most: number
}

interface SecretRule {
  readonly least: number
  readonly prefix?: string
}

function rangeOf({ least, most }: Omit<IntegerRule, 'fallback'>): string {
  return `${least} to ${most}`
}

class Reader {
  readonly #environment: Environment
  /** All settings that were read. */
  readonly rules = new Map<string, SettingRule>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  text(name: string): string | null {
    if (!this.rules.has(name)) this.rules.set(name, ANY_TEXT)
    const value = this.#environment[name]
    return value === undefined || value === '' ? null : value
  }

  integer(name: string, { fallback, least, most }: IntegerRule): number {
    this.rules.set(name, { fallback: `${fallback}`, allowed: rangeOf({ least, most }) })
    const text = this.text(name)
    if (text === null) return fallback
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new SettingError(
        `${name} is ${JSON.stringify(text)}; it must be a whole number from ${least} to ${most}.`,
      )
    }
    return value
  }

  /** A number, or `auto` for what this machine suggests. */
  integerOrAuto(name: string, { auto, ...rule }: IntegerRule & { readonly auto: () => number }): number {
    const text = this.text(name)
    this.rules.set(name, { fallback: `${rule.fallback}`, allowed: `${AUTO}, ${rangeOf(rule)}` })
    if (text === AUTO) return auto()
    const value = Number(text ?? rule.fallback)
    if (/^\d+$/.test(text ?? `${rule.fallback}`) && value >= rule.least && value <= rule.most) return value
    throw new SettingError(
      `${name} is ${JSON.stringify(text)}; it must be ${AUTO} or a whole number from ${rule.least} to ${rule.most}.`,
    )
  }

  optionalInteger(name: string, rule: Omit<IntegerRule, 'fallback'>): number | null {
    if (this.text(name) !== null) return this.integer(name, { ...rule, fallback: rule.least })
    this.rules.set(name, { fallback: null, allowed: rangeOf(rule) })
    return null
  }

  seconds(name: string, fallback: number): number {
    return this.integer(name, { fallback, least: 1, most: 3_600 })
  }

  choice<const T extends string>(name: string, rule: { choices: readonly T[]; fallback: T }): T {
    this.rules.set(name, { fallback: rule.fallback, allowed: rule.choices.join(', ') })
    const text = this.text(name)
    if (text === null) return rule.fallback
    const chosen = rule.choices.find((choice) => choice === text)
    if (chosen === undefined) {
      throw new SettingError(
        `${name} is ${JSON.stringify(text)}; it must be one of ${rule.choices.join(', ')}.`,
      )
    }
    return chosen
  }

  /** A secret that is sent in a header, so only visible ASCII is allowed. */
  token(name: string, rule: SecretRule): string | null {
    const text = this.secret(name, rule)
    if (text === null || /^[!-~]{1,250}$/.test(text)) return text
    throw new SettingError(
      `${name} has ${text.length} characters, or some that a header cannot carry; it must have at most 250, all of them visible ASCII.`,
    )
  }

  secret(name: string, rule: SecretRule): string | null {
    const { least, prefix = '' } = rule
    const start = prefix === '' ? '' : `, starts with ${prefix}`
    if (least > 1) this.rules.set(name, { fallback: null, allowed: `at least ${least} characters${start}` })
    const text = this.text(name)
    if (text === null) return null
    if (text.length < least || !text.startsWith(prefix)) {
      const beginning = prefix === '' ? '' : ` and start with ${prefix}`
      throw new SettingError(
        `${name} has ${text.length} characters; it must have at least ${least}${beginning}.`,
      )
    }
    return text
  }

  /** The address of a service. */
  address(name: string): string | null {
    const address = this.plainAddress(name)
    if (address === null) return null
    if (this.#isOwn(address.url)) {
      throw new SettingError(`${name} is the address of this gateway; it must be the address of a supplier.`)
    }
    return address.text
  }

  /** It may contain a password, so messages do not repeat it. */
  plainAddress(name: string): { readonly text: string; readonly url: URL } | null {
    const text = this.text(name)
    if (text === null) return null
    const url = URL.parse(text)
    const isPlain = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text)
    if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      throw new SettingError(
        `${name} is invalid; it must be an http or https address without user, password, query or fragment.`,
      )
    }
    return { text, url }
  }

  // On a machine where a vendor's SDK uses the gateway, the same variable contains the gateway's address.
  #isOwn({ hostname, port }: URL): boolean {
    const isHere = ['127.0.0.1', 'localhost', '[::1]', this.text('HOST')].includes(hostname)
    return isHere && port === (this.text('PORT') ?? '8080')
  }

  databaseUrl(name: string): string | null {
    const text = this.text(name)
    if (text === null) return null
    // The address may contain a password, so the message repeats only its scheme.
    const scheme = /^([a-z0-9+]+):/i.exec(text)?.[1] ?? 'no scheme'
    if (!/^postgres(ql)?:\/\//.test(text)) {
      throw new SettingError(
        `${name} starts with ${scheme}; it must be postgres://user:password@host:port/database.`,
      )
    }
    return text
  }
}
