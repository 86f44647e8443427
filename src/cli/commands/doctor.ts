import { singleAction } from '../action-group.ts'
import { DONE, FAILED } from '../command.ts'
import { callEndpoint } from '../operator-action.ts'
import { printRows } from '../print-table.ts'

export const createDoctorCommand = singleAction('doctor', {
  summary: 'call every supplier of a running gateway once and show what works; the suppliers charge for it',
  examples: ['turnpike doctor', 'turnpike doctor --json'],
  run: async (call) => {
    const { client } = call
    call.terminal.showProgress?.('Calling every supplier …')
    const facts = await callEndpoint(client, 'examineSupply')
    printRows(call, facts.data, {
      show: ({ supplier, credential_id, label, last_four, model, format, result, status, ...rest }) => {
        const name = label ?? credential_id
        const credential = name !== null && last_four !== null ? `${name} …${last_four}` : name
        const told = { supplier, credential, model, format, result: words(result), status }
        return { ...told, ms: rest.latency_ms, hint: rest.hint }
      },
      figures: ['status', 'ms'],
      empty: 'No supplier is configured.',
      facts,
    })
    if (!call.asJson && facts.platform.length > 0) {
      call.terminal.print('\n')
      printRows(call, facts.platform, {
        show: ({ part, id, problem, hint }) => ({ part: words(part), id, problem: words(problem), hint }),
        empty: '',
      })
    }
    // A disabled supplier is not a problem, and what was lost cannot be repaired.
    const isWell = facts.data.every(({ result }) => result === 'works' || result === 'skipped')
    return isWell && facts.platform.every(({ problem }) => problem === 'has_lost') ? DONE : FAILED
  },
})

function words(code: string): string {
  return code.replaceAll('_', ' ')
}
