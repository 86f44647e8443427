import type { JsonSchema } from '../../../conversation/conversation.ts'

/** A tool the vendor defines and the client runs: models of other vendors can call it once they are told its fields. */
export interface TypedTool {
  readonly description: string
  readonly schema: JsonSchema
}

const text = { type: 'string' }
const integer = { type: 'integer' }
const command = (...names: string[]) => ({ type: 'string', enum: names })
const editing = {
  path: text,
  file_text: text,
  old_str: text,
  new_str: text,
  insert_line: integer,
  insert_text: text,
  view_range: { type: 'array', items: integer },
}

const BASH: TypedTool = {
  description: 'Runs a command in a persistent bash session and gives its output.',
  schema: {
    type: 'object',
    properties: { command: text, restart: { type: 'boolean', description: 'Starts a new session instead.' } },
  },
}

const TEXT_EDITOR: TypedTool = {
  description: 'Views, creates and edits text files.',
  schema: {
    type: 'object',
    properties: { command: command('view', 'create', 'str_replace', 'insert'), ...editing },
    required: ['command', 'path'],
  },
}

const MEMORY: TypedTool = {
  description: 'Reads and keeps notes in files under /memories.',
  schema: {
    type: 'object',
    properties: {
      command: command('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...editing,
      old_path: text,
      new_path: text,
    },
    required: ['command'],
  },
}

const FAMILIES: readonly (readonly [RegExp, TypedTool])[] = [
  [/^bash_\d+$/, BASH],
  [/^text_editor_\d+$/, TEXT_EDITOR],
  [/^memory_\d+$/, MEMORY],
]

/** null for a tool that the vendor runs itself, or whose fields depend on more than its type. */
export function findTypedTool(type: string): TypedTool | null {
  return FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? null
}
