import type { ActionDefinition } from '../command.ts'

/** `<account> --name … [--email …] [--json]`. */
export function usageOf(action: ActionDefinition): string {
  const { words = [], optionalWords = [], required = [], optional = [], switches = [] } = action
  return [
    ...words.map((word) => choicesOf(action, word) ?? `<${word}>`),
    ...optionalWords.map((word) => `[${choicesOf(action, word) ?? word}]`),
    ...required.map((flag) => writeFlag(action, flag)),
    ...optional.map((flag) => `[${writeFlag(action, flag)}]${isRepeated(action, flag) ? '…' : ''}`),
    ...switches.map((flag) => `[--${flag}]`),
    ...(hasJson(action) ? ['[--json]'] : []),
  ].join(' ')
}

function writeFlag(action: ActionDefinition, flag: string): string {
  return `--${flag} ${choicesOf(action, flag) ?? '…'}`
}

function choicesOf({ choices = {} }: ActionDefinition, name: string): string | null {
  return choices[name]?.join('|') ?? null
}

export function isRepeated({ repeated = [] }: ActionDefinition, flag: string): boolean {
  return repeated.includes(flag)
}

export function hasJson({ hasJson: has = true }: ActionDefinition): boolean {
  return has
}

/** Words and flags as the help lists them. */
export interface DescribedPart {
  readonly name: string
  /** How it is typed. */
  readonly term: string
  readonly note: string
}

export function wordsOf(action: ActionDefinition): DescribedPart[] {
  const { words = [], optionalWords = [] } = action
  return [
    ...words.map((word) => ({ name: word, term: `<${word}>`, note: noteOf(action, word) })),
    ...optionalWords.map((word) => ({ name: word, term: `[${word}]`, note: noteOf(action, word) })),
  ]
}

export function flagsOf(action: ActionDefinition): (DescribedPart & { readonly isRequired: boolean })[] {
  const { required = [], optional = [], switches = [] } = action
  const valued = (isRequired: boolean) => (flag: string) => {
    const note = [noteOf(action, flag), ...(isRepeated(action, flag) ? ['may be given several times'] : [])]
    return { name: flag, term: `--${flag} <value>`, note: joinNotes(note), isRequired }
  }
  const bare = (flag: string) => {
    return { name: flag, term: `--${flag}`, note: noteOf(action, flag), isRequired: false }
  }
  const json = { name: 'json', term: '--json', note: 'print JSON, errors too', isRequired: false }
  return [
    ...required.map(valued(true)),
    ...optional.map(valued(false)),
    ...switches.map(bare),
    ...(hasJson(action) ? [json] : []),
  ]
}

function noteOf(action: ActionDefinition, name: string): string {
  const choices = action.choices?.[name]
  return joinNotes([action.notes?.[name] ?? '', choices === undefined ? '' : orList(choices)])
}

function joinNotes(notes: readonly string[]): string {
  return notes.filter((note) => note !== '').join('; ')
}

/** `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ')
}

/** What an action does, in a sentence or more. */
export function describeAction({ summary, worksOffline }: ActionDefinition): string {
  const whole = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`
  const described = /[.!?]$/.test(whole) ? whole : `${whole}.`
  return worksOffline === true ? `${described} ${OFFLINE}` : described
}

const OFFLINE =
  'Without a token, or while no gateway answers, it works on the database of TURNPIKE_DATA or DATABASE_URL.'
