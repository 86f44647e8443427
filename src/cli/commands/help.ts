import type { Command } from '../command.ts'
import { parseOptions } from '../parse-options.ts'

export function createHelpCommand(others: readonly Command[]): Command {
  const help: Command = {
    name: 'help',
    summary: 'show this list',
    async run(args, terminal) {
      parseOptions(args, {})
      terminal.print(describe([...others, help]))
      return 0
    },
  }
  return help
}

function describe(commands: readonly Command[]): string {
  const widest = Math.max(...commands.map((command) => command.name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`)
  return `Usage: turnpike <command>\n\nCommands:\n${lines.join('\n')}\n`
}
