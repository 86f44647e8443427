import { parseArgs } from 'node:util'
import type { Environment } from '../edges/settings/read-settings.ts'
import { type Command, firstSentence, type Terminal, UsageError } from './command.ts'
import { connectFromEnvironment, type OperatorClient } from './operator-client.ts'

/** One thing a command of several can do, such as `record` of `turnpike payments`. */
export interface Action {
  /** What must be said without a flag, in this order. */
  readonly words?: readonly string[]
  /** Flags that take a value: those that must be given, and those that may. */
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  readonly summary: string
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
  /** The value of a flag that may be given. */
  flag(name: string): string | undefined
}

interface Group {
  readonly summary: string
  readonly actions: Readonly<Record<string, Action>>
}

/** A command whose first word says what to do. */
export function actionGroup(name: string, group: Group): (environment: Environment) => Command {
  const names = Object.keys(group.actions)
  return (environment) => ({
    name,
    summary: `${group.summary} (${names.join(', ')})`,
    async run([word = '', ...args], terminal) {
      if (['help', '--help', '-h'].includes(word)) {
        terminal.print(describeGroup(name, group))
        return 0
      }
      const action = Object.hasOwn(group.actions, word) ? group.actions[word] : undefined
      if (action === undefined) throw new UsageError(`'turnpike ${name}' takes ${listNames(names)}`)
      const { texts, asJson } = readValues(action, args, `turnpike ${name} ${word}`)
      const call: ActionCall = {
        environment,
        // Only for those that ask a gateway: others do without its token.
        get client() {
          return connectFromEnvironment(environment)
        },
        terminal,
        asJson,
        said: (wanted) => texts.get(wanted) ?? '',
        flag: (wanted) => texts.get(wanted),
      }
      return (await action.run(call)) ?? 0
    },
  })
}

/** A flag that counts something; undefined when it was not given. */
export function readCount(call: ActionCall, flag: string): number | undefined {
  const text = call.flag(flag)
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} takes a whole number above zero, not '${text}'`)
}

function readValues(action: Action, args: readonly string[], command: string) {
  const { words = [], required = [], optional = [] } = action
  const { values, positionals } = parse(args, [...required, ...optional])
  const texts = new Map<string, string>()
  for (const [index, word] of words.entries()) texts.set(word, positionals[index] ?? '')
  for (const [flag, value] of Object.entries(values)) if (typeof value === 'string') texts.set(flag, value)
  const isWhole = positionals.length === words.length && required.every((flag) => texts.has(flag))
  if (!isWhole || words.some((word) => texts.get(word) === '')) {
    throw new UsageError(`usage: ${command} ${usageOf(action)}`)
  }
  return { texts, asJson: values.json === true }
}

function parse(args: readonly string[], flags: readonly string[]) {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'string' as const }]))
  try {
    return parseArgs({
      args: attachNegatives(args),
      options: { ...options, json: { type: 'boolean' as const } },
      strict: true,
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(firstSentence(error))
  }
}

/** `--amount -2.5` means what it says; the parser would take the amount for a flag. */
function attachNegatives(args: readonly string[]): string[] {
  const attached: string[] = []
  for (const word of args) {
    const before = attached.at(-1)
    const isAmount = /^-[\d.]/.test(word) && before !== undefined && /^--[a-z-]+$/.test(before)
    if (isAmount) attached[attached.length - 1] = `${before}=${word}`
    else attached.push(word)
  }
  return attached
}

function usageOf({ words = [], required = [], optional = [] }: Action): string {
  return [
    ...words.map((word) => `<${word}>`),
    ...required.map((flag) => `--${flag} …`),
    ...optional.map((flag) => `[--${flag} …]`),
    '[--json]',
  ].join(' ')
}

function describeGroup(name: string, { actions }: Group): string {
  const lines = Object.entries(actions).map(
    ([word, action]) => `  turnpike ${name} ${word} ${usageOf(action)}\n      ${action.summary}`,
  )
  return `${lines.join('\n')}\n`
}

function listNames(names: readonly string[]): string {
  const all = names.join(', ').replace(/, (?=[^,]*$)/, ' or ')
  return `${names.length === 2 ? 'one of two words: ' : ''}${all}; 'help' explains them`
}
