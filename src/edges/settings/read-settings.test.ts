import { expect, test } from 'bun:test'
import { countProcessors } from './processors.ts'
import { readSettings, SettingError, settingNames } from './read-settings.ts'

const NUMBERS = [
  'PORT',
  'TURNPIKE_MAX_BODY_BYTES',
  'TURNPIKE_MAX_HELD_BODY_BYTES',
  'TURNPIKE_MAX_HELD_BODY_BYTES_PER_ACCOUNT',
  'TURNPIKE_STORED_BYTES_PER_ACCOUNT',
  'TURNPIKE_BACKGROUND_PER_ACCOUNT',
  'TURNPIKE_BACKGROUND_PER_NODE',
  'TURNPIKE_MAX_UPLOAD_BYTES',
  'TURNPIKE_METRICS_PORT',
  'TURNPIKE_METRICS_ACCOUNTS',
  'TURNPIKE_MAX_CONNECTIONS',
  'TURNPIKE_MAX_CONNECTIONS_PER_ADDRESS',
  'TURNPIKE_ASSET_HOURS',
  'TURNPIKE_BODY_TIMEOUT_SECONDS',
  'TURNPIKE_CONNECT_TIMEOUT_SECONDS',
  'TURNPIKE_REQUEST_DEADLINE_SECONDS',
  'TURNPIKE_FIRST_BYTE_TIMEOUT_SECONDS',
  'TURNPIKE_IDLE_TIMEOUT_SECONDS',
  'TURNPIKE_HEARTBEAT_SECONDS',
  'TURNPIKE_SHUTDOWN_SECONDS',
  'TURNPIKE_DRAIN_SECONDS',
  'TURNPIKE_TIER_GRACE_DAYS',
  'TURNPIKE_SETTLEMENT_DAYS',
  'TURNPIKE_REDIS_DEADLINE_MS',
  'TURNPIKE_NODE_LEASE_SECONDS',
  'TURNPIKE_JOURNAL_MAX_AGE_SECONDS',
  // Its maximum is higher than that of the others.
  'TURNPIKE_JOURNAL_MAX_BYTES',
]
const CHOICES = [
  'TURNPIKE_SANDBOX',
  'TURNPIKE_LOG_LEVEL',
  'TURNPIKE_PROFILING',
  'TURNPIKE_LOG_FORMAT',
  'TURNPIKE_OTEL_CONTENT',
  'TURNPIKE_OTEL_TRACEPARENT',
  'TURNPIKE_JOURNAL_FSYNC',
  'TURNPIKE_TIER_DOWNGRADE',
  'TURNPIKE_REDIS_LOSS',
  'TURNPIKE_WEBHOOK_ALLOW_PRIVATE',
  'TURNPIKE_SIGN_UP',
]
const ADDRESSES = ['TURNPIKE_PUBLIC_URL', 'TURNPIKE_S3_ENDPOINT', 'TURNPIKE_OIDC_ISSUER']
// Any text is accepted. Invalid values are found when the folder, file or socket is opened.
const TEXTS = [
  'HOST',
  'TURNPIKE_DATA',
  'TURNPIKE_SUPPLY',
  'TURNPIKE_NODE_NAME',
  'TURNPIKE_METRICS_HOST',
  'TURNPIKE_OIDC_CLIENT_ID',
  'TURNPIKE_OIDC_CLIENT_SECRET',
  'TURNPIKE_OIDC_NAME',
  'TURNPIKE_MAIL_FROM',
  'TURNPIKE_RECEIPT_TEXT',
]
const OTHERS = [
  'TURNPIKE_ASSET_STORE',
  'TURNPIKE_CURRENCY_NAME',
  'TURNPIKE_SMTP_URL',
  'TURNPIKE_TRUSTED_PROXIES',
  'TURNPIKE_WELCOME_CREDIT',
  'TURNPIKE_WORKERS',
]
const SECRETS = [
  'TURNPIKE_SECRET',
  'TURNPIKE_OPERATOR_TOKEN',
  'TURNPIKE_METRICS_TOKEN',
  'TURNPIKE_BOOTSTRAP_KEY',
  'TURNPIKE_PAYMENT_WEBHOOK_SECRET',
  'DATABASE_URL',
  'REDIS_URL',
]

