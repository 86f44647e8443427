import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, '../../docs/clients/tasks.md')
export const SET_UP = 'Set up a client'

export const LANGUAGES = ['curl', 'TypeScript', 'Python', 'Go'] as const
export type Language = (typeof LANGUAGES)[number]

/** A snippet of the page, and the task it stands under. */
export interface Snippet {
  readonly task: string
  readonly language: Language
  readonly code: string
}

/** What each task prints, in every language. */
export const PRINTED: Readonly<Record<string, RegExp>> = {
  Chat: /Hello! I am a simulated model/,
  Streaming: /Hello!(?: I am a simulated model|[\s\S]*\[DONE\])/,
  Tools: /18 degrees, light rain/,
  Messages: /Hello! I am a simulated model/,
  Responses: /simulated model|You said/i,
  Embeddings: /^2 256\b|"embedding":\s?\[/,
  Images: /\/assets\/\S+\.png\?expires=/,
  'Errors and retries': /404 model_not_found req_|"code":"model_not_found"/,
}

/** The snippets of the page, with the address and the key of a running gateway. */
export function readSnippets(place: { readonly url: string; readonly key: string }): Snippet[] {
  const snippets: Snippet[] = []
  let task = ''
  const text = readFileSync(PAGE, 'utf8')
  for (const [, title, language, code = ''] of text.matchAll(
    /^## (.*)$|^```\w+ \[(\w+)\]\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) task = title
    else
      snippets.push({
        task,
        language: language as Language,
        code: code.replaceAll('http://127.0.0.1:8080', place.url).replaceAll('sk-…', place.key),
      })
  }
  return snippets
}

/** The part that sets a client up, and the tasks after it. */
export function ofLanguage(snippets: readonly Snippet[], language: Language) {
  const own = snippets.filter((snippet) => snippet.language === language)
  const setUp = own.find(({ task }) => task === SET_UP)?.code ?? ''
  return { setUp, tasks: own.filter(({ task }) => task !== SET_UP) }
}

/** Whether the output of a task is what it has to be; null, or what is wrong. */
export function judge(task: string, output: string): string | null {
  const expected = PRINTED[task]
  if (expected === undefined) return `${task}: the test does not know what it prints`
  return expected.test(output) ? null : `${task} printed ${JSON.stringify(output.slice(0, 500))}`
}
