import { METRICS, NAME_TABLES } from '../src/edges/telemetry/otel/names.ts'
import { REQUEST_FIELDS } from '../src/edges/telemetry/request-fields.ts'

const NAMES = /<!-- names -->[\s\S]*?<!-- \/names -->/
const LOG_FIELDS = /<!-- log-fields -->[\s\S]*?<!-- \/log-fields -->/

/** The tables of names in docs/monitoring/opentelemetry.md. */
export function fillNames(text: string): string {
  const units = new Map(Object.values(METRICS).map(({ name, unit, buckets }) => [name, { unit, buckets }]))
  const tables = Object.entries(NAME_TABLES).map(([title, rows]) => {
    const isMetrics = title === 'Metrics'
    const lines = rows.map(({ name, about }) => {
      const { unit = '', buckets } = units.get(name) ?? {}
      const kind = buckets === undefined ? 'sum' : 'histogram'
      return isMetrics ? `| \`${name}\` | ${kind}, ${unit} | ${about} |` : `| \`${name}\` | ${about} |`
    })
    const head = isMetrics ? '| Name | Kind | Meaning |\n|---|---|---|' : '| Name | Meaning |\n|---|---|'
    return `### ${title}\n\n${head}\n${lines.join('\n')}\n`
  })
  return text.replace(NAMES, () => `<!-- names -->\n${tables.join('\n')}<!-- /names -->`)
}

/** The table of fields in docs/monitoring/logs.md. */
export function fillLogFields(text: string): string {
  const lines = Object.entries(REQUEST_FIELDS).map(([name, about]) => `| \`${name}\` | ${about} |\n`)
  const table = `| Field | Meaning |\n|---|---|\n${lines.join('')}`
  return text.replace(LOG_FIELDS, () => `<!-- log-fields -->\n${table}<!-- /log-fields -->`)
}
