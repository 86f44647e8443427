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
