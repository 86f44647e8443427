import { Argument, CommanderError, Help, Option, Command as Parser } from 'commander'
import { type ActionDefinition, type CommandDefinition, ONLY, UsageError } from '../command.ts'
import { examplesOf } from './examples.ts'
import { describeAction, flagsOf, hasJson, isRepeated, orList, usageOf, wordsOf } from './usage.ts'

const PROGRAM = 'turnpike'
const USUAL_WIDTH = 100

/** What a person asked for: help, or an action with what was given to it. */
export type Parsed = { readonly help: string } | { readonly word: string; readonly given: Given }

export interface Given {
  readonly asJson: boolean
  /** By the name of the word or flag. Of a repeated flag, the last one. */
  readonly texts: ReadonlyMap<string, string>
  /** All values of each flag. */
  readonly lists: ReadonlyMap<string, readonly string[]>
  readonly switches: ReadonlySet<string>
}

export interface ParserOptions {
  /** How wide the help may be. */
  readonly width?: number | undefined
  /** For the list of commands. */
  readonly version?: string
}

/** Reads the words after `turnpike`. Throws a UsageError when they make no sense. */
export function parseWords(
  definitions: readonly CommandDefinition[],
  args: readonly string[],
  options: ParserOptions = {},
): Parsed {
  const run = new Run(definitions, options)
  return run.parse(helpLast(args))
}

/** `accounts help show` means `accounts show --help`. */
function helpLast([name = '', word, ...rest]: readonly string[]): string[] {
  if (word === 'help' && name !== 'help') return [name, ...rest, '--help']
  return [name, ...(word === undefined ? [] : [word]), ...rest].filter(
    (text, index) => index > 0 || text !== '',
  )
}

class Run {
  readonly #definitions: readonly CommandDefinition[]
  readonly #options: ParserOptions
  #help = ''
  #parsed: Parsed | null = null

  constructor(definitions: readonly CommandDefinition[], options: ParserOptions) {
    this.#definitions = definitions
    this.#options = options
  }

  parse(args: string[]): Parsed {
    try {
      this.#program().parse(args, { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      if (error.exitCode === 0) return { help: this.#help }
      throw this.#mistake(error, args)
    }
    if (this.#parsed === null) throw new Error('The parser called no action.')
    return this.#parsed
  }

  #program(): Parser {
    const program = this.#parser(PROGRAM)
      .usage('[command]')
      .enablePositionalOptions()
      .configureHelp({ subcommandTerm: (command) => command.name() })
      .addHelpText('after', `\nExamples:\n  ${PROGRAM} start\n  ${PROGRAM} keys create --help\n`)
    const { version } = this.#options
    if (version !== undefined) program.version(`${PROGRAM} ${version}`, '-v, --version', 'print the version')
    for (const definition of this.#definitions) program.addCommand(this.#command(definition))
    return program
  }

  #command(definition: CommandDefinition): Parser {
    const { name, summary, actions } = definition
    if (actions[ONLY] !== undefined) return this.#action(name, definition, ONLY).summary(summary)
    const group = this.#parser(name)
      .summary(summary)
      .description(describeAction({ summary }))
      .usage('<command>')
      .configureHelp({ formatHelp: withoutCommands })
      .addHelpText('after', listActions(definition))
    for (const [word, { aliases = [] }] of Object.entries(actions)) {
      group.addCommand(this.#action(word, definition, word).aliases(aliases))
    }
    return group
  }

  #action(name: string, definition: CommandDefinition, word: string): Parser {
    const action = definition.actions[word] as ActionDefinition
    const parser = this.#parser(name)
      .description(describeAction(action))
      .usage(usageOf(action))
      .allowExcessArguments(false)
      .addHelpText('after', `\nExamples:\n${indent(examplesOf(definition, word))}\n`)
    for (const { term, note } of wordsOf(action)) parser.addArgument(new Argument(term, note))
    for (const flag of flagsOf(action)) {
      const option = new Option(flag.term, flag.isRequired ? `${flag.note} (required)`.trim() : flag.note)
      if (isRepeated(action, flag.name)) option.argParser(gather)
      parser.addOption(option)
    }
    parser.action(() => {
      this.#parsed = { word, given: readGiven(action, parser) }
    })
    return parser
  }

  #parser(name: string): Parser {
    const width = this.#options.width ?? USUAL_WIDTH
    return new Parser(name)
      .exitOverride()
      .helpCommand(false)
      .helpOption('-h, --help', 'explain it')
      .configureOutput({
        writeOut: (text) => {
          this.#help += text
        },
        writeErr: () => {},
        getOutHelpWidth: () => width,
        getErrHelpWidth: () => width,
        getOutHasColors: () => false,
      })
  }

  #mistake({ code, message }: CommanderError, args: readonly string[]): UsageError {
    const guess = /\((Did you mean .*\?)\)/.exec(message)?.[1]
    const [name, word = ''] = args
    const definition = this.#definitions.find((known) => known.name === name)
    if (definition === undefined) return unknownCommand(name ?? '', guess)
    const action = definition.actions[ONLY] ?? findAction(definition, word)
    if (action === undefined) return unknownAction(definition, word, guess)
    // In one line, and beginning like every sentence.
    const said = message
      .replace(/^error: ([a-z])/, (_, letter: string) => letter.toUpperCase())
      .replace(/\n[\s\S]*/, '')
    const isOfFlag = code === 'commander.unknownOption' || code === 'commander.optionMissingArgument'
    if (isOfFlag) return new UsageError(guess === undefined ? said : `${said}. ${guess}`)
    return misuse(definition, action, args)
  }
}

