import type { Environment } from '../../edges/settings/read-settings.ts'
import type { Findings } from '../../gateway/ports/diagnostics.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import type { Command } from '../command.ts'
import { connectFromEnvironment } from '../operator-client.ts'
import { parseOptions } from '../parse-options.ts'
import { type Column, JSON_OPTION, printTable } from '../print-table.ts'

type Answer = Shown<typeof Findings>
type Finding = Answer['data'][number]

const COLUMNS: readonly Column<Finding>[] = [
  { title: 'supplier', cell: ({ supplier }) => supplier },
  { title: 'credential', cell: nameCredential },
  { title: 'model', cell: ({ model }) => model },
  { title: 'format', cell: ({ format }) => format },
  { title: 'result', cell: ({ result }) => result.replaceAll('_', ' ') },
  { title: 'status', cell: ({ status }) => status, align: 'right' },
  { title: 'ms', cell: ({ latency_ms }) => latency_ms, align: 'right' },
  { title: 'hint', cell: ({ hint }) => hint },
]

export const doctorCommand = createDoctorCommand(process.env)

export function createDoctorCommand(environment: Environment): Command {
  return {
    name: 'doctor',
    summary: 'call every supplier of a running gateway once and tell what works (--json)',
    async run(args, terminal) {
      const { json: asJson } = parseOptions(args, JSON_OPTION)
      const client = connectFromEnvironment(environment)
      const findings = await client.call<Answer>('POST', '/doctor')
      const table = { rows: findings.data, columns: COLUMNS, empty: 'No supplier is configured.' }
      printTable(terminal, table, { asJson, facts: findings })
      return findings.data.every(isFine) ? 0 : 1
    },
  }
}

/** What somebody has switched off is no fault. */
function isFine({ result }: Finding): boolean {
  return result === 'works' || result === 'skipped'
}

function nameCredential({ credential_id, label, last_four }: Finding): string | null {
  const name = label ?? credential_id
  return name !== null && last_four !== null ? `${name} …${last_four}` : name
}
