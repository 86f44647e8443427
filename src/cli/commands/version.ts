import packageJson from '../../../package.json' with { type: 'json' }
import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  async run(args, terminal) {
    parseOptions(args, {})
    terminal.print(`turnpike ${packageJson.version}\n`)
    return 0
  },
}