function findAction({ actions }: CommandDefinition, word: string): ActionDefinition | undefined {
  if (Object.hasOwn(actions, word)) return actions[word]
  return Object.values(actions).find(({ aliases = [] }) => aliases.includes(word))
}

function unknownCommand(word: string, guess: string | undefined): UsageError {
  const kind = word.startsWith('-') ? 'option' : 'command'
  const advice = guess === undefined ? '' : ` ${guess}`
  return new UsageError(`unknown ${kind} '${word}'; '${PROGRAM} help' lists the commands.${advice}`)
}

function unknownAction(
  { name, actions, misuse: own }: CommandDefinition,
  word: string,
  guess = '',
): UsageError {
  if (own !== undefined) return new UsageError(word === '' ? own : `${own}, not '${word}'`)
  const names = Object.keys(actions)
  const count = names.length === 1 ? 'one word: ' : names.length === 2 ? 'one of two words: ' : ''
  const explained = `'${PROGRAM} ${name}' takes ${count}${orList(names)}; 'help' explains them`
  return new UsageError(guess === '' ? explained : `${explained}. ${guess}`)
}

function misuse(
  definition: CommandDefinition,
  action: ActionDefinition,
  args: readonly string[],
): UsageError {
  const { name, actions } = definition
  const own = action.misuse ?? definition.misuse
  if (own !== undefined) return new UsageError(own)
  const isOnly = actions[ONLY] === action
  const path = isOnly ? name : `${name} ${args[1]}`
  const { words = [], optionalWords = [] } = action
  const most = words.length + optionalWords.length
  const typed = args.slice(isOnly ? 1 : 2).filter((text) => !text.startsWith('-'))
  const excess = isOnly && typed.length > most ? ` (not '${typed[most]}')` : ''
  return new UsageError(`usage: ${PROGRAM} ${path} ${usageOf(action)}${excess}`.trimEnd())
}

/** What the parser has read, once it fits the definition. */
function readGiven(action: ActionDefinition, parser: Parser): Given {
  const { words = [], optionalWords = [], required = [], choices = {} } = action
  const said = [...words, ...optionalWords].slice(0, parser.args.length)
  const texts = new Map(said.map((word, index) => [word, parser.args[index] ?? '']))
  const lists = new Map<string, readonly string[]>()
  const switches = new Set<string>()
  for (const option of parser.options) {
    const name = option.name()
    const value: unknown = parser.getOptionValue(option.attributeName())
    if (value === true) switches.add(name)
    else if (value !== undefined) lists.set(name, readValues(parser, name, value))
  }
  for (const [name, values] of lists) texts.set(name, values.at(-1) ?? '')
  requireChoices(parser, texts, choices)
  const isEmpty = words.some((word) => texts.get(word) === '')
  if (isEmpty || required.some((flag) => !texts.has(flag))) throw new CommanderError(1, 'incomplete', '')
  return { asJson: hasJson(action) && switches.has('json'), texts, lists, switches }
}

/** The parser takes whatever follows a flag for its value, even another flag. */
function readValues({ options }: Parser, name: string, value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value.map(String) : [String(value)]
  const isFlag = (text: string) => options.some(({ long }) => long === text)
  if (values.some(isFlag)) throw new UsageError(`Option '--${name}' needs a value`)
  return values
}

function requireChoices(
  { options }: Parser,
  texts: ReadonlyMap<string, string>,
  choices: NonNullable<ActionDefinition['choices']>,
): void {
  for (const [name, known] of Object.entries(choices)) {
    const text = texts.get(name)
    if (text === undefined || known.includes(text)) continue
    const isFlag = options.some((option) => option.name() === name)
    if (isFlag) throw new UsageError(`--${name} takes ${orList(known)}, not '${text}'`)
    throw new CommanderError(1, 'choice', '')
  }
}

function gather(text: string, before: unknown): string[] {
  return [...(Array.isArray(before) ? before.map(String) : []), text]
}

/** They are listed below it, each with its usage. */
function withoutCommands(command: Parser, help: Help): string {
  const bare = Object.assign(Object.create(help) as Help, { visibleCommands: () => [] })
  return Help.prototype.formatHelp.call(bare, command, bare)
}

function listActions(definition: CommandDefinition): string {
  const { name, actions } = definition
  const lines = Object.entries(actions).map(
    ([word, action]) => `  ${PROGRAM} ${name} ${word} ${usageOf(action)}\n      ${action.summary}`,
  )
  const [first = ''] = Object.keys(actions)
  const examples = Object.keys(actions)
    .slice(0, 3)
    .flatMap((word) => examplesOf(definition, word).slice(0, 1))
  const more = `'${PROGRAM} ${name} ${first} --help' tells more of one of them.`
  return `\nCommands:\n${lines.join('\n')}\n\nExamples:\n${indent(examples)}\n\n${more}\n`
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}
