import type { KeyCreate, UsagePeriod } from '../../../vocabulary/api-key.ts'
import type { Sent } from '../../../vocabulary/shape.ts'
import { UsageError } from '../../command.ts'
import type { Findings } from './findings.ts'
import { countOf, type Fields, fieldsOf, textOf } from './read-config.ts'

export interface ImportedKey {
  /** Its place in the file, for messages. */
  readonly at: string
  readonly settings: Sent<typeof KeyCreate>
}

/** Virtual keys of a LiteLLM proxy, as its `/key/list?return_full_object=true` shows them. */
export function readKeys(text: string, name: string, findings: Findings): ImportedKey[] {
  const list = fieldsOf(parseJson(text, name)).keys
  if (!Array.isArray(list))
    throw new UsageError(`${name} has no keys: save what /key/list?return_full_object=true answers`)
  return list.map(fieldsOf).flatMap((key, place) => {
    const at = `keys[${place}]`
    if (key.blocked === true) {
      findings.leftOut(at, 'It is blocked.')
      return []
    }
    return [{ at, settings: readKey(key, at, findings) }]
  })
}

function readKey(key: Fields, at: string, findings: Findings): ImportedKey['settings'] {
  const name = textOf(key.key_alias) ?? textOf(key.key_name) ?? at
  const models = Array.isArray(key.models) ? key.models.flatMap((model) => textOf(model) ?? []) : []
  const allowed = models.filter((model) => !model.startsWith('all-'))
  const limit = usageLimitOf(key, at, findings)
  const rpm = countOf(key.rpm_limit)
  const tpm = countOf(key.tpm_limit)
  const expires = textOf(key.expires)
  const expiresAt = expires === null ? Number.NaN : Date.parse(expires)
  return {
    name: name.slice(0, 100),
    ...(allowed.length > 0 && { model_allowlist: allowed }),
    ...(rpm !== null && { rpm }),
    ...(tpm !== null && { tpm }),
    ...(limit !== null && { usage_limit: limit }),
    ...(!Number.isNaN(expiresAt) && { expires_at: new Date(expiresAt).toISOString() }),
  }
}

/** LiteLLM counts a duration from the key's creation; limits here follow the calendar. */
function usageLimitOf(key: Fields, at: string, findings: Findings) {
  const budget = key.max_budget
  if (typeof budget !== 'number' || !(budget >= 0)) return null
  const duration = textOf(key.budget_duration)
  const period = periodOf(duration)
  if (duration !== null && !['1d', '24h', '7d', '30d', '1mo'].includes(duration))
    findings.changed(at, `Its budget of ${duration} becomes a ${period} limit.`)
  return { period, amount: budget.toFixed(9).replace(/\.?0+$/, '') }
}

const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1_440, h: 1 / 24, d: 1, w: 7, mo: 30 }

function periodOf(duration: string | null): UsagePeriod {
  if (duration === null) return 'forever'
  const [, count = '30', unit = 'd'] = /^(\d+)(mo|[smhdw])$/.exec(duration) ?? []
  const days = Number(count) * (DAYS[unit] ?? 30)
  if (days <= 1) return 'daily'
  return days <= 7 ? 'weekly' : 'monthly'
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${name} is not JSON`)
  }
}
