import type { Environment } from '../../edges/settings/read-settings.ts'
import { type Command, codeOf, parseOptions } from '../command.ts'

const USUAL_HOST = '127.0.0.1'
const USUAL_PORT = '8080'
const PATIENCE_MS = 3_000

/** Addresses for listening on all interfaces; to call the gateway, use the loopback address instead. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** For container health checks: the image contains no other program. */
export function createHealthCommand(environment: Environment): Command {
  return {
    name: 'health',
    summary: 'check that the gateway at HOST and PORT is alive (--ready: that it accepts requests)',
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
    // Proxy settings are for suppliers, not for this machine.
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), proxy: false })
    const text = (await response.text()).trim()
    return { isGood: response.ok, text: response.ok ? text : `answers ${response.status}: ${text}` }
  } catch (error) {
    return { isGood: false, text: `does not answer (${codeOf(error, 'no reason given')})` }
  }
}
