import type { Environment } from '../edges/settings/read-settings.ts'
import {
  type ActionDefinition,
  type Command,
  type CommandDefinition,
  DONE,
  ONLY,
  type Terminal,
  UsageError,
} from './command.ts'
import { connectFromEnvironment, type OperatorClient } from './operator-client.ts'
import { type Given, parseWords } from './parser/parse-words.ts'

/** One thing a command of several can do, such as `record` of `turnpike payments`. */
export interface Action extends ActionDefinition {
  /** Resolves with the exit status, if it is not 0. */
  run(call: ActionCall): Promise<number | undefined>
}

export interface ActionCall {
  readonly environment: Environment
  /** The gateway that the environment names. */
  readonly client: OperatorClient
  readonly terminal: Terminal
  /** Whether the answer is for a program. */
  readonly asJson: boolean
  /** The value of a word or of a flag that must be given. */
  said(name: string): string
  /** The value of a word or a flag that may be given. */
  flag(name: string): string | undefined
  /** Whether a flag without a value was given. */
  has(name: string): boolean
  /** All values of a flag that may be given several times. */
  all(name: string): readonly string[]
}

interface Group {
  readonly summary: string
  readonly actions: Readonly<Record<string, Action>>
  /** What is said when the first word is none of the actions; absent: which there are. */
  readonly misuse?: string
}

/** A command whose first word says what to do. */
export function actionGroup(name: string, group: Group): (environment: Environment) => Command {
  const { summary, actions } = group
  const definition: CommandDefinition = { name, ...group }
  return (environment) => ({
    name,
    summary,
    definition,
    async run(args, terminal) {
      const parsed = parseWords([definition], [name, ...args], { width: terminal.columns })
      if ('help' in parsed) {
        terminal.print(parsed.help)
        return DONE
      }
      const status = await actions[parsed.word]?.run(callOf(parsed.given, environment, terminal))
      return status ?? DONE
    },
  })
}

/** A command that does one thing. */
export function singleAction(name: string, action: Action): (environment: Environment) => Command {
  return actionGroup(name, { summary: action.summary, actions: { [ONLY]: action } })
}

function callOf(
  { texts, lists, switches, asJson }: Given,
  environment: Environment,
  terminal: Terminal,
): ActionCall {
  return {
    environment,
    // Only for those that ask a gateway: others do without its token.
    get client() {
      return connectFromEnvironment(environment)
    },
    terminal,
    asJson,
    said: (wanted) => texts.get(wanted) ?? '',
    flag: (wanted) => texts.get(wanted),
    has: (wanted) => switches.has(wanted),
    all: (wanted) => lists.get(wanted) ?? [],
  }
}

/** A flag that counts something; undefined when it was not given. */
export function readCount(call: ActionCall, flag: string): number | undefined {
  const text = call.flag(flag)
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} takes a whole number above zero, not '${text}'`)
}
