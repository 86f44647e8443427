import { beginAnew } from '../begin-anew.ts'
import { type Command, parseOptions } from '../command.ts'

export const startCommand: Command = {
  name: 'start',
  summary: 'start the gateway; settings come from the environment. Also without any command',
  async run(args) {
    parseOptions(args, {})
    beginAnew([...(Bun.isStandaloneExecutable ? [] : [...process.execArgv, Bun.main]), 'start'])
    // Loaded here, because no other command needs the gateway.
    await import('../../main.ts')
    return 0
  },
}
