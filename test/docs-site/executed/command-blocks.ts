import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...[...new Bun.Glob('docs/**/*.md').scanSync(ROOT)].sort(),
]

/** Commands that stand together on a page. */
export interface CommandBlock {
  readonly page: string
  readonly script: string
}

const FENCE = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm
const SHELLS = new Set(['sh', 'bash'])
/** What a block without a language begins with when it is typed, not read. */
const COMMAND = /^(?:turnpike|curl|docker|npm|npx|echo|[A-Z_]+=\S+) /

/** All blocks of commands in the documentation, in the order of its pages. */
export function readCommandBlocks(): CommandBlock[] {
  return PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(FENCE)].flatMap(([, language = '', text = '']) => {
      const script = scriptOf(language, text)
      return script === '' ? [] : [{ page, script }]
    }),
  )
}

function scriptOf(language: string, text: string): string {
  if (SHELLS.has(language)) return text
  if (language !== '') return ''
  // A session: what was typed has a dollar sign before it, and the rest was printed.
  const typed = text.split('\n').filter((line) => line.startsWith('$ '))
  if (typed.length > 0) return `${typed.map((line) => line.slice(2)).join('\n')}\n`
  return COMMAND.test(text) && !isSynopsis(text) ? text : ''
}

/** `turnpike completion bash|zsh`, `… keys list [--json]`: the form of a command, or a list of them with what they do. */
function isSynopsis(text: string): boolean {
  return / \[[-\w]|\w\|\w| {3,}[^\s#]/.test(text)
}
