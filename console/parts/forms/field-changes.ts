export interface FieldChange {
  /** `price.input`, or `price.variants[0].input` in a list. */
  readonly path: string
  /** Undefined if the field was added or removed. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The fields in which two objects differ, with full paths, in order of appearance. */
export function listChanges(before: unknown, after: unknown): FieldChange[] {
  const from = new Map(flatten(before, ''))
  const to = new Map(flatten(after, ''))
  const paths = [...new Set([...from.keys(), ...to.keys()])]
  return paths
    .map((path) => ({ path, before: from.get(path), after: to.get(path) }))
    .filter((change) => change.before !== change.after)
}

// Words that are not written as they are spelled in a field.
const WRITTEN = new Map([
  ['id', 'ID'],
  ['url', 'URL'],
  ['rpm', 'RPM'],
  ['tpm', 'TPM'],
])

/** A path in words: `Price › variants 1 › cache read` for `price.variants[0].cache_read`. */
export function describePath(path: string): string {
  const steps = path.split('.').map((step) =>
    step
      .replace(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
      .split(/[_ ]/)
      .map((word) => WRITTEN.get(word) ?? word)
      .join(' '),
  )
  const words = steps.join(' › ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Every field of an object as text. */
export function listFields(value: unknown): readonly [path: string, text: string][] {
  return flatten(value, '')
}

function flatten(value: unknown, path: string): [string, string][] {
  if (value === null || value === undefined) return path === '' ? [] : [[path, 'none']]
  if (isFields(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      flatten(inner, path === '' ? name : `${path}.${name}`),
    )
  }
  if (Array.isArray(value) && value.some(isFields)) {
    return value.flatMap((item, index) => flatten(item, `${path}[${index}]`))
  }
  return [[path === '' ? 'value' : path, describe(value)]]
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : value
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || '[]'
  return JSON.stringify(value)
}
