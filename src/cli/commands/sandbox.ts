import { singleAction } from '../action-group.ts'
import { DONE, parsePort } from '../command.ts'
import { writeJson } from '../print-table.ts'

const DEFAULT_PORT = '9000'
const EXAMPLE_KEY = 'sk-sandbox-local'

export const createSandboxCommand = singleAction('sandbox', {
  summary: 'start a simulated model supplier on this machine',
  optional: ['port'],
  notes: { port: `where it listens; ${DEFAULT_PORT} when left out, 0 for any free port` },
  examples: ['turnpike sandbox', 'turnpike sandbox --port 9001'],
  run: async ({ terminal, flag, asJson }) => {
    const port = parsePort(flag('port') ?? DEFAULT_PORT)
    const { startSandbox } = await import('../../sandbox/server.ts')
    const sandbox = startSandbox({ port })
    const facts = {
      base_url: `${sandbox.url}/v1`,
      key: EXAMPLE_KEY,
      faults_url: `${sandbox.url}/sandbox/faults`,
    }
    terminal.print(asJson ? writeJson(facts) : welcome(sandbox.url))
    await terminal.untilInterrupted()
    await sandbox.stop()
    return DONE
  },
})

function welcome(url: string): string {
  return `Sandbox supplier is running. Stop it with Ctrl-C.

  base URL  ${url}/v1
  key       ${EXAMPLE_KEY}  (any key that starts with sk-sandbox)
  images    models sandbox-image and sandbox-image-base64 at ${url}/v1/images/generations and /edits
  faults    ${url}/sandbox/faults  (GET, PUT, DELETE)

Try it:

  curl ${url}/v1/chat/completions -H 'authorization: Bearer ${EXAMPLE_KEY}' -H 'content-type: application/json' -d '{"model":"sandbox-chat","messages":[{"role":"user","content":"Hello"}]}'
`
}
