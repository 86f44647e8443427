export interface LineError {
  /** As the gateway counts: the line of names is 1. */
  readonly line: number
  readonly message: string
}

export interface LineErrors {
  readonly errors: readonly LineError[]
  /** How many more lines are wrong than were told. */
  readonly more: number
}

/** Takes apart how the gateway refuses a payment file; null when the refusal names no line. */
export function readLineErrors(message: string): LineErrors | null {
  const more = Number(/ And (\d+) more\.$/.exec(message)?.[1] ?? 0)
  const told = message.replace(/ And \d+ more\.$/, '')
  // A reference may hold any words, so a line begins only behind the end of a sentence.
  const parts = told.split(/(?:^|(?<=[.!?"])\s)line (?=\d+: )/).slice(1)
  const errors = parts.map((part) => {
    const [line = '', ...rest] = part.split(': ')
    return { line: Number(line), message: rest.join(': ').trim() }
  })
  return errors.length === 0 ? null : { errors, more }
}
