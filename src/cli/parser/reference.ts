import { type ActionDefinition, type CommandDefinition, EXIT_STATUSES, ONLY } from '../command.ts'
import { examplesOf } from './examples.ts'
import { describeAction, flagsOf, usageOf, wordsOf } from './usage.ts'

/** The chapters of all commands, for the reference. */
export function writeReference(definitions: readonly CommandDefinition[]): string {
  const sorted = definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return sorted.map(writeCommand).join('\n')
}

/** The table of exit statuses. */
export function writeExitStatuses(): string {
  const rows = Object.entries(EXIT_STATUSES).map(([status, meaning]) => `| ${status} | ${meaning} |\n`)
  return `| Status | Meaning |\n|---|---|\n${rows.join('')}`
}

function writeCommand(definition: CommandDefinition): string {
  const { name, summary, actions } = definition
  const only = actions[ONLY]
  const head = `## turnpike ${name}\n\n${escapeCell(describeAction({ summary }))}\n`
  if (only !== undefined) return `${head}\n${writeAction(definition, ONLY, only)}`
  const parts = Object.entries(actions).map(
    ([word, action]) =>
      `### turnpike ${name} ${word}\n\n${escapeCell(describeAction(action))}\n\n${writeAction(definition, word, action)}`,
  )
  return `${head}\n${parts.join('\n')}`
}

function writeAction(definition: CommandDefinition, word: string, action: ActionDefinition): string {
  const path = ['turnpike', definition.name, word].filter((part) => part !== ONLY).join(' ')
  const parts = [
    ...wordsOf(action).map(({ term, note }) => [term, note] as const),
    ...flagsOf(action).map(
      ({ term, note, isRequired }) => [term, isRequired ? `${note} (required)` : note] as const,
    ),
  ]
  const rows = parts.map(([term, note]) => `| \`${term}\` | ${escapeCell(note)} |\n`)
  const table = rows.length === 0 ? '' : `| | |\n|---|---|\n${rows.join('')}\n`
  const examples = examplesOf(definition, word).join('\n')
  return `\`\`\`\n${`${path} ${usageOf(action)}`.trimEnd()}\n\`\`\`\n\n${table}\`\`\`bash\n${examples}\n\`\`\`\n`
}

/** Angle brackets outside of code would be HTML. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*')
}
