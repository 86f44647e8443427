import type { TextFormat } from '../captures/suppliers-by-format.ts'

/** A coding agent from npm, in one version. */
export interface Agent {
  readonly name: string
  readonly package: string
  readonly version: string
  /** What the package puts into `node_modules/.bin`. */
  readonly command: string
  /** What it speaks. */
  readonly format: TextFormat
  /** Every model it may request; it is configured to use the first. */
  readonly models: readonly [string, ...string[]]
  /** Starts it on the task, through this gateway and without prompting the user. */
  plan(context: RunContext): Launch
}

/** Where one run happens. Home and project are empty folders used by this run only. */
export interface RunContext {
  readonly gatewayUrl: string
  readonly key: string
  readonly home: string
  readonly project: string
}

export interface Launch {
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Settings the agent reads, by their path in its home folder. */
  readonly files: Readonly<Record<string, string>>
}

/** What every agent has to do: write this file and read it again. */
export const TASK = { file: 'hello.txt', words: 'hello from the sandbox' } as const

/** A call for the sandbox's model to make, in the agent's own words for it. */
export type ToolCall = readonly [tool: string, input: Readonly<Record<string, unknown>>]

/** The prompt that makes the sandbox call these tools, one after the other. */
export function writePrompt(calls: readonly ToolCall[]): string {
  return calls.map(([tool, input]) => `use tool ${tool} with ${JSON.stringify(input)}`).join(' and then ')
}

/** Writing and reading are two calls, and the answer comes after them. */
export const TURNS = 3
