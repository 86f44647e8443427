import { run } from '../../../src/cli/run.ts'

/**
 * Runs `turnpike` for the shell of a test: one process for all commands of the documentation, because a process for each
 * would take half a second. Gets the number of words, the words and the environment, and answers with what was printed
 * and, as the last line, the exit status.
 */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: async (request) => {
    const [count = '0', ...rest] = (await request.text()).split('\0')
    const words = rest.slice(0, Number(count))
    takeEnvironment(rest.slice(Number(count)))
    let printed = ''
    const print = (text: string) => {
      printed += text
    }
    const status = await run(words, { print, printError: print, untilInterrupted: async () => {} })
    return new Response(`${printed}\n${status}`)
  },
})

function takeEnvironment(given: readonly string[]): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const each of given) {
    const end = each.indexOf('=')
    if (end > 0) process.env[each.slice(0, end)] = each.slice(end + 1)
  }
}

console.log(`port ${server.port}`)
