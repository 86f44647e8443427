import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../src/cli/run.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = [...new Bun.Glob('docs/**/*.md').scanSync(ROOT), 'README.md', 'SECURITY.md']
/** These do their work when they are called without a further word. */
const WITHOUT_ACTIONS = new Set(['apply', 'doctor', 'health', 'help', 'sandbox', 'start', 'version'])

/** What the command line says to these words, whether it is help or a complaint. */
async function sayTo(words: readonly string[]): Promise<string> {
  let said = ''
  const hear = (text: string) => {
    said += text
  }
  await run(words, { print: hear, printError: hear, untilInterrupted: () => Promise.resolve() })
  return said
}

/** `turnpike <command> <action>` in code, as far as it is written out. */
function commandsIn(text: string): { command: string; action: string | undefined }[] {
  const code = [
    ...text.matchAll(/`turnpike ([^`\n]+)`|^\s*\$? ?turnpike ((?![^\n]*: )[^\n]+)$|turnpike -- ([^\n]+)$/gm),
  ]
  return code.flatMap(([, inline, line, npm]) => {
    const [command, action] = (inline ?? line ?? npm ?? '').split(/\s+/)
    if (command === undefined || !/^[a-z][a-z-]*$/.test(command)) return []
    return [{ command, action: /^[a-z][a-z-]*$/.test(action ?? '') ? action : undefined }]
  })
}

test('every command that the pages name exists', async () => {
  const help = await sayTo(['help'])
  const unknown: string[] = []
  const actions = new Map<string, string>()
  let found = 0
  for (const page of PAGES) {
    for (const { command, action } of commandsIn(readFileSync(join(ROOT, page), 'utf8'))) {
      found += 1
      const isThere = new RegExp(`^ +${command}\\b`, 'm').test(help)
      if (!isThere) unknown.push(`${page}: turnpike ${command}`)
      if (!isThere || action === undefined || WITHOUT_ACTIONS.has(command)) continue
      if (!actions.has(command)) actions.set(command, await sayTo([command]))
      if (!new RegExp(`\\b${action}\\b`).test(actions.get(command) ?? ''))
        unknown.push(`${page}: turnpike ${command} ${action}`)
    }
  }
  expect(unknown).toEqual([])
  expect(found).toBeGreaterThan(40)
})
