import type { Format } from '../../../src/vocabulary/supply.ts'
import { type Snippet, type SnippetKind, writeSnippets } from '../../parts/text/snippets.ts'
import { FORMATS_OF_TASKS } from '../../parts/wire/task-call.ts'
import { type ToolQuestion, writeMoreTools } from './more-tools.ts'

export interface Tool extends Snippet {
  readonly group: 'Libraries' | 'Coding agents' | 'Apps'
  /** The format it uses, also for testing the connection. */
  readonly format: Format
}

const KINDS: Readonly<Record<string, Pick<Tool, 'group' | 'format'>>> = {
  curl: { group: 'Libraries', format: 'chat-completion' },
  openai: { group: 'Libraries', format: 'chat-completion' },
  anthropic: { group: 'Libraries', format: 'messages' },
  google: { group: 'Libraries', format: 'content-generation' },
  'ai-sdk': { group: 'Libraries', format: 'responses' },
  langchain: { group: 'Libraries', format: 'chat-completion' },
  'claude-code': { group: 'Coding agents', format: 'messages' },
  codex: { group: 'Coding agents', format: 'responses' },
  'gemini-cli': { group: 'Coding agents', format: 'content-generation' },
  aider: { group: 'Coding agents', format: 'chat-completion' },
  cline: { group: 'Coding agents', format: 'chat-completion' },
  continue: { group: 'Coding agents', format: 'chat-completion' },
  cursor: { group: 'Coding agents', format: 'chat-completion' },
  'open-webui': { group: 'Apps', format: 'chat-completion' },
}

const OTHER = { group: 'Apps', format: 'chat-completion' } as const

/** Every program with its settings. Coding agents and apps need a text model. */
export function listTools(question: ToolQuestion & { readonly kind: SnippetKind }): Tool[] {
  const { baseUrl, key, model, kind } = question
  if (kind !== 'text') {
    const format = kind === 'image' ? 'images' : FORMATS_OF_TASKS[kind]
    const snippets = writeSnippets({ baseUrl, secret: key, model, kind })
    return snippets.map((snippet) => ({ ...snippet, group: 'Libraries', format }))
  }
  const usual = writeSnippets({ baseUrl, secret: key, model, kind: 'text' })
  return [...usual, ...writeMoreTools(question)].map((snippet) => ({
    ...snippet,
    ...(KINDS[snippet.id] ?? OTHER),
  }))
}
