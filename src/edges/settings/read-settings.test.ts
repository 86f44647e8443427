import { expect, test } from 'bun:test'
import { readSettings, SettingError } from './read-settings.ts'

const NUMBERS = [
  'PORT',
  'TURNPIKE_MAX_BODY_BYTES',
  'TURNPIKE_MAX_UPLOAD_BYTES',
  'TURNPIKE_ASSET_HOURS',
  'TURNPIKE_BODY_TIMEOUT_SECONDS',
  'TURNPIKE_FIRST_BYTE_TIMEOUT_SECONDS',
  'TURNPIKE_IDLE_TIMEOUT_SECONDS',
  'TURNPIKE_HEARTBEAT_SECONDS',
  'TURNPIKE_SHUTDOWN_SECONDS',
  'TURNPIKE_TIER_GRACE_DAYS',
]
const CHOICES = [
  'TURNPIKE_SANDBOX',
  'TURNPIKE_LOG_LEVEL',
  'TURNPIKE_JOURNAL_FSYNC',
  'TURNPIKE_TIER_DOWNGRADE',
]
const SECRETS = [
  'TURNPIKE_SECRET',
  'TURNPIKE_OPERATOR_TOKEN',
  'TURNPIKE_BOOTSTRAP_KEY',
  'TURNPIKE_PAYMENT_WEBHOOK_SECRET',
  'DATABASE_URL',
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
  test(`${name} says what it got and takes`, () => {
    for (const value of ['-1', '1.5', 'NaN', '1e3', '99999999999']) {
      expect(refusal(name, value)).toMatch(
        new RegExp(`^${name} is "${value}"; it takes a whole number from \\d+ to \\d+\\.$`),
      )
    }
  })
}
for (const name of CHOICES) {
  test(`${name} names its choices`, () =>
    expect(refusal(name, 'maybe')).toStartWith(`${name} is "maybe"; it takes one of `))
}
for (const name of SECRETS) {
  test(`${name} is not repeated`, () => {
    expect(refusal(name, 'hush:hush')).toStartWith(name)
    expect(refusal(name, 'x:Secr3t')).not.toContain('Secr3t')
  })
}
for (const name of ['TURNPIKE_OPERATOR_TOKEN', 'TURNPIKE_BOOTSTRAP_KEY']) {
  test(`${name} takes only what a header can carry`, () => {
    for (const value of [
      'sk-one two three four five',
      'sk-ähnlich-wie-ein-Schlüssel',
      `sk-${'x'.repeat(250)}`,
    ]) {
      expect(refusal(name, value)).toMatch(new RegExp(`^${name} has \\d+ characters, .* visible ASCII\\.$`))
    }
  })
}
test('nothing set is enough', () =>
  expect(readSettings({})).toMatchObject({ port: 8080, hostname: '127.0.0.1' }))
