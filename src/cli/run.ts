import { type Command, type Terminal, UsageError } from './command.ts'
import { createAccountsCommand } from './commands/accounts.ts'
import { applyCommand } from './commands/apply.ts'
import { doctorCommand } from './commands/doctor.ts'
import { createExportCommand } from './commands/export.ts'
import { createHealthCommand } from './commands/health.ts'
import { createHelpCommand } from './commands/help.ts'
import { createJournalCommand } from './commands/journal.ts'
import { createKeysCommand } from './commands/keys.ts'
import { createLedgerCommand } from './commands/ledger.ts'
import { modelsCommand } from './commands/models.ts'
import { createPaymentsCommand } from './commands/payments.ts'
import { sandboxCommand } from './commands/sandbox.ts'
import { secretCommand } from './commands/secret.ts'
import { startCommand } from './commands/start.ts'
import { createTiersCommand } from './commands/tiers.ts'
import { createUsageCommand } from './commands/usage.ts'
import { createUsersCommand } from './commands/users.ts'
import { versionCommand } from './commands/version.ts'

const NAMED_COMMANDS: readonly Command[] = [
  createAccountsCommand(process.env),
  applyCommand,
  doctorCommand,
  createExportCommand(process.env),
  createHealthCommand(process.env),
  createJournalCommand(process.env),
  createKeysCommand(process.env),
  createLedgerCommand(process.env),
  modelsCommand,
  createPaymentsCommand(process.env),
  sandboxCommand,
  secretCommand,
  startCommand,
  createTiersCommand(process.env),
  createUsageCommand(process.env),
  createUsersCommand(process.env),
  versionCommand,
]
const COMMANDS: readonly Command[] = [...NAMED_COMMANDS, createHelpCommand(NAMED_COMMANDS)]

/** What people type out of habit when they want a command. */
const ALIASES: Readonly<Record<string, string>> = { '--help': 'help', '-h': 'help', '--version': 'version' }

const FAILED = 1
const MISUSED = 2

/** Runs the command the arguments name, and resolves with the exit status. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [word = 'help', ...rest] = args
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
