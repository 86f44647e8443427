import packageJson from '../../package.json' with { type: 'json' }
import { type Command, parseOptions, type Terminal, UsageError } from './command.ts'
import { createApplyCommand } from './commands/apply.ts'
import { createDoctorCommand } from './commands/doctor.ts'
import { createExportCommand } from './commands/export.ts'
import { createHealthCommand } from './commands/health.ts'
import { createJournalCommand } from './commands/journal.ts'
import { createLedgerCommand } from './commands/ledger.ts'
import { createModelsCommand } from './commands/models.ts'
import {
  createAlertChannelsCommand,
  createAlertsCommand,
  createSinksCommand,
} from './commands/observability.ts'
import { createPricesCommand } from './commands/prices.ts'
import { createRecordCommands } from './commands/records.ts'
import {
  createAccountsCommand,
  createKeysCommand,
  createPaymentsCommand,
  createTiersCommand,
  createUsageCommand,
  createUsersCommand,
} from './commands/resources.ts'
import { sandboxCommand } from './commands/sandbox.ts'
import { createSecretCommand } from './commands/secret.ts'
import { startCommand } from './commands/start.ts'

const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  async run(args, terminal) {
    parseOptions(args, {})
    terminal.print(`turnpike ${packageJson.version}\n`)
    return 0
  },
}

const helpCommand: Command = {
  name: 'help',
  summary: 'show this list',
  async run(args, terminal) {
    parseOptions(args, {})
    const widest = Math.max(...COMMANDS.map((command) => command.name.length))
    const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`)
    terminal.print(`Usage: turnpike [command]\n\nCommands:\n${lines.join('\n')}\n`)
    return 0
  },
}

const COMMANDS: readonly Command[] = [
  createAccountsCommand(process.env),
  createAlertChannelsCommand(process.env),
  createAlertsCommand(process.env),
  createApplyCommand(process.env),
  createDoctorCommand(process.env),
  createExportCommand(process.env),
  createHealthCommand(process.env),
  createJournalCommand(process.env),
  createKeysCommand(process.env),
  createLedgerCommand(process.env),
  createModelsCommand(process.env),
  createPaymentsCommand(process.env),
  createPricesCommand(process.env),
  ...createRecordCommands(process.env),
  sandboxCommand,
  createSecretCommand(process.env),
  createSinksCommand(process.env),
  startCommand,
  createTiersCommand(process.env),
  createUsageCommand(process.env),
  createUsersCommand(process.env),
  versionCommand,
  helpCommand,
]

/** What people type out of habit when they want a command. */
const ALIASES: Readonly<Record<string, string>> = { '--help': 'help', '-h': 'help', '--version': 'version' }

const FAILED = 1
const MISUSED = 2

/** Runs the command the arguments name, and resolves with the exit status. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  // As `npx turnpike` should.
  const [word = 'start', ...rest] = args
  try {
    return await findCommand(word).run(rest, terminal)
  } catch (error) {
    terminal.printError(`turnpike: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? MISUSED : FAILED
  }
}

function findCommand(word: string): Command {
  const name = ALIASES[word] ?? word
  const command = COMMANDS.find((candidate) => candidate.name === name)
  if (command !== undefined) return command
  const kind = word.startsWith('-') ? 'option' : 'command'
  throw new UsageError(`unknown ${kind} '${word}'; 'turnpike help' lists the commands`)
}
