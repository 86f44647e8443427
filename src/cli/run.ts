import packageJson from '../../package.json' with { type: 'json' }
import type { Environment } from '../edges/settings/read-settings.ts'
import { singleAction } from './action-group.ts'
import {
  type Command,
  type CommandDefinition,
  DONE,
  errorCodeOf,
  FAILED,
  MISUSED,
  printFailure,
  type Terminal,
  UsageError,
} from './command.ts'
import { completionCommand } from './commands/completion.ts'
import { createDoctorCommand } from './commands/doctor.ts'
import { createExportCommand } from './commands/export.ts'
import { createHealthCommand } from './commands/health.ts'
import { createJournalCommand } from './commands/journal.ts'
import { createLedgerCommand } from './commands/ledger.ts'
import { createBackupCommand, createRestoreCommand } from './commands/local/backup.ts'
import { createOperatorCommand } from './commands/local/operator.ts'
import {
  createAlertChannelsCommand,
  createAlertsCommand,
  createSinksCommand,
} from './commands/observability.ts'
import { createRecordCommands } from './commands/records.ts'
import {
  createAccountsCommand,
  createKeysCommand,
  createPaymentsCommand,
  createTiersCommand,
  createUsageCommand,
  createUsersCommand,
} from './commands/resources.ts'
import { createSandboxCommand } from './commands/sandbox.ts'
import { createSecretCommand } from './commands/secret.ts'
import { createStartCommand } from './commands/start.ts'
import { createStatusCommand } from './commands/status.ts'
import { createApplyCommand } from './commands/supply/apply.ts'
import { createImportCommand } from './commands/supply/import.ts'
import { createModelsCommand } from './commands/supply/models.ts'
import { createPricesCommand } from './commands/supply/prices.ts'
import { createSuppliersCommand } from './commands/supply/suppliers.ts'
import { parseWords } from './parser/parse-words.ts'
import { writeJson } from './print-table.ts'

const createVersionCommand = singleAction('version', {
  summary: 'print the version',
  examples: ['turnpike version', 'turnpike --version'],
  run: async ({ terminal, asJson }) => {
    const { version } = packageJson
    terminal.print(asJson ? writeJson({ version }) : `turnpike ${version}\n`)
    return DONE
  },
})

const createHelpCommand = singleAction('help', {
  summary: 'list the commands, or explain one',
  optionalWords: ['command', 'word'],
  notes: { command: 'what to explain', word: 'what of it' },
  examples: ['turnpike help', 'turnpike help keys create', 'turnpike keys create --help'],
  hasJson: false,
  run: async ({ terminal, flag }) => {
    const words = [flag('command'), flag('word')].filter((word) => word !== undefined)
    terminal.print(helpFor(words, terminal))
    return DONE
  },
})

const LISTED: readonly ((environment: Environment) => Command | readonly Command[])[] = [
  createAccountsCommand,
  createAlertChannelsCommand,
  createAlertsCommand,
  createApplyCommand,
  createBackupCommand,
  completionCommand(allDefinitions),
  createDoctorCommand,
  createExportCommand,
  createHealthCommand,
  createImportCommand,
  createJournalCommand,
  createKeysCommand,
  createLedgerCommand,
  createModelsCommand,
  createOperatorCommand,
  createPaymentsCommand,
  createPricesCommand,
  createRecordCommands,
  createRestoreCommand,
  createSandboxCommand,
  createSecretCommand,
  createSinksCommand,
  createStartCommand,
  createStatusCommand,
  createSuppliersCommand,
  createTiersCommand,
  createUsageCommand,
  createUsersCommand,
  createVersionCommand,
  createHelpCommand,
]

const COMMANDS: readonly Command[] = LISTED.flatMap((create) => create(process.env))

/** Every command, for the shells' completion and for the reference. */
export function allDefinitions(): readonly CommandDefinition[] {
  return COMMANDS.map(({ definition }) => definition)
}

/** Runs the command the arguments name, and resolves with the exit status. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  // As `npx turnpike` should.
  const [word = 'start', ...rest] = args
  try {
    const command = COMMANDS.find(({ name }) => name === word)
    if (command !== undefined) return await command.run(rest, terminal)
    terminal.print(helpFor(args, terminal))
    return DONE
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    printFailure({ terminal, asJson: args.includes('--json') }, { message, code: errorCodeOf(error) })
    return error instanceof UsageError ? MISUSED : FAILED
  } finally {
    terminal.showProgress?.(null)
  }
}

/** The list of commands, or what is said of one; or the version. Throws when the words name nothing. */
function helpFor(words: readonly string[], { columns: width }: Terminal): string {
  const isOption = words[0]?.startsWith('-') === true
  const asked = isOption ? words : [...words, '--help']
  if (!isOption) requireCommand(words[0])
  const parsed = parseWords(allDefinitions(), asked, { width, version: packageJson.version })
  return 'help' in parsed ? parsed.help : ''
}

/** An unknown command is a mistake, not a wish for the list. */
function requireCommand(word: string | undefined): void {
  if (word === undefined || COMMANDS.some(({ name }) => name === word)) return
  // Throws, with the name that is most like it.
  parseWords(allDefinitions(), [word])
}
