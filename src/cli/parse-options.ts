import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './command.ts'

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

// The parser goes on to explain how to escape arguments, which is more than one line and helps nobody here.
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split(/\.\s|\n/)[0] ?? message
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port must be a number from 0 to 65535, not '${text}'`)
}
