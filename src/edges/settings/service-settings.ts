import type { Vendor } from '../../rules/catalog/built-in/schema.ts'
import type { VendorKey } from '../../rules/catalog/built-in/vendor-supply.ts'
import { parseUsdt } from '../../vocabulary/money.ts'
import { type AssetBucket, type BucketAccess, SettingError, type Settings } from './settings.ts'

/** How the environment is read: a value that cannot be used stops the start. */
export interface BucketReader {
  text(name: string): string | null
  token(name: string, rule: { readonly least: number }): string | null
  address(name: string): string | null
}

const STORE = 'TURNPIKE_ASSET_STORE'
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/

/** The bucket for assets; null: a folder in the data folder. Access keys use the names of the AWS tools. */
export function readAssetBucket(read: BucketReader): AssetBucket | null {
  const store = read.text(STORE)
  const endpoint = read.address('TURNPIKE_S3_ENDPOINT')
  if (store === null || store === 'folder') return null
  const address = ADDRESS.exec(store)
  if (address === null)
    throw new SettingError(`${STORE} is ${JSON.stringify(store)}; it must be folder or s3://bucket/prefix.`)
  return {
    bucket: address[1] ?? '',
    prefix: (address[2] ?? '').replaceAll(/^\/+|\/+$/g, ''),
    endpoint,
    region: read.text('AWS_REGION'),
    accessKeyId: needed(read, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed(read, 'AWS_SECRET_ACCESS_KEY'),
    sessionToken: read.token('AWS_SESSION_TOKEN', { least: 1 }),
  }
}

/** The keys for buckets of sinks; null unless both parts are set. */
export function readBucketAccess(read: BucketReader): BucketAccess | null {
  const accessKeyId = read.token('AWS_ACCESS_KEY_ID', { least: 1 })
  const secretAccessKey = read.token('AWS_SECRET_ACCESS_KEY', { least: 1 })
  const endpoint = read.address('TURNPIKE_S3_ENDPOINT')
  const region = read.text('AWS_REGION')
  const sessionToken = read.token('AWS_SESSION_TOKEN', { least: 1 })
  if (accessKeyId === null || secretAccessKey === null) return null
  return { endpoint, region, accessKeyId, secretAccessKey, sessionToken }
}

function needed(read: BucketReader, name: string): string {
  const value = read.token(name, { least: 1 })
  if (value === null) throw new SettingError(`${name} is not set; it is required with ${STORE}=s3://….`)
  return value
}

const SMTP_URL = 'TURNPIKE_SMTP_URL'
const MAIL_FROM = 'TURNPIKE_MAIL_FROM'

/** The mail server. Messages never repeat its address, which may contain a password. */
export function readMailServer(read: TextReader): Settings['mailServer'] {
  const url = read.text(SMTP_URL)
  const from = read.text(MAIL_FROM)
  if (url === null) return null
  const parsed = URL.parse(url)
  if (parsed === null || !['smtp:', 'smtps:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new SettingError(`${SMTP_URL} is invalid; it must be smtp://user:password@host:port or smtps://….`)
  }
  if (from === null || !/^[^@\r\n]*[^@\s]@[^@\s]+$/.test(from)) {
    throw new SettingError(`${MAIL_FROM} must be an e-mail address; it is required with ${SMTP_URL}.`)
  }
  return { url, from }
}

interface TextReader {
  text(name: string): string | null
}

const ISSUER = 'TURNPIKE_OIDC_ISSUER'
const CLIENT_ID = 'TURNPIKE_OIDC_CLIENT_ID'
const CLIENT_SECRET = 'TURNPIKE_OIDC_CLIENT_SECRET'
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** The OpenID Connect provider. Set all of its settings or none. Messages never repeat its secret. */
export function readOidc(read: TextReader): Settings['oidc'] {
  const issuer = read.text(ISSUER)
  const name = read.text('TURNPIKE_OIDC_NAME') ?? 'Single sign-on'
  const clientId = read.text(CLIENT_ID)
  const clientSecret = read.text(CLIENT_SECRET)
  if (issuer === null) return null
  requireSafeIssuer(issuer)
  return {
    issuer,
    clientId: required(CLIENT_ID, clientId),
    clientSecret: required(CLIENT_SECRET, clientSecret),
    name,
  }
}

// Over plain http, an attacker on the network could sign in as any user.
function requireSafeIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname))
  if (!isSafe) throw new SettingError(`${ISSUER} is invalid; it must be an https address.`)
}

