import { type ParseArgsConfig, parseArgs } from 'node:util'

/** One thing a person can ask of the program by name. */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Throws a UsageError when the arguments make no sense; otherwise resolves with the exit status. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

export interface Terminal {
  print(text: string): void
  printError(text: string): void
  /** Resolves when the person asks the program to stop. */
  untilInterrupted(): Promise<void>
}

/** The person typed something that cannot be done; the message is one line that names it. */
export class UsageError extends Error {}

/** Reads a command's flags. Words without a flag are refused: no command takes any. */
export function parseOptions<const T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(firstSentence(error))
  }
}

// The parser also explains how to escape arguments, which takes several lines and does not help here.
export function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split(/\.\s|\n/)[0] ?? message
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