function refusal(name: string, value: string): string {
  try {
    readSettings({ [name]: value })
  } catch (error) {
    if (error instanceof SettingError) return error.message
  }
  throw new Error(`${name} took ${value}`)
}

for (const name of NUMBERS) {
  test(`${name} is refused with its value and its range`, () => {
    for (const value of ['-1', '1.5', 'NaN', '1e3', '9999999999999']) {
      expect(refusal(name, value)).toMatch(
        new RegExp(`^${name} is "${value}"; it must be a whole number from \\d+ to \\d+\\.$`),
      )
    }
  })
}
for (const name of CHOICES) {
  test(`${name} is refused with its choices`, () =>
    expect(refusal(name, 'maybe')).toStartWith(`${name} is "maybe"; it must be one of `))
}
for (const name of SECRETS) {
  test(`${name} is not repeated`, () => {
    expect(refusal(name, 'hush:hush')).toStartWith(name)
    expect(refusal(name, 'x:Secr3t')).not.toContain('Secr3t')
  })
}
for (const name of ['TURNPIKE_OPERATOR_TOKEN', 'TURNPIKE_BOOTSTRAP_KEY']) {
  test(`${name} allows only characters that a header can carry`, () => {
    for (const value of [
      'sk-one two three four five six seven',
      'sk-ähnlich-wie-ein-Schlüssel-nur-länger',
      `sk-${'x'.repeat(250)}`,
    ]) {
      expect(refusal(name, value)).toMatch(new RegExp(`^${name} has \\d+ characters, .* visible ASCII\\.$`))
    }
  })
}
for (const name of ADDRESSES) {
  test(`${name} must be an address, and the message does not repeat it`, () => {
    for (const value of ['no address', 'ftp://x.test', 'http://me:hush@x.test/?hush']) {
      expect(refusal(name, value)).toMatch(
        new RegExp(`^${name} is invalid; it must be an https?( or https)? address(?!.*hush)`),
      )
    }
  })
}
test.each(['10.0.0.0/8,no-address', '10.0.0.0/40', '10.0.0.1;10.0.0.2'])(
  'TURNPIKE_TRUSTED_PROXIES refuses %s',
  (value) => expect(refusal('TURNPIKE_TRUSTED_PROXIES', value)).toStartWith('TURNPIKE_TRUSTED_PROXIES has "'),
)
test('TURNPIKE_TRUSTED_PROXIES accepts addresses and networks', () => {
  const { trustedProxies } = readSettings({ TURNPIKE_TRUSTED_PROXIES: ' 10.0.0.1, 2001:db8::/32 ,' })
  expect(trustedProxies).toEqual(['10.0.0.1', '2001:db8::/32'])
})
test('TURNPIKE_CURRENCY_NAME takes up to 12 visible characters, and is USDT by default', () => {
  const read = (value?: string) => readSettings({ TURNPIKE_CURRENCY_NAME: value }).currencyName
  expect([read(), read(''), read('USD'), read('€'), read('test credits')]).toEqual([
    ...['USDT', 'USDT', 'USD', '€', 'test credits'],
  ])
  for (const value of ['x'.repeat(13), ' ', ' USD', 'USD ', 'U\tD', 'a\nb', 'a\u202eb', 'a\u0000']) {
    expect(refusal('TURNPIKE_CURRENCY_NAME', value)).toBe(
      `TURNPIKE_CURRENCY_NAME is ${JSON.stringify(value)}; it must have 1 to 12 visible characters, such as USD or credits.`,
    )
  }
})
test('every setting is in one of these lists', () => {
  const listed = [...NUMBERS, ...CHOICES, ...SECRETS, ...ADDRESSES, ...TEXTS, ...OTHERS]
  const ours = settingNames().filter((name) => name.startsWith('TURNPIKE_') || listed.includes(name))
  expect([...ours].sort()).toEqual([...listed].sort())
})
test('every error message is one line', () => {
  const listed = [...NUMBERS, ...CHOICES, ...SECRETS, ...ADDRESSES, ...OTHERS]
  for (const name of listed) expect(refusal(name, 'a\nb')).not.toContain('\n')
})
test('an operator token of fewer than 32 characters is refused', () => {
  expect(refusal('TURNPIKE_OPERATOR_TOKEN', 'x'.repeat(31))).toBe(
    'TURNPIKE_OPERATOR_TOKEN has 31 characters; it must have at least 32.',
  )
  const token = 'x'.repeat(32)
  expect(readSettings({ TURNPIKE_OPERATOR_TOKEN: token }).operatorToken).toBe(token)
})
test('the metrics port needs a token, unless only this machine reaches it', () => {
  const token = 'x'.repeat(32)
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) {
    const port = { TURNPIKE_METRICS_PORT: '9464', TURNPIKE_METRICS_HOST: host, HOST: '0.0.0.0' }
    expect(readSettings(port)).toMatchObject({ metricsPort: 9464, metricsHostname: host })
  }
  for (const host of ['0.0.0.0', '10.0.0.1', '::', 'metrics.127.0.0.1.example']) {
    const port = { TURNPIKE_METRICS_PORT: '9464', HOST: host }
    expect(() => readSettings(port)).toThrow('TURNPIKE_METRICS_TOKEN is not set')
    expect(readSettings({ ...port, TURNPIKE_METRICS_TOKEN: token }).metricsToken).toBe(token)
  }
})
test('TURNPIKE_WORKERS is 1 by default, a number, or one for each processor', () => {
  const read = (value?: string) => readSettings({ TURNPIKE_WORKERS: value }).workers
  expect([read(), read(''), read('3'), read('auto')]).toEqual([1, 1, 3, Math.min(256, countProcessors())])
  for (const value of ['0', '257', '-1', '1.5', 'Auto', 'max']) {
    expect(refusal('TURNPIKE_WORKERS', value)).toBe(
      `TURNPIKE_WORKERS is "${value}"; it must be auto or a whole number from 1 to 256.`,
    )
  }
})
test('all settings are optional', () =>
  expect(readSettings({})).toMatchObject({ port: 8080, hostname: '127.0.0.1' }))

