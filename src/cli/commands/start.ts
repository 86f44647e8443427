import { type Command, parseOptions } from '../command.ts'

/** How many calls to suppliers may run at once; Bun's default is 256. Read once, at process start. */
const CALL_LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
const MOST_CALLS = '65535'

export const startCommand: Command = {
  name: 'start',
  summary: 'start the gateway; settings come from the environment',
  async run(args) {
    parseOptions(args, {})
    if (!process.env[CALL_LIMIT]) beginAnew()
    // Loaded here, because no other command needs the gateway.
    await import('../../main.ts')
    return 0
  },
}

/** Replaces this process with the same program and a higher limit, so that its process id stays the same. */
function beginAnew(): void {
  const program = Bun.isStandaloneExecutable ? [] : [...process.execArgv, Bun.main]
  process.execve?.(process.execPath, ['turnpike', ...program, 'start'], {
    ...process.env,
    [CALL_LIMIT]: MOST_CALLS,
  })
}
