import { type Command, parseOptions } from '../command.ts'

/** How many calls to suppliers may be under way at once; Bun's own limit is 256. Read once, when a process begins. */
const CALL_LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
const MOST_CALLS = '65535'

export const startCommand: Command = {
  name: 'start',
  summary: 'start the gateway; settings come from the environment',
  async run(args) {
    parseOptions(args, {})
    if (!process.env[CALL_LIMIT]) beginAnew()
    // Loaded only now: every other command does without the gateway.
    await import('../../main.ts')
    return 0
  },
}

/** Becomes the same program with the limit raised; the process stays the same one to whoever started it. */
function beginAnew(): void {
  const program = Bun.isStandaloneExecutable ? [] : [...process.execArgv, Bun.main]
  process.execve?.(process.execPath, ['turnpike', ...program, 'start'], {
    ...process.env,
    [CALL_LIMIT]: MOST_CALLS,
  })
}
