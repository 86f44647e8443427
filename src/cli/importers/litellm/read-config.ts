import { parse, YAMLParseError } from 'yaml'
import { UsageError } from '../../command.ts'

export type Fields = Readonly<Record<string, unknown>>

/** One entry of `model_list`: a model as clients name it, and one place that serves it. */
export interface Deployment {
  /** Its place in the file, for messages. */
  readonly at: string
  readonly modelName: string
  readonly params: Fields
  readonly info: Fields
}

/** A LiteLLM proxy configuration, as far as it has a meaning here. */
export interface LitellmConfig {
  readonly deployments: readonly Deployment[]
  readonly router: Fields
  readonly settings: Fields
  readonly general: Fields
  /** Parts of the file that are read nowhere. */
  readonly others: readonly string[]
}

const SECTIONS = ['model_list', 'router_settings', 'litellm_settings', 'general_settings']

export function readConfig(text: string, name: string): LitellmConfig {
  const value = fieldsOf(parseYaml(text, name))
  const list = Array.isArray(value.model_list) ? value.model_list : []
  if (list.length === 0)
    throw new UsageError(`${name} has no model_list, so it is not a configuration of a LiteLLM proxy`)
  return {
    deployments: list.map(fieldsOf).map((entry, place) => ({
      at: `model_list[${place}]`,
      modelName: textOf(entry.model_name) ?? '',
      params: fieldsOf(entry.litellm_params),
      info: fieldsOf(entry.model_info),
    })),
    router: fieldsOf(value.router_settings),
    settings: fieldsOf(value.litellm_settings),
    general: fieldsOf(value.general_settings),
    others: Object.keys(value).filter((section) => !SECTIONS.includes(section)),
  }
}

function parseYaml(text: string, name: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? []
    throw new UsageError(`${name}:${line}:${col} is not valid YAML`)
  }
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** A whole number above zero. */
export function countOf(value: unknown): number | null {
  const count = typeof value === 'string' ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : null
}

/**
 * A price per token as a decimal text for a million tokens. Shifting the point is exact; multiplying is not.
 * Null when it is no price.
 */
export function perMillion(value: unknown): string | null {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return null
  const [mantissa = '0', exponent = '0'] = String(number).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  const point = whole.length + Number(exponent) + 6
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), '0').padEnd(point, '0')
  const shift = Math.max(1, point)
  const decimals = padded.slice(shift).replace(/0+$/, '')
  const integer = padded.slice(0, shift).replace(/^0+(?=\d)/, '')
  return decimals === '' ? integer : `${integer}.${decimals}`
}

const ENVIRONMENT = 'os.environ/'

/** What stands for a secret in a supply file; null when the value is a secret in clear. */
export function referenceOf(value: string): string | null {
  return value.startsWith(ENVIRONMENT) ? `\${${value.slice(ENVIRONMENT.length)}}` : null
}

/** The values of a text that is not secret: a reference to the environment stays one. */
export function plainOf(value: unknown): string | null {
  const text = textOf(value)
  return text === null ? null : (referenceOf(text) ?? text)
}