test('the memory for bodies is a part of the memory there is, and holds at least one of the largest', () => {
  const mebibyte = 1024 * 1024
  const usual = readSettings({})
  expect(usual.maxHeldBodyBytes).toBeLessThanOrEqual(512 * mebibyte)
  expect(usual.maxHeldBodyBytes).toBeGreaterThanOrEqual(usual.maxBodyBytes)
  expect(usual.maxHeldBodyBytesPerAccount).toBe(Math.max(usual.maxBodyBytes, usual.maxHeldBodyBytes / 2))
  const large = readSettings({ TURNPIKE_MAX_BODY_BYTES: String(1024 * mebibyte) })
  expect(large).toMatchObject({
    maxHeldBodyBytes: 1024 * mebibyte,
    maxHeldBodyBytesPerAccount: 1024 * mebibyte,
  })
  for (const name of ['TURNPIKE_MAX_HELD_BODY_BYTES', 'TURNPIKE_MAX_HELD_BODY_BYTES_PER_ACCOUNT']) {
    expect(refusal(name, '1024')).toContain(`it must be a whole number from ${32 * mebibyte} to `)
  }
})

test('TURNPIKE_STORED_BYTES_PER_ACCOUNT is 1 GiB by default, and 0 means unlimited', () => {
  const read = (value?: string) =>
    readSettings({ TURNPIKE_STORED_BYTES_PER_ACCOUNT: value }).storedBytesPerAccount
  expect([read(), read('4096'), read('0')]).toEqual([1024 ** 3, 4096, null])
  expect(refusal('TURNPIKE_STORED_BYTES_PER_ACCOUNT', '1 GB')).toContain('it must be a whole number')
})
