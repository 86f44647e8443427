import type { TextFormat } from '../captures/suppliers-by-format.ts'
import type { Traffic } from './traffic.ts'

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
  readonly tasks: readonly AgentTask[]
}

/** Something an agent does, and what must have happened after it. */
export interface AgentTask {
  readonly name: string
  /** How many of the formats are tried: the agent's own first. */
  readonly suppliers: number
  /** Starts the agent, through this gateway and without prompting the user. */
  plan(context: RunContext): Launch
  /** The requests it takes at least. */
  readonly turns: number
  /** What the agent must have printed in the end. */
  readonly output: RegExp
  /** Whether the agent writes the file. */
  readonly writesFile: boolean
  /** Whether it goes on with another supplier in the middle. */
  readonly switchesSupplier?: boolean
  /** Whether some of its requests are for whole answers by design. */
  readonly asksWhole?: boolean
  /** What must have passed through the gateway; returns what is missing. */
  judge?(traffic: Traffic): string | null
}

/** Where one run happens. Home and project are empty folders used by this run only. */
export interface RunContext {
  readonly gatewayUrl: string
  readonly key: string
  /** Another key, whose requests go to a supplier of another format. */
  readonly otherKey: string
  readonly home: string
  readonly project: string
}

export interface Launch {
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Further runs in the same home and project, one after the other. */
  readonly further?: readonly Pick<Launch, 'arguments' | 'environment'>[]
  /** Files of the project. */
  readonly projectFiles?: Readonly<Record<string, Uint8Array | string>>
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
