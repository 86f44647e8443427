import { type ActionDefinition, type CommandDefinition, ONLY } from '../command.ts'

const NOTHING: ActionDefinition = { summary: '' }

/** The command lines that show how an action is used: those it has, or one made of its words and required flags. */
export function examplesOf({ name, actions }: CommandDefinition, word: string): readonly string[] {
  const { words = [], required = [], shownFlags = [], examples, ...action } = actions[word] ?? NOTHING
  if (examples !== undefined && examples.length > 0) return examples
  const value = (part: string) => {
    const sample = action.samples?.[part] ?? action.choices?.[part]?.[0]
    return quote(sample ?? part.replaceAll(' ', '-').toUpperCase())
  }
  const made = ['turnpike', name, word, ...words.map(value)].filter((part) => part !== ONLY)
  return [[...made, ...[...required, ...shownFlags].flatMap((flag) => [`--${flag}`, value(flag)])].join(' ')]
}

/** As a shell takes it. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The words of an example, as a shell would split it. Only single quotes occur. */
export function splitExample(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  )
}
