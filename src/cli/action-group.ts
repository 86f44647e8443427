import { parseArgs } from 'node:util'
import type { Environment } from '../edges/settings/read-settings.ts'
import { type Command, type Terminal, UsageError } from './command.ts'
import { connectFromEnvironment, type OperatorClient } from './operator-client.ts'

/** One thing a command of several can do, such as `record` of `turnpike payments`. */
export interface Action {
  readonly name: string
  /** What must be said without a flag, in this order. */
  readonly words?: readonly string[]
  /** Flags that take a value: those that must be given, and those that may. */
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  readonly summary: string
  run(call: ActionCall): Promise<void>
}

export interface ActionCall {
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
  readonly name: string
  readonly summary: string
  readonly actions: readonly Action[]
}

/** A command whose first word says what to do with the gateway that the environment names. */
export function createActionGroup(group: Group, environment: Environment): Command {
  const { name, actions } = group
  return {
    name,
    summary: `${group.summary} (${actions.map((action) => action.name).join(', ')})`,
    async run([word = '', ...args], terminal) {
      if (['help', '--help', '-h'].includes(word)) {
        terminal.print(describeGroup(group))
        return 0
      }
      const action = actions.find((candidate) => candidate.name === word)
      if (action === undefined) throw new UsageError(`'turnpike ${name}' takes ${listNames(actions)}`)
      const values = readValues(action, args, `turnpike ${name}`)
      await action.run({
        client: connectFromEnvironment(environment),
        terminal,
        asJson: values.asJson,
        said: (wanted) => values.texts.get(wanted) ?? '',
        flag: (wanted) => values.texts.get(wanted),
      })
      return 0
    },
  }
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
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(message.split(/\.\s|\n/)[0] ?? message)
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

function usageOf({ name, words = [], required = [], optional = [] }: Action): string {
  return [
    name,
    ...words.map((word) => `<${word}>`),
    ...required.map((flag) => `--${flag} …`),
    ...optional.map((flag) => `[--${flag} …]`),
    '[--json]',
  ].join(' ')
}

function describeGroup({ name, actions }: Group): string {
  const lines = actions.map((action) => `  turnpike ${name} ${usageOf(action)}\n      ${action.summary}`)
  return `${lines.join('\n')}\n`
}

function listNames(actions: readonly Action[]): string {
  const names = actions.map(({ name }) => name)
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}; 'help' explains them`
}
