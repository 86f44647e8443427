import type { Environment } from '../edges/settings/read-settings.ts'
import {
  type ActionDefinition,
  type Command,
  type CommandDefinition,
  DONE,
  MISUSED,
  ONLY,
  type Terminal,
  UsageError,
} from './command.ts'
import { connectNearby } from './nearby-gateway.ts'
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
      const action = actions[parsed.word]
      if (action === undefined) return MISUSED
      return perform(action, { given: parsed.given, environment, terminal })
    },
  })
}

/** A command that does one thing. */
export function singleAction(name: string, action: Action): (environment: Environment) => Command {
  return actionGroup(name, { summary: action.summary, actions: { [ONLY]: action } })
}

interface Asked {
  readonly given: Given
  readonly environment: Environment
  readonly terminal: Terminal
}

async function perform(action: Action, asked: Asked): Promise<number> {
  if (action.worksOffline !== true) {
    return (await action.run(callOf(asked, () => connectFromEnvironment(asked.environment)))) ?? DONE
  }
  const { client, close } = await connectNearby(asked.environment)
  try {
    return (await action.run(callOf(asked, () => client))) ?? DONE
  } finally {
    await close()
  }
}

function callOf({ given, environment, terminal }: Asked, connect: () => OperatorClient): ActionCall {
  const { texts, lists, switches, asJson } = given
  return {
    environment,
    // Only for those that ask a gateway: others do without its token.
    get client() {
      return connect()
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
