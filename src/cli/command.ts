/** What a command, or one action of several, takes and does: parser, help, completion and reference follow from it. */
export interface ActionDefinition {
  readonly summary: string
  /** What must be said without a flag, in this order, and what may follow it. */
  readonly words?: readonly string[]
  readonly optionalWords?: readonly string[]
  /** Flags that take a value: those that must be given, and those that may. */
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  /** Flags without a value. */
  readonly switches?: readonly string[]
  /** Those of `optional` that may be given several times. */
  readonly repeated?: readonly string[]
  /** The values that a word or a flag may have, where these are few. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** What words and flags mean. */
  readonly notes?: Readonly<Record<string, string>>
  /** Whole command lines. When absent, one follows from the words and the required flags. */
  readonly examples?: readonly string[]
  /** What words and flags may look like, for the example that is made; and which optional flags it shows. */
  readonly samples?: Readonly<Record<string, string>>
  readonly shownFlags?: readonly string[]
  /** Values that a shell offers for a flag; whether another is right, is for the gateway to say. */
  readonly suggestions?: Readonly<Record<string, readonly string[]>>
  /** Earlier names, which still work. */
  readonly aliases?: readonly string[]
  /** False when its output is not for programs, so that there is no `--json`. */
  readonly hasJson?: boolean
  /** Whether it also works without a gateway, on the database of the environment. */
  readonly worksOffline?: boolean
  /** What is said of words that make no sense; when absent, the usage. */
  readonly misuse?: string
}

export interface CommandDefinition {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** By the word that asks for it; a command that does only one thing has it under an empty word. */
  readonly actions: Readonly<Record<string, ActionDefinition>>
  /** What is said when the first word is none of the actions. */
  readonly misuse?: string
}

/** The word of the only action of a command that takes no such word. */
export const ONLY = ''

/** One thing a person can ask of the program by name. */
export interface Command {
  readonly name: string
  readonly summary: string
  readonly definition: CommandDefinition
  /** Throws a UsageError when the arguments make no sense; otherwise resolves with the exit status. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

export interface Terminal {
  print(text: string): void
  printError(text: string): void
  /** Replaces the line that tells how far long work has come; null removes it. Absent where nobody watches. */
  showProgress?(line: string | null): void
  /** How many letters fit into a line; absent: it is not known. */
  readonly columns?: number | undefined
  /** Resolves when the person asks the program to stop. */
  untilInterrupted(): Promise<void>
}

export const DONE = 0
export const FAILED = 1
export const MISUSED = 2

/** What the program tells its caller by its exit status. */
export const EXIT_STATUSES: Readonly<Record<number, string>> = {
  [DONE]: 'Done. For `health`, `doctor`, `status` and `ledger verify`: all is well.',
  [FAILED]:
    'Failed: the gateway refused or did not answer, or a file or the database could not be used. `health`: not alive, or with `--ready` not ready. `doctor`: a supplier does not work. `status`: something needs attention. `ledger verify`: the ledger is not consistent. `journal replay`: the database refused something.',
  [MISUSED]:
    'Misused: an unknown command or flag, a missing word, or a value that makes no sense. Nothing was done.',
}

/** The person typed something that cannot be done; the message is one line that names it. */
export class UsageError extends Error {}

/** For programs that read the errors of `--json`. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof UsageError) return 'misused'
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : 'failed'
}

/** Tells that something failed, in a line for people or as JSON for programs. */
export function printFailure(
  { terminal, asJson }: { readonly terminal: Terminal; readonly asJson: boolean },
  { message, code }: { readonly message: string; readonly code: string },
): void {
  terminal.printError(asJson ? `${JSON.stringify({ error: { message, code } })}\n` : `turnpike: ${message}\n`)
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port must be a number from 0 to 65535, not '${text}'`)
}

/** Of a failure of the operating system, such as `ENOENT`. */
export function codeOf(error: unknown, otherwise = 'unknown error'): string {
  return error instanceof Error && 'code' in error ? String(error.code) : otherwise
}
