import { type ActionDefinition, type CommandDefinition, ONLY } from '../command.ts'
import { flagsOf } from './usage.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A script for a shell that completes commands, their words, flags, and values that are few. */
export function completionFor(shell: Shell, definitions: readonly CommandDefinition[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(definitions)
    case 'zsh':
      // It can complete as bash does.
      return `${ZSH_HEAD}${bashScript(definitions)}`
    case 'fish':
      return fishScript(definitions)
  }
}

const ZSH_HEAD = `autoload -Uz compinit bashcompinit
whence compdef >/dev/null || compinit
bashcompinit
`

/** What a shell offers after a command and its word. */
interface Place {
  readonly name: string
  readonly word: string
  readonly action: ActionDefinition
}

function placesOf(definitions: readonly CommandDefinition[]): Place[] {
  return definitions.flatMap(({ name, actions }) =>
    Object.entries(actions).map(([word, action]) => ({ name, word, action })),
  )
}

function isGroup({ actions }: CommandDefinition): boolean {
  return actions[ONLY] === undefined
}

function valuesOf({ choices = {}, suggestions = {} }: ActionDefinition): [string, readonly string[]][] {
  return Object.entries({ ...suggestions, ...choices })
}

function bashScript(definitions: readonly CommandDefinition[]): string {
  const groups = definitions.filter(isGroup)
  const places = placesOf(definitions)
  const values = places.flatMap(({ name, word, action }) =>
    valuesOf(action).map(([part, known]) => {
      const isWord = action.words?.includes(part) === true
      return line(isWord ? `'${name} ${word} <word>'` : `'${name} ${word} --${part}'`, known)
    }),
  )
  return fillBash({
    commands: definitions.map(({ name }) => name).join(' '),
    groups: groups.map(({ name }) => name).join('|'),
    words: groups.map(({ name, actions }) => line(`'${name} '`, Object.keys(actions))).join('\n'),
    flags: places
      .map(({ name, word, action }) =>
        line(`'${name} ${word}'`, [...flagsOf(action).map((flag) => `--${flag.name}`), '--help']),
      )
      .join('\n'),
    flagValues: values.filter((text) => !text.includes('<word>')).join('\n'),
    wordValues: values.filter((text) => text.includes('<word>')).join('\n'),
  })
}

interface BashTables {
  readonly commands: string
  readonly groups: string
  readonly words: string
  readonly flags: string
  readonly flagValues: string
  readonly wordValues: string
}

/** The tables go where their names stand between two at signs. */
function fillBash(tables: BashTables): string {
  return Object.entries(tables).reduce((text, [name, table]) => text.replace(`@${name}@`, () => table), BASH)
}

const BASH = `_turnpike() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local name="\${COMP_WORDS[1]}" word="" first=2 offered=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    COMPREPLY=($(compgen -W "@commands@ --help --version" -- "$current"))
    return
  fi
  case "$name" in @groups@) word="\${COMP_WORDS[2]}"; first=3;; esac
  if [ "$COMP_CWORD" -lt "$first" ]; then
    case "$name " in
@words@
    esac
    COMPREPLY=($(compgen -W "$offered --help" -- "$current"))
    return
  fi
  case "$name $word $before" in
@flagValues@
  esac
  if [ -z "$offered" ] && [ "$COMP_CWORD" -eq "$first" ] && [ "\${current#-}" = "$current" ]; then
    case "$name $word <word>" in
@wordValues@
    esac
  fi
  if [ -z "$offered" ]; then
    case "$name $word" in
@flags@
    esac
    case "$current" in -*) ;; *) COMPREPLY=($(compgen -f -- "$current"));; esac
  fi
  COMPREPLY+=($(compgen -W "$offered" -- "$current"))
}
complete -F _turnpike turnpike
`

function line(pattern: string, offered: readonly string[]): string {
  return `      ${pattern}) offered="${offered.join(' ')}";;`
}

function fishScript(definitions: readonly CommandDefinition[]): string {
  const lines = [
    '# Files are offered only where nothing else is known.',
    'complete -c turnpike -f',
    ...definitions.map(({ name, summary }) => fishLine('__fish_use_subcommand', `-a ${name}`, summary)),
    ...definitions.filter(isGroup).flatMap(fishWords),
    ...placesOf(definitions).flatMap(fishPlace),
  ]
  return `${lines.join('\n')}\n`
}

function fishWords({ name, actions }: CommandDefinition): string[] {
  const names = Object.keys(actions).join(' ')
  const condition = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${names}`
  return Object.entries(actions).map(([word, { summary }]) => fishLine(condition, `-a ${word}`, summary))
}

function fishPlace({ name, word, action }: Place): string[] {
  const seen = [name, word].filter((part) => part !== ONLY)
  const condition = seen.map((part) => `__fish_seen_subcommand_from ${part}`).join('; and ')
  const values = new Map(valuesOf(action))
  const flags = flagsOf(action).map((flag) => {
    const known = values.get(flag.name)
    const offered = known === undefined ? '' : ` -fa ${fishText(known.join(' '))}`
    return fishLine(
      condition,
      `-l ${flag.name}${flag.term.includes('<value>') ? ` -r${offered}` : ''}`,
      flag.note,
    )
  })
  const words = (action.words ?? []).flatMap((part) => {
    const known = values.get(part)
    if (known !== undefined) return [fishLine(condition, `-a ${fishText(known.join(' '))}`)]
    return /file|folder/.test(part) ? [fishLine(condition, '-F')] : []
  })
  return [...flags, ...words]
}

function fishLine(condition: string, offered: string, note = ''): string {
  return `complete -c turnpike -n '${condition}' ${offered}${note === '' ? '' : ` -d ${fishText(note)}`}`
}

function fishText(text: string): string {
  return `'${text.replace(/[\\']/g, (letter) => `\\${letter}`).replaceAll('\n', ' ')}'`
}
