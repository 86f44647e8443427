export interface LineError {
  /** As counted by the gateway: the header is line 1. */
  readonly line: number
  readonly message: string
}

export interface LineErrors {
  readonly errors: readonly LineError[]
  /** How many more lines have errors than are listed. */
  readonly more: number
}

/** Parses the gateway's error for a payment file. Null if it names no line. */
export function readLineErrors(message: string): LineErrors | null {
  const more = Number(/ And (\d+) more\.$/.exec(message)?.[1] ?? 0)
  const list = message.replace(/ And \d+ more\.$/, '')
  // References can contain any text, so a new line starts only after the end of a sentence.
  const parts = list.split(/(?:^|(?<=[.!?"])\s)line (?=\d+: )/).slice(1)
  const errors = parts.map((part) => {
    const [line = '', ...rest] = part.split(': ')
    return { line: Number(line), message: rest.join(': ').trim() }
  })
  return errors.length === 0 ? null : { errors, more }
}
