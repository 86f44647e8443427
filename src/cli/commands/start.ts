import { singleAction } from '../action-group.ts'
import { beginAnew } from '../begin-anew.ts'
import { DONE } from '../command.ts'

export const createStartCommand = singleAction('start', {
  summary: 'start the gateway; its settings come from the environment. Also without any command',
  examples: ['turnpike start', 'PORT=9090 TURNPIKE_DATA=/var/lib/turnpike turnpike start'],
  hasJson: false,
  run: async () => {
    beginAnew([...(Bun.isStandaloneExecutable ? [] : [...process.execArgv, Bun.main]), 'start'])
    // Loaded here, because no other command needs the gateway.
    await import('../../main.ts')
    return DONE
  },
})
