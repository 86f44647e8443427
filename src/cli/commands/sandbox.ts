import { type Command, parseOptions, parsePort } from '../command.ts'

const DEFAULT_PORT = '9000'
const EXAMPLE_KEY = 'sk-sandbox-local'

export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'start a simulated model supplier on this machine (--port 9000)',
  async run(args, terminal) {
    const { port } = parseOptions(args, { port: { type: 'string', default: DEFAULT_PORT } })
    const { startSandbox } = await import('../../sandbox/server.ts')
    const sandbox = startSandbox({ port: parsePort(port) })
    terminal.print(welcome(sandbox.url))
    await terminal.untilInterrupted()
    await sandbox.stop()
    return 0
  },
}

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
