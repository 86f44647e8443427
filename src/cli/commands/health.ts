import type { Environment } from '../../edges/settings/read-settings.ts'
import { type Command, codeOf, parseOptions } from '../command.ts'

const USUAL_HOST = '127.0.0.1'
const USUAL_PORT = '8080'
const PATIENCE_MS = 3_000

/** Addresses that mean all of a machine's: one listens there, but calls the machine itself. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** For containers, whose health check needs a program and whose image has no other. */
export function createHealthCommand(environment: Environment): Command {
  return {
    name: 'health',
    summary: 'ask the gateway at HOST and PORT whether it lives (--ready: whether it takes requests)',
    async run(args, terminal) {
      const { ready } = parseOptions(args, { ready: { type: 'boolean', default: false } })
      const url = `${addressOf(environment)}${ready ? '/readyz' : '/healthz'}`
      const answer = await ask(url)
      if (answer.isGood) terminal.print(`${answer.text}\n`)
      else terminal.printError(`turnpike: ${url} ${answer.text}\n`)
      return answer.isGood ? 0 : 1
    },
  }
}

function addressOf(environment: Environment): string {
  const host = environment.HOST || USUAL_HOST
  const callable = EVERY_ADDRESS[host] ?? host
  const inUrl = callable.includes(':') ? `[${callable}]` : callable
  return `http://${inUrl}:${environment.PORT || USUAL_PORT}`
}

async function ask(url: string): Promise<{ readonly isGood: boolean; readonly text: string }> {
  try {
    // A proxy of the environment is for suppliers; it does not lead to this machine.
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), proxy: false })
    const text = (await response.text()).trim()
    return { isGood: response.ok, text: response.ok ? text : `answers ${response.status}: ${text}` }
  } catch (error) {
    return { isGood: false, text: `does not answer (${codeOf(error, 'no reason given')})` }
  }
}
