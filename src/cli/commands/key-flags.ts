import { type KeyChange, USAGE_PERIODS } from '../../vocabulary/api-key.ts'
import type { Sent } from '../../vocabulary/shape.ts'
import type { ActionCall } from '../action-group.ts'
import { UsageError } from '../command.ts'

/** The flags that set what a key may do. */
export const KEY_FLAGS = [
  'provider',
  'usage-limit',
  'rpm',
  'tpm',
  'models',
  'budget',
  'thresholds',
  'expires-at',
  'shared-fallback',
]

const NONE = 'none'

/** What was said of a key's settings, as the operator API takes it. `none` takes a setting away. */
export function readKeyFlags(call: ActionCall): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries(
      SETTINGS.flatMap(({ flag, field, decode }) => {
        const text = call.flag(flag)
        return text === undefined ? [] : [[field, decode(text === NONE ? null : text)]]
      }),
    ),
    ...readBudget(call),
  }
}

interface Setting {
  readonly flag: string
  readonly field: keyof Sent<typeof KeyChange>
  /** Null is what `none` stands for. */
  decode(text: string | null): unknown
}

const SETTINGS: readonly Setting[] = [
  {
    flag: 'provider',
    field: 'route_policy',
    decode: (provider) =>
      provider === null ? { mode: 'intelligent' } : { mode: 'specified_provider', provider },
  },
  { flag: 'usage-limit', field: 'usage_limit', decode: (text) => text && readUsageLimit(text) },
  { flag: 'rpm', field: 'rpm', decode: (text) => text && readNumber(text, 'rpm') },
  { flag: 'tpm', field: 'tpm', decode: (text) => text && readNumber(text, 'tpm') },
  { flag: 'models', field: 'model_allowlist', decode: (text) => text && splitList(text) },
  { flag: 'expires-at', field: 'expires_at', decode: (text) => text },
  { flag: 'shared-fallback', field: 'shared_fallback', decode: readSwitch },
]

function readUsageLimit(text: string) {
  const [amount = '', period = '', ...rest] = text.split('/')
  if (amount === '' || rest.length > 0 || !(USAGE_PERIODS as readonly string[]).includes(period)) {
    throw new UsageError(
      `--usage-limit takes an amount and a period such as 5/daily (${USAGE_PERIODS.join(', ')})`,
    )
  }
  return { amount, period }
}

function readBudget(call: ActionCall): object {
  const thresholds = call.flag('thresholds')
  const amount = call.flag('budget')
  if (amount === undefined && thresholds !== undefined)
    throw new UsageError('--thresholds goes with --budget')
  if (amount === undefined) return {}
  if (amount === NONE) return { budget: null }
  return {
    budget: {
      amount,
      ...(thresholds !== undefined && {
        thresholds: splitList(thresholds).map((text) => readNumber(text, 'thresholds')),
      }),
    },
  }
}

function readSwitch(text: string | null): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new UsageError('--shared-fallback takes on or off')
}

function readNumber(text: string, flag: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${flag} takes a whole number, not '${text}'`)
  return Number(text)
}

function splitList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim())
}
