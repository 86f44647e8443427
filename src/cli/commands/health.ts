import { singleAction } from '../action-group.ts'
import { codeOf, DONE, FAILED, printFailure } from '../command.ts'
import { ownAddressOf } from '../gateway-address.ts'
import { writeJson } from '../print-table.ts'

const PATIENCE_MS = 3_000

/** For container health checks: the image contains no other program. */
export const createHealthCommand = singleAction('health', {
  summary: 'check that the gateway at HOST and PORT is alive',
  switches: ['ready'],
  notes: { ready: 'check that it accepts requests' },
  examples: ['turnpike health', 'turnpike health --ready --json'],
  run: async (call) => {
    const { environment, terminal, asJson } = call
    const url = `${ownAddressOf(environment)}${call.has('ready') ? '/readyz' : '/healthz'}`
    const { isGood, text } = await ask(url)
    if (isGood) terminal.print(asJson ? writeJson({ url, answer: text }) : `${text}\n`)
    else printFailure(call, { message: `${url} ${text}`, code: 'unhealthy' })
    return isGood ? DONE : FAILED
  },
})

async function ask(url: string): Promise<{ readonly isGood: boolean; readonly text: string }> {
  try {
    // Proxy settings are for suppliers, not for this machine.
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), proxy: false })
    const text = (await response.text()).trim()
    return { isGood: response.ok, text: response.ok ? text : `answers ${response.status}: ${text}` }
  } catch (error) {
    return { isGood: false, text: `does not answer (${codeOf(error, 'no reason given')})` }
  }
}
