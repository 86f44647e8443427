import type { Environment } from '../../edges/settings/read-settings.ts'
import { type Command, parseOptions } from '../command.ts'
import { callEndpoint } from '../operator-action.ts'
import { connectFromEnvironment } from '../operator-client.ts'
import { JSON_OPTION, printRows } from '../print-table.ts'

export function createDoctorCommand(environment: Environment): Command {
  return {
    name: 'doctor',
    summary: 'call every supplier of a running gateway once and show what works (--json)',
    async run(args, terminal) {
      const { json: asJson } = parseOptions(args, JSON_OPTION)
      const facts = await callEndpoint(connectFromEnvironment(environment), 'examineSupply')
      printRows({ terminal, asJson }, facts.data, {
        show: ({ supplier, credential_id, label, last_four, model, format, result, status, ...rest }) => {
          const name = label ?? credential_id
          const credential = name !== null && last_four !== null ? `${name} …${last_four}` : name
          const told = { supplier, credential, model, format, result: result.replaceAll('_', ' '), status }
          return { ...told, ms: rest.latency_ms, hint: rest.hint }
        },
        figures: ['status', 'ms'],
        empty: 'No supplier is configured.',
        facts,
      })
      // A disabled supplier is not a problem.
      return facts.data.every(({ result }) => result === 'works' || result === 'skipped') ? 0 : 1
    },
  }
}