function required(name: string, text: string | null): string {
  if (text === null) throw new SettingError(`${name} is not set; it is required with ${ISSUER}.`)
  return text
}

/** How the environment is read: a value that cannot be used stops the start. */
export interface VendorReader {
  token(name: string, rule: { readonly least: number }): string | null
  address(name: string): string | null
}

/** API keys of vendors in the environment, under the names that the vendors' SDKs use. */
export function readVendorKeys(read: VendorReader, vendors: readonly Vendor[]): VendorKey[] {
  const keys: VendorKey[] = []
  for (const { vendor, key_variables, base_url_variable } of vendors) {
    const secret = firstKey(read, key_variables)
    // An address without a key is for other programs and registers nothing.
    if (secret === null) continue
    keys.push({
      vendor,
      secret,
      baseUrl: base_url_variable === null ? null : read.address(base_url_variable),
    })
  }
  return keys
}

function firstKey(read: VendorReader, names: readonly string[]): string | null {
  for (const name of names) {
    const secret = read.token(name, { least: 1 })
    if (secret !== null) return secret
  }
  return null
}

const CURRENCY_NAME = 'TURNPIKE_CURRENCY_NAME'
const DEFAULT_CURRENCY = 'USDT'
// Neither controls nor invisible characters, and spaces only inside: it stands right after every amount.
const CURRENCY = /^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]{0,10}[^\p{C}\p{Z}])?$/u

/** What people call the currency, such as `USD` or `credits`. */
export function readCurrencyName(read: TextReader): string {
  const name = read.text(CURRENCY_NAME)
  if (name === null) return DEFAULT_CURRENCY
  if (CURRENCY.test(name)) return name
  throw new SettingError(
    `${CURRENCY_NAME} is ${JSON.stringify(name)}; it must have 1 to 12 visible characters, such as USD or credits.`,
  )
}

const WELCOME_CREDIT = 'TURNPIKE_WELCOME_CREDIT'
// What strangers can have for nothing: more is a typing mistake.
const MOST_WELCOME_NANO = parseUsdt('1000', WELCOME_CREDIT)

/** What new accounts get that people make for themselves. */
function readWelcomeCredit(read: TextReader): bigint {
  const text = read.text(WELCOME_CREDIT)
  if (text === null) return 0n
  const isAmount = /^\d{1,4}(\.\d{1,9})?$/.test(text)
  const nano = isAmount ? parseUsdt(text, WELCOME_CREDIT) : -1n
  if (nano >= 0n && nano <= MOST_WELCOME_NANO) return nano
  throw new SettingError(
    `${WELCOME_CREDIT} is ${JSON.stringify(text)}; it must be an amount from 0 to 1000, such as 0.5.`,
  )
}

const LONGEST_RECEIPT_TEXT = 2_000

/** What is printed on receipts. `\n` begins a new line, because many environment files cannot hold one. */
function readReceiptText(read: TextReader): string | null {
  return read.text('TURNPIKE_RECEIPT_TEXT')?.replaceAll('\\n', '\n').slice(0, LONGEST_RECEIPT_TEXT) ?? null
}

/** What money is called, what newcomers get of it, and what receipts say. */
export function readMoneySettings(
  read: TextReader,
): Pick<Settings, 'currencyName' | 'welcomeCreditNano' | 'receiptText'> {
  return {
    currencyName: readCurrencyName(read),
    welcomeCreditNano: readWelcomeCredit(read),
    receiptText: readReceiptText(read),
  }
}
