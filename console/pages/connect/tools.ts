import { type Snippet, writeSnippets } from '../../parts/text/snippets.ts'
import type { ChatFormat } from '../../parts/wire/write-request.ts'
import { type ToolQuestion, writeMoreTools } from './more-tools.ts'

export interface Tool extends Snippet {
  readonly group: 'Libraries' | 'Coding agents' | 'Apps'
  /** The format it uses, also for testing the connection. */
  readonly format: ChatFormat
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

/** Every program with its settings. */
export function listTools(question: ToolQuestion): Tool[] {
  const { baseUrl, key, model } = question
  const usual = writeSnippets({ baseUrl, secret: key, model, kind: 'text' })
  return [...usual, ...writeMoreTools(question)].map((snippet) => ({
    ...snippet,
    ...(KINDS[snippet.id] ?? OTHER),
  }))
}
